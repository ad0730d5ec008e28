# SPDX-License-Identifier: Apache-2.0
# vdla_firmware(name BOARD board SOURCES files... [DEPENDS files...] [FLAGS flags of clang...] [NO_DRIVER]
# [WITHOUT_TEXTS]): target <name>, which makes <name>.elf in the current binary folder by build_firmware.sh. Assembler
# finds what it includes (.incbin) there, too.

function(vdla_firmware name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_DRIVER;WITHOUT_TEXTS" "BOARD" "SOURCES;DEPENDS;FLAGS")
  set(sources "")
  foreach(source ${arg_SOURCES})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND sources ${source})
  endforeach()
  file(GLOB kit_sources ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/*.[chS] ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/*.ld
       ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../driver/core/*.[ch]
       ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../driver/memory/*.[ch] ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../driver/mmio/*.[ch])
  set(options "")
  if(arg_NO_DRIVER)
    list(APPEND options --no-driver)
  endif()
  if(arg_WITHOUT_TEXTS)
    list(APPEND options --without-texts)
  endif()
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  add_custom_command(
    OUTPUT ${elf}
    COMMAND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/build_firmware.sh --board ${arg_BOARD} -o ${elf} ${options} ${sources} -- ${arg_FLAGS}
    DEPENDS ${sources} ${arg_DEPENDS} ${kit_sources} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/build_firmware.sh
            ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../${arg_BOARD}/generated/board.h ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../${arg_BOARD}/generated/firmware.ld
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    COMMENT "Firmware ${name} for ${arg_BOARD}"
    VERBATIM)
  add_custom_target(${name} DEPENDS ${elf})
endfunction()
