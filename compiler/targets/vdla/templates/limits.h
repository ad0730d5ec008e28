// SPDX-License-Identifier: Apache-2.0
// Limits that the rows of several operators have: malformed descriptors, numbers that fields of instructions
// cannot hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "compiler/targets/vdla/templates/ops.h"

namespace vdla::pipeline::device {

/// "32x32x16"
std::string text(const Image& image);

// UserError that names the layer, what is wrong, and what is needed.
void check_image(const std::string& layer, const char* what, const Image& image);
void check_images(const std::string& layer, std::int64_t images);
void check_size(const std::string& layer, const char* what, std::size_t have, std::int64_t need);
void check_stage(const std::string& layer, const OutputStage& stage, std::int64_t channels);
void check_window(const std::string& layer, const Image& in, const Image& out, const SlidingWindow& window);
/// Checks a layer with a window and as many channels behind it as in front.
template <class Pool>
void check_pool(const Pool& op);

/// Why not, or nothing.
using Reason = std::optional<std::string>;
/// With one value nothing is left of the computation that an instruction could be matched with.
Reason one_value(std::int32_t min, std::int32_t max);
Reason bad_shift(std::span<const Multiplier> multipliers);
Reason bad_zero(const char* what, std::int32_t zero);
/// Clamp, shifts and the input's zero point of a layer with an output stage.
template <class Layer>
Reason bad_stage(const Layer& op) {
  if (auto why = one_value(op.stage.min, op.stage.max)) return why;
  if (auto why = bad_shift(op.stage.multiplier)) return why;
  return bad_zero("input", op.input_zero);
}

/// Checks a sum, a layer of its own or on the way out of a convolution, as check() and its fields do.
void check(const Add& op);
Reason beyond_fields(const Add& op);

void check_channels(const std::string& layer, const Image& in, const Image& out);

template <class Pool>
void check_pool(const Pool& op) {
  check_window(op.name, op.in, op.out, op.window);
  check_images(op.name, op.images);
  check_channels(op.name, op.in, op.out);
}

}  // namespace vdla::pipeline::device
