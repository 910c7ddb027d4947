#include "model/forwarding.hpp"
#include "text/formulas.hpp"
#include "text/outputs.hpp"

namespace ivp::text {

namespace {

/// The equations of a model that names outputs.
class equations_with_outputs final : public forwarding_equations, public has_outputs {
public:
    equations_with_outputs(std::shared_ptr<const equations<double>> of, std::shared_ptr<const shared_parts> parts)
        : forwarding_equations(std::move(of)),
          parts_(std::move(parts)),
          c_(constants_of<double>(parts_->model->output_code, *parts_->model->text, parts_->model->parameters))
    {}

    [[nodiscard]] const std::vector<std::string>& output_names() const override { return parts_->model->output_names; }
    bool outputs(double t, const double* y, double* out) const override
    {
        return execute<double, double>(parts_->model->output_code, c_, t, y, nullptr, out) == evaluation::ok;
    }

private:
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
