// SPDX-License-Identifier: Apache-2.0
// Verifier: the real numbers that the values of a graph stand for (real = scale * (q - zero point)).
//
// A node computes with integers of its own and never with the quantisation that is noted on tensors. A pass
// that notes another scale or zero point, or takes away the step that gives values another one, therefore
// changes no integer, and still every real number at the ports. This verifier finds both: each node's
// integers are those that the quantisation of its tensors gives, and each port means after a pass what it
// meant before.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vdla::graph {

/// A node whose integers or result contradict the quantisation of its tensors, as a sentence; nothing: all
/// agree. Tensors that state no quantisation agree with everything.
///
/// Convolutions, products, sums and requantisations: zero points are those of the tensors, multipliers are
/// the quotient of the scales. Pools, Pad, Concat, Transpose, Im2col, View and other operators that move or
/// choose elements: the result is quantised as the operands are. Quantize and Dequantize: by their
/// attributes. Reshape: both, because another quantisation is a reinterpretation, a step of its own.
std::optional<std::string> quantization_fault(const Graph& graph);

/// The meaning of a graph for what is outside of it.
struct Meaning {
  struct Port {
    std::string name;
    DataType type;
    Shape shape;
    /// Ways in which the port's values become integers or come from them: one of an integer tensor; of a
    /// float tensor one for each Quantize or Dequantize at the port, reshapes in between.
    std::vector<Quantization> integers;
  };
  std::vector<Port> inputs, outputs;
  /// Quantisations of the values that stand for each tensor of the model; empty for a real value.
  std::map<std::string, std::vector<Quantization>> values;
  std::optional<std::string> fault;  ///< quantization_fault()
  /// Whether each int8 value states its quantisation. Where one does not, a pass may state what follows from
  /// a neighbour, and bring a contradiction to light that was there.
  bool complete = true;
};

Meaning meaning_of(const Graph& graph);

/// Returns a sentence that names the value to which a pass gave another meaning, or nothing if there is none.
/// A graph that had a fault before the pass is not compared.
std::optional<std::string> lost_meaning(const Meaning& before, const Meaning& after);

}  // namespace vdla::graph
