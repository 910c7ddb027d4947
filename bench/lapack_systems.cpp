#include "systems.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

using complex = std::complex<double>;

extern "C" {
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dgetrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*, const int*, int*, std::size_t);
void zgetrf_(const int*, const int*, complex*, const int*, int*, int*);
void zgetrs_(const char*, const int*, const int*, const complex*, const int*, const int*, complex*, const int*, int*, std::size_t);
void dgbtrf_(const int*, const int*, const int*, const int*, double*, const int*, int*, int*);
void dgbtrs_(const char*, const int*, const int*, const int*, const int*, const double*, const int*, const int*, double*, const int*, int*,
             std::size_t);
void zgbtrf_(const int*, const int*, const int*, const int*, complex*, const int*, int*, int*);
void zgbtrs_(const char*, const int*, const int*, const int*, const int*, const complex*, const int*, const int*, complex*, const int*, int*,
             std::size_t);
void openblas_set_num_threads(int);
char* openblas_get_config();
}

namespace ivp::bench {

namespace {

void getrf(int n, double* a, int* p, int& info) { dgetrf_(&n, &n, a, &n, p, &info); }
void getrf(int n, complex* a, int* p, int& info) { zgetrf_(&n, &n, a, &n, p, &info); }
void gbtrf(int n, int l, int u, double* a, int ld, int* p, int& info) { dgbtrf_(&n, &n, &l, &u, a, &ld, p, &info); }
void gbtrf(int n, int l, int u, complex* a, int ld, int* p, int& info) { zgbtrf_(&n, &n, &l, &u, a, &ld, p, &info); }

constexpr int one = 1;

void getrs(int n, const double* a, const int* p, double* b, int& info) { dgetrs_("N", &n, &one, a, &n, p, b, &n, &info, 1); }
void getrs(int n, const complex* a, const int* p, complex* b, int& info) { zgetrs_("N", &n, &one, a, &n, p, b, &n, &info, 1); }
void gbtrs(int n, int l, int u, const double* a, int ld, const int* p, double* b, int& info)
{
    dgbtrs_("N", &n, &l, &u, &one, a, &ld, p, b, &n, &info, 1);
}
void gbtrs(int n, int l, int u, const complex* a, int ld, const int* p, complex* b, int& info)
{
    zgbtrs_("N", &n, &l, &u, &one, a, &ld, p, b, &n, &info, 1);
}

} // namespace

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
    int info = 0;
    std::copy(p.given.begin(), p.given.end(), p.factors.begin());
    if (shape_.band)
        gbtrf(shape_.n, shape_.lower, shape_.upper, p.factors.data(), ld_, p.pivots.data(), info);
    else
        getrf(shape_.n, p.factors.data(), p.pivots.data(), info);
    return info == 0;
}

template <class S>
void lapack_system::solve(part<S>& p)
{
    int info = 0;
    std::fill(p.b.begin(), p.b.end(), S(1));
    if (shape_.band)
        gbtrs(shape_.n, shape_.lower, shape_.upper, p.factors.data(), ld_, p.pivots.data(), p.b.data(), info);
    else
        getrs(shape_.n, p.factors.data(), p.pivots.data(), p.b.data(), info);
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
