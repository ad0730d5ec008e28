// SPDX-License-Identifier: Apache-2.0
// compile(): the only place that knows the order from a network to what runs: graph passes, partition, device
// segments, kernels for the CPU. The result is a plain value; whoever writes the module file converts it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/device/ops.h"
#include "compiler/pipeline/host_kernel.h"
#include "isa/program/program.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline {

/// For which CPUs the machine code of kernels is.
enum class CpuCode : std::uint8_t {
  Portable,  ///< most of the kind of this machine
  Levels,    ///< that, and newer ones of the kind (AVX2, AVX-512); the fitting code is chosen at load
  Native,    ///< those like this very machine
};

struct CompileOptions {
  isa::Variant variant;
  bool use_device = true;        ///< false: everything on the CPU
  std::set<std::string> on_cpu;  ///< nodes kept off the device; UserError for a name that is not there
  bool machine_code = true;      ///< object code of the CPU's kernels, where the build can make it
  CpuCode cpu_code = CpuCode::Portable;
  /// Not empty: line tables lead from the machine code of kernels to the lines of
  /// loop::to_string(host_functions(model)), which the caller writes to this file.
  std::string kernel_source;
  cpu::Machine machine;        ///< layouts and tiles of the CPU's kernels are for this one
  bool fuse = true;            ///< false: one function for each node on the CPU
  bool latency_hiding = true;  ///< false: one unit of the device works at a time, for comparison
  bool on_chip = true;         ///< false: each activation goes through DRAM, for comparison
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
