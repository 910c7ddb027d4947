#include "linalg/kernel_set.hpp"
#include "linalg/linear_path.hpp"
#include <ivp/work_memory.hpp>

#include <cassert>
#include <cstddef>
#include <vector>

namespace ivp {

namespace {

/// Small and middle matrices: nothing between the caller and the kernel, which makes c M − J itself.
template <class Factors>
class shifted_path : public linear_path<double> {
public:
    shifted_path(const path_request<double>& request, const kernels::shifted_kernels<Factors>& kernels)
        : kernels_(&kernels),
          source_{request.jacobian.data, request.imaginary_jacobian.data, request.mass.evaluated.data},
          reals_(request.reals),
          factors_(static_cast<std::size_t>(request.reals + request.complexes))
    {
        assert(request.jacobian.ld == request.jacobian.n);
        if (request.mass.constant == nullptr || request.mass.constant->kind() == mass_kind::identity) return;
        const auto n = static_cast<std::size_t>(request.jacobian.n);
        mass_.assign(n * n, 0.0);
        request.mass.constant->for_each_entry([&](int i, int j, const double& value) { mass_[i + j * n] = value; });
        source_.mass = mass_.data();
    }

    bool factor_real(int k, const double& c) final { return kernels_->factor_real(source_, c, factors_[k]); }
    bool factor_complex(int k, const complex_shift<double>& c) final { return kernels_->factor_complex(source_, c.re, c.im, factors_[reals_ + k]); }
    bool factor(std::span<const double> reals, std::span<const complex_shift<double>> complexes) final
    {
        if (reals.size() != 1 || complexes.size() != 1) return linear_path<double>::factor(reals, complexes);
        return kernels_->factor_pair(source_, reals[0], complexes[0].re, complexes[0].im, factors_[0], factors_[reals_]);
    }

    void solve_real(int k, double* b) const final { kernels_->solve_real(factors_[k], b); }
    void solve_sum(int k, int /*n*/, const double* a, const double* b, double* x) const final { kernels_->solve_sum(factors_[k], a, b, x); }
    void solve_complex(int k, double* b_re, double* b_im) const final { kernels_->solve_complex(factors_[reals_ + k], b_re, b_im); }
    void solve_all(int reals, int complexes, double* const* b) const final
    {
        if (reals != 1 || complexes != 1) return linear_path<double>::solve_all(reals, complexes, b);
        kernels_->solve_pair(factors_[0], factors_[reals_], b[0], b[1], b[2]);
    }

protected:
    [[nodiscard]] std::vector<Factors>& factors() { return factors_; }

private:
    const kernels::shifted_kernels<Factors>* kernels_;
    std::vector<double> mass_; // a constant M that is not the identity
    kernels::shifted_source source_;
    int reals_;
    std::vector<Factors> factors_;
};

class middle_path final : public shifted_path<kernels::middle_factors> {
public:
    explicit middle_path(const path_request<double>& request) : shifted_path(request, kernels::chosen_kernels().middle)
    {
        const int n = request.jacobian.n;
        const int rows = kernels::middle_factors::rows_for(n);
        const std::size_t values = kernels::middle_factors::values(rows);
        values_.assign(values * (request.reals + 2 * request.complexes), 0.0);
        order_.assign(static_cast<std::size_t>(rows) * (request.reals + request.complexes), 0);
        double* next = values_.data();
        for (int k = 0; k < request.reals + request.complexes; ++k) {
            const bool real = k < request.reals;
            factors()[k] = {n, rows, next, real ? nullptr : next + values, order_.data() + static_cast<std::ptrdiff_t>(rows) * k};
            next += real ? values : 2 * values;
        }
    }

private:
    work_vector<double> values_; // begin on a cache line, so that no pack lies on two
    std::vector<int> order_;
};

} // namespace

std::unique_ptr<linear_path<double>> make_small_path(const path_request<double>& request)
{
    return std::make_unique<shifted_path<kernels::small_factors>>(request, kernels::chosen_kernels().small[request.jacobian.n - 1]);
}

std::unique_ptr<linear_path<double>> make_middle_path(const path_request<double>& request) { return std::make_unique<middle_path>(request); }

} // namespace ivp
