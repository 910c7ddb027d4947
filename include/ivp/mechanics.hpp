// Constrained mechanical systems: from masses, forces and constraints to consistent initial value problems.
//
//   M(q) q'' = f(t, q, q') + s G(t, q)^T lambda,   0 = phi(t, q),   G = d phi/d q,   s = 1 or -1
//
// A system's text S<R>, a class template over the precision, has
//   static std::vector<parameter> parameters();                      named parameters with defaults and ranges
//   static mechanics_info describe(const parameter_values&);         everything that is not a formula
//   explicit S(const parameter_values&);                             constants, each the nearest R to its decimal text
//   void start(R* q, R* v) const;                                    positions and velocities, approximate: they are made consistent
//   void mass(square<R> M) const;                                    M if it is constant, else
//   template <class T> void mass(const T* q, square<T> M) const;     M(i, j) is zero on entry
//   template <class T> void forces(const T& t, const T* q, const T* v, T* f) const;
//   template <class T> void constraints(const T& t, const T* q, T* phi) const;
//   template <class T> T potential(const T* q) const;                optional: of the forces, if energy is conserved; runs then measure its drift
// forces and constraints may return an evaluation (refused: outside the domain of the formula). Every derivative comes from these texts by
// dual numbers: G, phi_t, the second derivatives of phi, the Jacobians of every formulation.
#ifndef IVP_MECHANICS_HPP
#define IVP_MECHANICS_HPP

#include <ivp/problem_of.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ivp {

namespace simd {

/// Derivatives of a traced number. One that is zero whatever the variables are does not make what it is multiplied with a dependence, so that the
/// pattern of G^T lambda is that of G.
template <int N>
struct pack<tracer, N> {
    using numbers = detail::array<tracer, N>;

    numbers v{};

    static pack of(const numbers& v) { return {v}; }
    static pack unit(int i)
    {
        return {numbers::each([&](int k) { return k == i ? tracer(1.0) : tracer(); })};
    }
    static bool vanishes(const tracer& a) { return a.v == 0 && a.inputs.empty(); }
    const tracer& operator[](int i) const { return v[i]; }

    friend pack operator+(const pack& a, const pack& b) { return {a.v + b.v}; }
    friend pack operator-(const pack& a, const pack& b) { return {a.v - b.v}; }
    friend pack operator*(const pack& a, const tracer& s)
    {
        return {numbers::each([&](int i) { return vanishes(a[i]) ? a[i] : a[i] * s; })};
    }
    friend pack operator-(const pack& a) { return {-a.v}; }
};

} // namespace simd

// How the constraints enter the equations.

enum class formulation_kind {
    index3,    ///< 0 = phi
    index2,    ///< 0 = phi', the derivative along the motion
    ggl,       ///< Gear, Gupta, Leimkuhler: 0 = phi and 0 = phi', with q' = v + G^T mu; index 2
    index1,    ///< 0 = phi''
    baumgarte, ///< 0 = phi'' + 2 alpha phi' + beta^2 phi; index 1
};

/// "3", "2", "ggl", "1", "baumgarte"
std::string_view label(formulation_kind k);
std::optional<formulation_kind> formulation_from_label(std::string_view text);
/// In the order above.
std::span<const formulation_kind> all_formulations();
/// What formulation_from_label takes, in words.
constexpr const char* formulations_allowed = "3, 2, ggl, 1, baumgarte";

// A formulation is chosen by parameters, so that plans, records and stores need no separate field for it: `formulation` is 3, 2 or 1; `stabilised`
// is 1 for ggl (with 2) and baumgarte (with 1); `baumgarte_alpha` and `baumgarte_beta` are the factors of the terms.

/// Their descriptions. `stored`: the formulation of a problem without a choice; 0: that of its own text.
std::vector<parameter> formulation_parameters(int stored);
/// The parameters that choose this one.
std::map<std::string, std::string> parameters_of(formulation_kind k);
/// The formulation that the parameters of a run choose, if any. Throws bad_request if there is no such formulation (3, stabilised).
std::optional<formulation_kind> formulation_of(const std::map<std::string, std::string>& parameters);
/// "L = 2", …; a formulation as it is typed, "formulation ggl", instead of the two parameters that choose it.
std::vector<std::string> parameters_in_words(const std::map<std::string, std::string>& parameters);

/// The facts of a system that are not formulas.
struct mechanics_info {
    /// id, title, interval, tags, accuracy, protocol. The builder writes form, dimension, indexes, structure and names of the components.
    problem_info problem;
    std::vector<std::string> coordinates; ///< names; one for each q
    std::vector<std::string> constraints; ///< names; one for each phi
    int multiplier_sign = 1;              ///< s
};

/// A square matrix to be written, by columns.
template <class T>
class square {
public:
    square(T* data, int n) : data_(data), n_(n) {}
    T& operator()(int i, int j) const { return data_[i + static_cast<std::ptrdiff_t>(j) * n_]; }
    [[nodiscard]] int n() const { return n_; }

private:
    T* data_;
    int n_;
};

/// Quantities that are zero along the exact solution: residuals of the constraints, the change of the energy. A run measures their drift.
class invariants {
public:
    virtual ~invariants() = default;
    /// "position", "velocity", "acceleration", "energy"; a record has the largest value of a run as drift_position, … in `extra`.
    /// With a "velocity" it also has drift_velocity_times_step, the largest product with the step size. drift_position_growth, … is the
    /// p of t^p that the largest values in the tenths of the interval follow: 0 for a drift that stays as it is, 1 for one that grows linearly.
    [[nodiscard]] virtual std::vector<std::string> names() const = 0;
    /// One number for each name, not below 0; NaN if it cannot be evaluated.
    virtual void evaluate(double t, const double* y, double* out) const = 0;
};
constexpr const char* drift_prefix = "drift_";
constexpr const char* drift_growth_suffix = "_growth";
constexpr const char* drift_of_velocity = "velocity";
constexpr const char* drift_of_velocity_times_step = "velocity_times_step";
/// Those of a formulation; null: the problem has none. The problem keeps them.
const invariants* invariants_of(const problem& p);

// Consistent initial values.

/// How the builder computes q, v, w = q'' and lambda from the approximate start.
struct start_choice {
    /// Unknowns by name: a coordinate "x", its velocity "x'", its acceleration "x''", a multiplier "lambda1". The builder solves for these (and
    /// always for accelerations) and keeps everything else as it was given. Empty: it projects positions and velocities in the norm of the mass
    /// matrix.
    std::vector<std::string> solve_for{};
    std::map<std::string, decimal> given{}; ///< other values to begin with; multipliers are 0 unless given
};

struct moved_value {
    std::string name;
    double from;
    double to;
};

/// What was done to make a start consistent.
struct start_report {
    std::vector<moved_value> moved; ///< positions and velocities (and multipliers that were given) by more than rounding
    double position_residual = 0;   ///< largest |phi| of what was given
    double velocity_residual = 0;   ///< largest |phi'| of what was given
    double residual_left[3] = {};   ///< largest |phi|, |phi'|, |phi''| of the result, in double precision
    /// In sentences, one a line.
    [[nodiscard]] std::string text() const;
};

/// The place of each kind of unknown in y = (q, v, [w,] lambda [, mu]). w = v' is an unknown if M is not constant or has no inverse.
struct mechanics_layout {
    int coordinates = 0;
    int constraints = 0;
    formulation_kind kind = formulation_kind::index3;
    bool with_accelerations = false;
    int sign = 1;

    [[nodiscard]] int v() const { return coordinates; }
    [[nodiscard]] int w() const { return 2 * coordinates; } ///< only with_accelerations
    [[nodiscard]] int lambda() const { return (with_accelerations ? 3 : 2) * coordinates; }
    [[nodiscard]] int mu() const { return lambda() + constraints; } ///< only ggl
    [[nodiscard]] int n() const { return lambda() + (kind == formulation_kind::ggl ? 2 : 1) * constraints; }
};

/// One formulation, ready to be evaluated.
template <class R>
struct formulated {
    mechanics_layout layout;
    R alpha, beta;               ///< of Baumgarte's terms
    std::vector<R> inverse_mass; ///< full, by columns; empty: with accelerations
    std::vector<R> y0, yp0;      ///< consistent
    mass_matrix<R> mass;         ///< of M y' = f
};

/// The functions of a system in one precision. The builder below makes them from a text; a plug-in has its own.
template <class R>
class mechanical_functions {
public:
    virtual ~mechanical_functions() = default;
    virtual void start(R* q, R* v) const = 0;
    [[nodiscard]] virtual bool constant_mass() const = 0;
    virtual void mass(const R* q, R* out) const = 0; ///< full, by columns
    virtual evaluation forces(const R& t, const R* q, const R* v, R* out) const = 0;
    /// phi and its derivatives along a motion with this velocity and acceleration.
    virtual evaluation levels(const R& t, const R* q, const R* v, const R* w, R* phi, R* rate, R* acceleration) const = 0;
    /// G by columns: a row for each constraint
    virtual evaluation gradients(const R& t, const R* q, R* out) const = 0;
    [[nodiscard]] virtual std::optional<R> potential(const R* /*q*/) const { return std::nullopt; }
    /// The conditions of a consistent start, phi, phi', M w - f - s G^T lambda, phi'', at y = (q, v, w, lambda), and their Jacobian by columns.
    virtual evaluation conditions(const R& t, const R* y, int sign, R* out, R* jacobian) const = 0;
    [[nodiscard]] virtual std::shared_ptr<const equations<R>> equations_of(formulated<R> f) const = 0;
};

/// A system with its consistent start, in every formulation.
class mechanical_system {
public:
    /// Throws bad_request if no consistent start exists: contradictory or redundant constraints, a singular position. The message names them. The
    /// functions in quad may be null. `known` are the parameters of the text, `given` those that have another value.
    mechanical_system(mechanics_info info, std::vector<parameter> known, std::map<std::string, std::string> given,
                      std::shared_ptr<const mechanical_functions<double>> in_double, std::shared_ptr<const mechanical_functions<quad>> in_quad,
                      const start_choice& choice = {});

    [[nodiscard]] const mechanics_info& info() const { return info_; }
    [[nodiscard]] const start_report& start() const { return report_; }
    /// (q, v, w, lambda)
    [[nodiscard]] const std::vector<double>& initial_state() const { return state_; }
    /// Whether w = q'' is among the unknowns, because M is not constant or has no inverse.
    [[nodiscard]] bool with_accelerations() const { return inverse_mass_.empty(); }

    /// With drifts of position, velocity, acceleration and, if the text has a potential, energy as invariants. The parameters of the problem name
    /// the formulation, unless it is the stored one.
    [[nodiscard]] problem as_problem(formulation_kind kind, int stored = 0) const;

private:
    [[nodiscard]] mechanics_layout layout_of(formulation_kind kind) const;
    template <class R>
    [[nodiscard]] formulated<R> formulated_in(const mechanical_functions<R>& functions, formulation_kind kind, const parameter_values& parameters,
                                              const std::vector<R>& state) const;

    mechanics_info info_;
    std::vector<parameter> known_;
    std::map<std::string, std::string> given_;
    std::shared_ptr<const mechanical_functions<double>> double_;
    std::shared_ptr<const mechanical_functions<quad>> quad_;
    std::vector<double> state_;
    std::vector<quad> quad_state_;
    std::vector<double> inverse_mass_;
    start_report report_;
};

/// a^e for second derivatives: a constant exponent stays one in every order; as a dual number it would need the logarithm of a negative base.
template <class R, int K, int N, class E>
requires std::is_arithmetic_v<E> || std::is_same_v<E, quad> dual<dual<R, K>, N> pow(const dual<dual<R, K>, N>& a, const E& e)
{
    if (e == E(0)) return {dual<R, K>(1), {}};
    return dual<dual<R, K>, N>::chain(pow(a.v, e), e * pow(a.v, e - E(1)), a);
}

// The equations of every formulation, written once over the scalar. How the derivatives are computed is the business of `parts`.

namespace detail {

/// n numbers for the time of one evaluation; small systems need no allocation.
template <class T>
class few {
public:
    explicit few(int n) : n_(n)
    {
        if (n > room) large_.resize(static_cast<std::size_t>(n));
        data_ = n > room ? large_.data() : reinterpret_cast<T*>(small_);
        if (n <= room) std::uninitialized_value_construct_n(data_, n);
    }
    ~few()
    {
        if (n_ <= room) std::destroy_n(data_, n_);
    }
    few(const few&) = delete;
    few& operator=(const few&) = delete;
    T* data() { return data_; }
    T& operator[](int i) { return data_[i]; }

private:
    static constexpr int room = 16;
    int n_;
    alignas(T) unsigned char small_[room * sizeof(T)];
    std::vector<T> large_;
    T* data_;
};

/// An entry of a matrix that can be other than zero.
struct place {
    int row;
    int column;
};

/// f of M y' = f. The parts have gradients(t, q, g) with the entries of G that can be other than zero, gradient_entries(), forces, levels and
/// mass_times.
template <class R, class Parts, class T>
evaluation assemble(const formulated<R>& f, const Parts& parts, const T& t, const T* y, T* out)
{
    const mechanics_layout& l = f.layout;
    const int nq = l.coordinates, m = l.constraints;
    const T* const q = y;
    const T* const v = y + l.v();
    const T* const lambda = y + l.lambda();
    const auto& entries = parts.gradient_entries();
    few<T> g(static_cast<int>(entries.size()));
    few<T> force(nq);
    if (const evaluation e = parts.gradients(t, q, g.data()); e != evaluation::ok) return e;
    if (const evaluation e = parts.forces(t, q, v, force.data()); e != evaluation::ok) return e;
    for (std::size_t k = 0; k < entries.size(); ++k) {
        const T part = g[static_cast<int>(k)] * lambda[entries[k].row];
        if (l.sign > 0)
            force[entries[k].column] += part;
        else
            force[entries[k].column] -= part;
    }
    for (int i = 0; i < nq; ++i) out[i] = v[i];
    if (l.kind == formulation_kind::ggl)
        for (std::size_t k = 0; k < entries.size(); ++k) out[entries[k].column] += g[static_cast<int>(k)] * y[l.mu() + entries[k].row];

    few<T> acceleration(nq);
    if (l.with_accelerations) {
        const T* const w = y + l.w();
        parts.mass_times(q, w, out + l.w());
        for (int i = 0; i < nq; ++i) {
            out[l.v() + i] = acceleration[i] = w[i];
            out[l.w() + i] -= force[i];
        }
    } else {
        for (int i = 0; i < nq; ++i) out[l.v() + i] = force[i];
        for (int i = 0; i < nq; ++i)
            for (int j = 0; j < nq; ++j)
                if (const R& entry = f.inverse_mass[i + static_cast<std::size_t>(j) * nq]; !(entry == R(0))) acceleration[i] += entry * force[j];
    }

    T* const row = out + l.lambda();
    if (l.kind == formulation_kind::index3) return parts.positions(t, q, row);
    if (l.kind == formulation_kind::index2) return parts.rates(t, q, v, row);
    if (l.kind == formulation_kind::ggl) {
        if (const evaluation e = parts.rates(t, q, v, row); e != evaluation::ok) return e;
        return parts.positions(t, q, out + l.mu());
    }
    few<T> phi(m), rate(m);
    if (const evaluation e = parts.levels(t, q, v, acceleration.data(), phi.data(), rate.data(), row); e != evaluation::ok) return e;
    if (l.kind == formulation_kind::baumgarte)
        for (int i = 0; i < m; ++i) row[i] += 2 * f.alpha * rate[i] + f.beta * f.beta * phi[i];
    return evaluation::ok;
}

template <class S, class R>
concept has_constant_mass = requires(const S& s, square<R> m)
{
    s.mass(m);
};
template <class S, class R>
concept has_potential = requires(const S& s, const R* q)
{
    s.potential(q);
};

/// Positions with a derivative direction for each colour: columns of G that share no row are differentiated together.
struct gradient_plan {
    std::vector<place> entries; ///< in the order of the passes
    std::vector<int> lane;      ///< of each entry
    std::vector<int> pass_end;  ///< entries of each pass
    std::vector<int> colour_of; ///< of each coordinate
    static gradient_plan of(const std::vector<std::vector<int>>& columns_of_row, int coordinates, int width);
};

/// The parts of the equations as a text gives them, over every scalar.
template <class S, class R>
class text_parts {
public:
    text_parts(S text, int coordinates, int constraints, const R& t0)
        : text_(std::move(text)), nq_(coordinates), m_(constraints), plan_(gradient_plan::of(traced_gradients(t0), nq_, dual_width))
    {
        if constexpr (has_constant_mass<S, R>) {
            constant_.assign(static_cast<std::size_t>(nq_) * nq_, R(0));
            text_.mass(square<R>(constant_.data(), nq_));
        } else {
            mass_entries_ = traced_mass();
        }
    }

    [[nodiscard]] const S& text() const { return text_; }
    [[nodiscard]] int coordinates() const { return nq_; }
    [[nodiscard]] int constraints() const { return m_; }
    [[nodiscard]] const std::vector<R>& constant_mass() const { return constant_; }
    [[nodiscard]] const std::vector<place>& gradient_entries() const { return plan_.entries; }

    template <class T>
    evaluation forces(const T& t, const T* q, const T* v, T* out) const
    {
        std::fill(out, out + nq_, T(0));
        return status_of([&] { return text_.forces(t, q, v, out); });
    }
    template <class T>
    evaluation positions(const T& t, const T* q, T* out) const
    {
        return status_of([&] { return text_.constraints(t, q, out); });
    }
    /// phi' = G v + phi_t: the derivative of phi(t + s, q + s v) by s
    template <class T>
    evaluation rates(const T& t, const T* q, const T* v, T* out) const
    {
        using active = dual<T, 1>;
        few<active> moving(nq_), phi(m_);
        for (int i = 0; i < nq_; ++i) moving[i] = along(q[i], v[i]);
        if (const evaluation e = positions(along(t, T(1)), moving.data(), phi.data()); e != evaluation::ok) return e;
        for (int i = 0; i < m_; ++i) out[i] = phi[i].d[0];
        return evaluation::ok;
    }
    /// The derivatives of phi(t + s, q + s v + s^2/2 w) by s
    template <class T>
    evaluation levels(const T& t, const T* q, const T* v, const T* w, T* phi, T* rate, T* acceleration) const
    {
        using once = dual<T, 1>;
        using twice = dual<once, 1>;
        few<twice> moving(nq_), out(m_);
        for (int i = 0; i < nq_; ++i) moving[i] = along(along(q[i], v[i]), along(v[i], w[i]));
        if (const evaluation e = positions(along(along(t, T(1)), once(T(1))), moving.data(), out.data()); e != evaluation::ok) return e;
        for (int i = 0; i < m_; ++i) {
            phi[i] = out[i].v.v;
            rate[i] = out[i].d[0].v;
            acceleration[i] = out[i].d[0].d[0];
        }
        return evaluation::ok;
    }
    /// The entries of G, in the order of gradient_entries()
    template <class T>
    evaluation gradients(const T& t, const T* q, T* out) const
    {
        using active = dual<T, dual_width>;
        few<active> moving(nq_), phi(m_);
        int k = 0;
        for (int pass = 0; pass < static_cast<int>(plan_.pass_end.size()); ++pass) {
            for (int j = 0; j < nq_; ++j) {
                const int lane = plan_.colour_of[j] - pass * dual_width;
                moving[j] = lane >= 0 && lane < dual_width ? active(q[j], simd::pack<T, dual_width>::unit(lane)) : active(q[j]);
            }
            if (const evaluation e = positions(active(t), moving.data(), phi.data()); e != evaluation::ok) return e;
            for (; k < plan_.pass_end[pass]; ++k) out[k] = std::as_const(phi[plan_.entries[k].row].d)[plan_.lane[k]];
        }
        return evaluation::ok;
    }
    template <class T>
    void mass_times(const T* q, const T* w, T* out) const
    {
        std::fill(out, out + nq_, T(0));
        if constexpr (has_constant_mass<S, R>) {
            for (int j = 0; j < nq_; ++j)
                for (int i = 0; i < nq_; ++i)
                    if (const R& entry = constant_[i + static_cast<std::size_t>(j) * nq_]; !(entry == R(0))) out[i] += entry * w[j];
        } else {
            few<T> m(nq_ * nq_);
            text_.mass(q, square<T>(m.data(), nq_));
            for (const auto& e : mass_entries_) out[e.row] += m[e.row + e.column * nq_] * w[e.column];
        }
    }

private:
    template <class T>
    static dual<T, 1> along(const T& value, const T& derivative)
    {
        return {value, simd::pack<T, 1>::of({derivative})};
    }

    /// Columns of each row, through all branches of the formula; all of them if that is not certain.
    template <class Visit>
    static std::vector<std::vector<int>> traced(int rows, int columns, Visit visit)
    {
        std::vector<std::vector<int>> found(static_cast<std::size_t>(rows));
        constexpr int most_runs = 64;
        branch_explorer paths(most_runs);
        do visit(found);
        while (paths.next());
        if (paths.complete()) return found;
        for (auto& row : found) {
            row.clear();
            for (int j = 0; j < columns; ++j) row.push_back(j);
        }
        return found;
    }
    static void add(std::vector<int>& columns, int j)
    {
        if (std::find(columns.begin(), columns.end(), j) == columns.end()) columns.push_back(j);
    }
    [[nodiscard]] std::vector<tracer> traced_start() const
    {
        std::vector<R> q(static_cast<std::size_t>(nq_)), v(static_cast<std::size_t>(nq_));
        text_.start(q.data(), v.data());
        std::vector<tracer> in;
        for (int j = 0; j < nq_; ++j) in.push_back(tracer::input(static_cast<double>(q[j]), j));
        return in;
    }
    [[nodiscard]] std::vector<std::vector<int>> traced_gradients(const R& t0) const
    {
        using active = dual<tracer, 1>;
        const auto start = traced_start();
        return traced(m_, nq_, [&](std::vector<std::vector<int>>& found) {
            for (int j = 0; j < nq_; ++j) {
                std::vector<active> q(start.begin(), start.end()), phi(static_cast<std::size_t>(m_));
                q[j].d = simd::pack<tracer, 1>::unit(0);
                (void)positions(active(tracer::time(static_cast<double>(t0))), q.data(), phi.data());
                for (int i = 0; i < m_; ++i)
                    if (!simd::pack<tracer, 1>::vanishes(phi[i].d[0])) add(found[i], j);
            }
        });
    }
    [[nodiscard]] std::vector<place> traced_mass() const
    {
        const auto start = traced_start();
        const auto rows = traced(nq_, nq_, [&](std::vector<std::vector<int>>& found) {
            std::vector<tracer> m(static_cast<std::size_t>(nq_) * nq_);
            text_.mass(start.data(), square<tracer>(m.data(), nq_));
            for (int j = 0; j < nq_; ++j)
                for (int i = 0; i < nq_; ++i)
                    if (!simd::pack<tracer, 1>::vanishes(m[i + static_cast<std::size_t>(j) * nq_])) add(found[i], j);
        });
        std::vector<place> entries;
        for (int i = 0; i < nq_; ++i)
            for (const int j : rows[i]) entries.push_back({i, j});
        return entries;
    }

    S text_;
    int nq_;
    int m_;
    gradient_plan plan_;
    std::vector<R> constant_;
    std::vector<place> mass_entries_;
};

/// A formulation as a problem's text.
template <class S, class R>
struct formulated_text {
    std::shared_ptr<const text_parts<S, R>> parts;
    formulated<R> made;

    template <class T>
    evaluation f(const T& t, const T* y, T* out) const
    {
        return assemble(made, *parts, t, y, out);
    }
    [[nodiscard]] mass_matrix<R> mass() const { return made.mass; }
    void initial(R* y) const { std::copy(made.y0.begin(), made.y0.end(), y); }
    /// NOTE: derivatives of accelerations and multipliers do not occur in the equations; they are 0 here.
    void initial_derivative(R* yp) const { std::copy(made.yp0.begin(), made.yp0.end(), yp); }
};

template <class S, class R>
class text_functions final : public mechanical_functions<R> {
public:
    text_functions(S text, const mechanics_info& info)
        : parts_(std::make_shared<const text_parts<S, R>>(std::move(text), static_cast<int>(info.coordinates.size()),
                                                          static_cast<int>(info.constraints.size()), info.problem.t0.in<R>()))
    {}

    void start(R* q, R* v) const override { parts_->text().start(q, v); }
    [[nodiscard]] bool constant_mass() const override { return has_constant_mass<S, R>; }
    void mass(const R* q, R* out) const override
    {
        const int nq = parts_->coordinates();
        std::fill(out, out + static_cast<std::ptrdiff_t>(nq) * nq, R(0));
        if constexpr (has_constant_mass<S, R>)
            std::copy(parts_->constant_mass().begin(), parts_->constant_mass().end(), out);
        else
            parts_->text().mass(q, square<R>(out, nq));
    }
    evaluation forces(const R& t, const R* q, const R* v, R* out) const override { return parts_->forces(t, q, v, out); }
    evaluation levels(const R& t, const R* q, const R* v, const R* w, R* phi, R* rate, R* acceleration) const override
    {
        return parts_->levels(t, q, v, w, phi, rate, acceleration);
    }
    evaluation gradients(const R& t, const R* q, R* out) const override
    {
        const int m = parts_->constraints();
        const auto& entries = parts_->gradient_entries();
        std::vector<R> g(entries.size());
        std::fill(out, out + static_cast<std::ptrdiff_t>(m) * parts_->coordinates(), R(0));
        const evaluation e = parts_->gradients(t, q, g.data());
        for (std::size_t k = 0; k < entries.size(); ++k) out[entries[k].row + static_cast<std::ptrdiff_t>(entries[k].column) * m] = g[k];
        return e;
    }
    [[nodiscard]] std::optional<R> potential(const R* q) const override
    {
        if constexpr (has_potential<S, R>) return parts_->text().potential(q);
        return std::nullopt;
    }
    evaluation conditions(const R& t, const R* y, int sign, R* out, R* jacobian) const override
    {
        using active = dual<R, dual_width>;
        const int nq = parts_->coordinates(), m = parts_->constraints();
        const int columns = 3 * nq + m, rows = 3 * m + nq;
        std::vector<active> at(static_cast<std::size_t>(columns)), value(static_cast<std::size_t>(rows));
        for (int first = 0; first < columns; first += dual_width) {
            for (int j = 0; j < columns; ++j)
                at[j] = j >= first && j < first + dual_width ? active(y[j], simd::pack<R, dual_width>::unit(j - first)) : active(y[j]);
            if (const evaluation e = conditions_at(active(t), at.data(), sign, value.data()); e != evaluation::ok) return e;
            for (int j = first; j < std::min(first + dual_width, columns); ++j)
                for (int i = 0; i < rows; ++i) jacobian[i + static_cast<std::ptrdiff_t>(j) * rows] = std::as_const(value[i].d)[j - first];
        }
        for (int i = 0; i < rows; ++i) out[i] = value[i].v;
        return evaluation::ok;
    }
    [[nodiscard]] std::shared_ptr<const equations<R>> equations_of(formulated<R> f) const override
    {
        const int n = f.layout.n();
        return std::make_shared<detail::equations_of<formulated_text<S, R>, R>>(formulated_text<S, R>{parts_, std::move(f)}, n, structure::full());
    }

private:
    template <class T>
    evaluation conditions_at(const T& t, const T* y, int sign, T* out) const
    {
        const int nq = parts_->coordinates(), m = parts_->constraints();
        const T* const v = y + nq;
        const T* const w = v + nq;
        const T* const lambda = w + nq;
        T* const balance = out + 2 * m;
        few<T> force(nq);
        const auto& entries = parts_->gradient_entries();
        few<T> g(static_cast<int>(entries.size()));
        if (const evaluation e = parts_->levels(t, y, v, w, out, out + m, balance + nq); e != evaluation::ok) return e;
        if (const evaluation e = parts_->forces(t, y, v, force.data()); e != evaluation::ok) return e;
        if (const evaluation e = parts_->gradients(t, y, g.data()); e != evaluation::ok) return e;
        parts_->mass_times(y, w, balance);
        for (int i = 0; i < nq; ++i) balance[i] -= force[i];
        for (std::size_t k = 0; k < entries.size(); ++k) balance[entries[k].column] -= sign * g[static_cast<int>(k)] * lambda[entries[k].row];
        return evaluation::ok;
    }

    std::shared_ptr<const text_parts<S, R>> parts_;
};

} // namespace detail

/// The parameters without those that choose a formulation.
std::map<std::string, std::string> without_formulation(std::map<std::string, std::string> given);

namespace detail {

/// By itself, so that a source can leave it to another one (extern template), as detail::in_quad of problems.
template <template <class> class S>
std::shared_ptr<const mechanical_functions<quad>> functions_in_quad(const parameter_values& values, const mechanics_info& info)
{
    return std::make_shared<const text_functions<S<quad>, quad>>(S<quad>(values), info);
}

} // namespace detail

/// The system of a text. `given` may have the parameters of Baumgarte's terms too.
template <template <class> class S>
mechanical_system mechanical_system_of(const std::map<std::string, std::string>& given = {}, const start_choice& choice = {})
{
    auto known = S<double>::parameters();
    const parameter_values values(known, without_formulation(given));
    const mechanics_info info = S<double>::describe(values);
    auto in_double = std::make_shared<const detail::text_functions<S<double>, double>>(S<double>(values), info);
    return {info, std::move(known), given, std::move(in_double), detail::functions_in_quad<S>(values, info), choice};
}

} // namespace ivp

#endif
