# Libraries whose solvers are measured beside ours. What is absent is listed as unavailable, never an error.
set(IVP_SUNDIALS_COMPONENTS cvode ida arkode nvecserial sunmatrixdense sunmatrixband sunmatrixsparse sunlinsoldense sunlinsolband sunlinsolklu
                            sunnonlinsolfixedpoint)
find_package(SUNDIALS 6.4 QUIET COMPONENTS ${IVP_SUNDIALS_COMPONENTS})
set(IVP_SUNDIALS ${SUNDIALS_FOUND})
# A distribution may have compiled it without optimisation. Programs of this build load the libraries of this folder instead of the packaged ones if
# tools/build-sundials has made them, now or later: same version, same names, same interface.
if(PROJECT_IS_TOP_LEVEL)
  set(optimised_sundials "${PROJECT_SOURCE_DIR}/build/sundials/lib")
endif()
set(IVP_OPTIMISED_SUNDIALS "${optimised_sundials}" CACHE PATH "Folder with an optimised SUNDIALS, loaded if it exists; empty: always the packaged one")
if(IVP_SUNDIALS AND IVP_OPTIMISED_SUNDIALS)
  list(PREPEND CMAKE_BUILD_RPATH "${IVP_OPTIMISED_SUNDIALS}")
endif()
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
