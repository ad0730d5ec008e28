// SPDX-License-Identifier: Apache-2.0
// --timeline-layers of vdla run: which layers a timeline is about.
#pragma once

#include <set>
#include <string>

#include "runtime/module/module.h"

namespace vdla::tools {

/// "conv_1" or "conv_1..add_3", which are names of layers on the device: those from the first to the last, in
/// the module's order. UserError for a name that is none, with those that are, and for a range that ends
/// before it begins.
std::set<std::string> timeline_layers(const runtime::Module& module, const std::string& text);

}  // namespace vdla::tools
