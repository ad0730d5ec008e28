# SPDX-License-Identifier: Apache-2.0
# vdla_library(), vdla_tool(), vdla_test(): a target is one call, its arrows are its USES.

# vdla_install_target(name ARGUMENTS...): install(TARGETS name ARGUMENTS...), and target vdla_installed
# (VdlaInstall.cmake) builds it.
function(vdla_install_target name)
  install(TARGETS ${name} ${ARGN})
  vdla_build_for_install(${name})
endfunction()

# vdla_build_for_install(TARGETS...): targets that make what other install() rules take from the build folder.
function(vdla_build_for_install)
  set_property(GLOBAL APPEND PROPERTY VDLA_INSTALLED_TARGETS ${ARGN})
endfunction()

# Notes which files of a target are compiled together when VDLA_UNITY is on, for tools/lint/check_unity.py.
function(vdla_note_group target)
  set(line ${target})
  foreach(source ${ARGN})
    get_source_file_property(apart ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(NOT apart)
      cmake_path(ABSOLUTE_PATH source NORMALIZE)
      list(APPEND line ${source})
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY VDLA_UNITY_TARGETS "${line}\n")
endfunction()

function(vdla_write_groups)
  get_property(groups GLOBAL PROPERTY VDLA_UNITY_TARGETS)
  string(REPLACE "\n;" "\n" groups "${groups}")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/unity_targets.txt CONTENT "${groups}" @ONLY)
endfunction()

# vdla_library(name [SOURCES ...] [HEADERS ...] [USES ...] [USES_PRIVATELY ...])
# Target vdla_<name>, alias vdla::<name>, installed under that name with its HEADERS, the public ones; USES appear in
# them. Without SOURCES it is the libraries that it uses under one name. What lies under bench, tests and tools is the
# kit's own and is not installed.
function(vdla_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;USES;USES_PRIVATELY")
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE folder)
  if(arg_SOURCES)
    set(public PUBLIC)
    add_library(vdla_${name} STATIC ${arg_SOURCES})
    vdla_note_group(vdla_${name} ${arg_SOURCES})
    target_link_libraries(vdla_${name} PUBLIC vdla_defaults ${arg_USES} PRIVATE ${arg_USES_PRIVATELY})
    vdla_use_precompiled(vdla_${name} library)
    if(folder MATCHES ${vdla_less_inlining_folders})
      target_compile_options(vdla_${name} PRIVATE ${vdla_less_inlining})
    endif()
  else()
    set(public INTERFACE)
    add_library(vdla_${name} INTERFACE)
    target_link_libraries(vdla_${name} INTERFACE ${arg_USES})
  endif()
  add_library(vdla::${name} ALIAS vdla_${name})
  target_sources(vdla_${name} ${public} FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR} FILES ${arg_HEADERS})
  set_target_properties(vdla_${name} PROPERTIES EXPORT_NAME ${name})
  if(NOT folder MATCHES "^(bench|tests|tools)(/|$)")
    vdla_install_target(vdla_${name} EXPORT vdla-targets ARCHIVE DESTINATION lib FILE_SET HEADERS DESTINATION include/vdla)
  endif()
endfunction()

# vdla_tool(name [OPTIMISED] SOURCES ... USES ...): an executable in bin/. OPTIMISED: it takes times of its own code,
# too.
function(vdla_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMISED" "" "SOURCES;USES")
  add_executable(${name} ${arg_SOURCES})
  vdla_note_group(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE vdla_defaults ${arg_USES})
  if(NOT arg_OPTIMISED)
    vdla_use_precompiled(${name} command)
    target_link_options(${name} PRIVATE $<TARGET_OBJECTS:vdla_header_code>)  # in front of its own objects
    add_dependencies(${name} vdla_header_code)
  endif()
endfunction()

# vdla_test(name SOURCES ... USES ... [LABELS quick|long ...] [TIMEOUT seconds]): a GoogleTest executable, one ctest
# test per case; a GTEST_SKIP shows as skipped. Each case has a time limit against hangs (300 s unless given: shared
# machines run at a tenth of their speed at times). LONG: patterns of cases that have the label long whatever LABELS
# says. TOGETHER: suites SUITE, or tests SUITE.TEST, of many small cases, each one ctest test; a process for each case
# would take most of their time, and what fails is named in the output. PARTS: rows "ONE_IN PATTERN [RECORD]" of
# tests/part: of the cases that match, a run takes one in ONE_IN; test <name>.whole takes all of them. The program's
# main() is tests/part/main.cpp, or calls what that calls.
function(vdla_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;USES;LABELS;LONG;TOGETHER;PARTS")
  if(NOT arg_LABELS)
    set(arg_LABELS quick)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(arg_PARTS)
    list(APPEND arg_USES vdla::test_part)
    if(NOT arg_SOURCES MATCHES "(^|;)main\\.cpp(;|$)")
      list(APPEND arg_SOURCES ${CMAKE_SOURCE_DIR}/tests/part/main.cpp)
    endif()
  endif()
  add_executable(${name} ${arg_SOURCES})
  vdla_note_group(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE vdla_defaults ${arg_USES} GTest::gmock GTest::gtest_main)
  vdla_use_precompiled(${name} test)
  target_compile_definitions(${name} PRIVATE VDLA_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             VDLA_BINARY_DIR="${CMAKE_BINARY_DIR}")
  # Names are those of INSTANTIATE_TEST_SUITE_P: without its values, of which some print as bytes of memory.
  set(discover DISCOVERY_MODE PRE_TEST TEST_PREFIX ${name}. NO_PRETTY_VALUES)
  # A program passes that skips some of its cases: where it is one test, that would be a pass of cases that did not run.
  set(skipped "\\[  SKIPPED \\]")
  list(TRANSFORM arg_TOGETHER REPLACE "^([^.]+)$" "\\1.*" OUTPUT_VARIABLE together)
  list(TRANSFORM together REPLACE "([.][^*]+)$" "\\1/*")
  string(JOIN ":" apart ${arg_LONG} ${together})
  if(apart)
    set(others TEST_FILTER "*-${apart}")
  endif()
  gtest_discover_tests(${name} ${discover} ${others} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
  foreach(cases filter IN ZIP_LISTS arg_TOGETHER together)
    set(label ${arg_LABELS})
    if(filter IN_LIST arg_LONG)
      set(label long)
    endif()
    add_test(NAME ${name}.${cases} COMMAND ${name} "--gtest_filter=${filter}")
    set_tests_properties(${name}.${cases} PROPERTIES LABELS "${label}" TIMEOUT ${arg_TIMEOUT}
                                                     FAIL_REGULAR_EXPRESSION "${skipped}")
  endforeach()
  if(arg_LONG AND together)
    list(REMOVE_ITEM arg_LONG ${together})
  endif()
  if(arg_LONG)
    string(JOIN ":" long ${arg_LONG})
    gtest_discover_tests(${name} ${discover} TEST_FILTER "${long}" PROPERTIES LABELS long TIMEOUT ${arg_TIMEOUT})
  endif()
  if(arg_PARTS)
    string(JOIN "|" parts ${arg_PARTS})
    target_compile_definitions(${name} PRIVATE "VDLA_TEST_PARTS=\"${parts}\"")
    list(TRANSFORM arg_PARTS REPLACE "^[0-9]+ ([^ ]+).*$" "\\1" OUTPUT_VARIABLE patterns)
    string(JOIN ":" patterns ${patterns})
    add_test(NAME ${name}.whole CONFIGURATIONS Campaign COMMAND ${name} --gtest_filter=${patterns})
    set_tests_properties(${name}.whole PROPERTIES LABELS whole TIMEOUT 14400 ENVIRONMENT VDLA_WHOLE=1
                                                  FAIL_REGULAR_EXPRESSION "${skipped}")
  endif()
endfunction()

# vdla_text_tests(prefix ENDING NAMES...): ctest test <prefix>.<name> for each text/<name>.<ENDING> of this folder, what
# its RUN line prints looked at by the FileCheck of the LLVM that the kit uses; disabled without it.
function(vdla_text_tests prefix ending)
  foreach(name ${ARGN})
    add_test(NAME ${prefix}.${name}
      COMMAND bash ${CMAKE_SOURCE_DIR}/tests/tools/run_text_test.sh $<TARGET_FILE:vdla> ${VDLA_FILECHECK}
              ${CMAKE_CURRENT_SOURCE_DIR}/text/${name}.${ending})
    set_tests_properties(${prefix}.${name} PROPERTIES LABELS quick TIMEOUT 300)
    if(NOT VDLA_FILECHECK)
      set_tests_properties(${prefix}.${name} PROPERTIES DISABLED TRUE)
    endif()
  endforeach()
endfunction()
