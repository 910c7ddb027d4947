#include "result.hpp"

#include "base/json.hpp"
#include "model/record_fields.hpp"

#include <algorithm>
#include <cmath>

namespace ivp::detest {

namespace {

constexpr int schema = 1;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double fraction(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? unknown : static_cast<double>(part) / static_cast<double>(whole); }

/// The one list of each, for JSON in both directions and for sums.
template <class Costs, class Visit>
void for_each_cost(Costs& c, Visit&& visit)
{
    visit("time_s", c.time_s);
    visit("overhead_s", c.overhead_s);
    visit("nfev", c.nfev);
    visit("nfev_jac", c.nfev_jac);
    visit("njac", c.njac);
    visit("nlu", c.nlu);
    visit("accepted", c.accepted);
}
template <class Row, class Visit>
void for_each_row_count(Row& r, Visit&& visit)
{
    visit("assessed_steps", r.assessed_steps);
    visit("deceived_steps", r.deceived_steps);
    visit("badly_deceived_steps", r.badly_deceived_steps);
}
/// `between` stands where what follows from the others is written.
template <class Row, class Visit, class Between>
void for_each_row_field(Row& r, Visit&& visit, Between&& between)
{
    for_each_cost(r.cost, visit);
    visit("lumped_steps", r.lumped_steps);
    for_each_row_count(r, visit);
    visit("start_evaluations", r.start_evaluations);
    visit("start_step", r.start_step);
    visit("truth_time_s", r.truth_time_s);
    visit("x_reached", r.x_reached);
    visit("x_true", r.x_true);
    visit("end_error", r.end_error);
    visit("max_global_error", r.max_global_error);
    visit("max_local_error", r.max_local_error);
    between();
    visit("truth_global", r.truth_global);
    visit("truth_local", r.truth_local);
    visit("truth_rescues", r.truth_rescues);
    visit("truth_failures", r.truth_failures);
    visit("repetitions", r.repetitions);
}
template <class Step, class Visit>
void for_each_step_field(Step& s, Visit&& visit)
{
    visit("t", s.t);
    visit("h", s.h);
    visit("bound", s.bound);
    visit("error", s.error);
    visit("estimate", s.estimate);
    visit("y", s.y);
}

json scatter_object(const scatter_table& s)
{
    json cells = json::array();
    for (int e = scatter_table::lowest; e < scatter_table::lowest + scatter_table::classes; ++e)
        for (int v = scatter_table::lowest; v < scatter_table::lowest + scatter_table::classes; ++v)
            if (s.count(e, v) > 0) cells.push_back({{"estimate_class", e}, {"error_class", v}, {"count", s.count(e, v)}});
    return {{"total", s.total()}, {"lowest_class", scatter_table::lowest}, {"classes", scatter_table::classes}, {"cells", std::move(cells)}};
}

/// Pairs of class and count.
json histogram_object(const ratio_histogram& h)
{
    json pairs = json::array();
    for (int k = ratio_histogram::lowest; k <= ratio_histogram::highest; ++k)
        if (h.count(k) > 0) pairs.push_back({k, h.count(k)});
    return pairs;
}

void read_histogram(const json& j, const char* name, std::optional<ratio_histogram>& h)
{
    if (!j.contains(name)) return;
    h.emplace();
    for (const auto& pair : j.at(name)) h->add(pair.at(0).get<int>(), pair.at(1).get<std::uint64_t>());
}

json worst_object(const std::vector<deceived_step>& worst)
{
    return json_list(worst, [](const deceived_step& w) {
        return json{{"middle", w.middle}, {"around", json_list(w.around, [](const noted_step& s) {
                                               json j;
                                               for_each_step_field(s, member_writer{j});
                                               return j;
                                           })}};
    });
}

std::vector<deceived_step> worst_from(const json& j)
{
    std::vector<deceived_step> all;
    for (const auto& w : j) {
        deceived_step& d = all.emplace_back();
        d.middle = w.at("middle").get<std::size_t>();
        for (const auto& s : w.at("around")) for_each_step_field(d.around.emplace_back(), member_reader{s});
    }
    return all;
}

json object(const row& r)
{
    json j{{"tol", r.tol}, {"outcome", ivp::label(r.outcome)}, {"message", r.message}, {"code", r.code}};
    for_each_row_field(r, member_writer{j}, [&] {
        j["fraction_deceived"] = json_number(r.fraction_deceived());
        j["fraction_badly_deceived"] = json_number(r.fraction_badly_deceived());
    });
    if (r.scatter) j["scatter"] = scatter_object(*r.scatter);
    if (r.by_bound) {
        j["steps_without_truth"] = r.steps_without_truth();
        j["errors_by_bound"] = histogram_object(*r.by_bound);
        j["errors_by_tolerance"] = histogram_object(*r.by_tolerance);
        j["worst_steps"] = worst_object(r.worst);
    }
    j["rounding_decides"] = r.rounding_decides ? json(*r.rounding_decides) : json(nullptr);
    return j;
}

json object(const std::optional<smoothness_fit>& f)
{
    if (!f) return nullptr;
    return {{"c", json_number(f->c)}, {"e", json_number(f->e)}, {"residual", json_number(f->residual)}, {"values", f->values}};
}

json object(const normalized_table& t, normalization by)
{
    const auto line = [](const normalized_line& l) {
        return json{{"digits", l.digits}, {"log10_tol", l.log10_tol}, {"time_s", l.time_s}, {"overhead_s", l.overhead_s},
                    {"nfev", l.nfev},     {"njac", l.njac},           {"nlu", l.nlu},       {"accepted", l.accepted}};
    };
    return {{"by", label(by)}, {"lines", json_list(t.lines, line)}, {"remark", t.remark}};
}

json object(const problem_result& p, const assessment_settings& s)
{
    const auto row_object = [](const row& r) { return object(r); };
    json j{{"id", p.id}, {"name", p.name}, {"scaled", p.scaled}, {"weights", p.weights}, {"rows", json_list(p.rows, row_object)}};
    j["fit"] = {{"end", object(p.end_fit)}, {"max", object(p.max_fit)}};
    j["normalized"] = p.normalized ? object(*p.normalized, s.normalize) : json(nullptr);
    return j;
}

json object(const summary_line& s, int level)
{
    json j{{"tol", s.tol > 0 ? json(s.tol) : json(nullptr)}, {"runs", s.runs}, {"failed", s.failed}};
    for_each_cost(s.cost, member_writer{j});
    for_each_row_count(s, member_writer{j});
    j["steps_without_truth"] = s.steps_without_truth;
    const bool any = s.runs > 0;
    j["end_error"] = any ? json_number(s.end_error) : json(nullptr);
    j["max_global_error"] = any && level >= 2 ? json_number(s.max_global_error) : json(nullptr);
    j["max_local_error"] = any && level >= 3 ? json_number(s.max_local_error) : json(nullptr);
    j["fraction_deceived"] = json_number(fraction(s.deceived_steps, s.assessed_steps));
    j["fraction_badly_deceived"] = json_number(fraction(s.badly_deceived_steps, s.assessed_steps));
    j["truth_time_s"] = json_number(s.truth_time_s);
    return j;
}

json object(const std::vector<summary_line>& lines, int level)
{
    return json_list(lines, [level](const summary_line& l) { return object(l, level); });
}

/// Adds to what a summary has of its rows; errors: the largest.
template <class Added>
void add_counts(summary_line& sum, const Added& a)
{
    sum.cost += a.cost;
    sum.assessed_steps += a.assessed_steps;
    sum.deceived_steps += a.deceived_steps;
    sum.badly_deceived_steps += a.badly_deceived_steps;
    const auto larger = [](double x, double y) { return std::isnan(y) ? x : std::max(x, y); };
    sum.end_error = larger(sum.end_error, a.end_error);
    sum.max_global_error = larger(sum.max_global_error, a.max_global_error);
    sum.max_local_error = larger(sum.max_local_error, a.max_local_error);
}

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
    add_counts(*this, r);
    steps_without_truth += r.by_bound ? r.steps_without_truth() : 0;
}

void summary_line::add(const summary_line& s)
{
    runs += s.runs;
    failed += s.failed;
    add_counts(*this, s);
    steps_without_truth += s.steps_without_truth;
    truth_time_s += s.truth_time_s;
}

std::string to_json(const row& r) { return object(r).dump(); }

row row_from_json(const std::string& text)
{
    const json j = read_json(text);
    row r;
    r.tol = j.at("tol").get<double>();
    r.outcome = outcome_from_label(j.at("outcome").get<std::string>()).value();
    r.message = j.at("message").get<std::string>();
    r.code = j.at("code").get<int>();
    for_each_row_field(r, member_reader{j}, [] {});
    read_histogram(j, "errors_by_bound", r.by_bound);
    read_histogram(j, "errors_by_tolerance", r.by_tolerance);
    if (j.contains("worst_steps")) r.worst = worst_from(j.at("worst_steps"));
    if (!j.at("rounding_decides").is_null()) r.rounding_decides = j.at("rounding_decides").get<bool>();
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
    const auto problem_object = [&s](const problem_result& p) { return object(p, s); };
    const auto group_object = [&](const auto& g) {
        return json{{"problems", json_list(g.problems, problem_object)}, {"summary", object(g.summary, s.level)}};
    };
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
           {"groups", json_list(a.groups, group_object)}};
    j["overall"] = {{"by_tolerance", object(a.summary, s.level)}, {"total", object(a.overall, s.level)}};
    j["seconds"] = json_number(a.seconds);
    j["command"] = a.command;
    j["library"] = a.library;
    j["library_slowdown"] = json_number(a.library_slowdown);
    for_each_build_field(a.build, member_writer{j["build"]});
    for_each_machine_field(a.machine, member_writer{j["machine"]});
    return j.dump();
}

std::string to_json(const std::vector<weight_result>& results)
{
    return json_list(results, [](const weight_result& r) { return json{{"id", r.id}, {"weights", r.computed}, {"stored", r.stored}}; }).dump();
}

std::string to_json(const std::vector<timing_result>& results)
{
    return json_list(results,
                     [](const timing_result& r) {
                         const auto& u = r.unit;
                         return json{{"id", r.id},
                                     {"dimension", r.n},
                                     {"evaluation_s", u.evaluation_s},
                                     {"jacobian_s", u.jacobian_s},
                                     {"factorisation_s", u.factorisation_s}};
                     })
        .dump();
}

} // namespace ivp::detest
