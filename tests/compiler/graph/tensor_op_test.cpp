// SPDX-License-Identifier: Apache-2.0
// Shapes, types and refusals of the operators over tensors of any type. What they compute is held to ONNX's
// conformance suite (tests/tools/onnx_suite/onnx_suite_test.cpp).
#include <gmock/gmock.h>

#include "compiler/expr/dsl.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/text/text.h"
#include "support/error.h"

namespace vdla::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct OneOp {
  Graph g;
  TensorId input(DataType type, Shape shape) {
    const TensorId id =
        g.add_tensor({"t" + std::to_string(g.tensors.size()), type, std::move(shape), {}, nullptr});
    g.add_input(id);
    return id;
  }
  const Tensor& add(Op op, std::vector<TensorId> inputs) {
    const std::string name = "n" + std::to_string(g.nodes.size());
    return g.tensor(g.add_node(name, std::move(op), std::move(inputs)));
  }
  void refuse(Op op, std::vector<TensorId> inputs, const std::string& message) {
    EXPECT_THAT([&] { add(std::move(op), std::move(inputs)); }, ThrowsMessage<UserError>(HasSubstr(message)));
  }
};

Map less() {
  Map op{"Less", {expr::make_var("x0", expr::DType::F64), expr::make_var("x1", expr::DType::F64)}, nullptr};
  op.body = expr::Value(expr::Value(op.arguments[0]) < expr::Value(op.arguments[1]));
  return op;
}

TEST(TensorOp, MapBroadcastsAndHasTheTypeOfItsBody) {
  OneOp n;
  const TensorId a = n.input(DataType::Float64, {4, 1, 3}), b = n.input(DataType::Float64, {5, 1});
  const Tensor& out = n.add(less(), {a, b});
  EXPECT_EQ(out.type, DataType::Bool);
  EXPECT_EQ(out.shape, (Shape{4, 5, 3}));
  EXPECT_THAT(print(n.g), HasSubstr("function = \"Less\""));
  n.refuse(less(), {a, n.input(DataType::Float32, {1})}, "input 1 is float32, needs f64");
  n.refuse(less(), {a, n.input(DataType::Float64, {7, 7})}, "do not broadcast");
}

TEST(TensorOp, AMeanNamesEachAxisOnce) {
  OneOp n;
  const TensorId x = n.input(DataType::Int8, {2, 3, 4});
  Mean mean{{0, 2}, false, 0, {}};
  mean.out.multiplier = {{1 << 30, 0}};
  EXPECT_EQ(n.add(mean, {x}).shape, (Shape{3}));
  mean.axes = {0, -3};
  n.refuse(mean, {x}, "names axis -3 twice");
}

TEST(TensorOp, FoldKeepsOrDropsItsAxes) {
  OneOp n;
  const TensorId x = n.input(DataType::Int16, {2, 3, 4});
  EXPECT_EQ(n.add(Fold{expr::Reducer::Prod, {0, 2}, true}, {x}).shape, (Shape{1, 3, 1}));
  EXPECT_EQ(n.add(Fold{expr::Reducer::Prod, {0, 2}, false}, {x}).shape, (Shape{3}));
  n.refuse(Fold{expr::Reducer::Sum, {3}, false}, {x}, "axis 3 is outside of 3 dimensions");
  n.refuse(Fold{expr::Reducer::Sum, {2, 0}, false}, {x}, "needs its axes in ascending order");
  n.refuse(Fold{expr::Reducer::Sum, {0}, false}, {n.input(DataType::Bool, {2})}, "reduces bool");
}

TEST(TensorOp, AViewThatReadsOutsideNeedsAValueForThat) {
  OneOp n;
  const TensorId x = n.input(DataType::Float32, {4});
  View reversed{{4}, {{3, {-1}, 1}}, Outside::Never, nullptr};
  EXPECT_EQ(n.add(reversed, {x}).shape, (Shape{4}));
  View wide{{6}, {{-1, {1}, 1}}, Outside::Never, nullptr};
  n.refuse(wide, {x}, "reads elements -1..4 of dimension 0, which has 4");
  wide.outside = Outside::Fill;
  n.refuse(wide, {x}, "fills with another type than float32");
  wide.fill = expr::float_imm(0);
  EXPECT_EQ(n.add(wide, {x}).shape, (Shape{6}));
  View mirrored{{12}, {{-4, {1}, 1}}, Outside::Reflect, nullptr};
  n.refuse(mirrored, {x}, "mirrors more than dimension 0 has");
}

TEST(TensorOp, ConvolutionInThreeDimensionsWithGroups) {
  OneOp n;
  const TensorId x = n.input(DataType::Float32, {1, 4, 5, 6, 7}),
                 w = n.input(DataType::Float32, {6, 2, 3, 3, 3});
  const Convolve op{{1, 2, 1}, {1, 1, 2}, {1, 1, 1}, {1, 1, 1}, 2};
  const Tensor out = n.add(op, {x, w});
  EXPECT_EQ(out.shape, (Shape{1, 6, 5, 3, 5}));
  EXPECT_EQ(macs(n.g, n.g.nodes.back()), element_count(out.shape) * 2 * 27);
  n.refuse(Convolve{{1}, {1}, {0}, {0}, 1}, {x, w}, "has 1 entries in stride, dilation or padding, needs 3");
  n.refuse(op, {x, n.input(DataType::Float32, {6, 3, 3, 3, 3})}, "do not fit 4 input channels");
  n.refuse(op, {x, n.input(DataType::Float64, {6, 2, 3, 3, 3})}, "input 1 is float64, needs float32");
}

TEST(TensorOp, MatMulBroadcastsItsBatch) {
  OneOp n;
  const TensorId a = n.input(DataType::Float32, {3, 1, 2, 4}), b = n.input(DataType::Float32, {5, 6, 4});
  EXPECT_EQ(n.add(MatMul{false, true}, {a, b}).shape, (Shape{3, 5, 2, 6}));
  n.refuse(MatMul{}, {a, b}, "cannot multiply 3x1x2x4 with 5x6x4");
}

TEST(TensorOp, IndicesAreIntegers) {
  OneOp n;
  const TensorId x = n.input(DataType::Float32, {3, 4}), i = n.input(DataType::Int64, {2, 2});
  EXPECT_EQ(n.add(Gather{1}, {x, i}).shape, (Shape{3, 2, 2}));
  EXPECT_EQ(n.add(GatherNd{0}, {x, i}).shape, (Shape{2}));
  EXPECT_EQ(n.add(Locate{false, false, 0, true}, {x}).type, DataType::Int64);
  n.refuse(Gather{0}, {x, n.input(DataType::Float32, {1})}, "needs int32 or int64 as indices");
  n.refuse(ScatterNd{}, {x, i, n.input(DataType::Float32, {3})}, "do not fit, need 2");
}

}  // namespace
}  // namespace vdla::graph
