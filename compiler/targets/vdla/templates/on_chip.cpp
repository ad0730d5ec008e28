// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/on_chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/copy_call.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/scheduled.h"
#include "compiler/targets/vdla/templates/storage.h"
#include "isa/spec/legality.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::pipeline::device {

Border reach_beyond(const Image& in, const Image& out, const SlidingWindow& w) {
  const auto after = [](std::int64_t out_size, std::int64_t in_size, std::int64_t kernel, std::int64_t stride,
                        std::int64_t dilation, std::int64_t before) {
    return std::max<std::int64_t>(0,
                                  (out_size - 1) * stride + (kernel - 1) * dilation + 1 - before - in_size);
  };
  return {w.pad_top, w.pad_left, after(out.h, in.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top),
          after(out.w, in.w, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left)};
}

Border around_both(const Border& a, const Border& b) {
  return {std::max(a.top, b.top), std::max(a.left, b.left), std::max(a.bottom, b.bottom),
          std::max(a.right, b.right)};
}

Image bordered(const Image& image, const Border& b) {
  return {b.top + image.h + b.bottom, b.left + image.w + b.right, image.c};
}

namespace {

/// Number of a rule of the manual.
unsigned number_of(std::string_view rule) {
  const auto found = std::ranges::find(isa::rules(), rule, &isa::Rule::name);
  VDLA_CHECK(found != isa::rules().end()) << "no rule '" << rule << "'";
  return isa::number_of(*found);
}

}  // namespace

std::optional<std::string> bound_by_shape(const isa::Geometry& g) {
  if (g.block_in == g.block_out) return std::nullopt;
  return fmt::format("vector writes and reads inp only where K equals N (rules {} and {} of the manual)",
                     number_of("vector_dst_square"), number_of("vector_a_square"));
}

std::int64_t inp_entries(const Image& image, const Border& border, const isa::Geometry& g) {
  const Image whole = bordered(image, border);
  return whole.h * ceil_div(whole.w, std::int64_t{g.batch}) * padded_channels(whole.c, g) / g.block_in;
}

std::int64_t inp_entry(std::int64_t bytes, const isa::Geometry& g) {
  return bytes / (std::int64_t{g.batch} * g.block_in);
}

std::optional<BorderFill> fill_border(const Image& image, const Border& b, std::int32_t value,
                                      const isa::Geometry& g, const Watch& watch) {
  const Image whole = bordered(image, b);
  const std::int64_t channels = padded_channels(whole.c, g), row = whole.w * channels;
  std::vector<expr::Tensor> sides;
  std::vector<std::int64_t> offsets;
  const auto add = [&](const char* name, std::int64_t y, std::int64_t x, std::int64_t h, std::int64_t w) {
    if (h == 0 || w == 0) return;
    sides.push_back(expr::compute(
        name, {h, w, channels / g.block_in, g.block_in},
        [&](const std::vector<expr::Value>&) { return expr::Value(expr::int_imm(value, expr::DType::I8)); }));
    offsets.push_back(y * row + x * channels);
  };
  add("top", 0, 0, b.top, whole.w);
  add("left", b.top, 0, image.h, b.left);
  add("right", b.top, b.left + image.w, image.h, b.right);
  add("bottom", b.top + image.h, 0, b.bottom, whole.w);
  if (sides.empty()) return std::nullopt;
  schedule::Schedule s(sides);
  for (const expr::Tensor& side : sides) s[side].tensorize(s[side].axis(0), intrinsics::kLoad);
  loop::Func func = lowered({"border", std::move(s), sides}, watch);
  for (std::size_t i = 0; i < sides.size(); ++i)
    func = with_storage(func, i, intrinsics::scope_of(isa::Buffer::Inp), {row, channels, g.block_in, 1});
  return BorderFill{std::move(func), std::move(offsets)};
}

}  // namespace vdla::pipeline::device
