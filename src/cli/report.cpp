#include "report.hpp"
#include "base/escape.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "catalog/foreign.hpp"
#include "commands.hpp"
#include "reference/derive.hpp"
#include "report/book.hpp"
#include "report/latex.hpp"
#include "run/behaviour.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

namespace ivp::cli {

namespace {

book_problem chapter_of(const std::string& name, bool with_course)
{
    const bool foreign = is_foreign(name);
    problem p = with_made_reference(open_contained_problem(name, {}), {name, std::nullopt});
    if (!with_course) return {std::move(p), {}, std::nullopt, foreign};
    // A plug-in integrates in a process of its own.
    const std::string course = contained_text(foreign, name, [&p] {
        const auto b = behaviour_of(p, course_points, pictured_in_book(p));
        return b ? to_json(*b) : std::string();
    });
    return {std::move(p), contained_problem_parameters(name), course.empty() ? std::nullopt : std::optional(behaviour_from_json(course)), foreign};
}

/// The machine with most runs; the others are told about.
std::optional<std::int64_t> chosen_machine(const store& db, std::vector<std::string>& remarks)
{
    const auto machines = db.machines();
    if (machines.size() < 2) return std::nullopt;
    const auto most = std::ranges::max_element(machines, {}, &stored_machine::runs);
    remarks.push_back(fmt::format(
        "The store holds runs of {} machines. Times of different machines cannot be compared: this report is about the machine with most runs, "
        "{} ({}).",
        machines.size(), most->machine.cpu, counted(most->runs, "run")));
    return most->id;
}

std::string latex_command(const report_request& a)
{
    std::string text = fmt::format("ivp report --latex {} --db {}", shell_word(*a.latex), shell_word(a.database));
    for (const auto& file : a.plugins) text += " --plug-in " + shell_word(file);
    return text;
}

/// Solvers that have a chapter, and the names of the problems; all faults of the arguments are told.
std::vector<std::string> read_names(const report_request& a, book_content& content)
{
    reader read;
    std::vector<std::string> problems = problem_ids();
    for (const auto& name : solver_names()) content.solvers.push_back(open_solver(name));
    for (const auto& l : library_solvers())
        if (l.available) content.solvers.push_back(open_solver(l.name));
    for (const auto& file : a.plugins) {
        const bool is_text = names_a_file(file) && !is_foreign(file);
        const auto is_problem = read.attempt([&] { return is_text || is_problem_file(file); });
        if (!is_problem) continue;
        if (*is_problem) {
            problems.push_back(file);
        } else if (auto s = read.attempt([&] { return std::shared_ptr<const solver>(open_contained_solver(file)); })) {
            content.solvers.push_back(std::move(*s));
        }
    }
    std::error_code nowhere;
    const auto here = std::filesystem::current_path(nowhere); // of a folder that was removed: opening the store says that
    if ((a.database.starts_with('/') || !nowhere) && !std::filesystem::exists(a.database))
        read.fault(fmt::format("--db: '{}' given; allowed: a file written by 'ivp campaign' or 'ivp demo'", a.database));
    if (a.out && !a.out->ends_with(".html")) read.fault(fmt::format("--out: '{}' given; allowed: the name of a file that ends with .html", *a.out));
    read.apart_from_store("--out", a.out, a.database);
    if (a.latex)
        for (const auto& fault : faults_of_directory(*a.latex, {}, latex_mark, "--latex")) read.fault(fault);
    read.raise();
    return problems;
}

} // namespace

std::vector<std::string> write_report(const report_request& a)
{
    book_content content;
    const auto problems = read_names(a, content);
    const store db(a.database, store::access::read);
    run_filter filter;
    filter.machine = chosen_machine(db, content.remarks);
    content.runs = db.runs(filter);
    content.assessments = db.assessments();
    // Nothing gets its name before everything is complete.
    std::optional<output_file> html;
    if (a.out) html.emplace(*a.out, "--out", file_marks::html, a.force);
    // On paper only what was run has a chapter.
    std::set<std::string> run;
    for (const auto& r : content.runs) run.insert(r.record.problem);
    for (const auto& name : problems) content.problems.push_back(chapter_of(name, a.out.has_value() || run.contains(name)));
    if (html) {
        html->stream() << book(content);
        html->complete();
    }
    std::vector<std::string> left;
    if (a.latex) {
        const auto files = latex_report(content, {a.database, latex_command(a)});
        write_directory(*a.latex, files, latex_mark, "--latex");
        left = left_from_before(*a.latex, files, latex_mark);
    }
    if (html) html->commit();
    return left;
}

namespace {

constexpr auto default_book = "ivp-report.html";

struct report_arguments : command {
    report_arguments() : command("report", "Write a report about all runs of a store: one HTML file, or LaTeX") {}

    text database = option("--db", "The store with the runs", default_store);
    optional_text out = option("--out", fmt::format("The file, ending with .html; default {}, none with --latex", default_book));
    yes_or_no force = flag("--force", force_help);
    optional_text latex =
        option("--latex", "Folder for tables (booktabs) and diagrams (pgfplots), each for \\input in a paper, and report.tex with all of them");
    texts plugins = list("--plug-in", "Include the chapter of this problem (a text, a plug-in or a Fortran file) or solver (a plug-in) of your own");
};

int report(const report_arguments& a)
{
    report_request wanted{a.database, a.out, a.latex, a.plugins, a.force};
    if (!a.out && !a.latex) wanted.out = default_book;
    const auto left = write_report(wanted);
    if (wanted.out) std::cout << fmt::format("The report is in {}\n", *wanted.out);
    if (wanted.latex)
        std::cout << fmt::format("The report for LaTeX is in {0}; 'cd {0}' and three times 'pdflatex report' make report.pdf\n",
                                 shell_word(*wanted.latex));
    if (!left.empty()) std::cout << fmt::format("From an earlier report, and not in this one: {}\n", joined(left, ", "));
    return done;
}

} // namespace

std::unique_ptr<command> report_command() { return make_command(report); }

} // namespace ivp::cli
