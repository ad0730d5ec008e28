// SPDX-License-Identifier: Apache-2.0
// The rows of all operators, asked of any Op.
#include "compiler/targets/vdla/templates/operator.h"

#include <fmt/format.h>

#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/lower.h"
#include "support/error.h"

namespace vdla::pipeline::device {
namespace {

/// Calls `f(op, row)`.
template <class F>
auto ask(const Op& any, const F& f) {
  return std::visit([&]<class T>(const T& op) { return f(op, row<T>()); }, any);
}

template <class T>
std::int64_t images_of(const T& op) {
  if constexpr (requires { op.images; }) return op.images;
  return 1;
}

Image stacked(const Image& image, std::int64_t images) { return {images * image.h, image.w, image.c}; }

isa::Geometry with_inp(isa::Geometry geometry, std::int64_t entries) {
  geometry.inp_depth = static_cast<decltype(geometry.inp_depth)>(entries);
  return geometry;
}

}  // namespace

const std::string& name_of(const Op& any) {
  return std::visit([](const auto& op) -> const std::string& { return op.name; }, any);
}

std::string_view kind_of(const Op& any) {
  return ask(any, [](const auto& op, const auto& row) { return row.kind(op); });
}

std::vector<Image> inputs_of(const Op& any) {
  return ask(any, [](const auto& op, const auto& row) {
    std::vector<Image> inputs = row.inputs(op);
    inputs[0] = stacked(inputs[0], images_of(op));
    return inputs;
  });
}

Image output_of(const Op& any) {
  return ask(any, [](const auto& op, const auto& row) { return stacked(row.output(op), images_of(op)); });
}

std::int64_t pixel_bytes_of(const Op& any, const isa::Geometry& geometry) {
  return ask(any, [&](const auto& op, const auto& row) {
    return row.pixel_bytes ? row.pixel_bytes(op, geometry) : padded_channels(row.output(op).c, geometry);
  });
}

std::int64_t macs_of(const Op& any) {
  return ask(any,
             [](const auto& op, const auto& row) { return row.macs ? images_of(op) * row.macs(op) : 0; });
}

Padding padding_of(const Op& any) {
  return ask(any, [](const auto& op, const auto& row) { return row.padding ? row.padding(op) : Padding{}; });
}

std::optional<std::string> bound_to_dram(const Op& any, const isa::Geometry& geometry) {
  if (auto why = bound_by_shape(geometry)) return why;
  return ask(any, [&](const auto& op, const auto& row) -> std::optional<std::string> {
    if (row.bound_to_dram)
      if (auto why = row.bound_to_dram(op, geometry)) return why;
    if (images_of(op) > 1) return "several images or matrices";
    return std::nullopt;
  });
}

std::optional<std::string> unreadable_in_inp(const Op& any, std::size_t input,
                                             const isa::Geometry& geometry) {
  if (auto why = bound_to_dram(any, geometry)) return why;
  if (input == 1)
    if (const char* why = ask(any, [](const auto&, const auto& row) { return row.second_elsewhere; }))
      return why;
  const SlidingWindow w =
      ask(any, [](const auto& op, const auto& row) { return row.window ? row.window(op) : SlidingWindow{}; });
  const bool by_pixel = w.kernel_h == 1 && w.kernel_w == 1 && w.stride_h == 1 && w.stride_w == 1 &&
                        !padding_of(any).border.any();
  if (geometry.batch == 1 || input == 1 || by_pixel) return std::nullopt;
  return fmt::format("its windows take other pixels together than the {} of an entry", geometry.batch);
}

void check(const Op& any) {
  ask(any, [](const auto& op, const auto& row) { row.check(op); });
}

std::optional<std::string> unsupported(const Op& any, const isa::Geometry& geometry) {
  return ask(any, [&](const auto& op, const auto& row) {
    row.check(op);
    return row.why_not(op, geometry);
  });
}

std::optional<double> estimate(const Op& any, const isa::Geometry& geometry, const isa::Timing& timing,
                               const OnChip& on_chip, std::int64_t inp_entries) {
  return ask(any, [&](const auto& op, const auto& row) -> std::optional<double> {
    const auto one = row.estimate(op, with_inp(geometry, inp_entries), timing, on_chip);
    return one ? std::optional(static_cast<double>(images_of(op)) * *one) : std::nullopt;
  });
}

std::optional<LayerSpace> layer_space(const Op& any, const isa::Geometry& geometry, const isa::Timing& timing,
                                      const OnChip& on_chip, std::int64_t inp_entries) {
  return ask(any, [&](const auto& op, const auto& row) -> std::optional<LayerSpace> {
    if (!row.space) return std::nullopt;
    return row.space(op, with_inp(geometry, inp_entries), timing, on_chip);
  });
}

std::string task_of(const Op& any) {
  std::string task(kind_of(any));
  for (const Image& image : inputs_of(any)) task += " " + text(image);
  task += " to " + text(output_of(any));
  ask(any, [&](const auto& op, const auto&) {
    if constexpr (requires { op.window; }) {
      const SlidingWindow& w = op.window;
      task += fmt::format(", window {}x{} stride {}x{} dilation {}x{} pad {}x{}", w.kernel_h, w.kernel_w,
                          w.stride_h, w.stride_w, w.dilation_h, w.dilation_w, w.pad_top, w.pad_left);
    }
    if constexpr (requires { op.first.window; }) task += ": " + task_of(op.first) + ", " + task_of(op.second);
    if constexpr (requires { op.groups; }) task += fmt::format(", {} groups", op.groups);
    if constexpr (requires { conv_parts(op); }) task += fmt::format(", {} parts", conv_parts(op));
    if constexpr (requires { can_correct(op); }) task += can_correct(op) ? " or corrections" : "";
    if (images_of(op) > 1) task += fmt::format(", {} images", images_of(op));
  });
  return task;
}

std::string context_of(const OnChip& on_chip, std::int64_t inp_entries) {
  std::string context;
  if (on_chip.input) context += "input on chip, ";
  if (on_chip.second_input) context += "second input on chip, ";
  if (on_chip.output) context += "output on chip, ";
  return context + fmt::format("{} entries of inp", inp_entries);
}

DeviceKernel lower(const Op& op, const isa::Geometry& geometry, const isa::Timing& timing,
                   const Knobs& knobs) {
  return lower(op, geometry, timing, {}, geometry.inp_depth, knobs);
}

DeviceKernel lower(const Op& any, const isa::Geometry& geometry, const isa::Timing& timing,
                   const Residence& residence, std::int64_t inp_entries, const Knobs& knobs,
                   const Watch& watch) {
  const auto reason = unsupported(any, geometry);
  VDLA_CHECK_USER(!reason) << name_of(any) << ": " << *reason;
  const isa::Geometry left = with_inp(geometry, inp_entries);
  Lowering lowering(left, timing, residence, knobs, watch);
  ask(any, [&](const auto& op, const auto& row) { row.lower(op, lowering); });
  return std::move(lowering.kernel());
}

}  // namespace vdla::pipeline::device
