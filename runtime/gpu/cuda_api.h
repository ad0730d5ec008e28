// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA's driver that the kit calls, declared by hand: building it needs no CUDA toolkit. A test
// compares each declaration with the toolkit's header where that is installed. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>

// The names that CUDA's own header gives its handles.
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphExec_st;

namespace vdla::gpu::cuda {

using Context = CUctx_st*;
using Module = CUmod_st*;
using Function = CUfunc_st*;
using Stream = CUstream_st*;
using Event = CUevent_st*;
using Graph = CUgraph_st*;
using GraphExec = CUgraphExec_st*;
using DeviceId = int;
using Address = unsigned long long;
/// Enumerations of CUDA's header are ints here.
using Result = int;
using Attribute = int;
using Option = int;
using CaptureMode = int;
using Uint = unsigned int;

// name, parameters; all return a Result. Names with a version are those that programs built with CUDA 11 to
// 13 call.
#define VDLA_CUDA_FUNCTIONS(X)                                            \
  X(cuInit, (Uint))                                                       \
  X(cuDriverGetVersion, (int*))                                           \
  X(cuGetErrorName, (Result, const char**))                               \
  X(cuGetErrorString, (Result, const char**))                             \
  X(cuDeviceGetCount, (int*))                                             \
  X(cuDeviceGet, (DeviceId*, int))                                        \
  X(cuDeviceGetName, (char*, int, DeviceId))                              \
  X(cuDeviceGetAttribute, (int*, Attribute, DeviceId))                    \
  X(cuDevicePrimaryCtxRetain, (Context*, DeviceId))                       \
  X(cuDevicePrimaryCtxRelease_v2, (DeviceId))                             \
  X(cuCtxPushCurrent_v2, (Context))                                       \
  X(cuCtxPopCurrent_v2, (Context*))                                       \
  X(cuModuleLoadDataEx, (Module*, const void*, Uint, Option*, void**))    \
  X(cuModuleUnload, (Module))                                             \
  X(cuModuleGetFunction, (Function*, Module, const char*))                \
  X(cuFuncSetAttribute, (Function, Attribute, int))                       \
  X(cuFuncGetAttribute, (int*, Attribute, Function))                      \
  X(cuMemGetInfo_v2, (std::size_t*, std::size_t*))                        \
  X(cuMemAlloc_v2, (Address*, std::size_t))                               \
  X(cuMemFree_v2, (Address))                                              \
  X(cuMemcpyHtoDAsync_v2, (Address, const void*, std::size_t, Stream))    \
  X(cuMemcpyDtoHAsync_v2, (void*, Address, std::size_t, Stream))          \
  X(cuStreamCreate, (Stream*, Uint))                                      \
  X(cuStreamSynchronize, (Stream))                                        \
  X(cuStreamDestroy_v2, (Stream))                                         \
  X(cuStreamBeginCapture_v2, (Stream, CaptureMode))                       \
  X(cuStreamEndCapture, (Stream, Graph*))                                 \
  X(cuGraphInstantiateWithFlags, (GraphExec*, Graph, unsigned long long)) \
  X(cuGraphLaunch, (GraphExec, Stream))                                   \
  X(cuGraphDestroy, (Graph))                                              \
  X(cuGraphExecDestroy, (GraphExec))                                      \
  X(cuEventCreate, (Event*, Uint))                                        \
  X(cuEventRecord, (Event, Stream))                                       \
  X(cuEventElapsedTime, (float*, Event, Event))                           \
  X(cuEventDestroy_v2, (Event))                                           \
  X(cuLaunchKernel, (Function, Uint, Uint, Uint, Uint, Uint, Uint, Uint, Stream, void**, void**))

struct Api {
#define VDLA_MEMBER(name, parameters) Result(*name) parameters;
  VDLA_CUDA_FUNCTIONS(VDLA_MEMBER)
#undef VDLA_MEMBER
};

// name in CUDA's header, value
#define VDLA_CUDA_CONSTANTS(X)                          \
  X(CUDA_SUCCESS, 0)                                    \
  X(CUDA_ERROR_INVALID_VALUE, 1)                        \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2)                        \
  X(CUDA_ERROR_NOT_INITIALIZED, 3)                      \
  X(CUDA_ERROR_NO_DEVICE, 100)                          \
  X(CUDA_ERROR_INVALID_DEVICE, 101)                     \
  X(CUDA_ERROR_INVALID_CONTEXT, 201)                    \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                  \
  X(CUDA_ERROR_INVALID_PTX, 218)                        \
  X(CUDA_ERROR_INVALID_HANDLE, 400)                     \
  X(CUDA_ERROR_NOT_FOUND, 500)                          \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                    \
  X(CUDA_ERROR_LAUNCH_FAILED, 719)                      \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)   \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)   \
  X(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8) \
  X(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)         \
  X(CU_JIT_ERROR_LOG_BUFFER, 5)                         \
  X(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)              \
  X(CU_STREAM_NON_BLOCKING, 1)                          \
  X(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1)             \
  X(CU_EVENT_DEFAULT, 0)                                \
  X(CU_LAUNCH_PARAM_END, 0)                             \
  X(CU_LAUNCH_PARAM_BUFFER_POINTER, 1)                  \
  X(CU_LAUNCH_PARAM_BUFFER_SIZE, 2)

#define VDLA_CONSTANT(name, value) inline constexpr int k_##name = value;
VDLA_CUDA_CONSTANTS(VDLA_CONSTANT)
#undef VDLA_CONSTANT

}  // namespace vdla::gpu::cuda
