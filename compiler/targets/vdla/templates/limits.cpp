// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/limits.h"

#include <fmt/format.h>

#include "support/error.h"

namespace vdla::pipeline::device {

std::string text(const Image& i) { return fmt::format("{}x{}x{}", i.h, i.w, i.c); }

void check_image(const std::string& layer, const char* what, const Image& i) {
  VDLA_CHECK_USER(i.h > 0 && i.w > 0 && i.c > 0)
      << layer << ": " << what << " is " << text(i) << ", needs positive extents";
}

void check_size(const std::string& layer, const char* what, std::size_t have, std::int64_t need) {
  VDLA_CHECK_USER(static_cast<std::int64_t>(have) == need)
      << layer << ": " << what << " has " << have << " elements, needs " << need;
}

void check_stage(const std::string& layer, const OutputStage& stage, std::int64_t channels) {
  VDLA_CHECK_USER(stage.multiplier.size() == 1 ||
                  static_cast<std::int64_t>(stage.multiplier.size()) == channels)
      << layer << ": " << stage.multiplier.size() << " multipliers, needs 1 or one per output channel ("
      << channels << ")";
  VDLA_CHECK_USER(stage.min >= -128 && stage.max <= 127 && stage.min <= stage.max)
      << layer << ": clamps to " << stage.min << ".." << stage.max << ", needs a range within -128..127";
}

void check_window(const std::string& layer, const Image& in, const Image& out, const SlidingWindow& w) {
  check_image(layer, "input", in);
  check_image(layer, "output", out);
  VDLA_CHECK_USER(w.kernel_h > 0 && w.kernel_w > 0 && w.stride_h > 0 && w.stride_w > 0 && w.dilation_h > 0 &&
                  w.dilation_w > 0)
      << layer << ": kernel, stride and dilation need to be positive";
  VDLA_CHECK_USER(w.pad_top >= 0 && w.pad_left >= 0) << layer << ": padding needs to be 0 or more";
}

void check_images(const std::string& layer, std::int64_t images) {
  VDLA_CHECK_USER(images > 0) << layer << ": " << images << " images, needs at least 1";
}

void check_channels(const std::string& layer, const Image& in, const Image& out) {
  VDLA_CHECK_USER(in.c == out.c) << layer << ": input has " << in.c << " channels, output " << out.c
                                 << ", needs the same";
}

Reason one_value(std::int32_t min, std::int32_t max) {
  if (min < max) return std::nullopt;
  return fmt::format("its clamp to {}..{} makes it a constant", min, max);
}

Reason bad_shift(std::span<const Multiplier> multipliers) {
  for (const Multiplier& m : multipliers) {
    if (m.shift < -31 || m.shift > 31) return fmt::format("shift {} is beyond -31..31", m.shift);
    if (m.left() > 31 || m.right() > 31)
      return fmt::format("shift {} with {} guard bits is beyond -31..31", m.shift, m.guard);
  }
  return std::nullopt;
}

Reason bad_zero(const char* what, std::int32_t zero) {
  if (zero >= -128 && zero <= 127) return std::nullopt;
  return fmt::format("{} zero point {} is beyond int8", what, zero);
}

}  // namespace vdla::pipeline::device
