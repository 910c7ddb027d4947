#include "text/formulas.hpp"
#include "text/outputs.hpp"

namespace ivp::text {

namespace {

/// The equations of a model that names outputs: what solvers ask goes to the equations themselves.
class equations_with_outputs final : public equations<double>, public has_outputs {
public:
    equations_with_outputs(std::shared_ptr<const equations<double>> of, std::shared_ptr<const shared_parts> parts)
        : of_(std::move(of)),
          parts_(std::move(parts)),
          c_(constants_of<double>(parts_->model->output_code, *parts_->model->text, parts_->model->parameters))
    {}

    [[nodiscard]] const std::vector<std::string>& output_names() const override { return parts_->model->output_names; }
    bool outputs(double t, const double* y, double* out) const override
    {
        return execute<double, double>(parts_->model->output_code, c_, t, y, nullptr, out) == evaluation::ok;
    }

    [[nodiscard]] std::vector<double> initial_values() const override { return of_->initial_values(); }
    [[nodiscard]] std::vector<double> initial_derivatives() const override { return of_->initial_derivatives(); }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return of_->mass(); }
    evaluation f(const double& t, const double* y, double* out) const override { return of_->f(t, y, out); }
    evaluation g(const double& t, const double* y, const double* yp, double* out) const override { return of_->g(t, y, yp, out); }
    [[nodiscard]] bool has_exact_jacobian() const override { return of_->has_exact_jacobian(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override { return of_->make_scratch(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch_for(const structure& known) const override { return of_->make_scratch_for(known); }
    evaluation jacobian(const double& t, const double* y, scratch& work, const matrix_view<double>& out) const override
    {
        return of_->jacobian(t, y, work, out);
    }
    evaluation partials(const double& t, const double* y, const double* yp, const double& a, const double& b, scratch& work,
                        const matrix_view<double>& out) const override
    {
        return of_->partials(t, y, yp, a, b, work, out);
    }
    evaluation time_derivative(const double& t, const double* y, const double* yp, scratch& work, double* out) const override
    {
        return of_->time_derivative(t, y, yp, work, out);
    }
    [[nodiscard]] dependencies trace(const double& t, const double* y, const double* yp) const override { return of_->trace(t, y, yp); }
    [[nodiscard]] std::optional<dependencies> trace_all(const double& t, const double* y, const double* yp) const override
    {
        return of_->trace_all(t, y, yp);
    }
    [[nodiscard]] plain_function<double> plain_f() const override { return of_->plain_f(); }
    [[nodiscard]] evaluation meaning_of(int answer) const override { return of_->meaning_of(answer); }

private:
    std::shared_ptr<const equations<double>> of_;
    std::shared_ptr<const shared_parts> parts_;
    program_constants<double> c_;
};

} // namespace

std::shared_ptr<const equations<double>> equations_in_double(const std::shared_ptr<const shared_parts>& parts, const structure& s)
{
    auto all = equations_in<double>(parts, s);
    if (parts->model->output_names.empty()) return all;
    return std::make_shared<equations_with_outputs>(std::move(all), parts);
}

dependencies traced(const std::shared_ptr<const shared_parts>& parts) { return formulas<double>(parts).traced(); }

} // namespace ivp::text
