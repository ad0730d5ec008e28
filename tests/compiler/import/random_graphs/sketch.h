// SPDX-License-Identifier: Apache-2.0
// An ONNX model while it is drawn: the values that nodes can read, with type, shape and an interval that
// holds their elements, so that what is drawn is legal and its result defined.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/types.h"
#include "compiler/import/import.h"
#include "tests/compiler/import/random_graphs/random.h"

namespace vdla::random_graphs {

using graph::DataType;
using graph::Shape;
using Integers = std::vector<std::int64_t>;
using Types = std::vector<DataType>;

/// A model and values for its inputs.
struct Drawn {
  onnx::ModelProto model;
  std::map<std::string, import::Array> inputs;
};

struct Piece {
  std::string name;
  DataType type = DataType::Float32;
  Shape shape;
  double low = 0, high = 0;  ///< no element lies outside
  double typical = 0;        ///< a magnitude that many elements have; below the interval's for long sums
  bool constant = false;     ///< known without a run
  bool exact = true;         ///< every implementation gives the same bits

  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
  std::int64_t count() const;
};

inline const Types kFloat = {DataType::Float32};
inline const Types kBool = {DataType::Bool};
inline const Types kBytes = {DataType::Int8, DataType::UInt8};
inline const Types kNumbers = {DataType::Float32, DataType::Float32, DataType::Int32, DataType::Int64};
inline const Types kAny = {DataType::Float32, DataType::Float32, DataType::Float32, DataType::Int32,
                           DataType::Int64,   DataType::Int8,    DataType::UInt8,   DataType::Bool};

/// Requirements of a node on one of its inputs.
struct Want {
  const Types& types;
  std::int64_t least_rank = 0, most_rank = 5;
  double low = -1e30, high = 1e30;
  bool exact = false;  ///< mostly: a small difference would become a large one
};

class Sketch;

/// Node while it is written. Attributes that are left out have the default of the operator set.
class Written {
 public:
  Written(Sketch& sketch, onnx::NodeProto& proto) : sketch_(sketch), proto_(proto) {}

  Written& in(const Piece& piece);
  Written& absent();  ///< an optional input that the node lacks
  Written& integer(const std::string& name, std::int64_t value);
  Written& real(const std::string& name, double value);
  Written& text(const std::string& name, const std::string& value);
  Written& integers(const std::string& name, const Integers& values);
  Written& reals(const std::string& name, const std::vector<double>& values);
  Written& texts(const std::string& name, const std::vector<std::string>& values);
  onnx::AttributeProto& attribute(const std::string& name, onnx::AttributeProto::AttributeType type);

  /// The value, or its default where the attribute is left out, which happens by chance.
  std::int64_t some(const std::string& name, std::int64_t otherwise, std::int64_t value);
  double some(const std::string& name, double otherwise, double value);

  /// The next output. Exact only where all inputs are and `exact` says so.
  Piece out(DataType type, Shape shape, double low, double high, bool exact = false);
  Piece out(DataType type, Shape shape, double low, double high, bool exact, double typical);
  void no_out();  ///< an output that nothing can read

 private:
  Sketch& sketch_;
  onnx::NodeProto& proto_;
  bool exact_ = true, constant_ = true;
};

class Sketch {
 public:
  explicit Sketch(std::uint64_t seed);

  Random& random() { return random_; }
  std::int64_t opset() const { return opset_; }
  /// True where float values mostly pass QuantizeLinear and DequantizeLinear.
  bool quantises() const { return quantises_; }

  Written node(const std::string& op);
  /// A value of the graph that fits, or a new one.
  Piece take(const Want& want);
  /// A value of that type and shape, whose elements lie in the interval: an input or a constant, of a float
  /// type also a dequantised one.
  Piece fresh(DataType type, const Shape& shape, double low, double high);
  Piece constant(DataType type, const Shape& shape, double low, double high);
  Piece constant_of(DataType type, const Shape& shape, const std::vector<double>& elements);
  Piece integers(const Integers& elements);
  /// A float constant, often a dequantised one: per tensor or along `axis`.
  Piece weights(const Shape& shape, std::int64_t axis, double reach);
  /// A value that broadcasts with `x`, in both directions or only to its shape.
  Piece mate(const Piece& x, DataType type, double low, double high, bool both = true);
  Piece quantised(const Piece& x, DataType type);
  Piece dequantised(const Piece& x);
  /// The value behind QuantizeLinear and DequantizeLinear.
  Piece passed(const Piece& x);

  Shape shape(std::int64_t least_rank, std::int64_t most_rank, std::int64_t most_extent = 5);
  /// Axis from 0; `written` is that number or, where the operator set has them, one counted from the end.
  std::int64_t axis(std::int64_t rank, std::int64_t& written);
  std::int64_t written_axis(std::int64_t axis, std::int64_t rank);
  Integers some_axes(std::int64_t rank, std::int64_t least);

  std::size_t nodes() const { return static_cast<std::size_t>(drawn_.model.graph().node_size()); }
  void add(Piece piece) { pieces_.push_back(std::move(piece)); }
  std::string new_name() { return "v" + std::to_string(names_++); }
  std::size_t pieces() const { return pieces_.size(); }
  /// Float values that nodes have written since there were so many pieces pass through quantisation.
  void pass_on(std::size_t since);
  /// Names the outputs and gives the model away.
  Drawn finish();

 private:
  Piece input(DataType type, const Shape& shape, double low, double high);
  onnx::TensorProto tensor(DataType type, const Shape& shape, const std::vector<double>& elements);
  std::vector<double> elements(DataType type, const Shape& shape, double low, double high);
  Piece scale_of(const Shape& shape, double largest);
  bool usable(const Piece& piece, const Want& want);

  Random random_;
  Drawn drawn_;
  std::int64_t opset_;
  bool quantises_, old_inputs_;
  std::vector<Piece> pieces_;
  std::map<std::string, std::pair<Piece, Piece>> scales_;  ///< and zero points, of quantised values
  int names_ = 0;
};

std::int64_t product(const Shape& shape);
/// The largest magnitude that an element can have.
double reach(const Piece& piece);
/// Output of a node that moves elements: they keep their interval and type.
Piece moved(Written& node, const Piece& from, Shape shape);
/// The interval of a type, as far as floats hold it.
std::pair<double, double> limits(DataType type);
/// Broadcasts both shapes; false where they do not fit.
bool broadcast(const Shape& a, const Shape& b, Shape& result);
int onnx_code(DataType type);
import::Array array_of(DataType type, const Shape& shape, const std::vector<double>& elements);

struct Operator {
  const char* name;
  std::int64_t first, last;  ///< operator sets that have it
  /// False: nothing fits, and nothing was written.
  bool (*draw)(Sketch& sketch, const char* name);
};
inline constexpr std::int64_t kEver = 99;

// The families, each in a file of its name.
std::vector<Operator> elementwise_operators();
std::vector<Operator> common_operators();  ///< those of them that networks have most of
std::vector<Operator> reduction_operators();
std::vector<Operator> movement_operators();
std::vector<Operator> index_operators();
std::vector<Operator> known_operators();
std::vector<Operator> layer_operators();
std::vector<Operator> window_operators();
std::vector<Operator> quantised_operators();
std::vector<Operator> recurrent_operators();
std::vector<Operator> sampling_operators();
std::vector<Operator> loop_operators();

/// A graph of one to eight drawn operators, the same for a seed on every machine.
Drawn draw(std::uint64_t seed);

}  // namespace vdla::random_graphs
