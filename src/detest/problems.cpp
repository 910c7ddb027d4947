#include "problems.hpp"

#include "base/cpu_time.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "catalog/foreign.hpp"
#include "linalg/shifted_lu.hpp"
#include "reference/solve_quad.hpp"
#include "solvers/solvers.hpp"

#include <ivp/catalog.hpp>
#include <ivp/evaluator.hpp>
#include <ivp/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ivp::detest {

namespace {

double three_digits(double v)
{
    if (!(v > 0)) return 1;
    return parse_real(fmt::format("{:.2e}", v)).value();
}

std::vector<double> values_of(const std::vector<decimal>& v)
{
    std::vector<double> r;
    for (const auto& d : v) r.push_back(d.value());
    return r;
}

class largest_values final : public step_observer {
public:
    explicit largest_values(std::vector<double> start) : largest_(std::move(start))
    {
        for (double& v : largest_) v = std::abs(v);
    }
    observer_answer on_step(const accepted_step& step) override
    {
        for (std::size_t i = 0; i < largest_.size(); ++i) largest_[i] = std::max(largest_[i], std::abs(step.y[i]));
        return observer_answer::go_on;
    }
    [[nodiscard]] const std::vector<double>& values() const { return largest_; }

private:
    std::vector<double> largest_;
};

/// Accurate, of whatever form; the way to what a problem does not tell of itself.
run_record accurate_run(const problem& p, step_observer* observer, const char* purpose)
{
    run_settings settings;
    settings.rtol = 1e-10;
    settings.repeat = 1;
    settings.timeout_s = 60;
    const auto solver = p.info().form == form::ide ? solvers::make_mebdfi() : solvers::make_radau();
    if (const auto why = solver->info().refusal(p)) throw bad_request(std::string(purpose) + " of '" + p.id() + "' cannot be computed: " + *why);
    run_record r = measure_run(p, *solver, settings, observer);
    if (r.outcome != outcome::success) throw bad_request(std::string(purpose) + " of '" + p.id() + "' cannot be computed: " + r.message);
    return r;
}

std::vector<double> end_values(const problem& p)
{
    const auto& reference = p.reference();
    if (reference && reference->t.value() == p.info().tend.value() && p.parameters().all_default()) return values_of(reference->value);
    if (p.has_quad() && p.info().highest_index <= 1) {
        quad_settings settings;
        settings.timeout_s = 60;
        const quad_solution s = solve_quad(p, tolerances(1e-18, 1e-18), settings);
        if (s.outcome == outcome::success) {
            std::vector<double> y;
            for (const quad& v : s.y) y.push_back(static_cast<double>(v));
            return y;
        }
    }
    return accurate_run(p, nullptr, "end values").y;
}

/// Seconds of one call: more and more calls until they take long enough.
template <class Call>
double seconds_of(Call&& call, double enough)
{
    call(); // warm
    for (std::uint64_t calls = 1;; calls *= 4) {
        const double begin = thread_cpu_seconds();
        for (std::uint64_t k = 0; k < calls; ++k) call();
        const double spent = thread_cpu_seconds() - begin;
        if (spent >= enough) return spent / static_cast<double>(calls);
    }
}

std::string name_of(const detest_data& d) { return std::string(1, d.group) + std::to_string(d.number); }

const detest_data* find(std::string_view name, problem_set set)
{
    std::string upper(name);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    for (const auto& d : all_detest_data())
        if (d.set == set && name_of(d) == upper) return &d;
    return nullptr;
}

std::string names_of(problem_set set)
{
    std::string first;
    std::string last;
    std::string all;
    for (const auto& d : all_detest_data()) {
        if (d.set != set) continue;
        if (d.number == 1) {
            if (!last.empty()) all += first + "-" + last + ", ";
            first = name_of(d);
        }
        last = name_of(d);
    }
    return all + first + "-" + last;
}

} // namespace

assessed_problem detest_problem(const detest_data& data, bool scaled, const assessment_settings& settings)
{
    assessed_problem a{data.id, name_of(data), scaled, open_problem(data.id, {{"scaled", scaled ? "1" : "0"}}), {}, {}, data.hbegin, data.hmax, {}};
    a.end = values_of(settings.as_1986 ? data.published_end : data.end);
    if (scaled) {
        a.weights = values_of(data.weight);
        for (std::size_t i = 0; i < a.end.size(); ++i) a.end[i] /= a.weights[i];
    }
    return a;
}

problem_facts compute_facts(const problem& p, bool scaled, problem_set set)
{
    problem_facts f;
    f.end = end_values(p);
    if (scaled) f.weights = compute_weights(p, set, {}, {});
    return f;
}

problem_facts compute_facts_contained(const problem& p, bool scaled, problem_set set)
{
    const auto work = [&] {
        const problem_facts f = compute_facts(p, scaled, set);
        return json{f.weights, f.end}.dump();
    };
    const auto j = read_json(contained_text(true, p.id(), work));
    return {j.at(0).get<std::vector<double>>(), j.at(1).get<std::vector<double>>()};
}

assessed_problem other_problem(const std::string& id, const problem& p, bool scaled, const problem_facts& facts)
{
    assessed_problem a{id, p.id(), scaled, p, facts.weights, facts.end, {}, p.info().tend.value() - p.info().t0.value(), {}};
    if (scaled) {
        a.problem = scaled_problem(p, a.weights);
        for (std::size_t i = 0; i < a.end.size(); ++i) a.end[i] /= a.weights[i];
    }
    return a;
}

std::vector<std::vector<problem_choice>> all_groups(problem_set set)
{
    std::vector<std::vector<problem_choice>> groups;
    for (const auto& d : all_detest_data()) {
        if (d.set != set) continue;
        if (d.number == 1) groups.emplace_back();
        groups.back().push_back({&d, true});
    }
    return groups;
}

std::vector<std::vector<problem_choice>> read_groups(std::string_view text, problem_set set)
{
    std::vector<std::string> faults;
    std::vector<std::vector<problem_choice>> groups;
    for (const auto& part : split(text, ';')) {
        auto& group = groups.emplace_back();
        for (const auto& written : split(part, ',')) {
            const std::string_view word = trimmed(written);
            const bool unscaled = word.starts_with('-');
            const std::string_view name = unscaled ? trimmed(word.substr(1)) : word;
            if (const detest_data* d = find(name, set))
                group.push_back({d, !unscaled});
            else
                faults.push_back(fmt::format("groups: '{}' given; allowed: problems of the {} set ({}), with a minus sign for the unscaled form",
                                             word, label(set), names_of(set)));
        }
    }
    if (groups.size() > most_groups) faults.push_back(fmt::format("groups: {} groups given; allowed: 1 to {}", groups.size(), most_groups));
    if (!faults.empty()) throw bad_request(std::move(faults));
    return groups;
}

std::vector<double> compute_weights(const problem& p, problem_set set, std::optional<double> h_begin, std::optional<double> h_max)
{
    largest_values largest(p.in<double>().initial_values());
    if (h_begin) { // DETEST's own problems, as its authors did
        run_settings settings;
        settings.repeat = 1;
        settings.timeout_s = 60;
        settings.h0 = h_begin;
        settings.atol = {1e-8};
        settings.same_atol = true;
        const bool nonstiff = set == problem_set::nonstiff;
        settings.rtol = nonstiff ? 1e-8 : 0;
        if (!nonstiff && h_max) settings.hmax = *h_max;
        const auto solver = nonstiff ? solvers::make_dverk() : solvers::make_vode();
        if (nonstiff) settings.hmax = 2; // its default
        const run_record r = measure_run(p, *solver, settings, &largest);
        if (r.outcome != outcome::success && r.outcome != outcome::wrong_answer)
            throw bad_request("weights of '" + p.id() + "' cannot be computed: " + r.message);
    } else {
        (void)accurate_run(p, &largest, "weights");
    }
    std::vector<double> weights;
    for (const double v : largest.values()) weights.push_back(three_digits(v));
    return weights;
}

unit_costs measure_unit_costs(const problem& p, const std::vector<double>& at, double seconds)
{
    unit_costs u;
    const double t = p.info().tend.value();
    const auto& eq = p.in<double>();
    std::vector<double> out(at.size());
    const std::vector<double> yp(at.size());
    const bool ide = p.info().form == form::ide;
    u.evaluation_s = seconds_of([&] { (void)(ide ? eq.g(t, at.data(), yp.data(), out.data()) : eq.f(t, at.data(), out.data())); }, seconds);
    if (ide || !eq.has_exact_jacobian()) return u;
    const structure s = p.iteration_structure();
    jacobian_matrix<double> j(choose_algebra(algebra::automatic, s, p.n()), s, p.n());
    const auto work = eq.make_scratch();
    u.jacobian_s = seconds_of([&] { (void)eq.jacobian(t, at.data(), *work, j.view()); }, seconds);
    counters count;
    shifted_lu<double> lu(j, eq.mass(), 1, 0, count);
    const double shift = 10; // I − 0.1 J = 0.1 (10 I − J)
    u.factorisation_s = seconds_of([&] { (void)lu.factor_real(0, shift); }, seconds);
    return u;
}

unit_costs measure_unit_costs_contained(const problem& p, const std::vector<double>& at, double seconds)
{
    const auto work = [&] {
        const unit_costs u = measure_unit_costs(p, at, seconds);
        return json{u.evaluation_s, u.jacobian_s, u.factorisation_s}.dump();
    };
    const auto j = read_json(contained_text(true, p.id(), work));
    return {j.at(0).get<double>(), j.at(1).get<double>(), j.at(2).get<double>()};
}

} // namespace ivp::detest
