# The problems of DETEST: one source file for each class, and a chapter for each problem, put together from
#   problems/detest/<set>/class_<x>.hpp   equations            problems/detest/<set>/class_<x>.md   chapters of the class
#   problems/detest/<set>/data.def        data                 problems/detest/<set>/chapter.md.in  what all chapters of the set say
#
# class_<x>.md has a part '# Class X: <title>' with the origin of the class, and one for each problem: '# X1: <name>' with an introduction, the
# mathematics after '## Mathematical description' and the list of recommendations after '## Recommendations'.

# ivp_markdown_part(<variable> <title variable> <text> <start of the heading>): one part of a file, without its heading.
function(ivp_markdown_part variable title_variable text heading)
  string(FIND "\n${text}" "\n${heading}" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "chapters of DETEST: no part '${heading}'")
  endif()
  string(REGEX MATCH "^#+" level "${heading}")
  string(SUBSTRING "${text}" ${begin} -1 rest)
  string(FIND "${rest}" "\n" end_of_heading)
  string(SUBSTRING "${rest}" 0 ${end_of_heading} heading_line)
  string(REPLACE "${heading}" "" title "${heading_line}")
  string(SUBSTRING "${rest}" ${end_of_heading} -1 rest)
  string(FIND "${rest}" "\n${level} " end)
  string(SUBSTRING "${rest}" 0 ${end} rest)
  string(STRIP "${rest}" rest)
  string(STRIP "${title}" title)
  set(${variable} "${rest}" PARENT_SCOPE)
  set(${title_variable} "${title}" PARENT_SCOPE)
endfunction()

# ivp_detest_chapter(<output> <size variable> <folder> <class> <number>): the chapter, and how many equations the problem has.
function(ivp_detest_chapter output size_variable folder class number)
  string(TOUPPER "${class}" CLASS)
  set(CODE "${CLASS}${number}")
  file(READ "${folder}/class_${class}.md" text)
  file(READ "${folder}/chapter.md.in" chapter)
  file(READ "${folder}/data.def" data)
  ivp_markdown_part(CLASS_TEXT CLASS_TITLE "${text}" "# Class ${CLASS}:")
  ivp_markdown_part(problem NAME "${text}" "# ${CODE}:")
  ivp_markdown_part(MATHEMATICS unused "${problem}" "## Mathematical description")
  ivp_markdown_part(RECOMMENDATIONS unused "${problem}" "## Recommendations")
  string(FIND "${problem}" "\n## " end)
  string(SUBSTRING "${problem}" 0 ${end} INTRODUCTION)
  string(STRIP "${INTRODUCTION}" INTRODUCTION)

  string(REGEX MATCH "IVP_DETEST_DATA\\([ns], ${class}, ${number}, \"([^\"]+)\", ([^,]+), ([^,]+), [a-z]+\\)" line "${data}")
  if(NOT line)
    message(FATAL_ERROR "chapters of DETEST: no data of ${CODE} in ${folder}/data.def")
  endif()
  set(TEND "${CMAKE_MATCH_1}")
  set(HBEGIN "${CMAKE_MATCH_2}")
  set(HMAX "${CMAKE_MATCH_3}")
  string(FIND "${data}" "${line}" begin)
  string(SUBSTRING "${data}" ${begin} -1 data)
  string(FIND "${data}" "\nIVP_DETEST_DATA(" end)
  string(SUBSTRING "${data}" 0 ${end} data)
  string(REGEX MATCHALL "COMPONENT\\(\"[^\"]+\"" rows "${data}")
  list(LENGTH rows N)
  list(TRANSFORM rows REPLACE "COMPONENT\\(\"([^\"]+)\"" "\\1")
  list(JOIN rows ", " WEIGHTS)

  foreach(name CODE NAME CLASS CLASS_TITLE CLASS_TEXT INTRODUCTION MATHEMATICS RECOMMENDATIONS N TEND HBEGIN HMAX WEIGHTS)
    string(REPLACE "@${name}@" "${${name}}" chapter "${chapter}")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" CONTENT "${chapter}" @ONLY)
  set(${size_variable} ${N} PARENT_SCOPE)
endfunction()

# ivp_write_detest_class(<output> <set> <class> <body>): a source with the equations of one class.
function(ivp_write_detest_class output set_name class body)
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Generated from src/catalog/problems.def for class ${class} of problems/detest/${set_name}.
#include \"detest/${set_name}/class_${class}.hpp\"

namespace ivp::problems {
${body}
} // namespace ivp::problems
")
endfunction()

# ivp_add_detest(<target> <target for quadruple precision> <list>): the problems on lines 'IVP_DETEST(<n or s>, <class>, <number>) …'.
function(ivp_add_detest target quad_target list)
  file(READ "${list}" text)
  string(REGEX MATCHALL "IVP_DETEST\\([ns], [a-z], [0-9]\\)" entries "${text}")
  set(folder_of_n nonstiff)
  set(folder_of_s stiff)
  set(folder_for_sources "${CMAKE_CURRENT_BINARY_DIR}/problems")
  set(keys)
  set(classes)
  set(quad_classes)
  foreach(entry IN LISTS entries)
    string(REGEX MATCH "\\(([ns]), ([a-z]), ([0-9])\\)" unused "${entry}")
    set(set ${CMAKE_MATCH_1})
    set(class ${CMAKE_MATCH_2})
    set(number ${CMAKE_MATCH_3})
    set(set_name ${folder_of_${set}})
    set(folder "${PROJECT_SOURCE_DIR}/problems/detest/${set_name}")
    set(id "detest_${set}_${class}${number}")
    set(chapter "${CMAKE_CURRENT_BINARY_DIR}/problems/${id}.md")
    set(files "${CMAKE_CURRENT_BINARY_DIR}/problems/${id}_files.cpp")
    ivp_detest_chapter("${chapter}" size "${folder}" ${class} ${number})
    ivp_embed("${files}" "ivp::problems::${id}_files" "${chapter}")
    target_sources(${target} PRIVATE "${files}")

    set(key ${set}_${class})
    if(NOT key IN_LIST keys)
      list(APPEND keys ${key})
      list(APPEND classes "${folder_for_sources}/detest_${key}.cpp")
      list(APPEND quad_classes "${folder_for_sources}/detest_${key}_quad.cpp")
      set(body_${key} "")
      set(quad_body_${key} "")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
        "${folder}/class_${class}.md" "${folder}/chapter.md.in" "${folder}/data.def")
    endif()
    string(REPLACE "_" "-" public_id "${id}")
    # Compiled by itself, as for all problems (problem_quad.cpp.in).
    set(formula_in_quad "template class detest::formula_of<detest::${set_name}::${class}${number}, quad, ${size}>;\n")
    string(APPEND quad_body_${key} "${formula_in_quad}")
    string(APPEND body_${key} "
extern ${formula_in_quad}
namespace ${id}_files {
extern const ivp::chapter chapter;
} // namespace ${id}_files

std::vector<parameter> parameters_of_${id}() { return detest::parameters_of<detest::${set_name}::${class}${number}>(); }

problem make_${id}(const std::map<std::string, std::string>& given)
{
    return detest::make<detest::${set_name}::${class}${number}, ${size}>(\"${public_id}\", given, ${id}_files::chapter);
}
")
  endforeach()
  # Once each, when they are complete: a source that is written again is compiled again.
  foreach(key IN LISTS keys)
    string(REGEX MATCH "^(.)_(.)$" unused "${key}")
    ivp_write_detest_class("${folder_for_sources}/detest_${key}.cpp" ${folder_of_${CMAKE_MATCH_1}} ${CMAKE_MATCH_2} "${body_${key}}")
    ivp_write_detest_class("${folder_for_sources}/detest_${key}_quad.cpp" ${folder_of_${CMAKE_MATCH_1}} ${CMAKE_MATCH_2} "${quad_body_${key}}")
  endforeach()
  ivp_compile_together(detest 3 ${classes})
  ivp_compile_together(detest_quad 6 ${quad_classes})
  target_sources(${quad_target} PRIVATE ${quad_classes})
  target_sources(${target} PRIVATE ${classes}
    "${PROJECT_SOURCE_DIR}/problems/detest/data.cpp" "${PROJECT_SOURCE_DIR}/problems/detest/family.cpp")
endfunction()
