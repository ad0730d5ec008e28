// SPDX-License-Identifier: Apache-2.0
// Name of an output that compiler and runtime agree on (decision 69).
#pragma once

#include <string>
#include <string_view>

namespace vdla {

/// Output that has the extents of `output`, an int64 for each dimension, where a run finds them.
inline std::string extents_output(std::string_view output) { return std::string(output) + "/extents"; }

}  // namespace vdla
