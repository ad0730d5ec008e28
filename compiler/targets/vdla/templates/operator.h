// SPDX-License-Identifier: Apache-2.0
// Questions of the rest of the compiler to an operator of the device: one row for each, which
// operators/<name>.cpp fills in beside the operator's expression, space and packing. Why the device cannot
// take a layer is said there alone; ops.h, on_chip.h and lower.h have the same questions of any Op.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/targets/vdla/templates/lowering.h"
#include "compiler/targets/vdla/templates/on_chip.h"
#include "compiler/targets/vdla/templates/ops.h"
#include "compiler/targets/vdla/templates/spaces.h"
#include "compiler/targets/vdla/templates/tiles.h"

namespace vdla::pipeline::device {

/// `T` is the descriptor.
template <class T>
struct Operator {
  /// For people: "conv2d".
  std::string_view (*kind)(const T&);
  /// Inputs and output of one image, in order (two inputs for sums; without packed operands).
  std::vector<Image> (*inputs)(const T&);
  Image (*output)(const T&);
  /// UserError for a malformed descriptor.
  void (*check)(const T&);
  /// Why no instruction and no buffer can hold it (one sentence for people), or nothing.
  std::optional<std::string> (*why_not)(const T&, const isa::Geometry&);
  /// Cycles of one image, with all its groups or products, by the default choice of knobs; nothing where no
  /// tile fits.
  std::optional<double> (*estimate)(const T&, const isa::Geometry&, const isa::Timing&, const OnChip&);
  /// Gives it its function.
  void (*lower)(const T&, Lowering&);
  /// Its knobs, which all its images, groups and products have in common. None: it has none.
  LayerSpace (*space)(const T&, const isa::Geometry&, const isa::Timing&, const OnChip&) = nullptr;

  /// Multiply-accumulates of one image, as the model states them. None: it has none.
  std::int64_t (*macs)(const T&) = nullptr;
  /// Padding that it reads around its first input. None: nothing.
  Padding (*padding)(const T&) = nullptr;
  /// Why its activations cannot be in inp, or nothing. None: they can where there is one image.
  std::optional<std::string> (*bound_to_dram)(const T&, const isa::Geometry&) = nullptr;
  /// Why it cannot read its second input in inp. None: it can.
  const char* second_elsewhere = nullptr;
  /// Bytes from pixel to pixel of its result in DRAM. None: its padded channels.
  std::int64_t (*pixel_bytes)(const T&, const isa::Geometry&) = nullptr;
  /// The window that it reads its first input by. None: each element at its own place.
  SlidingWindow (*window)(const T&) = nullptr;
};

/// The estimate of a layer on the vector unit.
template <class T, Space (*SpaceOf)(const T&, const isa::Geometry&, const OnChip&),
          TileCost (*CostOf)(const T&, const isa::Geometry&)>
std::optional<double> tile_estimate(const T& op, const isa::Geometry& geometry, const isa::Timing& timing,
                                    const OnChip& on_chip) {
  return total(least_work(SpaceOf(op, geometry, on_chip), CostOf(op, geometry), geometry, timing));
}

/// The knobs of a layer on the vector unit.
template <class T, Space (*SpaceOf)(const T&, const isa::Geometry&, const OnChip&),
          TileCost (*CostOf)(const T&, const isa::Geometry&)>
LayerSpace tile_knobs_of(const T& op, const isa::Geometry& geometry, const isa::Timing& timing,
                         const OnChip& on_chip) {
  return layer_space(SpaceOf(op, geometry, on_chip), CostOf(op, geometry), geometry, timing);
}

/// Row of the operator; its file has the definition.
template <class T>
const Operator<T>& row();

#define VDLA_DECLARE_ROW(T) \
  template <>               \
  const Operator<T>& row<T>();
VDLA_DEVICE_OPERATORS(VDLA_DECLARE_ROW)
#undef VDLA_DECLARE_ROW

}  // namespace vdla::pipeline::device
