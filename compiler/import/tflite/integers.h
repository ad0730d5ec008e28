// SPDX-License-Identifier: Apache-2.0
// A TFLite operator of 8-bit integers with scales while it is translated, and the tables of these operators.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/import/tflite/builder.h"
#include "support/error.h"

namespace vdla::import::tflite {

/// An operator being translated: its options and tensors, with errors that name it.
struct Context {
  Builder& builder;
  const OperatorRef& op;

  void require(bool ok, const std::string& what) const { VDLA_CHECK_USER(ok) << builder.where(op) << what; }
  /// `as` is the accessor of the union member that the operator needs.
  template <class Options>
  const Options& options(const Options* (Operator::*as)() const) const {
    return builder.options(op, as);
  }
  void inputs(unsigned least) const {
    require(op.op->inputs()->size() >= least,
            "has " + std::to_string(op.op->inputs()->size()) + " inputs, needs " + std::to_string(least));
    for (unsigned i = 0; i < least; ++i) index(i);
  }
  /// kNone where the operator leaves it out.
  graph::TensorId input(unsigned i) const { return builder.input(op, i); }
  graph::Quantization quantization(unsigned i) const { return of_8_bits(index(i)); }
  graph::Quantization output() const { return of_8_bits(builder.output_index(op)); }
  graph::Shape shape(unsigned i) const { return builder.shape_of_value(index(i)); }
  bool uint8() const { return builder.is_uint8(builder.output_index(op)); }
  void add(graph::Op node, std::vector<graph::TensorId> inputs) const {
    builder.add(op, std::move(node), std::move(inputs));
  }

 private:
  /// Quantisation of a file tensor whose zero point is an integer of 8 bits, whatever the type of the tensor:
  /// the distance of an element of 8 bits to it is at most 255.
  graph::Quantization of_8_bits(int tensor) const {
    graph::Quantization q = builder.quantization(tensor);
    for (const std::int32_t z : q.zero_point)
      require(z >= INT8_MIN && z <= INT8_MAX,
              "has a tensor of zero point " + std::to_string(z) + " (as int8), needs one of 8 bits");
    return q;
  }
  /// Index of the tensor of an input that must be there.
  int index(unsigned i) const {
    const int tensor = builder.input_index(op, i);
    require(tensor >= 0, "lacks input " + std::to_string(i));
    return tensor;
  }
};

/// Clamp of a fused activation in steps of `q`, which end at those of `ends`; `where` begins the message
/// about an activation that is none.
std::pair<std::int32_t, std::int32_t> limits(const graph::Quantization& q, Activation activation,
                                             std::pair<std::int32_t, std::int32_t> ends,
                                             const std::string& where);
/// Clamp in the output's steps of 8 bits.
std::pair<std::int32_t, std::int32_t> limits(const Context& c, Activation activation);
/// Multiplier, zero point and clamp of the output.
graph::OutputStage stage(const Context& c, std::vector<graph::Multiplier> multiplier, Activation activation);

struct IntegerRow {
  std::string_view name;
  void (*import)(const Context&);
};

/// Operators that are tables or expressions of elements.
std::span<const IntegerRow> integer_maps();
std::span<const IntegerRow> integer_quotients();
/// Recurrent layers.
std::span<const IntegerRow> integer_recurrent();
/// All of them.
std::span<const IntegerRow> integer_rows();

}  // namespace vdla::import::tflite
