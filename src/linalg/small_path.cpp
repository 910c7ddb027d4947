#include "linalg/kernel_set.hpp"
#include "linalg/linear_path.hpp"

#include <cassert>
#include <cstddef>
#include <vector>

namespace ivp {

namespace {

/// Up to eight equations: nothing between the caller and the kernel of the size, which makes c M − J itself.
class small_path final : public linear_path<double> {
public:
    explicit small_path(const path_request<double>& request)
        : kernels_(&kernels::chosen_kernels().small[request.jacobian.n - 1]),
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

    bool factor_real(int k, const double& c) override { return kernels_->factor_real(source_, c, factors_[k]); }
    bool factor_complex(int k, const complex_shift<double>& c) override
    {
        return kernels_->factor_complex(source_, c.re, c.im, factors_[reals_ + k]);
    }
    bool factor(std::span<const double> reals, std::span<const complex_shift<double>> complexes) override
    {
        if (reals.size() != 1 || complexes.size() != 1) return linear_path<double>::factor(reals, complexes);
        return kernels_->factor_pair(source_, reals[0], complexes[0].re, complexes[0].im, factors_[0], factors_[reals_]);
    }

    void solve_real(int k, double* b) const override { kernels_->solve_real(factors_[k], b); }
    void solve_complex(int k, double* b_re, double* b_im) const override { kernels_->solve_complex(factors_[reals_ + k], b_re, b_im); }
    void solve_all(int reals, int complexes, double* const* b) const override
    {
        if (reals != 1 || complexes != 1) return linear_path<double>::solve_all(reals, complexes, b);
        kernels_->solve_pair(factors_[0], factors_[reals_], b[0], b[1], b[2]);
    }

private:
    const kernels::small_kernels* kernels_;
    std::vector<double> mass_; // a constant M that is not the identity
    kernels::shifted_source source_;
    int reals_;
    std::vector<kernels::small_factors> factors_;
};

} // namespace

std::unique_ptr<linear_path<double>> make_small_path(const path_request<double>& request) { return std::make_unique<small_path>(request); }

} // namespace ivp
