/* The description that most test plug-ins share. */
#ifndef IVP_TESTS_PLUGINS_DESCRIBE_H
#define IVP_TESTS_PLUGINS_DESCRIBE_H

#include <ivp/plugin.h>

static inline void describe_as(ivp_solver_description* out, const char* name, uint32_t forms)
{
    *out = (ivp_solver_description){
        IVP_VERSIONED(ivp_solver_description),
        .name = name,
        .forms = forms,
        .flags = IVP_IMPLICIT | IVP_TAKES_H0 | IVP_TAKES_VECTOR_TOLERANCES,
        .highest_index = 3,
        .lowest_order = 1,
        .highest_order = 1,
    };
}

#endif
