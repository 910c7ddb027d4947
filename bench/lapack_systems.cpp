#include "systems.hpp"

#include "linalg/lapack.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

using complex = std::complex<double>;

extern "C" {
void openblas_set_num_threads(int);
char* openblas_get_config();
}

namespace ivp::bench {

template <class S>
void lapack_system::fill(part<S>& p, const jacobian_matrix<double>& j, S shift) const
{
    const int n = shape_.n;
    p.given.assign(static_cast<std::size_t>(ld_) * n, S(0));
    p.factors = p.given;
    p.b.resize(n);
    p.pivots.resize(n);
    for (int col = 0; col < n; ++col)
        for (int row = 0; row < n; ++row) {
            if (shape_.band && (row - col > shape_.lower || col - row > shape_.upper)) continue;
            p.given[(shape_.band ? shape_.lower + shape_.upper + row - col : row) + static_cast<std::size_t>(col) * ld_] =
                (row == col ? shift : S(0)) - j.view().at(row, col);
        }
}

lapack_system::lapack_system(const shape& s, const jacobian_matrix<double>& j) : shape_(s), ld_(s.band ? 2 * s.lower + s.upper + 1 : s.n)
{
    if (s.numbers != number_kind::complex) fill(real_.emplace(), j, real_shift);
    if (s.numbers != number_kind::real) fill(complex_.emplace(), j, complex(complex_shift_used.re, complex_shift_used.im));
}

template <class S>
bool lapack_system::factor(part<S>& p)
{
    std::copy(p.given.begin(), p.given.end(), p.factors.begin());
    if (shape_.band) return lapack::gbtrf(shape_.n, shape_.lower, shape_.upper, p.factors.data(), p.pivots.data()) == 0;
    return lapack::getrf(shape_.n, p.factors.data(), p.pivots.data()) == 0;
}

template <class S>
void lapack_system::solve(part<S>& p)
{
    std::fill(p.b.begin(), p.b.end(), S(1));
    if (shape_.band)
        lapack::gbtrs(shape_.n, shape_.lower, shape_.upper, p.factors.data(), p.pivots.data(), p.b.data());
    else
        lapack::getrs(shape_.n, p.factors.data(), p.pivots.data(), p.b.data());
}

bool lapack_system::factor() { return (!real_ || factor(*real_)) && (!complex_ || factor(*complex_)); }

void lapack_system::solve()
{
    if (real_) solve(*real_);
    if (complex_) solve(*complex_);
}

std::string one_lapack_thread()
{
    openblas_set_num_threads(1);
    return openblas_get_config();
}

} // namespace ivp::bench
