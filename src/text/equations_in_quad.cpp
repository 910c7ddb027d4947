#include "text/formulas.hpp"

namespace ivp::text {

std::shared_ptr<const equations<quad>> equations_in_quad(const std::shared_ptr<const shared_parts>& parts, const structure& s)
{
    return equations_in<quad>(parts, s);
}

} // namespace ivp::text
