// SPDX-License-Identifier: Apache-2.0
// Files that the kit comes with: sources of the hardware (hw/, isa/generated/) and boards (boards/).
#pragma once

#include <filesystem>

namespace vdla::kit {

/// Their root: share/vdla of an installed kit, or the source tree that a build folder notes. Empty where
/// neither is.
std::filesystem::path data_root();

}  // namespace vdla::kit
