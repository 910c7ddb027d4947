// The reader of TOML. Its assertions say what its own checks behind them refuse in words (a key that begins with a brace): they end a program without
// NDEBUG, and with it some compilers take them for granted. Both are switched off.
#ifndef IVP_SRC_CAMPAIGN_TOML_HPP
#define IVP_SRC_CAMPAIGN_TOML_HPP

#ifdef NDEBUG
#define IVP_HAS_NDEBUG
#undef NDEBUG
#endif
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>
#ifdef IVP_HAS_NDEBUG
#define NDEBUG
#undef IVP_HAS_NDEBUG
#endif

#endif
