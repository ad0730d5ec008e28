// SPDX-License-Identifier: Apache-2.0
// Files that the kit comes with: sources of the hardware (hw/, isa/generated/) and boards (boards/).
#pragma once

#include <filesystem>

namespace vdla::kit {

/// Returns the root of the kit's data: share/vdla of an installed kit, or the source tree of a build folder;
/// empty where there is neither.
std::filesystem::path data_root();

}  // namespace vdla::kit
