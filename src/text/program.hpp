// A model as a list of instructions: what serves where no compiler is installed, and what C++ is generated from.
//
// Straight code works on single numbers: every value has a slot, equal expressions have one slot. Instructions that do not wait for each other stand
// together (a group), so that one decision serves many. Loops over index ranges stay loops: each of their instructions goes over a block of
// elements. Both give the numbers of the expressions as they are written, operation by operation, in every precision and also when compiled.
#ifndef IVP_SRC_TEXT_PROGRAM_HPP
#define IVP_SRC_TEXT_PROGRAM_HPP

#include "text/constants.hpp"
#include "text/document.hpp"

#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace ivp::text {

enum class opcode : std::uint8_t {
    load_time,    ///< d
    load_state,   ///< d, j
    load_rate,    ///< d, j: of y'
    weighted_sum, ///< d, n, n pairs (constant, slot; -1: the constant alone)
    scale,        ///< d, constant, slot
    multiply,     ///< d, slot, slot
    scale_two,    ///< d, constant, slot, slot: the rate of a reaction
    multiply_all, ///< d, n, operands
    divide,       ///< d, operand, operand
    whole_power,  ///< d, slot, n
    unary,        ///< d, slot, function
    binary,       ///< d, operand, operand, function
    table,        ///< d, slot, number of the table
    choose,       ///< d, condition, region, region, operand, operand: where the condition holds, and where not
    add_up,       ///< d, first slot, n
    store,        ///< row, operand
};

/// An operand is a slot, or ~k for the constant k.
constexpr int constant_operand(int k) { return ~k; }

/// Reserved among the constants.
constexpr int plus_one = 0;
constexpr int minus_one = 1;

/// Words of an instruction, its destination included.
inline int instruction_length(opcode op, const int* w)
{
    switch (op) {
    case opcode::load_time: return 1;
    case opcode::load_state:
    case opcode::load_rate:
    case opcode::store: return 2;
    case opcode::scale:
    case opcode::multiply:
    case opcode::divide:
    case opcode::whole_power:
    case opcode::unary:
    case opcode::table:
    case opcode::add_up: return 3;
    case opcode::scale_two:
    case opcode::binary: return 4;
    case opcode::choose: return 6;
    case opcode::multiply_all: return 2 + w[1];
    case opcode::weighted_sum: return 2 + 2 * w[1];
    }
    return 0;
}

/// What an instruction reads, in its words without the destination: slots, and constants as ~k; -1 where a term has no slot.
template <class Words, class Visit>
void for_each_operand(opcode op, Words* w, std::size_t size, Visit visit)
{
    switch (op) {
    case opcode::load_time:
    case opcode::load_state:
    case opcode::load_rate:
    case opcode::add_up: break; // of an array that a loop has written
    case opcode::weighted_sum:
        for (std::size_t k = 2; k < size; k += 2) visit(w[k]);
        break;
    case opcode::scale: visit(w[1]); break;
    case opcode::scale_two: visit(w[1]), visit(w[2]); break;
    case opcode::multiply_all:
        for (std::size_t k = 1; k < size; ++k) visit(w[k]);
        break;
    case opcode::whole_power:
    case opcode::unary:
    case opcode::table: visit(w[0]); break;
    case opcode::multiply:
    case opcode::divide:
    case opcode::binary: visit(w[0]), visit(w[1]); break;
    case opcode::choose: visit(w[3]), visit(w[4]); break;
    case opcode::store: visit(w[0]); break;
    }
}

struct group {
    opcode op;
    int count;
    int first; ///< in region::words
};

/// Straight code.
struct region {
    std::vector<group> groups;
    std::vector<int> words;
};

struct condition {
    char sign = 'c'; ///< < l > g = ! as in a comparison; & | ~ of others; 'c': always a
    int a = 0;       ///< operand, or first of two conditions
    int b = 0;
    int before = -1; ///< region that computes the operands
};

// ---- Loops ----

enum class space : std::uint8_t { none, constants, states, rates, slots, block, rows };

/// Where a number of each element is: first + outer * i + inner * j.
struct reference_to {
    space in = space::none;
    int first = 0;
    int inner = 0;
    int outer = 0;
    friend bool operator==(const reference_to&, const reference_to&) = default;
};

enum class block_opcode : std::uint8_t { copy, add, subtract, multiply, divide, add_scaled, whole_power, unary, binary, table, choose };

struct block_instruction {
    block_opcode op = block_opcode::copy;
    reference_to to{};
    reference_to a{}, b{}, c{}; ///< add_scaled: a + c b, with a constant c
    int number = 0;             ///< exponent, function, table, condition
    int yes = -1, no = -1;      ///< choose: bodies
};

struct block_condition {
    char sign = 'c';
    reference_to a{}, b{};
    int first = -1, second = -1; ///< of & | ~
    int before = -1;             ///< body
};

struct loop {
    long outer = 1;
    long inner = 1;
    int body = 0;
    int requirement = -1; ///< a block condition that must hold
    std::vector<std::vector<block_instruction>> bodies{};
    std::vector<block_condition> conditions{};
    int temporaries = 0;
};

/// A constant: an expression and the values of the indices in it, or one for each element of a loop.
struct recipe {
    expr e = no_expr;
    bool negative = false;
    index_values env{};
    loop_head over{}; ///< of an array: the indices, the last one fastest
    int first = 0;    ///< place among the constants
    long count = 1;
};

struct table_use {
    int declaration;
    int points;
    int first; ///< counted from the end of the recipes' constants
};

struct step {
    enum class kind : std::uint8_t { straight, loop, requirement } what;
    int number; ///< of the region, the loop or the condition
};

struct program {
    std::vector<expression> expressions; ///< of the document, and what was made of them
    std::deque<std::string> texts;       ///< that expressions refer to
    std::vector<recipe> recipes;
    int constants = 2;
    int slots = 0;
    int temporaries = 0; ///< blocks that a loop needs at most
    int rows = 0;
    std::vector<table_use> tables;
    std::vector<std::pair<int, int>> arrays; ///< first and number of slots that loops go along
    std::vector<region> regions;
    std::vector<condition> conditions;
    std::vector<loop> loops;
    std::vector<step> steps;
    long operations = 0; ///< in straight code, to judge whether compiling is worth it
    bool uses_time = false;
};

/// The constants of a program in one precision.
template <class R>
struct program_constants {
    std::vector<R> value; ///< behind those of the recipes the numbers of the tables
};

template <class R>
program_constants<R> constants_of(const program& p, const document& d, const parameter_values& parameters)
{
    constant_values<R> evaluate(d, p.expressions, parameters);
    program_constants<R> all;
    all.value.assign(static_cast<std::size_t>(p.constants), R(0));
    all.value[plus_one] = R(1);
    all.value[minus_one] = R(-1);
    for (const auto& r : p.recipes) {
        index_values env = r.env;
        auto to = static_cast<std::size_t>(r.first);
        evaluate.for_each(r.over, env, [&] {
            const R v = evaluate.value(r.e, env);
            all.value[to++] = r.negative ? -v : v;
        });
    }
    for (const auto& t : p.tables) {
        const auto& numbers = evaluate.table(t.declaration);
        all.value.insert(all.value.end(), numbers.begin(), numbers.end());
    }
    return all;
}

} // namespace ivp::text

#endif
