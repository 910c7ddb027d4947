// The work-precision diagram: what is drawn, and drawn as SVG, or as a source for gnuplot and pgfplots.
#ifndef IVP_SRC_REPORT_DIAGRAM_HPP
#define IVP_SRC_REPORT_DIAGRAM_HPP

#include "catalog/families.hpp"
#include "report/render/svg_plot.hpp"
#include "stats/curves.hpp"

#include <ivp/accuracy.hpp>
#include <ivp/problem.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

/// What the original test set said below its diagrams, in our words.
extern const char* const diagram_warning;

/// The look of a solver is that of its family and its place there: the same in every diagram and in every report.
curve_look look_of(const family_place& place, int variant = 0);
/// Number of the look of each curve, by label; it also orders them: by family, and inside a family as the catalog does.
std::map<std::string, int> looks_of(std::span<const problem_runs> runs);

struct diagram_point {
    double digits; ///< not beyond the limit
    double work;
    std::size_t run;
    bool beyond; ///< the run has more digits than the reference can show
};

/// A run that has no place in the diagram: it failed, or claimed success with a wrong answer.
struct diagram_failure {
    std::optional<double> work;
    std::size_t run;
    bool lied;
};

struct diagram_curve {
    std::string label;
    int look = 0;
    std::vector<std::optional<diagram_point>> points; ///< loosest tolerance first; a missing one is a run that has no place here
    std::vector<diagram_failure> failures;
};

/// The line of a curve, as positions of its points with rising digits: those that no other point of the curve beats in both digits and work (the
/// Pareto front). It is broken where a run between two tolerances has no place in the diagram.
std::vector<std::optional<std::size_t>> front_of(const diagram_curve& c);

struct diagram {
    std::string problem; ///< id
    std::string title;
    work_kind work = work_kind::cpu;
    precision_kind precision = precision_kind::mescd;
    std::optional<double> limit; ///< digits that the reference can show at most
    bool estimated = false;      ///< these are estimated, not proven
    std::vector<diagram_curve> curves;
    /// Of a method that can treat its systems side by side: its time if each had a processor, estimated (busiest_share). Its look is the solver's.
    std::vector<diagram_curve> estimates;
    std::string empty_because; ///< no run has a place in it: why, and what to do, in sentences
};

/// Why no run of these has a place in a diagram of this work and precision, and what to do, in sentences; empty: some have.
std::string why_empty(std::span<const run_record> records, const problem_runs& runs, work_kind work, precision_kind precision);

diagram diagram_of(std::span<const run_record> records, const problem_runs& runs, const std::map<std::string, int>& looks, work_kind work,
                   precision_kind precision, const std::optional<digits_in_reach>& reach);

/// Whether the limit lies inside the picture.
bool shows_limit(const diagram& d);

/// Of digits at the end that no proven reference is behind, with a space after it; else empty.
std::string estimated_remark(const diagram& d);

/// What a run was and did, in one line.
std::string point_text(const run_record& r);

/// As a file of its own, with legend and caption.
std::string diagram_svg_file(const diagram& d, std::span<const run_record> records);
/// As an element of a page; the points carry the positions of their runs (data-r), counted from `first_run`.
std::string diagram_svg_element(const diagram& d, std::span<const run_record> records, std::size_t first_run = 0);

std::string diagram_gnuplot(const diagram& d, std::span<const run_record> records, std::string_view picture_name);
/// The picture alone, for a document that loads pgfplots and the TikZ library patterns.
std::string diagram_tikz(const diagram& d, std::span<const run_record> records);
/// As a document of its own.
std::string diagram_pgfplots(const diagram& d, std::span<const run_record> records);

/// What the marks at the edges mean, where there are some: sentences, each with a space before it.
std::string diagram_marks(const diagram& d);
/// What stands below the diagram on paper: machine, marks, and the warning.
std::string diagram_caption(const diagram& d, std::span<const run_record> records);

} // namespace ivp

#endif
