// The three-stage Radau IIA method in the transformed form that RADAU5 iterates on.
//
// All numbers come from closed forms (Hairer & Wanner, Solving ODEs II, section IV.8); the test derives A from the nodes by
// collocation and checks T^-1 A^-1 T = diag(gamma, [alpha -beta; beta alpha]) to rounding.
#ifndef IVP_SOLVERS_RADAU5_COEFFICIENTS_HPP
#define IVP_SOLVERS_RADAU5_COEFFICIENTS_HPP

namespace ivp::solvers::radau5_method {

constexpr double sqrt6 = 2.449489742783178098197284;
constexpr double c1 = (4.0 - sqrt6) / 10.0;
constexpr double c2 = (4.0 + sqrt6) / 10.0;

// Eigenvalues of A^-1: one real, one complex pair.
constexpr double gamma = 3.637834252744495732208418513577776;
constexpr double alpha = 2.681082873627752133895790743211112;
constexpr double beta = 3.050430199247410569426377624787568;

// A^-1 = T Lambda T^-1; the third row of T is (t31, 1, 0).
constexpr double t11 = 0.091232394870892942792;
constexpr double t12 = -0.14125529502095420843;
constexpr double t13 = -0.030029194105147424492;
constexpr double t21 = 0.24171793270710701896;
constexpr double t22 = 0.20412935229379993199;
constexpr double t23 = 0.38294211275726193779;
constexpr double t31 = 0.96604818261509293619;

constexpr double ti11 = 4.3255798900631553510;
constexpr double ti12 = 0.33919925181580986954;
constexpr double ti13 = 0.54177053993587487119;
constexpr double ti21 = -4.1787185915519047273;
constexpr double ti22 = -0.32768282076106238708;
constexpr double ti23 = 0.47662355450055045196;
constexpr double ti31 = -0.50287263494578687595;
constexpr double ti32 = 2.5719269498556054292;
constexpr double ti33 = -0.59603920482822492497;

// Error estimate: minus the derivative at the start of the polynomial through 0, Z1, Z2, Z3.
constexpr double e1 = -(13.0 + 7.0 * sqrt6) / 3.0;
constexpr double e2 = (-13.0 + 7.0 * sqrt6) / 3.0;
constexpr double e3 = -1.0 / 3.0;

} // namespace ivp::solvers::radau5_method

#endif
