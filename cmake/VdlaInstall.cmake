# SPDX-License-Identifier: Apache-2.0
# The kit as its users have it: bin/vdla, libraries and headers, and the package that find_package(vdla) finds.
# Libraries say themselves what of them is installed (VdlaLibrary.cmake).
include(CMakePackageConfigHelpers)

set(vdla_linked_parts "")
foreach(part vdla_llvm vdla_systemc vdla_onnx vdla_sodium vdla_zip vdla_zlib)
  if(TARGET ${part})
    list(APPEND vdla_linked_parts ${part})
  endif()
endforeach()
list(JOIN vdla_linked_parts " " vdla_linked_parts)

configure_package_config_file(cmake/vdla-config.cmake.in ${CMAKE_BINARY_DIR}/vdla-config.cmake INSTALL_DESTINATION lib/cmake/vdla
                              NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/vdla-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/vdla-config.cmake ${CMAKE_BINARY_DIR}/vdla-config-version.cmake cmake/VdlaPackages.cmake cmake/prefix.cpp.in
        DESTINATION lib/cmake/vdla)
install(EXPORT vdla-targets NAMESPACE vdla:: DESTINATION lib/cmake/vdla)
vdla_install_target(vdla RUNTIME DESTINATION bin)

# Builds all that `cmake --install` takes, without tests and benches (checked by tools/lint/check_installed.py).
get_property(vdla_installed_targets GLOBAL PROPERTY VDLA_INSTALLED_TARGETS)
add_custom_target(vdla_installed)
add_dependencies(vdla_installed ${vdla_installed_targets})
