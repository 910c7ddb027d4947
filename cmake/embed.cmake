# Writes OUTPUT: the chapter and the reference data as constants in NAMESPACE.
include("${CMAKE_CURRENT_LIST_DIR}/literal.cmake")
file(READ "${CHAPTER}" markdown)
ivp_literal(markdown "${markdown}")

set(text "// Generated from ${CHAPTER}
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
endif()
file(WRITE "${OUTPUT}" "${text}} // namespace ${NAMESPACE}\n")
