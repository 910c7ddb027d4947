// derive: a reference solution by two methods of different families in quadruple precision, each at two tolerances.
//
// What all runs agree on is proven, less one digit. A recipe says which runs; it is kept with the values (reference.csv), so that the derivation can
// be repeated.
#ifndef IVP_SRC_REFERENCE_DERIVE_HPP
#define IVP_SRC_REFERENCE_DERIVE_HPP

#include "model/reference.hpp"
#include <ivp/problem.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

/// One run of a derivation: a family of methods, its size, and a tolerance relative to each component.
///   radau, lobatto   stages; the leading coefficient of the stage polynomial. The error of a step is far below it.
///   taylor           order of the power series; its last two terms
///   gbs              columns of the extrapolation; the difference of the last two
struct reference_run {
    std::string family;
    int stages = 0;
    double tolerance = 0;
};

/// Components that are to count as at least so much: those that are zero, or noise.
struct least_size {
    int first = 0; ///< components are counted from 1
    int last = 0;
    double size = 0;
};

/// A sum that the equations keep: component `target` is that of others, each with its sign. Setting it after every step takes the rounding errors
/// away that would otherwise add up where nothing damps them.
struct kept_sum {
    int target = 0;           ///< components are counted from 1
    std::vector<int> terms{}; ///< 2, -4: y2 - y4
};

/// The numbers in which the explicit methods (taylor, gbs) compute; the collocations are in quadruple precision always.
enum class number_kind {
    quad,        ///< quadruple precision, 34 digits
    two_doubles, ///< 31 digits, and faster
    two_quads,   ///< 67 digits
};

struct reference_recipe {
    std::vector<reference_run> runs;
    number_kind numbers = number_kind::quad;
    double floor = 1e-6;           ///< a component counts as at least this part of its largest value: of those that pass through zero
    double stall = 0;              ///< part of the tolerance: an iteration that stalls below it, at rounding errors, has converged
    std::optional<double> first{}; ///< first step of every segment, as a part of it; none: 1e-6, or 1e-3 for an index above 1
    std::vector<kept_sum> keep{};
    std::vector<least_size> least{};

    /// "radau:13:1e-14,1e-16 lobatto:15:1e-14,1e-16 floor:1e-6"
    [[nodiscard]] std::string text() const;
    /// Throws bad_request.
    static reference_recipe from_text(std::string_view text);
};

/// What one run did.
struct reference_evidence {
    std::string method; ///< "Radau IIA with 13 stages (order 25)"
    double tolerance = 0;
    std::uint64_t steps = 0;
    std::uint64_t evaluations = 0;
    std::uint64_t turns = 0; ///< kinks that depend on the state, found on the way
    double cpu_s = 0;
    std::string failure;               ///< empty: it reached the end
    std::vector<std::vector<quad>> at; ///< y at the times of the derivation
};

struct derived_values {
    decimal t;
    std::vector<quad> value;           ///< of the first family at its tightest tolerance
    std::vector<double> digits;        ///< on which all runs agree, less one
    std::vector<digit_kind> kind;      ///< absolute for a component that is zero, below 1e-30 of the largest, or without a significant digit
    std::vector<double> family_digits; ///< on which the runs of one family agree among each other, at worst

    /// As they are kept: decimal text with the proven digits and two more, at least those of a double.
    [[nodiscard]] reference_values rounded() const;
};

struct derivation {
    reference_recipe recipe;
    std::vector<reference_evidence> runs;
    std::vector<derived_values> at; ///< one for each time; empty where a run failed

    [[nodiscard]] std::string failure() const; ///< of the first run that failed; empty: none
    [[nodiscard]] double cpu_s() const;
};

struct derivation_request {
    std::vector<decimal> times;        ///< ascending; empty: the end of the interval
    std::optional<double> timeout_s{}; ///< CPU seconds of each run
    std::vector<double> size{};        ///< of the components, roughly; empty: that of the problem's reference, where it has one
    std::function<void(const std::string&)> progress{};
};

/// The parameters that differ from their defaults: "N=50,eps=1e-3".
std::string setting_text(const problem& p);

/// All that is stored of a problem's reference; none where it has none for its parameters.
std::optional<reference_file> stored_reference(const problem& p);

/// The parameters of each reference that is stored of a problem: the defaults (none), then the others.
std::vector<std::map<std::string, std::string>> stored_settings(const std::string& id);

/// The recipe that the problem's reference has; otherwise one that serves most problems.
reference_recipe recipe_of(const problem& p);

derivation derive(const problem& p, const reference_recipe& recipe, const derivation_request& request = {});

/// Of the component that is known worst: significant digits; of one that is zero, or noise, digits of the largest one. Below 0: it failed.
double digits_of_worst(const derivation& d);

/// Recipes of increasing effort until every component has the digits, or more effort does not give more.
derivation derive_digits(const problem& p, double digits, const derivation_request& request = {});

/// What a made reference belongs to besides the problem and its parameters.
struct made_setting {
    std::string typed{};          ///< how the user named the problem: an id, or a file
    std::optional<double> tend{}; ///< another end point
};

/// References that the user has made (`ivp reference … --make`): for a problem of the catalog files in the folder ivp-references of the working
/// directory, for one that comes from a file the file beside it. The format is that of reference.csv; each set of parameters and each end
/// point has its own.
std::string made_reference_path(const problem& p, const made_setting& s);
/// Throws bad_request where keep_made_reference could not write, or would replace a file that is not ours (`force`: it may); leaves nothing. For
/// before the derivation.
void try_made_reference(const problem& p, const made_setting& s, bool force);
/// Throws bad_request where it cannot be written; nothing half-written is left under the name.
void keep_made_reference(const problem& p, const made_setting& s, reference_file r, bool force);
/// Throws bad_request where the file is not a reference of the problem, or was made when the problem had another content.
std::optional<reference_file> made_reference(const problem& p, const made_setting& s);
/// All that is known: made or stored.
std::optional<reference_file> known_reference(const problem& p, const made_setting& s);
/// The problem with the reference that is known for the setting: for a file the made one before its own.
problem with_made_reference(problem p, const made_setting& s);

/// Where a derivation and a stored reference differ by more than what is unproven in both.
struct contradiction {
    decimal t;
    std::size_t component = 0; ///< from 0
    std::string stored;
    std::string derived;
    double stored_digits = 0;
    double agreed_digits = 0;
};

struct confirmation {
    std::vector<contradiction> contradictions;
    std::size_t compared = 0;     ///< components at all times
    std::size_t fewer_digits = 0; ///< of these, agreeing, but proven by this derivation to fewer digits than stored
    [[nodiscard]] bool confirmed() const { return contradictions.empty() && fewer_digits == 0 && compared > 0; }
};
confirmation compare(const reference_file& stored, const derivation& derived);

} // namespace ivp

#endif
