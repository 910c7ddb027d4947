# AMD orders our large sparse matrices, and KLU factors those that our multifrontal elimination does not suit (BSD and LGPL, linked dynamically). Without
# them such matrices are factored by our programs for small ones, which need more memory.
find_path(IVP_KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse)
find_library(IVP_KLU_LIBRARY klu)
find_library(IVP_AMD_LIBRARY amd)
mark_as_advanced(IVP_KLU_INCLUDE IVP_KLU_LIBRARY IVP_AMD_LIBRARY)
set(IVP_KLU OFF)
if(IVP_KLU_INCLUDE AND IVP_KLU_LIBRARY AND IVP_AMD_LIBRARY)
  set(IVP_KLU ON)
else()
  message(STATUS "ivp: KLU (SuiteSparse) not found: sparse matrices of many unknowns will take long")
endif()

# Libraries whose solvers are measured beside ours. What is absent is listed as unavailable, never an error.
set(IVP_SUNDIALS_COMPONENTS cvode ida arkode nvecserial sunmatrixdense sunmatrixband sunmatrixsparse sunlinsoldense sunlinsolband sunlinsolklu sunlinsolspgmr
                            sunnonlinsolfixedpoint)
# tools/build-sundials makes one with optimisation, in this folder. If SUNDIALS is also installed, that is the one to compile with, and programs of this
# build load the libraries of the folder instead of it, now or when they appear: same version, same names, same interface.
if(PROJECT_IS_TOP_LEVEL)
  set(optimised_sundials "${PROJECT_SOURCE_DIR}/build/sundials/lib")
endif()
set(IVP_OPTIMISED_SUNDIALS "${optimised_sundials}" CACHE PATH "Folder with an optimised SUNDIALS, loaded if it exists; empty: always the packaged one")
find_package(SUNDIALS 6.4 QUIET COMPONENTS ${IVP_SUNDIALS_COMPONENTS})
set(IVP_SUNDIALS OFF)
if(SUNDIALS_FOUND)
  set(IVP_SUNDIALS ON)
endif()
set(IVP_OWN_SUNDIALS OFF) # not installed: that of the folder
if(NOT IVP_SUNDIALS AND IVP_OPTIMISED_SUNDIALS)
  cmake_path(GET IVP_OPTIMISED_SUNDIALS PARENT_PATH own_sundials)
  if(EXISTS "${IVP_OPTIMISED_SUNDIALS}/ivp-build.txt" AND EXISTS "${own_sundials}/include/sundials/sundials_config.h")
    include("${CMAKE_CURRENT_LIST_DIR}/ivp-sundials.cmake")
    # its headers include those of KLU
    ivp_import_sundials("${IVP_OPTIMISED_SUNDIALS}" "${own_sundials}/include" "${IVP_KLU_INCLUDE}")
    set(IVP_SUNDIALS ON)
    set(IVP_OWN_SUNDIALS ON)
    list(APPEND CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/ivp" "$ORIGIN/ivp")
  endif()
endif()
if(IVP_SUNDIALS AND IVP_OPTIMISED_SUNDIALS)
  list(PREPEND CMAKE_BUILD_RPATH "${IVP_OPTIMISED_SUNDIALS}")
endif()
set(IVP_TOOL_HAS_SUNDIALS ${IVP_SUNDIALS} CACHE INTERNAL "") # tools/setup.sh asks
if(NOT IVP_SUNDIALS)
  message(STATUS "ivp: SUNDIALS neither installed nor built by tools/build-sundials: its solvers are listed as unavailable")
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
