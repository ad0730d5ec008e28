// SPDX-License-Identifier: Apache-2.0
// Functions of a graph as one program of a GPU: their kernels one after the other, over buffers that stay on
// the device.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/target.h"

namespace vdla::targets {

struct GridFunction {
  std::string layer;                            ///< the last of its nodes
  std::string by, knobs;                        ///< the template and its knobs
  std::size_t first = 0, last = 0;              ///< its launches, without the last
  std::optional<pipeline::KnobTask> task = {};  ///< task whose knobs a book was asked for, and has
};

/// A function of a graph's nodes as a program of its own.
struct GridLayer {
  GridFunction function;
  pipeline::HostKernel kernel;
  gpu::Program program;  ///< buffers: the kernel's arguments, then others
};

struct GridNetwork {
  gpu::Program
      program;  ///< a part for each function; buffers: tensors of the graph that are used, then others
  std::vector<GridFunction> functions;
  struct Constant {
    std::size_t buffer;
    graph::SharedBytes data;
    graph::TensorId tensor = graph::kNone;  ///< tensor of the graph; none: a kernel's own, `declared` by it
    expr::BufferPtr declared;
  };
  std::vector<Constant> constants;       ///< to be written once
  std::vector<graph::TensorId> tensors;  ///< tensors by buffer: the graph's, no constant, or none
};

/// Host steps of a model that follow each other, as one program.
struct GpuSteps {
  std::string kind;
  std::size_t first_step = 0;
  GridNetwork network;                           ///< a function for each step
  std::vector<graph::TensorId> inputs, outputs;  ///< tensors that cross the border
};

/// Programs by what their functions do: layers that do the same have one, with the name of the first of them.
using MadePrograms = std::map<std::string, gpu::Program>;

/// Makes a program of nodes that one function computes. `made`, where there is one: looked into, and added
/// to, unless an observer watches. UserError with the target's reason where it has none, and for what no
/// kernel can have; BookFault for a record that finds no room.
GridLayer grid_layer(const Target& target, const Asked& asked, MadePrograms* made = nullptr);

/// Layers one after the other; equal parts are one. Tensors of `first` are its first buffers.
GridNetwork join_layers(const graph::Graph& graph, std::vector<GridLayer> layers,
                        std::span<const graph::TensorId> first);

/// Gives the buffers one arena. Constants and the tensors in `kept` have their places for themselves; others
/// share what no launch needs any more.
void share_memory(GridNetwork& network, std::span<const graph::TensorId> kept);

}  // namespace vdla::targets
