// Every column of every table of runs: its heading, its value and the style of its numbers, once. What draws a table chooses columns and a medium.
#ifndef IVP_SRC_REPORT_COLUMNS_HPP
#define IVP_SRC_REPORT_COLUMNS_HPP

#include "report/render/numbers.hpp"

#include <ivp/record.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

enum class cell_style { words, tolerance, residual, digits, count, seconds };

/// What is shown at one place of a table, before it is written in a medium.
struct cell {
    cell_style style = cell_style::words;
    std::optional<double> value; ///< what a table sorts by; none: empty, or words
    std::string words;           ///< style `words`; in the others a mark behind the number
};

/// The same text in every table of this medium.
std::string cell_text(medium m, const cell& c);

/// A row: a run and what its table knows of it.
struct run_row {
    const run_record& run;
    std::string name{};             ///< of its curve
    std::optional<double> ratio{};  ///< of its CPU time to that of another run
    std::optional<double> digits{}; ///< those that can be vouched for
};

struct run_column {
    std::string_view heading;
    std::string_view html; ///< heading; empty: as in a text
    std::string_view tex;
    cell_style style;
    int width; ///< in a text, at least
    cell (*of)(const run_row&);

    [[nodiscard]] std::string_view heading_in(medium m) const;
};

namespace column {
extern const run_column problem, solver, dimension, rtol, atol, h0, mescd, scd, digits, steps, accepted, f, f_differences, jacobians, factorisations,
    cpu, ratio, outcome, formulation, drift_position, drift_position_growth, drift_velocity, drift_velocity_growth, drift_velocity_times_step,
    drift_acceleration, drift_energy;
} // namespace column

using run_columns = std::span<const run_column* const>;

/// The columns, with those of the drifts that at least one of the runs has measured before the outcome, or last if there is none.
std::vector<const run_column*> with_drifts(run_columns base, std::span<const run_record> records);
std::vector<const run_column*> with_drifts(run_columns base, const std::function<bool(const run_column&)>& is_measured);

/// Columns of text, each as wide as its widest entry; words begin at the left, numbers end at the right.
class text_table {
public:
    explicit text_table(run_columns columns);

    void add(const run_row& row);
    [[nodiscard]] std::string head() const; ///< with a rule below
    [[nodiscard]] std::string row(std::size_t k) const;
    [[nodiscard]] std::size_t size() const { return rows_.size(); }

private:
    [[nodiscard]] std::string line(std::span<const std::string> cells) const;

    run_columns columns_;
    std::vector<std::size_t> width_;
    std::vector<std::vector<std::string>> rows_;
};

/// Number of characters, not of bytes.
std::size_t shown_width(std::string_view text);

} // namespace ivp

#endif
