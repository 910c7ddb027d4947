# Installs headers, library and the files find_package(ivp) needs.
include(CMakePackageConfigHelpers)
set(config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/ivp")

install(TARGETS ivp ivp_c EXPORT ivp-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/ivp" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ivp-targets NAMESPACE ivp:: DESTINATION ${config_folder})

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/ivp-config.cmake.in" "${PROJECT_BINARY_DIR}/ivp-config.cmake"
  INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ivp-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ivp-config.cmake" "${PROJECT_BINARY_DIR}/ivp-config-version.cmake" DESTINATION ${config_folder})
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DOCDIR})
