// SPDX-License-Identifier: Apache-2.0
// compile(): the only place that knows the order from a network to what runs: graph passes, partition, device
// segments, kernels for the CPU. The result is a plain value; whoever writes the module file converts it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/device/ops.h"
#include "compiler/pipeline/host_kernel.h"
#include "compiler/pipeline/observe/observe.h"
#include "isa/program/program.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline {

/// For which CPUs the machine code of kernels is.
enum class CpuCode : std::uint8_t {
  Portable,  ///< most of the kind of this machine
  Levels,    ///< that, and newer ones of the kind (AVX2, AVX-512); the fitting code is chosen at load
  Native,    ///< those like this very machine
};

/// Which of the nodes that the device can compute go there.
enum class Partition : std::uint8_t {
  Capable,  ///< all
  Cost,     ///< those whose island (nodes that depend on each other) costs less there, its borders included
};

/// What Partition::Cost takes the CPU beside the device for; parameters, not measurements. The defaults stand
/// for one small in-order core of some hundred MHz, as FPGAs have it, with int8 loops that use no vectors.
struct HostSpeed {
  double operations_per_second = 0.25e9;  ///< multiply-accumulates, or elements of other operators
  double bytes_per_second = 0.25e9;       ///< read, written, copied to the device and back
  double device_start_seconds = 10e-6;    ///< for each run of the device: registers, interrupt
};

struct CompileOptions {
  isa::Variant variant;
  bool use_device = true;        ///< false: everything on the CPU
  std::set<std::string> on_cpu;  ///< nodes kept off the device; UserError for a name that is not there
  Partition partition = Partition::Capable;
  HostSpeed host;
  /// Nodes that Partition::Cost keeps off the device, with the reason; compile() fills them in.
  std::map<std::string, std::string> cheaper_on_cpu;
  bool machine_code = true;  ///< object code of the CPU's kernels, where the build can make it
  CpuCode cpu_code = CpuCode::Portable;
  /// Not empty: line tables lead from the machine code of kernels to the lines of
  /// loop::to_string(host_functions(model)), which the caller writes to this file.
  std::string kernel_source;
  cpu::Machine machine;        ///< layouts and tiles of the CPU's kernels are for this one
  bool fuse = true;            ///< false: one function for each node on the CPU
  bool latency_hiding = true;  ///< false: one unit of the device works at a time, for comparison
  bool on_chip = true;         ///< false: each activation goes through DRAM, for comparison
  Observer observer;           ///< sees what each pass makes; none: nobody looks

  bool kept_off(const std::string& node) const {
    return on_cpu.contains(node) || cheaper_on_cpu.contains(node);
  }
};

/// A tensor's place in the windows of a device step; its bytes lie as device::to_device() puts them.
struct DeviceTensor {
  graph::TensorId tensor = graph::kNone;
  isa::Window window = isa::Window::Act;
  std::uint64_t offset = 0;
  device::Image image;  ///< in bytes
};

/// One run of the device. Inputs come from the host (constants too), outputs go back to it.
struct DeviceStep {
  isa::Program program;
  std::vector<DeviceTensor> inputs, outputs;
  std::vector<std::string> results;  ///< of its nodes, in order: where they go, for people
  double verify_seconds = 0;         ///< that the proof of the program took
  /// Of window act, if its tensors shared no space; with the plan it is as large as the program says.
  std::uint64_t unshared_act_bytes = 0;
};

struct HostStep {
  HostKernel kernel;
};

using Step = std::variant<DeviceStep, HostStep>;

enum class Place : std::uint8_t { Device, Cpu, Folded };
std::string_view name_of(Place place);  ///< "vdla", "cpu", "folded"

/// What became of a node, and why.
struct NodeReport {
  std::string name, op;
  Place place = Place::Cpu;
  std::string reason;
  int step = -1;  ///< index of its step; -1: none
  std::int64_t macs = 0;
  double estimated_cycles = 0;  ///< on the device: the busiest unit's work; 0 elsewhere
  std::int64_t bytes_to_device = 0, bytes_from_device = 0;  ///< copied because of a neighbour's place
  /// What the compiler does on other variants of the machine but not on this one: a fusion, a result kept on
  /// chip; with the reason.
  std::vector<std::string> lost;
};

/// Machine code of all host kernels, one global symbol each.
struct HostObject {
  std::string triple, cpu, features;
  std::vector<std::byte> elf;
};

struct CompiledModel {
  graph::Graph graph;  ///< after all passes
  isa::Variant variant;
  bool use_device = true;
  std::vector<Step> steps;
  std::vector<NodeReport> nodes;
  std::vector<HostObject> objects;
};

/// Of the steps on the host, in order; steps that do the same share one.
std::vector<loop::Func> host_functions(const CompiledModel& model);

CompiledModel compile(const graph::Graph& graph, const CompileOptions& options);

}  // namespace vdla::pipeline
