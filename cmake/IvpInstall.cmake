# Installs the tool with its manual page and completion, headers, library and the files find_package(ivp) needs; makes the Debian package.
include(CMakePackageConfigHelpers)
set(config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/ivp")

install(TARGETS ivp ivp_c ivp_problem EXPORT ivp-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/ivp" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ivp-targets NAMESPACE ivp:: DESTINATION ${config_folder})

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/ivp-config.cmake.in" "${PROJECT_BINARY_DIR}/ivp-config.cmake"
  INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ivp-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ivp-config.cmake" "${PROJECT_BINARY_DIR}/ivp-config-version.cmake" DESTINATION ${config_folder})
if(IVP_OWN_SUNDIALS) # no package has it
  install(FILES "${PROJECT_SOURCE_DIR}/cmake/ivp-sundials.cmake" DESTINATION ${config_folder})
  install(DIRECTORY "${IVP_OPTIMISED_SUNDIALS}/" DESTINATION ${CMAKE_INSTALL_LIBDIR}/ivp)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${IVP_OPTIMISED_SUNDIALS}")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_SOURCE_DIR}/CITATION.cff" DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}/examples" DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/results" "${PROJECT_SOURCE_DIR}/data/published" DESTINATION ${CMAKE_INSTALL_DATADIR}/ivp)

if(IVP_BUILD_TOOL)
  # The tool itself writes them, from the declarations of its commands.
  foreach(file IN ITEMS "help --format man|man/man1|ivp.1" "completion bash|bash-completion/completions|ivp" "completion zsh|zsh/site-functions|_ivp"
                        "completion fish|fish/vendor_completions.d|ivp.fish")
    string(REPLACE "|" ";" parts "${file}")
    list(GET parts 0 words)
    list(GET parts 1 folder)
    list(GET parts 2 name)
    install(CODE "
      file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/share/${folder}\")
      execute_process(COMMAND \"$<TARGET_FILE:ivp_tool>\" ${words} OUTPUT_FILE \"${PROJECT_BINARY_DIR}/share/${folder}/${name}\" COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES "${PROJECT_BINARY_DIR}/share/${folder}/${name}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}")
  endforeach()
endif()

# 'cpack' in the build folder makes the package; what it depends on follows from the libraries that the tool is linked with.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ivp)
set(CPACK_PACKAGE_CONTACT "The ivp project <ivp@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "test set for initial value problem solvers")
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(IVP_BUILD_PYTHON)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy") # for 'import ivp'
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-scipy, python3-pandas, python3-matplotlib")
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)
