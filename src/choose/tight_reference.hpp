// A reference by tight runs in double precision: for problems that quadruple precision cannot evaluate, or not in reasonable time.
#ifndef IVP_SRC_CHOOSE_TIGHT_REFERENCE_HPP
#define IVP_SRC_CHOOSE_TIGHT_REFERENCE_HPP

#include "model/reference.hpp"

#include <ivp/problem.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace ivp {

class foreign_code_fails : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// One solver at one tolerance, as tight as double precision allows.
struct run_in_double {
    std::string solver;
    double rtol = 0;
    std::vector<double> y;
};

struct tight_request {
    std::optional<double> tend{}; ///< none: the problem's
    double timeout_s = 300;       ///< CPU seconds of each run
    std::function<void(const std::string&)> progress{};
};

/// The most seconds that a search takes, if every run ends with its time limit.
double longest_search_s(const tight_request& request);

/// Solvers of two families, each at two tolerances: 1e-11 and 1e-12, or looser ones if nothing else reaches the end in time. A solver's tighter run
/// follows its looser one; the solver with the tighter runs is the first. Fewer than four runs: no two families reached the end. Each run has a
/// process of its own; throws foreign_code_fails where code of somebody else ends it, or does not return in time, whatever solves it.
std::vector<run_in_double> tight_runs(const problem& p, const tight_request& request);

/// What tight runs gave, or why they gave nothing.
struct tight_reference {
    reference_file found;
    std::string failure; ///< in words; empty: `found` is a reference
};

/// The values of the first solver's tighter run. Digits: those on which all runs agree, less one; a value without any is zero to its decimals.
/// `confirmed` begins with "estimated".
tight_reference agreement_of(std::span<const run_in_double> runs, const decimal& t);

tight_reference derive_in_double(const problem& p, const tight_request& request);

} // namespace ivp

#endif
