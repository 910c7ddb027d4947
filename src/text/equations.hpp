// The equations of a model in each precision.
#ifndef IVP_SRC_TEXT_EQUATIONS_HPP
#define IVP_SRC_TEXT_EQUATIONS_HPP

#include "text/compiled.hpp"
#include "text/model.hpp"

#include <ivp/problem.hpp>

#include <memory>
#include <string>

namespace ivp::text {

/// What the problem's parts share.
struct shared_parts {
    std::shared_ptr<const ivp::text::model> model;
    std::shared_ptr<const compiled_code> code;
    std::string chapter;
};

std::shared_ptr<const equations<double>> equations_in_double(const std::shared_ptr<const shared_parts>& parts, const structure& s);
std::shared_ptr<const equations<quad>> equations_in_quad(const std::shared_ptr<const shared_parts>& parts, const structure& s);

/// What each row depends on, through all branches.
dependencies traced(const std::shared_ptr<const shared_parts>& parts);

} // namespace ivp::text

#endif
