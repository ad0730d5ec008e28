// SPDX-License-Identifier: Apache-2.0
// Functions of OpenCL's C interface that the kit calls, declared by hand: building it needs no headers of
// OpenCL. A test compares each declaration with them where they are installed. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>

// The names that OpenCL's own header gives its handles.
struct _cl_platform_id;
struct _cl_device_id;
struct _cl_context;
struct _cl_command_queue;
struct _cl_mem;
struct _cl_program;
struct _cl_kernel;
struct _cl_event;

namespace vdla::gpu::cl {

using Platform = _cl_platform_id*;
using DeviceId = _cl_device_id*;
using ContextHandle = _cl_context*;
using Queue = _cl_command_queue*;
using Memory = _cl_mem*;
using ProgramHandle = _cl_program*;
using KernelHandle = _cl_kernel*;
using Event = _cl_event*;
using Int = std::int32_t;
using Uint = std::uint32_t;
using Bits = std::uint64_t;
using Property = std::intptr_t;
using ContextNotice = void(const char*, const void*, std::size_t, void*);
using BuildNotice = void(ProgramHandle, void*);

// name, result, parameters
#define VDLA_OPENCL_FUNCTIONS(X)                                                                             \
  X(clGetPlatformIDs, Int, (Uint, Platform*, Uint*))                                                         \
  X(clGetPlatformInfo, Int, (Platform, Uint, std::size_t, void*, std::size_t*))                              \
  X(clGetDeviceIDs, Int, (Platform, Bits, Uint, DeviceId*, Uint*))                                           \
  X(clGetDeviceInfo, Int, (DeviceId, Uint, std::size_t, void*, std::size_t*))                                \
  X(clCreateContext, ContextHandle, (const Property*, Uint, const DeviceId*, ContextNotice*, void*, Int*))   \
  X(clReleaseContext, Int, (ContextHandle))                                                                  \
  X(clCreateCommandQueue, Queue, (ContextHandle, DeviceId, Bits, Int*))                                      \
  X(clReleaseCommandQueue, Int, (Queue))                                                                     \
  X(clCreateProgramWithSource, ProgramHandle, (ContextHandle, Uint, const char**, const std::size_t*, Int*)) \
  X(clBuildProgram, Int, (ProgramHandle, Uint, const DeviceId*, const char*, BuildNotice*, void*))           \
  X(clGetProgramBuildInfo, Int, (ProgramHandle, DeviceId, Uint, std::size_t, void*, std::size_t*))           \
  X(clReleaseProgram, Int, (ProgramHandle))                                                                  \
  X(clCreateKernel, KernelHandle, (ProgramHandle, const char*, Int*))                                        \
  X(clGetKernelWorkGroupInfo, Int, (KernelHandle, DeviceId, Uint, std::size_t, void*, std::size_t*))         \
  X(clSetKernelArg, Int, (KernelHandle, Uint, std::size_t, const void*))                                     \
  X(clReleaseKernel, Int, (KernelHandle))                                                                    \
  X(clCreateBuffer, Memory, (ContextHandle, Bits, std::size_t, void*, Int*))                                 \
  X(clCreateSubBuffer, Memory, (Memory, Bits, Uint, const void*, Int*))                                      \
  X(clReleaseMemObject, Int, (Memory))                                                                       \
  X(clEnqueueWriteBuffer, Int,                                                                               \
    (Queue, Memory, Uint, std::size_t, std::size_t, const void*, Uint, const Event*, Event*))                \
  X(clEnqueueReadBuffer, Int,                                                                                \
    (Queue, Memory, Uint, std::size_t, std::size_t, void*, Uint, const Event*, Event*))                      \
  X(clEnqueueNDRangeKernel, Int,                                                                             \
    (Queue, KernelHandle, Uint, const std::size_t*, const std::size_t*, const std::size_t*, Uint,            \
     const Event*, Event*))                                                                                  \
  X(clFlush, Int, (Queue))                                                                                   \
  X(clFinish, Int, (Queue))                                                                                  \
  X(clGetEventProfilingInfo, Int, (Event, Uint, std::size_t, void*, std::size_t*))                           \
  X(clReleaseEvent, Int, (Event))

struct Api {
#define VDLA_MEMBER(name, result, parameters) result(*name) parameters;
  VDLA_OPENCL_FUNCTIONS(VDLA_MEMBER)
#undef VDLA_MEMBER
};

// name in OpenCL's header, value
#define VDLA_OPENCL_CONSTANTS(X)          \
  X(CL_SUCCESS, 0)                        \
  X(CL_DEVICE_NOT_FOUND, -1)              \
  X(CL_MEM_OBJECT_ALLOCATION_FAILURE, -4) \
  X(CL_OUT_OF_RESOURCES, -5)              \
  X(CL_OUT_OF_HOST_MEMORY, -6)            \
  X(CL_BUILD_PROGRAM_FAILURE, -11)        \
  X(CL_MISALIGNED_SUB_BUFFER_OFFSET, -13) \
  X(CL_BUFFER_CREATE_TYPE_REGION, 0x1220) \
  X(CL_INVALID_BUFFER_SIZE, -61)          \
  X(CL_INVALID_WORK_GROUP_SIZE, -54)      \
  X(CL_TRUE, 1)                           \
  X(CL_PLATFORM_NAME, 0x0902)             \
  X(CL_DEVICE_TYPE, 0x1000)               \
  X(CL_DEVICE_TYPE_CPU, 2)                \
  X(CL_DEVICE_TYPE_GPU, 4)                \
  X(CL_DEVICE_TYPE_ALL, 0xFFFFFFFF)       \
  X(CL_DEVICE_NAME, 0x102B)               \
  X(CL_DEVICE_VERSION, 0x102F)            \
  X(CL_DEVICE_LOCAL_MEM_SIZE, 0x1023)     \
  X(CL_MEM_READ_WRITE, 1)                 \
  X(CL_QUEUE_PROFILING_ENABLE, 2)         \
  X(CL_PROFILING_COMMAND_START, 0x1282)   \
  X(CL_PROFILING_COMMAND_END, 0x1283)     \
  X(CL_PROGRAM_BUILD_LOG, 0x1183)         \
  X(CL_KERNEL_WORK_GROUP_SIZE, 0x11B0)    \
  X(CL_KERNEL_LOCAL_MEM_SIZE, 0x11B2)

#define VDLA_CONSTANT(name, value) inline constexpr std::int64_t k_##name = value;
VDLA_OPENCL_CONSTANTS(VDLA_CONSTANT)
#undef VDLA_CONSTANT

}  // namespace vdla::gpu::cl
