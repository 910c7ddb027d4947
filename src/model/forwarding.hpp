// Equations that hand everything on to others: what a view does not change.
#ifndef IVP_SRC_MODEL_FORWARDING_HPP
#define IVP_SRC_MODEL_FORWARDING_HPP

#include <ivp/problem.hpp>

#include <memory>
#include <utility>

namespace ivp {

class forwarding_equations : public equations<double> {
public:
    explicit forwarding_equations(std::shared_ptr<const equations<double>> to) : to_(std::move(to)) {}
    [[nodiscard]] const equations<double>& behind() const { return *to_; }

    [[nodiscard]] std::vector<double> initial_values() const override { return to_->initial_values(); }
    [[nodiscard]] std::vector<double> initial_derivatives() const override { return to_->initial_derivatives(); }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return to_->mass(); }
    evaluation f(const double& t, const double* y, double* out) const override { return to_->f(t, y, out); }
    evaluation g(const double& t, const double* y, const double* yp, double* out) const override { return to_->g(t, y, yp, out); }
    [[nodiscard]] bool has_exact_jacobian() const override { return to_->has_exact_jacobian(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override { return to_->make_scratch(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch_for(const structure& known) const override { return to_->make_scratch_for(known); }
    evaluation jacobian(const double& t, const double* y, scratch& work, const matrix_view<double>& out) const override
    {
        return to_->jacobian(t, y, work, out);
    }
    [[nodiscard]] bool has_published_jacobian() const override { return to_->has_published_jacobian(); }
    evaluation published_jacobian(const double& t, const double* y, scratch& work, const matrix_view<double>& out) const override
    {
        return to_->published_jacobian(t, y, work, out);
    }
    evaluation partials(const double& t, const double* y, const double* yp, const double& a, const double& b, scratch& work,
                        const matrix_view<double>& out) const override
    {
        return to_->partials(t, y, yp, a, b, work, out);
    }
    evaluation time_derivative(const double& t, const double* y, const double* yp, scratch& work, double* out) const override
    {
        return to_->time_derivative(t, y, yp, work, out);
    }
    [[nodiscard]] bool has_products() const override { return to_->has_products(); }
    evaluation products(const double& t, const double* y, std::span<const double* const> v, scratch& work,
                        std::span<double* const> out) const override
    {
        return to_->products(t, y, v, work, out);
    }
    [[nodiscard]] std::unique_ptr<own_preconditioner<double>> make_preconditioner() const override { return to_->make_preconditioner(); }
    [[nodiscard]] dependencies trace(const double& t, const double* y, const double* yp) const override { return to_->trace(t, y, yp); }
    [[nodiscard]] std::optional<dependencies> trace_all(const double& t, const double* y, const double* yp) const override
    {
        return to_->trace_all(t, y, yp);
    }
    [[nodiscard]] plain_function<double> plain_f() const override { return to_->plain_f(); }
    [[nodiscard]] function_pieces<double> pieces_of_f() const override { return to_->pieces_of_f(); }
    [[nodiscard]] evaluation meaning_of(int answer) const override { return to_->meaning_of(answer); }

private:
    std::shared_ptr<const equations<double>> to_;
};

} // namespace ivp

#endif
