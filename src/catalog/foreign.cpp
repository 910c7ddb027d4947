#include "foreign.hpp"

#include "base/child.hpp"
#include "drivers/plugin.hpp"
#include "trial.hpp"

#include <ivp/catalog.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

namespace ivp {

namespace {

using json = nlohmann::json;

/// The one list of fields that cross the boundary.
template <class Info, class Visit>
void for_each_field(Info& i, Visit&& visit)
{
    visit("name", i.name);
    visit("title", i.title);
    visit("version", i.version);
    visit("origin", i.origin);
    visit("language", i.language);
    visit("forms", i.forms);
    visit("highest_index", i.highest_index);
    visit("index_option", i.index_option);
    visit("lowest_order", i.lowest_order);
    visit("highest_order", i.highest_order);
    visit("implicit", i.implicit);
    visit("needs_exact_jacobian", i.needs_exact_jacobian);
    visit("takes_h0", i.takes_h0);
    visit("needs_h0", i.needs_h0);
    visit("takes_band", i.takes_band);
    visit("takes_sparse", i.takes_sparse);
    visit("takes_zero_rtol", i.takes_zero_rtol);
    visit("takes_zero_atol", i.takes_zero_atol);
    visit("takes_vector_tolerance", i.takes_vector_tolerance);
    visit("needs_initial_derivative", i.needs_initial_derivative);
    visit("max_threads", i.max_threads);
    visit("gives_error_estimate", i.gives_error_estimate);
    visit("locally_extrapolated", i.locally_extrapolated);
    visit("error_norm", i.error_norm);
    visit("lu_unit", i.lu_unit);
    visit("reference", i.reference);
    visit("options", i.options);
}

// The limits of an option may be infinite, which JSON does not know.
json limit(double v) { return std::isinf(v) ? json(v > 0 ? "inf" : "-inf") : json(v); }
double limit_of(const json& j)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return j.is_string() ? (j.get<std::string>() == "inf" ? infinity : -infinity) : j.get<double>();
}

template <class T>
json encoded(const T& v)
{
    if constexpr (std::is_same_v<T, std::vector<form>>) {
        json a = json::array();
        for (const form f : v) a.push_back(label(f));
        return a;
    } else if constexpr (std::is_same_v<T, std::vector<solver_option>>) { // of plug-ins, which have numbers only
        json a = json::array();
        for (const auto& o : v)
            a.push_back({{"name", o.name},
                         {"value", o.value},
                         {"min", limit(o.min)},
                         {"max", limit(o.max)},
                         {"meaning", o.meaning},
                         {"kind", label(o.kind)}});
        return a;
    } else {
        return v;
    }
}

template <class T>
void decode(const json& j, T& v)
{
    if constexpr (std::is_same_v<T, std::vector<form>>) {
        v.clear();
        for (const auto& f : j) v.push_back(form_from_label(f.get<std::string>()).value());
    } else if constexpr (std::is_same_v<T, std::vector<solver_option>>) {
        v.clear();
        for (const auto& o : j)
            v.push_back({o.at("name").get<std::string>(), o.at("value").get<double>(), limit_of(o.at("min")), limit_of(o.at("max")),
                         o.at("meaning").get<std::string>(), option_kind_from_label(o.at("kind").get<std::string>()).value()});
    } else {
        v = j.get<T>();
    }
}

class foreign_solver final : public solver {
public:
    foreign_solver(std::string path, solver_info info, unchanged_file file) : path_(std::move(path)), info_(std::move(info)), file_(std::move(file))
    {}

    [[nodiscard]] const solver_info& info() const override { return info_; }
    void prepare() const override
    {
        if (loaded_) return;
        auto loaded = load_plugin_solver(path_);
        file_.check(); // what is loaded now was there before
        loaded_ = std::move(loaded);
    }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        prepare();
        return loaded_->solve(e, s, options, observer);
    }

private:
    std::string path_;
    solver_info info_;
    unchanged_file file_;
    mutable std::unique_ptr<const solver> loaded_; // in the child only
};

} // namespace

std::string to_json(const solver_info& info)
{
    json j;
    for_each_field(info, [&j](const char* name, const auto& value) { j[name] = encoded(value); });
    return j.dump();
}

solver_info solver_info_from_json(const std::string& text)
{
    const json j = json::parse(text);
    solver_info info;
    for_each_field(info, [&j](const char* name, auto& value) { decode(j.at(name), value); });
    return info;
}

std::unique_ptr<const solver> open_contained_solver(const std::string& name_or_path)
{
    if (!names_a_file(name_or_path)) return open_solver(name_or_path);
    const unchanged_file file(file_of_plugin(name_or_path));
    const std::string info = tried_in_child(name_or_path, "describes itself", [&] { return to_json(load_plugin_solver(name_or_path)->info()); });
    return std::make_unique<foreign_solver>(name_or_path, solver_info_from_json(info), file);
}

bool is_problem_file(const std::string& path)
{
    return tried_in_child(path, "asked what it is", [&] { return std::string(exports_problem(path) ? "yes" : "no"); }) == "yes";
}

std::string contained_text(bool foreign, const std::string& name, const std::function<std::string()>& work, std::optional<double> seconds)
{
    return foreign ? tried_in_child(name, "evaluated", work, seconds.value_or(seconds_to_answer)) : work();
}

} // namespace ivp
