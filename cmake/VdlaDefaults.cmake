# SPDX-License-Identifier: Apache-2.0
# Language level, build types, warnings. Everything here reaches targets through vdla_defaults.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
# The sanitizer tree: also what the fuzz targets (tests/fuzz) link, so clang adds their instrumentation. Tests, which
# run a few seconds in it, build it without optimisation in less than half the time.
set(VDLA_ASAN_FLAGS "-O1 -g" CACHE STRING "Optimisation and debug information of the build type Asan")
set(vdla_asan "${VDLA_ASAN_FLAGS} -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  string(APPEND vdla_asan " -fsanitize=fuzzer-no-link")
endif()
set(CMAKE_C_FLAGS_ASAN "${vdla_asan}")
set(CMAKE_CXX_FLAGS_ASAN "${vdla_asan}")
set(CMAKE_C_FLAGS_COVERAGE "-O0 -g --coverage")
set(CMAKE_CXX_FLAGS_COVERAGE "-O0 -g --coverage")

option(VDLA_WERROR "Treat warnings as errors" OFF)

# Headers take most of a cold build. Groups of files parse them once, at the price of more work after a change of one
# file. What an unnamed namespace holds must have one meaning in all files of a target; tools/lint/check_unity.py sees
# to it.
option(VDLA_UNITY "Compile the files of a target in groups: for builds from nothing" OFF)
if(VDLA_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
endif()
find_program(VDLA_LLD NAMES ld.lld-19 ld.lld)

# Users of the installed kit get the language level from it; warnings and linker are their own business.
add_library(vdla_defaults INTERFACE)
target_compile_features(vdla_defaults INTERFACE $<INSTALL_INTERFACE:cxx_std_20>)
target_include_directories(vdla_defaults INTERFACE "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR};${CMAKE_BINARY_DIR}>")
# Clang's check of indirect calls reads a signature before each function, which machine code of the kit's own compiler
# lacks: where that code begins a page, there is nothing to read.
target_compile_options(vdla_defaults INTERFACE
  "$<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:Clang,AppleClang>:-fno-sanitize=function>>"
  "$<BUILD_INTERFACE:-Wall;-Wextra;$<$<COMPILE_LANGUAGE:CXX>:-Werror=switch>;$<$<BOOL:${VDLA_WERROR}>:-Werror>>")
if(VDLA_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(vdla_defaults INTERFACE $<BUILD_INTERFACE:--ld-path=${VDLA_LLD}>)
endif()
set_target_properties(vdla_defaults PROPERTIES EXPORT_NAME defaults)
install(TARGETS vdla_defaults EXPORT vdla-targets)
