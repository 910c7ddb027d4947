# Libraries whose solvers are measured beside ours. What is absent is listed as unavailable, never an error.
set(IVP_SUNDIALS_COMPONENTS cvode ida arkode nvecserial sunmatrixdense sunmatrixband sunmatrixsparse sunlinsoldense sunlinsolband sunlinsolklu
                            sunnonlinsolfixedpoint)
find_package(SUNDIALS 6.4 QUIET COMPONENTS ${IVP_SUNDIALS_COMPONENTS})
set(IVP_SUNDIALS ${SUNDIALS_FOUND})
if(NOT IVP_SUNDIALS)
  message(STATUS "ivp: SUNDIALS not found, its solvers are listed as unavailable")
endif()

find_package(Boost 1.74 QUIET)
set(IVP_ODEINT ${Boost_FOUND})
if(NOT IVP_ODEINT)
  message(STATUS "ivp: Boost.odeint not found, its solvers are listed as unavailable")
endif()

# PETSc brings MPI into every program that is linked with it: only where it is asked for.
option(IVP_PETSC "Build the solvers of PETSc TS" OFF)
if(IVP_PETSC)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(IVP_PETSC_LIBRARY REQUIRED IMPORTED_TARGET PETSc>=3.18)
  find_package(MPI REQUIRED COMPONENTS C)
endif()
