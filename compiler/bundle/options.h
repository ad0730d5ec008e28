// SPDX-License-Identifier: Apache-2.0
// Options of a bundle, and the memory that firmware with it needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/module/module.h"

namespace vdla::bundle {

/// Text near the beginning of files that are made for one module.
inline constexpr std::string_view kMark = "Generated: do not edit.";

/// An inference whose answer is known: tensors of the module's own form, in the order of its ports.
struct KnownAnswer {
  std::string name;  ///< for people: "images.npy#3"
  std::vector<runtime::Bytes> inputs, outputs;
};

struct Options {
  std::string name;  ///< begins all symbols: a C identifier; c_name() makes one
  /// Become NAME_answers.{h,c}, so that a firmware can test itself; none: no such files. Of integers.
  std::vector<KnownAnswer> answers = {};
  std::string cpu_target = {};  ///< name in cpu_targets.h; needed where steps run on the CPU
};

/// Memory that the firmware needs, in bytes.
struct Memory {
  std::uint64_t device = 0;        ///< bytes of DMA memory, all windows in whole pages
  std::uint64_t arena = 0;         ///< tensors between steps, and buffers of kernels
  std::uint64_t constants = 0;     ///< data of the firmware itself
  std::uint64_t kernel_stack = 0;  ///< buffers of the kernel that has the most on its stack
};

}  // namespace vdla::bundle
