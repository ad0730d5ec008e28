// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/views.h"

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/storage.h"
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
            intrinsics::scope_of(isa::Buffer::Inp)};
  }
  const Image image = border ? bordered(whole, *border) : whole;
  if (border) {
    y += border->top;
    x += border->left;
  }
  const std::int64_t pixel = padded_channels(image.c, g), row = image.w * pixel;
  const View v{y * row + x * pixel + channel, row, pixel,
               border ? intrinsics::scope_of(isa::Buffer::Inp) : expr::kGlobalScope};
  VDLA_CHECK(v.offset >= 0) << "a view begins before its tensor";
  return v;
}

std::vector<View> by_parameter(const Views& views, const std::vector<DeviceParam>& params) {
  std::vector<View> each;
  for (std::size_t i = 0; i < params.size(); ++i)
    each.push_back(i + 1 == params.size()                ? views.out
                   : params[i].role == Role::SecondInput ? views.second
                                                         : views.in);
  return each;
}

namespace {

bool is_activation(Role role) {
  switch (role) {
    case Role::Input:
    case Role::SecondInput:
    case Role::Output:
      return true;
    case Role::Weights:
    case Role::Scales:
    case Role::Constants:
      return false;
  }
  return false;
}

/// Strides of the dimensions of `axes`, in elements: `bytes` from one iteration to the next.
std::vector<std::int64_t> outer_strides(const OuterAxes& axes, std::int64_t OuterAxis::* bytes,
                                        const expr::Buffer& buffer) {
  std::vector<std::int64_t> strides;
  for (const OuterAxis& axis : axes) strides.push_back(axis.*bytes / expr::bytes(buffer.dtype));
  return strides;
}

}  // namespace

DeviceFunction function_of(loop::Func func, std::vector<DeviceParam> params, std::string schedule,
                           const std::vector<View>& views, const OuterAxes& outer) {
  VDLA_CHECK(views.size() == params.size());
  const OuterAxes of_weights = with_own_weights(outer);
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Role role = params[i].role;
    const expr::Buffer& buffer = *func.params[i].buffer;
    if (!is_activation(role)) {
      const auto bytes = buffer.dtype == expr::DType::I8 ? &OuterAxis::weights : &OuterAxis::params;
      std::vector<std::int64_t> strides = outer_strides(of_weights, bytes, buffer);
      strides.insert(strides.end(), buffer.strides.begin() + static_cast<std::ptrdiff_t>(strides.size()),
                     buffer.strides.end());
      func = with_storage(func, i, buffer.scope, strides);
      continue;
    }
    const View& v = views[i];
    params[i].offset = v.offset;
    std::vector<std::int64_t> strides =
        outer_strides(outer, role == Role::Output ? &OuterAxis::output : &OuterAxis::input, buffer);
    const std::int64_t lanes = buffer.shape.back(), rows = buffer.shape.size() == outer.size() + 5
                                                               ? buffer.shape[outer.size() + 3]
                                                               : 1;  // elements of an entry
    strides.insert(strides.end(), {v.row, v.pixel, rows * lanes});
    if (rows > 1) strides.push_back(lanes);
    strides.push_back(1);
    func = with_storage(func, i, v.scope, strides);
  }
  return {std::move(func), std::move(params), std::move(schedule)};
}

}  // namespace vdla::pipeline::device
