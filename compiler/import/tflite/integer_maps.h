// SPDX-License-Identifier: Apache-2.0
// Parts of operators of 8-bit integers with scales that no operator of the graph computes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/graph/op.h"
#include "compiler/import/tensor/network.h"
#include "compiler/import/tensor/scalar.h"
#include "compiler/import/tflite/integers.h"
#include "support/fixed_point.h"

namespace vdla::import::tflite {

/// int32 of an element less its zero point.
tensor::Scalar less(const tensor::Scalar& x, std::int32_t zero_point);
/// int8 of the result before its zero point.
tensor::Scalar finished(const graph::OutputStage& out, const tensor::Scalar& x);
/// Gives the output what `body` makes of each element of the inputs.
void map(const Context& c, const std::vector<unsigned>& inputs, const tensor::Body& body);

/// Bits of the fraction of rsqrt_steps().
constexpr int kRsqrtFraction = 20;
/// int32 of 1 / sqrt(x), x above 0.
tensor::Scalar rsqrt_steps(const tensor::Scalar& x);
/// Makes steps of the output of 1 / sqrt of steps of the input.
QuantizedMultiplier rsqrt_multiplier(const graph::Quantization& in, const graph::Quantization& out);

/// Gives the output `step_of` each element of the only input, limited to int8.
template <class F>
void table(const Context& c, const F& step_of) {
  c.inputs(1);
  graph::Lut lut{c.op.node.substr(0, c.op.node.rfind('_')), {}};
  for (int q = -128; q < 128; ++q)
    lut.table[static_cast<std::size_t>(q) + 128] =
        static_cast<std::int8_t>(std::clamp<std::int32_t>(step_of(q), -128, 127));
  c.add(std::move(lut), {c.input(0)});
}

}  // namespace vdla::import::tflite
