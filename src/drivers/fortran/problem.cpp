// A problem file as a problem: its routines are called once with guarded arrays, and what they say becomes what ivp/plugin.h asks of a problem.
#include "base/text.hpp"
#include "drivers/fortran.hpp"
#include "drivers/fortran/compiled.hpp"
#include "drivers/fortran/routines.hpp"
#include "drivers/plugin.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

namespace ivp {

namespace {

using namespace fortran;

constexpr std::ptrdiff_t guard = 256; ///< numbers on either side of an array that a routine must leave alone
constexpr int spare_rows = 3;         ///< a leading dimension larger than needed is part of the formats

/// An array between guards, unset at first.
class guarded_array {
public:
    explicit guarded_array(std::size_t n) : n_(static_cast<std::ptrdiff_t>(n)), values_(n + 2 * guard, unset_number()) {}

    [[nodiscard]] double* data() { return values_.data() + guard; }
    [[nodiscard]] double operator[](std::ptrdiff_t i) const { return values_[static_cast<std::size_t>(i + guard)]; }
    [[nodiscard]] bool is_set(std::ptrdiff_t i) const { return !is_unset((*this)[i]); }
    [[nodiscard]] std::vector<double> values() const { return {values_.begin() + guard, values_.end() - guard}; }

    /// The element nearest to the array that was written outside of it.
    [[nodiscard]] std::optional<std::ptrdiff_t> written_outside() const
    {
        for (std::ptrdiff_t k = 0; k < guard; ++k) {
            if (is_set(n_ + k)) return n_ + k;
            if (is_set(-1 - k)) return -1 - k;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::optional<std::ptrdiff_t> first_unset() const
    {
        for (std::ptrdiff_t i = 0; i < n_; ++i)
            if (!is_set(i)) return i;
        return std::nullopt;
    }
    [[nodiscard]] bool all_unset() const
    {
        for (std::ptrdiff_t i = 0; i < n_; ++i)
            if (is_set(i)) return false;
        return true;
    }

private:
    std::ptrdiff_t n_;
    std::vector<double> values_;
};

/// Structure of one matrix as the formats have it.
struct matrix_shape {
    int n = 0;
    int lower = 0; ///< n: full
    int upper = 0;
    [[nodiscard]] bool is_full() const { return lower >= n; }
    [[nodiscard]] int rows() const { return is_full() ? n : lower + upper + 1; }
    /// Index of (i, j) in a column, or -1 where nothing is stored.
    [[nodiscard]] int row_of(int i, int j) const { return is_full() ? i : i - j > lower || j - i > upper ? -1 : upper + i - j; }
};

/// One compiled file with everything its routines said.
class fortran_problem {
public:
    fortran_problem(const problem_source& source, std::shared_ptr<const plugin::library> library)
        : path_(source.path), file_(source.file), routines_(fortran::routines_of(path_, file_, std::move(library)))
    {
        check_date();
        const prob_answer a = routines_->prob();
        read_dimension(a); // nothing else can be asked without it
        raise();
        read_names(a);
        read_form(a);
        read_times(a);
        raise();
        read_structure(a);
        read_index(a);
        raise();
        read_initial_values();
        raise();
        read_mass();
        try_evaluation();
        try_jacobians();
        read_tolerances();
        read_output();
        read_reference();
        raise();
    }

    [[nodiscard]] bool has_tolerance_rule() const { return has_tolerance_rule_; }
    [[nodiscard]] bool has_jacobian() const { return has_jacobian_; }
    [[nodiscard]] ivp::form form() const { return form_; }

    void describe(ivp_problem_description& d) const
    {
        d = {};
        d.version = IVP_PLUGIN_VERSION;
        d.size = sizeof d;
        d.id = id_.c_str();
        d.title = title_.c_str();
        d.quantity_of_interest = output_.c_str();
        d.form = form_ == form::ode ? IVP_ODE : form_ == form::dae ? IVP_DAE : IVP_IDE;
        d.n = n_;
        d.t0 = times_.front();
        d.tend = times_.back();
        d.highest_index = highest_index_;
        d.inconsistent = consistent_ ? 0 : 1;
        d.index = index_.empty() ? nullptr : index_.data();
        const matrix_shape j = iteration_shape();
        d.jacobian_kind = j.is_full() ? IVP_FULL : IVP_BAND;
        d.jacobian_lower = j.is_full() ? 0 : j.lower;
        d.jacobian_upper = j.is_full() ? 0 : j.upper;
        if (form_ == form::dae) {
            d.mass_kind = mass_.is_full() ? IVP_MASS_FULL : mass_.rows() == 1 ? IVP_MASS_DIAGONAL : IVP_MASS_BAND;
            d.mass_lower = mass_.is_full() ? 0 : mass_.lower;
            d.mass_upper = mass_.is_full() ? 0 : mass_.upper;
        }
        d.breakpoint_count = static_cast<std::int32_t>(times_.size()) - 2;
        d.breakpoints = times_.data() + 1;
        if (!reference_.empty()) {
            d.reference = reference_.data();
            d.reference_source = reference_source_.c_str();
        }
    }

    int initial(double* y, double* yp) const
    {
        std::ranges::copy(y0_, y);
        if (yp0_.empty() || yp == nullptr) return 0;
        std::ranges::copy(yp0_, yp);
        return 1;
    }
    int f(double t, const double* y, double* out) const { return answer(routines_->f(n_, t, y, out)); }
    int g(double t, const double* y, const double* yp, double* out) const { return answer(routines_->g(n_, t, y, yp, out)); }
    int jacobian(double t, const double* y, double* out) const
    {
        std::fill_n(out, static_cast<std::size_t>(jacobian_.rows()) * n_, 0.0); // a routine may set nothing but what is not zero
        return answer(routines_->jacobian(n_, t, y, out, jacobian_.rows()));
    }
    void mass(double* out) const
    {
        std::fill_n(out, static_cast<std::size_t>(mass_.rows()) * n_, 0.0);
        routines_->mass(n_, times_.front(), out, mass_.rows());
    }
    int partials(double t, const double* y, const double* yp, double a, double b, double* out) const
    {
        by_y_.assign(static_cast<std::size_t>(jacobian_.rows()) * n_, 0.0);
        by_yp_.assign(static_cast<std::size_t>(mass_.rows()) * n_, 0.0);
        const int ierr = routines_->partials(n_, t, y, yp, by_y_.data(), jacobian_.rows(), by_yp_.data(), mass_.rows());
        const matrix_shape to = iteration_shape();
        std::fill_n(out, static_cast<std::size_t>(to.rows()) * n_, 0.0);
        const auto add = [&](const matrix_shape& from, const std::vector<double>& values, double factor) {
            for (int j = 0; j < n_; ++j)
                for (int i = from.is_full() ? 0 : std::max(0, j - from.upper); i <= (from.is_full() ? n_ - 1 : std::min(n_ - 1, j + from.lower)); ++i)
                    out[to.row_of(i, j) + static_cast<std::ptrdiff_t>(j) * to.rows()] +=
                        factor * values[from.row_of(i, j) + static_cast<std::size_t>(j) * from.rows()];
        };
        add(jacobian_, by_y_, a);
        add(mass_, by_yp_, b);
        return answer(ierr);
    }
    void tolerances(double rtol, double atol, double* rtol_out, double* atol_out) const
    {
        guarded_array r(static_cast<std::size_t>(n_)), a(static_cast<std::size_t>(n_));
        r.data()[0] = rtol;
        a.data()[0] = atol;
        const bool vector = routines_->settolerances(n_, r.data(), a.data()) != 0;
        for (int i = 0; i < n_; ++i) {
            rtol_out[i] = r[vector ? i : 0];
            atol_out[i] = a[vector ? i : 0];
        }
    }

private:
    static int answer(int ierr) { return ierr == 0 ? IVP_OK : IVP_REFUSED; }

    // ---- Faults ----

    void fault(const char* routine, const std::string& what)
    {
        faults_.push_back(path_ + ":" + std::to_string(std::max(1, file_.line_of(routine))) + ": " + routine + " " + what);
    }
    void raise()
    {
        if (!faults_.empty()) throw bad_request(std::move(faults_));
    }
    [[nodiscard]] static std::string said(const char* name, integer value) { return std::string(name) + " = " + std::to_string(value); }

    /// What a routine wrote into arrays of length neqn.
    void check_array(const char* routine, const char* name, const guarded_array& a, bool all_of_it = true)
    {
        const auto element = [name](std::ptrdiff_t i) { return std::string(name) + "(" + std::to_string(i + 1) + ")"; };
        if (const auto i = a.written_outside()) fault(routine, "writes to " + element(*i) + ", but neqn = " + std::to_string(n_));
        if (!all_of_it) return;
        if (const auto i = a.first_unset()) fault(routine, "leaves " + element(*i) + " unset; neqn = " + std::to_string(n_));
    }

    // ---- prob ----

    void check_date()
    {
        if (file_.format != problem_format::release_2_3) return;
        if (const int date = routines_->pidate(); date != interface_date)
            fault("pidate", "gives " + std::to_string(date) + "; allowed: " + std::to_string(interface_date));
        raise();
    }

    void read_dimension(const prob_answer& a)
    {
        if (a.neqn == unset_integer)
            fault("prob", "leaves neqn unset");
        else if (a.neqn < 1 || a.neqn > most_equations)
            fault("prob", "sets " + said("neqn", a.neqn) + "; allowed: 1 to " + std::to_string(most_equations));
        n_ = a.neqn;
    }

    void read_names(const prob_answer& a)
    {
        id_ = as_name(a.short_name);
        if (id_.empty()) id_ = as_name(std::filesystem::path(path_).stem().string());
        if (id_.empty()) id_ = "problem";
        title_ = plain_line(a.full_name.empty() ? a.short_name : a.full_name);
    }
    /// As records know problems: letters a-z, digits, '-' and '_', first a letter.
    static std::string as_name(const std::string& text)
    {
        std::string name;
        for (const char c : text) {
            const auto small = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            name += std::isalnum(static_cast<unsigned char>(small)) != 0 || small == '_' ? small : '-';
        }
        name.resize(std::min<std::size_t>(name.size(), 40));
        return plugin::is_name(name) ? name : "";
    }

    void read_form(const prob_answer& a)
    {
        if (is_of_1996(file_.format)) {
            form_ = file_.format == problem_format::ode_1996 ? form::ode : file_.format == problem_format::dae_1996 ? form::dae : form::ide;
            return;
        }
        std::string type = a.type;
        for (char& c : type) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (const auto f = form_from_label(type))
            form_ = *f;
        else
            fault("prob", "sets type = '" + plain_line(a.type) + "'; allowed: 'ODE', 'DAE', 'IDE'");
    }

    void read_times(const prob_answer& a)
    {
        if (a.ndisc < 0 || a.ndisc > most_breakpoints) {
            if (a.ndisc == unset_integer) return fault("prob", "leaves ndisc unset");
            return fault("prob", "sets " + said("ndisc", a.ndisc) + "; allowed: 0 to " + std::to_string(most_breakpoints));
        }
        times_.assign(a.t.begin(), a.t.begin() + a.ndisc + 2);
        const auto name = [&](std::size_t k) {
            if (is_of_1996(file_.format)) return std::string(k == 0 ? "tbegin" : "tend");
            return "t(" + std::to_string(k) + ")";
        };
        for (std::size_t k = 0; k < times_.size(); ++k) {
            if (is_unset(times_[k])) return fault("prob", "leaves " + name(k) + " unset");
            if (!std::isfinite(times_[k]) || (k > 0 && !(times_[k - 1] < times_[k])))
                return fault("prob", "sets " + name(k) + " = " + to_text(times_[k]) + "; allowed: finite times, each later than the one before");
        }
    }

    /// ml = neqn: full; else a band.
    matrix_shape shape(const char* lower_name, integer lower, const char* upper_name, integer upper)
    {
        const auto allowed = [](int last) { return "; allowed: 0 to " + std::to_string(last); };
        if (lower == unset_integer)
            fault("prob", std::string("leaves ") + lower_name + " unset");
        else if (lower < 0 || lower > n_)
            fault("prob", "sets " + said(lower_name, lower) + allowed(n_) + " (neqn: full)");
        else if (lower < n_ && upper == unset_integer)
            fault("prob", std::string("leaves ") + upper_name + " unset, which a band matrix needs");
        else if (lower < n_ && (upper < 0 || upper >= n_))
            fault("prob", "sets " + said(upper_name, upper) + allowed(n_ - 1));
        return {n_, lower, upper};
    }

    void read_structure(const prob_answer& a)
    {
        const bool modern = !is_of_1996(file_.format);
        const char* const switch_name = modern ? "numjac" : "ijac";
        if (a.numjac == unset_integer)
            fault("prob", std::string("leaves ") + switch_name + " unset");
        else if (!modern && a.numjac != 0 && a.numjac != 1)
            fault("prob", "sets " + said(switch_name, a.numjac) + "; allowed: 0, 1");
        jacobian_ = shape("mljac", a.mljac, "mujac", a.mujac);
        mass_ = {n_, 0, 0};
        if (form_ == form::dae || (form_ == form::ide && modern)) mass_ = shape("mlmas", a.mlmas, "mumas", a.mumas);
        if (form_ == form::ide && !modern) mass_ = jacobian_; // both have the same
        bool by_differences = a.numjac != 0;
        if (form_ == form::ide && modern) {
            if (a.nummas == unset_integer) fault("prob", "leaves nummas unset");
            by_differences = by_differences || a.nummas != 0;
        }
        has_jacobian_ = !by_differences;
        const auto require = [this](const char* routine, const std::string& why) {
            if (!file_.has(routine)) fault("prob", why + ", but the file has no subroutine " + routine);
        };
        if (has_jacobian_) require("jeval", modern ? "sets numjac = .false." : "sets ijac = 1");
        if (form_ == form::dae && modern) require("meval", "sets type = 'DAE'");
        if (form_ == form::ide && modern && has_jacobian_) require("meval", "sets nummas = .false.");
    }

    void read_index(const prob_answer& a)
    {
        if (form_ == form::ode) return;
        index_.assign(static_cast<std::size_t>(n_), 1);
        if (is_of_1996(file_.format)) {
            const std::array counts{a.ind1, a.ind2, a.ind3};
            if (std::ranges::find(counts, unset_integer) != counts.end()) return fault("prob", "leaves ind1, ind2 or ind3 unset");
            const std::int64_t sum = std::int64_t{a.ind1} + a.ind2 + a.ind3;
            if (a.ind1 < 1 || a.ind2 < 0 || a.ind3 < 0 || sum != n_)
                return fault("prob", "sets " + said("ind1", a.ind1) + ", " + said("ind2", a.ind2) + ", " + said("ind3", a.ind3) +
                                         "; allowed: ind1 > 0 and ind1 + ind2 + ind3 = neqn = " + std::to_string(n_));
            std::fill(index_.begin() + a.ind1, index_.end(), 2);
            std::fill(index_.begin() + a.ind1 + a.ind2, index_.end(), 3);
        } else {
            if (std::ranges::any_of(a.ind.begin() + n_, a.ind.end(), [](integer i) { return i != unset_integer; }))
                fault("prob", "writes beyond ind(" + std::to_string(n_) + "), but neqn = " + std::to_string(n_));
            for (int i = 0; i < n_; ++i) {
                const integer value = a.ind[static_cast<std::size_t>(i)];
                const std::string name = "ind(" + std::to_string(i + 1) + ")";
                if (value == unset_integer) return fault("prob", "leaves " + name + " unset");
                if (value < 0 || value > 3) return fault("prob", "sets " + said(name.c_str(), value) + "; allowed: 0 to 3");
                index_[static_cast<std::size_t>(i)] = std::max(value, 1); // drivers take 0 for 1 too
            }
        }
        highest_index_ = *std::ranges::max_element(index_);
    }

    /// Both matrices of an IDE in one.
    [[nodiscard]] matrix_shape iteration_shape() const
    {
        if (form_ != form::ide) return jacobian_;
        if (jacobian_.is_full() || mass_.is_full()) return {n_, n_, n_};
        return {n_, std::max(jacobian_.lower, mass_.lower), std::max(jacobian_.upper, mass_.upper)};
    }

    // ---- The other routines, each called once with guards ----

    void read_initial_values()
    {
        guarded_array y(static_cast<std::size_t>(n_)), yp(static_cast<std::size_t>(n_));
        logical consistent = unset_integer;
        routines_->init(n_, times_.front(), y.data(), yp.data(), consistent);
        check_array("init", "y", y);
        y0_ = y.values();
        if (form_ == form::ode) return;
        const bool of_1996 = is_of_1996(file_.format);
        const char* const name = of_1996 ? "incon" : "consis";
        if (consistent == unset_integer)
            fault("init", std::string("leaves ") + name + " unset");
        else if (of_1996 && consistent != 0 && consistent != 1)
            fault("init", "sets " + said(name, consistent) + "; allowed: 0, 1");
        consistent_ = consistent != 0;
        check_array("init", of_1996 ? "dy" : "yprime", yp, !yp.all_unset());
        // Of an inconsistent start y' is a guess at best: solvers that need it find their own.
        if (consistent_ && !yp.all_unset()) yp0_ = yp.values();
    }

    void read_mass()
    {
        if (form_ != form::dae) return;
        const char* const routine = is_of_1996(file_.format) ? "mas" : "meval";
        try_matrix(routine, mass_, [this](double* out, int ld) {
            routines_->mass(n_, times_.front(), out, ld);
            return 0;
        });
    }

    void try_evaluation()
    {
        guarded_array out(static_cast<std::size_t>(n_));
        const bool of_1996 = is_of_1996(file_.format);
        const bool residual = form_ == form::ide;
        const std::vector<double> yp = yp0_.empty() ? std::vector<double>(static_cast<std::size_t>(n_)) : yp0_;
        const int ierr =
            residual ? routines_->g(n_, times_.front(), y0_.data(), yp.data(), out.data()) : routines_->f(n_, times_.front(), y0_.data(), out.data());
        check_array(residual && of_1996 ? "geval" : "feval", residual && of_1996 ? "g" : of_1996 ? "dy" : "f", out, ierr == 0);
    }

    void try_jacobians()
    {
        if (!has_jacobian_) return;
        const double t = times_.front();
        const std::vector<double> yp = yp0_.empty() ? std::vector<double>(static_cast<std::size_t>(n_)) : yp0_;
        if (form_ != form::ide) {
            try_matrix("jeval", jacobian_, [&](double* out, int ld) { return routines_->jacobian(n_, t, y0_.data(), out, ld); });
            return;
        }
        std::vector<double> other(static_cast<std::size_t>(n_ + spare_rows) * n_ + guard);
        const bool one_routine = is_of_1996(file_.format);
        try_matrix("jeval", jacobian_, [&](double* out, int ld) {
            return routines_->partials(n_, t, y0_.data(), yp.data(), out, ld, one_routine ? other.data() : nullptr, ld);
        });
        try_matrix(one_routine ? "jeval" : "meval", mass_, [&](double* out, int ld) {
            return routines_->partials(n_, t, y0_.data(), yp.data(), one_routine ? other.data() : nullptr, ld, out, ld);
        });
    }

    /// A matrix must be the same with every leading dimension, and only its own part of the array may be written.
    template <class Call>
    void try_matrix(const char* routine, const matrix_shape& s, Call&& call)
    {
        const int rows = s.rows();
        const int larger = rows + spare_rows;
        guarded_array exact(static_cast<std::size_t>(rows) * n_), spare(static_cast<std::size_t>(larger) * n_);
        if (call(exact.data(), rows) != 0 || call(spare.data(), larger) != 0) return; // refused: nothing can be said
        const auto complain = [&](int ld, const std::string& what) {
            fault(routine, "ignores ldim: called with ldim = " + std::to_string(ld) + " for a matrix of " +
                               counted(static_cast<std::uint64_t>(rows), "row") + " and " + counted(static_cast<std::uint64_t>(n_), "column") +
                               ", it " + what);
        };
        if (exact.written_outside()) return complain(rows, "writes outside of the array");
        if (spare.written_outside()) return complain(larger, "writes outside of the array");
        for (int j = 0; j < n_; ++j)
            for (int i = 0; i < larger; ++i) {
                const std::ptrdiff_t at = i + static_cast<std::ptrdiff_t>(j) * larger;
                const auto place = [&] { return "(" + std::to_string(i + 1) + "," + std::to_string(j + 1) + ")"; };
                if (i >= rows) {
                    if (spare.is_set(at)) return complain(larger, "writes to " + place());
                    continue;
                }
                const double a = exact[i + static_cast<std::ptrdiff_t>(j) * rows];
                const double b = spare[at];
                const bool same = is_unset(a) == is_unset(b) && (a == b || (std::isnan(a) && std::isnan(b)));
                if (!same) return complain(larger, "gives another element " + place() + " than with ldim = " + std::to_string(rows));
            }
    }

    void read_tolerances()
    {
        if (!file_.has("settolerances")) return;
        constexpr double rtol = 1e-4, atol = 3e-5; // two numbers that nobody writes into a file by accident
        guarded_array r(static_cast<std::size_t>(n_)), a(static_cast<std::size_t>(n_));
        r.data()[0] = rtol;
        a.data()[0] = atol;
        const bool vector = routines_->settolerances(n_, r.data(), a.data()) != 0;
        check_array("settolerances", "rtol", r, vector);
        check_array("settolerances", "atol", a, vector);
        has_tolerance_rule_ = vector || r[0] != rtol || a[0] != atol;
    }

    void read_output()
    {
        if (!file_.has("setoutput")) return;
        output_answer o;
        routines_->setoutput(n_, o);
        if (o.solref == unset_integer) fault("setoutput", "leaves solref unset");
        claims_solution_ = o.solref != 0;
        if (claims_solution_ && !file_.has("solut")) fault("setoutput", "sets solref = .true., but the file has no subroutine solut");
        if (o.printsolout == 0 || o.printsolout == unset_integer) return;
        if (o.nindsol < 1 || o.nindsol > n_)
            return fault("setoutput", (o.nindsol == unset_integer ? "leaves nindsol unset" : "sets " + said("nindsol", o.nindsol)) +
                                          "; allowed: 1 to neqn = " + std::to_string(n_));
        std::vector<std::string> names;
        for (int k = 0; k < o.nindsol; ++k) {
            const integer i = o.indsol[static_cast<std::size_t>(k)];
            if (i < 1 || i > n_)
                return fault("setoutput", (i == unset_integer ? "leaves indsol(" + std::to_string(k + 1) + ") unset"
                                                              : "sets indsol(" + std::to_string(k + 1) + ") = " + std::to_string(i)) +
                                              "; allowed: 1 to neqn = " + std::to_string(n_));
            names.push_back("y(" + std::to_string(i) + ")");
        }
        if (o.nindsol < n_) output_ = joined(names, ", ") + " (setoutput)";
    }

    void read_reference()
    {
        if (!file_.has("solut") || !claims_solution_) return;
        guarded_array y(static_cast<std::size_t>(n_));
        routines_->solut(n_, times_.back(), y.data());
        if (y.all_unset() && !y.written_outside()) return; // a dummy
        check_array("solut", "y", y);
        reference_ = y.values();
        reference_source_ = "solut of " + std::filesystem::path(path_).filename().string() + ": the file's own claim, not confirmed";
    }

    std::string path_;
    recognised_file file_;
    std::unique_ptr<const routines> routines_;
    std::vector<std::string> faults_;

    std::string id_, title_, output_;
    ivp::form form_ = form::ode;
    int n_ = 0;
    std::vector<double> times_;
    matrix_shape jacobian_, mass_;
    bool has_jacobian_ = false;
    bool consistent_ = true;
    bool has_tolerance_rule_ = false;
    bool claims_solution_ = true; ///< before release 2.3 every file has one
    int highest_index_ = 0;
    std::vector<int> index_;
    std::vector<double> y0_, yp0_, reference_;
    std::string reference_source_;
    mutable std::vector<double> by_y_, by_yp_; ///< the table says that there is one call at a time
};

const fortran_problem& of(const void* self) { return *static_cast<const fortran_problem*>(self); }

ivp_problem table_of(const fortran_problem& p)
{
    ivp_problem t{};
    t.version = IVP_PLUGIN_VERSION;
    t.size = sizeof t;
    t.flags = IVP_PROBLEM_SERIAL; // COMMON blocks, and local variables that keep their values
    t.describe = [](const void* self, ivp_problem_description* out) { of(self).describe(*out); };
    t.initial = [](const void* self, double* y, double* yp) { return of(self).initial(y, yp); };
    t.f = [](const void* self, double at, const double* y, double* out) { return of(self).f(at, y, out); };
    t.g = [](const void* self, double at, const double* y, const double* yp, double* out) { return of(self).g(at, y, yp, out); };
    t.mass = [](const void* self, double* out) { of(self).mass(out); };
    if (p.has_jacobian() && p.form() != form::ide)
        t.jacobian = [](const void* self, double at, const double* y, double* out) { return of(self).jacobian(at, y, out); };
    if (p.has_jacobian() && p.form() == form::ide)
        t.partials = [](const void* self, double at, const double* y, const double* yp, double a, double b, double* out) {
            return of(self).partials(at, y, yp, a, b, out);
        };
    if (p.has_tolerance_rule())
        t.tolerances = [](const void* self, double rtol, double atol, double* rtol_out, double* atol_out) {
            of(self).tolerances(rtol, atol, rtol_out, atol_out);
        };
    return t;
}

} // namespace

problem load_fortran_problem(const std::string& path, const std::function<void(problem_info&)>& refine)
{
    const problem_source source = read_source(path);
    auto library = std::make_shared<const plugin::library>(compiled_library(source));
    auto p = std::make_shared<fortran_problem>(source, std::move(library));
    const ivp_problem table = table_of(*p);
    void* const self = p.get();
    const bool exact = p->has_jacobian();
    return problem_of("Fortran file '" + path + "'", table, self, std::move(p), [&](problem_info& info) {
        info.origin = "Fortran file";
        info.start_residual = 1e-6; // files have y0' with as many digits as were printed once
        info.protocol.published_jacobian = exact ? jacobian_source::exact : jacobian_source::differences;
        if (refine) refine(info);
    });
}

} // namespace ivp
