// SPDX-License-Identifier: Apache-2.0
// Options of a compile: a plain struct that nothing changes on its way through the rooms of the pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/knobs/book.h"
#include "compiler/observe/observe.h"
#include "compiler/observe/written_schedule.h"
#include "compiler/targets/cpu/profile.h"
#include "compiler/targets/gpu/profile.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline {

/// For which CPUs the machine code of kernels is.
enum class CpuCode : std::uint8_t {
  Portable,  ///< most of the kind of this machine
  /// Code of Portable, and newer ones of the kind (AVX2, AVX-512); the fitting code is chosen at load.
  Levels,
  Native,  ///< CPUs like this very machine
  Avx2,    ///< x86-64 with AVX2, or with AVX-512; UserError elsewhere
  Avx512,
};

/// A machine of another kind, as LLVM calls it and what of it code may use.
struct CpuTarget {
  std::string triple, cpu, features;
};

/// Choice of the nodes that go to the device among those that it can compute.
enum class Partition : std::uint8_t {
  Capable,  ///< all
  Cost,     ///< nodes whose island (nodes that depend on each other) costs less there, its borders included
};

/// Speed of the CPU beside the device for Partition::Cost; parameters, not measurements. The defaults stand
/// for one small in-order core of some hundred MHz, as FPGAs have it, with int8 loops that use no vectors.
struct HostSpeed {
  double operations_per_second = 0.25e9;  ///< multiply-accumulates, or elements of other operators
  double bytes_per_second = 0.25e9;       ///< read, written, copied to the device and back
  double device_start_seconds = 10e-6;    ///< for each run of the device: registers, interrupt
};

/// Speed of the GPU where a compile weighs it against what is beside it; parameters, not measurements. The
/// defaults stand for a card in a slot.
struct GpuSpeed {
  double operations_per_second = 1e12;  ///< multiply-accumulates, or elements of other operators
  double bytes_per_second = 10e9;       ///< copied to it and back
  double start_seconds = 20e-6;         ///< for each run of a program: calls of the driver, a wait
  double launch_seconds = 5e-6;         ///< for each kernel
};

/// A GPU among the targets.
struct GpuOptions {
  std::string kind;         ///< one of targets::gpu_kinds()
  gpu::GpuProfile profile;  ///< the templates are for this one
  GpuSpeed speed = {};
  /// Whether the CPU keeps steps that cost less there, borders included; false: the GPU gets all that it can.
  bool cpu_keeps = false;
  std::optional<KnobBook> book = {};  ///< knobs of functions, in the place of default ones
};

class LayerCache;

/// Most kernels of a layer of the CPU that has several.
inline constexpr std::size_t kMostKernels = 3;

struct CompileOptions {
  isa::Variant variant;
  bool use_device = true;        ///< false: everything on the CPU
  std::set<std::string> on_cpu;  ///< nodes kept off the device and the GPU, the latter with what is computed
                                 ///< together with them; UserError for a name that is not there
  std::set<std::string> on_gpu;  ///< nodes that have to go to the GPU; UserError without one
  Partition partition = Partition::Capable;
  HostSpeed host;
  /// Nodes kept off the device as an earlier compile kept them, with what to say of it. Names that are not
  /// there mean nothing: on another variant the host packs other operands.
  std::map<std::string, std::string> as_before;
  std::optional<GpuOptions> gpu;  ///< computes steps that are off the device; none: there is no GPU
  bool machine_code = true;       ///< object code of the CPU's kernels, where the build can make it
  CpuCode cpu_code = CpuCode::Portable;
  std::vector<CpuTarget> other_cpus;  ///< not empty: code is for these, in the place of cpu_code
  /// Not empty: line tables lead from the machine code of kernels to the lines of
  /// loop::to_string(model.host_code), which the caller writes to this file.
  std::string kernel_source;
  cpu::CpuProfile cpu;         ///< layouts and tiles of the CPU's kernels are for this one
  bool fuse = true;            ///< false: one function for each node on the CPU
  bool latency_hiding = true;  ///< false: one unit of the device works at a time, for comparison
  bool rotate_tiles = true;    ///< false: tiles lie where there is room first, for comparison
  /// Virtual threads of convolutions and dense layers on the device, where there are tiles for them.
  std::int64_t vthreads = 1;
  bool on_chip = true;  ///< false: each activation goes through DRAM, for comparison
  /// Rows that the device's layers use of a machine with several (B): all, or 1, where each pixel has an
  /// entry of its own. None: what takes fewer cycles by the estimate, or what a book wants.
  std::optional<unsigned> rows;
  /// Knobs and choices in the place of default ones: of the device's layers and of the plan for it, or of the
  /// CPU's where all is there.
  std::optional<KnobBook> book;
  /// Knobs of further kernels for the CPU's layers, where all is on the CPU. A layer that `book` has a record
  /// of gets one with default knobs; then come those of these books that are none of the others, up to
  /// kMostKernels. The first runs of the module choose.
  std::vector<KnobBook> alternatives;
  /// Schedules that a person wrote, in the place of what templates and knobs give; UserError for a layer that
  /// is not there or has no function of its own.
  WrittenSchedules schedules;
  /// Shared by compiles of one network that differ in their book alone: layers with the same knobs are
  /// lowered once (compiler/targets/vdla/segment/layer_cache.h). None: each compile lowers all.
  std::shared_ptr<LayerCache> layers;
  Observer observer;  ///< sees what each pass makes; none: not watched
};

/// The book, or null.
inline const KnobBook* book_of(const CompileOptions& options) {
  return options.book ? &*options.book : nullptr;
}

/// Book of the CPU: `book` where all is there.
inline const KnobBook* cpu_book_of(const CompileOptions& options) {
  return options.use_device ? nullptr : book_of(options);
}

/// Numbers that decide programs and cycles, "batch=1 block_in=16 ...": all of the variant but its name and
/// its clock, since memory is given in cycles.
std::string target_of(const isa::Variant& variant);
/// Target of the variant, where the device is used; else what decides kernels of the CPU, and on which
/// machine they were timed: "cpu code=native vector_bytes=64 ...".
std::string target_of(const CompileOptions& options);

/// The begin of the targets of books for GPUs.
inline constexpr const char* kGpuBook = "gpu ";
/// Target of a book's knobs: "gpu kind=cuda machine=server".
std::string target_of(const GpuOptions& gpu);

/// UserError for a book of another target than the options'.
void require_fitting_books(const CompileOptions& options);

/// Nodes that stay off the device whatever it can do, by name, and why.
using KeptOff = std::map<std::string, std::string>;
/// Nodes that the options keep off the device; costs can add to them.
KeptOff kept_off(const CompileOptions& options);

}  // namespace vdla::pipeline
