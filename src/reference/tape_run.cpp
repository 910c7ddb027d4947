#include "tape_run.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace ivp::reference {

namespace {

/// `x(i)` is the value of entry i.
template <class Entry, class N, class Values>
N value_at(const Entry& e, const N& t, const Values& x)
{
    switch (e.what) {
    case operation::time: return t;
    case operation::add: return x(e.a) + x(e.b);
    case operation::subtract: return x(e.a) - x(e.b);
    case operation::multiply: return x(e.a) * x(e.b);
    case operation::divide: return x(e.a) / x(e.b);
    case operation::shift: return x(e.a) + e.c;
    case operation::scale: return e.c * x(e.a);
    case operation::over: return e.c / x(e.a);
    case operation::exp: return exp(x(e.a));
    case operation::log: return log(x(e.a));
    case operation::sqrt: return sqrt(x(e.a));
    case operation::sin: return sin(x(e.a));
    case operation::cos: return cos(x(e.a));
    case operation::sinh: return sinh(x(e.a));
    case operation::cosh: return cosh(x(e.a));
    case operation::atan: return atan(x(e.a));
    case operation::asin: return asin(x(e.a));
    case operation::acos: return acos(x(e.a));
    case operation::power: return pow(x(e.a), e.c);
    default: return e.c; // a constant; a tape of M y' = f has no derivatives
    }
}

/// d(entry)/d(a), for functions of one argument.
template <class F, class N>
N slope_at(const F& f, std::size_t k, const std::vector<N>& x)
{
    const auto& e = f.entries[k];
    switch (e.what) {
    case operation::over: return -x[k] / x[e.a];
    case operation::exp: return x[k];
    case operation::log: return N(1) / x[e.a];
    case operation::sqrt: return N(1) / (N(2) * x[k]);
    case operation::sin: return x[k + 1];
    case operation::cos: return -x[k - 1];
    case operation::sinh: return x[k + 1];
    case operation::cosh: return x[k - 1];
    case operation::atan:
    case operation::asin:
    case operation::acos: return N(1) / x[e.b];
    case operation::power: return e.c * x[k] / x[e.a];
    default: return N(0);
    }
}

/// The sum of term(i), i = from .. to. Each addition of sums of two doubles waits for the one before it: four partial sums do not.
template <class N, class Term>
N added(int from, int to, const Term& term)
{
    N sum = 0;
    int i = from;
    if constexpr (std::is_same_v<N, double2>) {
        N second = 0, third = 0, fourth = 0;
        for (; i + 3 <= to; i += 4) {
            sum += term(i);
            second += term(i + 1);
            third += term(i + 2);
            fourth += term(i + 3);
        }
        sum = (sum + second) + (third + fourth);
    }
    for (; i <= to; ++i) sum += term(i);
    return sum;
}

} // namespace

template <class F, class N>
void evaluate(const F& f, const N& t, const N* y, std::vector<N>& value)
{
    value.resize(f.entries.size());
    const auto x = [&value](int entry) -> const N& { return value[entry]; };
    for (std::size_t k = 0; k < f.entries.size(); ++k) {
        const auto& e = f.entries[k];
        value[k] = e.what == operation::variable ? y[e.a] : value_at(e, t, x);
    }
}

template <class F, class N>
void evaluate_sizes(const F& f, const std::vector<N>& value, const N* size, std::vector<N>& out)
{
    out.resize(f.entries.size());
    for (std::size_t k = 0; k < f.entries.size(); ++k) {
        const auto& e = f.entries[k];
        switch (e.what) {
        case operation::constant:
        case operation::time: out[k] = abs(value[k]); break;
        case operation::variable: out[k] = size[e.a]; break;
        case operation::derivative: out[k] = 0; break;
        case operation::add:
        case operation::subtract: out[k] = out[e.a] + out[e.b]; break;
        case operation::multiply: out[k] = out[e.a] * abs(value[e.b]) + out[e.b] * abs(value[e.a]); break;
        case operation::divide: out[k] = (out[e.a] + out[e.b] * abs(value[k])) / abs(value[e.b]); break;
        case operation::shift: out[k] = out[e.a] + abs(e.c); break;
        case operation::scale: out[k] = out[e.a] * abs(e.c); break;
        default: out[k] = abs(slope_at(f, k, value)) * out[e.a] + abs(value[k]);
        }
    }
}

template <class F, class N>
void evaluate_derivative(const F& f, const std::vector<N>& value, int j, std::vector<N>& work, N* column)
{
    work.resize(f.entries.size());
    const N zero = 0;
    for (std::size_t k = 0; k < f.entries.size(); ++k) {
        const auto& e = f.entries[k];
        N& d = work[k];
        switch (e.what) {
        case operation::constant:
        case operation::time:
        case operation::derivative: d = zero; break;
        case operation::variable: d = N(e.a == j ? 1 : 0); break;
        case operation::add: d = work[e.a] + work[e.b]; break;
        case operation::subtract: d = work[e.a] - work[e.b]; break;
        case operation::multiply:
            d = zero;
            if (!(work[e.a] == zero)) d += work[e.a] * value[e.b];
            if (!(work[e.b] == zero)) d += work[e.b] * value[e.a];
            break;
        case operation::divide: d = work[e.a] == zero && work[e.b] == zero ? zero : (work[e.a] - work[e.b] * value[k]) / value[e.b]; break;
        case operation::shift: d = work[e.a]; break;
        case operation::scale: d = work[e.a] == zero ? zero : work[e.a] * e.c; break;
        default: d = work[e.a] == zero ? zero : work[e.a] * slope_at(f, k, value);
        }
    }
    for (std::size_t i = 0; i < f.output.size(); ++i) column[i] = work[f.output[i]];
}

template <class N>
series_run<N>::series_run(const tape_in<N>& f, int orders) : f_(f), stride_(orders + 1), x_(f.entries.size() * (orders + 1))
{}

template <class N>
void series_run<N>::compute(int k, const N* variable)
{
    const int count = static_cast<int>(f_.entries.size());
    for (int entry = 0; entry < count; ++entry) k == 0 ? first(entry, variable) : next(entry, k, variable);
}

template <class N>
void series_run<N>::first(int entry, const N* variable)
{
    const auto& e = f_.entries[entry];
    *row(entry) = e.what == operation::variable ? variable[static_cast<std::size_t>(e.a) * stride_]
                                                : value_at(e, t_, [this](int other) -> const N& { return at(other, 0); });
}

template <class N>
void series_run<N>::next(int entry, int k, const N* variable)
{
    const auto& e = f_.entries[entry];
    const N* const a = e.a < 0 || e.what == operation::variable ? nullptr : row(e.a);
    const N* const b = e.b < 0 ? nullptr : row(e.b);
    N* const x = row(entry);
    // NOLINTBEGIN(clang-analyzer-core.NonNullParamChecker): an operation has the arguments that it needs
    /// sum over i = from .. to of u_i v_(k-i)
    const auto convolution = [k](const N* u, const N* v, int from, int to) { return added<N>(from, to, [=](int i) { return u[i] * v[k - i]; }); };
    /// sum over i = 1 .. to of i u_i v_(k-i)
    const auto weighted = [k](const N* u, const N* v, int to) { return added<N>(1, to, [=](int i) { return N(i) * u[i] * v[k - i]; }); };
    switch (e.what) {
    case operation::constant:
    case operation::derivative: x[k] = 0; break;
    case operation::time: x[k] = N(k == 1 ? 1 : 0); break;
    case operation::variable: x[k] = variable[static_cast<std::size_t>(e.a) * stride_ + k]; break;
    case operation::add: x[k] = a[k] + b[k]; break;
    case operation::subtract: x[k] = a[k] - b[k]; break;
    case operation::multiply: x[k] = convolution(a, b, 0, k); break;
    case operation::divide: x[k] = (a[k] - convolution(x, b, 0, k - 1)) / b[0]; break;
    case operation::shift: x[k] = a[k]; break;
    case operation::scale: x[k] = e.c * a[k]; break;
    case operation::over: x[k] = -convolution(x, a, 0, k - 1) / a[0]; break;
    case operation::exp: x[k] = weighted(a, x, k) / N(k); break;
    case operation::log: x[k] = (a[k] - weighted(x, a, k - 1) / N(k)) / a[0]; break;
    case operation::sqrt: x[k] = (a[k] - convolution(x, x, 1, k - 1)) / (N(2) * x[0]); break;
    // A sine and its cosine need the coefficients of each other below k only.
    case operation::sin: x[k] = weighted(a, row(entry + 1), k) / N(k); break;
    case operation::cos: x[k] = -weighted(a, row(entry - 1), k) / N(k); break;
    case operation::sinh: x[k] = weighted(a, row(entry + 1), k) / N(k); break;
    case operation::cosh: x[k] = weighted(a, row(entry - 1), k) / N(k); break;
    case operation::atan:
    case operation::asin:
    case operation::acos: x[k] = (a[k] - weighted(x, b, k - 1) / N(k)) / b[0]; break; // x' b = a'
    case operation::power: {                                                          // a x' = c a' x
        const N sum = added<N>(1, k, [&](int i) { return (e.c * N(i) - N(k - i)) * a[i] * x[k - i]; });
        x[k] = sum / (N(k) * a[0]);
        break;
    }
    case operation::tanh:
    case operation::floor:
    case operation::sides:
    case operation::choose: throw std::logic_error("a tape of the whole formula has no power series");
    }
    // NOLINTEND(clang-analyzer-core.NonNullParamChecker)
}

// NOLINTBEGIN(bugprone-macro-parentheses): F is a type
#define IVP_TAPE_RUN(F, N)                                                                          \
    template void evaluate<F, N>(const F&, const N&, const N*, std::vector<N>&);                    \
    template void evaluate_sizes<F, N>(const F&, const std::vector<N>&, const N*, std::vector<N>&); \
    template void evaluate_derivative<F, N>(const F&, const std::vector<N>&, int, std::vector<N>&, N*);
// NOLINTEND(bugprone-macro-parentheses)
IVP_TAPE_RUN(tape, quad)
IVP_TAPE_RUN(tape_in<quad>, quad)
IVP_TAPE_RUN(tape_in<double2>, double2)
IVP_TAPE_RUN(tape_in<quad2>, quad2)
#undef IVP_TAPE_RUN
template class series_run<quad>;
template class series_run<double2>;
template class series_run<quad2>;

} // namespace ivp::reference
