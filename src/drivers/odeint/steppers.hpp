// The controlled steppers of Boost.odeint behind a plain interface: the library's matrices do not compile as C++20, so steppers.cpp is C++17, and so
// is this header.
#ifndef IVP_DRIVERS_ODEINT_STEPPERS_HPP
#define IVP_DRIVERS_ODEINT_STEPPERS_HPP

#include <cstddef>
#include <memory>
#include <string>

namespace ivp::odeint {

/// What the steppers ask for. False: it cannot be evaluated, and the attempt ends.
class formulas {
public:
    virtual ~formulas() = default;
    virtual bool f(double t, const double* y, double* out) = 0;
    /// df/dy by columns, df/dt; called once for each attempt of an implicit stepper.
    virtual bool jacobian(double t, const double* y, double* columns, double* dfdt) = 0;
};

enum class attempt { accepted, rejected, not_evaluated };

class stepper {
public:
    virtual ~stepper() = default;
    /// From t with step h; both become what the library says. After `accepted` y is the solution at the new t, else it is unchanged.
    virtual attempt try_step(double& t, double& h) = 0;
    [[nodiscard]] virtual const double* y() const = 0;
};

/// Where a stepper begins; `system` must outlive it.
struct start {
    formulas& system;
    const double* y;
    std::size_t n;
    double atol;
    double rtol;
};
std::unique_ptr<stepper> new_rosenbrock4(const start& s);
std::unique_ptr<stepper> new_dopri5(const start& s);
std::unique_ptr<stepper> new_bulirsch_stoer(const start& s);

std::string boost_version();

} // namespace ivp::odeint

#endif
