// SPDX-License-Identifier: Apache-2.0
// NON_MAX_SUPPRESSION: of boxes that overlap, the one of largest score.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/import/tensor/scalar.h"
#include "compiler/import/tensor/suppression.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

using expr::BinaryOp;
using tensor::real;

/// Input i, a constant of one float.
float constant_real(const Operation& c, int i, const char* what) {
  const Value v = c.in(i);
  c.network().require_looked_at(v);
  c.require(v.constant() && v.count() == 1 && v.type == DataType::Float32,
            fmt::format("needs its {} (input {}) to be one float32 that is known when the model is compiled",
                        what, i));
  return static_cast<float>(tensor::reals_of(v)[0]);
}

/// Inputs: boxes [n, 4] by two opposite corners, scores, how many are chosen at most, the least overlap that
/// puts a box out, the score that a box must exceed. Outputs: places of the chosen boxes, their scores where
/// it is asked for, and how many there are; zeros behind them.
void suppress(const Operation& c, bool with_scores) {
  const Value boxes = c.in(0), scores = c.in(1);
  const std::int64_t count = boxes.rank() == 2 ? boxes.shape[0] : 0;
  c.require(count > 0 && boxes.shape[1] == 4 && scores.shape == Shape{count} &&
                scores.type == DataType::Float32 && boxes.type == DataType::Float32,
            fmt::format("has boxes of {} and scores of {}, needs [n, 4] and [n] of float32",
                        graph::to_string(boxes.shape), graph::to_string(scores.shape)));
  const std::int64_t most = c.number(2, "number of boxes"), steps = std::min(most, count);
  c.require(most > 0 && most <= tensor::kMostChosen,
            fmt::format("chooses up to {} boxes, needs 1 to {}", most, tensor::kMostChosen));
  const float overlap = constant_real(c, 3, "overlap"), least = constant_real(c, 4, "least score");
  const auto column = [&](std::int64_t k) { return c.reshape(c.part(boxes, 1, k, k + 1), {count}); };
  const auto edge = [&](BinaryOp op, std::int64_t k) { return c.binary(op, column(k), column(k + 2)); };
  const Value candidates = c.map("Candidates", {c.reshape(scores, {1, count})}, [&](const auto& v) {
    return select(v[0] > real(least, v[0]), v[0], real(tensor::kOutScore, v[0]));
  });
  // A box of just this overlap is out, too.
  const float below = std::nextafter(overlap, -std::numeric_limits<float>::infinity());
  const tensor::Chosen chosen = tensor::choose_boxes(
      c, candidates,
      {edge(BinaryOp::Min, 0), edge(BinaryOp::Min, 1), edge(BinaryOp::Max, 0), edge(BinaryOp::Max, 1)}, steps,
      below);
  const Value valid =
      c.map("Valid", {chosen.scores}, [](const auto& v) { return v[0] > real(tensor::kOutScore, v[0]); });
  const auto padded = [&](const Value& x) {
    const Value kept = c.map("Kept", {valid, x, c.scalar(x.type, 0)},
                             [](const auto& v) { return select(v[0], v[1], v[2]); });
    return c.pad(c.reshape(kept, {steps}), {0}, {most - steps}, 0);
  };
  c.set(0, padded(c.cast(chosen.places, DataType::Int32)));
  if (with_scores) c.set(1, padded(chosen.scores));
  const Value number = c.fold(expr::Reducer::Sum, c.cast(valid, DataType::Int32), {0, 1}, false);
  c.set(with_scores ? 2 : 1, number);
}

void suppression_v4(const Operation& c) { suppress(c, false); }

void suppression_v5(const Operation& c) {
  const float sigma = constant_real(c, 5, "sigma");
  c.require(sigma == 0,
            fmt::format("lowers the scores of boxes that overlap (sigma {}), needs sigma 0", sigma));
  suppress(c, true);
}

constexpr Row kSuppressionRows[] = {
    {"NON_MAX_SUPPRESSION_V4", suppression_v4, Takes::Floats},
    {"NON_MAX_SUPPRESSION_V5", suppression_v5, Takes::Floats},
};

}  // namespace

std::span<const Row> suppression_rows() { return kSuppressionRows; }

}  // namespace vdla::import::tflite
