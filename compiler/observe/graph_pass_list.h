// SPDX-License-Identifier: Apache-2.0
// The list of passes from graph to graph, in the order in which a compile runs them; those for the device are
// the last ones: they run again where costs move nodes to the CPU. A new row brings the declaration of the
// function, a row of the table (compiler/pipeline/rewrite/graph_passes.h), a pass of `vdla opt`, and a name
// for `vdla compile --print-after`.
#pragma once

/// X(C++ name, name, what its text shows, for which compiles, function): GRAPH of a function of
/// compiler/graph, from a graph to a graph; PLAIN of one of compiler/pipeline/rewrite; WITH_OPTIONS of one
/// there that also gets CompileOptions and the nodes that are kept off the device; WITH_CHOICES of one that
/// besides makes choices that a knob book can make otherwise.
#define VDLA_GRAPH_PASSES_BY(GRAPH, PLAIN, WITH_OPTIONS, WITH_CHOICES)                                       \
  GRAPH(DropDead, "drop-dead", "the graph without nodes whose result nobody reads", All, drop_dead)          \
  PLAIN(FoldConstants, "fold-constants", "the graph without nodes whose inputs are all constant", All,       \
        fold_constants)                                                                                      \
  GRAPH(FoldTranspose, "fold-transpose", "transposes in front of dense layers are an order of weights", All, \
        fold_transpose)                                                                                      \
  GRAPH(SimplifyReshape, "simplify-reshape", "reshapes of reshapes are one, those that do nothing are gone", \
        All, simplify_reshape)                                                                               \
  GRAPH(FoldBoundary, "fold-boundary", "what only inputs and outputs go through is part of their ports",     \
        All, fold_boundary)                                                                                  \
  GRAPH(FoldPad, "fold-pad", "pads in front of convolutions are padding of those", All, fold_pad)            \
  GRAPH(FuseClamp, "fuse-clamp", "clamps are part of the operator in front", All, fuse_clamp)                \
  PLAIN(FoldTables, "fold-tables", "element-wise functions of one int8 tensor are one table", All,           \
        fold_tables)                                                                                         \
  WITH_CHOICES(BlockLayouts, "block-layouts",                                                                \
               "float convolutions and products in layouts for the CPU's vectors", Cpu, layouts_for_vectors) \
  WITH_OPTIONS(BroadcastOperands, "broadcast-operands",                                                      \
               "operands of sums and extrema for the device at full size", Device, broadcast_operands)       \
  WITH_OPTIONS(PackOperands, "pack-operands",                                                                \
               "second operands of products in entries of the device's array", Device, pack_operands)        \
  WITH_CHOICES(PackLanes, "pack-lanes",                                                                      \
               "taps and channels of first convolutions packed into the device's lanes", Device, pack_lanes)

/// All rows alike.
#define VDLA_GRAPH_PASSES(X) VDLA_GRAPH_PASSES_BY(X, X, X, X)
