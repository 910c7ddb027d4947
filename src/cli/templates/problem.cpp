// @NAME@: a problem for the ivp test set, in C++.
//
// As written this is the problem of Kaps, stiff if eps is small:
//
//     y1' = -(1/eps + 2) y1 + y2^2/eps,    y2' = y1 - y2 - y2^2,    0 <= t <= 1,    y1(0) = y2(0) = 1;    solution y1 = exp(-2t), y2 = exp(-t)
//
// Put your own equations into the class, and what is known of them into describe(). Everything a problem may say: ivp/plugin.h.
#include <ivp/plugin.h>

#include <new>

namespace {

/// One instance of the problem: its parameter values are fixed.
class equations {
public:
    explicit equations(double eps) : eps_(eps) {}

    static void initial(double* y)
    {
        y[0] = 1;
        y[1] = 1;
    }

    /// Return IVP_REFUSED if y is outside the domain of the formula: a good solver then takes a smaller step.
    int f(double /*t*/, const double* y, double* out) const
    {
        out[0] = -(1 / eps_ + 2) * y[0] + y[1] * y[1] / eps_;
        out[1] = y[0] - y[1] - y[1] * y[1];
        return IVP_OK;
    }

    /// df/dy by columns: entry (i, j) at out[i + 2 j]. Optional: without it solvers form difference quotients. 'ivp check' compares the two.
    int jacobian(double /*t*/, const double* y, double* out) const
    {
        out[0] = -(1 / eps_ + 2);
        out[1] = 1;
        out[2] = 2 * y[1] / eps_;
        out[3] = -1 - 2 * y[1];
        return IVP_OK;
    }

private:
    double eps_;
};

/// What a user can change: name, default, smallest and largest value, whole numbers only?, meaning.
const ivp_named_value parameters[] = {
    {IVP_VERSIONED(ivp_named_value), "eps", 1e-5, 1e-12, 1, 0, 0, "small parameter: the stiffness is 1/eps"},
};

// The solution at the end, with as many digits as are certain. Without it, ivp counts and times runs, but cannot compute their digits.
const double reference[] = {0.13533528323661269, 0.36787944117144233};
const char* const names[] = {"fast", "slow"};

void describe(const void* /*self*/, ivp_problem_description* out)
{
    out->version = IVP_PLUGIN_VERSION; // all else is preset to zero
    out->size = sizeof *out;
    out->id = "@NAME@";
    out->title = "Problem of Kaps";
    out->quantity_of_interest = "both components at the end";
    out->tags = "academic, stiff, small, autonomous";
    out->component_names = names;
    out->form = IVP_ODE;
    out->n = 2;
    out->t0 = 0;
    out->tend = 1;
    out->reference = reference;
    out->reference_source = "the solution in closed form";
    out->h0_per_rtol = 1e-2;
}

const equations& of(const void* self) { return *static_cast<const equations*>(self); }

} // namespace

void ivp_problem_open(ivp_problem* out)
{
    out->version = IVP_PLUGIN_VERSION; // all else is preset to zero
    out->size = sizeof *out;
    out->parameter_count = 1;
    out->parameters = parameters;
    out->create = [](const double* values, void** self, char* /*message*/) -> int {
        *self = new (std::nothrow) equations(values[0]);
        return *self == nullptr ? IVP_REFUSED : IVP_OK;
    };
    out->destroy = [](void* self) { delete static_cast<equations*>(self); };
    out->describe = describe;
    out->initial = [](const void* /*self*/, double* y, double* /*yp*/) {
        equations::initial(y);
        return 0; // y'(0) was not written; the host finds it from f
    };
    out->f = [](const void* self, double t, const double* y, double* f) { return of(self).f(t, y, f); };
    out->jacobian = [](const void* self, double t, const double* y, double* j) { return of(self).jacobian(t, y, j); };
}
