// IVP_EXPORT_PROBLEM(name): makes a plug-in of a problem's text (ivp/problem_of.hpp), with exact Jacobians from the same formula.
//
//   #include <ivp/export_problem.hpp>
//   template <class R> struct mine { ... };
//   IVP_EXPORT_PROBLEM(mine)
//
// Build a shared library and link it with ivp::ivp_problem (libivp_problem.a); every command of the tool then takes its path. A text may also have
//   static const char* chapter();                                     its description in Markdown
//   static ivp::reference_solution reference();                       the solution at the end with the default parameters
// The contract of plug-ins has double precision only, so the tool does not evaluate such a problem in quad.
#ifndef IVP_EXPORT_PROBLEM_HPP
#define IVP_EXPORT_PROBLEM_HPP

#include <ivp/plugin.h>
#include <ivp/problem_of.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ivp::detail {

template <class P>
concept has_chapter = requires
{
    std::string_view(P::chapter());
};
template <class P>
concept has_reference = requires
{
    reference_solution(P::reference());
};

/// One instance of a text behind the contract of plug-ins: its parameter values are fixed. What the description points to is kept here.
template <class P>
class exported_problem {
public:
    explicit exported_problem(const parameter_values& values)
        : info_(P::describe(values)),
          equations_(P(values), info_.n, info_.jacobian_structure),
          tags_(with_commas(info_.tags)),
          breakpoints_(numbers(info_.breakpoints)),
          discontinuities_(numbers(info_.discontinuities)),
          excluded_(info_.accuracy.excluded)
    {
        for (int& component : excluded_) --component; // the contract counts from 0
        for (const auto& name : info_.component_names) names_.push_back(name.c_str());
        if constexpr (has_reference<P>) {
            const reference_solution r = P::reference();
            reference_ = numbers(r.value);
            digits_ = r.digits;
            source_ = r.source;
        }
    }

    void describe(ivp_problem_description& out) const
    {
        out.version = IVP_PLUGIN_VERSION;
        out.size = sizeof out;
        out.id = info_.id.c_str();
        out.title = info_.title.c_str();
        out.contributor = info_.contributor.c_str();
        out.quantity_of_interest = info_.quantity_of_interest.c_str();
        out.tags = tags_.c_str();
        if constexpr (has_chapter<P>) out.chapter = P::chapter();
        out.component_names = names_.empty() ? nullptr : names_.data();
        out.form = info_.form == form::ode ? IVP_ODE : info_.form == form::dae ? IVP_DAE : IVP_IDE;
        out.n = info_.n;
        out.t0 = info_.t0.value();
        out.tend = info_.tend.value();
        out.highest_index = info_.highest_index;
        out.inconsistent = info_.consistent_start ? 0 : 1;
        out.index = info_.index.empty() ? nullptr : info_.index.data();
        describe_matrices(out);
        out.breakpoint_count = size_of(breakpoints_);
        out.breakpoints = breakpoints_.data();
        out.discontinuity_count = size_of(discontinuities_);
        out.discontinuities = discontinuities_.data();
        out.excluded_count = size_of(excluded_);
        out.excluded = excluded_.data();
        out.accuracy = !info_.accuracy.scd_defined   ? IVP_ACCURACY_MIXED_ONLY
                       : info_.accuracy.absolute_scd ? IVP_ACCURACY_ABSOLUTE
                                                     : IVP_ACCURACY_RELATIVE;
        out.reference = reference_.empty() ? nullptr : reference_.data();
        out.reference_digits = digits_.empty() ? nullptr : digits_.data();
        out.reference_source = source_.empty() ? nullptr : source_.c_str();
        out.atol_per_rtol = info_.protocol.atol_per_rtol;
        out.h0_per_rtol = info_.protocol.h0_per_rtol;
    }

    int initial(double* y, double* yp) const
    {
        std::ranges::copy(equations_.initial_values(), y);
        const std::vector<double> derivatives = equations_.initial_derivatives();
        if (yp == nullptr || derivatives.empty()) return 0;
        std::ranges::copy(derivatives, yp);
        return 1;
    }

    int f(double t, const double* y, double* out) const { return answer(equations_.f(t, y, out)); }
    int g(double t, const double* y, const double* yp, double* out) const { return answer(equations_.g(t, y, yp, out)); }

    void mass(double* out) const
    {
        const mass_matrix<double>& m = equations_.mass();
        if (m.kind() != mass_kind::sparse) {
            std::ranges::copy(m.values(), out);
            return;
        }
        std::fill(out, out + static_cast<std::ptrdiff_t>(info_.n) * info_.n, 0.0);
        m.for_each_entry([&](int i, int j, double value) { out[i + static_cast<std::ptrdiff_t>(j) * info_.n] = value; });
    }

    int jacobian(double t, const double* y, double* out) const
    {
        const working_memory work(*this);
        return answer(equations_.jacobian(t, y, work(), view(out)));
    }
    int partials(double t, const double* y, const double* yp, double a, double b, double* out) const
    {
        const working_memory work(*this);
        return answer(equations_.partials(t, y, yp, a, b, work(), view(out)));
    }
    int time_derivative(double t, const double* y, const double* yp, double* out) const
    {
        const working_memory work(*this);
        return answer(equations_.time_derivative(t, y, yp, work(), out));
    }

    int product(double t, const double* y, const double* v, double* out) const
    {
        const working_memory work(*this);
        return answer(equations_.products(t, y, std::array{v}, work(), std::array{out}));
    }

    void tolerances(double rtol, double atol, double* rtol_out, double* atol_out) const
    {
        const ivp::tolerances all = info_.protocol.expand(rtol, atol);
        for (int i = 0; i < info_.n; ++i) {
            rtol_out[i] = all.relative(i);
            atol_out[i] = all.absolute(i);
        }
    }

private:
    /// Memory for one evaluation of a matrix; several threads may ask at a time.
    class working_memory {
    public:
        explicit working_memory(const exported_problem& p) : problem_(p)
        {
            const std::scoped_lock lock(p.guard_);
            if (!p.spare_.empty()) {
                memory_ = std::move(p.spare_.back());
                p.spare_.pop_back();
            }
            if (!memory_) memory_ = p.equations_.make_scratch();
        }
        working_memory(const working_memory&) = delete;
        working_memory& operator=(const working_memory&) = delete;
        ~working_memory()
        {
            const std::scoped_lock lock(problem_.guard_);
            problem_.spare_.push_back(std::move(memory_));
        }
        scratch& operator()() const { return *memory_; }

    private:
        const exported_problem& problem_;
        std::unique_ptr<scratch> memory_;
    };

    static int answer(evaluation e) { return e == evaluation::ok ? IVP_OK : e == evaluation::refused ? IVP_REFUSED : IVP_NONFINITE; }
    template <class T>
    static int32_t size_of(const std::vector<T>& v)
    {
        return static_cast<int32_t>(v.size());
    }
    static std::vector<double> numbers(const std::vector<decimal>& from)
    {
        std::vector<double> out;
        for (const auto& d : from) out.push_back(d.value());
        return out;
    }
    static std::string with_commas(const std::vector<std::string>& words)
    {
        std::string out;
        for (const auto& w : words) out += (out.empty() ? "" : ", ") + w;
        return out;
    }

    void describe_matrices(ivp_problem_description& out) const
    {
        const structure& s = info_.jacobian_structure;
        out.jacobian_kind = s.kind == structure_kind::full ? IVP_FULL : s.kind == structure_kind::band ? IVP_BAND : IVP_SPARSE;
        out.jacobian_lower = s.lower;
        out.jacobian_upper = s.upper;
        if (s.pattern) {
            out.jacobian_column_start = s.pattern->column_start.data();
            out.jacobian_row = s.pattern->row.data();
        }
        const mass_matrix<double>& m = equations_.mass();
        switch (m.kind()) {
        case mass_kind::identity: out.mass_kind = IVP_MASS_IDENTITY; break;
        case mass_kind::diagonal: out.mass_kind = IVP_MASS_DIAGONAL; break;
        case mass_kind::band:
            out.mass_kind = IVP_MASS_BAND;
            out.mass_lower = m.lower();
            out.mass_upper = m.upper();
            break;
        case mass_kind::full:
        case mass_kind::sparse: out.mass_kind = IVP_MASS_FULL; break; // the contract has no sparse M
        }
    }

    [[nodiscard]] matrix_view<double> view(double* out) const
    {
        const structure& s = info_.jacobian_structure;
        switch (s.kind) {
        case structure_kind::full: return {structure_kind::full, info_.n, 0, 0, info_.n, nullptr, out};
        case structure_kind::band: return {structure_kind::band, info_.n, s.lower, s.upper, s.lower + s.upper + 1, nullptr, out};
        case structure_kind::sparse: break;
        }
        return {structure_kind::sparse, info_.n, 0, 0, 0, s.pattern.get(), out};
    }

    problem_info info_;
    equations_of<P, double> equations_;
    std::string tags_;
    std::vector<double> breakpoints_;
    std::vector<double> discontinuities_;
    std::vector<int> excluded_;
    std::vector<const char*> names_;
    std::vector<double> reference_;
    std::vector<double> digits_;
    std::string source_;
    mutable std::mutex guard_;
    mutable std::vector<std::unique_ptr<scratch>> spare_;
};

/// The table of functions of a text. No exception leaves it.
template <class P>
class exporter {
    using instance = exported_problem<P>;

public:
    static void open(ivp_problem* out)
    {
        static const std::vector<parameter> known = P::parameters();
        static const std::vector<ivp_named_value> named = named_values(known);
        out->version = IVP_PLUGIN_VERSION; // the host has set all else to zero
        out->size = sizeof *out;
        out->parameter_count = static_cast<int32_t>(named.size());
        out->parameters = named.data();
        out->create = create;
        out->destroy = [](void* self) { delete static_cast<instance*>(self); };
        out->describe = [](const void* self, ivp_problem_description* d) { of(self).describe(*d); };
        out->initial = [](const void* self, double* y, double* yp) { return of(self).initial(y, yp); };
        if constexpr (has_f<P, double>) {
            out->f = [](const void* self, double t, const double* y, double* f) { return of(self).f(t, y, f); };
            out->jacobian = [](const void* self, double t, const double* y, double* j) { return of(self).jacobian(t, y, j); };
            out->product = [](const void* self, double t, const double* y, const double* v, double* p) { return of(self).product(t, y, v, p); };
        } else {
            out->g = [](const void* self, double t, const double* y, const double* yp, double* g) { return of(self).g(t, y, yp, g); };
            out->partials = [](const void* self, double t, const double* y, const double* yp, double a, double b, double* j) {
                return of(self).partials(t, y, yp, a, b, j);
            };
        }
        if constexpr (has_mass<P>) out->mass = [](const void* self, double* m) { of(self).mass(m); };
        out->time_derivative = [](const void* self, double t, const double* y, const double* yp, double* d) {
            return of(self).time_derivative(t, y, yp, d);
        };
        if (P::describe(parameter_values(known, {})).protocol.vector_rule)
            out->tolerances = [](const void* self, double rtol, double atol, double* rtol_out, double* atol_out) {
                of(self).tolerances(rtol, atol, rtol_out, atol_out);
            };
    }

private:
    static const instance& of(const void* self) { return *static_cast<const instance*>(self); }

    static std::vector<ivp_named_value> named_values(const std::vector<parameter>& known)
    {
        std::vector<ivp_named_value> out;
        for (const auto& p : known)
            out.push_back({IVP_VERSIONED(ivp_named_value), p.name.c_str(), p.value.value(), p.min.value(), p.max.value(), p.whole ? 1 : 0, 0,
                           p.meaning.c_str()});
        return out;
    }

    static int create(const double* numbers, void** self, char* message)
    {
        try {
            const std::vector<parameter> known = P::parameters();
            std::map<std::string, std::string> given;
            for (std::size_t i = 0; i < known.size(); ++i)
                if (numbers[i] != known[i].value.value()) given[known[i].name] = decimal(numbers[i]).text(); // a default keeps all its digits
            *self = new instance(parameter_values(known, given));
            return IVP_OK;
        } catch (const std::exception& e) {
            std::snprintf(message, IVP_MESSAGE_SIZE, "%s", e.what());
            return IVP_REFUSED;
        }
    }
};

} // namespace ivp::detail

/// Use it in a separate source file, outside all namespaces, after the class template `name`.
#define IVP_EXPORT_PROBLEM(name) \
    extern "C" IVP_EXPORT void ivp_problem_open(ivp_problem* out) { ivp::detail::exporter<name<double>>::open(out); }

#endif
