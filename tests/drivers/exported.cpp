// A problem of the catalog as a plug-in: IVP_EXPORTED_HEADER and IVP_EXPORTED_NAME are set by tests/drivers/CMakeLists.txt.
#include IVP_EXPORTED_HEADER

#include <ivp/export_problem.hpp>

IVP_EXPORT_PROBLEM(ivp::problems::IVP_EXPORTED_NAME)
