// Problems made ready for an assessment: scaled or not, with what DETEST wants to know of them.
#ifndef IVP_SRC_DETEST_PROBLEMS_HPP
#define IVP_SRC_DETEST_PROBLEMS_HPP

#include "settings.hpp"

#include <ivp/problem.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ivp::detest {

/// CPU seconds of one evaluation, one Jacobian, and one factorisation of I − 0.1 J, measured at the end point.
struct unit_costs {
    double evaluation_s = 0;
    double jacobian_s = 0;
    double factorisation_s = 0;
};

struct assessed_problem {
    std::string id;
    std::string name; ///< "A1"; of problems that are not DETEST's the id
    bool scaled = true;
    ivp::problem problem;        ///< in the variables of the assessment, without reference and protocol
    std::vector<double> weights; ///< empty: unscaled
    std::vector<double> end;     ///< true solution at tend, in those variables
    std::optional<double> h_begin;
    double h_max = 0;
    unit_costs unit;

    [[nodiscard]] double t0() const { return problem.info().t0.value(); }
    [[nodiscard]] double tend() const { return problem.info().tend.value(); }
};

/// z_i = y_i / w_i. Of an ODE f is divided too; of a DAE M and the Jacobian get scaled columns, of an IDE the Jacobian.
problem scaled_problem(const problem& p, const std::vector<double>& weights);

/// One of DETEST's. as_1986: with the end values that the package stores.
assessed_problem detest_problem(const detest_data& data, bool scaled, const assessment_settings& settings);

/// What has to be computed of a problem that is not DETEST's.
struct problem_facts {
    std::vector<double> weights; ///< empty: unscaled
    std::vector<double> end;     ///< in the variables of the problem itself
};
/// The reference where there is one, else an accurate integration. Throws bad_request where that is not possible.
problem_facts compute_facts(const problem& p, bool scaled, problem_set set);
/// The same of code that is not ours, in a child process.
problem_facts compute_facts_contained(const problem& p, bool scaled, problem_set set);

/// Any other problem, with these facts.
assessed_problem other_problem(const std::string& id, const problem& p, bool scaled, const problem_facts& facts);

/// "A1,A2;-C1" as problems of a set, group by group; a minus sign: unscaled. Every fault at once, by bad_request.
struct problem_choice {
    const detest_data* data;
    bool scaled;
};
std::vector<std::vector<problem_choice>> read_groups(std::string_view text, problem_set set);
/// All of a set, a group for each class.
std::vector<std::vector<problem_choice>> all_groups(problem_set set);

/// The largest |y_i| over the accepted steps of an accurate integration, to three digits (what GENWT did); 1 where a component stays 0.
std::vector<double> compute_weights(const problem& p, problem_set set, std::optional<double> h_begin, std::optional<double> h_max);
/// As long as `seconds` for each of the three (what GENTIM did).
unit_costs measure_unit_costs(const problem& p, const std::vector<double>& at, double seconds);
unit_costs measure_unit_costs_contained(const problem& p, const std::vector<double>& at, double seconds);

} // namespace ivp::detest

#endif
