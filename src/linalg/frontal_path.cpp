// Large sparse matrices by multifrontal elimination: nearly all the work is done in dense matrices, by loops that read no index.
//
// Rows are exchanged within the pivots of a front only. Where that would need a pivot too small beside the rest of its column, the matrix is left to
// another path (see make_sparse_path): the matrices c M − J of an ordinary differential equation never need it.
#include "base/memory.hpp"
#include "linalg/front_tree.hpp"
#include "linalg/linear_path.hpp"
#include "linalg/sparse_system.hpp"

#include <ivp/error.hpp>
#include <ivp/pack.hpp>
#include <ivp/work_memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace ivp {

namespace {

using pack = simd::pack<double, 4>;
constexpr int block = 32;               // pivots that are eliminated before the rest of a front is touched
constexpr double smallest_pivot = 0.01; // of the largest entry of its column

/// C ∓= A B for 4·Groups rows and Columns columns.
template <int Groups, int Columns, bool Add>
[[gnu::always_inline]] inline void tile(int depth, const double* a, std::ptrdiff_t lda, const double* b, std::ptrdiff_t ldb, double* c,
                                        std::ptrdiff_t ldc)
{
    std::array<std::array<pack, Groups>, Columns> sum{};
    for (int k = 0; k < depth; ++k) {
        std::array<pack, Groups> left;
        for (int g = 0; g < Groups; ++g) left[g] = pack::load(a + k * lda + pack::width * g);
        for (int j = 0; j < Columns; ++j)
            for (int g = 0; g < Groups; ++g) sum[j][g] += left[g] * b[k + j * ldb];
    }
    for (int j = 0; j < Columns; ++j)
        for (int g = 0; g < Groups; ++g) {
            double* const to = c + j * ldc + pack::width * g;
            (Add ? pack::load(to) + sum[j][g] : pack::load(to) - sum[j][g]).store(to);
        }
}

/// C ∓= A B; rows is a multiple of four.
template <bool Add>
void multiply(int rows, int columns, int depth, const double* a, std::ptrdiff_t lda, const double* b, std::ptrdiff_t ldb, double* c,
              std::ptrdiff_t ldc)
{
    const auto strip = [&]<int Columns>(int j) {
        const double* const right = b + j * ldb;
        double* const to = c + j * ldc;
        int i = 0;
        for (; i + 12 <= rows; i += 12) tile<3, Columns, Add>(depth, a + i, lda, right, ldb, to + i, ldc);
        if (rows - i == 8) tile<2, Columns, Add>(depth, a + i, lda, right, ldb, to + i, ldc);
        if (rows - i == 4) tile<1, Columns, Add>(depth, a + i, lda, right, ldb, to + i, ldc);
    };
    int j = 0;
    for (; j + 4 <= columns; j += 4) strip.template operator()<4>(j);
    for (; j < columns; ++j) strip.template operator()<1>(j);
}

/// Real: one part. Complex: a matrix for the real parts and, `part` numbers behind it, one for the imaginary parts.
template <int Parts>
using number = std::conditional_t<Parts == 1, double, std::complex<double>>;

inline double times(double a, double b) { return a * b; }
inline std::complex<double> times(const std::complex<double>& a, const std::complex<double>& b)
{
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <int Parts>
struct view {
    double* data;
    std::ptrdiff_t part;
    std::ptrdiff_t ld;

    [[nodiscard]] number<Parts> at(int i, int j) const
    {
        if constexpr (Parts == 1)
            return data[i + j * ld];
        else
            return {data[i + j * ld], data[part + i + j * ld]};
    }
    void set(int i, int j, const number<Parts>& x) const
    {
        if constexpr (Parts == 1) {
            data[i + j * ld] = x;
        } else {
            data[i + j * ld] = x.real();
            data[part + i + j * ld] = x.imag();
        }
    }
    [[nodiscard]] view from(int i, int j) const { return {data + i + j * ld, part, ld}; }
};

/// C −= A B
template <int Parts>
void subtract_product(int rows, int columns, int depth, const view<Parts>& a, const view<Parts>& b, const view<Parts>& c)
{
    multiply<false>(rows, columns, depth, a.data, a.ld, b.data, b.ld, c.data, c.ld);
    if constexpr (Parts == 2) {
        multiply<true>(rows, columns, depth, a.data + a.part, a.ld, b.data + b.part, b.ld, c.data, c.ld);
        multiply<false>(rows, columns, depth, a.data, a.ld, b.data + b.part, b.ld, c.data + c.part, c.ld);
        multiply<false>(rows, columns, depth, a.data + a.part, a.ld, b.data, b.ld, c.data + c.part, c.ld);
    }
}

/// column −= factor · other, over a number of rows from `first` on.
template <int Parts>
void subtract_column(const view<Parts>& f, int first, int last, int column, const number<Parts>& factor, int other)
{
    double* const to = f.data + column * f.ld;
    const double* const from = f.data + other * f.ld;
    if constexpr (Parts == 1) {
        for (int i = first; i < last; ++i) to[i] -= factor * from[i];
    } else {
        const double re = factor.real();
        const double im = factor.imag();
        for (int i = first; i < last; ++i) {
            const double a = from[i];
            const double b = from[f.part + i];
            to[i] -= re * a - im * b;
            to[f.part + i] -= re * b + im * a;
        }
    }
}

inline double size_of(double x) { return std::abs(x); }
inline double size_of(const std::complex<double>& x) { return std::abs(x.real()) + std::abs(x.imag()); }

/// Eliminates the first `pivots` rows and columns of a front of this size. Pivots are kept as their reciprocals; exchange[k]: the row that row k was
/// exchanged with. False: no pivot is large enough.
template <int Parts>
bool eliminate(const view<Parts>& f, int pivots, int size, int* exchange)
{
    const int ld = static_cast<int>(f.ld);
    for (int first = 0; first < pivots; first += block) {
        const int last = std::min(first + block, pivots);
        for (int k = first; k < last; ++k) {
            // Its turn has come: what the columns of this block before it do to it.
            int best = k;
            double largest = 0;
            double largest_pivot = 0;
            for (int i = k; i < size; ++i) {
                const double s = size_of(f.at(i, k));
                largest = std::max(largest, s);
                if (i < pivots && s > largest_pivot) {
                    largest_pivot = s;
                    best = i;
                }
            }
            if (!(largest_pivot > 0) || !(largest < std::numeric_limits<double>::infinity()) || largest_pivot < smallest_pivot * largest)
                return false;
            // An exchange that gains little is spared.
            if (size_of(f.at(k, k)) >= 0.1 * largest) best = k;
            exchange[k] = best;
            if (best != k)
                for (int j = 0; j < size; ++j) {
                    const auto x = f.at(k, j);
                    f.set(k, j, f.at(best, j));
                    f.set(best, j, x);
                }
            const number<Parts> inverse = 1.0 / f.at(k, k);
            if (!std::isfinite(size_of(inverse))) return false;
            f.set(k, k, inverse);
            for (int i = k + 1; i < size; ++i) f.set(i, k, times(f.at(i, k), inverse));
            for (int j = k + 1; j < last; ++j) subtract_column(f, k + 1, size, j, f.at(k, j), k);
        }
        // The rows of this block in the columns behind it, then everything below them.
        for (int j = last; j < size; ++j)
            for (int k = first; k < last; ++k) subtract_column(f, k + 1, last, j, f.at(k, j), k);
        const int from = last / pack::width * pack::width; // whole groups; rows of the block that come along are saved from it below
        if (from == last) {
            subtract_product(ld - from, size - last, last - first, f.from(from, first), f.from(first, last), f.from(from, last));
            continue;
        }
        const int aligned = std::min(from + pack::width, ld);
        for (int j = last; j < size; ++j)
            for (int k = first; k < last; ++k) subtract_column(f, last, aligned, j, f.at(k, j), k);
        subtract_product(ld - aligned, size - last, last - first, f.from(aligned, first), f.from(first, last), f.from(aligned, last));
    }
    return true;
}

/// Numbers that nobody has cleared. Large pages only if there are so many that a page more or less does not matter.
class number_block {
public:
    number_block() = default;
    explicit number_block(std::size_t size) : bytes_(size * sizeof(double)), data_(static_cast<double*>(taken(bytes_))) {}
    ~number_block() { give_back(); }
    number_block(number_block&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)), data_(std::exchange(other.data_, nullptr)) {}
    number_block& operator=(number_block&& other) noexcept
    {
        std::swap(bytes_, other.bytes_);
        std::swap(data_, other.data_);
        return *this;
    }
    [[nodiscard]] double* data() const { return data_; }
    [[nodiscard]] bool empty() const { return data_ == nullptr; }

private:
    static constexpr std::size_t many = 16 * work_memory::large_page;
    static void* taken(std::size_t bytes)
    {
        return bytes < many ? ::operator new(bytes, std::align_val_t(work_memory::line)) : work_memory::new_block(bytes);
    }
    void give_back()
    {
        if (data_ == nullptr) return;
        if (bytes_ < many)
            ::operator delete(data_, std::align_val_t(work_memory::line));
        else
            work_memory::delete_block(data_, bytes_);
    }

    std::size_t bytes_ = 0;
    double* data_ = nullptr;
};

/// One factored matrix.
template <int Parts>
class frontal_slot {
public:
    using scalar = number<Parts>;

    frontal_slot(const sparse_system<double>& system, const front_tree& tree) : system_(&system), tree_(&tree) {}

    [[nodiscard]] bool factor(const scalar& c)
    {
        if (!system_->all_finite()) return false;
        if (factors_.empty()) make_room();
        write(c);
        std::size_t top = Parts * tree_->workspace; // the stack grows downwards, into the room of factors that are not there yet
        const auto& fronts = tree_->fronts;
        std::vector<int>& waiting = waiting_; // fronts whose rest is on the stack
        waiting.clear();
        for (int k = 0; k < static_cast<int>(fronts.size()); ++k) {
            const auto& f = fronts[k];
            const std::ptrdiff_t ld = f.ld();
            const int size = f.size();
            const view<Parts> here{front_.data(), ld * size, ld};
            std::fill_n(here.data, static_cast<std::size_t>(Parts) * ld * size, 0.0);
            for (std::size_t p = f.first_entry; p < f.last_entry; ++p)
                for (int part = 0; part < Parts; ++part)
                    here.data[part * here.part + tree_->place[p]] += values_[Parts * static_cast<std::size_t>(tree_->entry[p]) + part];
            while (!waiting.empty() && fronts[waiting.back()].parent == k) {
                add_rest(fronts[waiting.back()], here, top);
                waiting.pop_back();
            }
            if (!eliminate(here, f.pivots, size, exchanges_.data() + f.first)) return false;
            keep(f, here);
            if (f.rows.empty()) continue;
            push_rest(f, here, top);
            waiting.push_back(k);
        }
        return true;
    }

    void solve(double* const* b) const
    {
        const front_tree& t = *tree_;
        std::vector<scalar>& x = x_;
        std::vector<scalar>& rest = rest_;
        for (int k = 0; k < t.n; ++k) {
            if constexpr (Parts == 1)
                x[k] = b[0][t.order[k]];
            else
                x[k] = {b[0][t.order[k]], b[1][t.order[k]]};
        }
        for (const auto& f : t.fronts) {
            const view<Parts> l = lower(f);
            scalar* const own = x.data() + f.first;
            for (int k = 0; k < f.pivots; ++k)
                if (const int with = exchanges_[f.first + k]; with != k) std::swap(own[k], own[with]);
            std::fill_n(rest.data() + f.pivots, f.rows.size(), scalar{});
            for (int k = 0; k < f.pivots; ++k) {
                const scalar value = own[k];
                add_column(l, k, k + 1, f.pivots, -value, own);
                add_column(l, k, f.pivots, f.size(), value, rest.data());
            }
            for (std::size_t i = 0; i < f.rows.size(); ++i) x[f.rows[i]] -= rest[f.pivots + i];
        }
        for (auto f = t.fronts.rbegin(); f != t.fronts.rend(); ++f) {
            const view<Parts> l = lower(*f);
            const view<Parts> u = upper(*f);
            scalar* const own = x.data() + f->first;
            for (std::size_t i = 0; i < f->rows.size(); ++i) add_column(u, static_cast<int>(i), 0, f->pivots, -x[f->rows[i]], own);
            for (int k = f->pivots - 1; k >= 0; --k) {
                own[k] = times(own[k], l.at(k, k));
                add_column(l, k, 0, k, -own[k], own);
            }
        }
        for (int k = 0; k < t.n; ++k) {
            if constexpr (Parts == 1) {
                b[0][t.order[k]] = x[k];
            } else {
                b[0][t.order[k]] = x[k].real();
                b[1][t.order[k]] = x[k].imag();
            }
        }
    }

private:
    void make_room()
    {
        const front_tree& t = *tree_;
        values_.resize(static_cast<std::size_t>(Parts) * system_->entries());
        factors_ = number_block(Parts * t.workspace);
        front_ = number_block(Parts * t.largest_front);
        exchanges_.resize(t.n);
        x_.resize(t.n);
        std::size_t most = 0;
        for (const auto& f : t.fronts) most = std::max(most, static_cast<std::size_t>(f.size()));
        rest_.resize(most);
    }

    void write(const scalar& c)
    {
        for (int p = 0; p < system_->entries(); ++p) {
            values_[Parts * static_cast<std::size_t>(p)] = -system_->jacobian(p);
            if constexpr (Parts == 2) values_[2 * static_cast<std::size_t>(p) + 1] = 0;
        }
        system_->for_mass([&](int p, double m) {
            if constexpr (Parts == 1) {
                values_[p] += c * m;
            } else {
                values_[2 * static_cast<std::size_t>(p)] += c.real() * m;
                values_[2 * static_cast<std::size_t>(p) + 1] += c.imag() * m;
            }
        });
    }

    // L with the pivots and the part of U above them; and the rest of U. Most fronts of a grid have few pivots: no column is rounded up.
    [[nodiscard]] view<Parts> lower(const front_tree::front& f) const
    {
        return {factors_.data() + Parts * f.factors, static_cast<std::ptrdiff_t>(f.size()) * f.pivots, f.size()};
    }
    [[nodiscard]] view<Parts> upper(const front_tree::front& f) const
    {
        return {factors_.data() + Parts * (f.factors + static_cast<std::size_t>(f.size()) * f.pivots),
                f.pivots * static_cast<std::ptrdiff_t>(f.rows.size()), f.pivots};
    }
    void keep(const front_tree::front& f, const view<Parts>& from)
    {
        const auto copy = [&](int first, int last, int rows, const view<Parts>& to) {
            for (int part = 0; part < Parts; ++part)
                for (int j = first; j < last; ++j)
                    std::copy_n(from.data + part * from.part + j * from.ld, rows, to.data + part * to.part + (j - first) * to.ld);
        };
        copy(0, f.pivots, f.size(), lower(f));
        copy(f.pivots, f.size(), f.pivots, upper(f));
    }
    void push_rest(const front_tree::front& f, const view<Parts>& from, std::size_t& top)
    {
        const int rows = static_cast<int>(f.rows.size());
        top -= Parts * static_cast<std::size_t>(rows) * rows;
        double* to = factors_.data() + top;
        for (int part = 0; part < Parts; ++part)
            for (int j = f.pivots; j < f.size(); ++j, to += rows) std::copy_n(from.data + part * from.part + f.pivots + j * from.ld, rows, to);
    }
    void add_rest(const front_tree::front& child, const view<Parts>& to, std::size_t& top)
    {
        const std::size_t rows = child.rows.size();
        const double* from = factors_.data() + top;
        top += Parts * rows * rows;
        const int* const at = child.above.data();
        for (int part = 0; part < Parts; ++part)
            for (std::size_t j = 0; j < rows; ++j, from += rows) {
                double* const column = to.data + part * to.part + at[j] * to.ld;
                for (std::size_t i = 0; i < rows; ++i) column[at[i]] += from[i];
            }
    }

    /// y_i += factor · m(i, column)
    static void add_column(const view<Parts>& m, int column, int first, int last, const scalar& factor, scalar* y)
    {
        const double* const a = m.data + column * m.ld;
        if constexpr (Parts == 1) {
            for (int i = first; i < last; ++i) y[i] += factor * a[i];
        } else {
            for (int i = first; i < last; ++i) y[i] += times(factor, {a[i], a[m.part + i]});
        }
    }

    const sparse_system<double>* system_;
    const front_tree* tree_;
    work_vector<double> values_;
    number_block factors_; // at first with a stack behind them, of what fronts leave for their parents
    number_block front_;
    std::vector<int> exchanges_; // of each pivot, within its front
    std::vector<int> waiting_;
    mutable std::vector<scalar> x_;
    mutable std::vector<scalar> rest_; // by rows of a front; those of its pivots are not used
};

/// A matrix that this elimination does not suit goes to KLU, for the rest of the run.
template <int Parts>
class guarded_slot {
public:
    guarded_slot(const path_request<double>& request, const sparse_system<double>& system, const front_tree& tree)
        : request_(request), system_(&system), own_(system, tree)
    {
        request_.reals = Parts == 1 ? 1 : 0;
        request_.complexes = Parts == 1 ? 0 : 1;
    }
    [[nodiscard]] bool factor(const number<Parts>& c)
    {
        if (!other_) {
            if (own_.factor(c)) return true;
            if (!system_->all_finite()) return false;
            other_ = make_klu_path(request_);
        }
        if constexpr (Parts == 1)
            return other_->factor_real(0, c);
        else
            return other_->factor_complex(0, {c.real(), c.imag()});
    }
    void solve(double* const* b) const
    {
        if (!other_) return own_.solve(b);
        if constexpr (Parts == 1)
            other_->solve_real(0, b[0]);
        else
            other_->solve_complex(0, b[0], b[1]);
    }
    [[nodiscard]] bool left_to_another() const { return other_ != nullptr; }

private:
    path_request<double> request_;
    const sparse_system<double>* system_;
    frontal_slot<Parts> own_;
    std::unique_ptr<linear_path<double>> other_;
};

class frontal_path final : public linear_path<double> {
public:
    frontal_path(const path_request<double>& request, front_tree tree) : system_(request), tree_(std::move(tree))
    {
        for (int k = 0; k < request.reals; ++k) reals_.emplace_back(request, system_, tree_);
        for (int k = 0; k < request.complexes; ++k) complexes_.emplace_back(request, system_, tree_);
    }

    bool factor_real(int k, const double& c) override { return reals_[k].factor(c); }
    bool factor_complex(int k, const complex_shift<double>& c) override { return complexes_[k].factor({c.re, c.im}); }
    void solve_real(int k, double* b) const override { reals_[k].solve(&b); }
    void solve_complex(int k, double* b_re, double* b_im) const override
    {
        const std::array b{b_re, b_im};
        complexes_[k].solve(b.data());
    }
    [[nodiscard]] lu_events events() const override
    {
        lu_events sum;
        for (const auto& slot : reals_) sum.reorderings += slot.left_to_another() ? 1 : 0;
        for (const auto& slot : complexes_) sum.reorderings += slot.left_to_another() ? 1 : 0;
        return sum;
    }

private:
    sparse_system<double> system_;
    front_tree tree_;
    // Each has working memory of its own, so that different k can be factored and solved at the same time.
    std::vector<guarded_slot<1>> reals_;
    std::vector<guarded_slot<2>> complexes_;
};

} // namespace

std::unique_ptr<linear_path<double>> make_frontal_path(const path_request<double>& request)
{
    return std::make_unique<frontal_path>(request, front_tree(*request.jacobian.pattern));
}

namespace {

/// Measured on grids of two dimensions: a multiplication takes KLU ten to twenty times as long.
bool klu_is_faster(const sparsity& pattern, const front_tree& tree)
{
    constexpr double advantage = 10;
    return advantage * klu_multiplications(pattern) < tree.multiplications;
}

} // namespace

bool factors_fit(const sparsity& pattern, int matrices)
{
    const front_tree tree(pattern);
    return matrices * tree.bytes() < available_memory() || klu_is_faster(pattern, tree);
}

std::unique_ptr<linear_path<double>> make_large_path(const path_request<double>& request)
{
    const sparsity& pattern = *request.jacobian.pattern;
    front_tree tree(pattern);
    if (klu_is_faster(pattern, tree)) return make_klu_path(request);
    const double bytes = tree.bytes() * (request.reals + 2 * request.complexes);
    if (const double free = available_memory(); bytes > free)
        throw bad_request(
            fmt::format("algebra 'sparse' given for a matrix whose factors need about {:.1f} GB, and {:.1f} GB are free; allowed: krylov",
                        bytes / 1e9, free / 1e9));
    return std::make_unique<frontal_path>(request, std::move(tree));
}

} // namespace ivp
