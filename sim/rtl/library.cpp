// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "isa/spec/registers.h"
#include "isa/variants/variants.h"
#include "sim/dram/dram.h"
#include "sim/rtl/cpu_level.h"
#include "support/child_process.h"
#include "support/error.h"
#include "support/output_file.h"
#include "support/own_file.h"
#include "support/path.h"
#include "support/shell_word.h"
#include "support/temporary.h"

namespace vdla::sim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScript = "sim/rtl/build_rtl.sh";
constexpr const char* kGatesScript = "hw/synth/gates.sh";
constexpr const char* kLibrary = "library.so";  // file that the script makes

/// Holds a file for this process; others wait.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    VDLA_CHECK_USER(file_ >= 0) << "cannot write " << path;
    flock(file_, LOCK_EX);
  }
  ~FileLock() { close(file_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

/// "inp_depth" -> "InpDepth"
std::string in_camel_case(const std::string& key) {
  std::string name;
  bool start = true;
  for (const char c : key) {
    if (c != '_') name += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = c == '_';
  }
  return name;
}

template <class F>
void find_symbol(void* handle, const char* name, const fs::path& path, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  VDLA_CHECK_USER(function != nullptr)
      << path.string() << " is not a library of the RTL engine: it lacks " << name << "; build it again";
}

}  // namespace

std::vector<RtlParameter> geometry_parameters(const isa::Geometry& geometry) {
  std::vector<RtlParameter> result;
  const auto variant = nlohmann::ordered_json::parse(isa::to_json({"", geometry, {}}));
  for (const auto& [key, value] : variant.at("geometry").items())
    result.emplace_back(in_camel_case(key), value.get<unsigned>());
  return result;
}

std::vector<std::string> rtl_parameters(const isa::Variant& variant) {
  std::vector<RtlParameter> all = geometry_parameters(variant.geometry);
  all.emplace_back("BurstBytes", variant.timing.dram_burst_bytes);
  all.emplace_back("BuildId", isa::kSimulatedBuild);
  std::vector<std::string> result;
  for (const auto& [name, value] : all) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

std::string rtl_library_name(const isa::Variant& variant, RtlBuild build) {
  const unsigned burst = variant.timing.dram_burst_bytes;
  return fmt::format("libvdla_rtl_{:016x}{}_{}.so", isa::geometry_hash(variant.geometry),
                     burst == dram::kAxi4BurstBytes ? "" : fmt::format("_burst{}", burst), to_string(build));
}

fs::path build_rtl(const isa::Variant& variant, const RtlBuildOptions& options) {
  isa::validate(variant.geometry);
  dram::make_machine_config(variant.timing);  // refuses bursts that the hardware cannot have
  const fs::path script = options.source / kScript;
  VDLA_CHECK_USER(is_there(script)) << "cannot build the RTL engine: no " << script.string()
                                    << "; name the root of the kit's sources";
  const fs::path out = options.out_dir / rtl_library_name(variant, options.build);
  make_own_folder(options.out_dir);
  const OutputPlace place = output_place(out.string());
  const Temporary work(options.out_dir, Temporary::Kind::Folder, out.string());
  std::vector<std::string> command{"bash",     script.string(),
                                   "--source", options.source.string(),
                                   "--work",   work.path().string(),
                                   "--hash",   fmt::format("{:016x}", isa::geometry_hash(variant.geometry)),
                                   "--build",  std::string(to_string(options.build))};
  for (std::string& parameter : rtl_parameters(variant)) command.push_back(std::move(parameter));
  // Files of a killed compiler go with the folder.
  const CommandOutcome built = run_command(command, {"TMPDIR=" + work.path().string()});
  VDLA_CHECK_USER(built.status == 0) << "building the RTL engine failed: " << built.tail;
  std::error_code error;
  fs::permissions(work.path() / kLibrary, fs::perms::group_write | fs::perms::others_write,
                  fs::perm_options::remove, error);
  const Uninterrupted held;
  fs::rename(work.path() / kLibrary, place.path, error);
  VDLA_CHECK_USER(!error) << out.string() << ": cannot be written: " << error.message();
  return out;
}

bool rtl_is_stale(const fs::path& library, const fs::path& source) {
  std::ifstream list(source / "hw/files.f");
  if (!list) return false;
  const fs::file_time_type built = time_written(library);
  const auto newer = [&](const fs::path& file) {
    return is_there(source / file) && time_written(source / file) > built;
  };
  for (std::string line; std::getline(list, line);)
    if (!line.empty() && newer(line)) return true;
  const bool gates = library.stem().string().ends_with("_" + std::string(to_string(RtlBuild::Gates)));
  return (gates && newer(kGatesScript)) || newer("hw/files.f") || newer("hw/verilator.f") ||
         newer("hw/rtl/common/vdla_assert.svh") || newer(kScript) || newer("hw/rtl/common/vdla_stall.svh") ||
         newer("sim/rtl/abi.h") || newer("sim/rtl/model.cpp") || newer("sim/rtl/public.vlt") ||
         newer("sim/rtl/toggles.h") || newer("sim/rtl/fst_io.h");
}

fs::path ensure_rtl(const isa::Variant& variant, const RtlBuildOptions& options) {
  const fs::path out = options.out_dir / rtl_library_name(variant, options.build);
  make_own_folder(options.out_dir);
  const FileLock lock(out.string() + ".lock");
  if (is_there(out) && !rtl_is_stale(out, options.source) && rtl_runs_here(out)) return out;
  return build_rtl(variant, options);
}

bool rtl_runs_here(const fs::path& library) { return needed_cpu_level(library) <= host_cpu_level(); }

void RtlModel::Close::operator()(void* handle) const { dlclose(handle); }

RtlModel::RtlModel(const isa::Variant& variant, const fs::path& directory, RtlBuild build, std::uint64_t seed)
    : path_(directory / rtl_library_name(variant, build)) {
  const fs::path& path = path_;
  const std::string again = fmt::format("'vdla build-rtl --variant NAME|FILE --build {} --out {}'",
                                        to_string(build), shell_word(directory.string()));
  VDLA_CHECK_USER(is_there(path)) << "no RTL engine for this geometry: " << path.string()
                                  << " is missing; build it with " << again;
  const fs::path own = require_own(path, "loaded into this process");
  VDLA_CHECK_USER(rtl_runs_here(own))
      << path.string() << " is for CPUs of level " << cpu_level_name(needed_cpu_level(path))
      << ", this one has " << cpu_level_name(host_cpu_level()) << "; build it for this machine with "
      << again;
  handle_.reset(dlopen(own.c_str(), RTLD_NOW | RTLD_LOCAL));
  VDLA_CHECK_USER(handle_ != nullptr)
      << "cannot load " << path.string() << ": " << dlerror() << "; build it again";
  decltype(&vdla_rtl_abi_version) version = nullptr;
  decltype(&vdla_rtl_geometry_hash) hash = nullptr;
  find_symbol(handle_.get(), "vdla_rtl_abi_version", path, version);
  VDLA_CHECK_USER(version() == VDLA_RTL_ABI_VERSION)
      << path.string() << " has interface version " << version() << ", needs " << VDLA_RTL_ABI_VERSION
      << "; build it again";
  find_symbol(handle_.get(), "vdla_rtl_geometry_hash", path, hash);
  VDLA_CHECK_USER(hash() == isa::geometry_hash(variant.geometry))
      << path.string() << " was built for another geometry; build it again";
  decltype(&vdla_rtl_burst_bytes) burst_bytes = nullptr;
  find_symbol(handle_.get(), "vdla_rtl_burst_bytes", path, burst_bytes);
  VDLA_CHECK_USER(burst_bytes() == variant.timing.dram_burst_bytes)
      << path.string() << " asks for bursts of up to " << burst_bytes() << " bytes, the variant has "
      << variant.timing.dram_burst_bytes << "; build it again";
  find_symbol(handle_.get(), "vdla_rtl_create", path, create_);
  find_symbol(handle_.get(), "vdla_rtl_destroy", path, destroy_);
  find_symbol(handle_.get(), "vdla_rtl_settle", path, settle_);
  find_symbol(handle_.get(), "vdla_rtl_clock", path, clock_);
  find_symbol(handle_.get(), "vdla_rtl_get_events", path, get_events_);
  find_symbol(handle_.get(), "vdla_rtl_find", path, find_);
  find_symbol(handle_.get(), "vdla_rtl_set_stalls", path, set_stalls_);
  find_symbol(handle_.get(), "vdla_rtl_open_waves", path, open_waves_);
  find_symbol(handle_.get(), "vdla_rtl_close_waves", path, close_waves_);
  find_symbol(handle_.get(), "vdla_rtl_wave_error", path, wave_error_);
  find_symbol(handle_.get(), "vdla_rtl_write_coverage", path, write_coverage_);
  power_up(seed);
}

void RtlModel::power_up(std::uint64_t seed) {
  if (model_ != nullptr) destroy_(std::exchange(model_, nullptr));
  model_ = create_(seed);
}

void RtlModel::open_waves(const fs::path& file) {
  VDLA_CHECK_USER(open_waves_(model_, file.c_str()) == 0)
      << "cannot write waveforms to " << file.string() << " from " << path_.string()
      << "; needs build trace of the RTL engine and a place that can be written";
}

void RtlModel::close_waves() { close_waves_(model_); }

void RtlModel::write_coverage(const fs::path& file) {
  VDLA_CHECK_USER(write_coverage_(model_, file.c_str()) == 0)
      << "cannot write coverage to " << file.string() << " from " << path_.string()
      << "; needs build coverage of the RTL engine and a place that can be written";
}

RtlModel::~RtlModel() {
  if (model_ != nullptr) destroy_(model_);
}

vdla_rtl_signal RtlModel::find(const char* scope, const char* name) const {
  const vdla_rtl_signal found = find_(model_, scope, name);
  VDLA_CHECK_USER(found.data != nullptr)
      << "the library of the RTL engine has no signal " << scope << "." << name << "; build it again";
  return found;
}

}  // namespace vdla::sim
