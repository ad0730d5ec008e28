# SPDX-License-Identifier: Apache-2.0
# The packages that the kit's libraries link: used when the kit is built, and by find_package(vdla) of an installed kit.
# Each optional one is a target that exists or not: vdla_llvm, vdla_systemc, vdla_onnx, vdla_zip, vdla_xrt_core,
# vdla_xrt_emulation. So are vdla_sodium and vdla_zlib, which every kit needs.

# LLVM 19.1 (its version file wants the minor number).
if(NOT TARGET vdla_llvm)
  find_package(LLVM 19.1 QUIET CONFIG)
  if(LLVM_FOUND)
    separate_arguments(vdla_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
    add_library(vdla_llvm INTERFACE IMPORTED)
    target_include_directories(vdla_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
    target_compile_definitions(vdla_llvm INTERFACE ${vdla_llvm_definitions})
    target_link_libraries(vdla_llvm INTERFACE LLVM)
  endif()
endif()

# SystemC: Debian's library is built as C++17 and refuses to link otherwise.
find_library(VDLA_SYSTEMC_LIBRARY systemc)
find_path(VDLA_SYSTEMC_INCLUDE systemc)
if(VDLA_SYSTEMC_LIBRARY AND VDLA_SYSTEMC_INCLUDE AND NOT TARGET vdla_systemc)
  add_library(vdla_systemc INTERFACE IMPORTED)
  target_include_directories(vdla_systemc SYSTEM INTERFACE ${VDLA_SYSTEMC_INCLUDE})
  target_compile_definitions(vdla_systemc INTERFACE SC_CPLUSPLUS=201703L)
  target_link_libraries(vdla_systemc INTERFACE ${VDLA_SYSTEMC_LIBRARY})
endif()

find_package(Protobuf QUIET)
find_library(VDLA_ONNX_PROTO_LIBRARY onnx_proto)
find_library(VDLA_ONNX_LIBRARY onnx)
if(Protobuf_FOUND AND VDLA_ONNX_PROTO_LIBRARY AND VDLA_ONNX_LIBRARY AND NOT TARGET vdla_onnx)
  add_library(vdla_onnx INTERFACE IMPORTED)
  target_compile_definitions(vdla_onnx INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
  target_link_libraries(vdla_onnx INTERFACE ${VDLA_ONNX_LIBRARY} ${VDLA_ONNX_PROTO_LIBRARY} protobuf::libprotobuf)
endif()

# vdla_package_library(part library header): INTERFACE library vdla_<part>, where both files are found.
function(vdla_package_library part library header)
  string(TOUPPER ${part} variable)
  find_library(VDLA_${variable}_LIBRARY ${library})
  find_path(VDLA_${variable}_INCLUDE ${header})
  if(VDLA_${variable}_LIBRARY AND VDLA_${variable}_INCLUDE AND NOT TARGET vdla_${part})
    add_library(vdla_${part} INTERFACE IMPORTED)
    target_include_directories(vdla_${part} SYSTEM INTERFACE ${VDLA_${variable}_INCLUDE})
    target_link_libraries(vdla_${part} INTERFACE ${VDLA_${variable}_LIBRARY})
  endif()
endfunction()

vdla_package_library(sodium sodium sodium.h)   # SHA-256 and signatures of modules; required
vdla_package_library(zlib z zlib.h)            # compression of timelines; required
vdla_package_library(zip zip zip.h)             # names of classes in an archive behind a TFLite model

# XRT, for cards on PCI Express; the part that links it is a library of its own. Debian's pkg-config file says other
# folders than Debian's packages have.
find_library(VDLA_XRT_LIBRARY xrt_coreutil HINTS /opt/xilinx/xrt/lib)
find_path(VDLA_XRT_INCLUDE experimental/xrt_ip.h HINTS /opt/xilinx/xrt/include PATH_SUFFIXES xrt)
if(VDLA_XRT_LIBRARY AND VDLA_XRT_INCLUDE AND NOT TARGET vdla_xrt_core)
  add_library(vdla_xrt_headers INTERFACE IMPORTED)
  target_include_directories(vdla_xrt_headers SYSTEM INTERFACE ${VDLA_XRT_INCLUDE})
  add_library(vdla_xrt_core INTERFACE IMPORTED)
  target_link_libraries(vdla_xrt_core INTERFACE vdla_xrt_headers ${VDLA_XRT_LIBRARY})
endif()

# Program that plays the card of XRT's emulation (sim/host).
if(TARGET vdla_xrt_core AND TARGET vdla_zip AND Protobuf_FOUND AND NOT TARGET vdla_xrt_emulation)
  add_library(vdla_xrt_emulation INTERFACE IMPORTED)
  target_link_libraries(vdla_xrt_emulation INTERFACE vdla_xrt_headers vdla_zip protobuf::libprotobuf)
endif()
