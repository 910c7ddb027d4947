# Libraries whose solvers are measured beside ours. What is absent is listed as unavailable, never an error.
set(IVP_SUNDIALS_COMPONENTS cvode ida arkode nvecserial sunmatrixdense sunmatrixband sunmatrixsparse sunlinsoldense sunlinsolband sunlinsolklu
                            sunnonlinsolfixedpoint)
find_package(SUNDIALS 6.4 QUIET COMPONENTS ${IVP_SUNDIALS_COMPONENTS})
set(IVP_SUNDIALS ${SUNDIALS_FOUND})
if(NOT IVP_SUNDIALS)
  message(STATUS "ivp: SUNDIALS not found, its solvers are listed as unavailable")
endif()
