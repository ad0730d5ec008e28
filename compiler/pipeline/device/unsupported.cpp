// SPDX-License-Identifier: Apache-2.0
// Why the device cannot compute a layer: what its instructions and buffers cannot hold.
#include <fmt/format.h>

#include <utility>

#include "compiler/pipeline/device/conv_depthwise.h"
#include "compiler/pipeline/device/ops.h"
#include "compiler/pipeline/device/templates.h"
#include "support/overloaded.h"

namespace vdla::pipeline::device {
namespace {

bool is_int8(std::int32_t v) { return v >= -128 && v <= 127; }

std::optional<std::string> bad_shift(const std::vector<Multiplier>& multipliers) {
  for (const Multiplier& m : multipliers) {
    if (m.shift < -31 || m.shift > 31) return fmt::format("shift {} is beyond -31..31", m.shift);
    if (m.left() > 31 || m.right() > 31)
      return fmt::format("shift {} with {} guard bits is beyond -31..31", m.shift, m.guard);
  }
  return std::nullopt;
}

std::optional<std::string> bad_zero(const char* what, std::int32_t zero) {
  if (is_int8(zero)) return std::nullopt;
  return fmt::format("{} zero point {} is beyond int8", what, zero);
}

/// First reason of a list.
std::optional<std::string> first(std::initializer_list<std::optional<std::string>> reasons) {
  for (const auto& reason : reasons)
    if (reason) return reason;
  return std::nullopt;
}

std::optional<std::string> unsupported(const Add& op) {
  const auto too_far = [&](const Multiplier& m) -> std::optional<std::string> {
    if (op.left_shift + m.left() <= 31) return std::nullopt;
    return fmt::format("left shift {} is beyond 31", op.left_shift + m.left());
  };
  return first({bad_shift({op.a, op.b}), bad_shift(op.stage.multiplier), too_far(op.a), too_far(op.b),
                bad_zero("first input's", op.a_zero), bad_zero("second input's", op.b_zero)});
}

std::optional<std::string> unsupported(const AvgPool2d& op) {
  const std::int64_t count = op.window.kernel_h * op.window.kernel_w;
  if (count > 65535) return fmt::format("a window of {} elements, the device averages at most 65535", count);
  if (op.offset < -127 || op.offset > 128) return fmt::format("offset {} is beyond -127..128", op.offset);
  return std::nullopt;
}

/// What the instructions cannot hold.
std::optional<std::string> beyond_fields(const Op& op) {
  const auto layer = [](const auto& o) {
    return first({bad_shift(o.stage.multiplier), bad_zero("input", o.input_zero)});
  };
  const auto weighted = [&](const auto& o) { return first({layer(o), bad_zero("weight", o.weight_zero)}); };
  return std::visit(
      overloaded{
          [&](const Conv2d& o) { return first({weighted(o), o.sum ? unsupported(*o.sum) : std::nullopt}); },
          [&](const DepthwiseConv2d& o) { return weighted(o); },
          [](const MatMul& o) {
            return first({bad_shift(o.stage.multiplier), bad_zero("weight", o.weight_zero)});
          },
          [](const Add& o) { return unsupported(o); },
          [](const MaxPool2d&) { return std::optional<std::string>(); },
          [](const AvgPool2d& o) { return unsupported(o); },
          [&](const SumPool2d& o) { return layer(o); },
          [&](const Requantize& o) { return layer(o); },
          [](const Extremum&) { return std::optional<std::string>(); },
          [](const Move& o) { return bad_zero("the border's", o.value); },
          [](const Concat&) { return std::optional<std::string>(); },
          [&](const ConvDepthwise& o) { return first({weighted(o.first), weighted(o.second)}); },
      },
      op);
}

/// Parts of a pixel begin where its blocks do.
std::optional<std::string> unsupported(const Concat& op, const isa::Geometry& g) {
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const bool last = i + 1 == op.inputs.size();
    if (!op.rows && !last && op.inputs[i].c % channel_block(g) != 0)
      return fmt::format(
          "its input {} has {} channels, no multiple of {}: the next one would not begin at a block", i,
          op.inputs[i].c, channel_block(g));
    const Move copy = copy_of(op, i);
    if (auto reason = misfit(space_of(copy, g), cost_of(copy, g), g)) return reason;
  }
  return std::nullopt;
}

/// What the buffers cannot hold.
std::optional<std::string> beyond_buffers(const Op& op, const isa::Geometry& g) {
  return std::visit(overloaded{
                        [&](const Conv2d& o) { return misfit(space_of(o, g), g); },
                        [&](const MatMul& o) { return misfit(space_of(as_conv2d(o), g), g); },
                        [&](const Concat& o) { return unsupported(o, g); },
                        [&](const DepthwiseConv2d& o) {
                          if (o.in.c != o.out.c) return misfit(space_of(as_conv2d(o), g), g);
                          return misfit(space_of(o, g), cost_of(o, g), g);
                        },
                        [&](const ConvDepthwise& o) { return misfit(o, g); },
                        [&](const auto& o) { return misfit(space_of(o, g), cost_of(o, g), g); },
                    },
                    op);
}

/// The clamp of every result; of a convolution with a sum, the narrower one.
std::pair<std::int32_t, std::int32_t> range_of(const Op& op) {
  return std::visit(overloaded{
                        [](const Conv2d& o) {
                          const OutputStage& s =
                              o.sum && o.sum->stage.max - o.sum->stage.min < o.stage.max - o.stage.min
                                  ? o.sum->stage
                                  : o.stage;
                          return std::pair(s.min, s.max);
                        },
                        [](const MaxPool2d& o) { return std::pair(o.min, o.max); },
                        [](const AvgPool2d& o) { return std::pair(o.min, o.max); },
                        [](const Extremum&) { return std::pair(-128, 127); },
                        [](const Move&) { return std::pair(-128, 127); },
                        [](const Concat&) { return std::pair(-128, 127); },
                        [](const ConvDepthwise& o) {
                          const OutputStage &a = o.first.stage, &b = o.second.stage;
                          const OutputStage& s = a.max - a.min < b.max - b.min ? a : b;
                          return std::pair(s.min, s.max);
                        },
                        [](const auto& o) { return std::pair(o.stage.min, o.stage.max); },
                    },
                    op);
}

}  // namespace

std::optional<std::string> unsupported(const Op& op, const isa::Geometry& geometry) {
  check(op);
  // Nothing is left of the computation that an instruction could be matched with.
  if (const auto [min, max] = range_of(op); min >= max)
    return fmt::format("its clamp to {}..{} makes it a constant", min, max);
  if (auto reason = beyond_fields(op)) return reason;
  return beyond_buffers(op, geometry);
}

}  // namespace vdla::pipeline::device
