# Standard headers, read once for all sources with the same flags: a third of the time to compile the tool was spent on reading them.
# No header of the project is among them: what a source uses of the house, it includes.
set(IVP_STANDARD_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <limits> <map> <memory> <mutex> <optional> <span> <stdexcept> <string> <string_view>
    <utility> <variant> <vector>)

# ivp_precompile(<name> [FOR_PROGRAMS] [HEADERS <header>...] [OPTIONS <option>...] [LIBRARIES <library>...]): a set of headers that targets with the same
# flags can take; those of programs differ from those of libraries.
function(ivp_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 own "FOR_PROGRAMS" "" "HEADERS;OPTIONS;LIBRARIES")
  if(NOT IVP_PRECOMPILED)
    return()
  endif()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  if(own_FOR_PROGRAMS)
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Compiled for its headers alone.\nint main() {}\n")
    add_executable(${name} EXCLUDE_FROM_ALL "${source}")
  else()
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Compiled for its headers alone.\n")
    add_library(${name} OBJECT "${source}")
  endif()
  target_compile_options(${name} PRIVATE ${own_OPTIONS})
  target_link_libraries(${name} PRIVATE ivp_options ${own_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${IVP_STANDARD_HEADERS} ${own_HEADERS})
endfunction()

function(ivp_use_precompiled target name)
  if(IVP_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
