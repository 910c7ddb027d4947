#include "report/latex.hpp"

#include "base/escape.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "pictures.hpp"
#include "report/library_warnings.hpp"
#include "report/render/html.hpp"
#include "report/render/markdown_tex.hpp"
#include "report/render/numbers.hpp"
#include "report/render/tex.hpp"
#include "report/solver_options.hpp"
#include "tables.hpp"

#include <ivp/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ivp {

namespace {

using book_pages::view;

constexpr const char* for_tables = "\\usepackage{array,booktabs,longtable}";
constexpr const char* for_chapters = "\\usepackage{amsmath,amssymb,array,booktabs,longtable}";
constexpr const char* for_summary = "\\usepackage{booktabs,graphicx,longtable}";
constexpr const char* for_diagrams = "\\usepackage{pgfplots} \\usetikzlibrary{patterns} \\pgfplotsset{compat=1.16}";

constexpr const char* preamble = R"(\documentclass[10pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{} % without it the fonts of T1 are bitmaps
\usepackage[margin=25mm]{geometry}
\usepackage{amsmath,amssymb,array,booktabs,graphicx,longtable}
\usepackage{pgfplots}
\usetikzlibrary{patterns}
\pgfplotsset{compat=1.16}
\usepackage[hidelinks]{hyperref}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt plus 1pt}
\setlength{\emergencystretch}{3em}
\makeatletter
\renewcommand*{\l@section}{\@dottedtocline{1}{0em}{2em}}
\makeatother
)";

// The same words as the book's page about machine and method.
constexpr const char* definitions = R"(\section*{What the columns mean}
With the reference solution $r$ and the result $y$ of a run at the end point:
\begin{description}
\setlength{\itemsep}{0pt}
\item[rtol, atol, $h_0$] tolerances and first step, by the protocol of each problem; no $h_0$: the solver chose it.
\item[scd] significant correct digits, $-\log_{10}\max_i |y_i-r_i|/|r_i|$ over the components that the problem does not exclude.
\item[mescd] the same in the mixed error, $-\log_{10}\max_i |y_i-r_i|/(\mathrm{atol}_i/\mathrm{rtol}_i+|r_i|)$ over all components.
\item[steps, accept] steps attempted and accepted.
\item[\#f, \#Jac, \#LU] evaluations of $f$ (with those for difference quotients), Jacobians and factorisations, counted at the boundary of the
  problem; a factorisation is what the chapter of the solver calls one.
\item[CPU] seconds of the solve calls alone, summed over threads: the least of several repetitions; a question mark follows a time from fewer than five.
\end{description}
)";

struct paper {
    const book_content& content;
    const latex_origin& origin;
    view runs;
};

std::string period(const paper& p, std::span<const std::size_t> runs)
{
    std::vector<std::string> times;
    for (const std::size_t k : runs) times.push_back(p.content.runs[k].measured_at);
    const auto [first, last] = book_pages::days_of(times);
    return first == last ? first : first + " to " + last;
}

std::string machine_text(const machine_info& m) { return fmt::format("{}, {}, {}", m.cpu, counted(m.cores, "core"), m.os); }

/// What these runs have in common or, where they differ, all of it.
template <class Get>
std::string distinct(const paper& p, std::span<const std::size_t> runs, Get&& get)
{
    std::set<std::string> values;
    for (const std::size_t k : runs) values.insert(get(p.runs.records[k]));
    return joined(values, "; ");
}

std::string head(const paper& p, std::span<const std::size_t> runs, const std::string& what, std::string_view packages)
{
    std::string text = std::string(latex_mark) + "\n" + tex::comment(what) + "\n";
    if (!packages.empty()) text += tex::comment(fmt::format("For \\input; the preamble needs {}", packages)) + "\n";
    text += tex::comment("Store: " + p.origin.store) + "\n";
    text += tex::comment("Measured by: ivp " + distinct(p, runs, [](const run_record& r) { return r.build.version; })) + "\n";
    text += tex::comment("Machine: " + distinct(p, runs, [](const run_record& r) { return machine_text(r.machine); })) + "\n";
    text += tex::comment("Compiler: " + distinct(p, runs, [](const run_record& r) { return r.build.compiler + " " + r.build.flags; })) + "\n";
    if (const auto all = distinct(p, runs, [](const run_record& r) { return r.library; }); !all.empty())
        text += tex::comment("Libraries: " + all) + "\n";
    if (const std::string days = period(p, runs); !days.empty()) text += tex::comment("Runs of " + days) + "\n";
    return text + tex::comment("Written again by: " + p.origin.command) + "\n";
}

std::string name_of(const problem_runs& r) { return r.problem + (r.variant.empty() ? "" : " with " + r.variant); }

/// One for the files and labels of each problem.
std::vector<std::string> keys_of(const view& v)
{
    std::vector<std::string> keys;
    std::set<std::string> used{"report", "summary", "profile", "ranking"};
    for (const auto& r : v.runs) {
        std::string key = id_of(name_of(r));
        std::ranges::replace(key, '_', '-');
        if (key.empty()) key = "problem";
        // The name of a file has at most 255 characters, and a line of TeX is easier to read with fewer.
        constexpr std::size_t longest = 64;
        if (key.size() > longest) key = key.substr(0, longest) + "-" + sha256(name_of(r)).substr(0, 8);
        const std::string plain = key;
        for (int k = 2; !used.insert(key).second; ++k) key = fmt::format("{}-{}", plain, k);
        keys.push_back(key);
    }
    return keys;
}

/// Formulas go into the file as they stand in the text: only those of the test set itself.
bool has_chapter(const book_problem& p) { return !p.foreign && !p.problem.chapter().markdown.empty(); }

bool has_schematic(const book_problem& p) { return !p.foreign && schematic_of(p.problem).has_value(); }

/// A solver's chapter: the same rule.
bool has_chapter(const solver& s) { return s.info().origin != "plug-in"; }

std::string section(const paper& p, const problem_runs& r, const std::string& key, std::span<const std::string> further_tables)
{
    const auto* known = p.runs.problem(r.problem);
    const auto d = book_pages::diagram_of(p.runs, r, work_kind::cpu, precision_kind::mescd);
    const std::string title = known == nullptr ? "" : ": " + tex_escaped(known->problem.info().title);
    std::string text = fmt::format("\n\\clearpage\n\\section{{{}{}}}\n", tex::problem_name(r), title);
    if (known != nullptr && r.variant.empty()) {
        std::vector<std::string> facts;
        for (const auto& fact : book_pages::facts_of(known->problem)) facts.push_back(tex_escaped(fact));
        text += "Form: " + joined(facts, "; ") + ".\n";
        if (has_schematic(*known)) text += fmt::format("\n\\input{{{}-schematic}}\n", key);
        if (has_chapter(*known)) text += fmt::format("\n\\input{{{}-chapter}}\n", key);
        if (known->course)
            text += fmt::format("\\subsection*{{Behaviour of the solution}}\nComputed with \\texttt{{{}}} at rtol {} when this report was "
                                "made.\n\n\\noindent\\input{{{}-course}}\n\\subsection*{{Runs}}\n",
                                known->course->solver, tolerance_number(medium::tex, known->course->rtol), key);
    } else if (const auto own = book_pages::all_of(r); known != nullptr && !own.empty()) { // other parameters may change form, dimension or index
        const auto& run = p.runs.records[own.front()];
        text += fmt::format("Form: {}, {}; t from {} to {}.\n", tex_escaped(run.form), counted(run.dimension, "equation"), run.t0, run.tend);
    }
    text += fmt::format(
        "\\begin{{figure}}[!ht]\n\\centering\n\\input{{{0}-wp}}\n\\caption{{Work-precision diagram for {1}.{2}}}\\label{{fig:ivp-{0}-wp}}\n"
        "\\end{{figure}}\n\\input{{{0}-runs}}\n",
        key, tex::problem_name(r), tex_escaped(diagram_marks(d)));
    for (const auto& kind : further_tables) text += fmt::format("\\input{{{}-{}}}\n", key, kind);
    return text;
}

std::string opening(const paper& p, std::span<const std::size_t> all)
{
    std::set<std::string> problems;
    std::set<std::string> solvers;
    for (const auto& r : p.runs.records) {
        problems.insert(r.full_problem());
        solvers.insert(r.full_solver());
    }
    const auto good = std::ranges::count(p.runs.records, outcome::success, &run_record::outcome);
    const std::string days = period(p, all);
    std::string text = std::string(preamble) + "\\title{Solvers of initial value problems, measured}\n\\author{}\n\\date{" +
                       (days.empty() ? "" : "Runs of " + tex_escaped(days)) + "}\n\n\\begin{document}\n\\maketitle\n\\tableofcontents\n\n";
    text += fmt::format("\\section*{{What was run}}\n{}, {}, {}, of which {} succeeded. Machine: {}. Compiler: {}.\n",
                        counted(problems.size(), "problem"), counted(solvers.size(), "solver"), counted(p.runs.records.size(), "run"), good,
                        tex_escaped(distinct(p, all, [](const run_record& r) { return machine_text(r.machine); })),
                        tex_escaped(distinct(p, all, [](const run_record& r) { return r.build.compiler; })));
    for (const auto& warning : library_warnings(p.runs.records).sentences()) text += "\n\\textbf{Warning:} " + tex_escaped(warning) + "\n";
    for (const auto& remark : p.content.remarks) text += "\n" + tex_escaped(remark) + "\n";
    return text + "\n" + tex_escaped(diagram_warning) + "\n\n" + definitions;
}

/// The solvers of each family among themselves, and the best of each.
std::string families(const paper& p, std::span<const std::size_t> all, std::vector<named_text>& files)
{
    std::string text;
    std::vector<book_pages::curve_name> best;
    const auto compare = [&](const std::string& id, const std::string& title, const std::string& about,
                             std::span<const book_pages::curve_name> curves) {
        const auto runs = book_pages::runs_of_curves(p.runs, curves);
        const std::string profile = tex::profile_picture(p.runs, runs);
        if (profile.empty()) return std::string();
        const std::string caption = title + ", compared among themselves by CPU time.";
        files.push_back({id + "-profile.tex", head(p, all, "Performance profile: " + title, for_diagrams) + profile});
        files.push_back({id + "-ranking.tex", head(p, all, "Ranking: " + title, for_tables) +
                                                  tex::ranking_table(p.runs, curves, tex_escaped(caption), fmt::format("tab:ivp-{}-ranking", id))});
        return fmt::format("\n\\subsection{{{0}}}\n{1}\n\\begin{{figure}}[!ht]\n\\centering\n\\input{{{2}-profile}}\n\\caption{{{0}: profile at 6 "
                           "digits.}}\n\\end{{figure}}\n\\input{{{2}-ranking}}\n",
                           tex_escaped(title), tex_escaped(about), id);
    };
    for (const auto& f : book_pages::compared_families(p.runs)) {
        if (f.best) best.push_back(*f.best);
        if (f.curves.size() < 2) continue;
        std::string title(f.family->title);
        if (title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
        text += compare(fmt::format("family-{}", f.family->id), title, std::string(f.family->about), f.curves);
    }
    std::string first;
    if (best.size() > 1)
        first = compare("family-best", "The best of each family", "From each family the solver with the highest score among all solvers at 6 digits.",
                        best);
    return first.empty() && text.empty() ? "" : "\n\\section{Families}\n" + first + text;
}

/// Problems in the order of the content; those that are not in it follow as they were run.
void sort_as_listed(view& v)
{
    std::ranges::stable_sort(v.runs, {},
                             [&v](const problem_runs& r) { return std::ranges::find(v.problems, v.problem(r.problem)) - v.problems.begin(); });
}

} // namespace

std::vector<named_text> latex_report(const book_content& content, const latex_origin& origin)
{
    if (content.runs.empty()) throw bad_request(fmt::format("--latex: the store '{}' holds no runs; 'ivp campaign' makes some", origin.store));
    std::vector<run_record> records;
    paper p{content, origin, {}};
    for (const auto& r : content.runs) records.push_back(r.record);
    p.runs = book_pages::view_of(records, content.problems, content.solvers);
    sort_as_listed(p.runs);
    std::vector<std::size_t> all(records.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;

    std::string main = head(p, all, "The report; compile it with: pdflatex report, three times", "") + opening(p, all);
    std::vector<named_text> files(1);
    if (const auto story = book_pages::story_of(p.runs); !story.empty()) {
        main += "\n\\section{What was found}\n\\begin{itemize}\n";
        for (const auto& sentence : story) main += "\\item " + tex_escaped(sentence) + "\n";
        main += "\\end{itemize}\n";
    }
    if (const std::string profile = tex::profile_picture(p.runs, p.runs.runs); !profile.empty()) {
        files.push_back({"profile.tex", head(p, all, "Performance profile of all solvers", for_diagrams) + profile});
        main += "\\begin{figure}[!ht]\n\\centering\n\\input{profile}\n\\caption{A point $(\\tau, s)$ of a curve: the solver delivered 6 digits with "
                "at most "
                "$\\tau$ times the least CPU time of all on the share $s$ of the problems. Grey: all but the eight best.}\n\\end{figure}\n";
    }
    if (const std::string summary = tex::summary_table(p.runs); !summary.empty()) {
        files.push_back({"summary.tex", head(p, all, "Summary: digits of every solver on every problem", for_summary) + summary});
        main += "\n\\section{What each solver delivers}\n\\input{summary}\n";
    }
    files.push_back({"ranking.tex", head(p, all, "Ranking of all solvers", for_tables) +
                                        tex::ranking_table(p.runs, p.runs.curves,
                                                           "All solvers by CPU time: rank, in brackets the ranks of nine tenths of all draws of the "
                                                           "problems; score; problems delivered, of those the solver takes.",
                                                           "tab:ivp-ranking")});
    main += "\n\\section{Ranking, with its uncertainty}\nThe score is the area below the profile of a solver between the ratios 1 and 100: 1 means "
            "always "
            "the best, 0 never within a factor of 100. If intervals of ranks overlap, the order says nothing.\n\n\\input{ranking}\n";
    main += families(p, all, files);
    std::string appendix;
    const auto keys = keys_of(p.runs);
    for (std::size_t k = 0; k < keys.size(); ++k) {
        const auto& r = p.runs.runs[k];
        const auto own = book_pages::all_of(r);
        const auto add = [&](const char* kind, const std::string& what, const char* packages, const std::string& text) {
            files.push_back({fmt::format("{}-{}.tex", keys[k], kind), head(p, own, what + ": " + name_of(r), packages) + text});
        };
        add("runs", "Run characteristics", for_tables, tex::run_table(p.runs, r, keys[k], false));
        if (tex::has_further_runs(p.runs, r)) {
            add("all", "All successful runs", for_tables, tex::run_table(p.runs, r, keys[k], true));
            appendix += fmt::format("\\input{{{}-all}}\n", keys[k]);
        }
        std::vector<std::string> further;
        const auto add_if_any = [&](const char* kind, const std::string& what, const std::string& text) {
            if (text.empty()) return;
            add(kind, what, for_tables, text);
            further.emplace_back(kind);
        };
        add_if_any("drift", "Drift of the invariants of a mechanical system", tex::drift_table(p.runs, r, keys[k]));
        add_if_any("failed", "Failed runs", tex::failed_table(p.runs, r, keys[k]));
        if (const auto* known = p.runs.problem(r.problem); known != nullptr && r.variant.empty())
            add_if_any("published", "Published runs and ours", tex::published_table(p.runs, known->problem, keys[k]));
        const auto d = book_pages::diagram_of(p.runs, r, work_kind::cpu, precision_kind::mescd);
        if (const auto* known = p.runs.problem(r.problem); known != nullptr && r.variant.empty()) {
            if (has_schematic(*known)) add("schematic", "What the problem describes", for_diagrams, tex::schematic_picture(known->problem));
            if (has_chapter(*known)) add("chapter", "Chapter", for_chapters, tex_from_markdown(known->problem.chapter().markdown));
            if (known->course) add("course", "Behaviour of the solution", for_diagrams, tex::course_pictures(*known->course, known->problem));
        }
        add("wp", "Work-precision diagram", for_diagrams, diagram_tikz(d, p.runs.records));
        main += section(p, r, keys[k], further);
    }
    for (const auto* s : p.runs.solvers) {
        if (!has_chapter(*s)) continue;
        const std::string name = book_pages::name_of(*s);
        std::string key = fmt::format("solver-{}-about", id_of(name));
        std::ranges::replace(key, '_', '-');
        files.push_back({key + ".tex", head(p, all, "Chapter: " + name, for_chapters) + tex_from_markdown(chapter_with_options(*s))});
        main += fmt::format("\n\\clearpage\n\\section{{{}: {}}}\n\\input{{{}}}\n", tex::code(name), tex_escaped(s->info().title), key);
    }
    if (!appendix.empty()) main += "\n\\clearpage\n\\appendix\n\\section{All runs}\n" + appendix;
    files.front() = {"report.tex", main + "\n\\end{document}\n"};
    return files;
}

} // namespace ivp
