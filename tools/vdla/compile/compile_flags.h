// SPDX-License-Identifier: Apache-2.0
// Flags of commands that compile a network: for what machine, and how.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/options/options.h"
#include "tools/vdla/devices/remote_flags.h"

namespace vdla::tools {

/// --from and --until: tensors of the model between which the network is cut.
struct CutFlags {
  std::vector<std::string> from, until;

  void add_to(CLI::App& command);
};

/// Choices that a model file leaves open: --bind, --shape, --signature, and the cut.
struct ModelFlags {
  std::vector<std::string> bind, shapes;
  std::string signature;
  CutFlags cut;

  void add_bind_to(CLI::App& command);
  /// Adds all options but --bind.
  void add_to(CLI::App& command);
  import::ImportOptions options() const;
};

// Long: an option for each choice of a compile, with what it refuses.
class CompileFlags {
 public:
  /// `group`: their heading in the help; empty: that of all options. `gpus`: --target may have a GPU.
  void add_to(CLI::App& command, const std::string& group = "", bool gpus = false);
  /// Adds --variant and --target alone, the latter with GPUs; the rest is at its defaults.
  void add_main_to(CLI::App& command, const std::string& group);
  /// The variant is that of a board elsewhere, unless --variant was given.
  void prefer_variant_of(const RemoteFlags& board);

  /// UserError for options that would do nothing.
  pipeline::CompileOptions options() const;
  import::ImportOptions import_options() const;
  const std::string& target() const { return target_; }
  const std::string& variant_name() const { return variant_; }
  /// The GPU among the targets; nothing: there is none.
  std::optional<pipeline::GpuOptions> gpu() const;
  /// Flags that were given, by their names.
  std::vector<std::string> given() const;

 private:
  void add_variant(CLI::App& command);
  void add_target(CLI::App& command, bool gpus);
  /// Takes note of the options of the command that are not among `before`.
  void own(CLI::App& command, const std::vector<CLI::Option*>& before, const std::string& group);
  void refuse_idle() const;
  bool has_device() const;
  bool compares_gpu() const;
  pipeline::HostSpeed host_speed() const;
  std::string gpu_kind() const;  ///< empty: no GPU
  /// Book of the GPU's functions, or of the layers elsewhere; nothing: the book that is given is not that
  /// one, or none is.
  std::optional<pipeline::KnobBook> book(bool of_gpu) const;
  isa::Variant variant() const;

  std::vector<const CLI::Option*> all_;
  RemoteFlags device_;  ///< flags of --variant device:HOST
  std::string variant_ = "paper", target_ = "vdla", partition_ = "cost", gpu_machine_;
  double host_gops_ = pipeline::HostSpeed{}.operations_per_second * 1e-9;
  double host_gbytes_ = pipeline::HostSpeed{}.bytes_per_second * 1e-9;
  double start_us_ = pipeline::HostSpeed{}.device_start_seconds * 1e6;
  double gpu_gops_ = pipeline::GpuSpeed{}.operations_per_second * 1e-9;
  double gpu_gbytes_ = pipeline::GpuSpeed{}.bytes_per_second * 1e-9;
  double gpu_start_us_ = pipeline::GpuSpeed{}.start_seconds * 1e6;
  std::vector<std::string> place_;
  ModelFlags model_;
  std::string book_, cpu_ = "portable";
  bool cpu_levels_ = false, cpu_native_ = false, no_fusion_ = false, latency_hiding_ = true,
       rotate_tiles_ = true, on_chip_ = true;
  std::int64_t vthreads_ = pipeline::CompileOptions{}.vthreads;
  std::optional<unsigned> rows_;
};

}  // namespace vdla::tools
