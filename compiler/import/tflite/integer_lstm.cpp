// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM of 8-bit or 16-bit data and 8-bit weights, in the form that TFLite Micro has.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "compiler/graph/requant.h"
#include "compiler/import/tensor/integer_recurrent.h"
#include "compiler/import/tflite/hybrid.h"
#include "compiler/import/tflite/integers16.h"
#include "compiler/import/tflite/recurrent.h"

namespace vdla::import::tflite {
namespace {

using tensor::GateSums;
using tensor::kGates;

constexpr double kGateScale = 0x1p-12, kOpenScale = 0x1p-15;  // before and after sigmoid and tanh

/// Gates in the order that tensor::integer_lstm() has.
constexpr std::array kOrder = {Input, Forget, Output, Cell};
static_assert(kOrder.size() == kGates);

/// Refuses layers of more parts than TFLite Micro's, and of fewer.
void require_standard(const Operation& c, const SequenceLstmOptions& o) {
  constexpr const char* kRemedy = "; needs a layer as Keras has it, or a network of floats";
  const auto without = [&](int first, int count, const char* what) {
    for (int i = first; i < first + count; ++i)
      c.require(!c.has(i), fmt::format("has {} (input {}), which TFLite Micro's layer of integers lacks{}",
                                       what, i, kRemedy));
  };
  without(kPeepholes, 3, "peepholes");
  without(kProjection, 2, "a projection");
  without(kNorms, kGates, "normalised sums");
  for (const int first : {kInputWeights, kStateWeights, kBiases})
    c.require(c.has(first),
              fmt::format("lacks an input gate of its own (input {}), which TFLite Micro's layer "
                          "of integers has{}",
                          first, kRemedy));
  c.require(!o.diagonal_recurrent_tensors(), "has diagonal weights of its state, needs whole matrices");
  c.require(o.activation() == Activation::TANH,
            fmt::format("has the activation {} on integers, needs TANH", EnumNameActivation(o.activation())));
}

/// The weights of all gates from input `first` on, for data of input `data`.
GateSums gates_of(const Operation& c, int first, int data, std::int64_t columns,
                  std::optional<Value> biases) {
  const graph::Quantization q = c.quantization(data);
  GateSums sums;
  std::vector<Value> weights;
  for (const Gate gate : kOrder) {
    const int i = first + gate;
    const std::int64_t rows = weights.empty() ? -1 : weights[0].shape[0];
    weights.push_back(require_matrix(c, i, weight_steps(c, i), rows, columns));
    const graph::Quantization of_weights = c.quantization(i);
    c.require(!of_weights.per_channel(),
              fmt::format("has {} scales of weights (input {}), needs one", of_weights.scale.size(), i));
    c.require(of_weights.zero_point[0] == 0,
              fmt::format("has weights (input {}) of zero point {}, needs 0", i, of_weights.zero_point[0]));
    sums.multipliers.push_back(multiplier_of_product(q, of_weights, kGateScale));
  }
  sums.zero_point = q.zero_point[0];
  const DataType type = c.in(0).type;
  sums.layer = tensor::layer16(c, c.concat(weights, 0), 0, std::move(biases), type == DataType::Int8, type,
                               sums.zero_point);
  require_sums(c, sums.layer);
  require_multipliers(c, sums.layer, sums.multipliers);
  return sums;
}

Value biases_of(const Operation& c, std::int64_t cells, DataType type) {
  std::vector<Value> biases;
  for (const Gate gate : kOrder) {
    const int i = kBiases + gate;
    const Value bias = require_vector(c, i, c.in(i), cells);
    c.require(bias.type == type && bias.constant(),
              fmt::format("has a bias (input {}) of {}, needs constants of {}", i, graph::name_of(bias.type),
                          graph::name_of(type)));
    biases.push_back(bias);
  }
  return c.concat(biases, 0);
}

/// tanh reads the cell in steps of a power of two.
int power_of(const Operation& c, double scale) {
  const double exact = std::log2(scale), power = std::round(exact);
  constexpr int kLeast = -31, kMost = 2;
  c.require(std::abs(exact - power) < 1e-3 && power >= kLeast && power <= kMost,
            fmt::format("has a cell state (input {}) of scale {}, needs a power of two, 2^{} to 2^{}",
                        kCellState, scale, kLeast, kMost));
  return static_cast<int>(power);
}

tensor::Ends ends_of(const Operation& c, float clip, double scale) {
  c.require(clip >= 0 && std::isfinite(clip), fmt::format("has a clip of {}, needs 0 or more", clip));
  if (clip == 0) return tensor::kEnds16;
  const auto steps = static_cast<std::int32_t>(std::min<double>(clip / scale, INT16_MAX));
  return {-steps, steps};
}

}  // namespace

void integer_lstm(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_SequenceLstmOptions);
  require_standard(c, o);
  const Value x = steps_first(c, 0, o.time_major());
  c.require(c.quantised_input(0) && !c.uint8_input(0),
            fmt::format("has data of {}, needs int8 or int16 with a scale",
                        c.uint8_input(0) ? "uint8" : graph::name_of(x.type)));
  const std::int64_t batch = x.shape[1];
  const std::int64_t cells = require_matrix(c, kInputWeights, c.in(kInputWeights), -1, x.shape[2]).shape[0];

  tensor::LstmStates states{state_of(c, kOutputState, x.type, batch, cells),
                            state_of(c, kCellState, DataType::Int16, batch, cells)};
  tensor::IntegerLstm l;
  l.hidden = c.quantization(kOutputState);
  l.cell = c.quantization(kCellState);
  const double cell_scale = l.cell.scale[0];
  const DataType sums = x.type == DataType::Int8 ? DataType::Int32 : DataType::Int64;
  l.of_input = gates_of(c, kInputWeights, 0, x.shape[2], biases_of(c, cells, sums));
  l.of_state = gates_of(c, kStateWeights, kOutputState, cells, std::nullopt);
  constexpr std::int64_t kMostProduct = tensor::kReach16 * tensor::kReach16;
  l.kept = multiplier16(c, kOpenScale * cell_scale / cell_scale, kMostProduct);
  l.taken = multiplier16(c, kOpenScale * kOpenScale / cell_scale, kMostProduct);
  l.shown = multiplier16(c, kOpenScale * kOpenScale / l.hidden.scale[0], kMostProduct);
  l.cell_scale = tensor::tanh_scale(power_of(c, cell_scale));
  l.cell_ends = ends_of(c, o.cell_clip(), cell_scale);

  const tensor::Composer steps(c.network(), c.name(), c.where());
  const tensor::Composer moves(c.network(), c.name(), c.where(), l.hidden);
  const Value y = tensor::integer_lstm(steps, l, x, states);
  c.set_state(kOutputState, states.hidden);
  c.set_state(kCellState, states.cell);
  c.set(o.time_major() ? y : moves.transpose(y, {1, 0, 2}));
}

}  // namespace vdla::import::tflite
