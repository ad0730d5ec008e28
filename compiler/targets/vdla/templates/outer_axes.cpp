// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/outer_axes.h"

#include <algorithm>

#include "compiler/targets/vdla/templates/layout.h"

namespace vdla::pipeline::device {

OuterAxes images_axis(std::int64_t images, const Image& in, const Image& out, const isa::Geometry& g) {
  if (images == 1) return {};
  return {{"image", images, activation_bytes(in, g), activation_bytes(out, g)}};
}

std::vector<std::int64_t> shape_of(const OuterAxes& axes, std::initializer_list<std::int64_t> rest) {
  std::vector<std::int64_t> shape;
  for (const OuterAxis& axis : axes) shape.push_back(axis.extent);
  shape.insert(shape.end(), rest);
  return shape;
}

OuterAxes with_own_weights(const OuterAxes& axes) {
  OuterAxes own = axes;
  std::erase_if(own, [](const OuterAxis& axis) { return !axis.has_own_weights(); });
  return own;
}

}  // namespace vdla::pipeline::device
