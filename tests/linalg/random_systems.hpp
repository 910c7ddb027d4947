// Random systems c M − J for the tests of the linear algebra: fixed seed, the same with every standard library.
#ifndef IVP_TESTS_LINALG_RANDOM_SYSTEMS_HPP
#define IVP_TESTS_LINALG_RANDOM_SYSTEMS_HPP

#include "linalg/shifted_lu.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace ivp::testing_support {

inline std::mt19937_64 generator(20240607);

/// In [-1, 1), the same with every standard library. 24 bits only: c M − J is then exact in double for the shifts used here, so that there
/// is no doubt which system was to be solved.
inline double uniform() { return static_cast<double>(generator() >> 40) * 0x1p-23 - 1.0; }

inline std::vector<double> random_vector(int n)
{
    std::vector<double> v(n);
    for (double& x : v) x = uniform();
    return v;
}

template <class R>
void fill_random(const jacobian_matrix<R>& j, const structure& s)
{
    for (int col = 0; col < j.n(); ++col)
        for (int row = 0; row < j.n(); ++row)
            if (s.contains(row, col)) j.view().set(row, col, R(uniform()));
}

enum class mass_choice { identity, singular_diagonal, band, full };
inline constexpr std::array<mass_choice, 4> all_masses{mass_choice::identity, mass_choice::singular_diagonal, mass_choice::band, mass_choice::full};

/// lower and upper are the band of the iteration matrix (n − 1 for a full one), which the mass must not leave.
template <class R>
mass_matrix<R> random_mass(mass_choice kind, int n, int lower, int upper)
{
    const auto fill = [n](mass_matrix<R> m, int below, int above) {
        for (int j = 0; j < n; ++j)
            for (int i = std::max(0, j - above); i <= std::min(n - 1, j + below); ++i) m.set(i, j, R(uniform()));
        return m;
    };
    switch (kind) {
    case mass_choice::identity: return mass_matrix<R>::identity(n);
    case mass_choice::singular_diagonal: {
        std::vector<R> d(n);
        for (int i = 0; i < n; ++i) d[i] = i % 2 == 0 ? R(0) : R(uniform());
        return mass_matrix<R>::diagonal(d);
    }
    case mass_choice::band: {
        const int below = std::min({lower, n - 1, 2});
        const int above = std::min({upper, n - 1, 1});
        return fill(mass_matrix<R>::band(n, below, above), below, above);
    }
    case mass_choice::full: break;
    }
    return fill(mass_matrix<R>::full(n), n - 1, n - 1);
}

inline const std::vector<double> real_shifts{2.5, -0.75};
inline const std::vector<complex_shift<double>> complex_shifts{{1.5, 2.5}, {-0.25, 0.5}, {0.0, -3.0}};

inline std::string name_of(const structure& s, int n, mass_choice m)
{
    return "n " + std::to_string(n) + ", " + s.describe() + ", mass " + random_mass<double>(m, n, 1, 1).describe();
}

/// A well conditioned matrix with some zeros in its band.
inline jacobian_matrix<double> tame_jacobian(algebra path, const structure& s, int n)
{
    jacobian_matrix<double> j(path, s, n);
    for (int col = 0; col < n; ++col)
        for (int row = 0; row < n; ++row)
            if (s.contains(row, col)) j.view().set(row, col, row == col ? -4.0 : (row + 2 * col) % 3 == 0 ? 0.0 : 1.0);
    return j;
}

} // namespace ivp::testing_support

#endif
