// From expressions to instructions.
#ifndef IVP_SRC_TEXT_LOWERING_HPP
#define IVP_SRC_TEXT_LOWERING_HPP

#include "text/model.hpp"

#include <map>
#include <set>
#include <unordered_map>

namespace ivp::text {

/// Where the elements of an array are: first + sum of (index - from) * step.
struct placement {
    shape s{};
    int first = 0;
    std::vector<int> step{};
};

/// Thrown where a loop has to be written out.
struct no_loop {};

constexpr long longest_inner_total = 16; ///< a sum inside a loop that is written out

inline no_value too_large() { return {0, "this model takes more than " + std::to_string(limits::operations) + " operations when it is written out"}; }

inline int code_of(function f) { return static_cast<int>(f); }

/// What an instruction does, to find it again.
using instruction_key = std::vector<int>;
struct instruction_key_hash {
    std::size_t operator()(const instruction_key& k) const
    {
        std::size_t h = 1469598103934665603ULL;
        for (const int x : k) h = (h ^ static_cast<unsigned>(x)) * 1099511628211ULL;
        return h ^ (h >> 29U);
    }
};
using known_instructions = std::unordered_map<instruction_key, int, instruction_key_hash>;

/// A loop while it is written.
struct open_loop {
    loop l{};
    loop_head head{};
    std::vector<std::pair<long, long>> range{};
    known_instructions known{};
    std::vector<std::pair<reference_to, reference_to>> results{}; ///< from, to
    std::vector<int> stack{0};                                    ///< bodies being written
    // What the equation being written has added, to be taken back if it cannot be written as a loop.
    std::vector<instruction_key> added{}; ///< to `known`
    std::size_t bodies = 0, instructions = 0, conditions = 0;
    int temporaries = 0;

    void begin_equation();
    void take_back();
};

/// Expressions become instructions: single values (lowering_expressions.cpp), loops over index ranges (lowering_loops.cpp) and what is computed in
/// them (lowering_blocks.cpp), and the times at which conditions change (lowering_kinks.cpp).
class lowering {
public:
    lowering(model& m, constant_values<double>& evaluate, std::vector<placement>& placed);

    [[nodiscard]] std::vector<expression>& expressions() { return p_.expressions; }
    [[nodiscard]] const expression& at(expr e) const { return p_.expressions[static_cast<std::size_t>(e)]; }

    /// Straight code: a slot, or ~k. The indices in e have the values of env.
    int value(expr e, const index_values& env);
    /// sum of coefficient * slot
    int weighted(const std::vector<std::pair<int, int>>& terms);
    /// Place of a constant.
    int constant(expr e, bool negative = false);
    int number_constant(std::string_view text, bool negative);
    int minus(int constant) { return negated_constant(constant); }
    int rate_of(int row) { return emit(opcode::load_rate, {row}); }
    void store(int row, int operand);
    void require(expr e, const index_values& env);

    /// The equation for all elements: rows(first, outer, inner). Throws no_loop.
    void loop_equation(const loop_head& loops, expr right, const reference_to& rows);
    void loop_requirement(const loop_head& loops, expr e);
    void finish();

    /// Where an element of an array is in each pass of a loop. Throws no_loop.
    reference_to element(const loop_head& loops, expr name, space in);

    /// The number of the state that a name with indices means.
    int state_number(expr name, index_values& env);

    expr make(expr_kind kind, place at, std::vector<expr> parts, std::string signs = {});
    expr make_number(place at, std::string_view digits);
    /// Contains a derivative, also behind a 'let'.
    bool has_derivative(expr e);

    std::set<double> kinks_seen;

private:
    using key = instruction_key;
    /// An index that is linear in those of the loop.
    struct affine {
        long constant = 0, outer = 0, inner = 0;
    };
    /// The loop being written waits while another one is, and the indices keep their values.
    class loop_aside {
    public:
        explicit loop_aside(lowering& of);
        loop_aside(const loop_aside&) = delete;
        loop_aside& operator=(const loop_aside&) = delete;
        ~loop_aside();

    private:
        lowering& of_;
        bool is_written_;
        std::optional<open_loop> kept_;
        index_values env_;
    };
    struct pending {
        opcode op;
        int level;
        std::vector<int> words;
    };
    struct open_region {
        std::vector<pending> nodes;
        std::vector<key> added; ///< to known_, to be forgotten with the region
        int id = 0;
        int deepest = 0;
    };

    // straight code
    int emit(opcode op, std::vector<int> words);
    int in_slot(int operand);
    int slot_level(int slot) const;
    void open();
    int close(); ///< number of the region; -1: it is empty
    static region packed(std::vector<pending>& nodes);
    void flush();
    void spend(expr e);
    void search(std::size_t steps);
    [[nodiscard]] std::size_t constants_in_front(expr e) const;
    expr front_of(expr e, std::size_t parts);
    [[nodiscard]] std::vector<char> used_elsewhere() const;
    int lower(expr e);
    int lower_name(expr e);
    int uses_of_let(int declaration_number);
    int at_the_top(const key& k, expr e, const index_values& env);
    int lower_sum(expr e);
    void add_term(std::vector<std::pair<int, int>>& terms, bool minus, expr e);
    int lower_product(expr e);
    int multiplied(const std::vector<int>& operands);
    int divided(int a, int b);
    int lower_power(expr base, expr exponent);
    int lower_call(expr e);
    int table_number(int declaration_number);
    int new_array(int count);
    int lower_choice(expr e);
    int lower_total(expr e);
    int lower_condition(expr e, bool lazy);
    int negated_constant(int k);
    bool append_key(expr e, std::string& text);

    // kinks
    struct line_in_time {
        quad slope, offset;
    };
    std::optional<line_in_time> line_in_t(expr e);
    std::optional<line_in_time> line_of_let(int declaration_number);
    bool depends_on_states(expr e);
    char located(char sign, expr a, expr b);
    void kink(const quad& t);

    // loops
    bool uses_loop(expr e) const;
    reference_to block(expr e);
    reference_to block_name(expr e, space in);
    reference_to block_sum(expr e);
    reference_to block_product(expr e);
    reference_to block_power(expr base, expr exponent);
    reference_to block_call(expr e);
    reference_to block_choice(expr e);
    reference_to block_total(expr e);
    int block_condition_of(expr e, bool lazy);
    reference_to block_emit(block_opcode op, const reference_to& a, const reference_to& b = {}, const reference_to& c = {}, int number = 0);
    reference_to constant_reference(expr e, bool negative = false);
    reference_to hoisted(expr e);
    affine affine_here(expr e);
    void begin_loop(const loop_head& loops);
    void end_loop(open_loop& l);
    void finish_loop();
    void write_out(expr e, const shape& s, int first_slot);
    int array_of_let(int declaration_number);

    model& m_;
    program& p_;
    const document& d_;
    constant_values<double>& evaluate_;
    std::vector<placement>& placed_;
    index_values env_;
    std::vector<open_region> regions_;
    int next_region_ = 0;
    std::vector<int> slot_level_, slot_region_;
    known_instructions known_;
    std::unordered_map<std::string, int> constants_;
    std::map<std::pair<expr, bool>, int> constant_of_; ///< of expressions that have one value whatever the indices are; second: negative
    std::vector<int> recipe_of_constant_;
    std::vector<pending> stores_;
    std::unordered_map<expr, expr> fronts_;
    std::vector<signed char> has_derivative_, depends_on_states_;
    std::vector<int> let_uses_;
    std::unordered_map<int, int> let_arrays_;
    std::unordered_map<int, int> table_number_;
    std::optional<open_loop> equations_loop_; ///< of equations with the same range
    open_loop* loop_ = nullptr;               ///< the one being written
    std::optional<constant_values<quad>> in_quad_;
    std::unordered_map<int, std::optional<line_in_time>> line_of_let_;
    long spent_ = 0;    ///< on what is written
    long searched_ = 0; ///< ... on finding what has been written already
};

} // namespace ivp::text

#endif
