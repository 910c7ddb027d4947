// A model as it was written: declarations, equations, reactions. Nothing in it depends on the values of parameters.
#ifndef IVP_SRC_TEXT_DOCUMENT_HPP
#define IVP_SRC_TEXT_DOCUMENT_HPP

#include "text/source.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ivp::text {

/// Number of an expression in its document; -1: none.
using expr = int;
constexpr expr no_expr = -1;

enum class expr_kind : std::uint8_t {
    number,
    name,       ///< parts: indices
    derivative, ///< of a state; parts: indices
    negate,
    sum,     ///< signs: one + or - for each part
    product, ///< signs: one * or / for each part
    power,
    compare, ///< signs: < l (<=) > g (>=) = !
    both,    ///< and
    either,  ///< or
    no,      ///< not
    choice,  ///< if parts[0] then parts[1] else parts[2]
    call,    ///< of a function or a table
    total,   ///< sum(loops, condition : parts[0])
    list,    ///< (a, b, c): all values of an array of constants
};

/// What a name stands for.
enum class meaning : std::uint8_t { unknown, time, pi, index, parameter, constant, fixed, state, let, table };

enum class function : std::uint8_t {
    sqrt,
    exp,
    log,
    log10,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    abs,
    sign,
    floor, // of one argument
    min,
    max,
    atan2,
    mod,
    pow, // of two
    table,
};
constexpr int arguments_of(function f) { return f < function::min || f == function::table ? 1 : 2; }
std::string_view name_of(function f);

struct loop_variable {
    int symbol = 0;
    place at = 0;
    expr from = no_expr;
    expr to = no_expr;
};
/// "i in 1..N, j in 1..M, i != j"
struct loop_head {
    std::vector<loop_variable> variables;
    expr condition = no_expr;
};

struct expression {
    expr_kind kind = expr_kind::number;
    meaning means = meaning::unknown; ///< of a name
    ivp::text::function callee = function::sqrt;
    bool depends = false; ///< on t or a state: known after the names are bound
    place at = 0;
    int symbol = -1; ///< of a name, a derivative, a call
    int target = -1; ///< what the name stands for: number of its declaration, of its symbol for an index
    std::vector<expr> parts{};
    std::string signs{};
    std::string_view number{};
    loop_head loops{};
};

struct dimension {
    expr from = no_expr;
    expr to = no_expr;
};

/// parameter, constant, fixed, state, let or table.
struct declaration {
    meaning what = meaning::unknown;
    int symbol = -1;
    place at = 0;
    std::vector<dimension> dims{};
    expr value = no_expr;
    std::string_view text{}; ///< as quoted, perhaps with a [unit]
    // parameters
    std::string number{}; ///< the default, a signed decimal
    expr least = no_expr, most = no_expr;
    std::string least_number{}, most_number{};
    bool whole = false;
    // states
    int group = -1; ///< states that are interleaved with each other have the same
    bool species = false;
    // tables: pairs of expressions
    std::vector<std::pair<expr, expr>> points{};
    bool cubic = false;
};

struct equation {
    place at = 0;
    loop_head loops{};
    expr left = no_expr, right = no_expr;
};

struct requirement {
    place at = 0;
    loop_head loops{};
    expr condition = no_expr;
};

struct reaction {
    struct side {
        std::string_view coefficient{}; ///< empty: one
        expr species = no_expr;         ///< a name
    };
    place at = 0;
    loop_head loops{};
    std::vector<side> reactants{}, products{};
    bool reversible = false;
    bool law = false; ///< the rate as it is; else mass action
    expr forward = no_expr, backward = no_expr;
    std::string_view text{};
};

/// "NAME = value" of several kinds of statements.
struct assignment {
    place at = 0;
    expr target = no_expr; ///< a name or a derivative
    expr value = no_expr;
    std::string number{}; ///< of a reference
    std::string digits{}; ///< of a reference
};

struct named_value {
    place at = 0;
    expr value = no_expr;
};

struct document {
    document(std::string name, std::string content) : text(std::move(name), std::move(content)) {}
    document(const document&) = delete;
    document& operator=(const document&) = delete;

    source text;
    std::vector<expression> expressions;
    std::vector<std::string> symbols;
    std::vector<declaration> declarations; ///< in the order of the file

    std::string_view id{};
    std::string_view title{};
    place problem_at = 0;
    std::optional<dimension> interval;
    place interval_at = 0;
    std::vector<equation> equations;
    std::vector<requirement> requirements;
    std::vector<reaction> reactions;
    std::vector<assignment> indices, references, initials;
    std::vector<named_value> breaks;
    std::map<std::string, named_value> tolerances; ///< rtol, atol, h0
    std::vector<expr> outputs;
    std::string_view output_text{};
    std::string_view chapter{};
    bool has_chapter = false;
    int symbol_i = -1, symbol_j = -1; ///< names of the indices of arrays, if they occur
    std::set<int> excused;            ///< symbols of statements that were not understood

    [[nodiscard]] const expression& at(expr e) const { return expressions[static_cast<std::size_t>(e)]; }
    [[nodiscard]] const std::string& symbol(int s) const { return symbols[static_cast<std::size_t>(s)]; }
    [[nodiscard]] const declaration& declared(int d) const { return declarations[static_cast<std::size_t>(d)]; }
};

/// Reads and binds the names. Throws bad_request with all faults of the text.
std::shared_ptr<const document> read_document(std::string name, std::string text);

} // namespace ivp::text

#endif
