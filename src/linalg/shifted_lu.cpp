#include "shifted_lu.hpp"

#include "linalg/kernel_set.hpp"
#include "linalg/linear_path.hpp"
#include "linalg/sparse_cost.hpp"
#include "linalg/sparse_order.hpp"

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

namespace ivp {

namespace {

// Multiply-adds of one factorisation and one solve; for a band matrix with all the fill that pivoting can cause.
double work_with_band(int n, int lower, int upper)
{
    double sum = 0;
    for (int k = 0; k < n; ++k) {
        const double below = std::min(lower, n - 1 - k);
        const double right = std::min(lower + upper, n - 1 - k);
        sum += below * right + below + right;
    }
    return sum;
}

// NOTE: decided by counting: band if it saves more than half of the work, since its loops are only `lower` long and hardly vectorise.
// Measured (one real and one complex factorisation and solve, n = 2 … 48, bands from 0,0 to 8,8), the path chosen so is at worst some 15 %
// slower than the other, at n near 8, where latency rules; a band factorisation is twice as fast as a dense one from n = 32 on. A single real matrix
// that fits into registers is faster dense (transamp, n = 8, iteration band 2,1: a sixth of the time of RODAS); with a complex one beside it
// the two are equal. The results of the two paths are the same up to rounding.
bool band_pays(const structure& s, int n, const linear_work& w)
{
    if (n <= kernels::largest_small && w.complex_matrices == 0) return false;
    return 2 * work_with_band(n, s.lower, s.upper) < work_with_band(n, n - 1, n - 1);
}

// NOTE: nanoseconds, fitted to measured times of the kernels (bench/): one real factorisation, and as many complex ones and solves with all of
// them as the method makes. Only the ratio of the two matters.
double time_of_dense(int unknowns, const linear_work& w)
{
    const double n = unknowns - w.eliminated;
    const double reduction = w.eliminated * (1 + 3 * w.complex_matrices) * (5 + 0.25 * n + w.solves * (3 + 0.1 * n));
    const bool middle = n <= kernels::largest_middle;
    const double real = middle ? (0.012 * n + 1.0) * n * n + 40 : (0.0121 * n + 0.94) * n * n + 16 * n;
    const double complex = middle ? (0.042 * n + 1.4) * n * n + 80 : (0.0462 * n + 2.1) * n * n;
    const double solve = middle ? 4.1 * n : 0.075 * n * n + 3 * n + 70;
    return real + w.complex_matrices * complex + w.solves * (1 + 1.4 * w.complex_matrices) * solve + reduction;
}
// Making an order costs as much as some twenty factorisations, and a run may need more than one: orders of few updates, which pay in all runs, count
// as a share of a factorisation. A large one must be paid by the factorisations of the run. Measured on fekete with 40 points and more, whose matrix
// changes by orders of magnitude as the steps grow: every third real matrix of a multistep method needs a new order, every twelfth of RADAU5.
constexpr double large_order = 1e5; // updates
double time_of_order(double entries, double updates, const linear_work& w)
{
    const double share = w.complex_matrices > 0 ? 0.08 : 0.32;
    return updates > large_order ? share * (15.5 * updates + 60 * entries) : 0;
}
double time_of_sparse(double n, double entries, double updates, const linear_work& w)
{
    constexpr double with_order = 1.75;
    const bool complex_too = w.complex_matrices > 0;
    const double solve = (complex_too ? 1.0 : 0.6) * (entries + 3.3 * n);
    return time_of_order(entries, updates, w) + with_order * time_by_lists(n, entries, updates, complex_too) + w.solves * solve;
}

#ifdef IVP_HAS_KLU
// Their order is made once.
double time_of_fronts(const front_tree& tree, const linear_work& w)
{
    const double solve = 0.3 * static_cast<double>(tree.factor_size) + 5.0 * tree.n;
    return (1 + complex_in_fronts * w.complex_matrices) * (time_by_fronts(tree) + w.solves * solve);
}
#endif

bool sparse_pays(const sparsity& s, const linear_work& w)
{
    if (s.n <= kernels::largest_small) return false; // a dense solve is shorter than any walk over indices
    const double limit = time_of_dense(s.n, w);
    if (time_of_sparse(s.n, s.entries(), 0, w) >= limit) return false; // not even without fill: making an order takes as long as several steps
    if (s.n >= 100 && s.entries() <= 6 * s.n) return true;             // whatever the fill, and without looking for it
    constexpr int too_many_to_try = 4000;                              // an order would take minutes, and a dense factorisation nearly a second
    if (s.n > too_many_to_try && s.entries() / s.n < s.n / 50) return true;
    const double for_fronts = most_updates_by_lists(s, w.complex_matrices > 0);
#ifdef IVP_HAS_KLU
    if (for_fronts == 0) return time_of_fronts(front_tree(s), w) < limit;
#endif
    std::vector<char> diagonal(s.row.size(), 0);
    for (int j = 0; j < s.n; ++j)
        if (const int p = s.find(j, j); p >= 0) diagonal[p] = 1;
    // The search ends when so many updates would be too many.
    const double dear = std::max(large_order, limit / (time_of_sparse(0, 0, 2 * large_order, w) / (2 * large_order)));
    const auto order = order_by_values(s, typical_values(s, diagonal), 0.1, std::min(dear, for_fronts));
    if (order.complete(s.n) && time_of_sparse(s.n, order.entries, order.updates, w) < limit) return true;
#ifdef IVP_HAS_KLU
    if (s.n > few_for_fronts) {
        // Fewer updates than fronts are worth, but orders that would be made again and again are too dear for them: fronts, which need one order,
        // must be so much better than a dense matrix that the lists are too.
        const double margin = order.updates >= for_fronts ? 1 : 2;
        return margin * time_of_fronts(front_tree(s), w) < limit;
    }
#endif
    return false;
}

/// Whether the factors do. Those of few unknowns always do, and nobody waits for an answer.
bool fits_into_memory([[maybe_unused]] const sparsity& s, [[maybe_unused]] const linear_work& w)
{
#ifdef IVP_HAS_KLU
    constexpr int few = 20000;
    return s.n <= few || factors_fit(s, w.real_matrices + 2 * w.complex_matrices);
#else
    return true;
#endif
}

bool same(const linear_work& a, const linear_work& b)
{
    return a.complex_matrices == b.complex_matrices && a.solves == b.solves && a.real_matrices == b.real_matrices && a.eliminated == b.eliminated;
}

/// What has been decided for a pattern. A run that is repeated, and a run in several segments, ask again and again.
class decisions {
public:
    /// Answers what decide() has answered before.
    template <class Decide>
    bool sparse_pays(const std::shared_ptr<const sparsity>& pattern, const linear_work& work, const Decide& decide)
    {
        {
            const std::scoped_lock lock(mutex_);
            for (const auto& d : made_)
                if (same(d.work, work) && d.pattern.lock() == pattern) return d.pays;
        }
        const bool pays = decide();
        const std::scoped_lock lock(mutex_);
        made_[next_++ % made_.size()] = {pattern, work, pays};
        return pays;
    }

private:
    struct decision {
        std::weak_ptr<const sparsity> pattern;
        linear_work work;
        bool pays = false;
    };
    std::mutex mutex_;
    std::array<decision, 8> made_;
    std::size_t next_ = 0;
};

bool sparse_pays_for(const std::shared_ptr<const sparsity>& pattern, const linear_work& work)
{
    static decisions known;
    return known.sparse_pays(pattern, work, [&] { return sparse_pays(*pattern, work); });
}

std::string allowed_for(const structure& s)
{
    switch (s.kind) {
    case structure_kind::band: return "auto, dense, band, krylov";
    case structure_kind::sparse: return "auto, dense, sparse, krylov";
    case structure_kind::full: break;
    }
    return "auto, dense";
}

} // namespace

algebra choose_algebra(algebra asked, const structure& iteration_structure, int n, const linear_work& work)
{
    const structure& s = iteration_structure;
    switch (asked) {
    case algebra::automatic:
        if (s.kind == structure_kind::band && band_pays(s, n, work)) return algebra::band;
        if (s.kind != structure_kind::sparse || !sparse_pays_for(s.pattern, work)) return algebra::dense;
        return fits_into_memory(*s.pattern, work) ? algebra::sparse : algebra::krylov;
    case algebra::dense: return algebra::dense;
    case algebra::band:
        if (s.kind == structure_kind::band) return algebra::band;
        throw bad_request("algebra 'band' given for a matrix whose structure is " + s.describe() + "; allowed: " + allowed_for(s));
    case algebra::sparse:
        if (s.kind == structure_kind::sparse) return algebra::sparse;
        break;
    case algebra::krylov:
        if (s.kind != structure_kind::full) return algebra::krylov;
        break;
    }
    throw bad_request("algebra '" + std::string(label(asked)) + "' given for a matrix whose structure is " + s.describe() +
                      "; allowed: " + allowed_for(s));
}

namespace {

std::shared_ptr<const sparsity> pattern_of(const structure& s, int n)
{
    if (s.kind == structure_kind::sparse) return s.pattern;
    auto band = std::make_shared<sparsity>();
    band->n = n;
    band->column_start.push_back(0);
    for (int j = 0; j < n; ++j) {
        for (int i = std::max(0, j - s.upper); i <= std::min(n - 1, j + s.lower); ++i) band->row.push_back(i);
        band->column_start.push_back(band->entries());
    }
    return band;
}

} // namespace

template <class R>
jacobian_matrix<R>::jacobian_matrix(algebra path, const structure& iteration_structure, int n) : path_(choose_algebra(path, iteration_structure, n))
{
    view_.n = n;
    switch (path_) {
    case algebra::band:
        view_.kind = structure_kind::band;
        view_.lower = iteration_structure.lower;
        view_.upper = iteration_structure.upper;
        view_.ld = view_.lower + view_.upper + 1;
        break;
    case algebra::sparse:
    case algebra::krylov:
        pattern_ = pattern_of(iteration_structure, n);
        view_.kind = structure_kind::sparse;
        view_.pattern = pattern_.get();
        break;
    case algebra::dense:
    case algebra::automatic:
        view_.kind = structure_kind::full;
        view_.ld = n;
        break;
    }
    constexpr std::size_t most_entries = std::numeric_limits<int>::max(); // places in a matrix are ints
    if (view_.size() > most_entries)
        throw bad_request("algebra '" + std::string(label(path_)) + "': a matrix of " + std::to_string(n) + " equations with " +
                          std::to_string(view_.size()) + " entries asked for; allowed: at most " + std::to_string(most_entries) + " entries" +
                          (iteration_structure.kind == structure_kind::full ? "" : ", or algebra '" + std::string(label(algebra::krylov)) + "'"));
    values_.assign(view_.size(), R(0));
    view_.data = values_.data();
}

namespace {

template <class R>
void require_mass_inside(const matrix_view<R>& j, const mass_matrix<R>& m)
{
    if (m.n() != j.n)
        throw bad_request("mass matrix of dimension " + std::to_string(m.n()) + " given; allowed: " + std::to_string(j.n) + ", as the Jacobian");
    if (j.kind == structure_kind::sparse || m.kind() == mass_kind::sparse) {
        m.for_each_entry([&](int row, int col, const R& value) {
            if (!(value == R(0)) && j.position(row, col) < 0)
                throw bad_request("mass matrix (" + m.describe() + ") given; allowed: one inside the iteration matrix, which has no entry (" +
                                  std::to_string(row + 1) + ", " + std::to_string(col + 1) + ")");
        });
    }
    const bool sparse = m.kind() == mass_kind::sparse; // judged by its entries
    if (j.kind == structure_kind::band && !sparse && (m.lower() > j.lower || m.upper() > j.upper))
        throw bad_request("mass matrix (" + m.describe() + ") given; allowed: one inside the iteration matrix (" +
                          structure::band(j.lower, j.upper).describe() + ")");
}

template <class R>
std::unique_ptr<linear_path<R>> make_path(const path_request<R>& request)
{
    if (request.path == algebra::krylov) {
        if constexpr (std::is_same_v<R, double>)
            return make_krylov_path(request);
        else
            throw bad_request("algebra 'krylov' given for quadruple precision; allowed: auto, dense, band, sparse");
    }
    if (request.jacobian.kind == structure_kind::band) return make_band_path(request);
    if (request.jacobian.kind == structure_kind::sparse) return make_sparse_path(request);
    if (request.reduction.hessenberg) return make_hessenberg_path(request);
    return request.reduction.chain.m1 > 0 ? make_chained_path(request) : make_dense_path(request);
}

} // namespace

template <class R>
reduction choose_reduction(const derivative_chain& chain, bool hessenberg, const jacobian_matrix<R>& j, const mass_matrix<R>& m)
{
    if (!hessenberg) return {chain, false};
    const auto refuse = [](const std::string& what) {
        throw bad_request("Hessenberg form asked for " + what + "; allowed: a full Jacobian without mass matrix");
    };
    if (j.view().kind != structure_kind::full) refuse("a matrix whose structure is " + structure::band(j.view().lower, j.view().upper).describe());
    if (m.kind() != mass_kind::identity) refuse("a problem with a mass matrix (" + m.describe() + ")");
    return {{}, true};
}

template <class R>
struct shifted_lu<R>::implementation {
    implementation(const path_request<R>& request, counters& c)
        : count(c), n(request.jacobian.n), reals(request.reals), complexes(request.complexes), path(make_path<R>(request))
    {}
    ~implementation()
    {
        const lu_events seen = path->events();
        count.krylov_iterations += seen.krylov_iterations;
        count.krylov_failures += seen.unconverged;
        count.preconditioner_solves += seen.preconditioner_solves;
    }
    implementation(const implementation&) = delete;
    implementation& operator=(const implementation&) = delete;

    counters& count;
    int n;
    int reals;
    int complexes;
    int reals_factored = -1; ///< by factor(), -1: failed; the pieces are the caller's affair
    int complexes_factored = -1;
    std::vector<R> mass; ///< a sparse M where J is not sparse
    std::unique_ptr<linear_path<R>> path;
};

template <class R>
shifted_lu<R>::shifted_lu(const jacobian_matrix<R>& j, const mass_matrix<R>& m, int real_shifts, int complex_shifts, counters& count,
                          const reduction& r)
{
    require_mass_inside(j.view(), m);
    assert(!r.hessenberg || (j.view().kind == structure_kind::full && m.kind() == mass_kind::identity));
    const matrix_view<R>& view = j.view();
    if (m.kind() != mass_kind::sparse || view.kind == structure_kind::sparse) {
        impl_ = std::make_unique<implementation>(path_request<R>{view, {&m, {}}, real_shifts, complex_shifts, j.path(), r}, count);
        return;
    }
    // The dense and band paths know no sparse M; they get it stored like J.
    std::vector<R> values(view.size(), R(0));
    const matrix_view<R> stored_like_j{view.kind, view.n, view.lower, view.upper, view.ld, nullptr, values.data()};
    m.for_each_entry([&](int row, int col, const R& value) {
        if (!(value == R(0))) stored_like_j.set(row, col, value);
    });
    impl_ = std::make_unique<implementation>(path_request<R>{view, {nullptr, stored_like_j}, real_shifts, complex_shifts}, count);
    impl_->mass = std::move(values);
}

template <class R>
shifted_lu<R>::shifted_lu(const jacobian_matrix<R>& j, const jacobian_matrix<R>& m, int real_shifts, int complex_shifts, counters& count)
    : impl_(std::make_unique<implementation>(path_request<R>{j.view(), {nullptr, m.view()}, real_shifts, complex_shifts, j.path()}, count))
{
    assert(j.view().kind == m.view().kind && j.n() == m.n());
}

template <class R>
shifted_lu<R>::~shifted_lu() = default;

template <class R>
shifted_lu<R>::shifted_lu(shifted_lu&&) noexcept = default;

template <class R>
bool shifted_lu<R>::factor(std::span<const R> real_shifts, std::span<const complex_shift<R>> complex_shifts)
{
    implementation& a = *impl_;
    assert(static_cast<int>(real_shifts.size()) <= a.reals && static_cast<int>(complex_shifts.size()) <= a.complexes);
    const bool factored = a.path->factor(real_shifts, complex_shifts);
    a.reals_factored = factored ? static_cast<int>(real_shifts.size()) : -1;
    a.complexes_factored = factored ? static_cast<int>(complex_shifts.size()) : -1;
    if (!factored) return false;
    a.count.lu += 1;
    a.count.real_factorisations += real_shifts.size();
    a.count.complex_factorisations += complex_shifts.size();
    return true;
}

template <class R>
bool shifted_lu<R>::factor_real(int k, const R& shift)
{
    assert(0 <= k && k < impl_->reals);
    return impl_->path->factor_real(k, shift);
}

template <class R>
void shifted_lu<R>::solve_real(int k, R* b) const
{
    assert(0 <= k && k < impl_->reals);
    impl_->path->solve_real(k, b);
}

template <class R>
void shifted_lu<R>::solve_sum(int k, const R* a, const R* b, R* x) const
{
    assert(0 <= k && k < impl_->reals);
    impl_->path->solve_sum(k, impl_->n, a, b, x);
}

template <class R>
void shifted_lu<R>::solve_complex(int k, R* b_re, R* b_im) const
{
    assert(0 <= k && k < impl_->complexes);
    impl_->path->solve_complex(k, b_re, b_im);
}

template <class R>
void shifted_lu<R>::solve_all(std::span<R* const> b) const
{
    assert(impl_->reals_factored >= 0 && static_cast<int>(b.size()) == impl_->reals_factored + 2 * impl_->complexes_factored);
    impl_->path->solve_all(impl_->reals_factored, impl_->complexes_factored, b.data());
}

template <class R>
void shifted_lu<R>::set_accuracy(const solve_accuracy<R>& accuracy)
{
    impl_->path->set_accuracy(accuracy);
}

template <class R>
void shifted_lu<R>::set_preconditioning(const preconditioning& choice)
{
    impl_->path->set_preconditioning(choice);
}

template <class R>
void shifted_lu<R>::set_product(jacobian_product<R> product)
{
    impl_->path->set_product(std::move(product));
}

template <class R>
void shifted_lu<R>::set_preconditioner(const preconditioner_maker<R>& make)
{
    impl_->path->set_preconditioner(make);
}

template <class R>
void shifted_lu<R>::set_team(thread_team* team)
{
    constexpr int fewest_unknowns = 500; // below, a solve takes less time than waking another thread
    if (impl_->n >= fewest_unknowns && impl_->reals + impl_->complexes > 1) impl_->path->set_team(team);
}

template <class R>
lu_events shifted_lu<R>::events() const
{
    return impl_->path->events();
}

template reduction choose_reduction(const derivative_chain&, bool, const jacobian_matrix<double>&, const mass_matrix<double>&);
template reduction choose_reduction(const derivative_chain&, bool, const jacobian_matrix<quad>&, const mass_matrix<quad>&);
template class jacobian_matrix<double>;
template class jacobian_matrix<quad>;
template class shifted_lu<double>;
template class shifted_lu<quad>;

} // namespace ivp
