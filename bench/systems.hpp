// The linear systems of the kernel table: once for LAPACK, once for shifted_lu.
#ifndef IVP_BENCH_SYSTEMS_HPP
#define IVP_BENCH_SYSTEMS_HPP

#include "linalg/shifted_lu.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ivp::bench {

enum class number_kind { real, complex, pair };

/// One row of the table.
struct shape {
    int n;
    bool band;
    int lower;
    int upper;
    number_kind numbers;
};

constexpr double real_shift = 1.0;
constexpr complex_shift<double> complex_shift_used{1.0, 1.0};

/// J: random numbers, the diagonal enlarged so that exchanges of rows are rare (as in most integrations), or not at all.
class random_jacobian {
public:
    random_jacobian(const shape& s, bool exchanges)
        : structure_(s.band ? structure::band(s.lower, s.upper) : structure::full()),
          matrix_(s.band ? algebra::band : algebra::dense, structure_, s.n)
    {
        const double width = s.band ? s.lower + s.upper + 1 : s.n;
        for (int j = 0; j < s.n; ++j)
            for (int i = 0; i < s.n; ++i)
                if (structure_.contains(i, j)) matrix_.view().set(i, j, uniform() - (i == j && !exchanges ? 0.75 * width : 0.0));
    }
    [[nodiscard]] const jacobian_matrix<double>& matrix() const { return matrix_; }

private:
    double uniform() // in [−1, 1): splitmix64
    {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
    }

    std::uint64_t state_ = 20240607;
    structure structure_;
    jacobian_matrix<double> matrix_;
};

/// What is timed: both include the writing of the matrix and of the right-hand side.
class timed_system {
public:
    virtual ~timed_system() = default;
    [[nodiscard]] virtual bool factor() = 0;
    virtual void solve() = 0;
};

class own_system final : public timed_system {
public:
    own_system(int n, number_kind numbers, const jacobian_matrix<double>& j, mass_matrix<double> m)
        : reals_(numbers == number_kind::complex ? 0 : 1),
          complexes_(numbers == number_kind::real ? 0 : 1),
          mass_(std::move(m)),
          lu_(j, mass_, reals_, complexes_, count_)
    {
        for (auto& v : b_) v.resize(n);
    }
    [[nodiscard]] lu_events events() const { return lu_.events(); }
    bool factor() override
    {
        return lu_.factor({&real_shift, static_cast<std::size_t>(reals_)}, {&complex_shift_used, static_cast<std::size_t>(complexes_)});
    }
    void solve() override
    {
        std::array<double*, 3> b{b_[0].data(), b_[1].data(), b_[2].data()};
        for (int k = 0; k < reals_ + 2 * complexes_; ++k) std::fill(b_[k].begin(), b_[k].end(), 1.0);
        lu_.solve_all({b.data(), static_cast<std::size_t>(reals_ + 2 * complexes_)});
    }

private:
    int reals_;
    int complexes_;
    counters count_;
    mass_matrix<double> mass_;
    shifted_lu<double> lu_;
    std::array<std::vector<double>, 3> b_;
};

/// The same matrices with LAPACK's getrf and getrs, gbtrf and gbtrs.
class lapack_system final : public timed_system {
public:
    lapack_system(const shape& s, const jacobian_matrix<double>& j);
    bool factor() override;
    void solve() override;

private:
    template <class S>
    struct part {
        std::vector<S> given;
        std::vector<S> factors;
        std::vector<S> b;
        std::vector<int> pivots;
    };
    template <class S>
    void fill(part<S>& p, const jacobian_matrix<double>& j, S shift) const;
    template <class S>
    bool factor(part<S>& p);
    template <class S>
    void solve(part<S>& p);

    shape shape_;
    int ld_;
    std::optional<part<double>> real_;
    std::optional<part<std::complex<double>>> complex_;
};

/// LAPACK on one thread, and what it calls itself.
std::string one_lapack_thread();

} // namespace ivp::bench

#endif
