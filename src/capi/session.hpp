// What the functions of the C interface share: handles, checks of arguments, answers. No exception leaves the interface.
#ifndef IVP_CAPI_SESSION_HPP
#define IVP_CAPI_SESSION_HPP

#include "run/stopwatch.hpp"

#include <ivp/ivp.h>

#include <ivp/evaluator.hpp>
#include <ivp/problem.hpp>
#include <ivp/run.hpp>
#include <ivp/solver.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace ivp::capi {

/// An opened problem, and everything a description of it points to.
struct opened_test {
    /// typed, form: as it was asked for; typed is empty for a problem of the program's own functions.
    opened_test(ivp::problem opened, std::string typed_as, std::int32_t asked_form);

    void begin()
    {
        e = std::make_unique<evaluator>(p);
        clock = {};
    }

    ivp::problem p;
    std::string typed;
    std::string content; ///< when it was opened; empty: of the program
    std::int32_t form;
    std::vector<parameter> parameters;
    std::unique_ptr<evaluator> e;
    running_clock clock;
    std::string record;       ///< handed out last
    std::vector<double> room; ///< of a Jacobian
    std::vector<double> breakpoints, discontinuities, reference, digits;
    std::vector<std::int32_t> excluded, index;
    std::vector<const char*> names;
    std::string tags, chapter;
};

/// What a program holds in its hand. It outlives what it stands for, so that its use after the end is found out; one thread at a time gets through.
template <class Opened>
struct handle {
    mutable std::recursive_mutex one_at_a_time; ///< a function of the program that is called here may call back
    std::shared_ptr<Opened> opened;
};

/// The handle of a new object. Handles are never given back: a few bytes for each object of a process.
template <class Handle, class Opened>
Handle* handle_of(std::shared_ptr<Opened> opened)
{
    static auto& all = *new std::deque<Handle>; // a program may close its handles after our static objects are gone
    static std::mutex one_at_a_time;
    const std::scoped_lock lock(one_at_a_time);
    Handle& h = all.emplace_back();
    h.opened = std::move(opened);
    return &h;
}

std::string& last_error();
/// The text that this thread got last.
const char* text_answer(std::string text);

/// Keeps what is being handled as the error of this thread.
void note_exception() noexcept;

template <class Work, class Answer>
Answer guarded(Answer otherwise, Work&& work) noexcept
{
    try {
        last_error().clear();
        return work();
    } catch (...) {
        note_exception();
    }
    return otherwise;
}

template <class Work>
int answered(Work&& work) noexcept
{
    return guarded<Work, int>(IVP_WRONG_USE, std::forward<Work>(work));
}

template <class Work>
const char* text_answered(Work&& work) noexcept
{
    return guarded<Work, const char*>(nullptr, std::forward<Work>(work));
}

/// Arguments that must not be NULL, with their names.
void require(std::initializer_list<std::pair<const void*, const char*>> arguments);

/// What a handle stands for, alive and locked as long as this lives.
template <class Opened>
class held {
public:
    template <class Handle>
    held(const Handle* h, const char* name)
    {
        require({{h, name}});
        lock_ = std::unique_lock(h->one_at_a_time);
        opened_ = h->opened;
        if (!opened_) throw bad_request(std::string(name) + " has been closed");
    }
    Opened& operator*() const { return *opened_; }
    Opened* operator->() const { return opened_.get(); }
    /// Alive, but no longer locked: for long work on what does not change.
    std::shared_ptr<Opened> released()
    {
        lock_.unlock();
        return opened_;
    }

private:
    std::unique_lock<std::recursive_mutex> lock_;
    std::shared_ptr<Opened> opened_;
};

held<opened_test> opened_by(const ivp_test* test);

/// NULL: nothing is done.
template <class Handle>
void close(Handle* h, const char* name) noexcept
{
    if (h == nullptr) return;
    (void)answered([&] {
        std::shared_ptr<void> last; // ended when the handle is free again
        const std::scoped_lock lock(h->one_at_a_time);
        if (!h->opened) throw bad_request(std::string(name) + " has been closed");
        last = std::move(h->opened);
        h->opened.reset();
        return static_cast<int>(IVP_OK);
    });
}

/// size: of the struct in the first release that had it.
template <class Struct>
void check_version(const Struct* s, const char* name, std::size_t size = sizeof(Struct))
{
    if (s->version != IVP_PLUGIN_VERSION || s->size < size) throw bad_request(std::string(name) + " does not begin with IVP_VERSIONED(" + name + ")");
}

/// "name=value" pairs separated by commas; argument: whose they are, for messages.
std::map<std::string, std::string> read_pairs(const char* argument, const char* text);

/// Throws bad_request.
run_settings settings_of(const opened_test& t, const ivp_settings* given, const solver_info& info);

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

} // namespace ivp::capi

// A program may not look inside.
struct ivp_test : ivp::capi::handle<ivp::capi::opened_test> {};

#endif
