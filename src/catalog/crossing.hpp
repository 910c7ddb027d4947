// What crosses the boundary between a child, which has loaded foreign code, and its parent: numbers, texts and structs of them, as JSON and back.
#ifndef IVP_SRC_CATALOG_CROSSING_HPP
#define IVP_SRC_CATALOG_CROSSING_HPP

#include "base/json.hpp"

#include <ivp/problem.hpp>
#include <ivp/solver.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ivp {

/// Texts of a plug-in may be no UTF-8: every byte is a character of its own on the way.
std::string widened(const std::string& text);
std::string narrowed(const std::string& text);

/// A double may be infinite or NaN, which JSON does not know.
json crossing_number(double v);
double number_crossed(const json& j);

template <class T, class U>
concept like = std::same_as<std::remove_const_t<T>, U>;

// The one list of what crosses of each struct.

template <like<parameter> P, class Visit>
void for_each_member(P& p, Visit&& visit)
{
    visit("name", p.name);
    visit("value", p.value);
    visit("min", p.min);
    visit("max", p.max);
    visit("meaning", p.meaning);
    visit("whole", p.whole);
}
template <like<reference_solution> R, class Visit>
void for_each_member(R& r, Visit&& visit)
{
    visit("t", r.t);
    visit("value", r.value);
    visit("digits", r.digits);
    visit("absolute_digits", r.absolute_digits);
    visit("source", r.source);
    visit("confirmed", r.confirmed);
}
template <like<tolerances> T, class Visit>
void for_each_member(T& t, Visit&& visit)
{
    visit("rtol", t.rtol);
    visit("atol", t.atol);
}
/// Of plug-ins, which have numbers only.
template <like<solver_option> O, class Visit>
void for_each_member(O& o, Visit&& visit)
{
    visit("name", o.name);
    visit("value", o.value);
    visit("min", o.min);
    visit("max", o.max);
    visit("meaning", o.meaning);
    visit("kind", o.kind);
}
template <like<solver_info> Info, class Visit>
void for_each_member(Info& i, Visit&& visit)
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
    visit("takes_krylov", i.takes_krylov);
    visit("takes_zero_rtol", i.takes_zero_rtol);
    visit("takes_zero_atol", i.takes_zero_atol);
    visit("takes_vector_tolerance", i.takes_vector_tolerance);
    visit("needs_initial_derivative", i.needs_initial_derivative);
    visit("max_threads", i.max_threads);
    visit("independent_matrices", i.independent_matrices);
    visit("gives_error_estimate", i.gives_error_estimate);
    visit("locally_extrapolated", i.locally_extrapolated);
    visit("error_norm", i.error_norm);
    visit("lu_unit", i.lu_unit);
    visit("reference", i.reference);
    visit("options", i.options);
}
template <like<problem_info> Info, class Visit>
void for_each_member(Info& i, Visit&& visit)
{
    visit("form", i.form);
    visit("published_jacobian", i.protocol.published_jacobian);
    visit("id", i.id);
    visit("title", i.title);
    visit("origin", i.origin);
    visit("n", i.n);
    visit("t0", i.t0);
    visit("tend", i.tend);
    visit("highest_index", i.highest_index);
    visit("index", i.index);
    visit("consistent_start", i.consistent_start);
    visit("start_residual", i.start_residual);
    visit("breakpoints", i.breakpoints);
    visit("discontinuities", i.discontinuities);
    visit("component_names", i.component_names);
    visit("pictured", i.pictured);
    visit("logarithmic_time", i.logarithmic_time);
    visit("quantity_of_interest", i.quantity_of_interest);
    visit("contributor", i.contributor);
    visit("tags", i.tags);
    visit("excluded", i.accuracy.excluded);
    visit("absolute_scd", i.accuracy.absolute_scd);
    visit("scd_defined", i.accuracy.scd_defined);
    visit("ladder_start", i.protocol.ladder_start);
    visit("ladder_per_decade", i.protocol.ladder_per_decade);
    visit("ladder_last", i.protocol.ladder_last);
    visit("atol_per_rtol", i.protocol.atol_per_rtol);
    visit("h0_per_rtol", i.protocol.h0_per_rtol);
    visit("fixed_atol", i.protocol.fixed_atol);
    visit("fixed_h0", i.protocol.fixed_h0);
    visit("m1", i.chain.m1);
    visit("m2", i.chain.m2);
}

template <class T>
struct crossing_list : std::false_type {};
template <class T>
struct crossing_list<std::vector<T>> : std::true_type {};

template <class T>
json crossing(const T& v);
template <class T>
void crossed(const json& j, T& v);

struct crossing_writer {
    json& j;
    template <class T>
    void operator()(const char* name, const T& v) const
    {
        j[name] = crossing(v);
    }
};
struct crossing_reader {
    const json& j;
    template <class T>
    void operator()(const char* name, T& v) const
    {
        crossed(j.at(name), v);
    }
};

template <class T>
json crossing(const T& v)
{
    if constexpr (std::is_same_v<T, std::string>) {
        return widened(v);
    } else if constexpr (std::is_same_v<T, decimal>) {
        return v.text();
    } else if constexpr (std::is_same_v<T, double>) {
        return crossing_number(v);
    } else if constexpr (std::is_enum_v<T>) {
        return static_cast<int>(v);
    } else if constexpr (crossing_list<T>::value) {
        return json_list(v, [](const auto& x) { return crossing(x); });
    } else if constexpr (requires { for_each_member(v, crossing_writer{std::declval<json&>()}); }) {
        json j;
        for_each_member(v, crossing_writer{j});
        return j;
    } else {
        return v;
    }
}

template <class T>
void crossed(const json& j, T& v)
{
    if constexpr (std::is_same_v<T, std::string>) {
        v = narrowed(j.get<std::string>());
    } else if constexpr (std::is_same_v<T, decimal>) {
        v = decimal(j.get<std::string>());
    } else if constexpr (std::is_same_v<T, double>) {
        v = number_crossed(j);
    } else if constexpr (std::is_enum_v<T>) {
        v = static_cast<T>(j.get<int>());
    } else if constexpr (crossing_list<T>::value) {
        v.clear();
        for (const auto& x : j) crossed(x, v.emplace_back());
    } else if constexpr (requires { for_each_member(v, crossing_reader{j}); }) {
        for_each_member(v, crossing_reader{j});
    } else {
        v = j.get<T>();
    }
}
template <class T>
T crossed_as(const json& j)
{
    T v{};
    crossed(j, v);
    return v;
}

} // namespace ivp

#endif
