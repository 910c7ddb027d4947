#include "result.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ivp::detest {

namespace {

using json = nlohmann::ordered_json;

constexpr int schema = 1;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

json number(double v) { return std::isfinite(v) ? json(v) : json(nullptr); }
double number(const json& j) { return j.is_null() ? unknown : j.get<double>(); }

double fraction(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? unknown : static_cast<double>(part) / static_cast<double>(whole); }

json costs_object(const costs& c)
{
    return {{"time_s", number(c.time_s)},
            {"overhead_s", number(c.overhead_s)},
            {"nfev", c.nfev},
            {"nfev_jac", c.nfev_jac},
            {"njac", c.njac},
            {"nlu", c.nlu},
            {"accepted", c.accepted}};
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
    j.update(costs_object(r.cost));
    j.update({{"lumped_steps", r.lumped_steps},
              {"assessed_steps", r.assessed_steps},
              {"deceived_steps", r.deceived_steps},
              {"badly_deceived_steps", r.badly_deceived_steps},
              {"start_evaluations", r.start_evaluations},
              {"start_step", number(r.start_step)},
              {"truth_time_s", number(r.truth_time_s)},
              {"x_reached", number(r.x_reached)},
              {"x_true", number(r.x_true)},
              {"end_error", number(r.end_error)},
              {"max_global_error", number(r.max_global_error)},
              {"max_local_error", number(r.max_local_error)},
              {"fraction_deceived", number(r.fraction_deceived())},
              {"fraction_badly_deceived", number(r.fraction_badly_deceived())},
              {"truth_global", r.truth_global},
              {"truth_local", r.truth_local},
              {"truth_rescues", r.truth_rescues},
              {"truth_failures", r.truth_failures},
              {"repetitions", r.repetitions}});
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
    j.update(costs_object(s.cost));
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

} // namespace

costs& costs::operator+=(const costs& o)
{
    time_s += o.time_s;
    overhead_s += o.overhead_s;
    nfev += o.nfev;
    nfev_jac += o.nfev_jac;
    njac += o.njac;
    nlu += o.nlu;
    accepted += o.accepted;
    return *this;
}

double row::fraction_deceived() const { return fraction(deceived_steps, assessed_steps); }
double row::fraction_badly_deceived() const { return fraction(badly_deceived_steps, assessed_steps); }

void summary_line::add(const row& r)
{
    truth_time_s += r.truth_time_s;
    if (!r.reached_end()) {
        ++failed;
        return;
    }
    ++runs;
    cost += r.cost;
    assessed_steps += r.assessed_steps;
    deceived_steps += r.deceived_steps;
    badly_deceived_steps += r.badly_deceived_steps;
    end_error = larger(end_error, r.end_error);
    max_global_error = larger(max_global_error, r.max_global_error);
    max_local_error = larger(max_local_error, r.max_local_error);
}

void summary_line::add(const summary_line& s)
{
    runs += s.runs;
    failed += s.failed;
    cost += s.cost;
    assessed_steps += s.assessed_steps;
    deceived_steps += s.deceived_steps;
    badly_deceived_steps += s.badly_deceived_steps;
    end_error = larger(end_error, s.end_error);
    max_global_error = larger(max_global_error, s.max_global_error);
    max_local_error = larger(max_local_error, s.max_local_error);
    truth_time_s += s.truth_time_s;
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
    r.cost.time_s = number(j.at("time_s"));
    r.cost.overhead_s = number(j.at("overhead_s"));
    const auto count = [&j](const char* name) { return j.at(name).get<std::uint64_t>(); };
    r.cost.nfev = count("nfev");
    r.cost.nfev_jac = count("nfev_jac");
    r.cost.njac = count("njac");
    r.cost.nlu = count("nlu");
    r.cost.accepted = count("accepted");
    r.lumped_steps = count("lumped_steps");
    r.assessed_steps = count("assessed_steps");
    r.deceived_steps = count("deceived_steps");
    r.badly_deceived_steps = count("badly_deceived_steps");
    r.start_evaluations = count("start_evaluations");
    r.start_step = number(j.at("start_step"));
    r.truth_time_s = number(j.at("truth_time_s"));
    r.x_reached = number(j.at("x_reached"));
    r.x_true = number(j.at("x_true"));
    r.end_error = number(j.at("end_error"));
    r.max_global_error = number(j.at("max_global_error"));
    r.max_local_error = number(j.at("max_local_error"));
    r.truth_global = j.at("truth_global").get<int>();
    r.truth_local = j.at("truth_local").get<int>();
    r.truth_rescues = j.at("truth_rescues").get<int>();
    r.truth_failures = count("truth_failures");
    r.repetitions = j.at("repetitions").get<int>();
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
