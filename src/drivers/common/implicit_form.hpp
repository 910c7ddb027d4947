// Any problem as G(t, y, y') = 0, for libraries that take this form: M y' − f where the problem is not written as G.
#ifndef IVP_SRC_DRIVERS_COMMON_IMPLICIT_FORM_HPP
#define IVP_SRC_DRIVERS_COMMON_IMPLICIT_FORM_HPP

#include <ivp/evaluator.hpp>
#include <ivp/problem.hpp>

#include <algorithm>

namespace ivp {

/// f: room for n numbers.
inline evaluation residual_of(evaluator& e, double t, const double* y, const double* yp, double* f, double* out)
{
    if (e.problem().info().form == form::ide) return e.g(t, y, yp, out);
    const evaluation answer = e.f(t, y, f);
    if (answer != evaluation::ok) return answer;
    e.mass().multiply(yp, out);
    for (int i = 0; i < e.n(); ++i) out[i] -= f[i];
    return answer;
}

/// dG/dy + c dG/dy'
inline evaluation partials_of(evaluator& e, double t, const double* y, const double* yp, double c, const matrix_view<double>& out)
{
    if (e.problem().info().form == form::ide) return e.partials(t, y, yp, 1, c, out);
    const evaluation answer = e.jacobian(t, y, out);
    if (answer != evaluation::ok) return answer;
    std::transform(out.data, out.data + out.size(), out.data, [](double v) { return -v; });
    e.mass().for_each_entry([&](int i, int k, double m) {
        if (const auto at = out.position(i, k); at >= 0) out.data[at] += c * m;
    });
    return answer;
}

} // namespace ivp

#endif
