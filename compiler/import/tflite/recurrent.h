// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of a TFLite file, which keep values from one step and one run to the next.
#pragma once

#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {

enum Gate : std::uint8_t { Input, Forget, Cell, Output };

// Places of the inputs of LSTM; the first of each run of gates belongs to the input gate. Peepholes have none
// of the cell.
constexpr int kInputWeights = 1, kStateWeights = 5, kPeepholes = 9, kBiases = 12, kProjection = 16,
              kProjectionBias = 17, kOutputState = 18, kCellState = 19, kNorms = 20;

/// The data of a sequence (input 0), steps x batch x elements.
Value steps_first(const Operation& c, bool time_major);

/// Returns w, which input i has for weights, and refuses other extents than these; -1: any.
Value require_matrix(const Operation& c, int i, Value w, std::int64_t rows, std::int64_t columns);
/// Returns v, which is input i, and refuses other shapes than one of `count` elements.
Value require_vector(const Operation& c, int i, Value v, std::int64_t count);
/// The value of the state that is input i.
Value state_of(const Operation& c, int i, DataType type, std::int64_t rows, std::int64_t columns);

/// UNIDIRECTIONAL_SEQUENCE_LSTM of data of 8 or 16 bits with scales.
void integer_lstm(const Operation& c);
void svdf(const Operation& c);
/// SVDF of 8-bit data with a scale.
void integer_svdf(const Operation& c);

}  // namespace vdla::import::tflite
