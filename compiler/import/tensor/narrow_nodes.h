// SPDX-License-Identifier: Apache-2.0
// Nodes that read or give elements of narrow types (narrow.h): conversions compute with their numbers, and
// operators that move elements move their bytes.
#pragma once

#include "compiler/import/tensor/node.h"

namespace vdla::import::tensor {

/// Whether the node reads a value of a narrow type, or says that it gives one. Integers before a
/// DequantizeLinear are read as those of 8 bits, and do not count.
bool concerns_narrow(const Node& c);

/// Imports such a node by `import`. Refused where the operator neither converts nor moves elements.
void import_narrow(const Node& c, Import import);

/// Refuses a value of a narrow type, or a node that reads such a value.
void require_wide(const Composer& c, const Value& x);
void require_wide(const Node& c);

}  // namespace vdla::import::tensor
