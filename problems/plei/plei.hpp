// Pleiades: seven stars in a plane (ODE, 28 equations, not stiff, autonomous).
//
//   x_i'' = sum over j != i of m_j (x_j - x_i) / r_ij^(3/2),   r_ij = (x_i - x_j)^2 + (y_i - y_j)^2        i = 1, ..., 7
//   y_i'' = sum over j != i of m_j (y_j - y_i) / r_ij^(3/2),   m_j = j
//
//   0 <= t <= 3,   as a first-order system for (x_1 .. x_7, y_1 .. y_7, x_1' .. x_7', y_1' .. y_7')
//   x(0) = (3, 3, -1, -3, 2, -2, 2),   x'(0) = (0, 0, 0, 0, 0, 1.75, -1.5)
//   y(0) = (3, -3, 2, 0, 0, -4, 4),    y'(0) = (0, 0, 0, -1.25, 1, 0, 0)
//
// Difficult because of six quasi-collisions: stars 1 and 7 pass at a distance of 0.033. Explicit methods are the cheapest.
// Origin: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I (1993). Chapter: chapter.md.
#ifndef IVP_PROBLEMS_PLEI_HPP
#define IVP_PROBLEMS_PLEI_HPP

#include <ivp/problem_of.hpp>

#include <array>
#include <string>

namespace ivp::problems {

template <class R>
struct plei {
    static constexpr int stars = 7;

    std::array<R, stars> m; ///< masses, times the gravitational constant

    explicit plei(const parameter_values& p)
    {
        for (int i = 0; i < stars; ++i) m[i] = p.get<R>(mass_name(i));
    }

    template <class T>
    void f(const T& /*t*/, const T* z, T* dzdt) const
    {
        using std::sqrt;
        const T* const x = z;
        const T* const y = z + stars;
        T* const ax = dzdt + 2 * stars;
        T* const ay = dzdt + 3 * stars;

        for (int i = 0; i < 2 * stars; ++i) {
            dzdt[i] = z[2 * stars + i];
            dzdt[2 * stars + i] = T(0);
        }
        for (int i = 0; i < stars; ++i)
            for (int j = i + 1; j < stars; ++j) { // each pair once: the two attract each other
                const T dx = x[j] - x[i];
                const T dy = y[j] - y[i];
                const T r = dx * dx + dy * dy;
                const T pull = 1 / (r * sqrt(r));
                const T px = pull * dx;
                const T py = pull * dy;
                ax[i] += m[j] * px;
                ay[i] += m[j] * py;
                ax[j] -= m[i] * px;
                ay[j] -= m[i] * py;
            }
    }

    /// By hand: each pair has three second derivatives of its potential, which eight entries share.
    void jacobian(const R& /*t*/, const R* z, const matrix_view<R>& out) const
    {
        using std::sqrt;
        const R* const x = z;
        const R* const y = z + stars;
        constexpr int vx = 2 * stars;
        constexpr int vy = 3 * stars;
        struct own_terms {
            R xx{}, xy{}, yy{};
            void subtract(const R& mass, const R& pxx, const R& pxy, const R& pyy)
            {
                xx -= mass * pxx;
                xy -= mass * pxy;
                yy -= mass * pyy;
            }
        };
        std::array<own_terms, stars> own; // a star feels its own place through all others
        const auto entry = out.entries();
        const auto set_block = [&](int of, int by, const R& xx, const R& xy, const R& yy) {
            entry(vx + of, by) = xx;
            entry(vx + of, stars + by) = xy;
            entry(vy + of, by) = xy;
            entry(vy + of, stars + by) = yy;
        };
        for (int i = 0; i < 2 * stars; ++i) entry(i, vx + i) = R(1);
        for (int i = 0; i < stars; ++i)
            for (int j = i + 1; j < stars; ++j) {
                const R dx = x[j] - x[i];
                const R dy = y[j] - y[i];
                const R r = dx * dx + dy * dy;
                const R pull = 1 / (r * sqrt(r));
                const R slope = -3 * pull / r;
                const R xx = pull + slope * dx * dx;
                const R xy = slope * dx * dy;
                const R yy = pull + slope * dy * dy;
                set_block(i, j, m[j] * xx, m[j] * xy, m[j] * yy);
                set_block(j, i, m[i] * xx, m[i] * xy, m[i] * yy);
                own[i].subtract(m[j], xx, xy, yy);
                own[j].subtract(m[i], xx, xy, yy);
            }
        for (int i = 0; i < stars; ++i) set_block(i, i, own[i].xx, own[i].xy, own[i].yy);
    }

    void initial(R* z) const
    {
        constexpr std::array start = {3., 3.,  -1., -3.,   2., -2.,  2.,   // x
                                      3., -3., 2.,  0.,    0., -4.,  4.,   // y
                                      0., 0.,  0.,  0.,    0., 1.75, -1.5, // x'
                                      0., 0.,  0.,  -1.25, 1., 0.,   0.};  // y'
        std::copy(start.begin(), start.end(), z);
    }

    static std::string mass_name(int i) { return numbered('m', i); }
    static std::string numbered(char letter, int i) { return std::string(1, letter) += std::to_string(i + 1); }

    static std::vector<parameter> parameters()
    {
        std::vector<parameter> list;
        for (int i = 0; i < stars; ++i)
            list.push_back({mass_name(i), i + 1, 0, "1e3", "mass of star " + std::to_string(i + 1) + ", with the gravitational constant 1 [-]"});
        return list;
    }

    static problem_info describe(const parameter_values& /*p*/)
    {
        problem_info i;
        i.id = "plei";
        i.title = "Pleiades";
        i.form = form::ode;
        i.n = 4 * stars;
        i.chain = {2 * stars, 2 * stars};
        i.t0 = 0;
        i.tend = 3;
        for (const char* const prime : {"", "'"})
            for (const char axis : {'x', 'y'})
                for (int k = 0; k < stars; ++k) i.component_names.push_back(numbered(axis, k) += prime);
        i.pictured = {1, 7}; // the closest encounter
        i.quantity_of_interest = "the positions of the seven stars at the end";
        i.contributor = "E. Messina, after E. Hairer, S. P. Norsett, G. Wanner (test set: CWI, 1998)";
        i.tags = {"mechanics", "astronomy", "non-stiff", "medium", "autonomous"};
        for (int k = 2 * stars + 1; k <= 4 * stars; ++k) i.accuracy.excluded.push_back(k); // the velocities
        i.protocol = {.ladder_start = 4, .ladder_per_decade = 4, .ladder_last = 24, .atol_per_rtol = 1, .h0_per_rtol = 1e-2};
        return i;
    }
};

} // namespace ivp::problems

#endif
