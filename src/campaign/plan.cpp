#include "plan.hpp"

#include "base/text.hpp"
#include "campaign/toml.hpp"
#include "campaign/toml_depth.hpp"
#include "catalog/foreign.hpp"
#include "catalog/problem_sets.hpp"
#include "model/limits.hpp"
#include "model/settings_fields.hpp"
#include "model/sweep.hpp"
#include "model/views.hpp"
#include "run/left_out.hpp"
#include "run/work_precision.hpp"

#include <ivp/catalog.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ivp {

namespace {

/// The keys of a grid.
const std::vector<std::string>& grid_keys()
{
    static const std::vector<std::string> keys = [] {
        std::vector<std::string> all{"problems", "solvers", "rtol", "atol", "form", "set", "memory_gib"};
        for (const auto& row : settings_table()) all.push_back(row.name);
        return all;
    }();
    return keys;
}

constexpr std::size_t longest_name = 100;           ///< of a plan
constexpr std::size_t longest_value = 80;           ///< that a message repeats
constexpr std::uintmax_t longest_plan = 4UL << 20U; ///< bytes

/// Reads a parsed plan; collects every fault with its place.
class plan_reader {
public:
    explicit plan_reader(std::string source) : source_(std::move(source)) {}

    campaign_plan read(const toml::table& root)
    {
        campaign_plan plan;
        if (const auto* name = root.get("name")) plan.name = this->name(*name).value_or("");
        refuse_unknown_keys(root, {"name", "runs"});
        const toml::node* const runs = root.get("runs");
        if (runs == nullptr) {
            for (auto& g : read_grids(root, {})) plan.grids.push_back(std::move(g));
        } else if (const auto* grids = runs->as_array(); grids != nullptr && grids->is_homogeneous<toml::table>()) {
            for (const auto& grid : *grids) {
                refuse_unknown_keys(*grid.as_table(), {});
                for (auto& g : read_grids(*grid.as_table(), root)) plan.grids.push_back(std::move(g));
            }
        } else {
            fault(*runs, "runs: allowed: tables [[runs]]");
        }
        if (!faults_.empty()) throw bad_request(faults_in_order());
        return plan;
    }

private:
    // ---- Faults ----

    [[nodiscard]] std::string place(const toml::source_region& region) const
    {
        return source_ + ":" + std::to_string(region.begin.line) + ":" + std::to_string(region.begin.column);
    }
    void fault(const toml::source_region& region, const std::string& what)
    {
        faults_.insert({region.begin.line, region.begin.column, place(region) + ": " + what});
    }
    [[nodiscard]] std::vector<std::string> faults_in_order() const
    {
        std::vector<std::string> lines;
        for (const auto& f : faults_) lines.push_back(std::get<2>(f));
        return lines;
    }
    void fault(const toml::node& node, const std::string& what) { fault(node.source(), what); }

    /// "rtol: 'x' given; allowed: …"
    void wrong(const char* key, const toml::node& node, const std::string& allowed)
    {
        std::ostringstream given;
        node.visit([&given](const auto& value) { given << toml::default_formatter(value); });
        fault(node, std::string(key) + ": " + plain_line(given.str(), longest_value) + " given; allowed: " + allowed);
    }

    void refuse_unknown_keys(const toml::table& table, std::initializer_list<std::string_view> further)
    {
        std::vector<std::string> known = grid_keys();
        known.insert(known.end(), further.begin(), further.end());
        for (const auto& [key, value] : table)
            if (std::ranges::find(known, key.str()) == known.end())
                fault(key.source(), "unknown key '" + plain_line(key.str(), longest_value) + "'; allowed: " + joined(known, ", ") +
                                        nearest_name_hint(key.str(), known));
    }

    /// Plug-ins are told apart by the names that they give themselves; from what is in the catalog their origin tells them apart.
    void refuse_namesake(const char* key, const std::string& name, const std::string& typed, const toml::node& node)
    {
        const auto [known, is_new] = typed_as_.emplace(std::string(key) + " " + name, typed);
        if (!is_new && known->second != typed)
            fault(node, std::string(key) + ": '" + typed + "' calls itself '" + name + "', and so does '" + known->second +
                            "'; allowed: one of them in a plan");
    }

    // ---- Values ----

    std::optional<std::string> text(const char* key, const toml::node& node)
    {
        if (const auto* s = node.as_string()) return s->get();
        wrong(key, node, "a text in quotes");
        return std::nullopt;
    }
    static std::optional<double> plain_number(const toml::node& node)
    {
        if (const auto* i = node.as_integer()) return static_cast<double>(i->get());
        if (const auto* f = node.as_floating_point(); f != nullptr && std::isfinite(f->get())) return f->get();
        return std::nullopt;
    }
    std::optional<double> number(const char* key, const toml::node& node, double above = -std::numeric_limits<double>::infinity())
    {
        const auto v = plain_number(node);
        if (v && *v > above) return v;
        wrong(key, node, std::isfinite(above) ? "a number above " + to_text(above) : "a number such as 1e-4");
        return std::nullopt;
    }
    /// A setting: a number of its range, or one of its words.
    template <class T>
    void take(const setting<T>& line, const toml::node& node, T& value)
    {
        using plain = plain_setting<T>;
        if constexpr (is_word<plain>) {
            const auto* s = node.as_string();
            if (const auto word = s == nullptr ? std::nullopt : setting_from_text(line, s->get())) return void(value = *word);
        } else if constexpr (std::is_floating_point_v<plain>) {
            if (const auto v = plain_number(node); v && is_in(line.range, *v)) return void(value = *v);
        } else {
            const auto* i = node.as_integer();
            if (i != nullptr && is_in(line.range, static_cast<double>(i->get()))) return void(value = static_cast<plain>(i->get()));
            if (line.name == "repeat" && is_protocol(node)) return;
        }
        wrong(std::string(line.name).c_str(), node, allowed(line));
    }
    std::optional<std::string> name(const toml::node& node)
    {
        auto given = text("name", node);
        if (!given || (plain_line(*given, longest_name) == *given && !given->empty())) return given;
        wrong("name", node, "a text of 1 to " + std::to_string(longest_name) + " characters, without line breaks and other control characters");
        return std::nullopt;
    }
    std::optional<std::uint64_t> memory(const toml::node& node)
    {
        const auto gib = plain_number(node);
        if (gib && *gib >= limits::least_memory_gib && *gib <= limits::most_memory_gib) return static_cast<std::uint64_t>(*gib * 1024 * 1024 * 1024);
        wrong("memory_gib", node, "a number from " + to_text(limits::least_memory_gib) + " to " + to_text(limits::most_memory_gib));
        return std::nullopt;
    }
    template <class E>
    std::optional<E> choice(const char* key, const toml::node& node, std::optional<E> (*from_label)(std::string_view), const char* allowed)
    {
        const auto* s = node.as_string();
        if (s != nullptr)
            if (const auto e = from_label(s->get())) return e;
        wrong(key, node, allowed);
        return std::nullopt;
    }

    /// A list, or one thing that stands for a list of one.
    static std::vector<const toml::node*> items(const toml::node& node)
    {
        std::vector<const toml::node*> all;
        if (const auto* a = node.as_array())
            for (const auto& item : *a) all.push_back(&item);
        else
            all.push_back(&node);
        return all;
    }

    // ---- Problems ----

    /// To be described, not to be run: a text need not be compiled for that. The code of a plug-in stays in a child.
    static problem opened(const std::string& typed, const std::map<std::string, std::string>& parameters = {})
    {
        return is_foreign(typed) ? open_contained_problem(typed, parameters) : open_problem(typed, parameters);
    }

    std::vector<std::string> problems_meant_by(const std::string& word, const toml::node& node)
    {
        if (word == "all") { // what it has always meant: a plan must not grow with the catalog
            auto ids = problem_ids(problem_set::test_set);
            for (auto& id : problem_ids(problem_set::detest)) ids.push_back(std::move(id));
            return ids;
        }
        if (word.starts_with("tag:")) {
            std::vector<std::string> ids;
            std::set<std::string> tags;
            for (const auto& id : problem_ids()) {
                const auto all = open_problem(id).info().tags;
                tags.insert(all.begin(), all.end());
                if (std::ranges::find(all, word.substr(4)) != all.end()) ids.push_back(id);
            }
            if (ids.empty()) fault(node, "problems: no problem has the tag '" + word.substr(4) + "'; tags: " + joined(tags, ", "));
            return ids;
        }
        try {
            (void)opened(word).id();
            return {word};
        } catch (const bad_request& e) {
            for (const auto& what : e.faults()) fault(node, what);
            return {};
        }
    }

    std::vector<std::string> problems(const toml::node& node)
    {
        std::vector<std::string> chosen;
        for (const auto* item : items(node)) {
            const auto word = text("problems", *item);
            if (!word) continue;
            const bool minus = word->starts_with("-");
            for (const auto& id : problems_meant_by(minus ? word->substr(1) : *word, *item))
                if (minus)
                    std::erase(chosen, id);
                else if (std::ranges::find(chosen, id) == chosen.end())
                    chosen.push_back(id);
        }
        for (const auto& typed : chosen)
            if (names_a_file(typed)) refuse_namesake("problems", open_contained_problem(typed).id(), typed, node);
        return chosen;
    }

    // ---- Solvers ----

    static std::vector<std::string> library_names(bool available_only)
    {
        std::vector<std::string> names;
        for (const auto& s : library_solvers())
            if (s.available || !available_only) names.push_back(s.name);
        return names;
    }

    std::vector<std::string> solvers_meant_by(const std::string& word, const toml::node& node)
    {
        std::vector<std::string> own = solver_names();
        std::vector<std::string> libraries = library_names(true);
        if (word == "own") return own;
        if (word == "libraries") return libraries;
        if (word == "all" || word == "explicit") {
            own.insert(own.end(), libraries.begin(), libraries.end());
            if (word == "explicit") std::erase_if(own, [](const std::string& name) { return open_solver(name)->info().implicit; });
            return own;
        }
        try {
            (void)open_contained_solver(word)->info();
        } catch (const bad_request& e) {
            for (const auto& what : e.faults()) fault(node, what);
            return {};
        } catch (const missing_component&) {
            // It exists, but not in this build: left out, and told when the campaign is prepared.
        }
        return {word};
    }

    static std::vector<solver_option> options_of(const std::string& solver)
    {
        try {
            return open_contained_solver(solver)->info().options;
        } catch (const missing_component&) {
            return {}; // left out when the campaign is prepared
        }
    }

    /// A number, or a word of the option: yes, no, true, false, "parabolic".
    std::optional<double> option_value(const solver_option* known, const toml::node& node)
    {
        if (known == nullptr) return number("options", node);
        if (const auto v = plain_number(node)) return v;
        if (const auto* b = node.as_boolean(); b != nullptr && known->kind == option_kind::flag) return b->get() ? 1 : 0;
        if (const auto* s = node.as_string())
            if (const auto v = known->from_text(s->get())) return v;
        wrong("options", node, known->name + " = " + known->allowed());
        return std::nullopt;
    }

    std::optional<plan_solver> solver_with_options(const toml::table& table)
    {
        const toml::node* const name = table.get("name");
        for (const auto& [key, value] : table)
            if (key.str() != "name" && key.str() != "options")
                fault(key.source(), "solvers: unknown key '" + std::string(key.str()) + "'; allowed: name, options");
        if (name == nullptr) {
            fault(table, "solvers: a table without 'name'; allowed: { name = \"radau\", options = { ... } }");
            return std::nullopt;
        }
        const auto word = text("name", *name);
        if (!word || solvers_meant_by(*word, *name) != std::vector{*word}) return std::nullopt;
        plan_solver s{*word, {}};
        const toml::node* const options = table.get("options");
        if (options != nullptr && !options->is_table()) wrong("options", *options, "a table such as { safety = 0.9 }");
        if (options == nullptr || !options->is_table()) return s;
        const auto known = options_of(*word);
        for (const auto& [key, value] : *options->as_table())
            if (const auto v = option_value(find_option(known, key.str()), value)) s.options[std::string(key.str())] = *v;
        return s;
    }

    std::vector<plan_solver> solvers(const toml::node& node)
    {
        std::vector<plan_solver> chosen;
        const auto add = [&](const plan_solver& s, const toml::node& item) {
            const bool twice = std::ranges::any_of(chosen, [&s](const plan_solver& c) { return c.name == s.name && c.options == s.options; });
            if (twice && item.is_table()) fault(item, "solvers: '" + s.name + "' with the same options is given twice");
            if (!twice) chosen.push_back(s);
        };
        for (const auto* item : items(node)) {
            if (const auto* table = item->as_table()) {
                if (const auto s = solver_with_options(*table)) add(*s, *item);
                continue;
            }
            const auto word = text("solvers", *item);
            if (!word) continue;
            const bool minus = word->starts_with("-");
            for (const auto& name : solvers_meant_by(minus ? word->substr(1) : *word, *item))
                if (minus)
                    std::erase_if(chosen, [&name](const plan_solver& c) { return c.name == name; });
                else
                    add({name, {}}, *item);
        }
        for (const auto& s : chosen)
            if (names_a_file(s.name)) refuse_namesake("solvers", open_contained_solver(s.name)->info().name, s.name, node);
        return chosen;
    }

    // ---- Tolerances ----

    std::vector<double> range(const toml::table& table)
    {
        std::map<std::string, std::optional<double>> given{{"from", {}}, {"to", {}}, {"per_decade", {}}};
        for (const auto& [key, value] : table) {
            const auto known = given.find(std::string(key.str()));
            if (known == given.end())
                fault(key.source(), "rtol: unknown key '" + std::string(key.str()) + "'; allowed: from, to, per_decade");
            else
                known->second = number(known->first.c_str(), value, 0);
        }
        for (const auto& [name, value] : given)
            if (!value && !table.contains(name))
                fault(table, "rtol: '" + name + "' is missing; allowed: { from = 1e-4, to = 1e-10, per_decade = 4 }");
        if (!given["from"] || !given["to"] || !given["per_decade"]) return {};
        if (ladder_length(*given["from"], *given["to"], *given["per_decade"]) > limits::longest_ladder) {
            fault(table, "rtol: more than a million tolerances given; allowed: at most a million");
            return {};
        }
        return tolerance_ladder(*given["from"], *given["to"], *given["per_decade"]);
    }

    std::vector<double> tolerances_of(const toml::node& node)
    {
        if (const auto* table = node.as_table()) return range(*table);
        if (const auto* word = node.as_string(); word != nullptr && word->get() == "ladder") return {};
        std::vector<double> values;
        for (const auto* item : items(node))
            if (const auto v = plain_number(*item); v && *v >= 0)
                values.push_back(*v);
            else
                wrong("rtol", *item, "\"ladder\", a number, a list of numbers, or { from = 1e-4, to = 1e-10, per_decade = 4 }");
        if (node.is_array() && node.as_array()->empty()) fault(node, "rtol: [] given; allowed: at least one number");
        return values;
    }

    // ---- A grid ----

    std::map<std::string, std::string> parameters(const toml::node& node)
    {
        std::map<std::string, std::string> all;
        if (!node.is_table()) {
            wrong("set", node, "a table such as { lambda = \"0.1\" }");
            return all;
        }
        for (const auto& [key, value] : *node.as_table()) {
            if (const auto* s = value.as_string()) {
                all[std::string(key.str())] = s->get();
            } else if (const auto* list = value.as_array()) { // a sweep
                if (list->empty()) fault(value, "set: [] given for " + std::string(key.str()) + "; allowed: at least one number");
                std::vector<std::string> values;
                for (const auto& item : *list)
                    if (const auto v = number("set", item)) values.push_back(to_text(*v));
                if (!values.empty()) all[std::string(key.str())] = joined(values, ",");
            } else if (const auto v = number("set", value))
                all[std::string(key.str())] = to_text(*v);
        }
        return all;
    }

    /// One, or one for each combination of the parameters that have several values.
    std::vector<plan_grid> read_grids(const toml::table& own, const toml::table& defaults)
    {
        plan_grid g;
        g.where = place(own.source());
        const auto find = [&](const char* key) { return own.contains(key) ? own.get(key) : defaults.get(key); };
        for (const char* const key : {"problems", "solvers"})
            if (find(key) == nullptr) fault(own, std::string(key) + ": missing; each grid of runs needs problems and solvers");
        if (const auto* node = find("problems")) g.problems = problems(*node);
        if (const auto* node = find("solvers")) g.solvers = solvers(*node);
        if (const auto* node = find("rtol")) g.rtol = tolerances_of(*node);
        if (const auto* node = find("atol")) {
            if (const auto v = plain_number(*node); v && *v >= 0)
                g.settings.atol = {*v};
            else
                wrong("atol", *node, "a number that is not negative");
        }
        for_each_setting(g.settings, [&](const auto& line, auto& value) {
            if (const auto* node = find(std::string(line.name).c_str())) take(line, *node, value);
        });
        if (const auto* node = find("form")) g.form = choice<form>("form", *node, form_from_label, "ode, dae, ide");
        if (const auto* node = find("set")) g.parameters = parameters(*node);
        if (const auto* node = find("memory_gib")) g.memory = memory(*node);
        const auto node_of = [&](const std::string& key) -> const toml::node& {
            const auto* node = find(key.c_str());
            return node == nullptr ? static_cast<const toml::node&>(own) : *node;
        };
        std::vector<std::map<std::string, std::string>> combinations;
        try {
            combinations = swept(g.parameters);
        } catch (const bad_request& e) {
            for (const auto& what : e.faults()) fault(node_of("set"), "set: " + what);
        }
        count_runs(g, combinations.size(), own);
        std::vector<plan_grid> all;
        for (auto& values : combinations) {
            all.push_back(g);
            all.back().parameters = std::move(values);
            judge(all.back(), node_of);
        }
        return all;
    }

    /// Before anything is made of them: too many would fill the memory. What cannot be read of a grid counts as one.
    void count_runs(const plan_grid& g, std::size_t combinations, const toml::node& where)
    {
        std::uint64_t rungs = 0;
        for (const auto& id : g.problems) rungs += g.rtol.empty() ? ladder(opened(id)).size() : g.rtol.size();
        if (g.problems.empty()) rungs = std::max<std::size_t>(g.rtol.size(), 1);
        runs_ += combinations * rungs * std::max<std::size_t>(g.solvers.size(), 1);
        if (runs_ <= limits::most_planned_runs) return;
        fault(where,
              "runs: with this grid the plan has " + std::to_string(runs_) + " runs; allowed: at most " + std::to_string(limits::most_planned_runs));
        throw bad_request(faults_in_order());
    }

    /// Faults of the values together: parameters that a problem does not have, options that a solver does not take, …
    /// `node_of`: where a key stands.
    template <class NodeOf>
    void judge(const plan_grid& g, const NodeOf& node_of)
    {
        const auto attempt = [&](const char* key, auto&& work) {
            try {
                work();
            } catch (const bad_request& e) {
                for (const auto& what : e.faults()) {
                    std::string named = what.substr(0, what.find_first_of(": "));
                    std::ranges::replace(named, '-', '_');
                    const bool has_key = std::ranges::find(grid_keys(), named) != grid_keys().end();
                    fault(node_of(has_key ? named : key), what);
                }
            }
        };
        for (const auto& id : g.problems)
            attempt("set", [&] {
                problem p = opened(id, g.parameters);
                if (g.form) p = in_form(p, *g.form);
                for (const auto& s : g.solvers) attempt("solvers", [&] { judge_runs(g, p, s); });
            });
    }
    static void judge_runs(const plan_grid& g, const problem& p, const plan_solver& planned)
    {
        try {
            const auto solver = open_contained_solver(planned.name);
            run_settings settings = g.settings;
            settings.special = planned.options;
            if (!reasons_to_leave_out(solver->info(), p, settings).empty()) return; // left out, and named when the campaign is prepared
            for (const double rtol : g.rtol.empty() ? ladder(p) : g.rtol) {
                settings.rtol = rtol;
                (void)resolve(settings, p, solver->info());
            }
        } catch (const missing_component&) {
            return; // the same
        }
    }

    static bool is_protocol(const toml::node& node) { return node.is_string() && node.as_string()->get() == "protocol"; }

    std::string source_;
    std::uint64_t runs_ = 0;                                       ///< of the grids up to here
    std::map<std::string, std::string> typed_as_;                  ///< by what they call themselves
    std::set<std::tuple<unsigned, unsigned, std::string>> faults_; ///< in the order of the text, each once
};

} // namespace

campaign_plan read_plan(std::string_view text, const std::string& source)
{
    if (const auto at = where_too_deep(text))
        throw bad_request(source + ":" + std::to_string(at->line) + ":" + std::to_string(at->column) + ": more than " + std::to_string(deepest_toml) +
                          " levels of tables and lists; allowed: that many (each dot of a key is a level too)");
    toml::table root;
    try {
        root = toml::parse(text, source);
    } catch (const toml::parse_error& e) {
        const auto& at = e.source().begin;
        throw bad_request(source + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + std::string(e.description()));
    }
    campaign_plan plan = plan_reader(source).read(root);
    plan.text = text;
    return plan;
}

campaign_plan read_plan_file(const std::string& path)
{
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    std::string text(longest_plan + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    std::error_code ignored;
    if (in.bad() || (in.fail() && !in.eof()) || std::filesystem::is_directory(path, ignored))
        throw bad_request("plan '" + path + "': cannot read it: " + std::strerror(errno != 0 ? errno : EISDIR));
    if (text.size() > longest_plan) throw bad_request("plan '" + path + "': longer than " + std::to_string(longest_plan >> 20U) + " MiB");
    campaign_plan plan = read_plan(text, path);
    if (plan.name.empty()) plan.name = plain_line(std::filesystem::path(path).stem().string(), longest_name);
    return plan;
}

campaign_plan preset_plan(const std::string& name)
{
    campaign_plan plan = read_plan(preset_text(name), "preset " + name);
    plan.name = name;
    return plan;
}

} // namespace ivp
