// expansion: the power series of the solution of M y' = f(t, y) about a point, for ODEs and for DAEs of any index.
//
// A DAE is differentiated as often as its structure says (offsets.hpp), without forming a derivative: coefficient k + c_i of equation i determines,
// together with those of the others, coefficient k + d_j of every variable. Stages k < 0 are the constraints, hidden ones among them: the point
// is moved onto them by the smallest change. So no method needs the multipliers as unknowns, and no digits are lost to 1/h^2.
#ifndef IVP_REFERENCE_EXPANSION_HPP
#define IVP_REFERENCE_EXPANSION_HPP

#include "dense_lu.hpp"
#include "offsets.hpp"
#include "tape_run.hpp"

#include <ivp/problem.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ivp::reference {

/// A problem as a tape: smooth between the points at which a decision of its formula turns.
class recorded_problem {
public:
    /// Whether the formula can be followed: not that of a problem that comes from outside.
    static bool possible(const problem& p);
    /// An IDE is taken as a DAE. Throws bad_request where the problem cannot be recorded.
    explicit recorded_problem(const problem& p);

    [[nodiscard]] int n() const { return n_; }
    [[nodiscard]] const problem& as_dae() const { return dae_; }
    [[nodiscard]] const equations<quad>& in_quad() const { return dae_.in<quad>(); }
    [[nodiscard]] const tape& formula() const { return *tape_; }
    [[nodiscard]] bool recorded() const { return tape_ != nullptr; }

    /// The formula at this point; false: it refuses it. The first decisions are taken as `sides` says.
    bool record(const quad& t, const quad* y, const std::vector<bool>& sides = {});
    /// The formula with decision k turned, and all before it as they are.
    bool turn(std::size_t k, const quad& t, const quad* y);

private:
    problem dae_;
    int n_;
    const recordable* source_;
    std::shared_ptr<const tape> tape_;
};

template <class N>
class basic_expansion {
public:
    basic_expansion(const recorded_problem& p, int orders);

    /// Why the structure allows no expansion; empty: it does.
    [[nodiscard]] const std::string& fault() const { return fault_; }
    [[nodiscard]] const offsets& structure() const { return offsets_; }
    [[nodiscard]] bool explicit_ode() const { return explicit_; }
    [[nodiscard]] int orders() const { return orders_; }

    /// Sets the values from which stages start; higher coefficients follow from the rows with a mass, as far as they are known.
    void set_point(const N& t, const N* y);
    /// Moves the point to t + h along the series: the values and the derivatives that the stages start from.
    void move(const N& h);
    /// Stages up to 0: constraints hold, and the first derivatives of all differential variables are known.
    bool settle();
    /// All coefficients.
    bool expand();

    [[nodiscard]] const N& t() const { return t_; }
    [[nodiscard]] const N& coefficient(int j, int k) const { return x_[static_cast<std::size_t>(j) * stride_ + k]; }
    /// The series at t + h.
    [[nodiscard]] N value(int j, const N& h) const;
    /// ... of an entry of the tape, after expand().
    [[nodiscard]] N value_of_entry(int entry, const N& h) const;
    /// Of the variables, and the time in which they change: a derivative that is zero, or passes through zero, counts as their quotient.
    void set_sizes(std::vector<N> size, const N& time);

private:
    [[nodiscard]] N& x(int j, int k) { return x_[static_cast<std::size_t>(j) * stride_ + k]; }
    [[nodiscard]] N residual(int i, int order) const;
    [[nodiscard]] N size_of(int j, int order) const;
    void note_sizes();
    void find_structure();
    void guess_derivatives();
    void jacobian(std::vector<N>& j);
    bool stage(int k);

    const tape_in<N> f_;
    int n_;
    int orders_;
    int stride_;
    bool explicit_ = false;
    std::string fault_;
    offsets offsets_;
    int most_c_ = 0;
    int most_d_ = 1;
    N t_ = 0;
    std::vector<N> x_;
    std::vector<N> size_;
    N time_ = 1;
    std::vector<N> largest_; ///< that coefficients 1 .. most_d of each variable have had
    struct mass_entry {
        int i, j;
        N value;
    };
    std::vector<mass_entry> mass_;
    std::vector<std::vector<mass_entry>> mass_row_;
    std::vector<N> matrix_;
    std::vector<N> values_, work_, column_;
    dense_lu<N> lu_;
    series_run<N> series_;
};
using expansion = basic_expansion<quad>;

} // namespace ivp::reference

#endif
