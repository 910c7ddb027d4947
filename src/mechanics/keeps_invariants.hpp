// Equations that know what their exact solution keeps; invariants_of (ivp/mechanics.hpp) asks for it.
#ifndef IVP_SRC_MECHANICS_KEEPS_INVARIANTS_HPP
#define IVP_SRC_MECHANICS_KEEPS_INVARIANTS_HPP

#include <ivp/mechanics.hpp>

namespace ivp {

/// A second base of a class of equations<double>.
class keeps_invariants {
public:
    virtual ~keeps_invariants() = default;
    [[nodiscard]] virtual const invariants* kept() const = 0; ///< null: none
    [[nodiscard]] virtual std::string start() const = 0;      ///< start_report::text(); empty: nothing is known
};

/// How the start of a mechanical system was made consistent, one sentence a line; empty: it is none.
std::string start_of(const problem& p);

} // namespace ivp

#endif
