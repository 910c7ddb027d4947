// The small problems that many tests solve, compiled once: a problem takes seconds to compile in all its precisions.
#include "index3_problem.hpp"
#include "linear_problem.hpp"
#include "nonstiff_problems.hpp"
#include "undetermined_problem.hpp"

namespace ivp::testing_support {

problem linear() { return problem_of<linear_problem>(); }
problem index3() { return problem_of<index3_problem>(); }
problem undetermined() { return problem_of<undetermined_problem>(); }

std::vector<problem> nonstiff_problems()
{
    return {problem_of<arenstorf>(),   problem_of<kepler>(), problem_of<rigid_body>(),
            problem_of<brusselator>(), problem_of<lorenz>(), problem_of<swing>()};
}

} // namespace ivp::testing_support
