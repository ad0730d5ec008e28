// SPDX-License-Identifier: Apache-2.0
// A network as one program of a device with a grid: the kernels of its functions one after the other, over
// buffers that stay on the device.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/gpu/grid_kernel.h"
#include "compiler/pipeline/observe/observe.h"
#include "compiler/targets/gpu/code.h"

namespace vdla::kit {

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
  std::vector<std::size_t> inputs, outputs;  ///< buffers, by port of the graph
  struct Constant {
    std::size_t buffer;
    graph::SharedBytes data;
    graph::TensorId tensor = graph::kNone;  ///< tensor of the graph; none: a kernel's own, `declared` by it
    expr::BufferPtr declared;
  };
  std::vector<Constant> constants;       ///< to be written once
  std::vector<graph::TensorId> tensors;  ///< tensors by buffer: the graph's, no constant, or none
};

/// Programs by what their functions do: layers that do the same have one, with the name of the first of them.
using MadePrograms = std::map<std::string, gpu::Program>;

/// Origin of the knobs of a function.
struct GridKnobs {
  std::string text = {};                     ///< as its template's space writes them; empty: the default ones
  const pipeline::KnobBook* book = nullptr;  ///< not null: in the place of the text
};

/// Layer of a group of the graph (pipeline::grid_groups). `made`, where there is one: looked into, and added
/// to, unless an observer watches. UserError as below, BookFault as of pipeline::grid_kernel_by().
GridLayer grid_layer(const graph::Graph& graph, std::span<const graph::NodeId> group,
                     const targets::GpuCode& code, const pipeline::gpu::GpuProfile& profile,
                     const GridKnobs& knobs = {}, MadePrograms* made = nullptr,
                     const pipeline::Watch& watch = {});

/// Layers one after the other; equal parts are one. Tensors of `first` are its first buffers.
GridNetwork join_layers(const graph::Graph& graph, std::vector<GridLayer> layers,
                        std::span<const graph::TensorId> first);

/// Gives the buffers one arena. Constants and the tensors in `kept` have their places for themselves; others
/// share what no launch needs any more.
void share_memory(GridNetwork& network, std::span<const graph::TensorId> kept);

/// The knobs of the function of these nodes, as its template's space writes them; empty: the default ones.
using ChooseKnobs = std::function<std::string(std::span<const graph::NodeId> group)>;

/// Makes the programs of a graph that went through the passes for all targets.
/// UserError for what no kernel can have, and for knobs of another template.
GridNetwork grid_network(const graph::Graph& graph, const targets::GpuCode& code,
                         const pipeline::gpu::GpuProfile& profile, const ChooseKnobs& choose = {});

}  // namespace vdla::kit
