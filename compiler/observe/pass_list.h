// SPDX-License-Identifier: Apache-2.0
// The passes of a compile: the one table of their names.
#pragma once

#include <cstdint>

#include "compiler/codegen/vdla/pass_list.h"
#include "compiler/observe/graph_pass_list.h"
#include "compiler/passes/list.h"

namespace vdla::pipeline {

/// X(C++ name, name for people, what its text shows, ...). In the order in which a compile runs them; those
/// from Schedule to LlvmIr once for each function. Rows of tables of lowering (compiler/passes/target.h) are
/// shown where the table of the function's target has them: that of the CPU those of VDLA_LOOP_PASSES, those
/// of GPUs some of these and those of VDLA_GRID_PASSES, that of the device (compiler/targets/vdla/table.h)
/// tensorize, by which copies become DMA, and lower-vthreads.
// clang-format off
#define VDLA_COMPILE_PASSES(X) \
  X(Import, "import", "the network as it was read") \
  VDLA_GRAPH_PASSES(X) \
  X(Partition, "partition", "where each node runs, and why") \
  X(CompareCosts, "compare-costs", "islands of the device, with their costs there and on the CPU") \
  X(GroupSteps, "group-steps", "the nodes of each step of the module, in order") \
  X(PlaceTensors, "place-tensors", "where the tensors of a step of the device lie, in DRAM or inp") \
  X(Schedule, "schedule", "the schedule of a function, as compiler/schedule/script.h reads it") \
  X(Lower, "lower", "loop IR of the schedule: bounds inferred") \
  X(SimplifyLowered, "simplify-lowered", "the same with what ranges tell decided and folded") \
  X(PlaceViews, "place-views", "parameters as views of the tensors in DRAM or inp") \
  VDLA_LOOP_PASSES(X) \
  VDLA_GRID_PASSES(X) \
  X(LlvmIr, "llvm-ir", "what LLVM makes of the function, for each level of CPUs in turn") \
  X(GatherFunctions, "gather-functions", "the stream of a step of the device: its functions and places") \
  VDLA_STREAM_PASSES(X) \
  X(Codegen, "codegen", "the instructions of a step of the device, with their loops")
// clang-format on

enum class Pass : std::uint8_t {
#define VDLA_ENUM(id, name, shows, ...) id,
  VDLA_COMPILE_PASSES(VDLA_ENUM)
#undef VDLA_ENUM
};

}  // namespace vdla::pipeline
