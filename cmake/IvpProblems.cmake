# Turns a problem's folder (<id>.hpp, chapter.md, reference.csv) into one source file; the catalog's list names the folders.

# ivp_read_list(<variable> <file> <macro>): the arguments of lines 'MACRO(name)'.
function(ivp_read_list variable file macro)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(STRINGS "${file}" lines REGEX "^${macro}\\(")
  set(names)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^${macro}\\(([a-z0-9_]+).*" "\\1" name "${line}")
    list(APPEND names ${name})
  endforeach()
  set(${variable} ${names} PARENT_SCOPE)
endfunction()

# ivp_embed(<output.cpp> <namespace> <chapter.md> [reference.csv [references for other parameters...]]): files as string constants.
function(ivp_embed output namespace chapter)
  set(inputs "${chapter}" ${ARGN})
  list(POP_FRONT ARGN reference)
  list(JOIN ARGN "|" others)
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DNAMESPACE=${namespace}" "-DCHAPTER=${chapter}" "-DREFERENCE=${reference}" "-DOTHERS=${others}"
            -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${inputs} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake" "${PROJECT_SOURCE_DIR}/cmake/literal.cmake"
    COMMENT "Embedding ${chapter}"
    VERBATIM)
  # A hundred small texts are a hundred times the same headers: they are compiled together.
  set_source_files_properties("${output}" PROPERTIES UNITY_GROUP texts)
endfunction()

# ivp_compile_together(<group> <how many> <source>...): so many generated sources as one, since most of the time goes into the headers that all include.
function(ivp_compile_together group size)
  set(place 0)
  foreach(source IN LISTS ARGN)
    if(IVP_UNITY)
      math(EXPR number "${place} / ${size}")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${group}_${number})
    endif()
    math(EXPR place "${place} + 1")
  endforeach()
endfunction()

# ivp_add_problems(<target> <target for quadruple precision> <id>...)
function(ivp_add_problems target quad_target)
  set(sources)
  set(quad_sources)
  foreach(id IN LISTS ARGN)
    set(folder "${PROJECT_SOURCE_DIR}/problems/${id}")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/problems/${id}.cpp")
    set(files "${CMAKE_CURRENT_BINARY_DIR}/problems/${id}_files.cpp")
    set(quad_source "${CMAKE_CURRENT_BINARY_DIR}/problems/${id}_quad.cpp")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/problem.cpp.in" "${source}" @ONLY)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/problem_quad.cpp.in" "${quad_source}" @ONLY)
    target_sources(${quad_target} PRIVATE "${quad_source}")
    file(GLOB others CONFIGURE_DEPENDS "${folder}/reference,*.csv")
    ivp_embed("${files}" "ivp::problems::${id}_files" "${folder}/chapter.md" "${folder}/reference.csv" ${others})
    target_sources(${target} PRIVATE "${source}" "${files}")
    list(APPEND sources "${source}")
    list(APPEND quad_sources "${quad_source}")
  endforeach()
  ivp_compile_together(problems 4 ${sources})
  ivp_compile_together(problems_quad 14 ${quad_sources})
endfunction()

# ivp_add_systems(<target> <target for quadruple precision> <id>...): the mechanical systems behind problems, problems/<id>/<id>_system.hpp
function(ivp_add_systems target quad_target)
  foreach(id IN LISTS ARGN)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/problems/${id}_system.cpp")
    set(quad_source "${CMAKE_CURRENT_BINARY_DIR}/problems/${id}_system_quad.cpp")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/system.cpp.in" "${source}" @ONLY)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/system_quad.cpp.in" "${quad_source}" @ONLY)
    target_sources(${target} PRIVATE "${source}")
    target_sources(${quad_target} PRIVATE "${quad_source}")
  endforeach()
endfunction()

# ivp_add_solver_chapters(<target> <name>...): src/solvers/<family>/<name>.md
function(ivp_add_solver_chapters target)
  foreach(name IN LISTS ARGN)
    set(files "${CMAKE_CURRENT_BINARY_DIR}/solvers/${name}_files.cpp")
    file(GLOB chapter "${PROJECT_SOURCE_DIR}/src/solvers/*/${name}.md")
    ivp_embed("${files}" "ivp::solvers::${name}_files" "${chapter}")
    target_sources(${target} PRIVATE "${files}")
  endforeach()
endfunction()

# ivp_add_content(<target>): fingerprints of problems, solvers and what lies between them (content.cmake).
function(ivp_add_content target)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/catalog/content_table.cpp")
  file(GLOB_RECURSE inputs "${PROJECT_SOURCE_DIR}/problems/*.*pp" "${PROJECT_SOURCE_DIR}/problems/*.csv" "${PROJECT_SOURCE_DIR}/problems/*.def" "${PROJECT_SOURCE_DIR}/src/solvers/*.*pp"
       "${PROJECT_SOURCE_DIR}/src/drivers/*.*pp")
  foreach(folder src/scalar src/base src/model src/linalg src/mechanics src/run include/ivp)
    file(GLOB_RECURSE more "${PROJECT_SOURCE_DIR}/${folder}/*")
    list(APPEND inputs ${more})
  endforeach()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DOUTPUT=${output}" -P "${PROJECT_SOURCE_DIR}/cmake/content.cmake"
    DEPENDS ${inputs} "${PROJECT_SOURCE_DIR}/cmake/content.cmake"
    COMMENT "Fingerprints of problems and solvers"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
