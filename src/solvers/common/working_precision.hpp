// The equations of a problem for a code that calculates in single or double precision. Formulas are evaluated in double; what a code in single
// precision sees of them is rounded.
#ifndef IVP_SOLVERS_COMMON_WORKING_PRECISION_HPP
#define IVP_SOLVERS_COMMON_WORKING_PRECISION_HPP

#include <ivp/evaluator.hpp>

#include <algorithm>
#include <vector>

namespace ivp::solvers {

template <class From, class To>
void copy_rounded(const From* from, std::size_t n, To* to)
{
    std::transform(from, from + n, to, [](From v) { return static_cast<To>(v); });
}

/// f in Real. The evaluator must outlive this object.
template <class Real>
class working_precision;

template <>
class working_precision<double> {
public:
    explicit working_precision(evaluator& e) : e_(e) {}
    evaluation f(double t, const double* y, double* out) { return e_.f(t, y, out); }
    /// v as the evaluator takes it, until the next call.
    static const double* widened(const double* v) { return v; }

private:
    evaluator& e_;
};

template <>
class working_precision<float> {
public:
    explicit working_precision(evaluator& e) : e_(e), wide_(e.n()), value_(e.n()) {}
    evaluation f(float t, const float* y, float* out)
    {
        const evaluation answer = e_.f(t, widened(y), value_.data());
        copy_rounded(value_.data(), value_.size(), out);
        return answer;
    }
    const double* widened(const float* v)
    {
        std::copy_n(v, wide_.size(), wide_.begin());
        return wide_.data();
    }

private:
    evaluator& e_;
    std::vector<double> wide_, value_;
};

} // namespace ivp::solvers

#endif
