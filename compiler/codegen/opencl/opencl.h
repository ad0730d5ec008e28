// SPDX-License-Identifier: Apache-2.0
// Loop IR -> OpenCL C, of the launches of a function that went over the table of lowering for opencl
// (compiler/passes/target.h). Text to be read: each statement stands below its line of loop IR. It asks for
// OpenCL 1.2 and nothing of its options but, where a function has such numbers, cl_khr_fp64.
//
//   __kernel __attribute__((reqd_work_group_size(4, 1, 1)))
//   void f(__global const float* restrict A, __global float* restrict B) {
//     // for b in 0..2 block.x {
//     const int b = get_group_id(0);
//     ...
#pragma once

#include <string>

#include "compiler/grid/kernels.h"
#include "compiler/loop/stmt.h"

namespace vdla::codegen {

/// UserError for a type that it has no text for; InternalError naming the row of the table of lowering that
/// was left out where a rule does not hold.
std::string to_opencl(const loop::Func& func, const grid::Launches& launches);

/// The name of a kernel in the text.
std::string opencl_name(const grid::Kernel& kernel);

}  // namespace vdla::codegen
