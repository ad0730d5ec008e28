// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of a TFLite file, which keep values from one step and one run to the next.
#pragma once

#include <optional>

#include "compiler/import/tflite/hybrid.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {

enum Gate : std::uint8_t { Input, Forget, Cell, Output };

// Places of the inputs of LSTM; the first of each run of gates belongs to the input gate. Peepholes have none
// of the cell.
constexpr int kInputWeights = 1, kStateWeights = 5, kPeepholes = 9, kBiases = 12, kProjection = 16,
              kProjectionBias = 17, kOutputState = 18, kCellState = 19, kNorms = 20;

/// Data of a sequence (input i), steps x batch x elements.
Value steps_first(const Operation& c, int i, bool time_major);

/// Products of rows of x with weights, in reals.
Value products_of(const Operation& c, const Value& x, const WeightFactors& weights, bool asymmetric);

/// Data of a layer that goes over a sequence in both directions, steps first.
struct BothWays {
  Value x, backward;          ///< data of the first direction and of the second
  std::optional<Value> more;  ///< data of both beside them, which have weights of their own
};
/// Input `more` is that if input `weights` is there; otherwise, it is the data of the second direction.
BothWays data_of_both(const Operation& c, int more, int weights, bool time_major);
/// Gives the outputs of both directions, steps first: as two, or along the last dimension of one.
void set_both(const Operation& c, const Value& forward, const Value& backward, bool time_major, bool merged);

/// Returns w, which input i has for weights, and refuses other extents than these; -1: any.
Value require_matrix(const Operation& c, int i, Value w, std::int64_t rows, std::int64_t columns);
/// Returns v, which is input i, and refuses other shapes than one of `count` elements.
Value require_vector(const Operation& c, int i, Value v, std::int64_t count);
/// The value of the state that is input i.
Value state_of(const Operation& c, int i, DataType type, std::int64_t rows, std::int64_t columns);

// LSTM of floats.
void lstm(const Operation& c);
void lstm_step(const Operation& c);
void bidirectional_lstm(const Operation& c);
/// UNIDIRECTIONAL_SEQUENCE_LSTM of data of 8 or 16 bits with scales.
void integer_lstm(const Operation& c);
void svdf(const Operation& c);
/// SVDF of 8-bit data with a scale.
void integer_svdf(const Operation& c);

}  // namespace vdla::import::tflite
