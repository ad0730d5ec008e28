// SPDX-License-Identifier: Apache-2.0
// The window of an integer convolution or pooling over images, from the node's attributes.
#pragma once

#include "compiler/import/integer/context.h"

namespace vdla::import::integer {

struct Window {
  graph::Hw kernel, stride, dilation;
  graph::Pads pads;
};

/// Shape of input 0 as images N C H W; a line N C W is an image of one row. Declines any other shape.
Shape image_shape(const Context& c);
/// Input 0 as images, stored as NHWC.
Quantized images(const Context& c);
/// Results that are stored as NHWC, or their shape N C H W, as lines where input 0 is lines.
Quantized like_input(const Context& c, const Quantized& results);
Shape like_input(const Context& c, Shape results);

/// The node's window over images of shape N C H W; declines what no integer operator has. `kernel` is its
/// extent where the node does not state one.
Window window_of(const Context& c, const Shape& image, graph::Hw kernel);

/// Shape of the windows' results, N C H W. Declines a kernel larger than its padded input.
Shape windows(const Context& c, const Shape& image, const Window& w, std::int64_t channels);

}  // namespace vdla::import::integer
