// What all pages of the book share: the runs sorted into curves, their looks, and who is who.
#ifndef IVP_SRC_REPORT_BOOK_VIEW_HPP
#define IVP_SRC_REPORT_BOOK_VIEW_HPP

#include "catalog/families.hpp"
#include "report/book.hpp"
#include "report/diagram.hpp"
#include "report/render/svg_plot.hpp"
#include "report/schematics/schematics.hpp"
#include "stats/curves.hpp"
#include "stats/profile.hpp"

#include <ivp/accuracy.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ivp::book_pages {

/// What tells it apart from all others in the book (full_name).
std::string name_of(const ivp::problem& p);
std::string name_of(const ivp::solver& s);

/// A curve as it appears anywhere in the book.
struct curve_name {
    std::string label;
    std::string solver;
    int look = 0;
    solver_family family = solver_family::outside;
    bool implicit = true;
};

/// What kind of problem it is, in the words of the filters; empty where it is not known.
struct problem_class {
    std::string form;
    std::string stiffness; ///< stiff, non-stiff
    std::string size;      ///< small, medium, large
    int index = 0;
};

struct view {
    std::vector<run_record> records;
    std::vector<problem_runs> runs;
    std::map<std::string, int> looks;
    std::vector<curve_name> curves; ///< of all problems, in the order of their looks
    std::map<std::string, digits_in_reach> reach;
    digit_limits limits; ///< mescd
    std::vector<const book_problem*> problems;
    std::vector<const ivp::solver*> solvers;

    [[nodiscard]] const book_problem* problem(std::string_view id) const;
    [[nodiscard]] const ivp::solver* solver(std::string_view name) const;
    [[nodiscard]] std::vector<const problem_runs*> runs_of(std::string_view id) const;
};

/// The content must outlive the view.
enum class curve_order { families, as_run };
view view_of(std::span<const run_record> records, std::span<const book_problem> problems, std::span<const std::shared_ptr<const solver>> solvers,
             curve_order order = curve_order::families);

/// How one solver did on one problem, over all tolerances.
struct curve_summary {
    std::optional<double> best; ///< mescd, not beyond what the reference can show
    bool capped = false;
    std::map<outcome, std::size_t> failed;
    std::size_t failures = 0;
    bool all_failed = false;
    bool refused = false; ///< every run was
    [[nodiscard]] bool lied() const { return failed.contains(outcome::wrong_answer); }
};
curve_summary summary_of(const view& v, const problem_runs& p, const run_curve& c);
problem_class class_of(const view& v, const problem_runs& p);
/// The solver was not asked to do what it does not do: such a run did not fail.
constexpr bool is_refusal(outcome o) { return o == outcome::unsupported || o == outcome::unavailable; }
/// Whether the solver takes the problem: at least one of its runs there was not refused.
bool is_taken(const view& v, const run_curve& c);
/// Why this solver does not take this problem; none: it does, or one of them is not known here.
std::optional<std::string> refusal_of(const view& v, const std::string& problem, const std::string& solver);

/// Failed runs with the same reason.
struct failure_group {
    std::string who; ///< problem, or label of the curve
    std::vector<std::size_t> runs;
};
std::vector<failure_group> failure_groups(const view& v, std::span<const std::size_t> runs, bool by_problem);
/// What a person reads: the message, or else the sentence of the outcome.
std::string_view reason_of(const run_record& r);

std::vector<std::size_t> all_of(const problem_runs& runs);
/// The runs at the tolerances the original tabulated, or the nearest.
std::vector<std::size_t> tabulated(const view& v, const problem_runs& runs);
/// Form, size, index, interval and tags, in words.
std::vector<std::string> facts_of(const ivp::problem& p);

/// First and last day of the measurements; empty where the store does not tell.
std::pair<std::string, std::string> days_of(std::span<const std::string> times);

/// With the limit of its reference, where the problem is as the test set poses it.
diagram diagram_of(const view& v, const problem_runs& runs, work_kind work, precision_kind precision);

/// Digits at which solvers are compared.
inline constexpr double compared_digits[] = {4, 6, 8};

// ---- Pieces of text ----

std::string link_to_problem(std::string_view id);
std::string link_to_solver(std::string_view name);
/// "beta" is a letter, and what ends a name in digits is an index: "phi1'" is φ₁′.
std::string pretty_name(std::string_view name);
/// Marker and name of a curve.
std::string curve_key(const std::string& label, int look);

// ---- Pictures ----

/// Whether a logarithmic axis shows more: no value is negative, and many are far below the largest.
bool asks_for_logarithms(std::span<const double> values);
/// Components that are shown one by one, counted from 0: all of a small problem.
std::vector<int> tile_components(const ivp::problem& p);
/// Two components against each other; several pairs in one plot are bodies or points that move.
struct phase_plot {
    std::string_view problem;
    std::string_view title;
    std::vector<std::pair<int, int>> pairs; ///< components, counted from 1
    std::string_view across{};              ///< titles of the axes; empty: what the pair is called
    std::string_view up{};
    bool same_scale = false; ///< lengths: a circle is to look like one
    bool logarithmic = false;
    bool numbered = false; ///< each pair is a body with a number
};
/// Of the test set's own problem.
std::vector<const phase_plot*> phase_plots_of(const ivp::problem& p);
/// The courses of both components of each pair; empty if the behaviour does not have all.
std::vector<std::pair<const std::vector<double>*, const std::vector<double>*>> courses_of(const behaviour& b, const phase_plot& wanted);
/// A mechanism at several times; empty if the behaviour does not have the components it needs.
std::vector<std::pair<double, drawing>> frames_of(const behaviour& b, const motion& m);
/// Empty: there is nothing to draw.
std::string schematic_figure(const ivp::problem& p);

// ---- Tables ----

std::string run_table(const view& v, std::span<const std::size_t> runs, bool with_problem, std::string_view caption);
/// All runs of a problem, in a table that the script fills when the reader opens it: they are many.
std::string all_runs_table(const view& v, const problem_runs& runs);
/// How far these runs leave what a mechanical system keeps; empty where none of them has measured it.
std::string drift_table(const view& v, std::span<const std::size_t> runs);
/// Failed runs, those with the same reason in one row; empty where there is none.
std::string failure_table(const view& v, std::span<const std::size_t> runs, bool with_problem);
std::string speedup_section(const view& v, std::span<const std::size_t> runs);
/// What a parameter changes, if the runs of this problem have three values of one or more; empty: they do not. `known`: the problem's parameters.
std::string sweep_section(const view& v, std::string_view problem, std::span<const parameter> known, const std::string& id);

// ---- Figures ----

/// The diagram with its legend, ready for the script.
std::string diagram_figure(const view& v, const problem_runs& runs, work_kind work, precision_kind precision);
std::string behaviour_figure(const behaviour& b, const ivp::problem& p);
/// Room at the right of a plot for the names at the ends of these curves.
double end_label_room(std::span<const curve_name> curves);
/// The large profile with its legend, and the ranking, of these curves among themselves.
std::string profiles(const view& v, std::span<const curve_name> curves);
std::string ranking_table(const view& v, std::span<const curve_name> curves, work_kind kind);
/// The runs of these curves alone.
std::vector<problem_runs> runs_of_curves(const view& v, std::span<const curve_name> curves);
/// Problems whose reference shows so many digits and that the solver takes.
std::size_t taken(const view& v, const work_table& t, std::span<const problem_runs> runs, const std::string& label);
/// A family, those of its solvers that were run, and the one of them with the highest score among all solvers at 6 digits.
struct compared_family {
    const family_info* family;
    std::vector<curve_name> curves;
    std::optional<curve_name> best;
};
std::vector<compared_family> compared_families(const view& v);
/// The numbers of their looks, as an attribute for the script.
std::string joined_looks(std::span<const curve_name> curves);
std::string legend(const std::vector<curve_name>& curves, std::string_view what);

/// What was found, in sentences.
std::vector<std::string> story_of(const view& v);

// ---- Pages: each an element <article class="page"> ----

std::string start_page(const view& v, const book_content& c);
std::string problem_chapter(const view& v, const book_problem& b);
std::string unknown_problem_chapter(const view& v, const std::string& name);
std::string solver_chapter(const view& v, const ivp::solver& s);
std::string unknown_solver_chapter(const view& v, const std::string& name);
std::string method_page(const view& v, const book_content& c);
std::string assessment_page(const stored_assessment& stored);
std::string assessment_id(const stored_assessment& a);
/// What the problems of a DETEST class have in common; empty: there is no such class.
std::string_view class_meaning(std::string_view set, char letter);
/// At least one, all of the same problems and tolerances.
std::string assessments_page(std::span<const stored_assessment* const> stored, const std::string& id);

// ---- The file around them ----

struct navigation_entry {
    std::string id;
    std::string text;
    std::string hint;   ///< what the search finds besides the text
    bool quiet = false; ///< nothing was measured there
};
struct navigation_group {
    std::string title;
    std::vector<navigation_entry> entries;
    bool folded = false; ///< a heading that opens
};
struct book_page {
    navigation_entry entry;
    std::string html;
};
/// Each family that has several solvers, and the best of each.
std::vector<book_page> family_pages(const view& v);

std::string html_file(std::string_view title, const std::vector<navigation_group>& contents, std::string_view pages, const view& v);

} // namespace ivp::book_pages

#endif
