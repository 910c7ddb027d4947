// Drawings of what the problems of the test set describe: circuits, mechanisms, networks, reactions. And mechanisms in motion.
#ifndef IVP_SRC_REPORT_SCHEMATICS_SCHEMATICS_HPP
#define IVP_SRC_REPORT_SCHEMATICS_SCHEMATICS_HPP

#include "base/drawing.hpp"

#include <ivp/problem.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

struct schematic {
    drawing picture;
    std::string caption;
};

/// None: there is nothing to draw. Only for the problems of the test set itself.
std::optional<schematic> schematic_of(const problem& m);

/// A mechanism at one time, drawn from the components it needs.
struct motion {
    std::vector<int> components; ///< counted from 0
    std::vector<double> times;   ///< as shares of the interval
    std::string_view caption;
    std::function<drawing(double t, std::span<const double> y)> picture;
};
std::optional<motion> motion_of(const problem& m);

namespace schematics {

// By the kind of what they show; none: the problem is of another kind.
std::optional<schematic> circuit(std::string_view id);
std::optional<schematic> mechanism(const problem& m);
std::optional<schematic> network(const problem& m);

} // namespace schematics

} // namespace ivp

#endif
