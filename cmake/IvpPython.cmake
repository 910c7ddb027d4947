# Whether the package for Python can be built: IVP_PYTHON must have NumPy, with the headers of both.
set(can_build OFF)
if(PROJECT_IS_TOP_LEVEL AND NOT IVP_SANITIZE AND NOT IVP_COVERAGE AND EXISTS "${IVP_PYTHON}") # an interpreter loads an instrumented module only after the sanitizer: see tests/CMakeLists.txt
  execute_process(
    COMMAND "${IVP_PYTHON}" -c "import os, sys, sysconfig, numpy; sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()['include'], 'Python.h')))"
    RESULT_VARIABLE lacking OUTPUT_QUIET ERROR_QUIET)
  if(lacking EQUAL 0)
    set(can_build ON)
  endif()
endif()
option(IVP_BUILD_PYTHON "Build the package for Python (Debian: python3-dev, python3-numpy)" ${can_build})
