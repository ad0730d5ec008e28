// SPDX-License-Identifier: Apache-2.0
// Axes around an image: of a layer that does the same for several images, groups of channels, or products of
// matrices. They are dimensions in front of those of an image in the layer's tensors, and loops of its
// schedule.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "compiler/targets/vdla/templates/ops.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline::device {

struct OuterAxis {
  std::string name;  ///< name of the loop
  std::int64_t extent = 1;
  // Bytes from what one iteration reads or writes to what the next one does.
  std::int64_t input = 0, output = 0;
  std::int64_t weights = 0, params = 0;  ///< 0, both of them: all iterations read the same

  bool has_own_weights() const { return weights > 0 || params > 0; }
};
/// Outermost first; none of one iteration.
using OuterAxes = std::vector<OuterAxis>;

/// Axis of images that follow each other in their tensors.
OuterAxes images_axis(std::int64_t images, const Image& in, const Image& out, const isa::Geometry& geometry);
/// The shape of a tensor with these axes in front of the dimensions `rest`.
std::vector<std::int64_t> shape_of(const OuterAxes& axes, std::initializer_list<std::int64_t> rest);
/// Axes along which weights and parameters differ.
OuterAxes with_own_weights(const OuterAxes& axes);

}  // namespace vdla::pipeline::device
