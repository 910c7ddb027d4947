// value_of: the number behind any scalar, for decisions (which branch, which period) that have no derivative. Each scalar adds its own.
#ifndef IVP_SCALAR_VALUE_OF_HPP
#define IVP_SCALAR_VALUE_OF_HPP

namespace ivp {

inline double value_of(double a) { return a; }

} // namespace ivp

#endif
