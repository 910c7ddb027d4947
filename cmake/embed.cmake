# Writes OUTPUT: the chapter (as Markdown and plain text) and the reference data as constants in NAMESPACE.
include("${CMAKE_CURRENT_LIST_DIR}/literal.cmake")
file(READ "${CHAPTER}" markdown)
if(PANDOC)
  set(lua "${CMAKE_CURRENT_LIST_DIR}/plain_math.lua")
  execute_process(COMMAND ${PANDOC} --from=markdown --to=plain --columns=80 "--lua-filter=${lua}" "${CHAPTER}"
                  OUTPUT_VARIABLE plain COMMAND_ERROR_IS_FATAL ANY)
else()
  set(plain "${markdown}")
endif()
ivp_literal(markdown "${markdown}")
ivp_literal(plain "${plain}")

set(text "// Generated from ${CHAPTER}
#include <ivp/problem.hpp>

namespace ${NAMESPACE} {
extern const ivp::chapter chapter;
constinit const ivp::chapter chapter{
${markdown},
${plain}};
")
if(REFERENCE)
  file(READ "${REFERENCE}" reference)
  ivp_literal(reference "${reference}")
  string(APPEND text "extern const char* const reference;\nconst char* const reference =\n${reference};\n")
endif()
file(WRITE "${OUTPUT}" "${text}} // namespace ${NAMESPACE}\n")
