// The formulas of one step: corrector polynomial and error constants of Adams and BDF methods with variable coefficients, from the
// order q, the step size h and the step sizes before it. Where they come from: vode.md.
#ifndef IVP_SOLVERS_VODE_FORMULA_HPP
#define IVP_SOLVERS_VODE_FORMULA_HPP

#include <array>
#include <cmath>

namespace ivp::solvers::vode_method {

enum class family { bdf, adams };

constexpr int highest_order(family f) { return f == family::bdf ? 5 : 12; }

constexpr int coefficient_count = 14; // of a polynomial: one more than order 12 needs, for the order above
using coefficients = std::array<double, coefficient_count>;
using step_sizes = std::array<double, coefficient_count>; // of the steps before, the last one first

struct formula {
    coefficients l{};      ///< z_j is corrected by l_j e, where e = y − prediction
    double same = 0;       ///< ‖e‖ / same estimates the error
    double lower = 0;      ///< ‖z_q‖ / lower that of order q − 1
    double higher = 0;     ///< ‖e − c e_before‖ / higher that of order q + 1
    double correction = 0; ///< relates e to h^(q+1) y^(q+1); c is a ratio of two of them
};

/// p(x) times (1 + root x), where p has the degree given.
inline void multiply_by_factor(coefficients& p, int degree, double root)
{
    for (int i = degree + 1; i >= 1; --i) p[i] += p[i - 1] * root;
}

/// Integral of x^k p(x) over −1 … 0, up to the sign (−1)^k.
inline double moment(const coefficients& p, int degree, int k)
{
    double sum = 0;
    double sign = 1;
    for (int i = 0; i <= degree; ++i) {
        sum += sign * p[i] / (i + 1 + k);
        sign = -sign;
    }
    return sum;
}

/// neighbours: also the constants of the orders q − 1 and q + 1. The order is known to the compiler, because this is done in most steps.
template <int q>
void set_bdf_formula(formula& f, double h, const step_sizes& before, bool neighbours)
{
    f.l[0] = f.l[1] = 1;
    for (int i = 2; i <= q; ++i) f.l[i] = 0;
    double alpha0 = -1;
    double alpha0_hat = -1;
    double span = h; // back to the oldest point so far
    double inverse_xi = 1;
    double inverse_xi_star = 1;
    if constexpr (q > 1) {
        for (int j = 1; j <= q - 2; ++j) {
            span += before[j - 1];
            alpha0 -= 1.0 / (j + 1);
            multiply_by_factor(f.l, j, h / span);
        }
        alpha0 -= 1.0 / q;
        inverse_xi_star = -f.l[1] - alpha0;
        span += before[q - 2];
        inverse_xi = h / span;
        alpha0_hat = -f.l[1] - inverse_xi;
        multiply_by_factor(f.l, q - 1, inverse_xi_star);
    }
    const double t1 = 1 - alpha0_hat + alpha0;
    const double t2 = 1 + q * t1;
    f.same = std::abs(alpha0 * t2 / t1);
    f.correction = std::abs(t2 / (f.l[q] * inverse_xi / inverse_xi_star));
    if (!neighbours) return;

    const double t3 = alpha0 + 1.0 / q;
    const double t4 = alpha0_hat + inverse_xi;
    f.lower = std::abs(t3 / (1 - t4 + t3) / (inverse_xi_star / f.l[q]));
    inverse_xi = h / (span + before[q - 1]);
    const double t5 = alpha0 - 1.0 / (q + 1);
    const double t6 = alpha0_hat - inverse_xi;
    f.higher = std::abs(t2 / (1 - t6 + t5) * inverse_xi * (q + 2) * t5);
}

inline void set_adams_formula(formula& f, int q, double h, const step_sizes& before, bool neighbours)
{
    f.l[0] = f.l[1] = 1;
    if (q == 1) {
        f.same = 2;
        f.lower = 1;
        f.higher = 12;
        f.correction = 1;
        return;
    }
    coefficients p{1}; // product of the factors 1 + x / xi_i, of which the corrector polynomial is the integral
    double span = h;
    for (int j = 1; j <= q - 1; ++j) {
        if (j == q - 1 && neighbours) f.lower = p[q - 2] / (q * moment(p, q - 2, 1));
        multiply_by_factor(p, j - 1, h / span);
        span += before[j - 1];
    }
    const double integral = moment(p, q - 1, 0);
    const double first_moment = moment(p, q - 1, 1);
    const double scale = 1 / integral;
    for (int i = 1; i <= q; ++i) f.l[i] = scale * p[i - 1] / i;
    const double xi = span / h;
    f.same = xi * integral / first_moment;
    f.correction = xi / f.l[q];
    if (!neighbours) return;

    multiply_by_factor(p, q - 1, 1 / xi);
    f.higher = (q + 1) * integral / moment(p, q, 1);
}

inline void set_formula(formula& f, family kind, int q, double h, const step_sizes& before, bool neighbours)
{
    if (kind == family::adams) return set_adams_formula(f, q, h, before, neighbours);
    switch (q) {
    case 1: return set_bdf_formula<1>(f, h, before, neighbours);
    case 2: return set_bdf_formula<2>(f, h, before, neighbours);
    case 3: return set_bdf_formula<3>(f, h, before, neighbours);
    case 4: return set_bdf_formula<4>(f, h, before, neighbours);
    default: return set_bdf_formula<5>(f, h, before, neighbours);
    }
}

/// p(x) times (x + root), where p has the degree given.
inline void multiply_by_root(coefficients& p, int degree, double root)
{
    for (int i = degree + 1; i >= 1; --i) p[i] = p[i] * root + p[i - 1];
    p[0] *= root;
}

/// When the order q is lowered, z_j loses c_j z_q, j = 2 … q − 1: the polynomial then misses its oldest condition.
inline coefficients lowering_coefficients(family kind, int q, double h, const step_sizes& before)
{
    coefficients p{};
    p[kind == family::bdf ? 2 : 1] = 1;
    int degree = kind == family::bdf ? 2 : 1;
    double span = 0;
    for (int j = 1; j <= q - 2; ++j) {
        span += before[j - 1];
        multiply_by_root(p, degree++, span / h);
    }
    if (kind == family::bdf) return p;
    // NOTE: the integral would be q p[j - 1] / j. The original integrates in place and meets coefficients that it has replaced before; this
    // is kept, because its counts depend on it. Steps and accuracy hardly do.
    coefficients c{};
    c[1] = p[1];
    for (int j = 2; j <= q - 1; ++j) c[j] = q * c[j - 1] / j;
    return c;
}

struct raising {
    coefficients c{};  ///< z_j gains c_j z_(q+1), j = 2 … q
    double column = 0; ///< z_(q+1) = column · e
};

/// When the order q of a BDF method is raised; the polynomial then also meets the point before its oldest. (Adams: z_(q+1) = 0.)
inline raising raising_coefficients(int q, double h, const step_sizes& before)
{
    raising r;
    r.c[2] = 1;
    double alpha0 = -1;
    double alpha1 = 1;
    double product = 1;
    double xi_before = 1;
    double span = h;
    for (int j = 1; j <= q - 1; ++j) {
        span += before[j];
        const double xi = span / h;
        product *= xi;
        alpha0 -= 1.0 / (j + 1);
        alpha1 += 1 / xi;
        multiply_by_root(r.c, j + 1, xi_before);
        xi_before = xi;
    }
    r.column = (-alpha0 - alpha1) / product;
    return r;
}

} // namespace ivp::solvers::vode_method

#endif
