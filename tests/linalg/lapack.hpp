// LAPACK's LU factorisations and solves under one name for real and complex numbers.
#ifndef IVP_TESTS_LINALG_LAPACK_HPP
#define IVP_TESTS_LINALG_LAPACK_HPP

#include <complex>
#include <cstddef>

extern "C" {
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dgetrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*, const int*, int*, std::size_t);
void dgbtrf_(const int*, const int*, const int*, const int*, double*, const int*, int*, int*);
void dgbtrs_(const char*, const int*, const int*, const int*, const int*, const double*, const int*, const int*, double*, const int*, int*,
             std::size_t);
void zgetrf_(const int*, const int*, std::complex<double>*, const int*, int*, int*);
void zgetrs_(const char*, const int*, const int*, const std::complex<double>*, const int*, const int*, std::complex<double>*, const int*, int*,
             std::size_t);
void zgbtrf_(const int*, const int*, const int*, const int*, std::complex<double>*, const int*, int*, int*);
void zgbtrs_(const char*, const int*, const int*, const int*, const int*, const std::complex<double>*, const int*, const int*, std::complex<double>*,
             const int*, int*, std::size_t);
}

namespace ivp::lapack {

/// Factors a (n×n, leading dimension n); 0 if it is regular.
inline int getrf(int n, double* a, int* pivots)
{
    int info = 0;
    dgetrf_(&n, &n, a, &n, pivots, &info);
    return info;
}
inline int getrf(int n, std::complex<double>* a, int* pivots)
{
    int info = 0;
    zgetrf_(&n, &n, a, &n, pivots, &info);
    return info;
}

inline constexpr int one = 1;

inline void getrs(int n, const double* a, const int* pivots, double* b)
{
    int info = 0;
    dgetrs_("N", &n, &one, a, &n, pivots, b, &n, &info, 1);
}
inline void getrs(int n, const std::complex<double>* a, const int* pivots, std::complex<double>* b)
{
    int info = 0;
    zgetrs_("N", &n, &one, a, &n, pivots, b, &n, &info, 1);
}

/// The same for a band matrix: (i, j) at lower + upper + i − j + j·ld, ld = 2 lower + upper + 1.
inline int gbtrf(int n, int lower, int upper, double* a, int* pivots)
{
    int info = 0;
    const int ld = 2 * lower + upper + 1;
    dgbtrf_(&n, &n, &lower, &upper, a, &ld, pivots, &info);
    return info;
}
inline int gbtrf(int n, int lower, int upper, std::complex<double>* a, int* pivots)
{
    int info = 0;
    const int ld = 2 * lower + upper + 1;
    zgbtrf_(&n, &n, &lower, &upper, a, &ld, pivots, &info);
    return info;
}

inline void gbtrs(int n, int lower, int upper, const double* a, const int* pivots, double* b)
{
    int info = 0;
    const int ld = 2 * lower + upper + 1;
    dgbtrs_("N", &n, &lower, &upper, &one, a, &ld, pivots, b, &n, &info, 1);
}
inline void gbtrs(int n, int lower, int upper, const std::complex<double>* a, const int* pivots, std::complex<double>* b)
{
    int info = 0;
    const int ld = 2 * lower + upper + 1;
    zgbtrs_("N", &n, &lower, &upper, &one, a, &ld, pivots, b, &n, &info, 1);
}

} // namespace ivp::lapack

#endif
