// SPDX-License-Identifier: Apache-2.0
// Arithmetic of activations of 16 bits and weights of 8, bit for bit as TFLite Micro's reference kernels
// (docs/numbers.md). No operator of the graph computes them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/op.h"
#include "compiler/import/tensor/scalar.h"
#include "compiler/import/tensor/window.h"

namespace vdla::import::tensor {

using Ends = std::pair<std::int32_t, std::int32_t>;
constexpr Ends kEnds16{INT16_MIN, INT16_MAX};
/// Largest magnitude of an int16.
constexpr std::int64_t kReach16 = 1 << 15;
/// Elements whose sum int32 has room for.
constexpr std::int64_t kMostTerms16 = INT32_MAX / kReach16;

/// An int32 element by a multiplier of 31 bits, rounded twice.
Scalar multiplied(const graph::Multiplier& m, const Scalar& x);
/// int16 of an int32 element.
Scalar limited(const Scalar& x, const Ends& ends);

/// The result of an operator.
struct Result16 {
  std::string name;
  Ends ends = kEnds16;
  graph::Quantization quantization;
};

/// A layer of int16 data and constant int8 weights.
struct Layer16 {
  Value weights;  ///< int32 or int64, in which no sum passes the type that the reference adds up in
  std::optional<Value> bias;  ///< constant integers, one for each output
  bool narrow = false;        ///< the reference adds up in int32, not int64
  std::int64_t most = 0;      ///< largest magnitude of a sum and its bias
};
/// Outputs are dimension `outputs` of the weights. The data are of `type`, less `zero_point`.
Layer16 layer16(const Composer& c, const Value& weights, std::size_t outputs, std::optional<Value> bias,
                bool narrow, DataType type = DataType::Int16, std::int32_t zero_point = 0);

/// Sums of products in the result's steps: those of int64 by 15 bits of their multiplier, rounded once, those
/// of int32 by 31 bits, rounded twice. Multipliers are one, or one for each index of dimension `axis`.
Value steps16(const Composer& c, const Layer16& layer, const Value& sums, std::size_t axis,
              const std::vector<graph::Multiplier>& multipliers, const Result16& result);

/// Pools of images N C H W. Means are quotients with halves away from zero.
Value largest16(const Composer& c, const Value& x, const WindowAttributes& a, const Result16& result);
Value average16(const Composer& c, const Value& x, const WindowAttributes& a, const Result16& result);

/// Multipliers of two operands 2^15 times as large, and of their sum.
struct SumMultipliers {
  graph::Multiplier a, b, sum;
};
Body sum_of_two16(const SumMultipliers& m, bool subtracts, const Ends& ends);
Body product_of_two16(const graph::Multiplier& m, const Ends& ends);

/// sigmoid and tanh of elements times `multiplier`, rounded and shifted to the right, which are in steps of
/// 1 / (3 * 4096).
struct TableScale {
  std::int32_t multiplier, shift;
};
Value sigmoid16(const Composer& c, const Value& x, const TableScale& s, const Result16& result);
Value tanh16(const Composer& c, const Value& x, const TableScale& s, const Result16& result);

/// A function between lines of a table, whose entries are computed in float32.
Value function16(const Composer& c, const Value& x, float in_scale, float out_scale,
                 const std::function<float(float)>& f, const Result16& result);

/// Softmax along the last dimension. The multiplier makes steps of 10 / 65535 of the distances to the largest
/// element.
Value softmax16(const Composer& c, const Value& x, const graph::Multiplier& m, const Result16& result);

/// Most elements in a row whose exponentials, of int8 elements, int32 has room to add up.
constexpr std::int64_t kMostPowers = (1 << 12) - 1;
/// Softmax of int8 along the last dimension, in steps of 1 / 65536 from -32768 on.
Value softmax16_of_int8(const Composer& c, const Value& x, const graph::Softmax& parameters,
                        const Result16& result);

}  // namespace vdla::import::tensor
