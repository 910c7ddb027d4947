// A model with values for its parameters: the facts a problem needs, and the program that evaluates it.
#ifndef IVP_SRC_TEXT_MODEL_HPP
#define IVP_SRC_TEXT_MODEL_HPP

#include "text/program.hpp"

#include <ivp/problem.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ivp::text {

/// A number with at most nine decimals, exactly: coefficients of reactions, and what elimination makes of them.
struct billionths {
    std::int64_t n = 0;
    static constexpr std::int64_t unit = 1'000'000'000;
    static std::optional<billionths> from_text(std::string_view text);
    [[nodiscard]] std::string text() const;
    friend bool operator==(const billionths&, const billionths&) = default;
};

/// A constant of the model: an expression and the values of the indices in it.
struct constant_expression {
    expr e = no_expr;
    bool negative = false;
    index_values env{};
};

struct mass_entry {
    int row = 0;
    int column = 0;
    constant_expression value{};
};

/// A reaction of the network in one direction, its indices replaced by their values.
struct network_reaction {
    struct part {
        int state; ///< number of the state; -1 - k: the fixed species with declaration k
        expr name; ///< as it was written
        billionths coefficient;
        index_values env;
    };
    place at = 0;
    std::vector<part> reactants{}, products{};
    std::vector<std::pair<int, billionths>> net{}; ///< of states; none that is zero
    bool law = false;
    expr constant = no_expr; ///< rate coefficient, or the whole rate of a law
    expr rate = no_expr;     ///< coefficient times concentrations
    index_values env{};
    std::string_view text{};
    bool backward = false;
};

struct model {
    std::shared_ptr<const document> text;
    parameter_values parameters;
    ivp::form form = form::ode;
    int n = 0;
    int highest_index = 0;
    std::vector<int> index;                 ///< of each variable; empty: all 1
    std::vector<std::string> names;         ///< of each state
    std::vector<int> declaration_of;        ///< of each state
    std::vector<index_values> indices_of;   ///< of each state: those of an element of an array
    std::vector<constant_expression> start; ///< of each state
    std::vector<std::pair<int, constant_expression>> start_rates;
    std::vector<mass_entry> mass;     ///< of a DAE
    std::vector<char> is_algebraic;   ///< rows without a derivative
    std::vector<char> explicit_row;   ///< x' = ..., or reactions of x
    std::vector<char> has_equation;   ///< states with more than reactions
    std::vector<expr> row_expression; ///< right-hand side (ide: residual) of each row that straight code computes; -1: a loop, or reactions
    std::vector<int> row_state;       ///< ... and the state, if that is all it is; -1: it is more
    decimal t0, tend;
    std::vector<decimal> breaks, kinks;
    bool kinks_in_states = false;
    std::vector<network_reaction> reactions;
    program code;
    std::vector<std::string> output_names; ///< single numbers that 'output' names
    program output_code;                   ///< ... and what gives them, a row for each

    model(std::shared_ptr<const document> d, parameter_values p) : text(std::move(d)), parameters(std::move(p)) {}
};

std::vector<parameter> parameters_of(const document& d);

/// Throws bad_request with all faults.
std::shared_ptr<const model> build_model(std::shared_ptr<const document> d, const parameter_values& parameters);

} // namespace ivp::text

#endif
