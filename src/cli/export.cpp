// 'ivp export': a problem in a form that other programs take.
#include "text/export/export.hpp"
#include "base/escape.hpp"
#include "base/labels.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "catalog/problem_sets.hpp"
#include "commands.hpp"
#include "export_fortran/request.hpp"
#include "run_options.hpp"
#include "text/import/import.hpp"
#include "text/text_problem.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

namespace ivp::cli {

namespace {

struct export_arguments : command {
    export_arguments()
        : command(
              "export", "Write a problem for other programs: its equations in a language, or a library for the Fortran drivers of the test set",
              "--to writes the equations as a function in that language, with the initial values, the interval and the reference. It does not take "
              "plug-ins, whose formulas are unknown. --fortran writes a library with the original's routines (prob, init, feval, ...); a driver "
              "links with it instead of the problem's file. This needs no compiler.\n"
              "Exit codes: 0 written, 2 wrong use, 3 this build of the tool lacks the libraries.")
    {}

    text problem =
        word("problem", "Problem id, see 'ivp list problems'; with --to also the path of a text or a model (./mine.ivp, ./model.net, ./model.xml)",
             a_problem_missing);
    optional_text to = option("--to", "Write the equations in this language: c, c++, fortran, python, julia, latex, sbml, ivp");
    optional_text out = option("--out", "With --to: the file to write; default: standard output");
    optional_text fortran = option("--fortran", "Folder for the library and a README");
    optional_text generation =
        option("--generation", "With --fortran: argument lists: 1996 (the report of that year), 2006 (releases 2.0 to 2.4); default 2006");
    text form = option("--form", "Write the problem in this form: ode, dae, ide", "");
    optional_text jacobian =
        option("--jacobian", "With --fortran: exact, differences (the driver forms them), original (as the published runs); default original");
    texts set = list("--set", a_parameter);
    yes_or_no force = flag("--force", force_help);
};

namespace fs = std::filesystem;

enum class generation { of_1996, of_2006 };

std::optional<generation> generation_from_label(std::string_view text) { return enum_labels<generation, 2>{{"1996", "2006"}}.find(text); }

/// The library as it was built, before it answers for a problem; it is installed with the tool.
fs::path library_to_copy(const std::string& face)
{
    std::error_code ignored;
    const fs::path tool = fs::read_symlink("/proc/self/exe", ignored);
    for (const char* folder : {IVP_EXPORT_FOLDERS})
        if (fs::path file = tool.parent_path() / folder / (face + ".so"); fs::exists(file, ignored)) return file;
    throw ivp::missing_component("'ivp export' needs the library '" + face + ".so', which this build of the tool does not have");
}

bool is_exported_library(const fs::path& file)
{
    constexpr std::size_t most = 1U << 28U; // ours have some megabytes
    return read_beginning(file, most).value_or("").find(export_fortran::request_mark) != std::string::npos;
}

/// Who opens a pipe waits for its other end.
void require_no_pipe(const fs::path& file)
{
    std::error_code ignored;
    if (fs::is_other(fs::status(file, ignored)))
        throw bad_request("--fortran: cannot write '" + file.string() + "': it is not a plain file; allowed: a folder without it");
}

void write_request(std::string& library, const export_fortran::request& r)
{
    using export_fortran::request_mark;
    const auto at = library.find(request_mark);
    if (at == std::string::npos || library.size() - at < export_fortran::request_size)
        throw std::logic_error("a library without a place for the request");
    const std::string text = text_of(r);
    std::fill_n(library.begin() + static_cast<std::ptrdiff_t>(at + request_mark.size()), export_fortran::request_size - request_mark.size(), '\0');
    std::ranges::copy(text, library.begin() + static_cast<std::ptrdiff_t>(at + request_mark.size()));
}

constexpr file_mark readme_mark{"# Problems for Fortran programs"};

struct fortran_export {
    const problem& exported;
    generation format;
    std::string library; ///< "hires" of libhires.so
};

std::string arguments_text(const fortran_export& e)
{
    if (e.format == generation::of_2006)
        return "It has the routines of releases 2.0 to 2.4: `prob`, `init`, `feval`, `jeval`, `meval`, `solut`, and `pidate`, `settolerances`, "
               "`setoutput`,\n"
               "which release 2.3 added. Drivers of all these releases link with it.\n";
    const form f = e.exported.info().form;
    return fmt::format(
        "It has the routines of the report of 1996 for {}: `prob`, `init`, {}`jeval`, {}`solut`. That format has no breakpoints{} and\n"
        "no way to refuse an argument.\n",
        f == form::ode   ? "ODEs"
        : f == form::dae ? "DAEs"
                         : "IDEs",
        f == form::ide ? "`geval`, " : "`feval`, ", f == form::dae ? "`mas`, " : "",
        e.exported.info().breakpoints.empty()
            ? ""
            : fmt::format(" ({} has {})", e.exported.id(), counted(e.exported.info().breakpoints.size(), "breakpoint")));
}

std::string readme(const fortran_export& e)
{
    return fmt::format(
        "{}\n\n"
        "`lib{}.so` is the problem \"{}\" ({}, {}) as the drivers of the test set for initial value problem solvers call it.\n"
        "{}\n"
        "A driver and its solver link with it in place of the problem's file:\n\n"
        "    gfortran -std=legacy -o dotest driver.f solver.f report.f -L. -l{} -Wl,-rpath,\"$PWD\"\n\n"
        "Symbols and arguments follow gfortran. The library needs no other file of ivp; it runs on machines like the one that made it.\n"
        "Written by `ivp export`; the next export into this folder replaces this page and its own library.\n",
        readme_mark.text, e.library, e.exported.info().title, label(e.exported.info().form),
        counted(static_cast<std::uint64_t>(e.exported.n()), "equation"), arguments_text(e), e.library);
}

/// The variables of an index stand together, in the order of the index: counts can describe them.
bool is_ordered_by_index(const problem& p) { return std::ranges::is_sorted(p.info().index); }

problem problem_to_export(const export_arguments& a, reader& read)
{
    const auto ids = problem_ids(ivp::problem_set::test_set);
    if (std::ranges::find(ids, a.problem) == ids.end())
        throw bad_request("export: '" + a.problem + "' given; allowed: a problem of the test set, see 'ivp list problems'" +
                          nearest_name_hint(a.problem, ids));
    return in_asked_form(open_problem(a.problem, read.pairs("--set", a.set)), a.form, read);
}

/// A text is what it is; everything else is written from the formula.
std::string equations_text(const export_arguments& a, text::export_language to, reader& read)
{
    const auto parameters = read.pairs("--set", a.set);
    if (is_foreign(a.problem))
        throw bad_request("export: '" + a.problem +
                          "' given; allowed with --to: problems of the catalog, texts and models: the formula of a plug-in is not known");
    const problem p = in_asked_form(open_problem(a.problem, parameters), a.form, read);
    read.raise();
    if (to == text::export_language::ivp && names_a_text(a.problem) && parameters.empty() && a.form.empty())
        return text::text_of_model(a.problem).text;
    if (to == text::export_language::sbml && names_a_text(a.problem) && a.form.empty())
        if (auto network = text::network_in_sbml(p, a.problem, parameters, a.typed())) return *network;
    return text::exported(p, to, a.typed());
}

int export_equations(const export_arguments& a)
{
    reader read;
    const auto to = read.choice<text::export_language>("--to", *a.to, text::export_language_from_label, text::export_languages_allowed);
    if (a.fortran) read.fault("export: --to and --fortran are both given; allowed: one of them");
    for (const auto& [name, given] : {std::pair{"--generation", &a.generation}, {"--jacobian", &a.jacobian}})
        if (*given) read.fault(fmt::format("{}: '{}' given with --to, which writes equations only; allowed: with --fortran", name, **given));
    const auto written = to ? read.attempt([&] { return equations_text(a, *to, read); }) : std::nullopt;
    read.raise();
    if (!a.out) {
        std::cout << *written;
        return done;
    }
    const file_mark mark{std::string_view(*written).substr(0, written->find('\n', written->find('\n') + 1))}; // an earlier export of this problem
    output_file out(*a.out, "--out", mark, a.force);
    out.stream() << *written;
    out.commit();
    return done;
}

int export_problem(const export_arguments& a)
{
    if (a.to) return export_equations(a);
    reader read;
    if (a.out) read.fault("export: --out is given without --to; allowed: with --to");
    if (!a.fortran) read.fault("export: nothing to write is given; allowed: --to LANGUAGE or --fortran DIR");
    const auto format = read.choice<generation>("--generation", a.generation.value_or("2006"), generation_from_label, "1996, 2006");
    const auto jacobian =
        read.choice<jacobian_source>("--jacobian", a.jacobian.value_or("original"), jacobian_source_from_label, "exact, differences, original");
    const auto p = read.attempt([&] { return problem_to_export(a, read); });
    if (p && format == generation::of_1996 && !is_ordered_by_index(*p))
        read.fault("--generation: '1996' given; its ind1, ind2, ind3 need variables in the order of their index, which those of " + a.problem +
                   " do not have; allowed: 2006");
    read.raise();

    const form f = p->info().form;
    const std::string face = *format == generation::of_2006 ? "2006" : "1996_" + std::string(label(f));
    std::string library = read_whole(library_to_copy(face)).value();
    write_request(library, {a.problem, f, *jacobian, read.pairs("--set", a.set)});
    const fortran_export e{*p, *format, a.problem + (*format == generation::of_1996 ? "_1996" : "")};

    const fs::path folder(*a.fortran);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw bad_request("--fortran: '" + folder.string() + "' cannot be made: " + error.message());
    const fs::path file = folder / ("lib" + e.library + ".so");
    require_no_pipe(file);
    require_no_pipe(folder / "README.md");
    output_file out(file.string(), "--fortran", {"a library says so itself"}, a.force || is_exported_library(file));
    output_file page((folder / "README.md").string(), "--fortran", readme_mark, a.force);
    out.stream().write(library.data(), static_cast<std::streamsize>(library.size()));
    page.stream() << readme(e);
    out.complete();
    page.complete();
    out.commit();
    page.commit();
    fmt::print("{} contains the problem {} ({}); {} shows how to link a driver with it.\n", shell_word(file.string()), e.exported.info().title,
               *format == generation::of_2006 ? "releases 2.0 to 2.4" : "the report of 1996", shell_word((folder / "README.md").string()));
    return done;
}

} // namespace

std::unique_ptr<command> export_command() { return make_command(export_problem); }

} // namespace ivp::cli
