// slope_history: f at the last points of an equidistant mesh, with y'' at the newest one.
#ifndef IVP_SOLVERS_SECDER_SLOPE_HISTORY_HPP
#define IVP_SOLVERS_SECDER_SLOPE_HISTORY_HPP

#include "coefficients.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace ivp::solvers {

template <class Real = double>
class slope_history {
public:
    static constexpr int length = secder_formulas::most_steps + 1;

    explicit slope_history(int n) : second_(n)
    {
        for (auto& s : slope_) s.resize(n);
    }

    /// f at the point `back` steps before the newest.
    [[nodiscard]] Real* slope(int back) { return slope_[back].data(); }
    [[nodiscard]] const Real* slope(int back) const { return slope_[back].data(); }
    [[nodiscard]] Real* second() { return second_.data(); } ///< y'' at the newest point
    [[nodiscard]] const Real* second() const { return second_.data(); }

    /// A new point; the vectors given are exchanged for old ones.
    void append(std::vector<Real>& slope, std::vector<Real>& second)
    {
        std::rotate(slope_.begin(), slope_.end() - 1, slope_.end());
        slope_[0].swap(slope);
        second_.swap(second);
    }

    /// Moves the k older points from steps of size h to steps of size h_new. The values come from the polynomial through k + 1 points and y'' at the
    /// newest, in terms of backward differences ∇^j f at the newest point:
    ///   f(−m r) = Σ_{j=0}^{k} c_j(m) ∇^j f + c_{k+1}(m) (h y'' − Σ_{j=1}^{k} ∇^j f / j),   r = h_new/h,   c_j(m) = Π_{i=1}^{j} −(m r + 1 − i)/i,
    /// where the last one has no division by k + 1.
    void respace(int k, Real h, Real h_new)
    {
        const Real ratio = h_new / h;
        std::array<std::array<Real, length + 1>, length> factor;
        for (int m = 1; m <= k; ++m) {
            const Real s = m * ratio;
            Real c = 1;
            for (int j = 1; j <= k; ++j) {
                c = -c * (s + 1 - j) * (Real(1) / j);
                factor[m - 1][j] = c;
            }
            factor[m - 1][k + 1] = -c * (s - k);
        }
        const int n = static_cast<int>(second_.size());
        for (int i = 0; i < n; ++i) {
            std::array<Real, length> d; // d[j] = ∇^j f
            for (int j = 0; j <= k; ++j) d[j] = slope_[j][i];
            for (int j = 1; j <= k; ++j)
                for (int l = k; l >= j; --l) d[l] = d[l - 1] - d[l];
            Real rest = h * second_[i];
            for (int j = 1; j <= k; ++j) rest -= Real(1) / j * d[j];
            for (int m = 1; m <= k; ++m) {
                Real value = d[0] + factor[m - 1][k + 1] * rest;
                for (int j = 1; j <= k; ++j) value += factor[m - 1][j] * d[j];
                slope_[m][i] = value;
            }
        }
    }

private:
    std::array<std::vector<Real>, length> slope_; // the newest first
    std::vector<Real> second_;
};

} // namespace ivp::solvers

#endif
