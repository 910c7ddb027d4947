// kernel_set: the kernels for double, compiled for one instruction set. The best one the machine can run is chosen at run time.
//
// Matrices are column-major with padded columns; complex ones are two arrays, real and imaginary parts apart.
#ifndef IVP_LINALG_KERNEL_SET_HPP
#define IVP_LINALG_KERNEL_SET_HPP

#include <cstddef>
#include <span>

namespace ivp::kernels {

constexpr int largest_small = 8;
constexpr int largest_middle = 32;
constexpr int middle_width = 4; ///< numbers in a pack of the kernels for middle sizes

/// c M − J without padding: what a small or middle matrix is made from.
struct shifted_source {
    const double* jacobian;
    const double* imaginary; ///< part of a complex J, for complex c only; null: none
    const double* mass;      ///< null: the identity
};

/// The factors of a small matrix in padded columns.
struct small_factors {
    alignas(64) double re[largest_small * largest_small];
    alignas(64) double im[largest_small * largest_small];
    int order[largest_small]; ///< of the rows
};

/// Where the factors of a matrix of middle size are.
struct middle_factors {
    int n;
    int rows;   ///< of a column, whole packs
    double* re; ///< values() numbers, zero before the first factorisation
    double* im; ///< the same of a complex matrix
    int* order; ///< of the rows: as many

    static int rows_for(int n) { return (n + middle_width - 1) / middle_width * middle_width; }
    /// The columns, and behind them the reciprocals of the pivots.
    static std::size_t values(int rows) { return static_cast<std::size_t>(rows) * (rows + 1); }
};

/// Dense matrices c M − J, real and complex. Factorisations: false if singular or not finite.
template <class Factors>
struct shifted_kernels {
    bool (*factor_real)(const shifted_source&, double c, Factors&);
    bool (*factor_complex)(const shifted_source&, double c_re, double c_im, Factors&);
    bool (*factor_pair)(const shifted_source&, double c, double c_re, double c_im, Factors& real, Factors& complex);
    void (*solve_real)(const Factors&, double* b);
    void (*solve_sum)(const Factors&, const double* a, const double* b, double* x); ///< of a + b; x may be one of them
    void (*solve_complex)(const Factors&, double* b_re, double* b_im);
    void (*solve_pair)(const Factors& real, const Factors& complex, double* b, double* b_re, double* b_im);
};
using small_kernels = shifted_kernels<small_factors>; ///< of one size
using middle_kernels = shifted_kernels<middle_factors>;

/// Where the parts of a larger dense matrix lie in one array of `size` numbers. The matrix comes first, its factors take its place.
struct dense_layout {
    int n;
    int ld;             ///< rows, padded with zeros
    std::size_t lower;  ///< inverses of blocks of L
    std::size_t upper;  ///< inverses of blocks of U
    std::size_t size;   ///< numbers in all
    std::size_t pivots; ///< integers beside them
    std::size_t work;   ///< numbers a solve needs for itself

    static dense_layout of(int n);
};

/// The same for a band matrix. Entry (i, j) is at diagonal + i + j·stride.
struct band_layout {
    int n;
    int lower;
    int upper;
    bool narrow;          ///< the matrix has nothing but the band, and the factors lie apart
    int stride;           ///< from an entry to its right neighbour
    std::size_t diagonal; ///< of the first diagonal entry
    std::size_t matrix;   ///< numbers of the matrix with what lies between its columns, which must be zero
    std::size_t factors;  ///< of a narrow matrix; else 0: in place of the matrix
    std::size_t lower_inverses;
    std::size_t upper_inverses;
    std::size_t size;
    std::size_t pivots;
    std::size_t work;

    static band_layout of(int n, int lower, int upper);
};

/// A real or (im not null) complex matrix or vector.
template <class T>
struct parts {
    T* re;
    T* im = nullptr;
};

/// A factored matrix, and the right-hand side that becomes the solution.
struct factored_system {
    parts<const double> a;
    const int* pivots;
    double* work;
    parts<double> b;
};

/// A real and a complex matrix to be factored together.
struct factored_pair {
    parts<double> real;
    int* real_pivots;
    parts<double> complex;
    int* complex_pivots;
};

struct kernel_set {
    const char* name;
    const small_kernels* small; ///< for n = 1 … largest_small
    middle_kernels middle;      ///< for larger n up to largest_middle

    /// False: singular or not finite. The padding must be zero.
    bool (*factor_dense)(const dense_layout&, const parts<double>& a, int* pivots);
    void (*solve_dense)(const dense_layout&, const factored_system&);

    bool (*factor_band)(const band_layout&, const parts<double>& a, int* pivots);
    /// c I − J of a narrow J (as a Jacobian is stored) and real (a.im null) or complex c: the matrix itself is never written.
    bool (*factor_shifted_band)(const band_layout&, const double* jacobian, double c_re, double c_im, const parts<double>& a, int* pivots);
    void (*solve_band)(const band_layout&, const factored_system&);
    bool (*factor_band_pair)(const band_layout&, const factored_pair&);
    bool (*factor_shifted_band_pair)(const band_layout&, const double* jacobian, double c, double c_re, double c_im, const factored_pair&);
    void (*solve_band_pair)(const band_layout&, const factored_system& real, const factored_system& complex);
};

/// The sets that were built and that this machine can run, the best first.
std::span<const kernel_set* const> usable_kernels();

/// The best of them, or the one that the environment variable IVP_KERNELS names. Throws bad_request for another name.
const kernel_set& chosen_kernels();

} // namespace ivp::kernels

#endif
