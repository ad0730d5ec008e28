# SPDX-License-Identifier: Apache-2.0
# Headers that nearly every file needs, parsed once for each kind of target (library, command, test). Each file still
# includes what it uses.
set(vdla_standard_headers
  <algorithm> <array> <cstdint> <filesystem> <functional> <map> <memory> <optional> <set> <span> <sstream> <string> <string_view>
  <unordered_map> <variant> <vector>)
# A header's time stamp would keep the compiler cache from finding anything.
set(vdla_precompiled_options "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>"
                             # Pragmas about warnings that a header has around a template are lost in a precompiled one.
                             "$<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>"
                             "$<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>")

# Commands, benches and tests call libraries and run their own code once (those that do not say OPTIMISED): what it
# costs is its compilation.
set(vdla_command_options $<$<CONFIG:Release>:-O0>)
set(vdla_test_options $<$<CONFIG:Release>:-O0>)
set(vdla_library_options "")

# Most of the optimiser's time goes into what it inlined. These folders build trees or text and have no loop over the
# elements of a tensor: they inline less, which saves up to a third of their compilation and costs no time when they
# run.
set(vdla_less_inlining "$<$<AND:$<CXX_COMPILER_ID:Clang>,$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:SHELL:-mllvm -inline-threshold=50>")
set(vdla_less_inlining_folders "^(compiler/(check|graph)|tools)(/|$)")

file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/main.cpp CONTENT "int main() {}\n")

# vdla_precompile(kind HEADERS ... USES ...): target vdla_<kind>_headers, from which vdla_use_precompiled(target kind)
# takes.
function(vdla_precompile kind)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;USES")
  set(target vdla_${kind}_headers)
  if(kind STREQUAL library)
    add_library(${target} OBJECT ${CMAKE_BINARY_DIR}/precompiled/main.cpp)
  else()
    add_executable(${target} EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled/main.cpp)
  endif()
  target_link_libraries(${target} PRIVATE vdla_defaults ${arg_USES})
  target_compile_options(${target} PRIVATE ${vdla_precompiled_options} ${vdla_${kind}_options})
  target_precompile_headers(${target} PRIVATE ${vdla_standard_headers} ${arg_HEADERS})
endfunction()

# Targets with files in C go without.
function(vdla_use_precompiled target kind)
  target_compile_options(${target} PRIVATE ${vdla_${kind}_options})
  get_target_property(sources ${target} SOURCES)
  if(sources MATCHES "\\.c(;|$)")
    return()
  endif()
  target_compile_options(${target} PRIVATE ${vdla_precompiled_options})
  target_precompile_headers(${target} REUSE_FROM vdla_${kind}_headers)
endfunction()

# Linked in front of a program's own objects: of functions of headers the optimised form is taken.
add_library(vdla_header_code OBJECT cmake/header_code.cpp)
target_link_libraries(vdla_header_code PRIVATE vdla_defaults fmt::fmt)

vdla_precompile(library HEADERS <fmt/format.h> USES fmt::fmt)
vdla_precompile(command HEADERS <fmt/format.h> <nlohmann/json.hpp> <CLI/CLI.hpp>
                        USES fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11)
if(GTest_FOUND)
  vdla_precompile(test HEADERS <gmock/gmock.h> <gtest/gtest.h> USES GTest::gmock GTest::gtest_main)
endif()
