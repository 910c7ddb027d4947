// problem_of: from a problem's text (one class template over the precision) to the type-erased problem.
//
// A problem's text P<R> has
//   static std::vector<parameter> parameters();                       named parameters with defaults and ranges
//   static problem_info describe(const parameter_values&);            everything that is not a formula
//   explicit P(const parameter_values&);                              constants, each the nearest R to its decimal text
//   void initial(R* y) const;                                         and, if known: void initial_derivative(R* yp) const;
//   template <class T> evaluation f(const T& t, const T* y, T* out) const;        ode, dae (void: never refuses)
//   template <class T> evaluation g(const T& t, const T* y, const T* yp, T* out) const;   ide
//   mass_matrix<R> mass() const;                                      dae only
//   int pieces() const;                                                optional: f in this many pieces that can be evaluated at the same time, by
//   template <class T> void f_pieces(const T& t, const T* y, T* out, int first, int last) const;       those from first on, before last
//   static constexpr int blocks_of_pieces;                             equal parts of out, each with all pieces in their order
//   void jacobian(const R& t, const R* y, const matrix_view<R>& out) const;            optional: the exact df/dy written by hand, if that is
//                                                                     much faster; out is full or has the band of the problem: entries()
//   void published_jacobian(const R& t, const R* y, const matrix_view<R>& out) const;  optional: the approximate one of the published runs
//                                                                     both: out is zero on entry, set() only stored entries
// From this one text come the double, quad, dual (exact Jacobian), tracer (sparsity) and recorder (tape) evaluations.
#ifndef IVP_PROBLEM_OF_HPP
#define IVP_PROBLEM_OF_HPP

#include <ivp/problem.hpp>
#include <ivp/recorder.hpp>
#include <ivp/scalar.hpp>
#include <ivp/work_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ivp {

namespace detail {

constexpr int dual_width = 4;

/// Which columns are differentiated together, and where each entry of the result goes. Columns of one colour share no row, so one derivative
/// direction serves them all; dual_width colours are one pass, which goes through in one evaluation.
struct compression {
    struct seed {
        int column;
        int lane; ///< direction of its colour in the pass
    };
    struct entry {
        int row;
        int lane;
        int column;
        int position; ///< in the pattern, if there is one
    };
    int passes = 0;
    std::vector<int> seed_start; ///< passes + 1 entries
    std::vector<seed> seeds;
    std::vector<int> entry_start; ///< passes + 1 entries
    std::vector<entry> entries;   ///< none for a band: its columns suffice
    std::shared_ptr<const sparsity> pattern{};
    std::optional<structure> band{};
};
std::shared_ptr<const compression> compress(const structure& s, int n);

template <class R>
struct dual_scratch : scratch {
    dual_scratch(int n, std::shared_ptr<const compression> c) : compressed(std::move(c)), y(n, memory), yp(n, memory), out(n, memory) {}
    std::shared_ptr<const compression> compressed;
    work_memory memory;
    work_vector<dual<R, dual_width>> y;
    work_vector<dual<R, dual_width>> yp;
    work_vector<dual<R, dual_width>> out;
};

// A formula that never refuses may return nothing.
template <class Call>
evaluation status_of(Call&& call)
{
    if constexpr (std::is_void_v<decltype(call())>) {
        call();
        return evaluation::ok;
    } else {
        return call();
    }
}

template <class P, class T>
concept has_f = requires(const P& p, const T& t, const T* y, T* out)
{
    p.f(t, y, out);
};
template <class P, class T>
concept has_g = requires(const P& p, const T& t, const T* y, T* out)
{
    p.g(t, y, y, out);
};
template <class P, class T>
concept has_pieces = requires(const P& p, const T& t, const T* y, T* out)
{
    p.f_pieces(t, y, out, 0, p.pieces());
    P::blocks_of_pieces;
};
template <class P>
concept has_mass = requires(const P& p)
{
    p.mass();
};
template <class P, class R>
concept has_jacobian = requires(const P& p, const R& t, const R* y, const matrix_view<R>& out)
{
    p.jacobian(t, y, out);
};
template <class P, class R>
concept has_published_jacobian = requires(const P& p, const R& t, const R* y, const matrix_view<R>& out)
{
    p.published_jacobian(t, y, out);
};
template <class P, class R>
concept has_initial_derivative = requires(const P& p, R* yp)
{
    p.initial_derivative(yp);
};

template <class P, class R>
class equations_of final : public equations<R>, public recording_in<R, equations_of<P, R>> {
    using active = dual<R, dual_width>;
    using direction = simd::pack<R, dual_width>;

public:
    equations_of(P text, int n, const structure& s) : p_(std::move(text)), n_(n), claimed_(s), compressed_(compress(s, n)), mass_(make_mass(p_, n)) {}

    [[nodiscard]] std::vector<R> initial_values() const override
    {
        std::vector<R> y(n_);
        p_.initial(y.data());
        return y;
    }
    [[nodiscard]] std::vector<R> initial_derivatives() const override
    {
        if constexpr (has_initial_derivative<P, R>) {
            std::vector<R> yp(n_);
            p_.initial_derivative(yp.data());
            return yp;
        } else {
            return {};
        }
    }
    [[nodiscard]] const mass_matrix<R>& mass() const override { return mass_; }

    evaluation f(const R& t, const R* y, R* out) const override { return static_cast<evaluation>(evaluate_f(this, t, y, out)); }
    [[nodiscard]] plain_function<R> plain_f() const override { return {evaluate_f, this}; }
    [[nodiscard]] function_pieces<R> pieces_of_f() const override
    {
        if constexpr (has_pieces<P, R>) return {p_.pieces(), P::blocks_of_pieces, evaluate_pieces, this};
        return {};
    }
    evaluation g(const R& t, const R* y, const R* yp, R* out) const override { return call_g(t, y, yp, out); }

    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override { return std::make_unique<dual_scratch<R>>(n_, compressed_); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch_for(const structure& known) const override
    {
        if (known.kind == structure_kind::full) return make_scratch();
        return std::make_unique<dual_scratch<R>>(n_, compress(known, n_));
    }

    evaluation jacobian(const R& t, const R* y, scratch& work, const matrix_view<R>& out) const override
    {
        if constexpr (has_jacobian<P, R>)
            if (has_room_for_all(out)) {
                std::fill(out.data, out.data + out.size(), R(0));
                return status_of([&] { return p_.jacobian(t, y, out); });
            }
        auto& s = static_cast<dual_scratch<R>&>(work);
        if (few_equations(s) && out.kind == structure_kind::full) return small_jacobian(t, y, s, out);
        std::copy(y, y + n_, s.y.begin());
        return differentiate(
            out, [&](int j, const direction& d) { s.y[j].d = d; }, [&] { return call_f(active(t), s.y.data(), s.out.data()); }, s);
    }

    [[nodiscard]] bool has_published_jacobian() const override { return detail::has_published_jacobian<P, R>; }
    evaluation published_jacobian(const R& t, const R* y, scratch& work, const matrix_view<R>& out) const override
    {
        if constexpr (detail::has_published_jacobian<P, R>) {
            std::fill(out.data, out.data + out.size(), R(0));
            return status_of([&] { return p_.published_jacobian(t, y, out); });
        } else {
            return jacobian(t, y, work, out);
        }
    }

    evaluation partials(const R& t, const R* y, const R* yp, const R& a, const R& b, scratch& work, const matrix_view<R>& out) const override
    {
        auto& s = static_cast<dual_scratch<R>&>(work);
        std::copy(y, y + n_, s.y.begin());
        std::copy(yp, yp + n_, s.yp.begin());
        return differentiate(
            out,
            [&](int j, const direction& d) {
                s.y[j].d = d * a;
                s.yp[j].d = d * b;
            },
            [&] { return call_g(active(t), s.y.data(), s.yp.data(), s.out.data()); }, s);
    }

    evaluation time_derivative(const R& t, const R* y, const R* yp, scratch& work, R* out) const override
    {
        auto& s = static_cast<dual_scratch<R>&>(work);
        active time(t);
        time.d = direction::unit(0);
        std::copy(y, y + n_, s.y.begin());
        if (yp != nullptr) std::copy(yp, yp + n_, s.yp.begin());
        const evaluation e = yp == nullptr ? call_f(time, s.y.data(), s.out.data()) : call_g(time, s.y.data(), s.yp.data(), s.out.data());
        for (int i = 0; i < n_; ++i) out[i] = s.out[i].d[0];
        return e;
    }

    [[nodiscard]] bool has_products() const override { return has_f<P, R>; }
    evaluation products(const R& t, const R* y, std::span<const R* const> v, scratch& work, std::span<R* const> out) const override
    {
        static_assert(equations<R>::most_products == dual_width);
        auto& s = static_cast<dual_scratch<R>&>(work);
        for (int i = 0; i < n_; ++i) {
            s.y[i] = active(y[i], direction::each([&](std::size_t k) { return k < v.size() ? v[k][i] : R(0); }));
        }
        const evaluation e = call_f(active(t), s.y.data(), s.out.data());
        for (std::size_t k = 0; k < v.size(); ++k)
            for (int i = 0; i < n_; ++i) out[k][i] = s.out[i].d[static_cast<int>(k)];
        return e;
    }

    // The dependences are those of the formula, whatever it is evaluated in: the equations in double follow them, for all precisions.
    [[nodiscard]] IVP_SELDOM dependencies trace(const R& t, const R* y, const R* yp) const override
    {
        dependencies columns;
        if constexpr (std::is_same_v<R, double>) {
            columns.resize(n_);
            add_traced(t, y, yp, columns);
        }
        return columns;
    }
    [[nodiscard]] IVP_SELDOM std::optional<dependencies> trace_all(const R& t, const R* y, const R* yp) const override
    {
        if constexpr (std::is_same_v<R, double>) {
            const int most_runs = std::max(64, 20000 / n_); // a formula that branches for each of many elements would need 2^elements
            dependencies columns(n_);
            branch_explorer paths(most_runs);
            do add_traced(t, y, yp, columns);
            while (paths.next());
            if (paths.complete()) return columns;
        }
        return std::nullopt;
    }

    IVP_SELDOM evaluation write_tape(const quad& t, const quad* y, const quad* yp, const std::vector<bool>& sides, tape& to) const
    {
        const tape_recording recording_to(to, sides);
        recorded_arguments a(t, y, yp, n_);
        const evaluation e = yp == nullptr ? call_f(a.t, a.in.data(), a.out.data()) : call_g(a.t, a.in.data(), a.in_derivative.data(), a.out.data());
        a.finish(to);
        return e;
    }

private:
    static mass_matrix<R> make_mass(const P& p, int n)
    {
        if constexpr (has_mass<P>) return p.mass();
        return mass_matrix<R>::identity(n);
    }

    IVP_SELDOM void add_traced(const R& t, const R* y, const R* yp, dependencies& columns) const
    {
        std::vector<tracer> in(n_);
        std::vector<tracer> in_derivative(n_);
        for (int i = 0; i < n_; ++i) {
            in[i] = tracer::input(static_cast<double>(y[i]), i);
            in_derivative[i] = tracer::input(yp == nullptr ? 0.0 : static_cast<double>(yp[i]), i);
        }
        std::vector<tracer> out(n_);
        const tracer time = tracer::time(static_cast<double>(t));
        // A refusal stops the formula half way; what it computed until then is still a true dependence.
        if constexpr (has_f<P, tracer>)
            (void)call_f(time, in.data(), out.data());
        else
            (void)call_g(time, in.data(), in_derivative.data(), out.data());
        for (int i = 0; i < n_; ++i) columns[i] = tracer::join(columns[i], out[i].variables());
    }

    // The one place where the formula is compiled for R.
    [[gnu::noinline]] static int evaluate_f(const void* self, R t, const R* y, R* out)
    {
        return static_cast<int>(static_cast<const equations_of*>(self)->call_f(t, y, out));
    }

    static int evaluate_pieces(const void* self, R t, const R* y, R* out, int first, int last)
    {
        if constexpr (has_pieces<P, R>)
            return static_cast<int>(status_of([&] { return static_cast<const equations_of*>(self)->p_.f_pieces(t, y, out, first, last); }));
        return 0;
    }

    template <class T>
    evaluation call_f(const T& t, const T* y, T* out) const
    {
        if constexpr (has_f<P, T>) return status_of([&] { return p_.f(t, y, out); });
        throw std::logic_error("f asked of a problem in the form G(t, y, y') = 0");
    }
    template <class T>
    evaluation call_g(const T& t, const T* y, const T* yp, T* out) const
    {
        if constexpr (has_g<P, T>) return status_of([&] { return p_.g(t, y, yp, out); });
        throw std::logic_error("G asked of a problem in the form M y' = f(t, y)");
    }

    /// The arguments of the formula have no derivatives when this begins.
    template <class Seed, class Evaluate>
    evaluation differentiate(const matrix_view<R>& out, Seed seed, Evaluate evaluate, dual_scratch<R>& s) const
    {
        const compression& c = *s.compressed;
        clear(out, c);
        std::span<const compression::seed> seeds;
        for (int pass = 0; pass < c.passes; ++pass) {
            for (const auto& x : seeds) seed(x.column, direction{}); // of the pass before
            seeds = std::span(c.seeds).subspan(c.seed_start[pass], c.seed_start[pass + 1] - c.seed_start[pass]);
            for (const auto& x : seeds) seed(x.column, direction::unit(x.lane));
            if (const evaluation e = evaluate(); e != evaluation::ok) return e;
            if (c.band)
                scatter_columns(seeds, s, out);
            else
                scatter(std::span(c.entries).subspan(c.entry_start[pass], c.entry_start[pass + 1] - c.entry_start[pass]), s, out);
        }
        return evaluation::ok;
    }

    /// Zeros where no entry will be written.
    void clear(const matrix_view<R>& out, const compression& c) const
    {
        if (out.kind == structure_kind::sparse && out.pattern == c.pattern.get()) return;
        if (out.kind != structure_kind::band || !c.band || c.band->lower != out.lower || c.band->upper != out.upper) {
            std::fill(out.data, out.data + out.size(), R(0));
            return;
        }
        // The first and the last columns reach beyond the matrix.
        std::fill_n(out.data, static_cast<std::ptrdiff_t>(std::min(n_, out.upper)) * out.ld, R(0));
        const int last = std::max(0, n_ - out.lower);
        std::fill(out.data + static_cast<std::ptrdiff_t>(last) * out.ld, out.data + out.size(), R(0));
    }

    /// Of a band: everything its columns have.
    void scatter_columns(std::span<const compression::seed> columns, const dual_scratch<R>& s, const matrix_view<R>& out) const
    {
        const structure& band = *s.compressed->band;
        const bool stored =
            out.kind == structure_kind::full || (out.kind == structure_kind::band && band.lower <= out.lower && band.upper <= out.upper);
        for (const auto& x : columns) {
            const int first = std::max(0, x.column - band.upper);
            const int last = std::min(n_ - 1, x.column + band.lower);
            if (stored) {
                R* const column = out.data + out.position(x.column, x.column) - x.column;
                for (int i = first; i <= last; ++i) column[i] = s.out[i].d[x.lane];
                continue;
            }
            for (int i = first; i <= last; ++i)
                if (const auto p = out.position(i, x.column); p >= 0) out.data[p] = s.out[i].d[x.lane];
        }
    }

    void scatter(std::span<const compression::entry> entries, const dual_scratch<R>& s, const matrix_view<R>& out) const
    {
        if (out.kind == structure_kind::full) { // the common cases without a lookup per entry
            for (const auto& x : entries) out.data[x.row + static_cast<std::ptrdiff_t>(x.column) * out.ld] = s.out[x.row].d[x.lane];
        } else if (out.kind == structure_kind::sparse && out.pattern == s.compressed->pattern.get()) {
            for (const auto& x : entries) out.data[x.position] = s.out[x.row].d[x.lane];
        } else {
            for (const auto& x : entries)
                if (const auto p = out.position(x.row, x.column); p >= 0) out.data[p] = s.out[x.row].d[x.lane];
        }
    }

    /// So few that colours and lists of entries take longer than the formula and save no evaluation.
    [[nodiscard]] bool few_equations(const dual_scratch<R>& s) const { return n_ <= 2 * dual_width && s.compressed->passes * dual_width >= n_; }

    /// A direction for every column.
    evaluation small_jacobian(const R& t, const R* y, dual_scratch<R>& s, const matrix_view<R>& out) const
    {
        for (int first = 0; first < n_; first += dual_width) {
            const int end = std::min(first + dual_width, n_);
            for (int j = 0; j < n_; ++j) s.y[j] = active(y[j], first <= j && j < end ? direction::unit(j - first) : direction{});
            if (const evaluation e = call_f(active(t), s.y.data(), s.out.data()); e != evaluation::ok) return e;
            for (int j = first; j < end; ++j)
                for (int i = 0; i < n_; ++i) out.data[i + static_cast<std::ptrdiff_t>(j) * out.ld] = std::as_const(s.out[i].d)[j - first];
        }
        return evaluation::ok;
    }

    /// What the text's own Jacobian may be asked to fill.
    [[nodiscard]] bool has_room_for_all(const matrix_view<R>& out) const
    {
        if (out.kind != structure_kind::band) return out.kind == structure_kind::full;
        return claimed_.kind == structure_kind::band && out.lower >= claimed_.lower && out.upper >= claimed_.upper;
    }

    P p_;
    int n_;
    structure claimed_;
    std::shared_ptr<const compression> compressed_;
    mass_matrix<R> mass_;
};

/// A function of its own, so that another source can compile it (extern template): it takes as long as all the rest.
template <template <class> class P>
std::shared_ptr<const equations<quad>> in_quad(const parameter_values& values, const problem_info& info)
{
    return std::make_shared<equations_of<P<quad>, quad>>(P<quad>(values), info.n, info.jacobian_structure);
}

} // namespace detail

template <template <class> class P>
IVP_SELDOM problem problem_of(const std::map<std::string, std::string>& given = {})
{
    const auto known = P<double>::parameters();
    parameter_values values(known, given);
    problem_info info = P<double>::describe(values);
    auto in_double = std::make_shared<detail::equations_of<P<double>, double>>(P<double>(values), info.n, info.jacobian_structure);
    auto in_quad = detail::in_quad<P>(values, info);
    return {std::move(info), std::move(values), std::move(in_double), std::move(in_quad)};
}

} // namespace ivp

#endif
