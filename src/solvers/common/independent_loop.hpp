// IVP_INDEPENDENT_LOOP: says that the passes of the loop that follows do not depend on each other, although their arrays could overlap for all the
// compiler knows. It then computes several passes at once.
#ifndef IVP_SOLVERS_COMMON_INDEPENDENT_LOOP_HPP
#define IVP_SOLVERS_COMMON_INDEPENDENT_LOOP_HPP

// NOTE: clang has a like hint, but warns of every loop that it cannot vectorise, such as those in quad.
#if defined(__GNUC__) && !defined(__clang__)
#define IVP_INDEPENDENT_LOOP _Pragma("GCC ivdep")
#else
#define IVP_INDEPENDENT_LOOP
#endif

#endif
