// SPDX-License-Identifier: Apache-2.0
// Values whose extent along a dimension is known only when the model runs (decision 69): a value has the
// largest one, and what lies beyond the extent says nothing.
#pragma once

#include "compiler/import/tensor/node.h"

namespace vdla::import::tensor {

/// Extent of a dimension as the model computes it, an int64 scalar.
struct RunExtent {
  std::size_t axis;
  Value count;
};

/// The value with its extent along `axis`; one that is known is cut off.
Value with_extent(const Composer& c, const Value& x, std::size_t axis, const Value& count);

/// The extents of a value, [rank] of int64.
Value extents_of(const Composer& c, const Value& x);

/// Places of the true elements of a mask [count], in order, and how many there are.
struct Compacted {
  Value places, count;
};
Compacted compacted(const Composer& c, const Value& mask);

/// Whether an input of the node has an extent that is not known.
bool reads_extents(const Node& c);

/// Imports a node that reads such values by `import`, over the largest extents. Refused where no rule says
/// which extents its outputs have then.
void import_over_extents(const Node& c, Import import);

/// Refuses a value whose extent along some dimension is not known, or a node that reads such a value.
void require_extents(const Composer& c, const Value& x);
void require_extents(const Node& c);

}  // namespace vdla::import::tensor
