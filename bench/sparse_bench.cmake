# Sparse factorisation beside the dense path and, where it is installed, KLU (LGPL, linked dynamically, in this program only).
find_package(benchmark REQUIRED)
find_path(IVP_KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse)
find_library(IVP_KLU_LIBRARY klu)

add_executable(sparse_bench "${CMAKE_CURRENT_LIST_DIR}/sparse_bench.cpp")
target_link_libraries(sparse_bench PRIVATE ivp::ivp ivp_options benchmark::benchmark)
if(IVP_KLU_INCLUDE AND IVP_KLU_LIBRARY)
  target_compile_definitions(sparse_bench PRIVATE IVP_HAS_KLU)
  target_include_directories(sparse_bench SYSTEM PRIVATE "${IVP_KLU_INCLUDE}")
  target_link_libraries(sparse_bench PRIVATE "${IVP_KLU_LIBRARY}")
endif()
