#include "path.hpp"

#include "catalog/content.hpp"
#include "kept_file.hpp"
#include "stage_integrator.hpp"

#include <ivp/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ivp {

namespace {

constexpr std::string_view first_line = "# path of a solution, version 2";

reference::stage_method method_of(const reference_run& r)
{
    return reference::make_method(r.family == "radau" ? reference::family::radau : reference::family::lobatto, r.stages);
}

/// Of each collocation of a recipe the run at its tightest tolerance.
std::vector<reference_run> tightest_collocations(const reference_recipe& recipe)
{
    std::vector<reference_run> found;
    for (const auto& run : recipe.runs) {
        if (run.family != "radau" && run.family != "lobatto") continue;
        const auto same = std::ranges::find(found, run.family, &reference_run::family);
        if (same == found.end())
            found.push_back(run);
        else if (run.tolerance < same->tolerance)
            *same = run;
    }
    if (found.size() < 2) throw bad_request("--keep-path: the recipe '" + recipe.text() + "' given; allowed: one with radau and lobatto");
    return found;
}

/// The file begins with what it belongs to.
constexpr int lines_of_head = 3;
std::string head_of(const path_owner& owner) { return fmt::format("{}\n{}\n{}\n", first_line, owner.recipe.text(), problem_content(owner.typed)); }

reference::kept_file kept(const path_owner& owner, bool force) { return {kept_path_name(*owner.p), "--keep-path", file_marks::solution_path, force}; }

} // namespace

std::vector<quad> solution_path::at(const quad& t, int n) const
{
    const auto after = std::ranges::upper_bound(pieces, t, {}, &solution_piece::t);
    const auto& piece = after == pieces.begin() ? pieces.front() : *(after - 1);
    const auto m = method_of(run);
    const quad x = (t - piece.t) / piece.h;
    std::vector<quad> y(n, quad(0));
    quad bottom = 0;
    for (int k = 0; k < m.stages; ++k) {
        const quad* const stage = piece.value.data() + static_cast<std::size_t>(k) * n;
        const quad distance = x - m.c[k];
        if (distance == quad(0)) return {stage, stage + n};
        bottom += m.weight[k] / distance;
        for (int i = 0; i < n; ++i) y[i] += m.weight[k] / distance * stage[i];
    }
    for (auto& v : y) v = v / bottom;
    return y;
}

std::vector<solution_path> derive_path(const problem& p, const reference_recipe& recipe, const derivation_request& request)
{
    std::vector<solution_path> paths;
    const std::vector<quad> end{p.info().tend.in<quad>()};
    for (const auto& run : tightest_collocations(recipe)) {
        if (request.progress) request.progress(fmt::format("{} {}, tolerance {}", p.id(), run.family, to_text(run.tolerance)));
        solution_path path{run, {}};
        auto settings = integration_settings_of(p, recipe, request);
        settings.tolerance = run.tolerance;
        settings.on_step = [&path, &p](const quad& t, const quad& h, const std::vector<quad>& stages, int all) {
            solution_piece piece{t, h, {}};
            for (std::size_t k = 0; k < stages.size(); k += all) piece.value.insert(piece.value.end(), &stages[k], &stages[k] + p.n());
            path.pieces.push_back(std::move(piece));
        };
        const auto result = reference::integrate(p, method_of(run), end, settings);
        if (!result.failure.empty()) throw bad_request(fmt::format("--keep-path: {}: {}", run.family, result.failure));
        paths.push_back(std::move(path));
    }
    return paths;
}

std::vector<reference_values> values_on(const std::vector<solution_path>& paths, const std::vector<decimal>& times, int n)
{
    std::vector<reference_values> values;
    for (const auto& t : times) {
        derivation d; // a derivation with one run of each family
        for (const auto& path : paths) {
            d.recipe.runs.push_back(path.run);
            d.runs.push_back({});
            d.runs.back().at.push_back(path.at(t.in<quad>(), n));
        }
        values.push_back(agreement_of(d, 0, t).rounded());
    }
    return values;
}

std::string kept_path_name(const problem& p)
{
    std::filesystem::path name = made_reference_path(p, {p.id(), std::nullopt});
    return name.replace_extension(".path").string();
}

void try_path(const path_owner& owner, bool force) { kept(owner, force).try_out(); }

void keep_path(const path_owner& owner, const std::vector<solution_path>& paths, bool force)
{
    std::ostringstream out;
    out << head_of(owner);
    for (const auto& path : paths) {
        out << fmt::format("{} {} {} {}\n", path.run.family, path.run.stages, to_text(path.run.tolerance), path.pieces.size());
        for (const auto& piece : path.pieces) {
            out << to_text(piece.t) << " " << to_text(piece.h);
            for (const quad& v : piece.value) out << " " << to_text(v);
            out << "\n";
        }
    }
    kept(owner, force).write(out.str());
}

std::vector<solution_path> kept_path(const path_owner& owner)
{
    const std::string name = kept_path_name(*owner.p);
    std::ifstream in(name);
    std::string line;
    std::string belongs_to;
    for (int k = 0; k < lines_of_head && std::getline(in, line); ++k) belongs_to += line + "\n";
    if (belongs_to != head_of(owner)) return {};
    const auto damaged = [&name] { return bad_request("'" + name + "' is damaged; 'ivp reference … --keep-path' writes it again"); };
    std::vector<solution_path> paths;
    while (std::getline(in, line)) {
        std::istringstream head(line);
        solution_path path;
        std::string tolerance;
        std::size_t pieces = 0;
        if (!(head >> path.run.family >> path.run.stages >> tolerance >> pieces) || !parse_real(tolerance)) throw damaged();
        path.run.tolerance = *parse_real(tolerance);
        for (std::size_t k = 0; k < pieces; ++k) {
            if (!std::getline(in, line)) throw damaged();
            std::istringstream words(line);
            std::vector<quad> numbers;
            for (std::string word; words >> word;) {
                if (!parse_real(word)) throw damaged();
                numbers.push_back(quad_from_text(word));
            }
            if (numbers.size() != 2 + static_cast<std::size_t>(path.run.stages) * owner.p->n()) throw damaged();
            path.pieces.push_back({numbers[0], numbers[1], {numbers.begin() + 2, numbers.end()}});
        }
        paths.push_back(std::move(path));
    }
    if (paths.size() < 2 || std::ranges::any_of(paths, [](const auto& path) { return path.pieces.empty(); })) throw damaged();
    return paths;
}

} // namespace ivp
