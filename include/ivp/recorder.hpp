// recorder: a number that writes down how it was computed. The formula can then be evaluated in other ways: in power series, in quadruple precision
// with its branches held, backwards.
//
// A comparison of recorded numbers is a branch. The tape keeps which numbers were compared and which side was taken: the formula on the tape is
// smooth, and the difference of the two numbers changes its sign at a kink of the problem.
#ifndef IVP_RECORDER_HPP
#define IVP_RECORDER_HPP

#include <ivp/error.hpp>
#include <ivp/problem.hpp>
#include <ivp/scalar.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ivp {

enum class operation : unsigned char {
    constant,   ///< c
    time,       //
    variable,   ///< y_a
    derivative, ///< y_a'
    add,        ///< a + b
    subtract,   ///< a - b
    multiply,   ///< a b
    divide,     ///< a / b
    shift,      ///< a + c
    scale,      ///< c a
    over,       ///< c / a
    exp,        //
    log,        //
    sqrt,       //
    sin,        ///< its cosine is the next entry
    cos,        ///< its sine is the entry before
    sinh,       ///< its cosh is the next entry
    cosh,       //
    atan,       ///< b = 1 + a^2
    asin,       ///< b = sqrt(1 - a^2)
    acos,       ///< b = -sqrt(1 - a^2)
    power,      ///< a^c
    // The rest only on tapes of the whole formula.
    tanh,   //
    floor,  ///< the largest whole number that is not above a
    sides,  ///< a or b; an operand of `choose` only
    choose, ///< of the sides b: the first if a is below zero, else the second
};

/// The formula, one entry for each operation; operands are entries before.
struct tape {
    struct entry {
        operation what = operation::constant;
        int a = -1;
        int b = -1;
        quad c = 0;
    };
    struct decision {
        int difference = -1;   ///< the entry whose sign was asked for
        bool negative = false; ///< the side that was taken
    };
    std::vector<entry> entries;
    std::vector<int> output;
    std::vector<decision> decisions; ///< in the order of the formula
    bool whole = false;              ///< both sides of what is `piecewise` are recorded, and jumps as functions: the formula holds for all arguments
};

/// While one exists, recorded numbers of this thread are written to its tape. The first decisions are taken as `sides` says, the others by value.
class tape_recording {
public:
    tape_recording(tape& to, const std::vector<bool>& sides) : to_(to), sides_(sides), outer_(active()) { active() = this; }
    ~tape_recording() { active() = outer_; }
    tape_recording(const tape_recording&) = delete;
    tape_recording& operator=(const tape_recording&) = delete;

    static tape_recording*& active()
    {
        static thread_local tape_recording* current = nullptr;
        return current;
    }

    int write(operation what, int a = -1, int b = -1, const quad& c = 0)
    {
        to_.entries.push_back({what, a, b, c});
        return static_cast<int>(to_.entries.size()) - 1;
    }
    bool decide(int difference, bool negative_by_value)
    {
        if (part_ != nullptr) {
            const std::size_t k = part_->differences.size();
            part_->differences.push_back(difference);
            return k < part_->sides.size() ? part_->sides[k] : negative_by_value;
        }
        const std::size_t k = to_.decisions.size();
        const bool negative = k < sides_.size() ? sides_[k] : negative_by_value;
        to_.decisions.push_back({difference, negative});
        return negative;
    }

    [[nodiscard]] bool is_whole() const { return to_.whole; }

    /// What a part of the formula gives, with the sides that are taken inside it: run() is called for every combination, join(difference, a, b) makes
    /// one value of two sides.
    template <class Run, class Join>
    auto on_all_sides(const Run& run, const Join& join, const std::vector<bool>& taken = {}) -> decltype(run())
    {
        constexpr std::size_t most_decisions = 100;
        if (taken.size() > most_decisions) // a loop that lasts as long as a comparison holds has no end here
            throw bad_request("a part of the formula decides more than " + std::to_string(most_decisions) +
                              " times, one after the other; it cannot be written down");
        part_decisions here{taken, {}};
        part_decisions* const around = std::exchange(part_, &here);
        auto value = run();
        part_ = around;
        if (here.differences.size() == taken.size()) return value;
        auto deeper = taken;
        deeper.push_back(true);
        const auto below = on_all_sides(run, join, deeper);
        deeper.back() = false;
        const auto other = on_all_sides(run, join, deeper);
        return join(here.differences[taken.size()], below, other);
    }

private:
    /// Decisions inside a part that is followed on all sides.
    struct part_decisions {
        std::vector<bool> sides;
        std::vector<int> differences;
    };
    tape& to_;
    const std::vector<bool>& sides_;
    tape_recording* outer_;
    part_decisions* part_ = nullptr;
};

struct recorder {
    quad v = 0;
    int at = -1; ///< entry of the tape; -1: a constant

    recorder() = default;
    template <class A, class = std::enable_if_t<std::is_convertible_v<A, quad>>>
    recorder(const A& a) : v(a) // NOLINT(google-explicit-constructor): a constant
    {}
    recorder(const quad& value, int entry) : v(value), at(entry) {}

    [[nodiscard]] bool fixed() const { return at < 0; }

    IVP_SELDOM friend recorder operator+(const recorder& a, const recorder& b)
    {
        if (a.fixed() && b.fixed()) return a.v + b.v;
        if (a.fixed()) return a.v == quad(0) ? b : note(a.v + b.v, operation::shift, b.at, -1, a.v);
        if (b.fixed()) return b.v == quad(0) ? a : note(a.v + b.v, operation::shift, a.at, -1, b.v);
        return note(a.v + b.v, operation::add, a.at, b.at);
    }
    IVP_SELDOM friend recorder operator-(const recorder& a)
    {
        if (a.fixed()) return -a.v;
        return note(-a.v, operation::scale, a.at, -1, quad(-1));
    }
    IVP_SELDOM friend recorder operator-(const recorder& a, const recorder& b)
    {
        if (b.fixed()) return a + recorder(-b.v);
        if (a.fixed()) return a.v + -b;
        return note(a.v - b.v, operation::subtract, a.at, b.at);
    }
    IVP_SELDOM friend recorder operator*(const recorder& a, const recorder& b)
    {
        if (b.fixed() && !a.fixed()) return b * a;
        if (!a.fixed()) return note(a.v * b.v, operation::multiply, a.at, b.at);
        if (b.fixed() || a.v == quad(0)) return a.v * b.v;
        if (a.v == quad(1)) return b;
        return note(a.v * b.v, operation::scale, b.at, -1, a.v);
    }
    IVP_SELDOM friend recorder operator/(const recorder& a, const recorder& b)
    {
        if (b.fixed()) return a.fixed() ? recorder(a.v / b.v) : note(a.v / b.v, operation::divide, a.at, recorded(b));
        if (a.fixed()) return a.v == quad(0) ? recorder(a.v) : note(a.v / b.v, operation::over, b.at, -1, a.v);
        return note(a.v / b.v, operation::divide, a.at, b.at);
    }
    friend recorder operator+(const recorder& a) { return a; }
    recorder& operator+=(const recorder& b) { return *this = *this + b; }
    recorder& operator-=(const recorder& b) { return *this = *this - b; }
    recorder& operator*=(const recorder& b) { return *this = *this * b; }
    recorder& operator/=(const recorder& b) { return *this = *this / b; }

    IVP_SELDOM friend bool operator==(const recorder& a, const recorder& b) { return a.v == b.v; } // no side is taken by it
    IVP_SELDOM friend bool operator<(const recorder& a, const recorder& b) { return below(a, b, a.v < b.v); }
    IVP_SELDOM friend bool operator<=(const recorder& a, const recorder& b) { return is_whole() ? !below(b, a, b.v < a.v) : below(a, b, a.v <= b.v); }
    IVP_SELDOM friend bool operator>(const recorder& a, const recorder& b)
    {
        return is_whole() ? below(b, a, b.v < a.v) : !below(a, b, !(a.v > b.v));
    }
    IVP_SELDOM friend bool operator>=(const recorder& a, const recorder& b) { return !below(a, b, !(a.v >= b.v)); }

    IVP_SELDOM static recorder note(const quad& value, operation what, int a, int b = -1, const quad& c = 0)
    {
        return {value, tape_recording::active()->write(what, a, b, c)};
    }
    /// The entry of a number, also of a constant.
    IVP_SELDOM static int recorded(const recorder& a) { return a.fixed() ? tape_recording::active()->write(operation::constant, -1, -1, a.v) : a.at; }

private:
    /// The whole formula also says what holds if both are equal: b < a, and not a <= b.
    static bool is_whole() { return tape_recording::active() != nullptr && tape_recording::active()->is_whole(); }
    static bool below(const recorder& a, const recorder& b, bool by_value)
    {
        if (a.fixed() && b.fixed()) return by_value;
        const recorder difference = a - b;
        return tape_recording::active()->decide(difference.at, by_value);
    }
};

inline bool records_whole_formula() { return tape_recording::active() != nullptr && tape_recording::active()->is_whole(); }

namespace detail {

template <class T>
auto plain_value(const T& a)
{
    using ivp::value_of; // of a double; the others are found by their namespace
    return value_of(a);
}
/// By itself, because GCC 12 warns of a fault that is none if it is inlined.
[[gnu::noinline]] inline double plain_value(const tracer& a) { return value_of(a); }

/// The one if the difference is below zero, else the other.
inline recorder chosen(int difference, const recorder& below, const recorder& other)
{
    if (below.at == other.at && below.v == other.v) return below;
    const int sides = tape_recording::active()->write(operation::sides, recorder::recorded(below), recorder::recorded(other));
    return recorder::note(below.v, operation::choose, difference, sides);
}

} // namespace detail

/// A part of a formula with branches: f(), which returns a number. A tape of the whole formula has all sides as one number, so that the branches
/// of many such parts do not multiply.
template <class F>
inline auto piecewise(const F& f)
{
    if constexpr (std::is_same_v<std::invoke_result_t<F>, recorder>)
        if (records_whole_formula()) return tape_recording::active()->on_all_sides(f, detail::chosen);
    return f();
}

/// The same with several results: f assigns all of them, whatever they were before, and returns nothing, or whether the argument is refused.
template <class F, class T, class... More>
inline std::invoke_result_t<F> piecewise(const F& f, T& first, More&... more)
{
    constexpr bool can_refuse = std::is_same_v<std::invoke_result_t<F>, evaluation>;
    if constexpr (std::is_same_v<T, recorder>) {
        if (records_whole_formula()) {
            constexpr std::size_t count = 1 + sizeof...(More);
            using numbers = std::array<recorder, count + 1>; // and below zero: refused
            const auto run = [&] {
                numbers all;
                all[count] = recorder(1);
                if constexpr (can_refuse) {
                    if (f() == evaluation::refused) {
                        all[count] = recorder(-1);
                        return all;
                    }
                } else {
                    f();
                }
                std::size_t k = 0;
                for (const recorder* r : {static_cast<const recorder*>(&first), static_cast<const recorder*>(&more)...}) all[k++] = *r;
                return all;
            };
            const auto join = [](int difference, const numbers& below, const numbers& other) {
                numbers all;
                all[count] = detail::chosen(difference, below[count], other[count]);
                const auto refused = [](const recorder& r) { return r.fixed() && r.v < quad(0); };
                for (std::size_t k = 0; k < count; ++k) // what a refused side would give does not matter
                    all[k] = refused(below[count]) ? other[k] : refused(other[count]) ? below[k] : detail::chosen(difference, below[k], other[k]);
                return all;
            };
            const numbers all = tape_recording::active()->on_all_sides(run, join);
            std::size_t k = 0;
            for (recorder* r : {&first, &more...}) *r = all[k++];
            if constexpr (can_refuse)
                return all[count] < recorder(0) ? evaluation::refused : evaluation::ok;
            else
                return;
        }
    }
    return f();
}

/// A constant that a branch chooses.
template <class R, class T>
using chosen_constant = std::conditional_t<std::is_same_v<T, recorder>, recorder, R>;

/// Whether x > 0, for a jump at a time that the problem names: a side of the formula only on a tape of the whole formula.
template <class T>
bool is_positive(const T& x)
{
    if constexpr (std::is_same_v<T, recorder>)
        if (records_whole_formula()) return x > recorder(0);
    return detail::plain_value(x) > 0;
}

IVP_SELDOM inline recorder exp(const recorder& a) { return a.fixed() ? recorder(exp(a.v)) : recorder::note(exp(a.v), operation::exp, a.at); }
IVP_SELDOM inline recorder log(const recorder& a) { return a.fixed() ? recorder(log(a.v)) : recorder::note(log(a.v), operation::log, a.at); }
IVP_SELDOM inline recorder sqrt(const recorder& a) { return a.fixed() ? recorder(sqrt(a.v)) : recorder::note(sqrt(a.v), operation::sqrt, a.at); }
IVP_SELDOM inline recorder sin(const recorder& a)
{
    if (a.fixed()) return sin(a.v);
    const recorder sine = recorder::note(sin(a.v), operation::sin, a.at);
    (void)recorder::note(cos(a.v), operation::cos, a.at);
    return sine;
}
IVP_SELDOM inline recorder cos(const recorder& a)
{
    if (a.fixed()) return cos(a.v);
    (void)recorder::note(sin(a.v), operation::sin, a.at);
    return recorder::note(cos(a.v), operation::cos, a.at);
}
IVP_SELDOM inline recorder sinh(const recorder& a)
{
    if (a.fixed()) return sinh(a.v);
    const recorder sine = recorder::note(sinh(a.v), operation::sinh, a.at);
    (void)recorder::note(cosh(a.v), operation::cosh, a.at);
    return sine;
}
IVP_SELDOM inline recorder cosh(const recorder& a)
{
    if (a.fixed()) return cosh(a.v);
    (void)recorder::note(sinh(a.v), operation::sinh, a.at);
    return recorder::note(cosh(a.v), operation::cosh, a.at);
}
IVP_SELDOM inline recorder tan(const recorder& a) { return a.fixed() ? recorder(tan(a.v)) : sin(a) / cos(a); }
/// By exponentials that do not overflow: 1 - 2 / (exp(2a) + 1), from the side where exp is small.
IVP_SELDOM inline recorder tanh(const recorder& a)
{
    if (a.fixed()) return tanh(a.v);
    if (records_whole_formula()) return recorder::note(tanh(a.v), operation::tanh, a.at);
    const bool right = a.v > quad(0); // both formulas hold everywhere: no branch
    const recorder small = exp((right ? quad(-2) : quad(2)) * a);
    return (right ? quad(1) : quad(-1)) * (quad(1) - small) / (quad(1) + small);
}
IVP_SELDOM inline recorder log10(const recorder& a) { return log(a) / log(quad(10)); }
IVP_SELDOM inline recorder atan(const recorder& a)
{
    if (a.fixed()) return atan(a.v);
    const recorder b = quad(1) + a * a;
    return recorder::note(atan(a.v), operation::atan, a.at, b.at);
}
IVP_SELDOM inline recorder asin(const recorder& a)
{
    if (a.fixed()) return asin(a.v);
    const recorder b = sqrt(quad(1) - a * a);
    return recorder::note(asin(a.v), operation::asin, a.at, b.at);
}
IVP_SELDOM inline recorder acos(const recorder& a)
{
    if (a.fixed()) return acos(a.v);
    const recorder b = -sqrt(quad(1) - a * a);
    return recorder::note(acos(a.v), operation::acos, a.at, b.at);
}
IVP_SELDOM inline recorder abs(const recorder& a)
{
    return piecewise([&a] { return a < recorder(0) ? -a : a; });
}
/// Constant between its jumps, each of which is a side that a comparison takes.
IVP_SELDOM inline recorder floor(const recorder& a)
{
    if (!a.fixed() && records_whole_formula()) return recorder::note(floor(a.v), operation::floor, a.at);
    recorder low(floor(a.v));
    if (a < low) low = low - recorder(1);
    if (a >= low + recorder(1)) low = low + recorder(1);
    return low;
}
IVP_SELDOM inline recorder fabs(const recorder& a) { return abs(a); }
IVP_SELDOM inline recorder atan2(const recorder& a, const recorder& b)
{
    if (a.fixed() && b.fixed()) return atan2(a.v, b.v);
    const quad whole = atan2(a.v, b.v);
    if (abs(a.v) > abs(b.v)) { // pi/2 - atan(b/a), in the half plane of a
        const recorder part = atan(b / a);
        return (whole + part.v) - part;
    }
    const recorder part = atan(a / b);
    return (whole - part.v) + part;
}
IVP_SELDOM inline recorder pow(const recorder& a, const recorder& e)
{
    if (!e.fixed()) return exp(e * log(a));
    if (a.fixed()) return pow(a.v, e.v);
    constexpr int most_products = 64;
    if (floor(e.v) == e.v && abs(e.v) <= quad(most_products)) { // also if a is zero
        int left = static_cast<int>(static_cast<double>(abs(e.v)));
        recorder value(1);
        for (recorder square = a; left > 0; left /= 2) {
            if (left % 2 == 1) value = value * square;
            if (left > 1) square = square * square;
        }
        return e.v < quad(0) ? recorder(1) / value : value;
    }
    return recorder::note(pow(a.v, e.v), operation::power, a.at, -1, e.v);
}

inline double value_of(const recorder& a) { return static_cast<double>(a.v); }

/// How many whole periods lie before t; a jump at times that the problem names, see is_positive.
template <class T, class P>
auto periods_before(const T& t, const P& period)
{
    if constexpr (std::is_same_v<T, recorder>)
        return records_whole_formula() ? floor(t / recorder(period)) : recorder(std::floor(value_of(t) / period));
    else
        return std::floor(detail::plain_value(t) / period);
}

/// Equations that can write their formula to a tape. All that are written as a text over the scalar type can.
class recordable {
public:
    virtual ~recordable() = default;
    /// f, or G if yp is given. The outputs of the tape are those of the formula; the first decisions are taken as `sides` says.
    virtual evaluation record(const quad& t, const quad* y, const quad* yp, const std::vector<bool>& sides, tape& to) const = 0;
};

/// The base of a class with write_tape.
template <class Equations>
class recording : public recordable {
public:
    evaluation record(const quad& t, const quad* y, const quad* yp, const std::vector<bool>& sides, tape& to) const override
    {
        return static_cast<const Equations&>(*this).write_tape(t, y, yp, sides, to);
    }
};
template <class Equations>
class no_recording {};
/// Reference work takes formulas from tapes, in quadruple precision: equations in double need none.
template <class R, class Equations>
using recording_in = std::conditional_t<std::is_same_v<R, quad>, recording<Equations>, no_recording<Equations>>;

/// y_0 .. y_(n-1), y_0' .. and t, as the first entries of a tape.
struct recorded_arguments {
    recorded_arguments(const quad& at, const quad* y, const quad* yp, int n) : t(at, tape_recording::active()->write(operation::time))
    {
        for (int i = 0; i < n; ++i) in.emplace_back(y[i], tape_recording::active()->write(operation::variable, i));
        for (int i = 0; i < n && yp != nullptr; ++i) in_derivative.emplace_back(yp[i], tape_recording::active()->write(operation::derivative, i));
        out.resize(static_cast<std::size_t>(n));
    }
    void finish(tape& to) const
    {
        for (const auto& v : out) to.output.push_back(recorder::recorded(v));
    }
    recorder t;
    std::vector<recorder> in, in_derivative, out;
};

} // namespace ivp

#endif
