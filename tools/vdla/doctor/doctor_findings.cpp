// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/doctor/doctor_findings.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <thread>

#include "isa/variants/variants.h"
#include "kit/rtl.h"
#include "sim/host/companion.h"
#include "support/path.h"
#include "support/shell_word.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/doctor/package_lists.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  pclose(pipe);
  return text;
}

struct FolderSize {
  std::uintmax_t bytes = 0;
  std::size_t files = 0;
};
FolderSize size_of_folder(const fs::path& folder) {
  FolderSize size;
  std::error_code ignored;
  fs::recursive_directory_iterator i(folder, fs::directory_options::skip_permission_denied, ignored), end;
  for (; !ignored && i != end; i.increment(ignored)) {
    std::error_code gone;
    if (!i->is_regular_file(gone)) continue;
    ++size.files;
    const std::uintmax_t bytes = i->file_size(gone);
    if (!gone) size.bytes += bytes;
  }
  return size;
}

std::string mebibytes(std::uintmax_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

Finding cache(const std::string& part, const fs::path& folder, const std::string& emptied_by) {
  std::error_code error;
  const bool there = fs::exists(folder, error);
  if (error)
    return {part, fmt::format("{}: cannot be read: {}", folder.string(), error.message()),
            "let this user read the folder, or set XDG_CACHE_HOME", Health::Lacking};
  if (!there) return {part, folder.string() + ": not there", "", Health::Good};
  const FolderSize size = size_of_folder(folder);
  return {part,
          fmt::format("{}: {} in {} files; emptied by: {}", folder.string(), mebibytes(size.bytes),
                      size.files, emptied_by),
          "", Health::Good};
}

}  // namespace

std::vector<Finding> package_findings() {
  if (sim::find_program("dpkg-query").empty())
    return {{"packages", "not looked at: this is not a Debian system", "", Health::Good}};
  std::map<std::string, std::string> versions;
  std::istringstream installed(output_of("dpkg-query -W -f='${db:Status-Abbrev} ${Package} ${Version}\\n'"));
  for (std::string status, package, version; installed >> status >> package >> version;)
    if (status == "ii") versions[package] = version;
  std::vector<Finding> findings;
  for (const PackageList& list : kPackageLists) {
    std::istringstream names{std::string(list.packages)};
    std::string there, missing;
    for (std::string name; names >> name;) {
      const auto found = versions.find(name);
      if (found == versions.end()) {
        missing += " " + name;
      } else {
        there += fmt::format("{}{} {}", there.empty() ? "" : ", ", name, found->second);
      }
    }
    if (!there.empty()) findings.push_back({fmt::format("packages: {}", list.name), there, "", Health::Good});
    if (!missing.empty())
      findings.push_back({fmt::format("packages: {}", list.name),
                          fmt::format("missing:{}; {}", missing, list.use),
                          "apt-get install -y --no-install-recommends" + missing, Health::Lacking});
  }
  return findings;
}

std::vector<Finding> tool_findings() {
  struct Tool {
    const char *name, *use, *package;
  };
  constexpr Tool kTools[] = {{"verilator", "vdla build-rtl", "verilator"},
                             {"clang++-19", "vdla build-rtl, at twice g++'s speed", "clang-19"},
                             {"ccache", "building a second time", "ccache"}};
  std::vector<Finding> findings;
  for (const Tool& tool : kTools) {
    const std::string found = sim::find_program(tool.name);
    if (found.empty()) {
      findings.push_back({tool.name, fmt::format("not found; for {}", tool.use),
                          fmt::format("apt-get install -y --no-install-recommends {}", tool.package),
                          Health::Lacking});
    } else {
      std::string version = output_of(shell_word(found) + " --version");
      findings.push_back(
          {tool.name, fmt::format("{}: {}", found, version.substr(0, version.find('\n'))), "", Health::Good});
    }
  }
  return findings;
}

std::vector<Finding> cpu_findings() {
  std::string features;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const std::pair<const char*, bool> kFeatures[] = {
      {"avx2", __builtin_cpu_supports("avx2")},
      {"fma", __builtin_cpu_supports("fma")},
      {"avx512f", __builtin_cpu_supports("avx512f")},
      {"avx512vnni", __builtin_cpu_supports("avx512vnni")},
  };
  for (const auto& [name, present] : kFeatures) features += fmt::format(" {}{}", present ? "" : "no ", name);
#else
  features = " not an x86-64";
#endif
  return {
      {"CPU", fmt::format("{} threads,{}", std::thread::hardware_concurrency(), features), "", Health::Good}};
}

std::vector<Finding> rtl_findings() {
  std::vector<Finding> findings;
  for (const auto& builtin : isa::builtin_variants()) {
    const isa::Variant variant = isa::load_variant(std::string(builtin.name));
    for (const kit::RtlLibrary& library : kit::rtl_libraries(variant)) {
      Finding finding{fmt::format("RTL library: {} {}", variant.name, library.build),
                      fmt::format("{}, {}", library.path.string(), mebibytes(bytes_of_file(library.path))),
                      "", library.unfit.empty() ? Health::Good : Health::Lacking};
      if (!library.unfit.empty()) {
        finding.text += "; " + library.unfit;
        finding.remedy = fmt::format("vdla build-rtl --variant {} --build {} --out {}", variant.name,
                                     library.build, shell_word(library.path.parent_path().string()));
      }
      findings.push_back(finding);
    }
  }
  if (findings.empty())
    findings.push_back({"RTL libraries", "none is built", "vdla build-rtl --variant paper", Health::Lacking});
  return findings;
}

std::vector<Finding> cache_findings() {
  std::vector<Finding> findings;
  if (const fs::path folder = kit::rtl_places().cache; !folder.empty())
    findings.push_back(cache("cache: RTL libraries", folder, "rm -r " + shell_word(folder.string())));
  if (const fs::path folder = cached_guest_kernel(); !folder.empty())
    findings.push_back(
        cache("cache: Linux of board qemu-pci", folder, "rm -r " + shell_word(folder.string())));
  if (const fs::path folder = cached_uploads(); !folder.empty())
    findings.push_back(
        cache("cache: modules of vdla board serve", folder, "rm -r " + shell_word(folder.string())));
  if (!sim::find_program("ccache").empty()) {
    std::string folder = output_of("ccache -k cache_dir");
    folder = folder.substr(0, folder.find('\n'));
    if (!folder.empty()) findings.push_back(cache("cache: compiler", folder, "ccache -C"));
  }
  return findings;
}

}  // namespace vdla::tools
