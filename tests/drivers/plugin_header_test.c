/* plugin.h is plain C11, needs nothing before it, and keeps its layout: within a version fields are only appended. */
#include <ivp/plugin.h>

#include <stddef.h>

#define BEGINS_WITH_VERSION_AND_SIZE(type)                                                                           \
    _Static_assert(offsetof(type, version) == 0 && sizeof(((type*)0)->version) == 4, #type ": version comes first"); \
    _Static_assert(offsetof(type, size) == 4 && sizeof(((type*)0)->size) == 4, #type ": size comes second")

BEGINS_WITH_VERSION_AND_SIZE(ivp_named_value);
BEGINS_WITH_VERSION_AND_SIZE(ivp_solver_description);
BEGINS_WITH_VERSION_AND_SIZE(ivp_step);
BEGINS_WITH_VERSION_AND_SIZE(ivp_callbacks);
BEGINS_WITH_VERSION_AND_SIZE(ivp_task);
BEGINS_WITH_VERSION_AND_SIZE(ivp_result);
BEGINS_WITH_VERSION_AND_SIZE(ivp_problem_description);
BEGINS_WITH_VERSION_AND_SIZE(ivp_problem);

/* Version 1 where pointers have 64 bits. A line here may be followed by new ones; it must never change. */
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(offsetof(ivp_named_value, meaning) == 48, "layout of ivp_named_value");
_Static_assert(offsetof(ivp_solver_description, forms) == 64, "layout of ivp_solver_description");
_Static_assert(offsetof(ivp_solver_description, options) == 96, "layout of ivp_solver_description");
_Static_assert(offsetof(ivp_step, interpolation_data) == 80, "layout of ivp_step");
_Static_assert(offsetof(ivp_callbacks, jacobian_by_differences) == 120, "layout of ivp_callbacks");
_Static_assert(offsetof(ivp_task, index) == 152, "layout of ivp_task");
_Static_assert(offsetof(ivp_task, host) == 192, "layout of ivp_task");
_Static_assert(offsetof(ivp_result, message) == 80, "layout of ivp_result");
_Static_assert(sizeof(ivp_result) == 336, "layout of ivp_result");
_Static_assert(offsetof(ivp_problem_description, h0_per_rtol) == 216, "layout of ivp_problem_description");
_Static_assert(offsetof(ivp_problem, tolerances) == 104, "layout of ivp_problem");
_Static_assert(offsetof(ivp_problem, preconditioner_free) == 136, "layout of ivp_problem");
#endif

_Static_assert(IVP_OK == 0, "IVP_OK must be 0, so that a status can be tested without a comparison");

int main(void)
{
    /* IVP_VERSIONED must be usable for static data. */
    static const ivp_named_value value = {IVP_VERSIONED(ivp_named_value), "name", 1, 0, 2, 0, 0, "meaning"};
    return value.version == IVP_PLUGIN_VERSION && value.size == sizeof value ? 0 : 1;
}
