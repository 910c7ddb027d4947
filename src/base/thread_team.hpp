// thread_team: a few threads that stay ready between very short pieces of work.
//
// A piece of a microsecond cannot wait for a mutex: an idle thread spins for a moment, then gives its core away, and sleeps only when
// nothing comes for long. Tasks are claimed one by one, so a thread that the system has taken off its core holds up only the task it
// already has; with more threads than cores the others do the rest. A thread claims the tasks first that it had in the rounds before: what they
// work on is in its cache.
#ifndef IVP_SRC_BASE_THREAD_TEAM_HPP
#define IVP_SRC_BASE_THREAD_TEAM_HPP

#include <ivp/error.hpp>

#include <atomic>
#include <bit>
#include <cassert>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace ivp {

class thread_team {
public:
    /// The calling thread is one of them; 1 starts none. Throws machine_fault where the system gives fewer: what they do would be measured as the
    /// work of all.
    explicit thread_team(int threads)
        : own_(own_tasks(0, threads)), spins_(static_cast<int>(std::thread::hardware_concurrency()) < threads ? 0 : patience)
    {
        workers_.reserve(static_cast<std::size_t>(threads - 1));
        try {
            for (int i = 1; i < threads; ++i) workers_.emplace_back([this, own = own_tasks(i, threads)] { serve(own); });
        } catch (const std::system_error& e) {
            const int given = size();
            dismiss();
            throw machine_fault("this machine gave " + std::to_string(given) + " of " + std::to_string(threads) + " threads: " + e.code().message());
        }
    }
    ~thread_team() { dismiss(); }
    thread_team(const thread_team&) = delete;
    thread_team& operator=(const thread_team&) = delete;

    static constexpr int most_tasks = 31;

    /// Threads that work, the caller included.
    [[nodiscard]] int size() const { return static_cast<int>(workers_.size()) + 1; }

    /// task(k) for k = 0 … tasks − 1, on any thread and in any order; returns when all are done. What a task throws is thrown here.
    template <class Task>
    void each(int tasks, Task&& task)
    {
        if (workers_.empty()) {
            for (int k = 0; k < tasks; ++k) task(k);
            return;
        }
        assert(tasks <= most_tasks);
        using callable = std::remove_reference_t<Task>;
        object_ = const_cast<void*>(static_cast<const void*>(std::addressof(task)));
        call_ = [](void* object, int k) { (*static_cast<callable*>(object))(k); };
        done_.store(0, std::memory_order_relaxed);
        publish(++round_ << 32 | ((std::uint64_t{1} << tasks) - 1));
        while (take_one(own_)) {}
        for (int waited = 0; done_.load(std::memory_order_acquire) != tasks; ++waited) pass_time(waited);
        if (error_) {
            failed_.clear();
            std::rethrow_exception(std::exchange(error_, nullptr));
        }
    }

private:
    static constexpr int patience = 4000;          // pauses before a core is given away, about 50 microseconds
    static constexpr int patience_to_sleep = 2000; // further rounds before a worker sleeps
    static constexpr std::uint64_t dismissal = ~std::uint64_t{0};

    // A ticket is the number of the round and a bit for each task that nobody has claimed: a late thread can never claim a task of one round
    // with what it knows of another.
    static std::uint32_t unclaimed(std::uint64_t ticket) { return static_cast<std::uint32_t>(ticket); }
    static std::uint32_t own_tasks(int thread, int threads)
    {
        std::uint32_t mask = 0;
        for (int k = thread; k < most_tasks; k += threads) mask |= std::uint32_t{1} << k;
        return mask;
    }

    void dismiss()
    {
        publish(dismissal);
        for (auto& w : workers_) w.join();
    }

    void publish(std::uint64_t ticket)
    {
        // NOTE: exchange, not a releasing store: the ticket must be visible before it is decided whether somebody sleeps.
        ticket_.exchange(ticket);
        ticket_.notify_all();
    }

    bool take_one(std::uint32_t own)
    {
        std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
        int task = 0;
        do {
            const std::uint32_t left = unclaimed(ticket);
            if (ticket == dismissal || left == 0) return false;
            task = std::countr_zero((left & own) != 0 ? left & own : left);
        } while (!ticket_.compare_exchange_weak(ticket, ticket & ~(std::uint64_t{1} << task), std::memory_order_acq_rel, std::memory_order_acquire));
        try {
            call_(object_, task); // stays what it is until this task is done
        } catch (...) {
            if (!failed_.test_and_set()) error_ = std::current_exception();
        }
        done_.fetch_add(1, std::memory_order_acq_rel);
        return true;
    }

    void serve(std::uint32_t own)
    {
        int waited = 0;
        while (true) {
            const std::uint64_t seen = ticket_.load(std::memory_order_acquire);
            if (seen == dismissal) return;
            if (take_one(own))
                waited = 0;
            else if (waited < spins_ + patience_to_sleep)
                pass_time(waited++);
            else if (unclaimed(seen) == 0)
                ticket_.wait(seen, std::memory_order_acquire);
        }
    }

    void pass_time(int waited) const
    {
        if (waited >= spins_) return std::this_thread::yield();
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }

    // The two that are contended stand first and last, more than a cache line apart.
    std::atomic<std::uint64_t> ticket_{0};
    std::uint64_t round_ = 0;
    void* object_ = nullptr;
    void (*call_)(void*, int) = nullptr;
    std::exception_ptr error_;
    std::vector<std::thread> workers_;
    std::uint32_t own_; // tasks of the calling thread
    int spins_;
    std::atomic_flag failed_;
    std::atomic<int> done_{0};
};

} // namespace ivp

#endif
