// What the problems of DETEST have in common: from the text of one problem and its row of data.def to a problem of the catalog.
//
// A problem's text P<R> is that of every problem (problem_of.hpp), but for two things: describe(problem_info&) adds only what is special, and the
// formula is reached through a virtual call, so that 60 small problems share one instantiation of everything around it.
#ifndef IVP_PROBLEMS_DETEST_FAMILY_HPP
#define IVP_PROBLEMS_DETEST_FAMILY_HPP

#include <ivp/problem.hpp>
#include <ivp/recorder.hpp>
#include <ivp/scalar.hpp>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ivp::problems::detest {

template <class R>
class formula {
public:
    virtual ~formula() = default;
    virtual void initial(R* y) const = 0;
    virtual void f(const R& t, const R* y, R* out) const = 0;
    virtual void f(const dual<R, 4>& t, const dual<R, 4>* y, dual<R, 4>* out) const = 0;
    virtual void f(const tracer& t, const tracer* y, tracer* out) const = 0;       ///< of the text in double precision only
    virtual void f(const recorder& t, const recorder* y, recorder* out) const = 0; ///< of the text in quadruple precision only
    /// f(t, w z) / w.
    virtual evaluation scaled(const R& t, const R* z, const R* w, R* out) const = 0;
};

/// n: the number of equations.
template <template <class> class P, class R, int n>
class formula_of final : public formula<R> {
public:
    explicit formula_of(const parameter_values& p) : text_(p) {}
    void initial(R* y) const override { text_.initial(y); }
    void f(const R& t, const R* y, R* out) const override { text_.f(t, y, out); }
    void f(const dual<R, 4>& t, const dual<R, 4>* y, dual<R, 4>* out) const override { text_.f(t, y, out); }
    void f(const tracer& t, const tracer* y, tracer* out) const override
    {
        if constexpr (std::is_same_v<R, double>) text_.f(t, y, out);
    }
    void f(const recorder& t, const recorder* y, recorder* out) const override
    {
        if constexpr (std::is_same_v<R, quad>) text_.f(t, y, out);
    }
    // In one piece: what is stored and loaded again between the parts takes as long as the formula of most problems.
    evaluation scaled(const R& t, const R* z, const R* w, R* out) const override
    {
        R y[n];
        R derivative[n];
        for (int i = 0; i < n; ++i) {
            y[i] = z[i] * w[i];
            as_just_written();
        }
        text_.f(t, y, derivative);
        for (int i = 0; i < n; ++i) {
            out[i] = derivative[i] / w[i];
            as_just_written();
        }
        return evaluation::ok;
    }

private:
    // A solver that was compiled without vectors has just written z number by number. Of a few of them a wide load would wait until all have left the
    // store buffer, which costs more than the whole evaluation, so the compiler must not join them.
    static void as_just_written()
    {
        constexpr int few = 8;
        if constexpr (n <= few) asm volatile("");
    }

    P<R> text_;
};

/// One problem's text, as far as the precision does not matter.
struct text {
    std::string id;
    std::vector<parameter> parameters; ///< of its own
    void (*describe)(problem_info& i);
    std::shared_ptr<const formula<double>> (*in_double)(const parameter_values& p);
    std::shared_ptr<const formula<quad>> (*in_quad)(const parameter_values& p);
    ivp::chapter chapter;
};

std::vector<parameter> all_parameters(std::vector<parameter> own);
problem make_problem(const text& t, const std::map<std::string, std::string>& given);

template <template <class> class P>
std::vector<parameter> parameters_of()
{
    return all_parameters(P<double>::parameters());
}

template <template <class> class P, int n>
problem make(const char* id, const std::map<std::string, std::string>& given, ivp::chapter c)
{
    text t;
    t.id = id;
    t.parameters = P<double>::parameters();
    t.describe = [](problem_info& i) { P<double>::describe(i); };
    t.in_double = [](const parameter_values& p) -> std::shared_ptr<const formula<double>> { return std::make_shared<formula_of<P, double, n>>(p); };
    t.in_quad = [](const parameter_values& p) -> std::shared_ptr<const formula<quad>> { return std::make_shared<formula_of<P, quad, n>>(p); };
    t.chapter = c;
    return make_problem(t, given);
}

/// A constant of a formula: the nearest R.
template <class R>
R number(const char* text)
{
    return decimal(text).in<R>();
}

inline void autonomous(problem_info& i) { i.tags.emplace_back("autonomous"); }

/// f is not smooth at these times, but DETEST gives the solver the bare problem: no restarts.
inline void not_smooth_at(problem_info& i, int first, int last)
{
    i.tags.emplace_back("discontinuous");
    for (int k = first; k <= last; ++k) i.discontinuities.emplace_back(k);
}

} // namespace ivp::problems::detest

#endif
