// The book: one self-contained HTML file over everything that was measured. And the single page of `ivp wp`.
#ifndef IVP_SRC_REPORT_BOOK_HPP
#define IVP_SRC_REPORT_BOOK_HPP

#include "run/behaviour.hpp"
#include "stats/curves.hpp"

#include <ivp/accuracy.hpp>
#include <ivp/problem.hpp>
#include <ivp/solver.hpp>
#include <ivp/store.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ivp {

/// A problem that gets a chapter, whether it was run or not.
struct book_problem {
    ivp::problem problem;
    std::vector<parameter> parameters;
    std::optional<behaviour> course;
    bool foreign = false; ///< a plug-in's: its chapter is made in a process of its own
};

/// The components whose course a chapter pictures, counted from 0: one by one, and against each other in phase plots.
std::vector<int> pictured_in_book(const problem& p);

/// What a book is made of. The same content gives the same bytes: nothing else enters, no clock and no machine.
struct book_content {
    std::vector<stored_run> runs; ///< of one machine
    std::vector<stored_assessment> assessments;
    std::vector<book_problem> problems;
    std::vector<std::shared_ptr<const solver>> solvers;
    std::vector<std::string> remarks; ///< about the content: other machines in the store, chapters that are missing
};

std::string book(const book_content& content);

/// The chapter of a problem or a solver as a page of its own.
std::string chapter_file(const book_problem& p);
std::string chapter_file(const solver& s);

/// Diagrams and tables of some runs, in the same clothes.
std::string work_precision_page(std::span<const run_record> records, std::span<const problem> problems, work_kind work, precision_kind precision);

/// Digits that the runs of this problem can show, with the tolerances of its first run; none: it has no reference.
std::optional<digits_in_reach> reach_of(const problem& p, std::span<const run_record> records);

} // namespace ivp

#endif
