// How the instruction list is made.
#ifndef IVP_SRC_TEXT_LIST_BUILD_HPP
#define IVP_SRC_TEXT_LIST_BUILD_HPP

#include "text/list.hpp"

namespace ivp::text {

constexpr int longest_sum = 8;     ///< that has an instruction of its own
constexpr int general_block = 128; ///< elements in a block of the general interpreter, in double

// clang-format off
/// An instruction is its number, how many of its kind follow, and the words of each. `w` is the array of all values, `c` takes the next coefficient. What
/// begins with `row` writes to the result instead of the array. Sums of one to eight terms have an instruction for each length.
#define IVP_LIST_SUMS(X, kind) X(kind##_1) X(kind##_2) X(kind##_3) X(kind##_4) X(kind##_5) X(kind##_6) X(kind##_7) X(kind##_8)
#define IVP_LIST_OPERATIONS(X)                                                          \
    X(end)                                                                              \
    X(copy)             /* all states */                                                \
    X(load_time)        /* to */                                                        \
    X(load_state)       /* to, number */                                                \
    X(load_rate)        /* to, number */                                                \
    IVP_LIST_SUMS(X, plain)         /* to, x...: the sum of all w[x] */                 \
    IVP_LIST_SUMS(X, row_plain)                                                         \
    IVP_LIST_SUMS(X, weighted)      /* to, x...: the sum of all c w[x] */               \
    IVP_LIST_SUMS(X, row_weighted)                                                      \
    IVP_LIST_SUMS(X, pack)          /* four of the same length: to x 4, x... x 4 */     \
    IVP_LIST_SUMS(X, row_pack)                                                          \
    X(multiply)         /* to, x, y */                                                  \
    X(row_multiply)                                                                     \
    X(scale_two)        /* to, x, y: c w[x] w[y] */                                     \
    X(row_scale_two)                                                                    \
    X(product)          /* to, negative, x, y: c w[x] w[y], and its negative */         \
    X(products)         /* to, x x 4, y x 4: four of them, and behind them their negatives */ \
    X(divide)           /* to, x, y */                                                  \
    X(divide_number)    /* to, y: c / w[y] */                                           \
    X(divide_by_number) /* to, x: w[x] / c */                                           \
    X(power)            /* to, x, exponent */                                           \
    X(root)             /* to, x */                                                     \
    X(unary)            /* to, x, function */                                           \
    X(choose)           /* condition, list if it holds, list if not */                  \
    X(other)            /* number */
// clang-format on

enum class list_operation : std::uint32_t {
#define IVP_LIST_NAME(name) name,
    IVP_LIST_OPERATIONS(IVP_LIST_NAME)
#undef IVP_LIST_NAME
};

/// An instruction of a program.
struct list_node {
    opcode op;
    std::vector<int> words; ///< destination first
};

/// Fills a list that knows its program and constants.
class list_builder {
public:
    explicit list_builder(instruction_list& to);

private:
    void count_reads();
    void add_reads(int region_number, std::vector<int>& slots) const;
    void add_reads(const list_node& n, std::vector<int>& slots) const;
    void add_condition_reads(int number, std::vector<int>& slots) const;
    [[nodiscard]] bool same_condition(int a, int b) const;
    std::uint32_t branch(const std::vector<const list_node*>& chosen, bool yes);
    straight_list straight(std::vector<list_node> nodes, bool copies);
    line_loop loop_over(int number);
    static void pair_scatters(std::vector<line_instruction>& body);
    static int share_temporaries(std::vector<line_instruction>& body, int temporaries);

    instruction_list& l_;
    const program& p_;
    const double* k_;
    std::vector<int> reads_;
    std::size_t next_place_ = 0;
    std::size_t block_room_ = 0;
};

} // namespace ivp::text

#endif
