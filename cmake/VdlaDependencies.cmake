# SPDX-License-Identifier: Apache-2.0
# Finds what the kit is built with. Required packages stop the configuration; optional ones (VdlaPackages.cmake for
# those that the libraries link) are reported by vdla_report_dependencies() in one table at the end.
include(GoogleTest)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
find_package(Python3 COMPONENTS Interpreter)
# Only the tests need it: the demo does without.
find_package(GTest)

include(VdlaPackages)
if(NOT TARGET vdla_sodium)
  message(FATAL_ERROR "libsodium is missing: install libsodium-dev (scripts/setup.sh installs all packages)")
endif()
if(NOT TARGET vdla_zlib)
  message(FATAL_ERROR "zlib is missing: install zlib1g-dev (scripts/setup.sh installs all packages)")
endif()
# The small program of boards (tools/runner) is static. Debian has an archive of libsodium, and fmt as a shared library
# alone: here it is compiled once from its headers, for everything in this build. An installed kit names the packages.
find_library(VDLA_SODIUM_ARCHIVE libsodium.a)
if(VDLA_SODIUM_ARCHIVE)
  set_target_properties(vdla_sodium PROPERTIES INTERFACE_LINK_LIBRARIES ${VDLA_SODIUM_ARCHIVE})
endif()
get_target_property(vdla_fmt_configurations fmt::fmt IMPORTED_CONFIGURATIONS)
if(vdla_fmt_configurations)
  add_library(vdla_fmt STATIC cmake/fmt.cpp)
  target_compile_features(vdla_fmt PRIVATE cxx_std_20)
  get_target_property(vdla_fmt_headers fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(vdla_fmt SYSTEM PRIVATE ${vdla_fmt_headers})
  set_target_properties(vdla_fmt PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  foreach(configuration ${vdla_fmt_configurations})
    set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION_${configuration} ${CMAKE_BINARY_DIR}/lib/libvdla_fmt.a)
  endforeach()
  add_dependencies(fmt::fmt vdla_fmt)
endif()
if(LLVM_FOUND)
  find_program(VDLA_FILECHECK FileCheck HINTS ${LLVM_TOOLS_BINARY_DIR})
endif()

find_program(VDLA_VERILATOR verilator)
find_program(VDLA_YOSYS yosys)
find_program(VDLA_Z3 z3)
find_program(VDLA_FLATC flatc)
find_path(VDLA_FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h)
# Loaded when it is needed: only its header counts here.
find_path(VDLA_XGBOOST_INCLUDE xgboost/c_api.h)
# Remote boards: a library that commands load, and a static server.
find_library(VDLA_GRPC_LIBRARY grpc++)
find_library(VDLA_GPR_LIBRARY gpr)
find_library(VDLA_PROTOBUF_LITE_LIBRARY protobuf-lite)
find_library(VDLA_GRPC_ARCHIVE libgrpc++.a)
find_path(VDLA_GRPC_INCLUDE grpcpp/grpcpp.h)
find_program(VDLA_GRPC_PLUGIN grpc_cpp_plugin)
find_program(VDLA_PROTOC protoc)
find_package(OpenSSL QUIET)
if(VDLA_GRPC_LIBRARY AND VDLA_GPR_LIBRARY AND VDLA_PROTOBUF_LITE_LIBRARY AND VDLA_GRPC_INCLUDE AND VDLA_GRPC_PLUGIN AND VDLA_PROTOC)
  set(VDLA_GRPC_FOUND TRUE)
endif()
find_package(JPEG QUIET)
find_package(PNG QUIET)
# `import vdla`. The system's Python is the one whose packages numpy and pybind11 are.
if(NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_BUILD_TYPE STREQUAL "Asan")
  find_program(Python_EXECUTABLE python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_package(Python QUIET COMPONENTS Interpreter Development.Module NumPy)
  if(Python_FOUND)
    find_package(pybind11 QUIET CONFIG)
  endif()
endif()

function(vdla_report_dependencies)
  message(STATUS "Optional parts:")
  foreach(row "LLVM 19;${LLVM_FOUND};CPU back end" "SystemC;${VDLA_SYSTEMC_LIBRARY};cycle-level engine"
              "Verilator;${VDLA_VERILATOR};RTL engine" "yosys;${VDLA_YOSYS};synthesis checks" "z3;${VDLA_Z3};formal proofs"
              "ONNX;${VDLA_ONNX_PROTO_LIBRARY};ONNX import" "FileCheck;${VDLA_FILECHECK};text tests"
              "GoogleTest;${GTest_FOUND};tests"
              "libjpeg;${JPEG_FOUND};JPEG images" "libpng;${PNG_FOUND};PNG images"
              "libzip;${VDLA_ZIP_LIBRARY};class names of TFLite models"
              "XRT;${VDLA_XRT_LIBRARY};cards through XRT, and its emulation"
              "XGBoost;${VDLA_XGBOOST_INCLUDE};models that learn in vdla tune"
              "gRPC;${VDLA_GRPC_FOUND};remote boards" "pybind11;${pybind11_FOUND};import vdla in Python")
    list(GET row 0 part)
    list(GET row 1 found)
    list(GET row 2 use)
    if(found)
      message(STATUS "  ${part}: found (${use})")
    else()
      message(STATUS "  ${part}: MISSING, no ${use}")
    endif()
  endforeach()
endfunction()
