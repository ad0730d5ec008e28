// SPDX-License-Identifier: Apache-2.0
// Shared libraries of Verilated machines: their names, how one is built and loaded.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "isa/spec/geometry.h"
#include "sim/rtl/abi.h"
#include "sim/rtl/options.h"

namespace vdla::sim {

/// A parameter of the machine: {"InpDepth", 2048}.
using RtlParameter = std::pair<std::string, unsigned>;

/// One for each number of the geometry, named as in a variant's file.
std::vector<RtlParameter> geometry_parameters(const isa::Geometry& geometry);

/// Parameters, and BurstBytes, which is dram_burst_bytes of the timing (nothing else of it is the machine's),
/// as tools take them: "InpDepth=2048".
std::vector<std::string> rtl_parameters(const isa::Variant& variant);

/// "libvdla_rtl_<geometry hash>_<build>.so", or "libvdla_rtl_<geometry hash>_burst128_<build>.so" of a
/// machine with the bursts of AXI3.
std::string rtl_library_name(const isa::Variant& variant, RtlBuild build);

struct RtlBuildOptions {
  std::filesystem::path out_dir;
  std::filesystem::path source;  ///< root that holds hw/ and sim/rtl/
  RtlBuild build = RtlBuild::Fast;
};

/// Builds the library of a variant's machine (Verilator and a C++ compiler are needed, a minute or less) and
/// returns its path. Throws UserError with the end of the tools' output when that fails.
std::filesystem::path build_rtl(const isa::Variant& variant, const RtlBuildOptions& options);

/// The library, built when it is missing or older than a source. Processes that want the same one wait for
/// each other.
std::filesystem::path ensure_rtl(const isa::Variant& variant, const RtlBuildOptions& options);

/// Whether a library is older than a source that it is made of. Without sources: no.
bool rtl_is_stale(const std::filesystem::path& library, const std::filesystem::path& source);

/// Whether this machine's CPU has what the library's code needs.
bool rtl_runs_here(const std::filesystem::path& library);

/// A loaded library and one machine in it.
class RtlModel {
 public:
  /// Throws UserError when the library is missing, broken or made for another machine.
  RtlModel(const isa::Variant& variant, const std::filesystem::path& directory, RtlBuild build,
           std::uint64_t seed = 0);
  ~RtlModel();
  RtlModel(const RtlModel&) = delete;
  RtlModel& operator=(const RtlModel&) = delete;

  /// A new machine takes the place of the old one: its state is 0, or random when the seed is not 0. What
  /// find() gave is gone.
  void power_up(std::uint64_t seed);
  void settle(const vdla_rtl_inputs& in, vdla_rtl_outputs& out) { settle_(model_, &in, &out); }
  void clock() { clock_(model_); }
  /// Throws UserError when the library has no such signal (scope below vdla_top).
  vdla_rtl_signal find(const char* scope, const char* name) const;
  /// Lets handshakes inside the machine be held back (hw/rtl/common/vdla_stall.svh); how many there are.
  unsigned set_stalls(std::uint64_t seed, unsigned rate) { return set_stalls_(model_, seed, rate); }
  void get_events(vdla_rtl_events& events) const { get_events_(model_, &events); }

  /// Waveforms from the next settle() on, and their end. Throws UserError when the build has none or the file
  /// cannot be written.
  void open_waves(const std::filesystem::path& file);
  void close_waves();
  /// errno of the first write that failed since open_waves(); 0: none.
  int wave_error() const { return wave_error_(); }
  /// Writes what was counted up to now. Throws UserError as open_waves().
  void write_coverage(const std::filesystem::path& file);

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  std::unique_ptr<void, Close> handle_;
  std::filesystem::path path_;
  vdla_rtl_model* model_ = nullptr;
  decltype(&vdla_rtl_create) create_ = nullptr;
  decltype(&vdla_rtl_destroy) destroy_ = nullptr;
  decltype(&vdla_rtl_settle) settle_ = nullptr;
  decltype(&vdla_rtl_clock) clock_ = nullptr;
  decltype(&vdla_rtl_get_events) get_events_ = nullptr;
  decltype(&vdla_rtl_find) find_ = nullptr;
  decltype(&vdla_rtl_set_stalls) set_stalls_ = nullptr;
  decltype(&vdla_rtl_open_waves) open_waves_ = nullptr;
  decltype(&vdla_rtl_close_waves) close_waves_ = nullptr;
  decltype(&vdla_rtl_wave_error) wave_error_ = nullptr;
  decltype(&vdla_rtl_write_coverage) write_coverage_ = nullptr;
};

}  // namespace vdla::sim
