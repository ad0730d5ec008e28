// SPDX-License-Identifier: Apache-2.0
// A network that keeps values from one run to the next.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::e2e {

/// Convolutions of the input and of what it was a run and two runs before; one kept value is an output, too,
/// one becomes a constant, and they begin with other values than zero.
graph::Graph stateful_network();

}  // namespace vdla::e2e
