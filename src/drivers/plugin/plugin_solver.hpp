// A solver that follows the contract of ivp/plugin.h, whoever has it: a library, a program, or this project itself.
#ifndef IVP_DRIVERS_PLUGIN_PLUGIN_SOLVER_HPP
#define IVP_DRIVERS_PLUGIN_PLUGIN_SOLVER_HPP

#include "drivers/plugin.hpp"

#include <memory>
#include <string>

namespace ivp::plugin {

class library;

/// label names it in messages; lib is kept loaded, if there is one.
std::unique_ptr<const solver> make_plugin_solver(std::string label, solver_info info, solve_function solve, int which,
                                                 std::shared_ptr<const library> lib = nullptr);

} // namespace ivp::plugin

#endif
