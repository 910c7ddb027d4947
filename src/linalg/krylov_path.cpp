// Large sparse matrices without their factors: GMRES, preconditioned from the left by ILU(0), the incomplete factors with no entries beside those of
// the matrix; or by the ILU(0) of its diagonal blocks (block-Jacobi); or by one that is given from outside. Memory and the time of an iteration grow
// with n, whatever the shape of the domain behind the matrix.
//
// Lengths are measured as the solver measures its errors, by the weights of set_accuracy(): the preconditioned residual is then an estimate of the
// error of x, in the units of the solver's tolerance.
#include "linalg/incomplete_lu.hpp"
#include "linalg/linear_path.hpp"
#include "linalg/sparse_system.hpp"

#include <ivp/error.hpp>
#include <ivp/pack.hpp>
#include <ivp/work_memory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ivp {

namespace {

using pack = simd::pack<double, 4>;
using lanes = pack::numbers; // in sums of products the order in which they are written decides which one is fused
constexpr int lane_count = pack::width;

constexpr int most_vectors = 20;          // of a basis, before GMRES begins again from what it has
constexpr int most_iterations = 60;       // of a solve
constexpr double plain_tolerance = 1e-10; // of a solve whose solver has named no accuracy, relative to the right-hand side

/// The pattern by rows. `from` is the place of an entry in the columns.
struct row_pattern {
    explicit row_pattern(const sparsity& s) : n(s.n), start(s.n + 1, 0), column(s.row.size()), from(s.row.size()), diagonal(s.n, -1)
    {
        for (const int i : s.row) ++start[i + 1];
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::vector<int> next(start.begin(), start.end() - 1);
        for (int j = 0; j < n; ++j) {
            for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p) {
                const int at = next[s.row[p]]++;
                column[at] = j;
                from[at] = p;
                if (s.row[p] == j) diagonal[j] = at;
            }
        }
        for (int i = 0; i < n; ++i)
            if (diagonal[i] < 0)
                throw bad_request("algebra 'krylov' given for a matrix without an entry on the diagonal in row " + std::to_string(i + 1) +
                                  ", which ILU(0) needs; allowed: auto, dense, sparse");
        use({});
    }

    /// Which entries of a row the preconditioner takes.
    void use(const preconditioning& choice)
    {
        first_taken.assign(start.begin(), start.end() - 1);
        end_taken.assign(start.begin() + 1, start.end());
        identity = choice.kind == preconditioning::none;
        if (choice.kind == preconditioning::ilu0 || choice.kind == preconditioning::user) return;
        const int block = identity ? 1 : choice.block;
        for (int i = 0; i < n; ++i) {
            const int first = i / block * block;
            while (column[first_taken[i]] < first) ++first_taken[i];
            while (column[end_taken[i] - 1] >= first + block) --end_taken[i];
        }
    }

    int n;
    std::vector<int> start;
    std::vector<int> column;
    std::vector<int> from;
    std::vector<int> diagonal;               ///< of each row, by its place in the rows
    std::vector<int> first_taken, end_taken; ///< of each row, what the preconditioner takes
    bool identity = false;                   ///< it takes none
};

/// A block of numbers that is not touched before it is used: most solves need few of the vectors of a basis.
class untouched {
public:
    explicit untouched(std::size_t size) : data_(new (std::align_val_t{64}) double[size]) {}
    ~untouched() { ::operator delete[](data_, std::align_val_t{64}); }
    untouched(untouched&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
    untouched& operator=(untouched&&) = delete;
    [[nodiscard]] double* data() const { return data_; }

private:
    double* data_;
};

inline lanes load(const double* x, int i) { return pack::load(x + i).v; }
inline void store(double* x, int i, const lanes& v) { pack::of(v).store(x + i); }
inline double sum_of(const lanes& v) { return simd::sum_of(pack::of(v)); }

/// Real: one part; complex: the real parts of all components, then the imaginary ones.
template <int Parts>
using number = std::conditional_t<Parts == 1, double, std::complex<double>>;

// As std::complex multiplies, but for infinities, which nobody has here.
inline double times(double a, double b) { return a * b; }
inline std::complex<double> times(const std::complex<double>& a, const std::complex<double>& b)
{
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
inline double conjugate(double x) { return x; }
inline std::complex<double> conjugate(const std::complex<double>& x) { return std::conj(x); }

/// The vectors of one solve, and what GMRES does with whole vectors. Lengths are rounded up; what is behind the last component is 0.
template <int Parts>
class krylov_vectors {
public:
    using scalar = number<Parts>;

    explicit krylov_vectors(int n)
        : stride_((n + 7) / 8 * 8), weight_(stride_), vectors_(static_cast<std::size_t>(stride_) * Parts * (most_vectors + 2))
    {
        std::fill_n(weight_.data(), stride_, 0.0);
    }

    [[nodiscard]] int stride() const { return stride_; }
    [[nodiscard]] double* weights() { return weight_.data(); }
    /// Basis vector k; the last but one is the solution, the last one working memory.
    [[nodiscard]] double* operator[](int k) { return vectors_.data() + static_cast<std::size_t>(k) * Parts * stride_; }

    /// out[j] = <v_j, z> of the first `count` basis vectors; answers |z|².
    double products(int count, const double* z, scalar* out)
    {
        std::array<std::array<lanes, Parts>, most_vectors + 1> sum{};
        lanes squares{};
        alignas(64) std::array<double, Parts * chunk> weighted;
        for (int first = 0; first < stride_; first += chunk) {
            const int size = std::min(chunk, stride_ - first);
            for (int i = 0; i < size; i += lane_count) {
                const lanes w = load(weight_.data() + first, i);
                for (std::ptrdiff_t part = 0; part < Parts; ++part) {
                    const lanes x = load(z + part * stride_ + first, i);
                    const lanes xw = w * w * x;
                    squares += x * xw;
                    store(weighted.data() + part * chunk, i, xw);
                }
            }
            for (int j = 0; j < count; ++j) {
                const double* const v = (*this)[j] + first;
                if constexpr (Parts == 1) {
                    lanes a{};
                    lanes b{};
                    for (int i = 0; i < size; i += 2 * lane_count) {
                        a += load(v, i) * load(weighted.data(), i);
                        b += load(v, i + lane_count) * load(weighted.data(), i + lane_count);
                    }
                    sum[j][0] += a + b;
                } else { // conj(v) z
                    lanes re{};
                    lanes im{};
                    for (int i = 0; i < size; i += lane_count) {
                        const lanes vr = load(v, i);
                        const lanes vi = load(v + stride_, i);
                        const lanes zr = load(weighted.data(), i);
                        const lanes zi = load(weighted.data() + chunk, i);
                        re += vr * zr + vi * zi;
                        im += vr * zi - vi * zr;
                    }
                    sum[j][0] += re;
                    sum[j][1] += im;
                }
            }
        }
        for (int j = 0; j < count; ++j) {
            if constexpr (Parts == 1)
                out[j] = sum_of(sum[j][0]);
            else
                out[j] = {sum_of(sum[j][0]), sum_of(sum[j][1])};
        }
        return sum_of(squares);
    }

    /// z += Σ factor_j v_j over the first `count` basis vectors; answers |z|².
    double add(int count, const scalar* factor, double* z)
    {
        lanes squares{};
        for (int first = 0; first < stride_; first += chunk) {
            const int size = std::min(chunk, stride_ - first);
            for (int j = 0; j < count; ++j) {
                const double* const v = (*this)[j] + first;
                double* const re = z + first;
                if constexpr (Parts == 1) {
                    for (int i = 0; i < size; i += lane_count) store(re, i, load(re, i) + factor[j] * load(v, i));
                } else {
                    double* const im = re + stride_;
                    const double fr = factor[j].real();
                    const double fi = factor[j].imag();
                    for (int i = 0; i < size; i += lane_count) {
                        const lanes vr = load(v, i);
                        const lanes vi = load(v + stride_, i);
                        store(re, i, load(re, i) + fr * vr - fi * vi);
                        store(im, i, load(im, i) + fr * vi + fi * vr);
                    }
                }
            }
            for (int i = 0; i < size; i += lane_count) {
                const lanes w = load(weight_.data() + first, i);
                for (std::ptrdiff_t part = 0; part < Parts; ++part) {
                    const lanes x = w * load(z + part * stride_ + first, i);
                    squares += x * x;
                }
            }
        }
        return sum_of(squares);
    }

private:
    static constexpr int chunk = 512;

    int stride_;
    untouched weight_;
    untouched vectors_;
};

/// c M − J by rows, and its incomplete factors.
template <int Parts>
class krylov_matrix {
public:
    using scalar = number<Parts>;

    krylov_matrix(const sparse_system<double>& system, std::shared_ptr<const row_pattern> rows)
        : system_(&system), rows_(std::move(rows)), values_(system.entries()), factors_(Parts * static_cast<std::size_t>(system.entries()))
    {
        if constexpr (Parts == 2) {
            mass_.resize(system.entries());
            by_columns_.resize(system.entries());
        }
        place_.assign(rows_->n, -1);
    }

    /// False: a pivot of the incomplete factors vanishes, or an entry is not finite.
    [[nodiscard]] bool factor(const scalar& c)
    {
        if (!system_->all_finite()) return false;
        write(c);
        shift_ = c;
        if (given_) return given_->factor(std::abs(c));
        if (!rows_->identity) return factor_incompletely();
        // A residual in the units of the solution, in which its accuracy is asked for.
        const double size = std::abs(c);
        for (const int p : rows_->diagonal) set_factor(p, size > 0 ? 1 / size : 1);
        return true;
    }

    /// From now on this one is the preconditioner; null: the incomplete factors are.
    void set_preconditioner(std::unique_ptr<given_preconditioner<double>> given)
    {
        given_ = std::move(given);
        work_.resize(given_ ? rows_->n : 0);
    }
    [[nodiscard]] bool has_preconditioner() const { return given_ != nullptr || !rows_->identity; }

    /// out = scale P^-1 A x, where P is the product of the incomplete factors. A row of A and the same row of L are read together.
    void multiply(const double* x, double scale, int stride, double* out)
    {
        const row_pattern& r = *rows_;
        if (given_) {
            for (int i = 0; i < r.n; ++i) put(out, stride, i, scale * row_times(i, x, stride));
            precondition(parts_of(out, stride).data(), stride, out);
            return;
        }
        for (int i = 0; i < r.n; ++i) {
            const int end = r.start[i + 1];
            const int diagonal = r.diagonal[i];
            scalar product{};
            scalar below{};
            int p = r.start[i];
            for (; p < r.first_taken[i]; ++p) add_entry(p, x, stride, product);
            for (; p < diagonal; ++p) {
                add_entry(p, x, stride, product);
                below += times(factor_at(p), at(out, stride, r.column[p]));
            }
            for (; p < end; ++p) add_entry(p, x, stride, product);
            put(out, stride, i, scale * product - below);
        }
        solve_upper(stride, out);
        clear_tail(stride, out);
    }
    /// The same, with a product J x of somebody else's. False: it cannot be had.
    [[nodiscard]] bool multiply(const jacobian_product<double>& product, const double* x, double scale, int stride, double* out)
    {
        std::array<double*, Parts> to;
        for (std::ptrdiff_t part = 0; part < Parts; ++part) to[part] = out + part * stride;
        if (!product(parts_of(x, stride), to)) return false;
        for (int part = 0; part < Parts; ++part)
            for (int i = 0; i < rows_->n; ++i) to[part][i] *= -scale;
        const sparsity& s = system_->pattern();
        int column = 0;
        system_->for_mass([&](int p, double m) { // by columns
            while (p >= s.column_start[column + 1]) ++column;
            put(out, stride, s.row[p], at(out, stride, s.row[p]) + times(scale * m * shift_, at(x, stride, column)));
        });
        precondition(parts_of(out, stride).data(), stride, out);
        return true;
    }
    /// out = P^-1 b; b may be out. Not finite if P is given from outside and cannot be applied.
    void precondition(const double* const* b, int stride, double* out)
    {
        const row_pattern& r = *rows_;
        if (given_) {
            for (std::ptrdiff_t part = 0; part < Parts; ++part) {
                std::copy_n(b[part], r.n, work_.begin()); // whoever gave it may count on two vectors
                if (!given_->solve(work_.data(), out + part * stride))
                    std::fill_n(out + part * stride, r.n, std::numeric_limits<double>::quiet_NaN());
            }
            clear_tail(stride, out);
            return;
        }
        for (int i = 0; i < r.n; ++i) {
            scalar sum = given(b, i);
            for (int p = r.first_taken[i]; p < r.diagonal[i]; ++p) sum -= times(factor_at(p), at(out, stride, r.column[p]));
            put(out, stride, i, sum);
        }
        solve_upper(stride, out);
        clear_tail(stride, out);
    }
    /// out = P^-1 (b − A x)
    void residual(const double* const* b, const double* x, int stride, double* out)
    {
        const row_pattern& r = *rows_;
        if (given_) {
            for (int i = 0; i < r.n; ++i) put(out, stride, i, given(b, i) - row_times(i, x, stride));
            precondition(parts_of(out, stride).data(), stride, out);
            return;
        }
        for (int i = 0; i < r.n; ++i) {
            scalar sum = given(b, i) - row_times(i, x, stride);
            for (int p = r.first_taken[i]; p < r.diagonal[i]; ++p) sum -= times(factor_at(p), at(out, stride, r.column[p]));
            put(out, stride, i, sum);
        }
        solve_upper(stride, out);
        clear_tail(stride, out);
    }

private:
    [[nodiscard]] static scalar at(const double* x, int stride, int i)
    {
        if constexpr (Parts == 1)
            return x[i];
        else
            return {x[i], x[i + stride]};
    }
    static void put(double* x, int stride, int i, const scalar& value)
    {
        if constexpr (Parts == 1) {
            x[i] = value;
        } else {
            x[i] = value.real();
            x[i + stride] = value.imag();
        }
    }
    [[nodiscard]] static scalar given(const double* const* b, int i)
    {
        if constexpr (Parts == 1)
            return b[0][i];
        else
            return {b[0][i], b[1][i]};
    }
    static std::array<const double*, Parts> parts_of(const double* x, int stride)
    {
        std::array<const double*, Parts> parts;
        for (std::ptrdiff_t part = 0; part < Parts; ++part) parts[part] = x + part * stride;
        return parts;
    }
    /// Of A.
    [[nodiscard]] scalar row_times(int i, const double* x, int stride) const
    {
        scalar product{};
        for (int p = rows_->start[i]; p < rows_->start[i + 1]; ++p) add_entry(p, x, stride, product);
        return product;
    }
    // Only M has imaginary parts in c M − J.
    void add_entry(int p, const double* x, int stride, scalar& sum) const
    {
        const int j = rows_->column[p];
        if constexpr (Parts == 1) {
            sum += values_[p] * x[j];
        } else {
            const double a = values_[p];
            const double b = mass_[p];
            const double re = x[j];
            const double im = x[j + stride];
            sum += scalar(a * re - b * im, a * im + b * re);
        }
    }
    [[nodiscard]] scalar factor_at(int p) const { return at_factor(factors_.data(), p); }
    [[nodiscard]] static scalar at_factor(const double* f, int p)
    {
        if constexpr (Parts == 1)
            return f[p];
        else
            return {f[2 * static_cast<std::size_t>(p)], f[2 * static_cast<std::size_t>(p) + 1]};
    }
    void set_factor(int p, const scalar& value)
    {
        if constexpr (Parts == 1) {
            factors_[p] = value;
        } else {
            factors_[2 * static_cast<std::size_t>(p)] = value.real();
            factors_[2 * static_cast<std::size_t>(p) + 1] = value.imag();
        }
    }

    void solve_upper(int stride, double* x) const
    {
        const row_pattern& r = *rows_;
        for (int i = r.n - 1; i >= 0; --i) {
            scalar sum = at(x, stride, i);
            const int diagonal = r.diagonal[i];
            for (int p = diagonal + 1; p < r.end_taken[i]; ++p) sum -= times(factor_at(p), at(x, stride, r.column[p]));
            put(x, stride, i, times(sum, factor_at(diagonal)));
        }
    }
    void clear_tail(int stride, double* x) const
    {
        for (std::ptrdiff_t part = 0; part < Parts; ++part) std::fill(x + part * stride + rows_->n, x + (part + 1) * stride, 0.0);
    }

    void write(const scalar& c)
    {
        const row_pattern& r = *rows_;
        const int entries = system_->entries();
        if constexpr (Parts == 1) {
            for (int p = 0; p < entries; ++p) factors_[p] = -system_->jacobian(p); // by columns, for a moment
            system_->for_mass([&](int p, double m) { factors_[p] += c * m; });
            for (int p = 0; p < entries; ++p) values_[p] = factors_[r.from[p]];
            std::copy_n(values_.begin(), entries, factors_.begin());
        } else {
            std::fill(by_columns_.begin(), by_columns_.end(), 0.0);
            system_->for_mass([&](int p, double m) { by_columns_[p] = m; });
            for (int p = 0; p < entries; ++p) {
                const double m = by_columns_[r.from[p]];
                values_[p] = c.real() * m - system_->jacobian(r.from[p]);
                mass_[p] = c.imag() * m;
                set_factor(p, {values_[p], mass_[p]});
            }
        }
    }

    bool factor_incompletely()
    {
        const row_pattern& r = *rows_;
        bool good = true;
        for (int i = 0; i < r.n && good; ++i) {
            for (int p = r.first_taken[i]; p < r.end_taken[i]; ++p) place_[r.column[p]] = p;
            for (int p = r.first_taken[i]; p < r.diagonal[i]; ++p) {
                const int k = r.column[p];
                const scalar l = times(factor_at(p), factor_at(r.diagonal[k])); // there: the reciprocal of the pivot
                set_factor(p, l);
                for (int q = r.diagonal[k] + 1; q < r.end_taken[k]; ++q)
                    if (const int to = place_[r.column[q]]; to >= 0) set_factor(to, factor_at(to) - times(l, factor_at(q)));
            }
            for (int p = r.first_taken[i]; p < r.end_taken[i]; ++p) place_[r.column[p]] = -1;
            const scalar inverse = 1.0 / factor_at(r.diagonal[i]);
            good = std::isfinite(std::abs(inverse)) && std::abs(inverse) > 0;
            set_factor(r.diagonal[i], inverse);
        }
        return good;
    }

    const sparse_system<double>* system_;
    std::shared_ptr<const row_pattern> rows_;
    scalar shift_{};
    work_vector<double> values_;     // c M − J, its real part, by rows
    work_vector<double> mass_;       // the imaginary part
    work_vector<double> by_columns_; // M, while the matrix is written
    work_vector<double> factors_;    // multipliers of L, reciprocals of the pivots, U
    std::vector<int> place_;         // of the entries of the row that is being factored
    std::unique_ptr<given_preconditioner<double>> given_;
    std::vector<double> work_; // for it
};

/// The least-squares problem of GMRES, kept triangular by rotations.
template <class Scalar>
class small_problem {
public:
    void begin(double length) { right_[0] = length; }

    /// Column k of the Hessenberg matrix, the products with the basis, and the length of what is left; answers the length of the residual.
    double append(int k, const Scalar* products, double below)
    {
        auto& h = column_[k];
        std::copy_n(products, k + 1, h.begin());
        for (int j = 0; j < k; ++j) {
            const Scalar upper = h[j];
            h[j] = cosine_[j] * upper + sine_[j] * h[j + 1];
            h[j + 1] = -conjugate(sine_[j]) * upper + cosine_[j] * h[j + 1];
        }
        const double size = std::hypot(std::abs(h[k]), below);
        if (size == 0) return std::abs(right_[k]); // the caller sees that nothing was gained
        const double diagonal = std::abs(h[k]);
        const Scalar direction = diagonal > 0 ? h[k] / diagonal : Scalar(1);
        cosine_[k] = diagonal / size;
        sine_[k] = direction * (below / size);
        h[k] = direction * size;
        right_[k + 1] = -conjugate(sine_[k]) * right_[k];
        right_[k] = cosine_[k] * right_[k];
        return std::abs(right_[k + 1]);
    }
    /// The coefficients of the first `count` basis vectors.
    void solve(int count, Scalar* out) const
    {
        for (int i = count - 1; i >= 0; --i) {
            Scalar sum = right_[i];
            for (int j = i + 1; j < count; ++j) sum -= column_[j][i] * out[j];
            out[i] = column_[i][i] == Scalar(0) ? Scalar(0) : sum / column_[i][i];
        }
    }

private:
    std::array<std::array<Scalar, most_vectors + 1>, most_vectors> column_{};
    std::array<double, most_vectors> cosine_{};
    std::array<Scalar, most_vectors> sine_{};
    std::array<Scalar, most_vectors + 1> right_{};
};

/// One matrix with its solves.
template <int Parts>
class krylov_slot {
public:
    using scalar = number<Parts>;

    krylov_slot(const sparse_system<double>& system, std::shared_ptr<const row_pattern> rows)
        : n_(system.n()), matrix_(system, std::move(rows)), v_(n_)
    {}

    [[nodiscard]] bool factor(const scalar& c) { return matrix_.factor(c); }
    [[nodiscard]] const lu_events& events() const { return events_; }
    void set_product(const jacobian_product<double>& product) { product_ = product; }
    void set_preconditioner(std::unique_ptr<given_preconditioner<double>> given) { matrix_.set_preconditioner(std::move(given)); }

    void solve(const solve_accuracy<double>& accuracy, double* const* b)
    {
        const int stride = v_.stride();
        for (int i = 0; i < n_; ++i) v_.weights()[i] = accuracy.weights == nullptr ? 1.0 : accuracy.weights[i];
        double* const x = v_[most_vectors + 1];
        matrix_.precondition(b, stride, v_[0]);
        count_preconditioning();
        const double whole = std::sqrt(v_.products(0, v_[0], nullptr));
        if (!std::isfinite(whole)) { // the solver sees it in the result
            give(v_[0], b);
            return;
        }
        const double tolerance = std::max(accuracy.weights == nullptr ? plain_tolerance * whole : accuracy.tolerance * std::sqrt(n_ * double(Parts)),
                                          4 * std::numeric_limits<double>::epsilon() * whole);
        if (whole <= tolerance) { // as near as one application of the preconditioner brings it
            give(v_[0], b);
            return;
        }
        std::fill_n(x, static_cast<std::size_t>(Parts) * stride, 0.0);
        double length = whole;
        int left = most_iterations;
        while (true) {
            const double reached = cycle(length, tolerance, left, x);
            if (reached <= tolerance) break;
            if (left <= 0 || !(reached <= 0.9 * length)) { // no use in going on
                ++events_.unconverged;
                break;
            }
            if (!find_residual(b, x)) {
                ++events_.unconverged;
                break;
            }
            length = std::sqrt(v_.products(0, v_[0], nullptr));
            if (length <= tolerance) break;
        }
        give(x, b);
    }

private:
    void count_preconditioning() { events_.preconditioner_solves += matrix_.has_preconditioner() ? 1 : 0; }

    /// Into v_0.
    [[nodiscard]] bool find_residual(double* const* b, const double* x)
    {
        const int stride = v_.stride();
        count_preconditioning();
        if (!product_) {
            matrix_.residual(b, x, stride, v_[0]);
            return true;
        }
        matrix_.precondition(b, stride, v_[0]);
        count_preconditioning();
        if (!matrix_.multiply(product_, x, 1.0, stride, v_[1])) return false;
        double* const residual = v_[0];
        const double* const product = v_[1];
        for (int i = 0; i < Parts * stride; ++i) residual[i] -= product[i];
        return true;
    }

    /// From the residual in v_0, of this length; what is found is added to x. Answers the length of the residual after it.
    double cycle(double length, double tolerance, int& left, double* x)
    {
        const int stride = v_.stride();
        std::array<scalar, most_vectors + 1> products;
        std::array<double, most_vectors + 1> scale; // v_k is this times what is stored
        scale[0] = 1 / length;
        small_.begin(length);
        double reached = length;
        int k = 0;
        while (k < most_vectors && left > 0) {
            double* const next = v_[k + 1];
            if (!product_)
                matrix_.multiply(v_[k], scale[k], stride, next);
            else if (!matrix_.multiply(product_, v_[k], scale[k], stride, next))
                break;
            count_preconditioning();
            ++events_.krylov_iterations;
            --left;
            double below = orthogonalise(k + 1, scale.data(), next, products.data());
            reached = small_.append(k, products.data(), below);
            ++k;
            if (!(reached > tolerance) || below == 0) break;
            scale[k] = 1 / below;
        }
        std::array<scalar, most_vectors> factor;
        small_.solve(k, factor.data());
        for (int j = 0; j < k; ++j) factor[j] *= scale[j];
        (void)v_.add(k, factor.data(), x);
        return reached;
    }

    /// Takes from z what is in the first `count` basis vectors, and notes how much that was. Answers the length of the rest.
    double orthogonalise(int count, const double* scale, double* z, scalar* products)
    {
        constexpr double lost = 0.01; // so small a rest has lost orthogonality to rounding
        double before = v_.products(count, z, products);
        std::array<scalar, most_vectors + 1> factor;
        const auto subtract = [&](const scalar* p) {
            for (int j = 0; j < count; ++j) factor[j] = -p[j] * scale[j];
            return v_.add(count, factor.data(), z);
        };
        for (int j = 0; j < count; ++j) products[j] *= scale[j];
        double after = subtract(products);
        if (after < lost * before) {
            std::array<scalar, most_vectors + 1> again;
            before = v_.products(count, z, again.data());
            for (int j = 0; j < count; ++j) again[j] *= scale[j];
            after = subtract(again.data());
            for (int j = 0; j < count; ++j) products[j] += again[j];
            if (after < std::numeric_limits<double>::epsilon() * before) return 0; // nothing is left but rounding
        }
        return std::sqrt(after);
    }

    void give(const double* x, double* const* b) const
    {
        for (int part = 0; part < Parts; ++part) std::copy_n(x + static_cast<std::size_t>(part) * v_.stride(), n_, b[part]);
    }

    int n_;
    krylov_matrix<Parts> matrix_;
    krylov_vectors<Parts> v_;
    small_problem<scalar> small_;
    jacobian_product<double> product_; // none: that of the matrix
    lu_events events_;
};

class krylov_path final : public linear_path<double> {
public:
    explicit krylov_path(const path_request<double>& request) : system_(request), rows_(std::make_shared<row_pattern>(system_.pattern()))
    {
        for (int k = 0; k < request.reals; ++k) reals_.emplace_back(system_, rows_);
        for (int k = 0; k < request.complexes; ++k) complexes_.emplace_back(system_, rows_);
    }

    bool factor_real(int k, const double& c) override { return reals_[k].factor(c); }
    bool factor_complex(int k, const complex_shift<double>& c) override { return complexes_[k].factor({c.re, c.im}); }
    void solve_real(int k, double* b) const override { reals_[k].solve(accuracy_, &b); }
    void solve_complex(int k, double* b_re, double* b_im) const override
    {
        const std::array b{b_re, b_im};
        complexes_[k].solve(accuracy_, b.data());
    }
    void set_accuracy(const solve_accuracy<double>& a) override { accuracy_ = a; }
    void set_preconditioning(const preconditioning& choice) override { rows_->use(choice); }
    void set_product(jacobian_product<double> product) override
    {
        for (auto& slot : reals_) slot.set_product(product);
        for (auto& slot : complexes_) slot.set_product(product);
    }
    void set_preconditioner(const preconditioner_maker<double>& make) override
    {
        for (auto& slot : reals_) slot.set_preconditioner(make());
        for (auto& slot : complexes_) slot.set_preconditioner(make());
    }
    [[nodiscard]] lu_events events() const override
    {
        lu_events sum;
        for (const auto& slot : reals_) sum += slot.events();
        for (const auto& slot : complexes_) sum += slot.events();
        return sum;
    }

private:
    sparse_system<double> system_;
    std::shared_ptr<row_pattern> rows_;
    solve_accuracy<double> accuracy_{};
    // Each has working memory of its own, so that different k can be solved at the same time.
    mutable std::vector<krylov_slot<1>> reals_;
    mutable std::vector<krylov_slot<2>> complexes_;
};

} // namespace

std::unique_ptr<linear_path<double>> make_krylov_path(const path_request<double>& request) { return std::make_unique<krylov_path>(request); }

struct incomplete_lu::implementation {
    implementation(const path_request<double>& request, const preconditioning& choice) : system(request), matrix(system, pattern(system, choice)) {}
    static std::shared_ptr<const row_pattern> pattern(const sparse_system<double>& of, const preconditioning& choice)
    {
        auto rows = std::make_shared<row_pattern>(of.pattern());
        rows->use(choice);
        return rows;
    }
    sparse_system<double> system;
    krylov_matrix<1> matrix;
};

incomplete_lu::incomplete_lu(const jacobian_matrix<double>& j, const mass_matrix<double>& m, const preconditioning& choice)
    : impl_(std::make_unique<implementation>(path_request<double>{j.view(), {&m, {}}, 1, 0, algebra::krylov}, choice))
{}
incomplete_lu::~incomplete_lu() = default;
incomplete_lu::incomplete_lu(incomplete_lu&&) noexcept = default;

bool incomplete_lu::factor(double c) { return impl_->matrix.factor(c); }
void incomplete_lu::solve(const double* b, double* x) const { impl_->matrix.precondition(&b, impl_->system.n(), x); }

} // namespace ivp
