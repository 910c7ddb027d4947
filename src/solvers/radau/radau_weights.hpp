// radau_weights: what the components of errors and increments are divided by.
#ifndef IVP_SRC_SOLVERS_RADAU_RADAU_WEIGHTS_HPP
#define IVP_SRC_SOLVERS_RADAU_RADAU_WEIGHTS_HPP

#include "solvers/common/weights.hpp"

#include <algorithm>
#include <cmath>

namespace ivp::solvers {

/// atol + rtol |y|, after a transformation of the tolerances that relates the estimate, of order s, to the solution, of order 2s − 1: rtol
/// becomes 0.1 rtol^((s+1)/(2s)), and atol keeps its ratio to rtol.
template <class R>
class radau_weights : public basic_weights<R> {
public:
    radau_weights(const tolerances& given, const problem& p, int stages, work_memory& memory) : basic_weights<R>(given, p, memory), given_(given)
    {
        set_stages(stages);
    }

    void set_stages(int stages)
    {
        using std::pow;
        const R exponent = R(stages + 1) / R(2 * stages);
        R rtol;
        for (int i = 0; i < this->n_; ++i) {
            const R given(given_.relative(i));
            if (i == 0 || given_.rtol.size() > 1) rtol = R(0.1) * pow(given, exponent);
            this->set_tolerance(i, rtol, rtol * (R(given_.absolute(i)) / given));
        }
    }

private:
    const tolerances& given_;
};

} // namespace ivp::solvers

#endif
