// Enright's second derivative formulas of orders k + 2, k = 1 … 7, and the explicit ones that predict for them. The test checks all conditions for
// the order, and the error constants.
//
//   corrector  y_{n+1} = y_n + h Σ_{j=1}^{k+1} β_j f_{n-k+j} + h² γ y''_{n+1}
//   predictor  y_{n+1} = y_n + h Σ_{j=1}^{k+1} β_j f_{n-k-1+j} + h² γ y''_n
//
// The error of a formula is constant · h^{k+3} y^{(k+3)}.
#ifndef IVP_SOLVERS_SECDER_COEFFICIENTS_HPP
#define IVP_SOLVERS_SECDER_COEFFICIENTS_HPP

#include <array>

namespace ivp::solvers::secder_formulas {

constexpr int most_steps = 7; ///< largest k

template <class Real>
struct formula {
    std::array<Real, most_steps + 1> slopes; ///< β_1 … β_{k+1}
    Real second;                             ///< γ
    Real constant;
};

template <class Real>
struct pair {
    formula<Real> corrector;
    formula<Real> predictor;
};

constexpr std::array<pair<double>, most_steps> pairs{{
    {{{1.0 / 3, 2.0 / 3}, -1.0 / 6, 1.0 / 72}, {{1.0 / 3, 2.0 / 3}, 5.0 / 6, 7.0 / 72}},
    {{{-1.0 / 48, 5.0 / 12, 29.0 / 48}, -1.0 / 8, 7.0 / 1440}, {{-7.0 / 48, 11.0 / 12, 11.0 / 48}, 9.0 / 8, 97.0 / 1440}},
    {{{7.0 / 1080, -1.0 / 20, 19.0 / 40, 307.0 / 540}, -19.0 / 180, 17.0 / 7200},
     {{97.0 / 1080, -11.0 / 20, 69.0 / 40, -143.0 / 540}, 251.0 / 180, 367.0 / 7200}},
    {{{-17.0 / 5760, 1.0 / 45, -41.0 / 480, 47.0 / 90, 3133.0 / 5760}, -3.0 / 32, 41.0 / 30240},
     {{-367.0 / 5760, 58.0 / 135, -631.0 / 480, 247.0 / 90, -13751.0 / 17280}, 475.0 / 288, 1231.0 / 30240}},
    {{{41.0 / 25200, -529.0 / 40320, 373.0 / 7560, -1271.0 / 10080, 2837.0 / 5040, 317731.0 / 604800}, -863.0 / 10080, 731.0 / 846720},
     {{1231.0 / 25200, -14879.0 / 40320, 9403.0 / 7560, -25561.0 / 10080, 19987.0 / 5040, -818579.0 / 604800}, 19087.0 / 10080, 28549.0 / 846720}},
    {{{-731.0 / 725760, 179.0 / 20160, -5771.0 / 161280, 8131.0 / 90720, -13823.0 / 80640, 12079.0 / 20160, 247021.0 / 483840},
      -275.0 / 3456,
      8563.0 / 14515200},
     {{-28549.0 / 725760, 33473.0 / 100800, -202261.0 / 161280, 255581.0 / 90720, -347233.0 / 80640, 108497.0 / 20160, -1557739.0 / 806400},
      36799.0 / 17280,
      416173.0 / 14515200}},
    {{{8563.0 / 12700800, -35453.0 / 5443200, 86791.0 / 3024000, -2797.0 / 36288, 157513.0 / 1088640, -133643.0 / 604800, 1147051.0 / 1814400,
       1758023.0 / 3528000},
      -33953.0 / 453600,
      27719.0 / 65318400},
     {{416173.0 / 12700800, -1670723.0 / 5443200, 3917401.0 / 3024000, -118339.0 / 36288, 5980183.0 / 1088640, -4060853.0 / 604800,
       12677941.0 / 1814400, -26739941.0 / 10584000},
      1070017.0 / 453600,
      324901.0 / 13063680}},
}};

/// The same, each number rounded to Real.
template <class Real>
constexpr std::array<pair<Real>, most_steps> rounded_pairs = [] {
    const auto rounded = [](const formula<double>& f) {
        formula<Real> r{};
        for (std::size_t j = 0; j < r.slopes.size(); ++j) r.slopes[j] = static_cast<Real>(f.slopes[j]);
        r.second = static_cast<Real>(f.second);
        r.constant = static_cast<Real>(f.constant);
        return r;
    };
    std::array<pair<Real>, most_steps> all{};
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = {rounded(pairs[k].corrector), rounded(pairs[k].predictor)};
    return all;
}();

/// k = 1 … 7
template <class Real = double>
constexpr const pair<Real>& of_steps(int k)
{
    return rounded_pairs<Real>[static_cast<std::size_t>(k - 1)];
}
/// The estimate of the corrector's error is this times the difference between predictor and corrector (Milne's device).
template <class Real = double>
constexpr Real milne_factor(int k)
{
    const pair<Real>& p = of_steps<Real>(k);
    return p.corrector.constant / (p.predictor.constant - p.corrector.constant);
}

} // namespace ivp::solvers::secder_formulas

#endif
