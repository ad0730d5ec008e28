// SPDX-License-Identifier: Apache-2.0
// Scan and Loop whose trips are known, with bodies that read their own names and one from around them.
#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

/// The body of a loop over states of one shape.
class Body {
 public:
  Body(Sketch& sketch, onnx::GraphProto& graph) : sketch_(sketch), graph_(graph) { graph.set_name("body"); }

  /// ONNX Runtime wants the shape of what a Loop carries.
  std::string input(int type, const Shape& shape) {
    const std::string name = sketch_.new_name();
    declare(*graph_.add_input(), name, type);
    auto& stated = *graph_.mutable_input(graph_.input_size() - 1)->mutable_type()->mutable_tensor_type();
    stated.mutable_shape();
    for (const std::int64_t extent : shape) stated.mutable_shape()->add_dim()->set_dim_value(extent);
    return name;
  }
  std::string node(const std::string& op, const std::vector<std::string>& inputs) {
    onnx::NodeProto& made = *graph_.add_node();
    made.set_op_type(op);
    for (const std::string& name : inputs) made.add_input(name);
    made.add_output(sketch_.new_name());
    return made.output(0);
  }
  std::string cast(const std::string& value, int type) {
    const std::string made = node("Cast", {value});
    onnx::AttributeProto& to = *graph_.mutable_node(graph_.node_size() - 1)->add_attribute();
    to.set_name("to");
    to.set_type(onnx::AttributeProto::INT);
    to.set_i(type);
    return made;
  }
  std::string number(double value) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(sketch_.new_name());
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_float_data(static_cast<float>(value));
    return tensor.name();
  }
  void output(const std::string& name, int type) { declare(*graph_.add_output(), name, type); }

 private:
  static void declare(onnx::ValueInfoProto& info, const std::string& name, int type) {
    info.set_name(name);
    info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
  }

  Sketch& sketch_;
  onnx::GraphProto& graph_;
};

constexpr int kReal = onnx::TensorProto::FLOAT;

/// A value of a shape that the body reads from around it.
Piece outer(Sketch& s, const Shape& shape) {
  return s.random().chance(0.5) ? s.fresh(DataType::Float32, shape, -1, 1)
                                : s.constant(DataType::Float32, shape, -1, 1);
}

onnx::GraphProto& body_of(Written& n) {
  return *n.attribute("body", onnx::AttributeProto::GRAPH).mutable_g();
}

bool scan(Sketch& s, const char* name) {
  Random& r = s.random();
  const Piece x = s.take({kFloat, 1, 3, -10, 10});
  const std::int64_t axis = r.below(x.rank());
  const std::int64_t trips = x.shape[static_cast<std::size_t>(axis)];
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  const Piece h = s.fresh(DataType::Float32, shape, -1, 1), w = outer(s, shape);
  const bool second = r.chance(0.4);  // scanned input
  const Piece z = second ? s.fresh(DataType::Float32, x.shape, -1, 1) : Piece{};
  Written n = s.node(name);
  n.in(h).in(x);
  if (second) n.in(z);
  const std::int64_t scanned = second ? 2 : 1;
  n.integer("num_scan_inputs", scanned);
  if (axis != 0 || r.chance(0.3))
    n.integers("scan_input_axes", Integers(static_cast<std::size_t>(scanned), axis));
  if (r.chance(0.4)) {
    Integers directions;
    for (std::int64_t i = 0; i < scanned; ++i) directions.push_back(r.below(2));
    n.integers("scan_input_directions", directions);
  }
  Body body(s, body_of(n));
  const std::string state = body.input(kReal, shape), part = body.input(kReal, shape);
  const std::string other = second ? body.input(kReal, shape) : w.name;
  const std::string sum =
      body.node("Add", {body.node("Mul", {state, w.name}), body.node("Mul", {part, other})});
  const std::string next = body.node(r.one_of({"Tanh", "Sigmoid"}), {sum});
  body.output(next, kReal);
  const bool rows = r.chance(0.8);
  Shape stacked = shape;
  if (rows) {
    body.output(body.node("Sub", {part, state}), kReal);
    const std::int64_t place = r.below(static_cast<std::int64_t>(shape.size()) + 1);
    stacked.insert(stacked.begin() + place, trips);
    if (place != 0 || r.chance(0.3)) n.integers("scan_output_axes", {place});
    if (r.chance(0.3)) n.integers("scan_output_directions", {r.below(2)});
  }
  n.out(DataType::Float32, shape, -1, 1);
  if (rows) n.out(DataType::Float32, stacked, -11, 11);
  return true;
}

bool loop(Sketch& s, const char* name) {
  Random& r = s.random();
  const Piece h = s.take({kFloat, 0, 3, -10, 10});
  const Piece w = outer(s, h.shape);
  const std::int64_t most = r.between(std::int64_t{1}, std::int64_t{5});
  const bool ends = r.chance(0.5);  // by its condition
  const Piece count = s.constant_of(DataType::Int64, {}, {static_cast<double>(most)});
  const Piece condition = s.constant_of(DataType::Bool, {}, {1});
  const bool counted = !ends || r.chance(0.9);
  Written n = s.node(name);
  counted ? n.in(count) : n.absent();
  n.in(condition).in(h);
  Body body(s, body_of(n));
  const std::string trip = body.input(onnx::TensorProto::INT64, {}),
                    goes_on = body.input(onnx::TensorProto::BOOL, {}), state = body.input(kReal, h.shape);
  const std::string number = body.cast(trip, kReal);
  const std::int64_t last = r.below(4);  // trip after which the condition is false
  body.output(ends ? body.node("Less", {number, body.number(static_cast<double>(last))})
                   : body.node("Identity", {goes_on}),
              onnx::TensorProto::BOOL);
  const std::string sum = body.node("Add", {body.node("Mul", {state, w.name}), number});
  body.output(body.node("Tanh", {sum}), kReal);
  const bool rows = r.chance(0.7);
  if (rows) body.output(body.node("Mul", {state, number}), kReal);
  const std::int64_t trips = ends ? std::min(counted ? most : last + 1, last + 1) : most;
  Shape stacked = h.shape;
  stacked.insert(stacked.begin(), trips);
  n.out(DataType::Float32, h.shape, -1, 1);
  if (rows) n.out(DataType::Float32, stacked, -50, 50);
  return true;
}

}  // namespace

std::vector<Operator> loop_operators() { return {{"Loop", 11, kEver, loop}, {"Scan", 9, kEver, scan}}; }

}  // namespace vdla::random_graphs
