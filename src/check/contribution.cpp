#include "check/contribution.hpp"

#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "model/reference.hpp"

#include <ivp/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace ivp {

namespace {

namespace fs = std::filesystem;

std::string lower(std::string text)
{
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool contains(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

/// `name` as a whole word: "vode" is not in "cvode" nor in "vode_adams".
bool names(const std::string& text, const std::string& name)
{
    const auto inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const auto end = at + name.size();
        if ((at == 0 || !inside(text[at - 1])) && (end == text.size() || !inside(text[end]))) return true;
    }
    return false;
}

/// One part of a contribution while its file is read.
class part {
public:
    part(std::string what, const fs::path& tree, const fs::path& file)
        : part_{std::move(what), file.lexically_relative(tree).string(), {}}, text_(read_whole(file))
    {
        if (!text_) part_.missing.emplace_back("the file is missing");
    }

    void require(bool there, const std::string& otherwise)
    {
        if (text_ && !there) part_.missing.push_back(otherwise);
    }
    [[nodiscard]] std::string text() const { return text_.value_or(""); }
    [[nodiscard]] contribution_part done() const { return part_; }

private:
    contribution_part part_;
    std::optional<std::string> text_;
};

/// The text of a chapter below each of its headings of level 2, in order.
std::vector<std::pair<std::string, std::string>> sections_of(const std::string& markdown)
{
    std::vector<std::pair<std::string, std::string>> sections;
    std::istringstream lines(markdown);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("## "))
            sections.emplace_back(line.substr(3), "");
        else if (!sections.empty())
            sections.back().second += line + "\n";
    }
    return sections;
}

std::string section(const std::string& markdown, const std::string& heading)
{
    for (const auto& [title, text] : sections_of(markdown))
        if (contains(lower(title), lower(heading))) return text;
    return "";
}

/// A heading counts if there are at least so many words below it.
constexpr int fewest_words = 10;

void require_section(part& p, const std::string& heading)
{
    std::istringstream words(section(p.text(), heading));
    int count = 0;
    for (std::string word; words >> word;) ++count;
    p.require(count >= fewest_words, fmt::format("section '{}' {}", heading, count == 0 ? "is missing or empty" : "is too short"));
}

/// Does a test name it? Tests over all problems and solvers take up a new one by themselves; this one says what is special about it.
contribution_part test_of(const fs::path& tree, const std::vector<std::string>& folders, const std::string& name)
{
    std::string places;
    for (const auto& folder : folders) {
        const std::string place = "tests/" + folder;
        places += (places.empty() ? "" : ", ") + place;
        std::error_code missing;
        for (const auto& entry : fs::directory_iterator(tree / place, missing))
            if (contains(entry.path().filename().string(), "_test.") && names(read_whole(entry.path()).value_or(""), name))
                return {"test", (fs::path(place) / entry.path().filename()).string(), {}};
    }
    return {"test", places, {fmt::format("no test names '{}'", name)}};
}

/// One of the lines, each of which puts it into a list.
contribution_part line_in(const fs::path& tree, const std::string& what, const std::string& file, const std::vector<std::string>& lines)
{
    part p(what, tree, tree / file);
    p.require(std::ranges::any_of(lines, [&](const std::string& line) { return contains(p.text(), line); }),
              fmt::format("the line '{}' is missing", joined(lines, "' or '")));
    return p.done();
}

contribution_part equations_part(const fs::path& tree, const fs::path& folder, const std::string& id)
{
    part p("equations", tree, folder / (id + ".hpp"));
    p.require(contains(p.text(), "struct " + id), fmt::format("the class template '{}' is missing", id));
    p.require(contains(p.text(), "Origin:") || contains(lower(p.text()), "origin"), "the comment at the top does not name the origin");
    return p.done();
}

contribution_part facts_part(const fs::path& tree, const fs::path& folder, const std::string& id)
{
    part p("facts and protocol", tree, folder / (id + ".hpp"));
    for (const std::string fact : {"title", "contributor", "quantity_of_interest", "tags", "protocol"})
        p.require(contains(p.text(), "." + fact), fmt::format("describe() does not set '{}'", fact));
    return p.done();
}

contribution_part chapter_of_problem(const fs::path& tree, const fs::path& folder)
{
    part p("chapter", tree, folder / "chapter.md");
    for (const std::string heading :
         {"General information", "Mathematical description", "Origin of the problem", "Numerical solution of the problem"})
        require_section(p, heading);
    const std::string general = lower(section(p.text(), "General information"));
    p.require(contains(general, "contributor"), "'General information' does not name the contributor");
    p.require(contains(general, "quantity of interest") || contains(general, "quantities of interest"),
              "'General information' does not name the quantity of interest");
    p.require(contains(p.text(), "### References") || contains(lower(section(p.text(), "Origin")), "reference") ||
                  section(p.text(), "Origin").find("\n- ") != std::string::npos,
              "'Origin of the problem' has no references");
    p.require(contains(p.text(), "### Recommendations"), "subsection 'Recommendations' is missing");
    return p.done();
}

contribution_part reference_part(const fs::path& tree, const fs::path& folder)
{
    part p("reference", tree, folder / "reference.csv");
    try {
        if (!p.text().empty()) {
            const reference_file r = read_reference_file(p.text());
            p.require(!r.source.empty(), "'# source:' does not say who computed the values, and how");
            p.require(!r.confirmed.empty(), "'# confirmed:' does not say how the digits were confirmed");
            p.require(!is_estimated(r.confirmed), "the digits are estimated only; a second method of another family must confirm them");
            p.require(std::ranges::any_of(r.digits, [](double d) { return d >= 1; }), "no component has a confirmed digit");
        } else {
            p.require(false, "the file is empty");
        }
    } catch (const std::invalid_argument& e) {
        p.require(false, e.what());
    }
    return p.done();
}

contribution_report problem_report(const fs::path& tree, const fs::path& folder)
{
    const std::string id = folder.filename().string();
    return {"problem " + id,
            {equations_part(tree, folder, id), facts_part(tree, folder, id), chapter_of_problem(tree, folder), reference_part(tree, folder),
             line_in(tree, "catalog", "src/catalog/problems.def", {"IVP_PROBLEM(" + id + ")", "IVP_SIZED(" + id + ")"}),
             test_of(tree, {"problems", "solvers", "run", "cli", "drivers", "detest", "report"}, id)}};
}

/// vode_adams is the solver vode-adams.
std::string with_hyphens(std::string name)
{
    std::ranges::replace(name, '_', '-');
    return name;
}

contribution_part chapter_of_solver(const fs::path& tree, const fs::path& folder, const std::string& name)
{
    part p("chapter", tree, folder / (name + ".md"));
    for (const std::string heading : {"Method", "Counters", "References"}) require_section(p, heading);
    p.require(contains(lower(p.text()), "error"), "the chapter does not say how the error is controlled");
    return p.done();
}

contribution_report solver_report(const fs::path& tree, const fs::path& folder, const std::string& name)
{
    const std::string family = folder.filename().string();
    contribution_part method{"method", "src/solvers/" + family, {fmt::format("no source file defines make_{}()", name)}};
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".cpp" && names(read_whole(entry.path()).value_or(""), "make_" + name))
            method = {"method", entry.path().lexically_relative(tree).string(), {}};
    std::vector<contribution_part> parts{method, chapter_of_solver(tree, folder, name),
                                         line_in(tree, "catalog", "src/solvers/solvers.def", {"IVP_SOLVER(" + name + ")"})};
    if (method.missing.empty()) parts.push_back(line_in(tree, "build", "src/CMakeLists.txt", {method.where.substr(std::string("src/").size())}));
    contribution_part test = test_of(tree, {"solvers"}, with_hyphens(name));
    if (!test.missing.empty()) test = test_of(tree, {"solvers"}, name);
    parts.push_back(test);
    return {"solver " + with_hyphens(name), parts};
}

} // namespace

bool contribution_report::complete() const
{
    return std::ranges::all_of(parts, [](const contribution_part& p) { return p.missing.empty(); });
}

std::vector<contribution_report> check_contribution(const fs::path& given)
{
    std::error_code failed;
    fs::path folder = fs::weakly_canonical(given, failed);
    if (!folder.has_filename()) folder = folder.parent_path();
    const auto refuse = [&](const std::string& why) {
        throw bad_request("--contribution '" + given.string() + "': " + why + "; allowed: problems/ID or src/solvers/FAMILY in a source tree of ivp");
    };
    if (!fs::is_directory(folder, failed)) refuse("there is no such folder");
    const fs::path above = folder.parent_path();
    if (above.filename() == "problems" && fs::exists(above.parent_path() / "src/catalog/problems.def"))
        return {problem_report(above.parent_path(), folder)};
    if (fs::exists(folder / "ivp/plugin.h"))
        refuse("the folder is a plug-in, as 'ivp new' writes it; a contribution is part of the source tree, and CONTRIBUTING.md shows its files");
    const fs::path tree = above.parent_path().parent_path();
    if (above.filename() != "solvers" || !fs::exists(tree / "src/solvers/solvers.def"))
        refuse("the folder is neither that of a problem nor that of a solver");
    std::set<std::string> solvers;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".md") solvers.insert(entry.path().stem().string());
    if (solvers.empty()) refuse("the folder has no chapter (NAME.md) of a solver");
    std::vector<contribution_report> reports;
    for (const auto& name : solvers) reports.push_back(solver_report(tree, folder, name));
    return reports;
}

} // namespace ivp
