// An initial value problem with everything around it: what solvers, drivers and plug-ins see.
#ifndef IVP_PROBLEM_HPP
#define IVP_PROBLEM_HPP

#include <ivp/error.hpp>
#include <ivp/scalar.hpp>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// chapter: the text of a problem or solver.

namespace ivp {

struct chapter {
    std::string_view markdown;
};

// Structure of matrices: which entries a Jacobian or a mass matrix can have, and where they are stored.

/// A fixed set of matrix positions in compressed columns (rows sorted within each column).
struct sparsity {
    int n = 0;
    std::vector<int> column_start; ///< n + 1 entries
    std::vector<int> row;          ///< one per stored position

    [[nodiscard]] int entries() const { return static_cast<int>(row.size()); }
    /// Position of (i, j) in the value array, or -1.
    [[nodiscard]] int find(int i, int j) const;
    /// From rows of sorted column indices, as a tracer gives them.
    static sparsity from_rows(int n, const std::vector<std::vector<int>>& columns_of_row);
};

enum class structure_kind { full, band, sparse };

/// What a problem declares about its Jacobian.
struct structure {
    structure_kind kind = structure_kind::full;
    int lower = 0;                           ///< band: entries below the diagonal
    int upper = 0;                           ///< band: entries above the diagonal
    std::shared_ptr<const sparsity> pattern; ///< sparse only

    static structure full() { return {}; }
    static structure band(int lower, int upper) { return {structure_kind::band, lower, upper, nullptr}; }
    static structure sparse(std::shared_ptr<const sparsity> p) { return {structure_kind::sparse, 0, 0, std::move(p)}; }
    /// From the columns of each row, in any order, some perhaps twice.
    static structure sparse(std::vector<std::vector<int>> columns_of_row);

    [[nodiscard]] bool contains(int i, int j) const;
    /// "full", "band 2,2", "sparse 86 entries"
    [[nodiscard]] std::string describe() const;
};

/// A system of higher order written with its derivatives: y_i' = y_{i+m2} for i = 1 … m1.
struct derivative_chain {
    int m1 = 0; ///< 0: none
    int m2 = 0;
};

/// Storage of one matrix, which it does not own. Columns are contiguous:
/// dense (i, j) at i + j·ld; band (i, j) at upper + i − j + j·ld; sparse in the order of the pattern.
template <class R>
struct matrix_view {
    structure_kind kind = structure_kind::full;
    int n = 0;
    int lower = 0;
    int upper = 0;
    int ld = 0;
    const sparsity* pattern = nullptr;
    R* data = nullptr;

    /// Index of (i, j) in data, or -1 if it is not stored.
    [[nodiscard]] std::ptrdiff_t position(int i, int j) const
    {
        const auto column = static_cast<std::ptrdiff_t>(j) * ld; // who calls may leave as much room between columns as an int can say
        switch (kind) {
        case structure_kind::full: return i + column;
        case structure_kind::band: return i - j > lower || j - i > upper ? -1 : upper + i - j + column;
        case structure_kind::sparse: return pattern->find(i, j); // NOLINT(clang-analyzer-core.CallAndMessage): it has a pattern
        }
        return -1;
    }
    [[nodiscard]] R at(int i, int j) const
    {
        const std::ptrdiff_t p = position(i, j);
        return p < 0 ? R(0) : data[p];
    }
    void set(int i, int j, const R& value) const
    {
        const std::ptrdiff_t p = position(i, j);
        assert(p >= 0);
        data[p] = value;
    }
    /// Entries of a full or band matrix, whose places need no decision: entries()(i, j).
    [[nodiscard]] auto entries() const
    {
        assert(kind != structure_kind::sparse);
        const bool band = kind == structure_kind::band;
        return [first = data + (band ? upper : 0), right = static_cast<std::ptrdiff_t>(band ? ld - 1 : ld)](int i, int j) -> R& {
            return first[i + j * right];
        };
    }
    [[nodiscard]] std::size_t size() const
    {
        return kind == structure_kind::sparse ? static_cast<std::size_t>(pattern->entries()) : static_cast<std::size_t>(ld) * n;
    }
};

/// Columns that share no row have the same colour: one direction differentiates them all.
struct colouring {
    int colours = 0;
    std::vector<int> colour_of_column;
};
colouring colour_columns(const structure& s, int n);

// The constant mass matrix M of M y' = f(t, y).

enum class mass_kind { identity, diagonal, band, full, sparse };

template <class R>
class mass_matrix {
public:
    static mass_matrix identity(int n) { return {mass_kind::identity, n, 0, 0, {}}; }
    static mass_matrix diagonal(std::vector<R> d)
    {
        const int n = static_cast<int>(d.size());
        return {mass_kind::diagonal, n, 0, 0, std::move(d)};
    }
    /// All entries zero; fill with set().
    static mass_matrix band(int n, int lower, int upper)
    {
        return {mass_kind::band, n, lower, upper, std::vector<R>(static_cast<std::size_t>(n) * (lower + upper + 1), R(0))};
    }
    static mass_matrix full(int n) { return {mass_kind::full, n, 0, 0, std::vector<R>(static_cast<std::size_t>(n) * n, R(0))}; }

    /// The entries of a pattern, in its order; all zero, fill with set().
    static mass_matrix sparse(std::shared_ptr<const sparsity> pattern) // NOLINT(performance-unnecessary-value-param): it is moved from
    {
        mass_matrix m{mass_kind::sparse, pattern->n, 0, 0, std::vector<R>(pattern->row.size(), R(0))};
        m.pattern_ = std::move(pattern);
        return m;
    }

    [[nodiscard]] mass_kind kind() const { return kind_; }
    [[nodiscard]] int n() const { return n_; }
    [[nodiscard]] int lower() const { return reaches_everywhere() ? n_ - 1 : lower_; }
    [[nodiscard]] int upper() const { return reaches_everywhere() ? n_ - 1 : upper_; }
    [[nodiscard]] const sparsity* pattern() const { return pattern_.get(); } ///< sparse only
    [[nodiscard]] const std::vector<R>& values() const { return values_; }

    [[nodiscard]] R at(int i, int j) const
    {
        if (kind_ == mass_kind::identity) return i == j ? R(1) : R(0);
        const std::ptrdiff_t p = view().position(i, j);
        return p < 0 ? R(0) : values_[p];
    }
    void set(int i, int j, const R& value) { values_.at(static_cast<std::size_t>(view().position(i, j))) = value; }

    /// out = M x
    void multiply(const R* x, R* out) const;

    /// visit(i, j, value) for everything that is stored, column by column.
    template <class Visit>
    void for_each_entry(Visit visit) const
    {
        for (int j = 0; j < n_; ++j) {
            if (kind_ == mass_kind::sparse) {
                for (int p = pattern_->column_start[j]; p < pattern_->column_start[j + 1]; ++p) visit(pattern_->row[p], j, values_[p]);
                continue;
            }
            for (int i = std::max(0, j - upper()); i <= std::min(n_ - 1, j + lower()); ++i) visit(i, j, at(i, j));
        }
    }

    /// "identity", "diagonal", "band 1,1", "full", "sparse 12 entries"
    [[nodiscard]] std::string describe() const;

private:
    mass_matrix(mass_kind kind, int n, int lower, int upper, std::vector<R> values)
        : kind_(kind), n_(n), lower_(lower), upper_(upper), values_(std::move(values))
    {}
    // A diagonal is a band of width one, so one rule gives the position of an entry.
    [[nodiscard]] matrix_view<const R> view() const
    {
        if (kind_ == mass_kind::sparse) return {structure_kind::sparse, n_, 0, 0, 0, pattern_.get(), values_.data()};
        const bool full = kind_ == mass_kind::full;
        return {full ? structure_kind::full : structure_kind::band, n_, lower_, upper_, full ? n_ : lower_ + upper_ + 1, nullptr, values_.data()};
    }

    [[nodiscard]] bool reaches_everywhere() const { return kind_ == mass_kind::full || kind_ == mass_kind::sparse; }

    mass_kind kind_;
    int n_;
    int lower_;
    int upper_;
    std::vector<R> values_;
    std::shared_ptr<const sparsity> pattern_;
};

// equations: the formulas of a problem, in one precision. Everything that is not a formula is in problem_info.

/// Result of an evaluation.
enum class evaluation {
    ok,
    refused,   ///< the argument is outside the domain of the formula (the original's IERR = -1): a solver cuts its step
    nonfinite, ///< the formula gave an infinity or NaN: to be treated like a refusal, and remembered
    stopped,   ///< the run must end now (time limit, stop request): a solver returns at once
};

/// Working memory of one user of the equations (they themselves are immutable and can be shared between threads).
struct scratch {
    virtual ~scratch() = default;
};

/// For each equation the sorted list of variables it depends on.
using dependencies = std::vector<std::vector<int>>;

/// f as a plain function, for a caller that evaluates it so often that a virtual call would cost noticeable time.
template <class R>
struct plain_function {
    int (*call)(const void* self, R t, const R* y, R* out); ///< returns 0, or a number that equations::meaning_of() explains
    const void* self;
};

/// f in pieces that can be evaluated at the same time, such as the lines of a grid. All pieces together give the bits of f. A piece writes as many
/// components as every other: out consists of `blocks` equal parts, one for each substance say, and each part has the pieces in their order.
template <class R>
struct function_pieces {
    int count = 0; ///< 0: f is one piece
    int blocks = 1;
    /// The pieces from first on, before last; answers as plain_function.
    int (*call)(const void* self, R t, const R* y, R* out, int first, int last) = nullptr;
    const void* self = nullptr;
};

/// A preconditioner that a problem brings, for the systems (c M − df/dy) x = b of one solver with real c > 0.
template <class R>
class own_preconditioner {
public:
    own_preconditioner() = default;
    own_preconditioner(const own_preconditioner&) = delete;
    own_preconditioner& operator=(const own_preconditioner&) = delete;
    virtual ~own_preconditioner() = default;
    /// same_point: t and y are those of the last set-up. False: there is none for this c.
    [[nodiscard]] virtual bool set_up(const R& t, const R* y, const R& c, bool same_point) = 0;
    /// x near (c M − df/dy)^-1 b; the two do not overlap. False: it cannot be had.
    [[nodiscard]] virtual bool solve(const R* b, R* x) = 0;
};

/// y' = f(t, y) and M y' = f(t, y) through f; G(t, y, y') = 0 through g. A problem has one of the two.
template <class R>
class equations {
public:
    virtual ~equations() = default;

    [[nodiscard]] virtual std::vector<R> initial_values() const = 0;
    /// Empty if the problem does not state y0'.
    [[nodiscard]] virtual std::vector<R> initial_derivatives() const { return {}; }
    [[nodiscard]] virtual const mass_matrix<R>& mass() const = 0;

    virtual evaluation f(const R& t, const R* y, R* out) const = 0;
    virtual evaluation g(const R& t, const R* y, const R* yp, R* out) const = 0;

    [[nodiscard]] virtual bool has_exact_jacobian() const { return true; }
    [[nodiscard]] virtual std::unique_ptr<scratch> make_scratch() const { return std::make_unique<scratch>(); }
    /// For a caller that knows which entries a matrix can have, so that fewer derivative directions are needed.
    [[nodiscard]] virtual std::unique_ptr<scratch> make_scratch_for(const structure& /*known*/) const { return make_scratch(); }

    /// All stored entries of out: df/dy.
    virtual evaluation jacobian(const R& t, const R* y, scratch& work, const matrix_view<R>& out) const = 0;
    /// The approximate Jacobian of the published runs, if they used neither the exact one nor differences.
    [[nodiscard]] virtual bool has_published_jacobian() const { return false; }
    virtual evaluation published_jacobian(const R& t, const R* y, scratch& work, const matrix_view<R>& out) const
    {
        return jacobian(t, y, work, out);
    }
    /// a dG/dy + b dG/dy'
    virtual evaluation partials(const R& t, const R* y, const R* yp, const R& a, const R& b, scratch& work, const matrix_view<R>& out) const = 0;
    /// df/dt (yp null), or dG/dt at constant y and y'.
    virtual evaluation time_derivative(const R& t, const R* y, const R* yp, scratch& work, R* out) const = 0;
    /// Whether products() can be called: f is known as a formula.
    [[nodiscard]] virtual bool has_products() const { return false; }
    static constexpr int most_products = 4;
    /// out_k = df/dy v_k for at most most_products directions, exact to rounding, by one evaluation.
    virtual evaluation products(const R& /*t*/, const R* /*y*/, std::span<const R* const> /*v*/, scratch& /*work*/, std::span<R* const> /*out*/) const
    {
        throw std::logic_error("products asked of equations that have none");
    }
    /// Null: the problem brings none.
    [[nodiscard]] virtual std::unique_ptr<own_preconditioner<R>> make_preconditioner() const { return nullptr; }
    /// Dependence on y (for an IDE on y and y' together) found by following the formula at one point; empty if it cannot be followed.
    /// The equations in double know it.
    [[nodiscard]] virtual dependencies trace(const R& /*t*/, const R* /*y*/, const R* /*yp*/) const { return {}; }
    /// The same through all branches of the formula, so that it holds everywhere; none if that is not certain.
    [[nodiscard]] virtual std::optional<dependencies> trace_all(const R& /*t*/, const R* /*y*/, const R* /*yp*/) const { return std::nullopt; }

    /// f as a plain function; it can be called as long as the equations exist.
    [[nodiscard]] virtual plain_function<R> plain_f() const
    {
        return {[](const void* self, R t, const R* y, R* out) { return static_cast<int>(static_cast<const equations*>(self)->f(t, y, out)); }, this};
    }
    /// None, unless the problem's text says how f falls into pieces.
    [[nodiscard]] virtual function_pieces<R> pieces_of_f() const { return {}; }
    /// The meaning of a result of plain_f that is not 0; throws if it has none.
    [[nodiscard]] virtual evaluation meaning_of(int answer) const { return static_cast<evaluation>(answer); }
};

// Named parameters of a problem: defaults, ranges, and the values of one instance (`--set name=value`).

struct parameter {
    std::string name;
    decimal value; ///< default
    decimal min;
    decimal max;
    std::string meaning; ///< with its unit
    bool whole = false;  ///< only whole numbers (grid sizes)
};

class parameter_values {
public:
    /// The defaults, with the given ones replaced; throws bad_request naming each unknown name and each value out of range.
    parameter_values(std::span<const parameter> known, const std::map<std::string, std::string>& given);

    template <class R>
    [[nodiscard]] R get(std::string_view name) const
    {
        return find(name).template in<R>();
    }
    /// The value as it was written, for facts that are kept as decimals (a breakpoint that is a parameter).
    [[nodiscard]] const decimal& exact(std::string_view name) const { return find(name); }
    [[nodiscard]] int whole(std::string_view name) const { return static_cast<int>(find(name).value()); }
    [[nodiscard]] bool all_default() const { return changed_.empty(); }
    /// The parameters that differ from their default, for the record.
    [[nodiscard]] const std::map<std::string, std::string>& changed() const { return changed_; }

private:
    [[nodiscard]] const decimal& find(std::string_view name) const;

    std::map<std::string, decimal, std::less<>> values_;
    std::map<std::string, std::string> changed_;
};

// Error tolerances of a run: relative and absolute, each one number or one per component.

struct tolerances {
    std::vector<double> rtol{1e-4}; ///< one entry: the same for all components
    std::vector<double> atol{1e-4};

    tolerances() = default;
    tolerances(double relative, double absolute) : rtol{relative}, atol{absolute} {}

    [[nodiscard]] double relative(int i) const { return rtol.size() == 1 ? rtol[0] : rtol[i]; }
    [[nodiscard]] double absolute(int i) const { return atol.size() == 1 ? atol[0] : atol[i]; }
    [[nodiscard]] bool scalar() const { return rtol.size() == 1 && atol.size() == 1; }

    /// Every fault in words a user understands; empty if the tolerances can be used for a problem of n components.
    [[nodiscard]] std::vector<std::string> validate(int n) const;
};

/// The smallest relative tolerance that double precision can honour.
constexpr double smallest_rtol = 1e-15;
/// Above it, no digit of a run need be correct.
constexpr double largest_rtol = 1;

// Tolerances are decimals. The product of 1e-4 and 1e-3 is 1e-7, not the double 1.0000000000000001e-07.

/// The double nearest to `value` rounded to this many significant decimal digits. Infinities and NaN stay as they are.
double as_decimal(double value, int digits = 15);

/// from / 10^(m / per_decade) as a decimal; a negative m gives a larger one. This function makes every ladder of tolerances.
double ladder_rung(double from, int m, double per_decade, int digits = 15);

/// The rungs from `from` on, down or up, that do not pass `to`. All three numbers are above 0.
std::vector<double> tolerance_ladder(double from, double to, double per_decade);

/// A tolerance as comparing, merging and resuming see it: rounded to 12 digits, because older stores differ in the last bits.
double comparable_tolerance(double value);
bool same_tolerance(double a, double b);
bool same_tolerance(const std::vector<double>& a, const std::vector<double>& b);

// problem: an initial value problem with everything around it. Every way in (our own text, plug-in, Fortran file, network) yields this type.

enum class form { ode, dae, ide };
std::string_view label(form f);
std::optional<form> form_from_label(std::string_view text);

enum class jacobian_source { exact, differences, original };
std::string_view label(jacobian_source s);
std::optional<jacobian_source> jacobian_source_from_label(std::string_view text);

/// How correctness at the end point is measured: which components count, relative or absolute.
struct accuracy_rule {
    std::vector<int> excluded; ///< components (from 1) that scd leaves out
    bool absolute_scd = false; ///< the problem's scd is that of the absolute error
    bool scd_defined = true;   ///< false: only mescd is meaningful
};

/// How the published runs were set up.
struct protocol {
    double ladder_start = 4; ///< rtol = 10^-(ladder_start + m/ladder_per_decade), m = 0 .. ladder_last
    int ladder_per_decade = 4;
    int ladder_last = 24;
    double atol_per_rtol = 1;                                    ///< atol = atol_per_rtol · rtol
    double h0_per_rtol = 1;                                      ///< h0 = h0_per_rtol · rtol, for solvers that need one
    jacobian_source published_jacobian = jacobian_source::exact; ///< `original`: the problem's own approximate one
    double fixed_atol = 0;                                       ///< not 0: atol is this number, whatever rtol is
    double fixed_h0 = 0;                                         ///< the same for h0
    /// Tolerances of all components from the two numbers a user gives; empty: the numbers themselves.
    std::function<tolerances(double rtol, double atol)> vector_rule{};

    [[nodiscard]] double ladder_rtol(int m) const;
    /// Place of a tolerance on the ladder, which may lie beyond its last rung; none: it is not on the ladder.
    [[nodiscard]] std::optional<int> ladder_place(double rtol) const;
    [[nodiscard]] double atol(double rtol) const { return fixed_atol > 0 ? fixed_atol : as_decimal(rtol * atol_per_rtol); }
    /// If rtol is 0, the smallest atol above 0 replaces it.
    [[nodiscard]] double h0(double rtol, const std::vector<double>& atol = {}) const;
    [[nodiscard]] tolerances expand(double rtol, double atol) const { return vector_rule ? vector_rule(rtol, atol) : tolerances(rtol, atol); }
};

/// The facts of a problem that are not formulas.
struct problem_info {
    std::string id;
    std::string title;
    ivp::form form = form::ode;
    int n = 0;
    decimal t0;
    decimal tend;
    int highest_index = 0;                    ///< 0 for an ODE
    std::vector<int> index;                   ///< of each variable (1, 2, 3); empty: all 1
    bool consistent_start = true;             ///< y0 (and y0' if given) satisfy the equations
    double start_residual = 1e-11;            ///< ... up to this relative residual; larger if published values have few digits
    structure jacobian_structure;             ///< of df/dy; for an IDE of dG/dy and dG/dy' together
    derivative_chain chain;                   ///< of a system of second or higher order
    std::vector<decimal> breakpoints;         ///< restart points, as the published runs had them
    std::vector<decimal> discontinuities;     ///< all known kinks: for reference work only
    std::vector<std::string> component_names; ///< empty: y(1), y(2), …
    std::vector<int> pictured;                ///< components (from 1) that show the behaviour best; empty: the first two
    bool logarithmic_time = false;            ///< only a logarithmic time axis shows the behaviour
    std::string quantity_of_interest;
    std::string contributor;
    std::vector<std::string> tags; ///< area, size, difficulty; solvers rely on "autonomous"
    accuracy_rule accuracy;
    ivp::protocol protocol;
    std::string origin = "own"; ///< own, plug-in

    [[nodiscard]] int index_of(int i) const { return index.empty() ? 1 : index[i]; }
    /// f (or G) does not depend on t: the tag says so, and a check proves it.
    [[nodiscard]] bool autonomous() const;
};

/// The solution at one time, and its accuracy.
struct reference_solution {
    decimal t;
    std::vector<decimal> value;
    std::vector<double> digits;   ///< confirmed correct digits of each component
    bool absolute_digits = false; ///< digits count decimals, not significant digits
    std::string source;           ///< who computed it, how
    std::string confirmed;        ///< how the digits were confirmed
};

/// Reads reference.csv (format: docs/reference/problem-files.md); throws std::invalid_argument with the line of the first fault.
reference_solution read_reference(std::string_view csv);

class problem {
public:
    problem(problem_info info, parameter_values parameters, std::shared_ptr<const equations<double>> in_double,
            std::shared_ptr<const equations<quad>> in_quad = nullptr);

    [[nodiscard]] const problem_info& info() const { return info_; }
    [[nodiscard]] const std::string& id() const { return info_.id; }
    [[nodiscard]] int n() const { return info_.n; }
    [[nodiscard]] const parameter_values& parameters() const { return parameters_; }

    /// R = double always; R = quad only if has_quad().
    template <class R>
    [[nodiscard]] const equations<R>& in() const;
    [[nodiscard]] bool has_quad() const { return quad_ != nullptr; }

    /// Known at the published end point with default parameters only.
    [[nodiscard]] const std::optional<reference_solution>& reference() const { return reference_; }
    [[nodiscard]] const ivp::chapter& chapter() const { return chapter_; }

    [[nodiscard]] problem with_reference(reference_solution r) const;
    [[nodiscard]] problem with_chapter(ivp::chapter c) const;
    /// For reference work: restarts at every known kink, not only at the breakpoints of the published runs.
    [[nodiscard]] problem with_all_restarts() const;
    /// The same problem written as G(t, y, y') = M y' − f(t, y) = 0; an IDE stays what it is.
    [[nodiscard]] problem as_ide() const;
    /// An IDE written as M y' = f with the derivatives as further unknowns: y' = z, 0 = G(t, y, z). A DAE or ODE stays what it is.
    /// The reference stays that of y, and so do the digits.
    [[nodiscard]] problem as_dae() const;

    /// Structure of the matrix a Newton iteration needs: J and M together (dG/dy and dG/dy' of an IDE).
    [[nodiscard]] structure iteration_structure() const;
    /// The same. If the problem declares no pattern, following the formula finds one, unless that is not certain. Found once.
    [[nodiscard]] const structure& finest_iteration_structure() const;

private:
    struct known_structure {
        std::once_flag once;
        structure iteration;
    };
    [[nodiscard]] std::optional<dependencies> trace() const;
    [[nodiscard]] structure with_mass(dependencies columns) const;

    problem_info info_;
    parameter_values parameters_;
    std::shared_ptr<const equations<double>> double_;
    std::shared_ptr<const equations<quad>> quad_;
    std::optional<reference_solution> reference_;
    ivp::chapter chapter_;
    std::shared_ptr<known_structure> known_; // shared by copies
};

template <>
inline const equations<double>& problem::in<double>() const
{
    return *double_;
}
template <>
const equations<quad>& problem::in<quad>() const;

} // namespace ivp

#endif
