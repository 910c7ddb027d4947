#include "result.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

namespace ivp::detest {

namespace {

using json = nlohmann::ordered_json;

constexpr int schema = 1;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

json number(double v) { return std::isfinite(v) ? json(v) : json(nullptr); }
double number(const json& j) { return j.is_null() ? unknown : j.get<double>(); }

double fraction(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? unknown : static_cast<double>(part) / static_cast<double>(whole); }

json written(double v) { return number(v); }
template <class Whole>
json written(Whole v)
{
    return v;
}
void read(const json& j, double& v) { v = number(j); }
template <class Whole>
void read(const json& j, Whole& v)
{
    v = j.get<Whole>();
}

/// visit(name, member), in the order in which they are written.
template <class Visit>
void for_each_cost(Visit&& visit)
{
    visit("time_s", &costs::time_s);
    visit("overhead_s", &costs::overhead_s);
    visit("nfev", &costs::nfev);
    visit("nfev_jac", &costs::nfev_jac);
    visit("njac", &costs::njac);
    visit("nlu", &costs::nlu);
    visit("accepted", &costs::accepted);
}
/// The same for the numbers of a row behind its costs; those that follow from others are functions.
template <class Visit>
void for_each_number(Visit&& visit)
{
    visit("lumped_steps", &row::lumped_steps);
    visit("assessed_steps", &row::assessed_steps);
    visit("deceived_steps", &row::deceived_steps);
    visit("badly_deceived_steps", &row::badly_deceived_steps);
    visit("start_evaluations", &row::start_evaluations);
    visit("start_step", &row::start_step);
    visit("truth_time_s", &row::truth_time_s);
    visit("x_reached", &row::x_reached);
    visit("x_true", &row::x_true);
    visit("end_error", &row::end_error);
    visit("max_global_error", &row::max_global_error);
    visit("max_local_error", &row::max_local_error);
    visit("fraction_deceived", &row::fraction_deceived);
    visit("fraction_badly_deceived", &row::fraction_badly_deceived);
    visit("truth_global", &row::truth_global);
    visit("truth_local", &row::truth_local);
    visit("truth_rescues", &row::truth_rescues);
    visit("truth_failures", &row::truth_failures);
    visit("repetitions", &row::repetitions);
}

void add_costs(json& j, const costs& c)
{
    for_each_cost([&](const char* name, auto member) { j[name] = written(c.*member); });
}

json scatter_object(const scatter_table& s)
{
    json cells = json::array();
    for (int e = scatter_table::lowest; e < scatter_table::lowest + scatter_table::classes; ++e)
        for (int v = scatter_table::lowest; v < scatter_table::lowest + scatter_table::classes; ++v)
            if (s.count(e, v) > 0) cells.push_back({{"estimate_class", e}, {"error_class", v}, {"count", s.count(e, v)}});
    return {{"total", s.total()}, {"lowest_class", scatter_table::lowest}, {"classes", scatter_table::classes}, {"cells", std::move(cells)}};
}

json object(const row& r)
{
    json j{{"tol", r.tol}, {"outcome", ivp::label(r.outcome)}, {"message", r.message}, {"code", r.code}};
    add_costs(j, r.cost);
    for_each_number([&](const char* name, auto member) { j[name] = written(std::invoke(member, r)); });
    if (r.scatter) j["scatter"] = scatter_object(*r.scatter);
    return j;
}

json object(const std::optional<smoothness_fit>& f)
{
    if (!f) return nullptr;
    return {{"c", number(f->c)}, {"e", number(f->e)}, {"residual", number(f->residual)}, {"values", f->values}};
}

json object(const normalized_table& t, normalization by)
{
    json lines = json::array();
    for (const auto& l : t.lines)
        lines.push_back({{"digits", l.digits},
                         {"log10_tol", l.log10_tol},
                         {"time_s", l.time_s},
                         {"overhead_s", l.overhead_s},
                         {"nfev", l.nfev},
                         {"njac", l.njac},
                         {"nlu", l.nlu},
                         {"accepted", l.accepted}});
    return {{"by", label(by)}, {"lines", std::move(lines)}, {"remark", t.remark}};
}

json object(const problem_result& p, const assessment_settings& s)
{
    json rows = json::array();
    for (const auto& r : p.rows) rows.push_back(object(r));
    json j{{"id", p.id}, {"name", p.name}, {"scaled", p.scaled}, {"weights", p.weights}, {"rows", std::move(rows)}};
    j["fit"] = {{"end", object(p.end_fit)}, {"max", object(p.max_fit)}};
    j["normalized"] = p.normalized ? object(*p.normalized, s.normalize) : json(nullptr);
    return j;
}

json object(const summary_line& s, int level)
{
    json j{{"tol", s.tol > 0 ? json(s.tol) : json(nullptr)}, {"runs", s.runs}, {"failed", s.failed}};
    add_costs(j, s.cost);
    j.update({{"assessed_steps", s.assessed_steps}, {"deceived_steps", s.deceived_steps}, {"badly_deceived_steps", s.badly_deceived_steps}});
    const bool any = s.runs > 0;
    j["end_error"] = any ? number(s.end_error) : json(nullptr);
    j["max_global_error"] = any && level >= 2 ? number(s.max_global_error) : json(nullptr);
    j["max_local_error"] = any && level >= 3 ? number(s.max_local_error) : json(nullptr);
    j["fraction_deceived"] = number(fraction(s.deceived_steps, s.assessed_steps));
    j["fraction_badly_deceived"] = number(fraction(s.badly_deceived_steps, s.assessed_steps));
    j["truth_time_s"] = number(s.truth_time_s);
    return j;
}

json object(const std::vector<summary_line>& lines, int level)
{
    json a = json::array();
    for (const auto& l : lines) a.push_back(object(l, level));
    return a;
}

double larger(double a, double b) { return std::isnan(b) ? a : std::max(a, b); }

/// Part: a row that reached the end, or a sum of such.
template <class Part>
void take_in(summary_line& sum, const Part& p)
{
    sum.cost += p.cost;
    sum.assessed_steps += p.assessed_steps;
    sum.deceived_steps += p.deceived_steps;
    sum.badly_deceived_steps += p.badly_deceived_steps;
    sum.end_error = larger(sum.end_error, p.end_error);
    sum.max_global_error = larger(sum.max_global_error, p.max_global_error);
    sum.max_local_error = larger(sum.max_local_error, p.max_local_error);
    sum.truth_time_s += p.truth_time_s;
}

} // namespace

costs& costs::operator+=(const costs& o)
{
    for_each_cost([&](const char*, auto member) { this->*member += o.*member; });
    return *this;
}

double row::fraction_deceived() const { return fraction(deceived_steps, assessed_steps); }
double row::fraction_badly_deceived() const { return fraction(badly_deceived_steps, assessed_steps); }

void summary_line::add(const row& r)
{
    if (!r.reached_end()) {
        ++failed;
        truth_time_s += r.truth_time_s;
        return;
    }
    ++runs;
    take_in(*this, r);
}

void summary_line::add(const summary_line& s)
{
    runs += s.runs;
    failed += s.failed;
    take_in(*this, s);
}

std::string to_json(const row& r) { return object(r).dump(); }

row row_from_json(const std::string& text)
{
    const json j = json::parse(text);
    row r;
    r.tol = j.at("tol").get<double>();
    r.outcome = outcome_from_label(j.at("outcome").get<std::string>()).value();
    r.message = j.at("message").get<std::string>();
    r.code = j.at("code").get<int>();
    for_each_cost([&](const char* name, auto member) { read(j.at(name), r.cost.*member); });
    for_each_number([&](const char* name, auto member) {
        if constexpr (std::is_member_object_pointer_v<decltype(member)>) read(j.at(name), r.*member);
    });
    if (j.contains("scatter")) {
        r.scatter.emplace();
        for (const auto& c : j.at("scatter").at("cells"))
            r.scatter->add(c.at("estimate_class").get<int>(), c.at("error_class").get<int>(), c.at("count").get<std::uint64_t>());
    }
    return r;
}

std::string to_json(const assessment& a)
{
    const auto& s = a.settings;
    json groups = json::array();
    for (const auto& g : a.groups) {
        json problems = json::array();
        for (const auto& p : g.problems) problems.push_back(object(p, s));
        groups.push_back({{"problems", std::move(problems)}, {"summary", object(g.summary, s.level)}});
    }
    json j{{"schema", schema},
           {"solver", a.solver},
           {"solver_version", a.solver_version},
           {"solver_origin", a.solver_origin},
           {"set", label(s.set)},
           {"level", s.level},
           {"normalize", label(s.normalize)},
           {"norm", label(s.norm)},
           {"truth", label(s.truth)},
           {"bound", label(s.bound)},
           {"as_1986", s.as_1986},
           {"extrapolated", a.extrapolated},
           {"error_control", a.error_control},
           {"timing_s", s.timing_s},
           {"tolerances", s.tolerances},
           {"groups", std::move(groups)}};
    j["overall"] = {{"by_tolerance", object(a.summary, s.level)}, {"total", object(a.overall, s.level)}};
    j["seconds"] = number(a.seconds);
    j["command"] = a.command;
    j["library"] = a.library;
    j["library_slowdown"] = a.library_slowdown ? number(*a.library_slowdown) : json(nullptr);
    j["build"] = {{"compiler", a.build.compiler},
                  {"flags", a.build.flags},
                  {"version", a.build.version},
                  {"instruction_set", a.build.instruction_set},
                  {"kernels", a.build.kernels}};
    j["machine"] = {{"cpu", a.machine.cpu}, {"cores", a.machine.cores}, {"os", a.machine.os}};
    return j.dump();
}

std::string to_json(const std::vector<weight_result>& results)
{
    json a = json::array();
    for (const auto& r : results) a.push_back({{"id", r.id}, {"weights", r.computed}, {"stored", r.stored}});
    return a.dump();
}

std::string to_json(const std::vector<timing_result>& results)
{
    json a = json::array();
    for (const auto& r : results)
        a.push_back({{"id", r.id},
                     {"dimension", r.n},
                     {"evaluation_s", r.unit.evaluation_s},
                     {"jacobian_s", r.unit.jacobian_s},
                     {"factorisation_s", r.unit.factorisation_s}});
    return a.dump();
}

} // namespace ivp::detest
