// SPDX-License-Identifier: Apache-2.0
// Outputs whose extents a run finds (decision 69): the module has them with the largest extents, and another
// output of int64 that says the run's.
#pragma once

#include <vector>

#include "runtime/module/module.h"

namespace vdla::runtime {

/// The outputs without those that have the extents of others.
std::vector<Port> outputs_of_runs(const std::vector<Port>& outputs);

/// Outputs with the shapes that a run found, and their bytes.
struct RunOutputs {
  std::vector<Port> ports;
  std::vector<Bytes> bytes;
};

/// Cuts the outputs of a run to the extents that it found.
RunOutputs cut_to_extents(const std::vector<Port>& outputs, const std::vector<Bytes>& bytes);

}  // namespace vdla::runtime
