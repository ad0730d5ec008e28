// SPDX-License-Identifier: Apache-2.0
// The window of an integer convolution or pooling over images, from the node's attributes.
#pragma once

#include "compiler/import/integer/context.h"

namespace vdla::import::integer {

struct Window {
  graph::Hw kernel, stride, dilation;
  graph::Pads pads;
};

/// The node's window over images of shape N C H W; declines what no integer operator has. `kernel` is its
/// extent where the node does not state one.
Window window_of(const Context& c, const Shape& image, graph::Hw kernel);

/// Shape of the windows' results, N C H W. Declines a kernel larger than its padded input.
Shape windows(const Context& c, const Shape& image, const Window& w, std::int64_t channels);

}  // namespace vdla::import::integer
