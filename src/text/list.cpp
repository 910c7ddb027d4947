#include "text/list.hpp"

#include "text/execute.hpp"
#include "text/list_build.hpp"

#include <ivp/pack.hpp>

#include <algorithm>
#include <array>
#include <cmath>

// The next instruction follows where the one before ends: a jump of its own for each, which processors foresee better than one for all. It is an
// extension of GCC and clang; others take the switch.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic"
#define IVP_LIST_JUMPS
#endif

namespace ivp::text {

namespace {

using index = std::uint32_t;

template <int n>
[[gnu::always_inline]] inline double plain_sum(const double* w, const index* x)
{
    double all = w[x[0]];
    for (int k = 1; k < n; ++k) all = all + w[x[k]];
    return all;
}

template <int n>
[[gnu::always_inline]] inline double weighted_sum(const double* w, const double* c, const index* x)
{
    double all = c[0] * w[x[0]];
    for (int k = 1; k < n; ++k) all = all + c[k] * w[x[k]];
    return all;
}

using four = simd::pack<double, 4>;

[[gnu::always_inline]] inline four four_of(const double* w, const index* x) { return four::of(four::numbers{w[x[0]], w[x[1]], w[x[2]], w[x[3]]}); }

/// Four sums at once.
template <int n>
[[gnu::always_inline]] inline void packed_sums(const double* w, const double* c, const index* x, double* to)
{
    four all = four::load(c) * four_of(w, x + 4);
    for (int k = 1; k < n; ++k) all = all + four::load(c + 4 * k) * four_of(w, x + 4 + 4 * k);
    to[x[0]] = all[0];
    to[x[1]] = all[1];
    to[x[2]] = all[2];
    to[x[3]] = all[3];
}

[[gnu::always_inline]] inline void four_products(double* w, const double* c, const index* x)
{
    const four v = four::load(c) * four_of(w, x + 1) * four_of(w, x + 5);
    double* const to = w + x[0];
    v.store(to);
    (-v).store(to + 4);
}

using function_of_one = double (*)(double);

template <function f>
double one(double x)
{
    return applied(f, x);
}

constexpr int functions_of_one = static_cast<int>(function::floor) + 1;

template <int... f>
constexpr std::array<function_of_one, functions_of_one> all_functions(std::integer_sequence<int, f...> /*all*/)
{
    return {[] {
        if constexpr (arguments_of(static_cast<function>(f)) == 1)
            return function_of_one(&one<static_cast<function>(f)>);
        else
            return function_of_one(nullptr);
    }()...};
}
constexpr auto unary_functions = all_functions(std::make_integer_sequence<int, functions_of_one>{});

/// Without the call of a library that the compiler would make of it: there are few.
[[gnu::always_inline]] inline void copy_few(const double* from, std::size_t n, double* to)
{
    std::size_t k = 0;
    for (; k + 4 <= n; k += 4) four::load(from + k).store(to + k);
    for (; k < n; ++k) to[k] = from[k];
}

} // namespace

instruction_list::instruction_list(const program& p, const program_constants<double>& c) : p_(p), c_(c) { list_builder make(*this); }

evaluation instruction_list::evaluate(double t, const double* y, const double* yp, double* out) const
{
    if (!short_) return evaluate_long(t, y, yp, out);
    // On the stack, which is found without a call; thread-local memory is not in a shared library. What is not written here is never read.
    std::array<double, short_room> w; // NOLINT(cppcoreguidelines-pro-type-member-init)
    w[one_] = 1;
    return run(straight_.front(), w.data(), t, y, yp, out);
}

[[gnu::noinline]] evaluation instruction_list::evaluate_long(double t, const double* y, const double* yp, double* out) const
{
    auto* const w = room_for<double>(room_);
    w[one_] = 1;
    if (!only_straight_) return by_steps(w, t, y, yp, out);
    return run(straight_.front(), w, t, y, yp, out);
}

[[gnu::noinline]] evaluation instruction_list::by_steps(double* w, double t, const double* y, const double* yp, double* out) const
{
    for (const auto& s : steps_) {
        const auto number = static_cast<std::size_t>(s.number);
        if (s.what == step::kind::straight) {
            (void)run(straight_[number], w, t, y, yp, out);
        } else if (s.what == step::kind::loop) {
            if (!run(loops_[number], w, t, y, yp, out)) return evaluation::refused;
        } else if (!holds(static_cast<index>(s.number), w, t, y, yp, out)) {
            return evaluation::refused;
        }
    }
    return evaluation::ok;
}

// ---- Straight code ----

bool instruction_list::holds(index number, double* w, double t, const double* y, const double* yp, double* out) const
{
    const auto& c = p_.conditions[number];
    const auto simple = [&](int x) { return x >= 0 ? w[x] : c_.value[~x]; };
    using general = execution<double, double>;
    if (c.before < 0 && c.sign != '&' && c.sign != '|' && c.sign != '~' && c.sign != 'c') return general::compared(c.sign, simple(c.a), simple(c.b));
    return general(p_, c_, t, y, yp, out, w, w + blocks_).holds(static_cast<int>(number));
}

void instruction_list::run(const region& other, double* w, double t, const double* y, const double* yp, double* out) const
{
    execution<double, double>(p_, c_, t, y, yp, out, w, w + blocks_).straight(other);
}

// Loops over a few instructions: what the compiler prepares for long ones takes longer than they.
#if defined(__GNUC__) && !defined(__clang__)
[[gnu::optimize("no-ivopts,no-tree-scev-cprop")]]
#endif
evaluation
instruction_list::run(const straight_list& list, double* w, double t, const double* y, const double* yp, double* out) const
{
    const index* x = list.words.data();
    const double* c = list.numbers.data();

#ifdef IVP_LIST_JUMPS
#define IVP_LIST_LABEL(name) &&label_##name,
    static const void* const labels[] = {IVP_LIST_OPERATIONS(IVP_LIST_LABEL)};
#undef IVP_LIST_LABEL
#define IVP_BEGIN goto* labels[*x];
#define IVP_CASE(name) label_##name
#define IVP_NEXT goto* labels[*x];
#define IVP_END
#else
#define IVP_BEGIN \
    for (;;) switch (static_cast<list_operation>(*x)) {
#define IVP_CASE(name) case list_operation::name
#define IVP_NEXT break;
#define IVP_END }
#endif
// All instructions of one kind, each with so many words and coefficients.
#define IVP_EACH(name, word_count, number_count, ...) \
    IVP_CASE(name) :                                  \
    {                                                 \
        index count = x[1];                           \
        x += 2;                                       \
        do {                                          \
            __VA_ARGS__;                              \
            x += (word_count);                        \
            c += (number_count);                      \
        } while (--count != 0);                       \
    }                                                 \
    IVP_NEXT
// NOLINTBEGIN(bugprone-macro-parentheses): n is part of a name, or a number
#define IVP_SUM(n)                                                                 \
    IVP_EACH(plain_##n, 1 + n, 0, w[x[0]] = plain_sum<n>(w, x + 1))                \
    IVP_EACH(row_plain_##n, 1 + n, 0, out[x[0]] = plain_sum<n>(w, x + 1))          \
    IVP_EACH(weighted_##n, 1 + n, n, w[x[0]] = weighted_sum<n>(w, c, x + 1))       \
    IVP_EACH(row_weighted_##n, 1 + n, n, out[x[0]] = weighted_sum<n>(w, c, x + 1)) \
    IVP_EACH(pack_##n, 4 + 4 * n, 4 * n, packed_sums<n>(w, c, x, w))               \
    IVP_EACH(row_pack_##n, 4 + 4 * n, 4 * n, packed_sums<n>(w, c, x, out))
    // NOLINTEND(bugprone-macro-parentheses)

    IVP_BEGIN
    IVP_CASE(end) : return evaluation::ok;
    IVP_EACH(copy, 0, 0, copy_few(y, copied_, w + states_))
    IVP_EACH(load_time, 1, 0, w[x[0]] = t)
    IVP_EACH(load_state, 2, 0, w[x[0]] = y[x[1]])
    IVP_EACH(load_rate, 2, 0, w[x[0]] = yp[x[1]])
    IVP_SUM(1)
    IVP_SUM(2)
    IVP_SUM(3)
    IVP_SUM(4)
    IVP_SUM(5)
    IVP_SUM(6)
    IVP_SUM(7)
    IVP_SUM(8)
    IVP_EACH(multiply, 3, 0, w[x[0]] = w[x[1]] * w[x[2]])
    IVP_EACH(row_multiply, 3, 0, out[x[0]] = w[x[1]] * w[x[2]])
    IVP_EACH(scale_two, 3, 1, w[x[0]] = c[0] * w[x[1]] * w[x[2]])
    IVP_EACH(row_scale_two, 3, 1, out[x[0]] = c[0] * w[x[1]] * w[x[2]])
    IVP_EACH(product, 4, 1, const double v = c[0] * w[x[2]] * w[x[3]]; w[x[0]] = v; w[x[1]] = -v)
    IVP_EACH(products, 9, 4, four_products(w, c, x))
    IVP_EACH(divide, 3, 0, w[x[0]] = w[x[1]] / w[x[2]])
    IVP_EACH(divide_number, 2, 1, w[x[0]] = c[0] / w[x[1]])
    IVP_EACH(divide_by_number, 2, 1, w[x[0]] = w[x[1]] / c[0])
    IVP_EACH(power, 3, 0, w[x[0]] = whole_power(w[x[1]], static_cast<int>(x[2])))
    IVP_EACH(root, 2, 0, w[x[0]] = std::sqrt(w[x[1]]))
    IVP_EACH(unary, 3, 0, w[x[0]] = unary_functions[x[2]](w[x[1]]))
    IVP_EACH(choose, 3, 0, (void)run(straight_[holds(x[0], w, t, y, yp, out) ? x[1] : x[2]], w, t, y, yp, out))
    IVP_EACH(other, 1, 0, run(list.others[x[0]], w, t, y, yp, out))
    IVP_END
}

// ---- Loops ----

namespace {

template <class Operation>
[[gnu::always_inline]] inline void along(double* __restrict to, const double* a, bool a_varies, const double* b, bool b_varies, int n,
                                         Operation operation)
{
    if (a_varies && b_varies) {
        for (int m = 0; m < n; ++m) to[m] = operation(a[m], b[m]);
    } else if (a_varies) {
        const double v = *b;
        for (int m = 0; m < n; ++m) to[m] = operation(a[m], v);
    } else if (b_varies) {
        const double v = *a;
        for (int m = 0; m < n; ++m) to[m] = operation(v, b[m]);
    } else {
        const double v = operation(*a, *b);
        for (int m = 0; m < n; ++m) to[m] = v;
    }
}

void gather(const double* from, int step, int n, double* __restrict to)
{
    if (step == 2)
        for (int m = 0; m < n; ++m) to[m] = from[2 * m];
    else
        for (int m = 0; m < n; ++m) to[m] = from[static_cast<std::ptrdiff_t>(m) * step];
}

void scatter(const double* from, int n, double* __restrict to, int step)
{
    for (int m = 0; m < n; ++m) to[static_cast<std::ptrdiff_t>(m) * step] = from[m];
}

void interleave(const double* a, const double* b, int n, double* __restrict to)
{
    for (int m = 0; m < n; ++m) {
        to[2 * m] = a[m];
        to[2 * m + 1] = b[m];
    }
}

/// a + c b, each a line or one number.
void add_scaled(double* __restrict to, const double* a, std::ptrdiff_t a_step, const double* b, std::ptrdiff_t b_step, const double* c,
                std::ptrdiff_t c_step, int n)
{
    if (a_step == 1 && b_step == 1 && c_step == 0) {
        const double v = *c;
        for (int m = 0; m < n; ++m) to[m] = a[m] + v * b[m];
    } else if (a_step == 1 && b_step == 1) {
        for (int m = 0; m < n; ++m) to[m] = a[m] + c[m] * b[m];
    } else {
        for (int m = 0; m < n; ++m) to[m] = a[m * a_step] + c[m * c_step] * b[m * b_step];
    }
}

} // namespace

bool instruction_list::run(const line_loop& list, double* w, double t, const double* y, const double* yp, double* out) const
{
    const loop& l = p_.loops[static_cast<std::size_t>(list.number)];
    execution<double, double> general(p_, c_, t, y, yp, out, w, w + blocks_);
    const double* const k = c_.value.data();
    for (long outer = 0; outer < l.outer; ++outer)
        for (long start = 0; start < l.inner; start += list.block) {
            const int n = static_cast<int>(std::min<long>(list.block, l.inner - start));
            general.enter(l, outer, start);
            const auto from = [&](const line_place& r) -> const double* {
                const std::ptrdiff_t at = r.first + outer * r.outer + start * r.inner;
                switch (r.in) {
                case space::block: return w + blocks_ + r.first;
                case space::states: return y + at;
                case space::rates: return yp + at;
                case space::constants: return k + at;
                default: return w + at;
                }
            };
            const auto target = [&](const line_place& r) -> double* {
                if (r.in == space::block) return w + blocks_ + r.first;
                return (r.in == space::rows ? out : w) + r.first + outer * r.outer + start * r.inner;
            };
            for (const auto& x : list.body) {
                const double* const a = from(x.a);
                const double* const b = from(x.b);
                const bool a_varies = x.a.inner != 0;
                const bool b_varies = x.b.inner != 0;
                switch (x.op) {
                case line_operation::move: along(target(x.to), a, a_varies, a, a_varies, n, [](double p, double) { return p; }); break;
                case line_operation::add: along(target(x.to), a, a_varies, b, b_varies, n, [](double p, double q) { return p + q; }); break;
                case line_operation::subtract: along(target(x.to), a, a_varies, b, b_varies, n, [](double p, double q) { return p - q; }); break;
                case line_operation::multiply: along(target(x.to), a, a_varies, b, b_varies, n, [](double p, double q) { return p * q; }); break;
                case line_operation::divide: along(target(x.to), a, a_varies, b, b_varies, n, [](double p, double q) { return p / q; }); break;
                case line_operation::add_scaled: add_scaled(target(x.to), a, x.a.inner, b, x.b.inner, from(x.c), x.c.inner, n); break;
                case line_operation::power:
                    along(target(x.to), a, a_varies, a, a_varies, n, [e = x.number](double p, double) { return whole_power(p, e); });
                    break;
                case line_operation::unary:
                    along(target(x.to), a, a_varies, a, a_varies, n,
                          [f = unary_functions[static_cast<std::size_t>(x.number)]](double p, double) { return f(p); });
                    break;
                case line_operation::binary:
                    along(target(x.to), a, a_varies, b, b_varies, n,
                          [f = static_cast<function>(x.number)](double p, double q) { return applied<double>(f, p, q); });
                    break;
                case line_operation::table:
                    along(target(x.to), a, a_varies, a, a_varies, n, [&](double p, double) { return general.from_table(x.number, p); });
                    break;
                case line_operation::gather: gather(a, x.a.inner, n + x.number, target(x.to)); break;
                case line_operation::scatter: scatter(a, n, target(x.to), x.to.inner); break;
                case line_operation::interleave: interleave(a, b, n, target(x.to)); break;
                case line_operation::general:
                    general.instruction(l.bodies[static_cast<std::size_t>(l.body)][static_cast<std::size_t>(x.number)], 0, n);
                    break;
                }
            }
            if (l.requirement >= 0)
                for (int m = 0; m < n; ++m)
                    if (!general.block_holds(l.requirement, m)) return false;
        }
    return true;
}

} // namespace ivp::text
