// SPDX-License-Identifier: Apache-2.0
// A module as C99 for firmware: constant data, typed functions around driver/model, machine code of its steps
// on the CPU, and the driver's sources, as one folder that builds without the kit (`vdla compile --emit c`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/bundle/options.h"
#include "runtime/module/module.h"

namespace vdla::bundle {

/// A file of the folder.
struct File {
  std::string path;  ///< below the folder: "vdla/driver/core/device.c"
  std::string content;
};

struct Bundle {
  std::vector<File> files;
  Memory memory;
  std::vector<std::string> float_nodes;  ///< nodes that run on the CPU and compute in floating point
  std::vector<std::string> absent =
      {};  ///< files that another bundle of this name may have, below the folder
};

/// A C identifier of a model's name, in lower case: "pretrainedResnet_quant" becomes pretrainedresnet_quant.
std::string c_name(const std::string& model_name);

/// UserError for a name that C or the driver has already, a CPU target that is not known or is missing, and a
/// node on the CPU whose kernel needs what bare metal lacks; it says which.
Bundle bundle(const runtime::Module& module, const Options& options);

}  // namespace vdla::bundle
