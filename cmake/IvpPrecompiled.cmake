# Standard headers, read once for all sources with the same flags: a third of the time to compile the tool was spent on reading them.
# No header of the project is among them: what a source uses of the house, it includes.
set(IVP_STANDARD_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <mutex> <optional> <span> <stdexcept> <string> <string_view>
    <utility> <variant> <vector>)

# ivp_precompile(<name> [HEADERS <header>...] [OPTIONS <option>...] [LIBRARIES <library>...]): a set of headers that targets with the same flags can take.
function(ivp_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 own "" "" "HEADERS;OPTIONS;LIBRARIES")
  if(NOT IVP_PRECOMPILED)
    return()
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Compiled for its headers alone.\n")
  add_library(${name} OBJECT "${source}")
  target_compile_options(${name} PRIVATE ${own_OPTIONS})
  target_link_libraries(${name} PRIVATE ivp_options ${own_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${IVP_STANDARD_HEADERS} ${own_HEADERS})
endfunction()

function(ivp_use_precompiled target name)
  if(IVP_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
