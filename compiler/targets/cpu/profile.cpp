// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/profile.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

namespace vdla::pipeline::cpu {
namespace {

/// "48K" as 49152; 0 where the file is not there.
std::int64_t size_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  char unit = 0;
  file >> value >> unit;
  if (unit == 'K') value <<= 10;
  if (unit == 'M') value <<= 20;
  return value;
}

void read_caches(CpuProfile& profile) {
  for (int i = 0; i < 8; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    std::string type;
    std::ifstream(folder + "type") >> type;
    int level = 0;
    std::ifstream(folder + "level") >> level;
    const std::int64_t size = size_in(folder + "size");
    if (size == 0 || type == "Instruction") continue;
    if (level == 1) profile.l1_bytes = size;
    if (level == 2) profile.l2_bytes = size;
    if (level == 3) profile.l3_bytes = size;
  }
}

/// Name of the first processor, as Linux has it, or on 64-bit Arm, which has none, the numbers of its maker
/// and its part. Empty where it does not tell.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string numbers;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name")) return value;
    if (line.starts_with("CPU implementer")) numbers = "implementer " + value;
    if (line.starts_with("CPU part") && !numbers.empty()) numbers += " part " + value;
  }
  return numbers;
}

}  // namespace

CpuProfile host_profile() {
  CpuProfile profile;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    profile.vector_bytes = 32;
    profile.dot_product = __builtin_cpu_supports("avxvnni");
  }
  if (__builtin_cpu_supports("avx512f")) {
    profile.vector_bytes = 64;
    profile.vector_registers = 32;
    profile.dot_product = __builtin_cpu_supports("avx512vnni");
  }
#elif defined(__aarch64__)
  profile.vector_registers = 32;
#endif
  read_caches(profile);
  profile.cores = std::max(1u, std::thread::hardware_concurrency());
  if (std::string name = processor_name(); !name.empty()) profile.processor = std::move(name);
  return profile;
}

}  // namespace vdla::pipeline::cpu
