// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/device/parts.h"

#include "compiler/pipeline/device/storage.h"
#include "compiler/tensorize/intrinsic.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::pipeline::device {

View view(const Image& whole, const std::optional<Border>& border, std::int64_t y, std::int64_t x,
          std::int64_t channel, const isa::Geometry& g) {
  if (border && g.batch > 1) {
    const std::int64_t group = g.batch * padded_channels(whole.c, g);
    const std::int64_t row = ceil_div(whole.w, std::int64_t{g.batch}) * group;
    VDLA_CHECK(!border->any() && x % g.batch == 0) << "a view of groups of pixels begins within one";
    return {y * row + x / g.batch * group + channel * g.batch, row, group,
            tensorize::scope_of(isa::Buffer::Inp)};
  }
  const Image image = border ? bordered(whole, *border) : whole;
  if (border) {
    y += border->top;
    x += border->left;
  }
  const std::int64_t pixel = padded_channels(image.c, g), row = image.w * pixel;
  const View v{y * row + x * pixel + channel, row, pixel,
               border ? tensorize::scope_of(isa::Buffer::Inp) : expr::kGlobalScope};
  VDLA_CHECK(v.offset >= 0) << "a view begins before its tensor";
  return v;
}

std::int64_t place(const PackedConstants& constants, DeviceKernel& kernel) {
  kernel.constants.resize((kernel.constants.size() + 63) / 64 * 64);
  const auto start = static_cast<std::int64_t>(kernel.constants.size());
  kernel.constants.insert(kernel.constants.end(), constants.bytes.begin(), constants.bytes.end());
  return start;
}

DevicePart part_of(loop::Func func, std::vector<DeviceParam> params, std::string schedule,
                   const Views& views) {
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Role role = params[i].role;
    if (role == Role::Weights || role == Role::Scales || role == Role::Constants) continue;
    const bool is_output = i + 1 == params.size();
    const View& v = is_output ? views.out : role == Role::SecondInput ? views.second : views.in;
    params[i].offset = v.offset;
    const std::vector<std::int64_t>& shape = func.params[i].buffer->shape;
    std::vector<std::int64_t> strides = {v.row, v.pixel, shape[3], 1};
    if (shape.size() == 5) strides = {v.row, v.pixel, shape[3] * shape[4], shape[4], 1};
    func = with_storage(func, i, v.scope, strides);
  }
  return {std::move(func), std::move(params), std::move(schedule)};
}

}  // namespace vdla::pipeline::device
