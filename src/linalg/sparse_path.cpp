// Sparse matrices: order once, compile once, then walk over index lists. The order is checked against the numbers in every factorisation; one
// that does not suit them is replaced by one made from them, and where that does not help either the matrix is factored as a dense one, or by KLU.
#include "linalg/linear_path.hpp"
#include "linalg/sparse_cost.hpp"
#include "linalg/sparse_lu.hpp"
#include "linalg/sparse_order.hpp"
#include "linalg/sparse_program.hpp"
#include "linalg/sparse_system.hpp"
#include <ivp/work_memory.hpp>

#include <ivp/scalar.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

namespace ivp {

namespace {

using kernels::complex_element;
using kernels::solve_sparse;
using kernels::twin;

// ---- what differs between real, complex and both ----------------------------------------------------------------------------------------

template <class R>
struct real_shift {
    R c;
};
template <class R>
struct twin_shift {
    R c;
    complex_shift<R> z;
};

inline double plain(double x) { return x; }
inline double plain(const quad& x) { return value_of(x); }

template <class R>
R minus_jacobian(const real_shift<R>& /*shift*/, const R& j)
{
    return -j;
}
template <class R>
void add_mass(R& a, const real_shift<R>& shift, const R& m)
{
    a += shift.c * m;
}
/// The matrix whose numbers decide the order.
template <class R>
std::complex<double> deciding(const real_shift<R>& shift)
{
    return plain(shift.c);
}

template <class R>
complex_element<R> minus_jacobian(const complex_shift<R>& /*shift*/, const R& j)
{
    return {-j, R(0)};
}
template <class R>
void add_mass(complex_element<R>& a, const complex_shift<R>& shift, const R& m)
{
    a.re += shift.re * m;
    a.im += shift.im * m;
}
template <class R>
std::complex<double> deciding(const complex_shift<R>& shift)
{
    return {plain(shift.re), plain(shift.im)};
}

inline twin minus_jacobian(const twin_shift<double>& /*shift*/, double j) { return {twin::lanes{-j, 0, -j, 0}}; }
inline void add_mass(twin& a, const twin_shift<double>& shift, double m) { a.v += twin::lanes{shift.z.re, shift.z.im, shift.c, 0} * m; }
inline std::complex<double> deciding(const twin_shift<double>& shift) { return shift.c; }

// ---- one factored matrix (or two side by side) ------------------------------------------------------------------------------------------

template <class R>
using shared_program = std::shared_ptr<const sparse_program>;

constexpr int largest_dense = 2000; // a matrix larger than this is not factored as a dense one
constexpr int most_reorderings = 20;

/// A row of |L||U| may exceed the matrix by this much. Rounding is amplified by no more.
template <class R>
R allowed_growth()
{
    return R(64);
}

template <class R, class E, class Shift>
class sparse_slot {
public:
    sparse_slot(const path_request<R>& request, const sparse_system<R>& system, std::shared_ptr<const sparse_program> program, int reals,
                int complexes)
        : request_(request), system_(&system), program_(std::move(program)), row_size_(system.n()), work_(system.n())
    {
        request_.reals = reals;
        request_.complexes = complexes;
        if (program_) values_.resize(program_->entries());
    }

    [[nodiscard]] bool factor(const Shift& shift)
    {
        other_in_use_ = false;
        if (program_ && factor_in_order(shift)) return true;
        if (!system_->all_finite()) return false;
        return reorder(shift) || factor_otherwise(shift);
    }

    [[nodiscard]] const linear_path<R>* other() const { return other_in_use_ ? other_.get() : nullptr; }
    [[nodiscard]] const sparse_program& program() const { return *program_; }
    [[nodiscard]] const E* values() const { return values_.data(); }
    [[nodiscard]] E* work() const { return work_.data(); }
    [[nodiscard]] const lu_events& events() const { return events_; }

private:
    bool factor_in_order(const Shift& shift)
    {
        const sparse_program& s = *program_;
        E* const a = values_.data();
        for (const int p : s.fill) a[p] = E{};
        for (int p = 0; p < system_->entries(); ++p) a[s.place[p]] = minus_jacobian(shift, system_->jacobian(p));
        system_->for_mass([&](int p, const R& m) { add_mass(a[s.place[p]], shift, m); });
        return kernels::factor_sparse(s, allowed_growth<R>(), a, row_size_.data());
    }

    bool reorder(const Shift& shift)
    {
        if (events_.reorderings >= most_reorderings) return false;
        std::vector<std::complex<double>> a(system_->entries());
        for (int p = 0; p < system_->entries(); ++p) a[p] = -plain(system_->jacobian(p));
        const auto c = deciding(shift);
        system_->for_mass([&](int p, const R& m) { a[p] += c * plain(m); });
        for (const double threshold : {0.1, 1.0}) {
            const auto order = order_by_values(system_->pattern(), a, threshold, std::numeric_limits<double>::infinity());
            if (!order.complete(system_->n())) return false;
            program_ = std::make_shared<sparse_program>(compile(system_->pattern(), order));
            values_.resize(program_->entries());
            ++events_.reorderings;
            if (factor_in_order(shift)) return true;
        }
        return false;
    }

    bool factor_otherwise(const Shift& shift)
    {
        other_in_use_ = system_->n() > largest_dense ? factor_by_klu(shift) : factor_as_dense(shift);
        return other_in_use_;
    }

    bool factor_by_klu([[maybe_unused]] const Shift& shift)
    {
#ifdef IVP_HAS_KLU
        if constexpr (std::is_same_v<R, double>) {
            if (!other_) other_ = make_klu_path(request_);
            return factor_other(shift);
        }
#endif
        return false;
    }

    bool factor_as_dense(const Shift& shift)
    {
        const int n = system_->n();
        const std::size_t size = static_cast<std::size_t>(n) * n;
        if (!other_) {
            full_.resize(2 * size);
            const auto view = [&](R* data) { return matrix_view<R>{structure_kind::full, n, 0, 0, n, nullptr, data}; };
            other_ = make_dense_path(path_request<R>{view(full_.data()), {nullptr, view(full_.data() + size)}, request_.reals, request_.complexes});
        }
        std::fill(full_.begin(), full_.end(), R(0));
        const sparsity& s = system_->pattern();
        std::vector<std::size_t> at(s.row.size());
        for (int j = 0; j < n; ++j)
            for (int p = s.column_start[j]; p < s.column_start[j + 1]; ++p) at[p] = s.row[p] + static_cast<std::size_t>(j) * n;
        for (int p = 0; p < s.entries(); ++p) full_[at[p]] = system_->jacobian(p);
        system_->for_mass([&](int p, const R& m) { full_[size + at[p]] = m; });
        ++events_.dense_factorisations;
        return factor_other(shift);
    }
    bool factor_other(const real_shift<R>& shift) { return other_->factor_real(0, shift.c); }
    bool factor_other(const complex_shift<R>& shift) { return other_->factor_complex(0, shift); }
    bool factor_other(const twin_shift<R>& shift) { return other_->factor_real(0, shift.c) && other_->factor_complex(0, shift.z); }

    path_request<R> request_;
    const sparse_system<R>* system_;
    std::shared_ptr<const sparse_program> program_; // null: the structure is singular
    work_vector<E> values_;
    work_vector<typename kernels::arithmetic<E>::gauge> row_size_;
    mutable work_vector<E> work_;
    std::unique_ptr<linear_path<R>> other_; // for matrices that no order suits
    work_vector<R> full_;                   // J and M, if it is a dense one
    bool other_in_use_ = false;
    lu_events events_;
};

// ---- the path ---------------------------------------------------------------------------------------------------------------------------

template <class R>
class sparse_path final : public linear_path<R> {
public:
    sparse_path(const path_request<R>& request, const pivot_order& order) : system_(request)
    {
        std::shared_ptr<const sparse_program> program;
        if (order.complete(system_.n())) program = std::make_shared<sparse_program>(compile(system_.pattern(), order));
        for (int k = 0; k < request.reals; ++k) reals_.emplace_back(request, system_, program, 1, 0);
        for (int k = 0; k < request.complexes; ++k) complexes_.emplace_back(request, system_, program, 0, 1);
        if constexpr (has_twins)
            if (request.reals > 0 && request.complexes > 0) twins_.emplace_back(request, system_, program, 1, 1);
        real_in_twin_ = complex_in_twin_ = false;
    }

    bool factor_real(int k, const R& c) override
    {
        if (k == 0) real_in_twin_ = false;
        return reals_[k].factor({c});
    }
    bool factor_complex(int k, const complex_shift<R>& c) override
    {
        if (k == 0) complex_in_twin_ = false;
        return complexes_[k].factor(c);
    }

    bool factor(std::span<const R> reals, std::span<const complex_shift<R>> complexes) override
    {
        std::size_t first = 0;
        if constexpr (has_twins) {
            if (!twins_.empty()) {
                if (!twins_[0].factor({reals[0], complexes[0]})) return false;
                real_in_twin_ = complex_in_twin_ = true;
                first = 1;
            }
        }
        for (std::size_t k = first; k < reals.size(); ++k)
            if (!factor_real(static_cast<int>(k), reals[k])) return false;
        for (std::size_t k = first; k < complexes.size(); ++k)
            if (!factor_complex(static_cast<int>(k), complexes[k])) return false;
        return true;
    }

    void solve_real(int k, R* b) const override
    {
        const auto load = [b](int i) { return b[i]; };
        const auto store = [b](int j, const R& x) { b[j] = x; };
        const auto& slot = reals_[k];
        if constexpr (has_twins) {
            if (k == 0 && real_in_twin_) {
                const auto& both = twins_[0];
                if (both.other()) return both.other()->solve_real(0, b);
                const twin* const a = both.values();
                return solve_sparse(
                    both.program(), [a](int p) { return a[p].v[2]; }, load, store, slot.work());
            }
        }
        if (slot.other()) return slot.other()->solve_real(0, b);
        const R* const a = slot.values();
        solve_sparse(
            slot.program(), [a](int p) { return a[p]; }, load, store, slot.work());
    }

    void solve_complex(int k, R* b_re, R* b_im) const override
    {
        using E = complex_element<R>;
        const auto load = [=](int i) { return E{b_re[i], b_im[i]}; };
        const auto store = [=](int j, const E& x) {
            b_re[j] = x.re;
            b_im[j] = x.im;
        };
        const auto& slot = complexes_[k];
        if constexpr (has_twins) {
            if (k == 0 && complex_in_twin_) {
                const auto& both = twins_[0];
                if (both.other()) return both.other()->solve_complex(0, b_re, b_im);
                const twin* const a = both.values();
                return solve_sparse(
                    both.program(),
                    [a](int p) {
                        return E{a[p].v[0], a[p].v[1]};
                    },
                    load, store, slot.work());
            }
        }
        if (slot.other()) return slot.other()->solve_complex(0, b_re, b_im);
        const E* const a = slot.values();
        solve_sparse(
            slot.program(), [a](int p) { return a[p]; }, load, store, slot.work());
    }

    void solve_all(int reals, int complexes, R* const* b) const override
    {
        int first = 0;
        if constexpr (has_twins) {
            if (!twins_.empty() && !twins_[0].other()) {
                R* const real = b[0];
                R* const re = b[reals];
                R* const im = b[reals + 1];
                const twin* const a = twins_[0].values();
                solve_sparse(
                    twins_[0].program(), [a](int p) { return a[p]; },
                    [=](int i) {
                        return twin{twin::lanes{re[i], im[i], real[i], 0}};
                    },
                    [=](int j, const twin& x) {
                        re[j] = x.v[0];
                        im[j] = x.v[1];
                        real[j] = x.v[2];
                    },
                    twins_[0].work());
                first = 1;
            }
        }
        for (int k = first; k < reals; ++k) solve_real(k, b[k]);
        for (int k = first; k < complexes; ++k) solve_complex(k, b[reals + 2 * k], b[reals + 2 * k + 1]);
    }

    [[nodiscard]] lu_events events() const override
    {
        lu_events sum;
        const auto add = [&sum](const auto& slots) {
            for (const auto& slot : slots) sum += slot.events();
        };
        add(reals_);
        add(complexes_);
        if constexpr (has_twins) add(twins_);
        return sum;
    }

private:
    static constexpr bool has_twins = std::is_same_v<R, double>;
    struct nothing {};

    sparse_system<R> system_;
    std::vector<sparse_slot<R, R, real_shift<R>>> reals_;
    std::vector<sparse_slot<R, complex_element<R>, complex_shift<R>>> complexes_;
    // The first real and the first complex matrix, when they are factored together; none or one.
    std::conditional_t<has_twins, std::vector<sparse_slot<double, twin, twin_shift<double>>>, nothing> twins_;
    bool real_in_twin_;
    bool complex_in_twin_;
};

} // namespace

template <class R>
std::unique_ptr<linear_path<R>> make_sparse_path(const path_request<R>& request)
{
    double most_updates = std::numeric_limits<double>::infinity();
    if constexpr (std::is_same_v<R, double>) most_updates = most_updates_by_lists(*request.jacobian.pattern, request.complexes > 0);
#ifdef IVP_HAS_KLU
    if constexpr (std::is_same_v<R, double>)
        if (most_updates == 0) return make_large_path(request);
#endif
    const sparse_system<R> system(request);
    const auto order = order_by_values(system.pattern(), typical_values(system.pattern(), system.in_mass()), 0.1, most_updates);
#ifdef IVP_HAS_KLU
    if constexpr (std::is_same_v<R, double>)
        if (!order.complete(system.n()) && order.updates >= most_updates) return make_large_path(request);
#endif
    return std::make_unique<sparse_path<R>>(request, order);
}

template std::unique_ptr<linear_path<double>> make_sparse_path(const path_request<double>&);
template std::unique_ptr<linear_path<quad>> make_sparse_path(const path_request<quad>&);

} // namespace ivp
