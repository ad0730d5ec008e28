// SPDX-License-Identifier: Apache-2.0
// CPUs beside the device that machine code of kernels is made for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vdla::bundle {

struct CpuTarget {
  std::string_view name;      ///< "armv7"
  std::string_view triple;    ///< triple of its toolchains, for firmware
  std::string_view cpu;       ///< as LLVM calls it
  std::string_view features;  ///< as LLVM writes them; may be empty
  bool position_independent;
  /// Triple of Linux on it, for machine code of modules; empty: there is none.
  std::string_view linux_triple;
  std::string_view what;  ///< for people
};

std::span<const CpuTarget> cpu_targets();
std::string names_of_cpu_targets();  ///< "armv7, aarch64, ..."

/// UserError that lists the names.
const CpuTarget& cpu_target_named(const std::string& name);

}  // namespace vdla::bundle
