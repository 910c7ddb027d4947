// Evaluates a program on numbers of type T with constants of type R.
#ifndef IVP_SRC_TEXT_EXECUTE_HPP
#define IVP_SRC_TEXT_EXECUTE_HPP

#include "text/program.hpp"
#include "text/work_room.hpp"

#include <ivp/problem.hpp>
#include <ivp/recorder.hpp>
#include <ivp/scalar.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace ivp::text {

// ---- What a traced number has depends on ----

inline tracer floor_of(const tracer& x) { return {std::floor(x.v), x.inputs}; }
inline tracer sign_of(const tracer& x) { return {sign_of(x.v), x.inputs}; }
inline tracer smaller(const tracer& a, const tracer& b) { return {std::min(a.v, b.v), tracer::join(a.inputs, b.inputs)}; }
inline tracer remainder_of(const tracer& a, const tracer& b) { return a - b * floor_of(a / b); }
inline tracer larger(const tracer& a, const tracer& b) { return {std::max(a.v, b.v), tracer::join(a.inputs, b.inputs)}; }

// ---- Branches inside a function are one number on a tape ----

inline recorder sign_of(const recorder& x)
{
    return piecewise([&] { return sign_of<recorder>(x); });
}
inline recorder smaller(const recorder& a, const recorder& b)
{
    return piecewise([&] { return smaller<recorder>(a, b); });
}
inline recorder larger(const recorder& a, const recorder& b)
{
    return piecewise([&] { return larger<recorder>(a, b); });
}

template <class T>
T applied(function f, const T& x)
{
    using std::sqrt, std::exp, std::log, std::log10, std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh,
        std::abs;
    switch (f) {
    case function::sqrt: return sqrt(x);
    case function::exp: return exp(x);
    case function::log: return log(x);
    case function::log10: return log10(x);
    case function::sin: return sin(x);
    case function::cos: return cos(x);
    case function::tan: return tan(x);
    case function::asin: return asin(x);
    case function::acos: return acos(x);
    case function::atan: return atan(x);
    case function::sinh: return sinh(x);
    case function::cosh: return cosh(x);
    case function::tanh: return tanh(x);
    case function::abs: return abs(x);
    case function::sign: return sign_of(x);
    case function::floor: return floor_of(x);
    default: throw std::logic_error("a function of two arguments, called with one");
    }
}

/// One of a and b may be a constant.
template <class T, class A, class B>
T applied(function f, const A& a, const B& b)
{
    using std::atan2, std::pow;
    switch (f) {
    case function::min: return smaller(T(a), T(b));
    case function::max: return larger(T(a), T(b));
    case function::atan2: return atan2(T(a), T(b));
    case function::mod: return remainder_of(T(a), T(b));
    case function::pow:
        if constexpr (std::is_same_v<A, T> && !std::is_same_v<B, T> && !std::is_same_v<T, tracer>)
            return pow(a, b);
        else
            return pow(T(a), T(b));
    default: throw std::logic_error("a function of one argument, called with two");
    }
}

template <class R, class T>
class execution {
    static constexpr bool traced = std::is_same_v<T, tracer>;

public:
    /// Elements of a block: what a loop works on stays in the fastest memory.
    static constexpr int block_size = std::is_same_v<T, double> ? 128 : traced ? 8 : 32;

    execution(const program& p, const program_constants<R>& c, const T& t, const T* y, const T* yp, T* out, T* slots, T* block)
        : p_(p), k_(c.value.data()), t_(t), y_(y), yp_(yp), out_(out), v_(slots), block_(block)
    {}

    static std::size_t block_room(const program& p) { return static_cast<std::size_t>(p.temporaries) * block_size; }

    evaluation run()
    {
        for (const auto& s : p_.steps) {
            if (s.what == step::kind::straight) {
                straight(p_.regions[static_cast<std::size_t>(s.number)]);
            } else if (s.what == step::kind::loop) {
                if (!loop_over(p_.loops[static_cast<std::size_t>(s.number)])) return evaluation::refused;
            } else if constexpr (!traced) {
                if (!holds(s.number)) return evaluation::refused;
            }
        }
        return evaluation::ok;
    }

private:
    friend class instruction_list; // it has instructions of its own for most of this, and leaves the rest to these

    // ---- Straight code ----

    [[nodiscard]] T operand(int x) const { return x >= 0 ? v_[x] : T(k_[~x]); }

    void straight(const region& r)
    {
        for (const auto& g : r.groups) {
            const int* w = r.words.data() + g.first;
            switch (g.op) {
            case opcode::load_time: v_[w[0]] = t_; break;
            case opcode::load_state:
                for (int m = 0; m < g.count; ++m, w += 2) v_[w[0]] = y_[w[1]];
                break;
            case opcode::load_rate:
                for (int m = 0; m < g.count; ++m, w += 2) v_[w[0]] = yp_[w[1]];
                break;
            case opcode::weighted_sum:
                for (int m = 0; m < g.count; ++m) w = weighted_sum(w);
                break;
            case opcode::scale:
                for (int m = 0; m < g.count; ++m, w += 3) v_[w[0]] = k_[w[1]] * v_[w[2]];
                break;
            case opcode::multiply:
                for (int m = 0; m < g.count; ++m, w += 3) v_[w[0]] = v_[w[1]] * v_[w[2]];
                break;
            case opcode::scale_two:
                for (int m = 0; m < g.count; ++m, w += 4) v_[w[0]] = k_[w[1]] * v_[w[2]] * v_[w[3]];
                break;
            case opcode::multiply_all:
                for (int m = 0; m < g.count; ++m) w = multiply_all(w);
                break;
            case opcode::divide:
                for (int m = 0; m < g.count; ++m, w += 3) v_[w[0]] = quotient(w[1], w[2]);
                break;
            case opcode::whole_power:
                for (int m = 0; m < g.count; ++m, w += 3) v_[w[0]] = whole_power(v_[w[1]], w[2]);
                break;
            case opcode::unary:
                for (int m = 0; m < g.count; ++m, w += 3) v_[w[0]] = applied(static_cast<function>(w[2]), v_[w[1]]);
                break;
            case opcode::binary:
                for (int m = 0; m < g.count; ++m, w += 4) v_[w[0]] = applied_to(static_cast<function>(w[3]), w[1], w[2]);
                break;
            case opcode::table:
                for (int m = 0; m < g.count; ++m, w += 3) v_[w[0]] = from_table(w[2], v_[w[1]]);
                break;
            case opcode::choose:
                for (int m = 0; m < g.count; ++m, w += 6) choose(w);
                break;
            case opcode::add_up:
                for (int m = 0; m < g.count; ++m, w += 3) {
                    T all = v_[w[1]];
                    for (int j = 1; j < w[2]; ++j) all = all + v_[w[1] + j];
                    v_[w[0]] = all;
                }
                break;
            case opcode::store:
                for (int m = 0; m < g.count; ++m, w += 2) out_[w[0]] = operand(w[1]);
                break;
            }
        }
    }

    /// In double a product with 1 or -1 costs less than the decision to do without.
    T& add_term(T& all, int c, int x) const
    {
        if (x < 0) return all = all + k_[c];
        if constexpr (!std::is_same_v<T, double>) {
            if (c == plus_one) return all = all + v_[x];
            if (c == minus_one) return all = all - v_[x];
        }
        return all = all + k_[c] * v_[x];
    }

    const int* weighted_sum(const int* w)
    {
        const int n = w[1];
        T& to = w[0] >= 0 ? v_[w[0]] : out_[~w[0]];
        w += 2;
        T all = w[1] < 0 ? T(k_[w[0]]) : w[0] == plus_one ? v_[w[1]] : w[0] == minus_one ? -v_[w[1]] : k_[w[0]] * v_[w[1]];
        w += 2;
        int m = n - 1;
        for (; m >= 2; m -= 2, w += 4) {
            add_term(all, w[0], w[1]);
            add_term(all, w[2], w[3]);
        }
        if (m == 1) {
            add_term(all, w[0], w[1]);
            w += 2;
        }
        to = std::move(all);
        return w;
    }

    const int* multiply_all(const int* w)
    {
        const int n = w[1];
        const int to = w[0];
        w += 2;
        T all = operand(*w++);
        for (int m = 1; m < n; ++m, ++w) all = *w >= 0 ? all * v_[*w] : all * k_[~*w];
        v_[to] = std::move(all);
        return w;
    }

    [[nodiscard]] T quotient(int a, int b) const
    {
        if (a < 0) return k_[~a] / v_[b];
        if (b < 0) return v_[a] / k_[~b];
        return v_[a] / v_[b];
    }

    [[nodiscard]] T applied_to(function f, int a, int b) const
    {
        if (a < 0) return applied<T>(f, k_[~a], v_[b]);
        if (b < 0) return applied<T>(f, v_[a], k_[~b]);
        return applied<T>(f, v_[a], v_[b]);
    }

    [[nodiscard]] T from_table(int number, const T& x) const
    {
        if constexpr (traced) {
            return x;
        } else {
            const auto& table = p_.tables[static_cast<std::size_t>(number)];
            return piecewise([&]() -> T { return table_value(k_ + p_.constants + table.first, table.points, x); });
        }
    }

    void choose(const int* w)
    {
        if constexpr (traced) { // what either branch depends on
            test(w[1]);
            branch(w[2]);
            branch(w[3]);
            v_[w[0]] = tracer(operand(w[4]).v, tracer::join(operand(w[4]).inputs, operand(w[5]).inputs));
        } else {
            piecewise(
                [&] {
                    const bool yes = holds(w[1]);
                    branch(yes ? w[2] : w[3]);
                    v_[w[0]] = operand(yes ? w[4] : w[5]);
                },
                v_[w[0]]);
        }
    }
    void branch(int r)
    {
        if (r >= 0) straight(p_.regions[static_cast<std::size_t>(r)]);
    }
    /// Computes what a condition needs, all of it.
    void test(int number)
    {
        const auto& c = p_.conditions[static_cast<std::size_t>(number)];
        branch(c.before);
        if (c.sign == '&' || c.sign == '|') test(c.a), test(c.b);
        if (c.sign == '~') test(c.a);
    }

    bool holds(int number)
    {
        const auto& c = p_.conditions[static_cast<std::size_t>(number)];
        branch(c.before);
        switch (c.sign) {
        case 'c': return c.a != 0;
        case '&': return holds(c.a) && holds(c.b);
        case '|': return holds(c.a) || holds(c.b);
        case '~': return !holds(c.a);
        default: return compared(c.sign, operand(c.a), operand(c.b));
        }
    }

    static bool compared(char sign, const T& a, const T& b)
    {
        switch (sign) {
        case '<': return a < b;
        case 'l': return a <= b;
        case '>': return a > b;
        case 'g': return a >= b;
        case '=': return a == b;
        default: return !(a == b);
        }
    }

    // ---- Loops ----

    void enter(const loop& l, long outer, long start)
    {
        l_ = &l;
        outer_ = outer;
        start_ = start;
    }

    /// False: a requirement does not hold.
    bool loop_over(const loop& l)
    {
        for (long outer = 0; outer < l.outer; ++outer)
            for (long start = 0; start < l.inner; start += block_size) {
                enter(l, outer, start);
                const int n = static_cast<int>(std::min<long>(block_size, l.inner - start));
                body(l.body, 0, n);
                if constexpr (!traced)
                    if (l.requirement >= 0)
                        for (int m = 0; m < n; ++m)
                            if (!block_holds(l.requirement, m)) return false;
            }
        return true;
    }

    /// Numbers of type T, or constants, with the distance from one to the next.
    template <class X>
    struct line {
        X* first;
        std::ptrdiff_t step;
        X& operator[](int m) const { return first[m * step]; }
    };

    [[nodiscard]] line<T> to(const reference_to& r) const
    {
        if (r.in == space::block) return {block_ + static_cast<std::ptrdiff_t>(r.first) * block_size, 1};
        T* const base = r.in == space::rows ? out_ : v_;
        return {base + r.first + outer_ * r.outer + start_ * r.inner, r.inner};
    }
    [[nodiscard]] line<const T> from(const reference_to& r) const
    {
        switch (r.in) {
        case space::states: return {y_ + r.first + outer_ * r.outer + start_ * r.inner, r.inner};
        case space::rates: return {yp_ + r.first + outer_ * r.outer + start_ * r.inner, r.inner};
        default: {
            const auto l = to(r);
            return {l.first, l.step};
        }
        }
    }
    [[nodiscard]] line<const R> constant(const reference_to& r) const { return {k_ + r.first + outer_ * r.outer + start_ * r.inner, r.inner}; }

    template <class A, class B, class Work>
    static void along(int first, int last, line<T> to, line<A> a, line<B> b, Work work)
    {
        for (int m = first; m < last; ++m) to[m] = work(a[m], b[m]);
    }

    template <class Work>
    void both(const block_instruction& x, int first, int last, Work work)
    {
        const auto t = to(x.to);
        if (x.a.in == space::constants)
            along(first, last, t, constant(x.a), from(x.b), work);
        else if (x.b.in == space::constants)
            along(first, last, t, from(x.a), constant(x.b), work);
        else
            along(first, last, t, from(x.a), from(x.b), work);
    }

    template <class Work>
    void one(const block_instruction& x, int first, int last, Work work)
    {
        const auto t = to(x.to);
        const auto a = from(x.a);
        for (int m = first; m < last; ++m) t[m] = work(a[m]);
    }

    void body(int number, int first, int last)
    {
        if (number < 0) return;
        for (const auto& x : l_->bodies[static_cast<std::size_t>(number)]) instruction(x, first, last);
    }

    void instruction(const block_instruction& x, int first, int last)
    {
        switch (x.op) {
        case block_opcode::copy:
            if (x.a.in == space::constants) {
                const auto t = to(x.to);
                const auto a = constant(x.a);
                for (int m = first; m < last; ++m) t[m] = T(a[m]);
            } else {
                one(x, first, last, [](const T& a) { return a; });
            }
            break;
        case block_opcode::add: both(x, first, last, [](const auto& a, const auto& b) { return a + b; }); break;
        case block_opcode::subtract: both(x, first, last, [](const auto& a, const auto& b) { return a - b; }); break;
        case block_opcode::multiply: both(x, first, last, [](const auto& a, const auto& b) { return a * b; }); break;
        case block_opcode::divide: both(x, first, last, [](const auto& a, const auto& b) { return a / b; }); break;
        case block_opcode::add_scaled: add_scaled(x, first, last); break;
        case block_opcode::whole_power: one(x, first, last, [&](const T& a) { return whole_power(a, x.number); }); break;
        case block_opcode::unary: one(x, first, last, [&](const T& a) { return applied(static_cast<function>(x.number), a); }); break;
        case block_opcode::binary:
            both(x, first, last, [&](const auto& a, const auto& b) { return applied<T>(static_cast<function>(x.number), a, b); });
            break;
        case block_opcode::table: one(x, first, last, [&](const T& a) { return from_table(x.number, a); }); break;
        case block_opcode::choose: choose(x, first, last); break;
        }
    }

    void add_scaled(const block_instruction& x, int first, int last)
    {
        const auto t = to(x.to);
        const auto b = from(x.b);
        const auto c = constant(x.c);
        if (x.a.in == space::constants) {
            const auto a = constant(x.a);
            for (int m = first; m < last; ++m) t[m] = a[m] + c[m] * b[m];
        } else {
            const auto a = from(x.a);
            for (int m = first; m < last; ++m) t[m] = a[m] + c[m] * b[m];
        }
    }

    /// Elements next to each other that take the same branch go through it together.
    void choose(const block_instruction& x, int first, int last)
    {
        if constexpr (traced) {
            test_block(x.number, first, last);
            body(x.yes, first, last);
            body(x.no, first, last);
            const auto t = to(x.to);
            for (int m = first; m < last; ++m) {
                const T a = element(x.a, m);
                t[m] = tracer(a.v, tracer::join(a.inputs, element(x.b, m).inputs));
            }
        } else if constexpr (std::is_same_v<T, recorder>) {
            for (int m = first; m < last; ++m)
                piecewise(
                    [&] {
                        const bool yes = block_holds(x.number, m);
                        body(yes ? x.yes : x.no, m, m + 1);
                        to(x.to)[m] = element(yes ? x.a : x.b, m);
                    },
                    to(x.to)[m]);
        } else {
            for (int m = first; m < last;) {
                const bool yes = block_holds(x.number, m);
                int end = m + 1;
                while (end < last && block_holds(x.number, end) == yes) ++end;
                body(yes ? x.yes : x.no, m, end);
                const auto t = to(x.to);
                for (int e = m; e < end; ++e) t[e] = element(yes ? x.a : x.b, e);
                m = end;
            }
        }
    }

    [[nodiscard]] T element(const reference_to& r, int m) const { return r.in == space::constants ? T(constant(r)[m]) : from(r)[m]; }

    void test_block(int number, int first, int last)
    {
        const auto& c = l_->conditions[static_cast<std::size_t>(number)];
        body(c.before, first, last);
        if (c.first >= 0) test_block(c.first, first, last);
        if (c.second >= 0) test_block(c.second, first, last);
    }

    bool block_holds(int number, int m)
    {
        const auto& c = l_->conditions[static_cast<std::size_t>(number)];
        body(c.before, m, m + 1);
        switch (c.sign) {
        case '&': return block_holds(c.first, m) && block_holds(c.second, m);
        case '|': return block_holds(c.first, m) || block_holds(c.second, m);
        case '~': return !block_holds(c.first, m);
        default: return compared(c.sign, element(c.a, m), element(c.b, m));
        }
    }

    const program& p_;
    const R* k_;
    const T& t_;
    const T* y_;
    const T* yp_;
    T* out_;
    T* v_;
    T* block_;
    const loop* l_ = nullptr;
    long outer_ = 0;
    long start_ = 0;
};

template <class R, class T>
evaluation execute(const program& p, const program_constants<R>& c, const T& t, const T* y, const T* yp, T* out)
{
    using machine = execution<R, T>;
    const auto slots = static_cast<std::size_t>(p.slots);
    T* const room = room_for<T>(slots + machine::block_room(p));
    return machine(p, c, t, y, yp, out, room, room + slots).run();
}

} // namespace ivp::text

#endif
