#include "text/formulas.hpp"

namespace ivp::text {

std::shared_ptr<const equations<double>> equations_in_double(const std::shared_ptr<const shared_parts>& parts, const structure& s)
{
    return equations_in<double>(parts, s);
}

dependencies traced(const std::shared_ptr<const shared_parts>& parts) { return formulas<double>(parts).traced(); }

} // namespace ivp::text
