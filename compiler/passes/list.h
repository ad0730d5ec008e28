// SPDX-License-Identifier: Apache-2.0
// The list of passes over loop IR, in the order in which the table of lowering of a CPU runs them
// (compiler/passes/target.h), then those that a CPU has no use for. A new row brings the declaration of
// the function (compiler/passes/rows.h), a pass of `vdla opt`, a row of the table, and a name for `vdla
// compile --print-after`.
#pragma once

/// X(C++ name, name, what it does, function); BORROWED of a row whose function another folder has.
#define VDLA_LOOP_PASSES_BY(X, BORROWED)                                                                   \
  BORROWED(Tensorize, "tensorize", "calls of intrinsics in the place of loops that are marked for them",   \
           tensorize::tensorize_for_host)                                                                  \
  X(DoubleBuffer, "double-buffer",                                                                         \
    "fills the next half of an 'alloc ... double' while the other one is read", double_buffer)             \
  X(LowerVthreads, "lower-vthreads", "interleaves the iterations of vthread loops statement by statement", \
    lower_vthreads)                                                                                        \
  X(InsertBarriers, "insert-barriers", "separates accesses of threads to memory @shared by barriers",      \
    insert_barriers)                                                                                       \
  X(SerialiseThreads, "serialise-threads",                                                                 \
    "runs blocks and threads, and parallel loops inside of such, in order; drops barriers",                \
    serialise_threads)                                                                                     \
  X(PartitionLoops, "partition-loops",                                                                     \
    "cuts loops where guards begin or cease to hold; the main part has none", partition_loops)             \
  X(RewriteStorage, "rewrite-storage", "gives one memory to allocations whose lives do not overlap",       \
    rewrite_storage)                                                                                       \
  X(FlattenStorage, "flatten-storage", "makes every buffer one-dimensional, addresses explicit",           \
    flatten_storage)                                                                                       \
  BORROWED(Simplify, "simplify",                                                                           \
           "folds and decides what ranges tell; drops loops of one iteration and guards that hold",        \
           loop::simplify)                                                                                 \
  X(Vectorize, "vectorize", "moves vectorized loops inwards and cuts them to lanes; others become serial", \
    vectorize)                                                                                             \
  X(Unroll, "unroll", "writes out unrolled loops; those of more than 4096 stores become serial", unroll)

/// All rows alike.
#define VDLA_LOOP_PASSES(X) VDLA_LOOP_PASSES_BY(X, X)

/// Rows of the tables of machines with a grid alone.
#define VDLA_GRID_PASSES_BY(X, BORROWED)                                                           \
  BORROWED(TensorizeGrid, "tensorize-grid",                                                        \
           "operations of threads and warps in the place of loops that are marked for them",       \
           tensorize::tensorize_for_grid)                                                          \
  X(PlaceThreads, "place-threads",                                                                 \
    "gives each statement of a kernel the threads that run it; refuses what a kernel cannot have", \
    place_threads)
#define VDLA_GRID_PASSES(X) VDLA_GRID_PASSES_BY(X, X)
