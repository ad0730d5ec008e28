# SPDX-License-Identifier: Apache-2.0
# vdla_probe_links(VARIABLE FLAGS CODE): does the C++ compiler compile and link CODE with these flags? Success is kept
# in the cache; a failure is tried again at the next configuration, as find_program() and find_library() do: its package
# may have been installed since.
include(CheckCXXSourceCompiles)

function(vdla_probe_links variable flags code)
  if(NOT ${variable})
    unset(${variable} CACHE)
  endif()
  set(CMAKE_REQUIRED_FLAGS "${flags}")
  check_cxx_source_compiles("${code}" ${variable})
endfunction()
