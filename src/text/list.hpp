// The instruction list in double: what evaluates a model when it is not compiled. It is made once from a program and its constants.
//
// Straight code becomes a stream of indices and a stream of coefficients, each read from its beginning to its end: an instruction is a sum or a
// product of a known length, its operands are places in one array, and the next instruction follows without a loop around it. Loops become operations
// on contiguous lines of elements. The numbers are those of the program, operation by operation.
#ifndef IVP_SRC_TEXT_LIST_HPP
#define IVP_SRC_TEXT_LIST_HPP

#include "text/program.hpp"

#include <ivp/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ivp::text {

/// Straight code. Its words and numbers are explained with the instructions (list.cpp).
struct straight_list {
    std::vector<std::uint32_t> words;
    std::vector<double> numbers;
    std::vector<region> others; ///< instructions that the general interpreter executes
};

/// Where a line of a loop is, in the pass (outer, start): first + outer * this->outer + start * inner. In a block: at first.
struct line_place {
    space in = space::none;
    int first = 0;
    int inner = 0; ///< distance of its elements; 0: one number for all
    int outer = 0;
};

enum class line_operation : std::uint8_t {
    move,
    add,
    subtract,
    multiply,
    divide,
    add_scaled, ///< a + c b
    power,
    unary,
    binary,
    table,
    gather,     ///< elements at a distance, next to each other; more of them than the others: number
    scatter,    ///< the reverse
    interleave, ///< a and b in turns
    general     ///< instruction `number` of the loop, by the general interpreter
};

struct line_instruction {
    line_operation op = line_operation::move;
    line_place to{}, a{}, b{}, c{};
    int number = 0;
};

struct line_loop {
    int number = 0; ///< of the program
    int block = 0;  ///< elements that are worked on together
    std::vector<line_instruction> body;
};

class instruction_list {
public:
    /// Both live as long as this.
    instruction_list(const program& p, const program_constants<double>& c);

    evaluation evaluate(double t, const double* y, const double* yp, double* out) const;

private:
    static constexpr std::size_t short_room = 256; ///< numbers that fit on the stack of any thread

    evaluation evaluate_long(double t, const double* y, const double* yp, double* out) const;
    evaluation by_steps(double* w, double t, const double* y, const double* yp, double* out) const;
    [[gnu::noinline]] bool holds(std::uint32_t number, double* w, double t, const double* y, const double* yp, double* out) const;
    [[gnu::noinline]] void run(const region& other, double* w, double t, const double* y, const double* yp, double* out) const;
    evaluation run(const straight_list& list, double* w, double t, const double* y, const double* yp, double* out) const;
    bool run(const line_loop& l, double* w, double t, const double* y, const double* yp, double* out) const;

    const program& p_;
    const program_constants<double>& c_;
    std::vector<straight_list> straight_;
    std::vector<line_loop> loops_;
    std::vector<step> steps_; ///< numbers of the two above, and of conditions
    std::size_t one_ = 0;     ///< places in the array: the number 1,
    std::size_t states_ = 0;  ///< copies of the states,
    std::size_t blocks_ = 0;  ///< the blocks of loops
    std::size_t room_ = 0;
    std::size_t copied_ = 0;     ///< all of them, or none
    bool only_straight_ = false; ///< one list, the first, is everything
    bool short_ = false;         ///< and it needs no more than short_room

    friend class list_builder;
};

} // namespace ivp::text

#endif
