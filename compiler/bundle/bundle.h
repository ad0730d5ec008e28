// SPDX-License-Identifier: Apache-2.0
// A module as C99 for firmware: constant data, typed functions around driver/model, machine code of its steps
// on the CPU, and the driver's sources, as one folder that builds without the kit (`vdla compile --emit c`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/module.h"

namespace vdla::bundle {

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

/// A file of the folder.
struct File {
  std::string path;  ///< below the folder: "vdla/driver/core/device.c"
  std::string content;
};

/// What the firmware must have room for, in bytes.
struct Memory {
  std::uint64_t device = 0;        ///< of DMA memory, all windows in whole pages
  std::uint64_t arena = 0;         ///< tensors between steps, and buffers of kernels
  std::uint64_t constants = 0;     ///< data of the firmware itself
  std::uint64_t kernel_stack = 0;  ///< buffers of the kernel that has the most on its stack
};

struct Bundle {
  std::vector<File> files;
  Memory memory;
};

/// A C identifier of a model's name, in lower case: "pretrainedResnet_quant" becomes pretrainedresnet_quant.
std::string c_name(const std::string& model_name);

/// UserError for a name that C or the driver has already, a CPU target that is not known or is missing, and a
/// node on the CPU whose kernel needs what bare metal lacks; it says which.
Bundle bundle(const runtime::Module& module, const Options& options);

}  // namespace vdla::bundle
