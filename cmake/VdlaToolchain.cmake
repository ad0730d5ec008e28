# SPDX-License-Identifier: Apache-2.0
# Default compiler, compiler cache and linker; each can be overridden on the command line.
if(NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(VDLA_CLANGXX clang++-19)
  find_program(VDLA_CLANG clang-19)
  if(VDLA_CLANGXX AND VDLA_CLANG)
    set(CMAKE_C_COMPILER ${VDLA_CLANG})
    set(CMAKE_CXX_COMPILER ${VDLA_CLANGXX})
  endif()
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, Asan or Coverage" FORCE)
endif()

find_program(VDLA_CCACHE ccache)
if(VDLA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the parent folder are hashed relative, so that several checkouts share one cache.
  cmake_path(GET CMAKE_SOURCE_DIR PARENT_PATH vdla_parent)
  set(vdla_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${vdla_parent} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${VDLA_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${vdla_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${vdla_launcher})
endif()
