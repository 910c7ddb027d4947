#include "drivers/fortran/routines.hpp"

#include <ivp/problem.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace ivp::fortran {

namespace {

// A quiet NaN that no arithmetic gives.
constexpr std::uint64_t unset_bits = 0x7ff8'5a5a'c3c3'9696U;

constexpr std::size_t full_name_length = 80;  ///< drivers have 40
constexpr std::size_t short_name_length = 24; ///< drivers have 8
constexpr std::size_t type_length = 3;

std::string trimmed(const std::string& blank_padded)
{
    const auto end = blank_padded.find_last_not_of(' ');
    return end == std::string::npos ? "" : blank_padded.substr(0, end + 1);
}

template <class T>
T* writable(const T* p)
{
    return const_cast<T*>(p); // Fortran knows no const; a routine that writes to its input breaks the format
}

/// The address of a routine; the file has it, so that a missing symbol means another scope (a module).
class symbols {
public:
    symbols(std::string path, const recognised_file& file, std::shared_ptr<const plugin::library> library)
        : path_(std::move(path)), file_(file), library_(std::move(library))
    {}

    template <class Function>
    [[nodiscard]] Function* find(const std::string& name) const
    {
        if (!file_.has(name)) return nullptr;
        auto* const f = library_->symbol<Function>((name + "_").c_str());
        if (f == nullptr)
            throw bad_request(path_ + ":" + std::to_string(file_.line_of(name)) + ": " + name +
                              " is not an external routine; allowed: routines outside of modules and of other routines");
        return f;
    }

private:
    std::string path_;
    const recognised_file& file_;
    std::shared_ptr<const plugin::library> library_;
};

// ---- 1996 ----

/// Every class has arguments of its own; what a class does not have is never asked of it.
class routines_1996 final : public routines {
public:
    routines_1996(problem_format format, const symbols& from, std::shared_ptr<const plugin::library> library)
        : format_(format), library_(std::move(library))
    {
        if (format == problem_format::ode_1996) {
            prob_ode_ = from.find<prob_ode>("prob");
            init_ode_ = from.find<init_ode>("init");
        } else {
            init_ = from.find<init_implicit>("init");
        }
        if (format == problem_format::dae_1996) {
            prob_dae_ = from.find<prob_dae>("prob");
            mas_ = from.find<mas>("mas");
        }
        if (format == problem_format::ide_1996) {
            prob_ide_ = from.find<prob_ide>("prob");
            geval_ = from.find<geval>("geval");
            jeval_ide_ = from.find<jeval_ide>("jeval");
        } else {
            feval_ = from.find<feval>("feval");
            jeval_ = from.find<jeval>("jeval");
        }
        solut_ = from.find<solution>("solut");
    }

    [[nodiscard]] prob_answer prob() const override
    {
        prob_answer a;
        std::string name(short_name_length, ' ');
        a.t.assign(2, unset_number());
        integer ijac = unset_integer;
        double* const begin = a.t.data();
        double* const end = a.t.data() + 1;
        if (format_ == problem_format::ode_1996)
            prob_ode_(name.data(), &a.neqn, begin, end, &ijac, &a.mljac, &a.mujac, name.size());
        else if (format_ == problem_format::dae_1996)
            prob_dae_(name.data(), &a.neqn, begin, end, &ijac, &a.mljac, &a.mujac, &a.mlmas, &a.mumas, &a.ind1, &a.ind2, &a.ind3, name.size());
        else
            prob_ide_(name.data(), &a.neqn, begin, end, &ijac, &a.mljac, &a.mujac, &a.ind1, &a.ind2, &a.ind3, name.size());
        a.short_name = trimmed(name);
        a.numjac = ijac == 0 ? 1 : ijac == 1 ? 0 : ijac; // the opposite sense; what is neither stays as it is
        a.nummas = a.numjac;
        return a;
    }
    void init(integer n, double /*t*/, double* y, double* yp, logical& consis) const override
    {
        if (init_ode_ != nullptr) return init_ode_(&n, y);
        init_(&n, y, yp, &consis);
    }
    int f(integer n, double t, const double* y, double* out) const override
    {
        feval_(&n, &t, writable(y), out);
        return 0;
    }
    int g(integer n, double t, const double* y, const double* yp, double* out) const override
    {
        geval_(&n, &t, writable(y), writable(yp), out);
        return 0;
    }
    int jacobian(integer n, double t, const double* y, double* out, integer ld) const override
    {
        jeval_(&n, &t, writable(y), out, &ld);
        return 0;
    }
    void mass(integer n, double /*t*/, double* out, integer ld) const override { mas_(&n, out, &ld); }
    int partials(integer n, double t, const double* y, const double* yp, double* by_y, integer ld, double* by_yp, integer /*ld_yp*/) const override
    {
        jeval_ide_(&n, &t, writable(y), writable(yp), by_y, by_yp, &ld);
        return 0;
    }
    void solut(integer n, double /*t*/, double* y) const override { solut_(&n, y); }

private:
    using prob_ode = void(char*, integer*, double*, double*, integer*, integer*, integer*, std::size_t);
    using prob_ide = void(char*, integer*, double*, double*, integer*, integer*, integer*, integer*, integer*, integer*, std::size_t);
    using prob_dae = void(char*, integer*, double*, double*, integer*, integer*, integer*, integer*, integer*, integer*, integer*, integer*,
                          std::size_t);
    using init_ode = void(integer*, double*);
    using init_implicit = void(integer*, double*, double*, integer*);
    using feval = void(integer*, double*, double*, double*);
    using geval = void(integer*, double*, double*, double*, double*);
    using jeval = void(integer*, double*, double*, double*, integer*);
    using jeval_ide = void(integer*, double*, double*, double*, double*, double*, integer*);
    using mas = void(integer*, double*, integer*);
    using solution = void(integer*, double*);

    problem_format format_;
    std::shared_ptr<const plugin::library> library_;
    prob_ode* prob_ode_ = nullptr;
    prob_dae* prob_dae_ = nullptr;
    prob_ide* prob_ide_ = nullptr;
    init_ode* init_ode_ = nullptr;
    init_implicit* init_ = nullptr;
    feval* feval_ = nullptr;
    geval* geval_ = nullptr;
    jeval* jeval_ = nullptr;
    jeval_ide* jeval_ide_ = nullptr;
    mas* mas_ = nullptr;
    solution* solut_ = nullptr;
};

// ---- Release 2.0 and later ----

class routines_2 final : public routines {
public:
    routines_2(const symbols& from, std::shared_ptr<const plugin::library> library)
        : library_(std::move(library)),
          prob_(from.find<std::remove_pointer_t<decltype(prob_)>>("prob")),
          init_(from.find<std::remove_pointer_t<decltype(init_)>>("init")),
          feval_(from.find<function>("feval")),
          jeval_(from.find<matrix>("jeval")),
          meval_(from.find<matrix>("meval")),
          solut_(from.find<std::remove_pointer_t<decltype(solut_)>>("solut")),
          pidate_(from.find<std::remove_pointer_t<decltype(pidate_)>>("pidate")),
          settolerances_(from.find<std::remove_pointer_t<decltype(settolerances_)>>("settolerances")),
          setoutput_(from.find<std::remove_pointer_t<decltype(setoutput_)>>("setoutput"))
    {}

    [[nodiscard]] prob_answer prob() const override
    {
        prob_answer a;
        // Files that were written for texts of a certain length fill the first characters only.
        std::string full(full_name_length, ' '), name(short_name_length, ' '), type(type_length, ' ');
        a.t.assign(most_breakpoints + 2, unset_number());
        a.ndisc = unset_integer;
        a.ind.assign(most_equations, unset_integer);
        prob_(full.data(), name.data(), type.data(), &a.neqn, &a.ndisc, a.t.data(), &a.numjac, &a.mljac, &a.mujac, &a.nummas, &a.mlmas, &a.mumas,
              a.ind.data(), full.size(), name.size(), type.size());
        a.full_name = trimmed(full);
        a.short_name = trimmed(name);
        a.type = trimmed(type);
        return a;
    }
    void init(integer n, double t, double* y, double* yp, logical& consis) const override { init_(&n, &t, y, yp, &consis); }
    int f(integer n, double t, const double* y, double* out) const override
    {
        // y' means nothing to an ODE or DAE: its place is taken by y, which can be read.
        return evaluated([&](integer* ierr) { feval_(&n, &t, writable(y), writable(y), out, ierr, rpar_.data(), ipar_.data()); });
    }
    int g(integer n, double t, const double* y, const double* yp, double* out) const override
    {
        return evaluated([&](integer* ierr) { feval_(&n, &t, writable(y), writable(yp), out, ierr, rpar_.data(), ipar_.data()); });
    }
    int jacobian(integer n, double t, const double* y, double* out, integer ld) const override
    {
        return evaluated([&](integer* ierr) { jeval_(&ld, &n, &t, writable(y), writable(y), out, ierr, rpar_.data(), ipar_.data()); });
    }
    void mass(integer n, double t, double* out, integer ld) const override
    {
        std::vector<double> zeros(static_cast<std::size_t>(n)); // must not be used, but must be there
        evaluated([&](integer* ierr) { meval_(&ld, &n, &t, zeros.data(), zeros.data(), out, ierr, rpar_.data(), ipar_.data()); });
    }
    int partials(integer n, double t, const double* y, const double* yp, double* by_y, integer ld, double* by_yp, integer ld_yp) const override
    {
        int answer = 0;
        const auto call = [&](matrix* routine, double* out, integer leading) {
            if (out == nullptr || answer != 0) return;
            answer = evaluated([&](integer* ierr) { routine(&leading, &n, &t, writable(y), writable(yp), out, ierr, rpar_.data(), ipar_.data()); });
        };
        call(jeval_, by_y, ld);
        call(meval_, by_yp, ld_yp);
        return answer;
    }
    void solut(integer n, double t, double* y) const override { solut_(&n, &t, y); }
    [[nodiscard]] int pidate() const override { return pidate_ == nullptr ? 0 : pidate_(); }
    logical settolerances(integer n, double* rtol, double* atol) const override
    {
        logical tolvec = 0;
        if (settolerances_ != nullptr) settolerances_(&n, rtol, atol, &tolvec);
        return tolvec;
    }
    void setoutput(integer n, output_answer& out) const override
    {
        out.indsol.assign(static_cast<std::size_t>(n), unset_integer);
        if (setoutput_ != nullptr) setoutput_(&n, &out.solref, &out.printsolout, &out.nindsol, out.indsol.data());
    }

private:
    using function = void(integer*, double*, double*, double*, double*, integer*, double*, integer*);
    using matrix = void(integer*, integer*, double*, double*, double*, double*, integer*, double*, integer*);

    template <class Call>
    static int evaluated(Call&& call)
    {
        integer ierr = 0;
        call(&ierr);
        return ierr;
    }

    std::shared_ptr<const plugin::library> library_;
    void (*prob_)(char*, char*, char*, integer*, integer*, double*, logical*, integer*, integer*, logical*, integer*, integer*, integer*, std::size_t,
                  std::size_t, std::size_t);
    void (*init_)(integer*, double*, double*, double*, logical*);
    function* feval_;
    matrix* jeval_;
    matrix* meval_;
    void (*solut_)(integer*, double*, double*);
    integer (*pidate_)();
    void (*settolerances_)(integer*, double*, double*, logical*);
    void (*setoutput_)(integer*, logical*, logical*, integer*, integer*);
    // Drivers hand over one number and two integers, which no file of the test set uses.
    mutable std::array<double, 64> rpar_{};
    mutable std::array<integer, 64> ipar_{};
};

} // namespace

double unset_number() { return std::bit_cast<double>(unset_bits); }
bool is_unset(double v) { return std::bit_cast<std::uint64_t>(v) == unset_bits; }

std::unique_ptr<const routines> routines_of(const std::string& path, const recognised_file& file, std::shared_ptr<const plugin::library> library)
{
    const symbols from(path, file, library);
    if (is_of_1996(file.format)) return std::make_unique<routines_1996>(file.format, from, std::move(library));
    return std::make_unique<routines_2>(from, std::move(library));
}

} // namespace ivp::fortran
