// A problem seen in another form.
#ifndef IVP_SRC_MODEL_VIEWS_HPP
#define IVP_SRC_MODEL_VIEWS_HPP

#include <ivp/problem.hpp>

namespace ivp {

/// An ODE or DAE as IDE, an IDE as DAE; the same problem where it has that form already. Throws bad_request where there is no such way.
problem in_form(const problem& p, form wanted);

} // namespace ivp

#endif
