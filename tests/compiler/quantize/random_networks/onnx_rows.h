// SPDX-License-Identifier: Apache-2.0
// Operators of float ONNX networks that are drawn: a row for each that the quantiser knows. Each reads images
// (N C H W) and gives images.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/compiler/import/onnx_builder.h"
#include "tests/compiler/import/random_graphs/random.h"

namespace vdla::random_networks {

/// A value of the network.
struct OnnxValue {
  std::string name;
  graph::Shape shape;
};

/// A network while it is drawn.
class OnnxSketch {
 public:
  /// Input "x" has these extents.
  OnnxSketch(std::uint64_t seed, const graph::Shape& input);

  random_graphs::Random& random() { return random_; }
  const OnnxValue& x() const { return x_; }
  const graph::Shape& shape() const { return x_.shape; }
  std::int64_t number(std::int64_t low, std::int64_t high) { return random_.between(low, high); }

  std::string reals(const graph::Shape& shape, double low, double high);
  /// Weights of a size that keeps the magnitudes of what they are multiplied with: `terms` make a sum.
  std::string weights(const graph::Shape& shape, std::int64_t terms);
  std::string integers(const std::vector<std::int64_t>& values, graph::Shape shape = {});
  /// Appends a node whose output the next one reads.
  onnx::NodeProto& add(const std::string& op, const std::vector<std::string>& inputs, graph::Shape shape);
  /// Goes back to a value.
  void read(OnnxValue value) { x_ = std::move(value); }
  /// An earlier value of these extents, or a constant.
  std::string like(const graph::Shape& shape);
  std::string new_name(const std::string& begin) { return begin + std::to_string(count_++); }
  /// The model, which ends with the value.
  graph::Bytes finish();

 private:
  testing::OnnxModel model_;
  random_graphs::Random random_;
  OnnxValue x_;
  std::vector<OnnxValue> seen_;
  int count_ = 0;
};

struct OnnxRow {
  std::string_view op;
  bool (*fits)(const graph::Shape& image);
  void (*add)(OnnxSketch& s);
};

std::span<const OnnxRow> onnx_rows();

}  // namespace vdla::random_networks
