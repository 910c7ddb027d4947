#include "text/compiled.hpp"

namespace ivp::text {

std::shared_ptr<const compiled_code> compiled(const program& /*p*/) { return nullptr; }

} // namespace ivp::text
