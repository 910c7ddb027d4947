// The course of a solution at given times, for pictures.
#ifndef IVP_SRC_RUN_BEHAVIOUR_HPP
#define IVP_SRC_RUN_BEHAVIOUR_HPP

#include <ivp/problem.hpp>
#include <ivp/record.hpp>
#include <ivp/solver.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

struct solution_course {
    run_record run;                     ///< how it was made, and how it ended
    std::vector<double> t;              ///< the times that were reached
    std::vector<std::vector<double>> y; ///< one course for each component asked for
};

/// Integrates at a moderate tolerance of the problem's protocol, with at most so many attempted steps: a limit that gives the same answer on every
/// machine. Times ascend; components count from 0.
solution_course course_of_solution(const problem& p, const solver& s, std::span<const double> times, std::span<const int> components,
                                   std::uint64_t max_steps);

/// The course of the components that show the behaviour best.
struct behaviour {
    std::string solver;
    double rtol = 0;
    bool logarithmic_time = false;
    std::vector<int> components; ///< counted from 0
    std::vector<double> t;
    std::vector<std::vector<double>> y; ///< one course for each component
    bool operator==(const behaviour&) const = default;
};

/// Points of a course on a page: a picture has fewer pixels, and what cannot be seen is not written.
constexpr int course_points = 1500;

/// Tries our solvers in turn; none where all fail. The same on every machine with the same build.
/// components: counted from 0; none: those that the problem itself pictures. Another fifth of the points lies at the beginning, for transients.
std::optional<behaviour> behaviour_of(const problem& stored, int points, std::span<const int> components = {});

/// As one line of JSON, for courses that come from a child process.
std::string to_json(const behaviour& b);
behaviour behaviour_from_json(std::string_view text);

} // namespace ivp

#endif
