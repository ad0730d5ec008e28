// SPDX-License-Identifier: Apache-2.0
// The targets: for each a row with what a compile asks of it, in its folder (vdla/target.cpp, cpu/target.cpp,
// gpu/target.cpp), and the list of all rows. The rest of the kit reaches templates, tables and code of a
// target through this header.
//
// A compile asks in this order: the device for each node of a network by itself, the CPU for the functions of
// what is left, and what makes programs beside both (a GPU) for each of these functions. A target of the last
// sort is one row: docs/how-to/add-a-target.md.
#pragma once

#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/knobs/book.h"
#include "compiler/observe/observe.h"
#include "compiler/options/options.h"
#include "compiler/passes/target.h"
#include "compiler/targets/cpu/kernels/kernel.h"
#include "compiler/targets/vdla/templates/ops.h"
#include "runtime/grid/program.h"

namespace vdla::targets {

/// Knobs of a function: those of a book, or drawn ones, or as a text has them.
struct WantedKnobs {
  const pipeline::KnobBook* book = nullptr;  ///< its record of the function's task, else the default ones
  std::mt19937_64* drawn_by = nullptr;
  std::string_view text = {};  ///< as the template's space writes them; empty: the default ones
};

/// Nodes that a target is asked for: one, or those that a function computes, in order.
struct Asked {
  const graph::Graph& graph;
  std::span<const graph::NodeId> nodes;
  const pipeline::CompileOptions& options;
  WantedKnobs knobs = {};
  pipeline::Watch watch = {};
  /// Tensors that the target makes, of the nodes before; null: none.
  const std::vector<bool>* made_there = nullptr;
};

/// One sentence for people.
struct WhyNot {
  std::string reason;
};

/// A node on the device.
struct Layer {
  std::optional<pipeline::device::Op> op;  ///< nothing: the same bytes under another shape
  std::vector<graph::TensorId> inputs;     ///< tensors that it reads
  std::string reason;
};

/// A function of nodes by a template of the target, in front of its table of lowering.
struct Function {
  pipeline::HostKernel kernel;
  std::string by, knobs;  ///< the template and its knobs
  bool rounds = false;    ///< factors of its products are rounded to tf32
};

using Answer = std::variant<WhyNot, Layer, Function>;

/// Nodes whose cost is asked for.
struct Work {
  const graph::Graph& graph;
  std::span<const graph::NodeId> nodes;
  const pipeline::CompileOptions& options;
  const pipeline::device::Op* op = nullptr;  ///< layer that computes them on the device
  std::size_t launches = 0;                  ///< kernels that compute them in a program
};

struct Target {
  std::string_view name;  ///< as of --target
  /// A candidate for the nodes, or the reason why there is none. BookFault for a record that finds no room.
  Answer (*takes)(const Asked& asked);
  /// Seconds of the nodes there, by the speed that the options say the target has.
  double (*seconds)(const Work& work);
  /// Seconds of a run that copies these bytes there and back.
  double (*border)(const pipeline::CompileOptions& options, double bytes);
  /// The table of lowering; `own`: intrinsics beside those of a machine.
  passes::Target (*table)(const isa::Geometry& machine, std::span<const intrinsics::Intrinsic> own);
  /// Book that is asked for knobs, or null.
  const pipeline::KnobBook* (*book)(const pipeline::CompileOptions& options);

  // Fields of targets that make programs beside the device and the CPU.

  /// Makes a program of a function behind the table: its buffers are the function's parameters, then
  /// workspace. Null: code is made of a step (vdla/segment), or of all functions (cpu/kernels/host_object.h).
  gpu::Program (*program)(const loop::Func& lowered) = nullptr;
  /// Machine that templates are for unless another is asked for (--gpu-machine).
  std::string_view machine = {};
  const char* by_llvm = nullptr;  ///< machine that LLVM makes the programs for; null: they need no LLVM
  /// Whether its devices name buffers and lines of loops in messages: buffers lie apart then, and programs
  /// keep their loops.
  bool names_memory = false;
};

const Target& vdla();
const Target& cpu();
std::span<const Target> gpus();

/// Returns all targets: the device, the CPU, then what makes programs.
std::vector<const Target*> all_targets();

/// Returns the names of targets that make programs, whether this build can or not.
std::vector<std::string> gpu_kinds();
/// UserError for a name of no target that makes programs, and where this build of the kit lacks what makes
/// them.
const Target& gpu_target(std::string_view kind);
/// A list of targets as users write it: "vdla", "cpu", "vdla,cuda,cpu".
struct TargetList {
  std::vector<std::string> names;
  bool device = false, cpu = false;
  std::string gpu;  ///< kind; empty: none
};
/// UserError for a name of no target, for one that stands twice, and for two kinds of GPU.
TargetList parse_targets(const std::string& text);
/// Returns what a compile for a kind is asked for; `machine` empty: that of the kind's row.
pipeline::GpuOptions gpu_options(const std::string& kind, const std::string& machine);

/// Returns the operations of a node: multiply-accumulates, or one for each element.
double work_of(const graph::Graph& graph, graph::NodeId node);

}  // namespace vdla::targets
