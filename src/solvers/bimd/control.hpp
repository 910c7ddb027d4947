// What BIMD decides by: the constants of each order, the measure of how the Jacobian changes, and the rules for new Jacobians and factors.
#ifndef IVP_SOLVERS_BIMD_CONTROL_HPP
#define IVP_SOLVERS_BIMD_CONTROL_HPP

#include "coefficients.hpp"

#include <ivp/evaluator.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace ivp::solvers::bimd_method {

/// The original's constant, not the machine's: it enters several limits.
constexpr double unit_roundoff = 1e-16;

struct level_constants {
    int iteration_limit;
    int error_solves; ///< linear systems of the error estimate
    // The iteration contracts like q·contraction for small q = h|λ| and like stiff_contraction/q for large q.
    double contraction;
    double stiff_contraction;
    // Error estimates: factors of the k-th difference for variables of index 1, of index 2 and of stiff components, of index 3.
    double main_error;
    double stiff_error;    ///< times γ
    double index_3_error;  ///< times γ²
    double index_rounding; ///< size of the rounding errors that limit the weights of index 2 (and squared, 3)
    // A Jacobian is kept if the iteration contracts faster than this …
    double fast;
    // … or if it has changed by less than this, relatively, in a stiff step, or in a step that is not.
    double stiff_drift;
    double drift;
    // Factors are kept for step ratios between these.
    double ratio_low;
    double ratio_high;
    // Contraction with the factors of another step size: coefficients of a quadratic model in the ratio.
    double model_1;
    double model_2;
    /// Order reduction is suspected if this many times the estimate of stiff components exceeds the main one.
    double recovery;
};

constexpr std::array<level_constants, level_count> constants{{
    {10, 2, 0.5021, 0.9201, 1.0 / 15, 1.0 / 4, 2.0 / 3, 16, 5e-3, 5e-2, 2e-2, 0.90, 1.10, -1.4487, 2.3593, 7},
    {12, 3, 0.8975, 1.2475, 4.0 / 45, 1.0 / 5, 5.0 / 6, 40, 4e-3, 4e-2, 1e-2, 0.91, 1.09, -1.4983, 3.1163, 6},
    {14, 3, 0.9178, 1.7294, 81.0 / 2800, 1.0 / 7, 7.0 / 10, 160, 3e-3, 3e-2, 1e-3, 0.92, 1.08, -1.4662, 3.5197, 5},
    {16, 3, 0.9287, 2.0414, 73.0 / 4619, 1.0 / 9, 761.0 / 1260, 900, 2e-3, 2e-2, 2e-4, 0.93, 1.07, -1.4290, 3.7538, 4},
    {18, 3, 0.9361, 2.2621, 62.0 / 9913, 1.0 / 11, 671.0 / 1260, 7000, 1e-3, 1e-2, 3e-5, 0.94, 1.06, -1.3964, 3.9104, 0},
}};

/// Factor of the estimate for a variable of this index: of the whole error, and of what stiff components contribute to it.
constexpr double main_factor(int level, double gamma, int index)
{
    const auto& c = constants[level];
    return index == 1 ? c.main_error : index == 2 ? gamma * c.stiff_error : gamma * gamma * c.index_3_error;
}
constexpr double stiff_factor(int level, double gamma, int index) { return main_factor(level, gamma, std::max(index, 2)); }

/// How the Jacobian changes along the solution, seen by one more evaluation of f a step: δ = (f(t, y + s d) − f(t, y))/s in a fixed direction d.
class jacobian_probe {
public:
    explicit jacobian_probe(int n) : direction_(n), at_(n), now_(n), kept_(n)
    {
        // Entries between one half and one, by the logistic map: no structure of a problem is orthogonal to them.
        double x = 0.3141592654;
        double largest = 0;
        for (double& d : direction_) {
            x = 4 * x * (1 - x);
            d = x < 0.5 ? x + 0.5 : x;
            largest = std::max(largest, d);
        }
        for (double& d : direction_) d /= largest;
    }

    evaluation measure(evaluator& e, double t, const double* y, const double* f)
    {
        double largest = 0;
        for (std::size_t i = 0; i < at_.size(); ++i) largest = std::max(largest, std::abs(y[i]));
        const double step = 1e-3 * (1 + largest);
        for (std::size_t i = 0; i < at_.size(); ++i) at_[i] = y[i] + direction_[i] * step;
        const evaluation answer = e.f(t, at_.data(), now_.data());
        size_before_ = size_;
        usable_now_ = answer == evaluation::ok;
        if (!usable_now_) return answer;
        const double inverse = 1 / step;
        size_ = 0;
        for (std::size_t i = 0; i < at_.size(); ++i) {
            now_[i] = (now_[i] - f[i]) * inverse;
            size_ = std::max(size_, std::abs(now_[i]));
        }
        return answer;
    }
    /// The Jacobian has been evaluated where δ was measured last.
    void keep()
    {
        kept_.swap(now_);
        size_before_ = size_;
        usable_kept_ = usable_now_;
    }

    [[nodiscard]] bool usable() const { return usable_now_ && usable_kept_; }
    [[nodiscard]] double size() const { return size_; }
    [[nodiscard]] double size_before() const { return size_before_; } ///< of the measurement before, or at the kept one
    /// Since the last keep().
    [[nodiscard]] double change() const
    {
        double largest = 0;
        for (std::size_t i = 0; i < now_.size(); ++i) largest = std::max(largest, std::abs(now_[i] - kept_[i]));
        return largest;
    }

private:
    std::vector<double> direction_, at_, now_, kept_;
    double size_ = 0;
    double size_before_ = 0;
    bool usable_now_ = false;
    bool usable_kept_ = false;
};

/// How the last accepted block was computed.
struct block_report {
    double h = 0;
    int iterations = 0;
    double contraction = 0;
    bool stiff = false; ///< stiff components dominate the error estimate
};

/// How a block was computed that was the first with a Jacobian, or with factors.
struct matrix_record {
    double h = 1;
    double contraction = 0;
    bool stiff = false;

    void set(const block_report& b)
    {
        h = b.h;
        contraction = b.iterations <= 1 ? 1.0 : b.contraction;
        stiff = b.stiff;
    }
};

/// After an accepted block of the same order, whose start was extrapolated: is the kept Jacobian too old?
/// probe: null where changes are not measured.
inline bool needs_jacobian(int level, const block_report& last, const matrix_record& jacobian, const jacobian_probe* probe)
{
    const auto& c = constants[level];
    if (last.contraction < c.fast || last.iterations < 3) return false;
    if (probe == nullptr) return true;
    if (last.contraction >= 5e-2 && last.iterations >= 4) return true;
    const double change = probe->change();
    if (last.stiff) return !(change <= c.stiff_drift * probe->size_before());
    return jacobian.stiff || !(jacobian.contraction < 1 && jacobian.h * change <= c.drift * jacobian.contraction / c.contraction);
}

/// After an accepted block of the same order, with the Jacobian kept: are the factors too far from those of the step size h?
inline bool needs_factors(int level, int n, double h, const block_report& last, const matrix_record& factors)
{
    const auto& c = constants[level];
    const int k = points[level];
    const double ratio = h / factors.h;
    if (last.contraction > 5e-2 && last.iterations >= 4) return true;
    if (last.stiff) return std::abs(ratio - 1) > c.stiff_drift;
    if (ratio > c.ratio_high || ratio < c.ratio_low || factors.stiff || factors.contraction >= 1) return true;
    if (ratio >= 1 || last.iterations == 1) return false;
    // Is the iteration with the old factors so much slower that new ones cost less?
    const double iterations = last.iterations * std::log(last.contraction) / std::log(last.contraction * h / last.h);
    const double alpha = n / (6.0 * k * iterations) + 1;
    const double gamma = with_level(level, []<int L>() { return formula_of_level<L>.gamma; });
    const double w = c.contraction / (gamma * factors.contraction) * std::pow(c.ratio_low * factors.contraction, 1 / alpha);
    const double discriminant = c.model_1 * c.model_1 - (c.model_2 - w * w);
    return ratio < (discriminant >= 0 ? -(c.model_1 + std::sqrt(discriminant)) : 1.0);
}

/// Contractions of each level: above the first the order is too high, below the second a higher one may pay.
struct contraction_limits {
    std::array<double, level_count> too_slow{};
    std::array<double, level_count> fast_enough{};

    explicit contraction_limits(double rtol)
    {
        too_slow[0] = 0.5;
        fast_enough[0] = 1e-2 * std::abs(std::log10(std::min(rtol, 0.1)));
        for (int l = 1; l < level_count; ++l) {
            const double exponent = static_cast<double>(points[l]) / points[l - 1];
            too_slow[l] = std::pow(too_slow[l - 1], exponent);
            fast_enough[l] = std::pow(fast_enough[l - 1], exponent);
        }
    }
};

} // namespace ivp::solvers::bimd_method

#endif
