// SPDX-License-Identifier: Apache-2.0
// Facts of a model's file beside its network, as a module keeps them.
#pragma once

#include <string>
#include <vector>

#include "kit/network.h"
#include "runtime/module/module.h"
#include "support/preprocessing.h"

namespace vdla::tools {

/// Sets names of classes, the steps from pixels to the input, and the model's name and hash. `flags` come
/// before the file's own steps; UserError where they do not fit the input. Returns sentences on what is left
/// out.
std::vector<std::string> keep_model_facts(runtime::Module& module, kit::NetworkFile file,
                                          const std::string& path, const Preprocessing& flags);

}  // namespace vdla::tools
