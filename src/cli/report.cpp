#include "report.hpp"
#include "commands.hpp"

#include <ivp/catalog/catalog.hpp>
#include <ivp/measure/sample.hpp>
#include <ivp/report/book.hpp>
#include <ivp/report/output_file.hpp>
#include <ivp/worker/foreign.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

namespace ivp::cli {

namespace {

constexpr int course_points = 1500; // a picture has fewer pixels; what cannot be seen is not written

book_problem chapter_of(const std::string& name)
{
    const bool foreign = names_a_file(name);
    problem p = foreign ? open_contained_problem(name, {}) : open_problem(name);
    // A plug-in integrates in a process of its own.
    const std::string course = contained_text(foreign, name, [&p] {
        const auto b = behaviour_of(p, course_points);
        return b ? to_json(*b) : std::string();
    });
    return {std::move(p), problem_parameters(name), course.empty() ? std::nullopt : std::optional(behaviour_from_json(course))};
}

/// The machine with most runs; the others are told about.
std::optional<std::int64_t> chosen_machine(const store& db, std::vector<std::string>& remarks)
{
    const auto machines = db.machines();
    if (machines.size() < 2) return std::nullopt;
    const auto most = std::ranges::max_element(machines, {}, &stored_machine::runs);
    remarks.push_back(
        fmt::format("The store holds runs of {} machines. Times of different machines cannot be compared: this book is about the one with most runs, "
                    "{} ({} runs).",
                    machines.size(), most->machine.cpu, most->runs));
    return most->id;
}

} // namespace

void write_book(const std::string& database, const std::string& path, const std::vector<std::string>& plugins)
{
    book_content content;
    reader read;
    std::vector<std::string> problems = problem_ids();
    for (const auto& name : solver_names()) content.solvers.push_back(open_solver(name));
    for (const auto& l : library_solvers())
        if (l.available) content.solvers.push_back(open_solver(l.name));
    for (const auto& file : plugins) {
        const auto is_problem = read.attempt([&] { return is_problem_file(file); });
        if (!is_problem) continue;
        if (*is_problem) {
            problems.push_back(file);
        } else if (auto s = read.attempt([&] { return std::shared_ptr<const solver>(open_contained_solver(file)); })) {
            content.solvers.push_back(std::move(*s));
        }
    }
    if (!std::filesystem::exists(database))
        read.fault(fmt::format("--db: '{}' given; allowed: a file written by 'ivp campaign' or 'ivp demo'", database));
    if (!path.ends_with(".html")) read.fault(fmt::format("--out: '{}' given; allowed: the name of a file that ends with .html", path));
    read.raise();

    const store db(database, store::access::read);
    run_filter filter;
    filter.machine = chosen_machine(db, content.remarks);
    content.runs = db.runs(filter);
    content.assessments = db.assessments();
    output_file out(path, "--out");
    for (const auto& name : problems) content.problems.push_back(chapter_of(name));
    out.stream() << book(content);
    out.commit();
}

int report(const report_arguments& a)
{
    write_book(a.database, a.out, a.plugins);
    std::cout << fmt::format("The report is in {}\n", a.out);
    return done;
}

} // namespace ivp::cli
