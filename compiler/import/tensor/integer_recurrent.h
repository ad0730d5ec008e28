// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of integers, bit for bit as TFLite Micro's reference kernels (docs/numbers.md).
#pragma once

#include <optional>
#include <vector>

#include "compiler/import/tensor/integers16.h"

namespace vdla::import::tensor {

constexpr std::int64_t kGates = 4;  ///< input, forget, output, cell: in this order

/// Products of a layer's data with the weights of all gates, one gate below the other, in int16 steps of
/// 1 / 4096.
struct GateSums {
  Layer16 layer;                               ///< weights for the data less their zero point
  std::vector<graph::Multiplier> multipliers;  ///< one for each gate
  std::int32_t zero_point = 0;
};

/// Data and hidden state are int8 or int16, the cell state is int16.
struct IntegerLstm {
  GateSums of_input, of_state;
  /// Products of the forget gate and the cell, of the input gate and the new cell, of the output gate and the
  /// cell's tanh.
  graph::Multiplier kept, taken, shown;
  TableScale cell_scale;  ///< makes tanh's argument of the cell
  Ends cell_ends = kEnds16;
  graph::Quantization hidden, cell;  ///< quantisations of the states
};

struct LstmStates {
  Value hidden, cell;  ///< batch x cells
};

/// The cell's tanh needs the scale 2^power of the cell.
TableScale tanh_scale(int power);

/// Hidden states after each step of x, which is steps x batch x inputs; the states become the last ones.
Value integer_lstm(const Composer& c, const IntegerLstm& l, const Value& x, LstmStates& states);

/// A layer of filters over the inputs (features) and over the last values of each filter (time). Several
/// filters add up to a unit.
struct IntegerSvdf {
  Layer16 features;  ///< filters x inputs
  Layer16 time;      ///< units x (filters of a unit * steps), with the bias
  std::int32_t x_zero = 0;
  graph::Multiplier in;    ///< makes the state's steps of sums of features
  graph::OutputStage out;  ///< makes the output's steps of sums over time
  graph::Quantization state, output;
};

/// The output of x, which is batch x inputs. The state, int8 or int16 of batch x (filters * steps), becomes
/// the next one.
Value integer_svdf(const Composer& c, const IntegerSvdf& s, const Value& x, Value& state);

}  // namespace vdla::import::tensor
