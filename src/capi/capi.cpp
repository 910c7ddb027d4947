// The C interface of ivp/ivp.h: exceptions become answers, C++ objects hide behind ivp_test.
#include <ivp/ivp.h>

#include "base/text.hpp"
#include "catalog/content.hpp"
#include "drivers/plugin.hpp"
#include "drivers/plugin/codes.hpp"
#include "drivers/plugin/library.hpp"
#include "drivers/plugin/native_matrix.hpp"
#include "record_file.hpp"
#include "report/catalog_view.hpp"
#include "run/initial_derivative.hpp"
#include "session.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <utility>

using namespace ivp;
using namespace ivp::capi;

namespace {

ivp::problem in_form(ivp::problem p, std::int32_t form)
{
    const bool is_ide = p.info().form == form::ide;
    if (form == 0 || form == plugin::code_of(p.info().form)) return p;
    if (form == IVP_IDE) return p.as_ide();
    if (form == IVP_DAE && is_ide) return p.as_dae();
    throw bad_request("form: " + std::to_string(form) + " given; allowed for " + p.id() + ": 0, " + std::string(is_ide ? "IVP_DAE" : "IVP_IDE") +
                      ", or its own");
}

std::shared_ptr<opened_test> opened_as(const std::string& id, const char* parameters, std::int32_t form)
{
    const auto file = content_when_opened::of_problem(id);
    auto opened = std::make_shared<opened_test>(in_form(open_problem(id, read_pairs("parameters", parameters)), form), id, form);
    opened->content = file.confirmed();
    return opened;
}

void refuse_form(const opened_test& t, bool implicit, const char* what)
{
    if ((t.p.info().form == form::ide) != implicit)
        throw bad_request(std::string(what) + " asked of " + t.p.id() + ", which has the form " + (implicit ? "M y' = f(t, y)" : "G(t, y, y') = 0"));
}

matrix_view<double> columns_view(const structure& of, int n, double* out, std::int32_t ld)
{
    const bool band = of.kind == structure_kind::band;
    const int rows = band ? of.lower + of.upper + 1 : n;
    if (ld < rows)
        throw bad_request("ld: " + std::to_string(ld) + " given; allowed: at least " + (band ? "lower + upper + 1 = " : "n = ") +
                          std::to_string(rows));
    return {of.kind, n, of.lower, of.upper, ld, nullptr, out};
}
matrix_view<double> full_view(const evaluator& e, double* out, std::int32_t ld) { return columns_view(structure::full(), e.n(), out, ld); }

const structure& jacobian_as(structure_kind kind, const evaluator& e)
{
    const structure& known = e.problem().info().jacobian_structure;
    if (known.kind != kind)
        throw bad_request("a " + std::string(kind == structure_kind::band ? "band" : "sparse") + " Jacobian asked of " + e.problem().id() +
                          ", whose structure is " + known.describe());
    return known;
}
matrix_view<double> band_view(const evaluator& e, double* out, std::int32_t ld)
{
    return columns_view(jacobian_as(structure_kind::band, e), e.n(), out, ld);
}
matrix_view<double> sparse_view(const evaluator& e, double* out, std::int32_t entries)
{
    const sparsity* const pattern = jacobian_as(structure_kind::sparse, e).pattern.get();
    if (entries != pattern->entries())
        throw bad_request("entries: " + std::to_string(entries) + " given; allowed for " + e.problem().id() + ": " +
                          std::to_string(pattern->entries()));
    return {structure_kind::sparse, e.n(), 0, 0, 0, pattern, out};
}

tolerances tolerances_of(const opened_test& t, double rtol, const double* atol)
{
    const auto& protocol = t.p.info().protocol;
    tolerances tol = protocol.expand(rtol, protocol.atol(std::abs(rtol)));
    if (atol != nullptr) {
        tol.rtol = {rtol};
        tol.atol.assign(atol, atol + t.p.n());
    }
    if (auto faults = tol.validate(t.p.n()); !faults.empty()) throw bad_request(std::move(faults));
    return tol;
}

run_record submitted(const opened_test& t, const ivp_submission& s)
{
    std::vector<std::string> faults;
    solver_info info;
    info.name = plugin::clean_text(s.solver);
    info.version = plugin::clean_text(s.solver_version);
    info.language = s.language == nullptr ? "C" : plugin::clean_text(s.language);
    info.origin = "program";
    if (!plugin::is_name(info.name)) faults.push_back("solver: '" + info.name + "' given; allowed: " + plugin::names_allowed);
    const auto claimed = plugin::outcome_of(s.outcome);
    if (!claimed) faults.push_back("outcome: " + std::to_string(s.outcome) + " given; allowed: IVP_SUCCESS, ... (see ivp/plugin.h)");
    if (s.y == nullptr) faults.emplace_back("y is NULL");
    if (s.accepted < 0 || s.steps < s.accepted || s.steps > plugin::largest_count)
        faults.push_back("steps, accepted: " + std::to_string(s.steps) + ", " + std::to_string(s.accepted) +
                         " given; allowed: 0 <= accepted <= steps <= 2^53");
    if (!faults.empty()) throw bad_request(std::move(faults));
    const tolerances tol = tolerances_of(t, s.rtol, s.atol);

    run_record r;
    r.problem = t.p.id();
    r.problem_origin = t.p.info().origin;
    r.parameters = t.p.parameters().changed();
    r.solver = info.name;
    r.solver_version = info.version;
    r.solver_origin = info.origin;
    r.solver_language = info.language;
    r.form = label(t.p.info().form);
    r.dimension = t.p.n();
    r.t0 = t.p.info().t0.value();
    r.tend = t.p.info().tend.value();
    r.rtol_asked = s.rtol;
    r.rtol = tol.rtol;
    r.atol = tol.atol;
    const counters c = t.e->total();
    r.max_steps = 0; // what the program did not tell is not known
    r.algebra.clear();
    r.jacobian = c.jacobian == 0 ? "none" : c.f_jacobian > 0 ? "differences" : "exact";
    r.outcome = *claimed;
    r.message = plugin::clean_text(s.message);
    r.t_end_reached = s.t;
    r.y.assign(s.y, s.y + t.p.n());
    r.steps = static_cast<std::uint64_t>(s.steps);
    r.accepted = static_cast<std::uint64_t>(s.accepted);
    r.rejected = r.steps - r.accepted;
    r.nfev = c.f;
    r.nfev_jac = c.f_jacobian;
    r.njac = c.jacobian;
    r.nlu = c.lu;
    r.nsolve = c.solve;
    r.extra["refused_evaluations"] = static_cast<double>(c.refused);
    r.extra["nonfinite_evaluations"] = static_cast<double>(c.nonfinite);
    r.cpu_s = t.clock.cpu();
    r.wall_s = t.clock.wall();
    r.repeats = 1;
    r.cpu_samples = {r.cpu_s};
    r.wall_samples = {r.wall_s};
    r.build = build_in_use();
    r.machine = this_machine();
    if (r.outcome == outcome::success && r.t_end_reached != r.tend) {
        r.outcome = outcome::wrong_answer;
        r.message = "the solver claims success at t = " + to_text(s.t) + ", which is not tend = " + to_text(r.tend);
    } else {
        judge(r, t.p);
    }
    if (r.message.empty() && r.outcome != outcome::success) r.message = sentence(r.outcome);
    return r;
}

/// One evaluation of a problem that must be in this form.
template <class Formula>
int evaluated(ivp_test* test, bool implicit, const char* what, std::initializer_list<std::pair<const void*, const char*>> arguments,
              Formula&& formula) noexcept
{
    return answered([&] {
        const auto opened = opened_by(test);
        const opened_test& t = *opened;
        refuse_form(t, implicit, what);
        require(arguments);
        return plugin::status_of(formula(*t.e));
    });
}

/// The columns of a full matrix of the caller.
template <class Fill>
evaluation filled(const ivp_test* test, const matrix_view<double>& out, Fill&& fill)
{
    const auto opened = opened_by(test);
    opened_test& t = *opened;
    return plugin::fill_columns(out, t.room, fill);
}

/// As text that lives until the next one.
const char* handed_out(opened_test& t, const run_record& record, const char* store)
{
    std::string line = to_json(record);
    if (store != nullptr) append_record(store, line);
    t.record = std::move(line);
    return t.record.c_str();
}

} // namespace

extern "C" {

const char* ivp_last_error(void) { return last_error().c_str(); }

int32_t ivp_catalog_size(void)
{
    return guarded(0, [] { return static_cast<std::int32_t>(problem_ids().size()); });
}

const char* ivp_catalog_id(int32_t which)
{
    return text_answered([&]() -> const char* {
        static const std::vector<std::string> ids = problem_ids();
        return which < 0 || which >= static_cast<std::int32_t>(ids.size()) ? nullptr : ids[which].c_str();
    });
}

ivp_test* ivp_test_open(const char* id, const char* parameters, int32_t form)
{
    return guarded(static_cast<ivp_test*>(nullptr), [&] {
        require({{id, "id"}});
        return handle_of<ivp_test>(opened_as(id, parameters, form));
    });
}

ivp_test* ivp_test_make(const ivp_problem* functions, void* self, void (*release)(void* self))
{
    return guarded(static_cast<ivp_test*>(nullptr), [&] {
        require({{functions, "functions"}});
        const std::shared_ptr<const void> owner(self, [release](const void* owned) {
            if (release != nullptr) release(const_cast<void*>(owned));
        });
        auto p = problem_of("the problem", *functions, self, owner, [](problem_info& info) { info.origin = "program"; });
        return handle_of<ivp_test>(std::make_shared<opened_test>(std::move(p), "", 0));
    });
}

void ivp_test_close(ivp_test* test) { close(test, "test"); }

int32_t ivp_test_dimension(const ivp_test* test)
{
    return answered([&] { return opened_by(test)->p.n(); });
}
int32_t ivp_test_form(const ivp_test* test)
{
    return answered([&] { return plugin::code_of(opened_by(test)->p.info().form); });
}
double ivp_test_t0(const ivp_test* test)
{
    return guarded(no_number, [&] { return opened_by(test)->p.info().t0.value(); });
}
double ivp_test_tend(const ivp_test* test)
{
    return guarded(no_number, [&] { return opened_by(test)->p.info().tend.value(); });
}

int ivp_test_describe(const ivp_test* test, ivp_problem_description* out)
{
    return answered([&] {
        const auto opened = opened_by(test);
        const opened_test& t = *opened;
        const auto& i = t.p.info();
        require({{out, "out"}});
        check_version(out, "ivp_problem_description");
        ivp_problem_description d{};
        d.version = IVP_PLUGIN_VERSION;
        d.size = sizeof d;
        d.id = i.id.c_str();
        d.title = i.title.c_str();
        d.contributor = i.contributor.c_str();
        d.quantity_of_interest = i.quantity_of_interest.c_str();
        d.tags = t.tags.c_str();
        d.chapter = t.chapter.c_str();
        d.component_names = t.names.empty() ? nullptr : t.names.data();
        d.form = plugin::code_of(i.form);
        d.n = i.n;
        d.t0 = i.t0.value();
        d.tend = i.tend.value();
        d.highest_index = i.highest_index;
        d.inconsistent = i.consistent_start ? 0 : 1;
        d.index = t.index.data();
        const structure& j = i.jacobian_structure;
        d.jacobian_kind = plugin::code_of(j.kind);
        d.jacobian_lower = j.kind == structure_kind::full ? i.n - 1 : j.lower;
        d.jacobian_upper = j.kind == structure_kind::full ? i.n - 1 : j.upper;
        if (j.kind == structure_kind::sparse) {
            d.jacobian_column_start = j.pattern->column_start.data();
            d.jacobian_row = j.pattern->row.data();
        }
        if (i.form != form::ide) {
            const auto& m = t.p.in<double>().mass();
            d.mass_kind = plugin::code_of(m.kind());
            d.mass_lower = m.lower();
            d.mass_upper = m.upper();
        }
        d.breakpoint_count = static_cast<std::int32_t>(t.breakpoints.size());
        d.breakpoints = t.breakpoints.data();
        d.discontinuity_count = static_cast<std::int32_t>(t.discontinuities.size());
        d.discontinuities = t.discontinuities.data();
        d.excluded_count = static_cast<std::int32_t>(t.excluded.size());
        d.excluded = t.excluded.data();
        d.accuracy = !i.accuracy.scd_defined ? IVP_ACCURACY_MIXED_ONLY : i.accuracy.absolute_scd ? IVP_ACCURACY_ABSOLUTE : IVP_ACCURACY_RELATIVE;
        if (const auto& r = t.p.reference()) {
            d.reference = t.reference.data();
            d.reference_digits = t.digits.data();
            d.reference_source = r->source.c_str();
        }
        d.atol_per_rtol = i.protocol.atol_per_rtol;
        d.h0_per_rtol = i.protocol.h0_per_rtol;
        *out = d;
        return static_cast<int>(IVP_OK);
    });
}

const char* ivp_test_facts(const ivp_test* test)
{
    return text_answered([&] {
        const auto t = opened_by(test).released();
        constexpr std::size_t width = 100; // of chapters as text, which JSON has not
        return text_answer(problem_page(t->p, t->parameters, text_format::json, width));
    });
}

int ivp_test_set(ivp_test* test, const char* parameters)
{
    return answered([&] {
        require({{parameters, "parameters"}});
        const auto before = opened_by(test).released();
        if (before->typed.empty()) throw bad_request("parameters: '" + std::string(parameters) + "' given; allowed for " + before->p.id() + ": none");
        auto changed = opened_as(before->typed, parameters, before->form);
        const auto still_open = opened_by(test); // another thread may have closed it meanwhile
        test->opened = std::move(changed);
        return static_cast<int>(IVP_OK);
    });
}

int32_t ivp_test_parameter_count(const ivp_test* test)
{
    return answered([&] { return static_cast<std::int32_t>(opened_by(test)->parameters.size()); });
}

int ivp_test_parameter(const ivp_test* test, int32_t which, ivp_named_value* out, double* value)
{
    return answered([&] {
        const auto opened = opened_by(test);
        const opened_test& t = *opened;
        const auto count = static_cast<std::int32_t>(t.parameters.size());
        require({{out, "out"}});
        check_version(out, "ivp_named_value");
        if (which < 0 || which >= count)
            throw bad_request("which: " + std::to_string(which) + " given; allowed for " + t.p.id() + ": 0 to " + std::to_string(count) +
                              ", without it");
        const parameter& known = t.parameters[static_cast<std::size_t>(which)];
        *out = {IVP_VERSIONED(ivp_named_value), known.name.c_str(), known.value.value(), known.min.value(), known.max.value(), known.whole ? 1 : 0, 0,
                known.meaning.c_str()};
        if (value != nullptr) *value = t.p.parameters().get<double>(known.name);
        return static_cast<int>(IVP_OK);
    });
}

int ivp_test_initial(const ivp_test* test, double* y, double* yp)
{
    return answered([&] {
        const auto opened = opened_by(test);
        const opened_test& t = *opened;
        require({{y, "y"}});
        const auto start = t.p.in<double>().initial_values();
        std::copy(start.begin(), start.end(), y);
        if (yp != nullptr) {
            const auto slope = initial_derivative(t.p);
            std::copy(slope.begin(), slope.end(), yp);
        }
        return static_cast<int>(IVP_OK);
    });
}

int ivp_test_tolerances(const ivp_test* test, double rtol, double* rtol_out, double* atol_out)
{
    return answered([&] {
        const auto opened = opened_by(test);
        const opened_test& t = *opened;
        require({{rtol_out, "rtol_out"}, {atol_out, "atol_out"}});
        const tolerances tol = tolerances_of(t, rtol, nullptr);
        for (int i = 0; i < t.p.n(); ++i) {
            rtol_out[i] = tol.relative(i);
            atol_out[i] = tol.absolute(i);
        }
        return static_cast<int>(IVP_OK);
    });
}

double ivp_test_first_step(const ivp_test* test, double rtol)
{
    return guarded(no_number, [&] {
        const auto opened = opened_by(test);
        const opened_test& t = *opened;
        if (!(rtol > 0 && std::isfinite(rtol))) throw bad_request("rtol: " + to_text(rtol) + " given; allowed: a number above 0");
        return t.p.info().protocol.h0(rtol);
    });
}

int ivp_test_f(ivp_test* test, double t, const double* y, double* out)
{
    return evaluated(test, false, "f", {{y, "y"}, {out, "out"}}, [&](evaluator& e) { return e.f(t, y, out); });
}
int ivp_test_g(ivp_test* test, double t, const double* y, const double* yp, double* out)
{
    return evaluated(test, true, "G", {{y, "y"}, {yp, "yp"}, {out, "out"}}, [&](evaluator& e) { return e.g(t, y, yp, out); });
}
int ivp_test_f_difference(ivp_test* test, double t, const double* y, double* out)
{
    return evaluated(test, false, "f", {{y, "y"}, {out, "out"}}, [&](evaluator& e) { return e.f_for_jacobian(t, y, out); });
}
int ivp_test_g_difference(ivp_test* test, double t, const double* y, const double* yp, double* out)
{
    return evaluated(test, true, "G", {{y, "y"}, {yp, "yp"}, {out, "out"}}, [&](evaluator& e) { return e.g_for_jacobian(t, y, yp, out); });
}

int ivp_test_jacobian(ivp_test* test, double t, const double* y, double* out, int32_t ld)
{
    return evaluated(test, false, "df/dy", {{y, "y"}, {out, "out"}}, [&](evaluator& e) {
        return filled(test, full_view(e, out, ld), [&](const matrix_view<double>& view) { return e.jacobian(t, y, view); });
    });
}
int ivp_test_partials(ivp_test* test, double t, const double* y, const double* yp, double a, double b, double* out, int32_t ld)
{
    return evaluated(test, true, "dG/dy and dG/dy'", {{y, "y"}, {yp, "yp"}, {out, "out"}}, [&](evaluator& e) {
        return filled(test, full_view(e, out, ld), [&](const matrix_view<double>& view) { return e.partials(t, y, yp, a, b, view); });
    });
}

int ivp_test_jacobian_band(ivp_test* test, double t, const double* y, double* out, int32_t ld)
{
    return evaluated(test, false, "df/dy", {{y, "y"}, {out, "out"}}, [&](evaluator& e) {
        return filled(test, band_view(e, out, ld), [&](const matrix_view<double>& view) { return e.jacobian(t, y, view); });
    });
}
int ivp_test_jacobian_sparse(ivp_test* test, double t, const double* y, double* out, int32_t entries)
{
    return evaluated(test, false, "df/dy", {{y, "y"}, {out, "out"}}, [&](evaluator& e) { return e.jacobian(t, y, sparse_view(e, out, entries)); });
}
int ivp_test_partials_band(ivp_test* test, double t, const double* y, const double* yp, double a, double b, double* out, int32_t ld)
{
    return evaluated(test, true, "dG/dy and dG/dy'", {{y, "y"}, {yp, "yp"}, {out, "out"}}, [&](evaluator& e) {
        return filled(test, band_view(e, out, ld), [&](const matrix_view<double>& view) { return e.partials(t, y, yp, a, b, view); });
    });
}
int ivp_test_partials_sparse(ivp_test* test, double t, const double* y, const double* yp, double a, double b, double* out, int32_t entries)
{
    return evaluated(test, true, "dG/dy and dG/dy'", {{y, "y"}, {yp, "yp"}, {out, "out"}},
                     [&](evaluator& e) { return e.partials(t, y, yp, a, b, sparse_view(e, out, entries)); });
}
int ivp_test_time_derivative(ivp_test* test, double t, const double* y, double* out)
{
    return evaluated(test, false, "df/dt", {{y, "y"}, {out, "out"}}, [&](evaluator& e) { return e.time_derivative(t, y, nullptr, out); });
}

int ivp_test_mass(const ivp_test* test, double* out, int32_t ld)
{
    return answered([&] {
        const auto opened = opened_by(test);
        const opened_test& t = *opened;
        refuse_form(t, false, "M");
        require({{out, "out"}});
        const matrix_view<double> view = full_view(*t.e, out, ld);
        for (int j = 0; j < view.n; ++j)
            for (int i = 0; i < view.n; ++i) view.set(i, j, t.p.in<double>().mass().at(i, j));
        return static_cast<int>(IVP_OK);
    });
}
int ivp_test_mass_multiply(const ivp_test* test, const double* x, double* out)
{
    return answered([&] {
        const auto opened = opened_by(test);
        const opened_test& t = *opened;
        refuse_form(t, false, "M x");
        require({{x, "x"}, {out, "out"}});
        t.p.in<double>().mass().multiply(x, out);
        return static_cast<int>(IVP_OK);
    });
}

int ivp_test_count(ivp_test* test, int32_t factorisations, int32_t solves, int32_t difference_jacobians)
{
    return answered([&] {
        const auto opened = opened_by(test);
        counters& c = opened->e->count();
        std::vector<std::string> faults;
        for (const auto& [name, count] :
             {std::pair{"factorisations", factorisations}, {"solves", solves}, {"difference_jacobians", difference_jacobians}})
            if (count < 0) faults.push_back(std::string(name) + ": " + std::to_string(count) + " given; allowed: a whole number from 0");
        if (!faults.empty()) throw bad_request(std::move(faults));
        c.lu += static_cast<std::uint64_t>(factorisations);
        c.solve += static_cast<std::uint64_t>(solves);
        c.jacobian += static_cast<std::uint64_t>(difference_jacobians);
        return static_cast<int>(IVP_OK);
    });
}

int ivp_test_counts(const ivp_test* test, ivp_counts* out)
{
    return answered([&] {
        const auto opened = opened_by(test);
        const opened_test& t = *opened;
        require({{out, "out"}});
        check_version(out, "ivp_counts");
        const counters c = t.e->total();
        const auto whole = [](std::uint64_t v) { return static_cast<std::int64_t>(v); };
        *out = {IVP_VERSIONED(ivp_counts), whole(c.f),        whole(c.f_jacobian), whole(c.jacobian), whole(c.lu), whole(c.solve),
                whole(c.refused),          whole(c.nonfinite)};
        return static_cast<int>(IVP_OK);
    });
}

int ivp_test_begin(ivp_test* test)
{
    return answered([&] {
        opened_by(test)->begin();
        return static_cast<int>(IVP_OK);
    });
}

int ivp_test_digits(const ivp_test* test, double rtol, const double* atol, const double* y, double* scd, double* mescd)
{
    return answered([&] {
        const auto opened = opened_by(test);
        const opened_test& t = *opened;
        require({{y, "y"}});
        run_record r;
        r.tend = t.p.info().tend.value();
        const tolerances tol = tolerances_of(t, rtol, atol);
        r.rtol = tol.rtol;
        r.atol = tol.atol;
        r.y.assign(y, y + t.p.n());
        const auto a = accuracy_of(r, t.p);
        if (scd != nullptr) *scd = a ? a->scd.value_or(no_number) : no_number;
        if (mescd != nullptr) *mescd = a ? a->mescd.value_or(no_number) : no_number;
        return static_cast<int>(IVP_OK);
    });
}

const char* ivp_test_submit(ivp_test* test, const ivp_submission* result, const char* store)
{
    return text_answered([&] {
        const auto opened = opened_by(test);
        opened_test& t = *opened;
        require({{result, "result"}});
        check_version(result, "ivp_submission");
        return handed_out(t, submitted(t, *result), store);
    });
}

const char* ivp_measure(ivp_test* test, const ivp_solver_description* solver, ivp_solve_function solve, void* data, const ivp_settings* settings,
                        const char* store)
{
    return text_answered([&] {
        const auto opened = opened_by(test);
        opened_test& t = *opened;
        require({{solver, "solver"}, {reinterpret_cast<const void*>(solve), "solve"}, {settings, "settings"}});
        const auto measured = solver_of("the solver", *solver, [=](const ivp_task* task, ivp_result* result) { solve(data, task, result); });
        if (store != nullptr) check_record_file(store);
        return handed_out(t, measure_run(t.p, *measured, settings_of(t, settings, measured->info())), store);
    });
}

} // extern "C"
