// SPDX-License-Identifier: Apache-2.0
// The spaces of the CPU's templates: their knobs, ragged tiles included. Estimates are nanoseconds of a core
// of 3 GHz, roughly. The default choice of each template is a legal point of its space.
#pragma once

#include <cstdint>

#include "compiler/knobs/space.h"
#include "compiler/targets/cpu/profile.h"
#include "compiler/targets/cpu/templates/conv2d.h"
#include "compiler/targets/cpu/templates/dot.h"
#include "compiler/targets/cpu/templates/matmul.h"
#include "compiler/targets/cpu/templates/quantized.h"

namespace vdla::pipeline::cpu {

/// `in_block`: input channels of a block of the weights.
KnobSpace conv2d_knobs(const Conv2d& conv, std::int64_t in_block, const CpuProfile& profile);
Point point_of(const Conv2dKnobs& knobs);
/// `from` has what the layout of the tensors says: in_block, out_block.
Conv2dKnobs conv2d_at(const Point& point, Conv2dKnobs from);

KnobSpace depthwise_knobs(const Conv2d& conv, const CpuProfile& profile);
Point point_of(const DepthwiseKnobs& knobs);
DepthwiseKnobs depthwise_at(const Point& point);

KnobSpace panel_knobs(const Panels& product, const CpuProfile& profile);
Point point_of(const PanelKnobs& knobs);
PanelKnobs panels_at(const Point& point);

/// Space of a layer that dot_default() takes.
KnobSpace dot_knobs(const Dots& layer, const CpuProfile& profile);
Point point_of(const DotKnobs& knobs, const Dots& layer);
DotKnobs dots_at(const Point& point, const Dots& layer);

/// Layer as a template of integers without dot products sees it: outputs, and the iterations of its
/// reduction's loops.
struct Integers {
  std::int64_t channels, columns;
  std::int64_t outputs;          ///< all, channels and columns included
  std::int64_t terms;            ///< terms of a sum
  std::int64_t innermost_terms;  ///< iterations of the innermost loop of the reduction
};
/// Space of a layer that quantized_default() takes.
KnobSpace quantized_knobs(const Integers& layer, const CpuProfile& profile);
Point point_of(const QuantizedKnobs& knobs);
QuantizedKnobs quantized_at(const Point& point);

}  // namespace vdla::pipeline::cpu
