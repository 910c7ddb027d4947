// tracer: a number that remembers which inputs it was computed from (sparsity of a Jacobian).
//
// The dependence is structural (0 * y depends on y). A branch is followed by value, so that entries that only the other branch would have are
// not seen, unless a branch_explorer is at work: it sends the formula through every combination of its branches, one run after the other.
#ifndef IVP_SCALAR_TRACER_HPP
#define IVP_SCALAR_TRACER_HPP

#include <ivp/scalar/value_of.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace ivp {

/// While one exists, comparisons of traced numbers in this thread answer what it wants to see next:
///   branch_explorer paths(limit);
///   do { evaluate the formula } while (paths.next());
///   if (paths.complete()) the evaluations went through all branches
class branch_explorer {
public:
    explicit branch_explorer(int most_runs) : left_(most_runs) { active() = this; }
    ~branch_explorer() { active() = nullptr; }
    branch_explorer(const branch_explorer&) = delete;
    branch_explorer& operator=(const branch_explorer&) = delete;

    static branch_explorer*& active()
    {
        static thread_local branch_explorer* current = nullptr;
        return current;
    }

    /// The next comparison in this run; by_value is how the numbers decide it.
    bool decide(bool by_value)
    {
        if (at_ == taken_.size()) taken_.push_back({by_value, false});
        return taken_[at_++].answer;
    }
    /// Somebody looked at the plain number, and may decide by it what cannot be seen here.
    void lose_track() { followed_ = false; }

    /// Prepares the run with the last open decision taken the other way; false if there is none, or too much was tried.
    bool next()
    {
        at_ = 0;
        while (!taken_.empty() && taken_.back().both_seen) taken_.pop_back();
        if (taken_.empty()) return false;
        if (--left_ < 0) {
            followed_ = false;
            return false;
        }
        taken_.back() = {!taken_.back().answer, true};
        return true;
    }
    [[nodiscard]] bool complete() const { return followed_; }

private:
    struct decision {
        bool answer;
        bool both_seen;
    };
    std::vector<decision> taken_;
    std::size_t at_ = 0;
    int left_;
    bool followed_ = true;
};

struct tracer {
    double v = 0;
    std::vector<int> inputs; ///< sorted, unique

    tracer() = default;
    template <class A, class = std::enable_if_t<std::is_constructible_v<double, A>>>
    tracer(const A& a) : v(static_cast<double>(a)) // NOLINT(google-explicit-constructor): a constant depends on nothing
    {}
    tracer(double value, std::vector<int> from) : v(value), inputs(std::move(from)) {}

    static tracer input(double value, int index) { return {value, {index}}; }
    /// Depends on no variable, but what is decided by it is a branch all the same.
    static tracer time(double value) { return {value, {time_input}}; }
    /// Variables only, sorted.
    [[nodiscard]] std::vector<int> variables() const
    {
        return {inputs.begin() + (!inputs.empty() && inputs.front() == time_input ? 1 : 0), inputs.end()};
    }

    static std::vector<int> join(const std::vector<int>& a, const std::vector<int>& b)
    {
        std::vector<int> both;
        both.reserve(a.size() + b.size());
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
        return both;
    }

    friend tracer operator+(const tracer& a, const tracer& b) { return {a.v + b.v, join(a.inputs, b.inputs)}; }
    friend tracer operator-(const tracer& a, const tracer& b) { return {a.v - b.v, join(a.inputs, b.inputs)}; }
    friend tracer operator*(const tracer& a, const tracer& b) { return {a.v * b.v, join(a.inputs, b.inputs)}; }
    friend tracer operator/(const tracer& a, const tracer& b) { return {a.v / b.v, join(a.inputs, b.inputs)}; }
    friend tracer operator-(const tracer& a) { return {-a.v, a.inputs}; }
    friend tracer operator+(const tracer& a) { return a; }
    tracer& operator+=(const tracer& b) { return *this = *this + b; }
    tracer& operator-=(const tracer& b) { return *this = *this - b; }
    tracer& operator*=(const tracer& b) { return *this = *this * b; }
    tracer& operator/=(const tracer& b) { return *this = *this / b; }

    friend bool operator==(const tracer& a, const tracer& b) { return decide(a, b, a.v == b.v); }
    friend bool operator<(const tracer& a, const tracer& b) { return decide(a, b, a.v < b.v); }
    friend bool operator>(const tracer& a, const tracer& b) { return decide(a, b, a.v > b.v); }
    friend bool operator<=(const tracer& a, const tracer& b) { return decide(a, b, a.v <= b.v); }
    friend bool operator>=(const tracer& a, const tracer& b) { return decide(a, b, a.v >= b.v); }

private:
    static constexpr int time_input = -1;

    static bool decide(const tracer& a, const tracer& b, bool by_value)
    {
        branch_explorer* const explorer = branch_explorer::active();
        return explorer == nullptr || (a.inputs.empty() && b.inputs.empty()) ? by_value : explorer->decide(by_value);
    }
};

#define IVP_TRACER_FUNCTION(name) \
    inline tracer name(const tracer& a) { return {std::name(a.v), a.inputs}; }
IVP_TRACER_FUNCTION(exp)
IVP_TRACER_FUNCTION(log)
IVP_TRACER_FUNCTION(log10)
IVP_TRACER_FUNCTION(sqrt)
IVP_TRACER_FUNCTION(sin)
IVP_TRACER_FUNCTION(cos)
IVP_TRACER_FUNCTION(tan)
IVP_TRACER_FUNCTION(asin)
IVP_TRACER_FUNCTION(acos)
IVP_TRACER_FUNCTION(atan)
IVP_TRACER_FUNCTION(sinh)
IVP_TRACER_FUNCTION(cosh)
IVP_TRACER_FUNCTION(tanh)
IVP_TRACER_FUNCTION(abs)
IVP_TRACER_FUNCTION(fabs)
#undef IVP_TRACER_FUNCTION

inline tracer atan2(const tracer& a, const tracer& b) { return {std::atan2(a.v, b.v), tracer::join(a.inputs, b.inputs)}; }
inline tracer pow(const tracer& a, const tracer& b) { return {std::pow(a.v, b.v), tracer::join(a.inputs, b.inputs)}; }

inline double value_of(const tracer& a)
{
    // NOTE: of time it is asked for by every periodic input (how many periods have passed), which changes no dependence.
    if (branch_explorer* const explorer = branch_explorer::active(); explorer != nullptr && !a.variables().empty()) explorer->lose_track();
    return a.v;
}

} // namespace ivp

#endif
