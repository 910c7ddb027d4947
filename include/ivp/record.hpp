// run_record: everything that is known about one run. A line of JSON, a row of CSV, a row of the store. Fields: docs/reference/record.md.
#ifndef IVP_RECORD_HPP
#define IVP_RECORD_HPP

#include <ivp/evaluator.hpp>
#include <ivp/settings.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

constexpr int record_schema = 1;

struct build_info {
    std::string compiler;
    std::string flags;
    std::string version;
    std::string instruction_set{}; ///< what the build was made for: x86-64-v3, or the kind of processor if it runs on all of them
    std::string kernels{};         ///< the kernels of linear algebra that this process uses, see src/linalg/kernels; empty: not known
    bool operator==(const build_info&) const = default;
};
/// Without the kernels, which are chosen at run time: build_in_use (ivp/run.hpp) has them.
build_info this_build();

struct machine_info {
    std::string cpu;
    int cores = 0;
    std::string os;
    bool operator==(const machine_info&) const = default;
};
machine_info this_machine();

/// Identifies a problem or a solver in every table, diagram and file: its name, followed by its origin unless it is of the catalog or one of its
/// libraries: "radau5 (plug-in)". Names cannot contain brackets, so no plug-in can pretend to be another solver.
std::string full_name(const std::string& name, std::string_view origin);

struct run_record {
    std::string problem;
    std::string problem_origin = "own";            ///< own, plug-in; other programs may say something else
    std::map<std::string, std::string> parameters; ///< those that differ from their defaults
    std::string solver;
    std::string solver_version;
    std::string solver_origin; ///< own, driver, plug-in, program
    std::string solver_language;
    std::string library;                    ///< of a driver: name, version and build of the library that was loaded; empty: the solver has none
    std::optional<double> library_slowdown; ///< of that library's loops, see src/model/library.hpp; none: not measured
    std::string form;
    int dimension = 0;
    double t0 = 0;
    double tend = 0;
    double rtol_asked = 0;    ///< the one number that was asked for, also if the problem's rule makes a vector of it; 0: not known
    std::vector<double> rtol; ///< one value: the same for all components
    std::vector<double> atol;
    // The settings: hmax, none: no limit; jacobian and algebra as they were used; other programs may use other words.
#define IVP_SETTING(member, name, type, value, ...) recorded<type> member = as_recorded<type>(value);
#include <ivp/settings.def>
    std::map<std::string, double> options; ///< the solver's own, as given

    ivp::outcome outcome = outcome::success;
    std::string message;
    double t_end_reached = 0;
    std::vector<double> y; ///< NaN and infinities are null in JSON

    std::optional<double> scd;
    std::optional<double> scd_abs;
    std::optional<double> mescd;

    std::uint64_t steps = 0;
    std::uint64_t accepted = 0;
    std::uint64_t rejected = 0; ///< steps − accepted
    std::uint64_t nfev = 0;
    std::uint64_t nfev_jac = 0;
    std::uint64_t njac = 0;
    std::uint64_t nlu = 0;
    std::uint64_t nsolve = 0;

    double cpu_s = 0;  ///< minimum over the samples
    double wall_s = 0; ///< minimum over the samples
    int repeats = 0;
    std::vector<double> cpu_samples;
    std::vector<double> wall_samples;

    std::map<std::string, double> claimed; ///< a foreign solver's own counters
    build_info build;
    machine_info machine;
    std::string command; ///< repeats this run
    std::map<std::string, double> extra;

    [[nodiscard]] std::string full_problem() const { return full_name(problem, problem_origin); }
    [[nodiscard]] std::string full_solver() const { return full_name(solver, solver_origin); }
    bool operator==(const run_record&) const = default;

    /// The tolerance that identifies this run on a ladder: the number asked for, or else the first component's.
    [[nodiscard]] double ladder_rtol() const { return rtol_asked > 0 || rtol.empty() ? rtol_asked : rtol.front(); }
};

/// One line, no line break.
std::string to_json(const run_record& r);
/// Throws std::invalid_argument, which names the missing or wrong field. Fields that early records did not have may be missing.
run_record record_from_json(std::string_view text);

/// Header and row of the flat table; vectors and maps are one quoted cell of JSON.
std::string csv_header();
std::string to_csv(const run_record& r);

} // namespace ivp

#endif
