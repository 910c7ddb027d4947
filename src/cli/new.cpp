// 'ivp new': a small, complete project to begin with.
#include "base/escape.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "drivers/plugin/library.hpp"
#include "reading.hpp"
#include "templates.hpp"

#include <ivp/catalog.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace ivp::cli {

namespace {

struct new_arguments : command {
    new_arguments()
        : command("new", "Write a small project as a start: a solver or a problem of your own",
                  "The project is a shared library (plug-in) that builds with 'make' and works at once.")
    {}

    text kind = word("what", "solver or problem", "what to make (solver or problem)");
    text name = word("name", "Its name", "its name");
    optional_text language = option("--lang", "Language: c, c++, fortran");
    optional_text directory = option("--dir", "Folder to write; default: the name");
};

namespace fs = std::filesystem;

struct language {
    std::string_view name;
    std::string_view ending; ///< of its source files
};
constexpr std::array languages{language{"c", ".c"}, language{"c++", ".cpp"}, language{"fortran", ".f90"}};

std::optional<language> language_from_label(std::string_view text)
{
    const auto* const it = std::find_if(languages.begin(), languages.end(), [text](const language& l) { return l.name == text; });
    return it == languages.end() ? std::nullopt : std::optional(*it);
}

void check_name(const new_arguments& a, reader& read)
{
    if (!plugin::is_name(a.name)) {
        read.fault("name: '" + a.name + "' given; allowed: " + plugin::names_allowed);
        return;
    }
    std::vector<std::string> taken = a.kind == "problem" ? problem_ids() : solver_names();
    if (a.kind == "solver")
        for (const auto& l : library_solvers()) taken.push_back(l.name);
    if (std::find(taken.begin(), taken.end(), a.name) != taken.end())
        read.fault("name: '" + a.name + "' given; there is a " + a.kind + " of this name already; allowed: another name");
}

std::string text_of(std::string_view name)
{
    const auto all = templates();
    return std::string(std::find_if(all.begin(), all.end(), [name](const template_file& f) { return f.name == name; })->text);
}

void replace_all(std::string& text, std::string_view what, std::string_view by)
{
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
}

/// A folder that appears whole or not at all.
class new_folder {
public:
    explicit new_folder(fs::path path) : path_(std::move(path)), partial_(path_.string() + ".partial-" + std::to_string(getpid()))
    {
        std::error_code error;
        fs::create_directories(partial_, error);
        if (error) fail(error.message());
    }
    new_folder(const new_folder&) = delete;
    new_folder& operator=(const new_folder&) = delete;
    ~new_folder()
    {
        std::error_code ignored;
        fs::remove_all(partial_, ignored);
    }

    void write(const std::string& name, const std::string& text)
    {
        const fs::path file = partial_ / name;
        std::error_code error;
        fs::create_directories(file.parent_path(), error);
        std::ofstream out(file, std::ios::binary);
        out << text;
        out.close();
        if (!out) fail("'" + name + "' cannot be written");
    }
    void commit()
    {
        std::error_code error;
        fs::rename(partial_, path_, error);
        if (error) fail(error.message());
    }

private:
    [[noreturn]] void fail(const std::string& why) const { throw bad_request("--dir: '" + path_.string() + "' cannot be made: " + why); }

    fs::path path_;
    fs::path partial_;
};

int new_project(const new_arguments& a)
{
    reader read;
    if (a.kind != "solver" && a.kind != "problem") read.fault("new: '" + a.kind + "' given; allowed: solver, problem");
    constexpr auto allowed = "c, c++, fortran";
    if (!a.language) read.fault(std::string("--lang: not given; allowed: ") + allowed);
    const auto lang = a.language ? read.choice<language>("--lang", *a.language, language_from_label, allowed) : std::nullopt;
    check_name(a, read);
    fs::path folder(a.directory.value_or(a.name));
    if (!folder.has_filename()) folder = folder.parent_path(); // "dir/" is "dir"
    std::error_code ignored;
    if (folder.empty() || fs::exists(fs::symlink_status(folder, ignored)))
        read.fault("--dir: '" + folder.string() + "' " + (folder.empty() ? "given" : "exists already") +
                   "; allowed: a folder that does not exist yet");
    read.raise();

    const std::string source = a.name + std::string(lang->ending);
    const std::string library = a.name + ".so";
    const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
    const auto filled = [&](const std::string& from) {
        std::string text = text_of(from);
        replace_all(text, "@RUN@", a.kind == "solver" ? "hires ./" + library : "./" + library + " radau5");
        replace_all(text, "@TOOL@", self.empty() ? "ivp" : self.string());
        replace_all(text, "@SOURCE@", source);
        replace_all(text, "@NAME@", a.name);
        return text;
    };
    new_folder made(folder);
    made.write(source, filled(a.kind + std::string(lang->ending)));
    made.write("Makefile", filled(std::string(lang->name) + ".make"));
    made.write("README.md", filled(a.kind + ".md"));
    made.write("ivp/plugin.h", text_of("plugin.h"));
    if (lang->name == "fortran") made.write("ivp/ivp_plugin.f90", text_of("ivp_plugin.f90"));
    made.commit();

    const std::string place = shell_word(folder.string());
    const std::string file = shell_word((folder.is_absolute() ? folder / library : fs::path(".") / folder / library).string());
    fmt::print("Written to {}: {}, Makefile, README.md, ivp/\n\nIt works at once:\n   make -C {}\n", place, source, place);
    const std::string tool = tool_as_typed();
    if (a.kind == "solver")
        fmt::print("   {} run hires {} --rtol 1e-4\n", tool, file);
    else
        fmt::print("   {0} check {1}\n   {0} run {1} radau5 --rtol 1e-4\n", tool, file);
    return done;
}

} // namespace

std::unique_ptr<command> new_command() { return make_command(new_project); }

} // namespace ivp::cli
