#include "export_fortran/exported.hpp"

#include "catalog/original_names.hpp"
#include "drivers/plugin/native_matrix.hpp"
#include "export_fortran/request.hpp"
#include "model/views.hpp"
#include "run/initial_derivative.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

namespace ivp {

namespace problems {
#define IVP_PROBLEM(id) problem make_##id(const std::map<std::string, std::string>& given);
#define IVP_DETEST(set, group, number)
#define IVP_SIZED(id)
#include "catalog/problems.def"
#undef IVP_SIZED
#undef IVP_DETEST
#undef IVP_PROBLEM
} // namespace problems

namespace export_fortran {

namespace {

// Written to by 'ivp export', in the file: the compiler must not know what it holds.
__attribute__((used)) volatile char place_of_request[request_size] = "ivp export request:";

std::string written_request()
{
    std::string text;
    for (std::size_t k = request_mark.size(); k < request_size && place_of_request[k] != 0; ++k) text += place_of_request[k];
    return text;
}

problem made(const request& r)
{
    struct entry {
        std::string_view id;
        problem (*make)(const std::map<std::string, std::string>& given);
    };
    // The test set alone: DETEST has libraries of its own, and the catalog brings all solvers with it.
    constexpr std::array all{
#define IVP_PROBLEM(id) entry{#id, problems::make_##id},
#define IVP_DETEST(set, group, number)
#define IVP_SIZED(id)
#include "catalog/problems.def"
#undef IVP_SIZED
#undef IVP_DETEST
#undef IVP_PROBLEM
    };
    const auto* const it = std::ranges::find(all, r.id, &entry::id);
    if (it == all.end()) throw std::invalid_argument("there is no problem '" + r.id + "'");
    return in_form(it->make(r.parameters), r.wanted_form);
}

[[noreturn]] void give_up(const char* why)
{
    (void)std::fprintf(stderr, "ivp: %s\n", why);
    std::exit(3);
}

/// Runs what may throw.
template <class Work>
auto guarded(Work&& work) -> decltype(work())
{
    try {
        return work();
    } catch (const std::exception& e) {
        give_up(e.what());
    }
}

} // namespace

const exported& exported::self()
{
    static const exported one = guarded([] {
        const request r = request_from(written_request());
        return exported(made(r), r.jacobian);
    });
    return one;
}

exported::exported(problem p, jacobian_source jacobian)
    : problem_(std::move(p)),
      by_differences_(jacobian == jacobian_source::differences ||
                      (jacobian == jacobian_source::original && info().protocol.published_jacobian == jacobian_source::differences)),
      published_(jacobian == jacobian_source::original && problem_.in<double>().has_published_jacobian()),
      full_name_(original_full_name(info())),
      short_name_(original_short_name(info().id)),
      y0_(problem_.in<double>().initial_values()),
      yp0_(problem_.in<double>().initial_derivatives()),
      scratch_(problem_.in<double>().make_scratch()),
      residual_(static_cast<std::size_t>(problem_.n()))
{
    if (!yp0_.empty()) return;
    try {
        yp0_ = initial_derivative(problem_);
    } catch (const bad_request&) {
        yp0_.assign(y0_.size(), 0.0); // nobody knows it; the start is consistent in y, and solvers find y'
    }
}

band exported::jacobian_band() const
{
    const structure& s = info().jacobian_structure;
    return s.kind == structure_kind::band ? band{s.lower, s.upper} : band{n(), n()};
}

band exported::mass_band() const
{
    if (info().form == form::ide) return jacobian_band();
    const auto& m = problem_.in<double>().mass();
    return m.kind() == mass_kind::full || m.kind() == mass_kind::sparse ? band{n(), n()} : band{m.lower(), m.upper()};
}

integer exported::count_of_index(int k) const
{
    integer count = 0;
    for (int i = 0; i < n(); ++i) count += info().index_of(i) == k ? 1 : 0;
    return count;
}

void exported::initial(double* y, double* yp) const
{
    std::ranges::copy(y0_, y);
    if (yp != nullptr) std::ranges::copy(yp0_, yp);
}

bool exported::evaluate(double t, const double* y, const double* yp, double* out) const
{
    return guarded([&] {
        const auto& e = problem_.in<double>();
        if (info().form != form::ide) return e.f(t, y, out) == evaluation::ok;
        const evaluation answer = e.g(t, y, yp, residual_.data()); // drivers give one array for y' and G
        std::ranges::copy(residual_, out);
        return answer == evaluation::ok;
    });
}

matrix_view<double> exported::view(double* out, int ld) const
{
    const structure& s = info().jacobian_structure;
    if (s.kind == structure_kind::band) return {structure_kind::band, n(), s.lower, s.upper, ld, nullptr, out};
    return {structure_kind::full, n(), 0, 0, ld, nullptr, out};
}

bool exported::jacobian(double t, const double* y, const double* yp, double* out, int ld) const
{
    if (info().form == form::ide) return partials(t, y, yp, 1, 0, out, ld);
    return guarded([&] {
        const auto& e = problem_.in<double>();
        return plugin::fill_columns(view(out, ld), room_, [&](const matrix_view<double>& v) {
                   return published_ ? e.published_jacobian(t, y, *scratch_, v) : e.jacobian(t, y, *scratch_, v);
               }) == evaluation::ok;
    });
}

bool exported::partials(double t, const double* y, const double* yp, double a, double b, double* out, int ld) const
{
    return guarded([&] {
        return plugin::fill_columns(view(out, ld), room_, [&](const matrix_view<double>& v) {
                   return problem_.in<double>().partials(t, y, yp, a, b, *scratch_, v);
               }) == evaluation::ok;
    });
}

bool exported::mass(double t, const double* y, const double* yp, double* out, int ld) const
{
    if (info().form == form::ide) return partials(t, y, yp, 0, 1, out, ld);
    const band b = mass_band();
    const bool full = b.lower >= n();
    const auto& m = problem_.in<double>().mass();
    const int rows = full ? n() : b.lower + b.upper + 1;
    for (int j = 0; j < n(); ++j) {
        double* const column = out + static_cast<std::ptrdiff_t>(j) * ld;
        std::fill_n(column, rows, 0.0);
        for (int i = full ? 0 : std::max(0, j - b.upper); i <= (full ? n() - 1 : std::min(n() - 1, j + b.lower)); ++i)
            column[full ? i : b.upper + i - j] = m.at(i, j);
    }
    return true;
}

void exported::reference(double* y) const
{
    const auto& r = problem_.reference();
    for (int i = 0; i < n(); ++i) y[i] = r ? r->value[static_cast<std::size_t>(i)].value() : 0.0;
}

void exported::tolerances(double rtol, double atol, double* rtol_out, double* atol_out) const
{
    guarded([&] {
        const ivp::tolerances t = info().protocol.expand(rtol, atol);
        for (int i = 0; i < n(); ++i) {
            rtol_out[i] = t.rtol[t.rtol.size() == 1 ? 0 : static_cast<std::size_t>(i)];
            atol_out[i] = t.atol[t.atol.size() == 1 ? 0 : static_cast<std::size_t>(i)];
        }
        return true;
    });
}

void put(const std::string& text, char* to, std::size_t length)
{
    std::fill(std::copy_n(text.data(), std::min(text.size(), length), to), to + length, ' ');
}

} // namespace export_fortran

} // namespace ivp
