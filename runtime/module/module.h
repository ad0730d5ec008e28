// SPDX-License-Identifier: Apache-2.0
// A compiled network: steps in order over a table of tensors, and all that tools say about it. Made by the
// compiler, saved as a .vdla file (runtime/container/module_file.h), run by runtime/session/session.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/geometry.h"
#include "runtime/module/gpu_segment.h"
#include "runtime/module/provenance.h"
#include "runtime/module/section.h"
#include "runtime/module/tensor.h"
#include "runtime/module/window_place.h"
#include "support/preprocessing.h"
#include "support/rounding.h"

namespace vdla::runtime {

using TensorIndex = std::uint32_t;

/// A tensor's place in the windows of a device step.
struct DeviceTensor {
  TensorIndex tensor = 0;
  isa::Window window = isa::Window::Act;
  std::uint64_t offset = 0;  ///< bytes
  DeviceLayout layout;
  bool operator==(const DeviceTensor&) const = default;
};

/// A tensor that layers of one step make for each other, for programs that look into a run. It is whole once
/// its layers have run, until its last reader has.
struct InnerTensor {
  Tensor tensor;                      ///< without data
  std::optional<isa::Window> window;  ///< nothing: it lies in buffer inp
  std::uint64_t offset = 0;           ///< bytes from the start of the window, or of the buffer
  DeviceLayout layout;
  std::vector<std::uint32_t> layers;  ///< layers of the program's source map that write it
  bool operator==(const InnerTensor&) const = default;
};

/// One run of the device. Inputs are written before it, outputs read after it.
struct DeviceStep {
  isa::Program program;
  std::vector<DeviceTensor> inputs, outputs;
  std::array<WindowPlace, isa::kWindowCount> places{};  ///< places of the windows that have bytes
  std::vector<InnerTensor> inner{};                     ///< tensors in between, in the order of their makers
  bool operator==(const DeviceStep&) const = default;
};

/// Machine code of all host kernels for one kind of CPU.
struct KernelObject {
  std::string triple;    ///< "x86_64-unknown-linux-gnu"
  std::string cpu;       ///< "znver4"; empty: any of the triple
  std::string features;  ///< features of the CPU that the code needs, as LLVM writes it: "+avx2,+fma"
  Bytes elf;  ///< relocatable object; kernels are its global symbols, see runtime/module/host_kernel.h
  bool operator==(const KernelObject&) const = default;
};

/// Bytes of an argument that a kernel touches, as its loop program declares them.
struct KernelParameter {
  DataType type = DataType::Int8;
  std::uint64_t bytes = 0;
  bool operator==(const KernelParameter&) const = default;
};

/// One call of a kernel on the CPU: a symbol of Module::objects, and its loop program, which any machine can
/// interpret.
struct HostStep {
  std::string kernel;  ///< symbol, and name of the function in `loop_ir`
  std::string loop_ir;
  /// Arguments that code and loop program read and write: no more, no less.
  std::vector<KernelParameter> parameters;
  std::vector<TensorIndex> arguments;  ///< one for each parameter, of its type and bytes
  std::vector<TensorIndex> results;    ///< members of `arguments` that are written
  bool operator==(const HostStep&) const = default;
};

using Step = std::variant<DeviceStep, HostStep>;

/// A knob of a template: its values are 1, ..., values, with names where it is a choice.
struct KnobRange {
  std::string name;
  std::int64_t values = 1;
  std::vector<std::string> names;
  bool operator==(const KnobRange&) const = default;
};

/// Another kernel for a host step, by other knobs.
struct Alternative {
  HostStep step;      ///< its results are those of the step
  std::string knobs;  ///< as the tuner's records have them; empty: default ones
  /// Estimate of the template for them, in nanoseconds of no certain machine; 0: default ones.
  double estimate = 0;
  bool operator==(const Alternative&) const = default;
};

/// Each of them costs the first inferences seven runs.
inline constexpr std::size_t kMostOtherKernels = 7;

/// A host step that has several kernels, of which the first runs choose one that gives the results of its own
/// (runtime/session/adaptation.h).
struct StepAlternatives {
  std::size_t step = 0;
  std::string task, context;     ///< task that it computes, as the tuner's records have it
  std::vector<KnobRange> space;  ///< ranges of its knobs
  std::uint32_t layers = 1;      ///< number of layers of the network that share them
  std::string knobs;             ///< knobs of the step's own kernel, as in Alternative
  double estimate = 0;
  std::vector<Alternative> others;
  bool operator==(const StepAlternatives&) const = default;
};

/// Input or output as the model file states it. Inside it may be int8 and laid out otherwise: a float32 model
/// is fed round(x / scale) + zero point of the tensor, a uint8 one x - 128. Which way halves go is the model
/// format's rule.
struct Port {
  TensorIndex tensor = 0;
  std::string name;  ///< as in the model file
  DataType model_type = DataType::Int8;
  Shape model_shape;
  std::vector<std::int32_t> perm;  ///< tensor dimension i is model dimension perm[i]; empty: equal shapes
  Rounding rounding = Rounding::HalfToEven;
  bool operator==(const Port&) const = default;
};

/// A value that a session keeps from one run to the next: what `end` holds after a run is what `begin` holds
/// in the next one. It is called as `begin` is.
struct State {
  TensorIndex begin = 0;
  TensorIndex end = 0;  ///< has the type and shape of `begin`; no state's `begin`
  Bytes initial;        ///< bytes of `begin` in the first run
  bool operator==(const State&) const = default;
};

/// Fate of a node of the model: for `explain`, and for the layers that `run` reports.
struct NodeInfo {
  std::string name;
  std::string op;
  std::string place;  ///< "vdla", "cpu", "gpu", or "folded"
  std::string reason;
  std::string layer;  ///< name in the source map of the instructions that compute it; empty off the device
  std::int32_t step = -1;             ///< index of its step; -1: none
  std::uint64_t macs = 0;             ///< as the model states them: no padded channels, no halo
  double estimated_cycles = 0;        ///< cycles by the cost model; 0: no estimate
  std::uint64_t bytes_to_device = 0;  ///< copied for this node because of a neighbour's place
  std::uint64_t bytes_from_device = 0;
  Sources sources = {};    ///< sources of the value that it writes
  Sources constants = {};  ///< sources of the constants that it reads
  bool operator==(const NodeInfo&) const = default;
};

/// A value; check() (runtime/module/module_check.h) holds for what load() returns and save() takes.
struct Module {
  std::string model_name;
  std::string target;    ///< "vdla", "cpu", "cuda", or a list: "vdla,opencl,cpu"
  isa::Variant variant;  ///< geometry: what the programs need; timing: the default for simulations
  std::vector<Tensor> tensors;
  std::vector<Step> steps;
  std::vector<GpuSegment> gpu;                 ///< segments in order of their steps
  std::vector<StepAlternatives> alternatives;  ///< alternatives in order of their steps
  std::vector<KernelObject> objects;
  std::vector<Port> inputs, outputs;
  std::vector<State> states;
  std::vector<NodeInfo> nodes;
  Provenance provenance;
  Preprocessing preprocessing;           ///< how images become the input
  std::vector<std::string> class_names;  ///< names by index in the first output; empty: not known
  /// Sections of the file, optional and unknown to this kit: kept as they are.
  std::vector<Section> other_sections;
};

/// Whether any step needs the device.
bool needs_device(const Module& module);

/// The segment that has the step; null: none.
const GpuSegment* segment_of(const Module& module, std::size_t step);

/// For each segment, the step before which a session waits for it: the first one behind it that names one of
/// its outputs, or the first one of the segment that does; the number of steps where the caller alone reads
/// them. A segment with an output that is not read is waited for at its end.
std::vector<std::size_t> segments_needed_at(const Module& module);

/// MACs / multipliers of the array.
double ideal_gemm_cycles(const NodeInfo& node, const isa::Geometry& geometry);

/// Node with the most work of those that a step computes, or the last; null: it computes none.
const NodeInfo* main_node(const Module& module, std::size_t step);

}  // namespace vdla::runtime
