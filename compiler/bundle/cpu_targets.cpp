// SPDX-License-Identifier: Apache-2.0
#include "compiler/bundle/cpu_targets.h"

#include <fmt/format.h>

#include "support/error.h"

namespace vdla::bundle {
namespace {

constexpr CpuTarget kCpuTargets[] = {
    {"armv7", "armv7-none-eabihf", "cortex-a9", "+neon", false, "armv7-unknown-linux-gnueabihf",
     "Cortex-A9 with NEON, hard float: Zynq-7000"},
    {"aarch64", "aarch64-none-elf", "cortex-a53", "", false, "aarch64-unknown-linux-gnu",
     "Cortex-A53: Zynq UltraScale+"},
    {"cortex-m4", "thumbv7em-none-eabi", "cortex-m4", "-fp64,-vfp4d16sp", false, "",
     "Cortex-M4 and newer, soft float"},
    {"riscv32", "riscv32-none-elf", "generic-rv32", "+m,+c", false, "", "RV32IMC"},
    {"x86-64", "x86_64-unknown-linux-gnu", "x86-64-v2", "", true, "x86_64-unknown-linux-gnu",
     "Linux: to run the C code on a desk"},
};

}  // namespace

std::span<const CpuTarget> cpu_targets() { return kCpuTargets; }

std::string names_of_cpu_targets() {
  std::string names;
  for (const CpuTarget& target : kCpuTargets)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", target.name);
  return names;
}

const CpuTarget& cpu_target_named(const std::string& name) {
  for (const CpuTarget& target : kCpuTargets)
    if (target.name == name) return target;
  throw UserError(fmt::format("CPU target '{}' is not known; there are {}", name, names_of_cpu_targets()));
}

}  // namespace vdla::bundle
