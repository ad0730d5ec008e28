// SPDX-License-Identifier: Apache-2.0
// The passes of a compile: the one table of their names.
#pragma once

#include <cstdint>

#include "compiler/passes/list.h"

namespace vdla::pipeline {

/// X(C++ name, name for people, what its text shows, ...). In the order in which a compile runs them; those
/// from Schedule to LlvmIr once for each function. Those from Tensorize to Unroll are the rows of the CPU's
/// table of lowering (compiler/passes/target.h); of the device's functions there are those of its own
/// (compiler/target/device.h): tensorize, by which copies become DMA, and lower-vthreads.
#define VDLA_COMPILE_PASSES(X)                                                                           \
  X(Import, "import", "the network as it was read")                                                      \
  X(DropDead, "drop-dead", "the graph without nodes whose result nobody reads")                          \
  X(FoldConstants, "fold-constants", "the graph without nodes whose inputs are all constant")            \
  X(FoldTranspose, "fold-transpose", "transposes in front of dense layers are an order of weights")      \
  X(SimplifyReshape, "simplify-reshape", "reshapes of reshapes are one, those that do nothing are gone") \
  X(FoldBoundary, "fold-boundary", "what only inputs and outputs go through is part of their ports")     \
  X(FoldPad, "fold-pad", "pads in front of convolutions are padding of those")                           \
  X(FuseClamp, "fuse-clamp", "clamps are part of the operator in front")                                 \
  X(BlockLayouts, "block-layouts", "float convolutions and products in layouts for the CPU's vectors")   \
  X(BroadcastOperands, "broadcast-operands", "operands of sums and extrema for the device at full size") \
  X(PackOperands, "pack-operands", "second operands of products in entries of the device's array")       \
  X(PackLanes, "pack-lanes", "taps and channels of first convolutions packed into the device's lanes")   \
  X(Partition, "partition", "where each node runs, and why")                                             \
  X(CompareCosts, "compare-costs", "islands of the device, with their costs there and on the CPU")       \
  X(GroupSteps, "group-steps", "the nodes of each step of the module, in order")                         \
  X(PlaceTensors, "place-tensors", "where the tensors of a step of the device lie, in DRAM or inp")      \
  X(Schedule, "schedule", "the schedule of a function, as compiler/schedule/script.h reads it")          \
  X(Lower, "lower", "loop IR of the schedule: bounds inferred")                                          \
  X(SimplifyLowered, "simplify-lowered", "the same with what ranges tell decided and folded")            \
  X(PlaceViews, "place-views", "parameters as views of the tensors in DRAM or inp")                      \
  VDLA_LOOP_PASSES(X)                                                                                    \
  X(LlvmIr, "llvm-ir", "what LLVM makes of the function, for each level of CPUs in turn")                \
  X(GatherFunctions, "gather-functions", "the stream of a step of the device: its functions and places") \
  X(Expand, "expand", "the stream with instructions, over instances in SRAM, for the functions")         \
  X(PinTiles, "pin-tiles", "the stream with tiles where there is room first, for comparison")            \
  X(PlaceSram, "place-sram", "the stream with entries of buffers for the instances")                     \
  X(PlaceUops, "place-uops", "the stream with loads of micro-kernels")                                   \
  X(OrderHazards, "order-hazards", "the stream with what instructions wait for because they depend")     \
  X(OrderBanks, "order-banks", "the stream with what gemms wait for so that they stay fast")             \
  X(SerialiseUnits, "serialise-units", "the stream in which one unit works at a time, for comparison")   \
  X(InsertTokens, "insert-tokens", "the stream with tokens for the waits")                               \
  X(Codegen, "codegen", "the instructions of a step of the device, with their loops")

enum class Pass : std::uint8_t {
#define VDLA_ENUM(id, name, shows, ...) id,
  VDLA_COMPILE_PASSES(VDLA_ENUM)
#undef VDLA_ENUM
};

}  // namespace vdla::pipeline
