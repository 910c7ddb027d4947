#include "text/text_problem.hpp"

#include "base/text.hpp"
#include "base/whole_file.hpp"
#include "model/forwarding.hpp"
#include "text/chapter.hpp"
#include "text/compiled.hpp"
#include "text/equations.hpp"
#include "text/import/import.hpp"
#include "text/model.hpp"
#include "text/outputs.hpp"
#include "text/read.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace ivp {

namespace text {

namespace {

constexpr std::size_t most_pictured_of_arrays = 6;

// ---- Facts ----

/// What the formulas depend on, as the matrix that suits it.
structure structure_of(const dependencies& rows, int n)
{
    int lower = 0;
    int upper = 0;
    long entries = 0;
    for (int i = 0; i < n; ++i)
        for (const int j : rows[static_cast<std::size_t>(i)]) {
            lower = std::max(lower, i - j);
            upper = std::max(upper, j - i);
            ++entries;
        }
    if (n >= 16 && 3L * (lower + upper + 1) <= n) return structure::band(lower, upper);
    if (n > 300 && 8 * entries < static_cast<long>(n) * n) return structure::sparse(rows);
    return structure::full();
}

/// y_i' = y_{i+m}, i = 1 ... m: a system of second order, whose matrices are made smaller.
derivative_chain chain_of(const model& m)
{
    constexpr int least = 8;
    int length = 0;
    int distance = 0;
    for (; m.form == form::ode && length < m.n; ++length) {
        const expr e = m.row_expression[static_cast<std::size_t>(length)];
        if (e == no_expr) break;
        const auto& x = m.code.expressions[static_cast<std::size_t>(e)];
        if (x.kind != expr_kind::name || x.means != meaning::state) break;
        const int to = m.row_state[static_cast<std::size_t>(length)];
        if (length == 0) distance = to;
        if (to - length != distance) break;
    }
    return length >= least && length == distance && 2 * length <= m.n ? derivative_chain{length, distance} : derivative_chain{};
}

std::string id_of(const document& d)
{
    if (!d.id.empty()) return std::string(d.id);
    std::string stem = std::filesystem::path(d.text.name()).stem().string();
    for (char& c : stem)
        if (!(std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-')) c = '_';
    return stem.empty() ? "model" : stem;
}

protocol protocol_of(const model& m, fault_list& faults)
{
    protocol p;
    const document& d = *m.text;
    constant_values<double> values(d, m.code.expressions, m.parameters);
    std::map<std::string, double> given;
    for (const auto& [name, v] : d.tolerances) {
        index_values none;
        try {
            const double x = values.value(v.value, none);
            if (!(x > 0) || !(x <= (name == "rtol" ? 1 : 1e300)))
                faults.add(v.at, name + " = " + to_text(x) + " found; allowed: above 0" + (name == "rtol" ? ", at most 1" : ""));
            given[name] = x;
        } catch (const no_value& e) {
            faults.add(e.at, e.why);
        }
    }
    const auto rtol = given.find("rtol");
    if (rtol != given.end()) p.ladder_start = std::round(-4 * std::log10(rtol->second)) / 4;
    const auto set = [&](const char* name, double& per_rtol, double& fixed) {
        const auto it = given.find(name);
        if (it == given.end()) return;
        if (rtol != given.end())
            per_rtol = as_decimal(it->second / rtol->second);
        else
            fixed = it->second;
    };
    set("atol", p.atol_per_rtol, p.fixed_atol);
    set("h0", p.h0_per_rtol, p.fixed_h0);
    return p;
}

std::vector<long> indices_in(const expression& name, constant_values<double>& values)
{
    std::vector<long> all;
    index_values none;
    for (const expr p : name.parts) all.push_back(values.whole(p, none));
    return all;
}

/// The rows of states by name and indices.
class rows_by_name {
public:
    explicit rows_by_name(const model& m) : m_(m), rows_(m.text->declarations.size())
    {
        for (int row = 0; row < m.n; ++row) rows_[static_cast<std::size_t>(m.declaration_of[static_cast<std::size_t>(row)])].push_back(row);
    }
    /// Of a state or a whole array, in the order of the indices.
    [[nodiscard]] const std::vector<int>& all(int declaration) const { return rows_[static_cast<std::size_t>(declaration)]; }
    [[nodiscard]] std::optional<int> one(int declaration, const std::vector<long>& indices) const
    {
        const auto& rows = all(declaration);
        const auto it = std::ranges::lower_bound(rows, indices, {}, [this](int row) { return indices_of(row); });
        return it == rows.end() || indices_of(*it) != indices ? std::nullopt : std::optional(*it);
    }

private:
    [[nodiscard]] std::vector<long> indices_of(int row) const
    {
        std::vector<long> all;
        for (const auto& [symbol, value] : m_.indices_of[static_cast<std::size_t>(row)]) all.push_back(value);
        return all;
    }

    const model& m_;
    std::vector<std::vector<int>> rows_; ///< of each declaration
};

problem_info facts_of(const model& m, const rows_by_name& rows)
{
    const document& d = *m.text;
    fault_list faults(d.text);
    problem_info i;
    i.origin = "text";
    i.id = id_of(d);
    i.title = d.title.empty() ? i.id : plain_line(d.title, 200);
    i.form = m.form;
    i.n = m.n;
    i.t0 = m.t0;
    i.tend = m.tend;
    i.highest_index = m.highest_index;
    i.index = m.index;
    i.breakpoints = m.breaks;
    i.discontinuities = m.kinks;
    i.component_names = m.names;
    i.quantity_of_interest = plain_line(d.output_text, 300);
    if (!m.reactions.empty()) i.tags.emplace_back("chemistry");
    if (!m.code.uses_time) i.tags.emplace_back("autonomous");
    if (!m.breaks.empty()) i.tags.emplace_back("breakpoints");
    if (!d.requirements.empty()) i.tags.emplace_back("domain");
    if (m.kinks_in_states) i.tags.emplace_back("kinks");
    if (m.form != form::ode) i.tags.push_back("index-" + std::to_string(m.highest_index));
    i.protocol = protocol_of(m, faults);
    constant_values<double> values(d, m.code.expressions, m.parameters);
    for (const expr e : d.outputs) {
        const auto& x = d.at(e);
        if (x.means != meaning::state) continue;
        if (x.parts.empty()) {
            for (const int row : rows.all(x.target)) {
                if (i.pictured.size() >= most_pictured_of_arrays) break;
                i.pictured.push_back(row + 1);
            }
            continue;
        }
        try {
            if (const auto row = rows.one(x.target, indices_in(x, values))) i.pictured.push_back(*row + 1);
        } catch (const no_value& fault) {
            faults.add(fault.at, fault.why);
        }
    }
    faults.raise();
    return i;
}

/// Of all states, as the text gives it.
std::optional<reference_solution> reference_of(const model& m, const rows_by_name& rows)
{
    const document& d = *m.text;
    if (d.references.empty()) return std::nullopt;
    constexpr double digits_of_a_double = 15;
    fault_list faults(d.text);
    reference_solution r;
    r.t = m.tend;
    r.source = "the text of the model";
    r.value.resize(static_cast<std::size_t>(m.n));
    r.digits.assign(static_cast<std::size_t>(m.n), -1);
    constant_values<double> values(d, m.code.expressions, m.parameters);
    for (const auto& a : d.references) {
        const auto& x = d.at(a.target);
        try {
            const auto row = rows.one(x.target, indices_in(x, values));
            if (!row) throw no_value{a.at, "a reference of an element that does not exist"};
            const auto k = static_cast<std::size_t>(*row);
            if (r.digits[k] >= 0) throw no_value{a.at, "a second reference of " + m.names[k] + " found; allowed: one"};
            r.value[k] = decimal(a.number);
            r.digits[k] = a.digits.empty() ? digits_of_a_double : *parse_real(a.digits);
        } catch (const no_value& e) {
            faults.add(e.at, e.why);
        }
    }
    faults.raise();
    if (std::ranges::any_of(r.digits, [](double x) { return x < 0; })) return std::nullopt; // the chapter shows those there are
    return r;
}

} // namespace

std::string read_file(const std::string& path)
{
    std::error_code failed;
    if (std::filesystem::is_directory(path, failed)) throw bad_request("'" + path + "' is a folder; allowed: a text of a model");
    auto text = read_beginning(path, limits::file_bytes + 1);
    if (!text) throw bad_request("cannot read '" + path + "'; allowed: an existing file with the text of a model");
    if (text->size() > limits::file_bytes)
        throw bad_request("'" + path + "' has more than " + std::to_string(limits::file_bytes >> 20U) + " MB; allowed: texts up to this size");
    return std::move(*text);
}

} // namespace text

bool names_a_text(std::string_view name) { return (name.size() > 4 && name.ends_with(".ivp")) || text::names_an_import(name); }

problem text_problem(const std::string& name, std::string text, const std::map<std::string, std::string>& parameters, text_evaluation how)
{
    using namespace text;
    const auto d = read_document(name, std::move(text));
    const parameter_values values(parameters_of(*d), parameters);
    auto parts = std::make_shared<shared_parts>();
    parts->model = build_model(d, values);
    const rows_by_name rows(*parts->model);
    problem_info info = facts_of(*parts->model, rows);
    parts->chapter = chapter_of(*parts->model, info);
    info.jacobian_structure = structure_of(traced(parts), info.n);
    info.chain = chain_of(*parts->model);
    if (how == text_evaluation::compiled) parts->code = compiled(parts->model->code);
    if (parts->code) info.tags.emplace_back(compiled_tag);
    auto in_double = equations_in_double(parts, info.jacobian_structure);
    auto in_quad = equations_in_quad(parts, info.jacobian_structure);
    const auto reference = reference_of(*parts->model, rows);
    problem p(std::move(info), values, std::move(in_double), std::move(in_quad));
    p = p.with_chapter({parts->chapter}); // the equations keep it alive
    if (reference && values.all_default()) p = p.with_reference(*reference);
    return p;
}

const has_outputs* outputs_of(const problem& p)
{
    const equations<double>* e = &p.in<double>();
    const auto* has = dynamic_cast<const has_outputs*>(e);
    for (const forwarding_equations* view = nullptr; has == nullptr && (view = dynamic_cast<const forwarding_equations*>(e)) != nullptr;) {
        e = &view->behind();
        has = dynamic_cast<const has_outputs*>(e);
    }
    return has == nullptr || has->output_names().empty() ? nullptr : has;
}

problem load_text_problem(const std::string& path, const std::map<std::string, std::string>& parameters, text_evaluation how)
{
    auto [name, content] = text::text_of_model(path);
    return text_problem(name, std::move(content), parameters, how);
}

std::vector<parameter> text_problem_parameters(const std::string& path)
{
    auto [name, content] = text::text_of_model(path);
    return text::parameters_of(*text::read_document(name, std::move(content)));
}

std::string how_a_text_runs(const std::string& path)
{
    auto [name, content] = text::text_of_model(path);
    const auto d = text::read_document(name, std::move(content));
    const auto plan = text::plan_of(text::build_model(d, parameter_values(text::parameters_of(*d), {}))->code);
    if (plan.why_not.empty()) return "Runs evaluate this text compiled, by " + plan.compiler + ".";
    return "Runs evaluate this text as a list of instructions: " + plan.why_not + ".";
}

} // namespace ivp
