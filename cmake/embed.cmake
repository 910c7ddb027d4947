# Writes OUTPUT: the chapter and the reference data as constants in NAMESPACE. OTHERS are references for other parameters, named by them
# ('reference,N=50.csv') and separated by '|'.
include("${CMAKE_CURRENT_LIST_DIR}/literal.cmake")
file(READ "${CHAPTER}" markdown)
ivp_literal(markdown "${markdown}")

set(text "// Generated from ${CHAPTER}
#include \"model/reference.hpp\"

#include <ivp/problem.hpp>

namespace ${NAMESPACE} {
extern const ivp::chapter chapter;
constinit const ivp::chapter chapter{
${markdown}};
")
if(REFERENCE)
  file(READ "${REFERENCE}" reference)
  ivp_literal(reference "${reference}")
  string(APPEND text "extern const char* const reference;\nconst char* const reference =\n${reference};\n")
  string(APPEND text "extern const ivp::reference_text other_references[];\nconst ivp::reference_text other_references[] = {\n")
  string(REPLACE "|" ";" OTHERS "${OTHERS}")
  foreach(file IN LISTS OTHERS)
    cmake_path(GET file FILENAME name)
    string(REGEX REPLACE "^reference,(.*)\\.csv$" "\\1" setting "${name}")
    file(READ "${file}" reference)
    ivp_literal(reference "${reference}")
    string(APPEND text "{\"${setting}\",\n${reference}},\n")
  endforeach()
  string(APPEND text "{nullptr, nullptr}};\n")
endif()
file(WRITE "${OUTPUT}" "${text}} // namespace ${NAMESPACE}\n")
