// SPDX-License-Identifier: Apache-2.0
// The published int8 operator cases of CMSIS-NN as programs of the device.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>

#include "support/overloaded.h"
#include "tests/compiler/import/data.h"
#include "tests/compiler/pipeline/cmsis_case.h"
#include "tests/compiler/pipeline_device/harness.h"

namespace vdla::pipeline::device {
namespace {

std::int64_t dim(const graph::Shape& shape, std::size_t from_the_end) {
  return shape.size() > from_the_end ? shape[shape.size() - 1 - from_the_end] : 1;
}
Image image(const graph::Shape& s) { return {dim(s, 2), dim(s, 1), dim(s, 0)}; }

OutputStage stage(const graph::OutputStage& s) {
  OutputStage result;
  for (const graph::Multiplier& m : s.multiplier) result.multipliers.push_back({m.value, m.shift});
  result.zero_point = s.zero_point;
  result.min = s.min;
  result.max = s.max;
  return result;
}

/// The one node of a case as a layer of the device, one image; nothing for operators that stay on the host.
class Descriptor {
 public:
  explicit Descriptor(const graph::Graph& g) : g_(g), node_(g.nodes[0]) {}

  std::optional<Op> make() const {
    return std::visit(overloaded{
                          [&](const graph::Conv2d& o) -> std::optional<Op> {
                            auto op = windowed<Conv2d>(o);
                            op.groups = o.groups;
                            return op;
                          },
                          [&](const graph::DepthwiseConv2d& o) -> std::optional<Op> {
                            return windowed<DepthwiseConv2d>(o);
                          },
                          [&](const graph::FullyConnected& o) -> std::optional<Op> {
                            return dense("fc", 1, dim(in(), 0), dim(out(), 0), weights(), bias(),
                                         o.input_zero_point, o.weight_zero_point, stage(o.out));
                          },
                          [&](const graph::Add& o) -> std::optional<Op> {
                            Add op;
                            op.image = image(out());
                            op.left_shift = o.left_shift;
                            op.a_zero = o.a_zero_point;
                            op.b_zero = o.b_zero_point;
                            op.a = {o.a.value, o.a.shift};
                            op.b = {o.b.value, o.b.shift};
                            op.stage = stage(o.out);
                            return op;
                          },
                          [&](const graph::MaxPool2d& o) -> std::optional<Op> { return pool<MaxPool2d>(o); },
                          [&](const graph::AvgPool2d& o) -> std::optional<Op> {
                            auto op = pool<AvgPool2d>(o);
                            op.offset = o.offset;
                            return op;
                          },
                          [](const auto&) { return std::optional<Op>(); },
                      },
                      node_.op);
  }

 private:
  const graph::Shape& in() const { return g_.tensor(node_.inputs[0]).shape; }
  const graph::Shape& out() const { return g_.tensor(node_.output).shape; }
  std::vector<std::int8_t> weights() const {
    const auto values = g_.tensor(node_.inputs[1]).values<std::int8_t>();
    return {values.begin(), values.end()};
  }
  std::vector<std::int32_t> bias() const {
    if (node_.inputs.size() < 3 || node_.inputs[2] == graph::kNone) return {};
    const auto values = g_.tensor(node_.inputs[2]).values<std::int32_t>();
    return {values.begin(), values.end()};
  }
  template <class Layer, class Node>
  Layer windowed(const Node& o) const {
    Layer op;
    const graph::Shape& w = g_.tensor(node_.inputs[1]).shape;
    op.in = image(in());
    op.out = image(out());
    op.window = {w[1], w[2], o.stride.h, o.stride.w, o.dilation.h, o.dilation.w, o.pads.top, o.pads.left};
    op.weights = weights();
    op.bias = bias();
    op.input_zero = o.input_zero_point;
    op.weight_zero = o.weight_zero_point;
    op.stage = stage(o.out);
    return op;
  }
  template <class Pool, class Node>
  Pool pool(const Node& o) const {
    Pool op;
    op.in = image(in());
    op.out = image(out());
    op.window = {o.kernel.h, o.kernel.w, o.stride.h, o.stride.w, 1, 1, o.pads.top, o.pads.left};
    op.min = o.min;
    op.max = o.max;
    return op;
  }

  const graph::Graph& g_;
  const graph::Node& node_;
};

Int8s slice(const graph::Bytes& bytes, std::size_t index, std::size_t size) {
  Int8s values(size);
  std::memcpy(values.data(), bytes.data() + index * size, size);
  return values;
}

std::size_t elements(const Image& i) { return static_cast<std::size_t>(i.h * i.w * i.c); }

/// Every image of the case: random units by isa/semantics, and the functional engine.
void expect_case(const testing::CmsisCase& c, const Op& op, const isa::Geometry& g) {
  SCOPED_TRACE(g.block_in);
  ASSERT_EQ(unsupported(op, g), std::nullopt);
  std::mt19937 random(1);
  const isa::Program program = program_of(op, lower(op, g, {}), g);
  const std::vector<Image> images = inputs_of(op);
  const std::size_t size = elements(output_of(op));
  for (std::size_t i = 0; i < c.expected.size() / size; ++i) {
    std::vector<Int8s> inputs;
    for (std::size_t j = 0; j < images.size(); ++j)
      inputs.push_back(slice(c.inputs[j], i, elements(images[j])));
    const Int8s expected = slice(c.expected, i, size);
    EXPECT_EQ(run_semantics(op, program, inputs, random), expected);
    EXPECT_EQ(run_functional(op, program, inputs), expected);
  }
}

TEST(CmsisNn, EveryInt8CaseOfADeviceOperatorIsExact) {
  VDLA_NEED_DATA();
  std::map<std::string_view, int> compared;
  for (const auto& entry : std::filesystem::directory_iterator(testing::data_folder() / "cmsis_nn/json")) {
    SCOPED_TRACE(entry.path().stem().string());
    const auto c = testing::cmsis_case(entry.path());
    if (!c) continue;
    const std::optional<Op> op = Descriptor(c->graph).make();
    if (!op) continue;
    for (const isa::Geometry& g : {tiny(), oblong(), paper(), quads()}) expect_case(*c, *op, g);
    ++compared[kind_of(*op)];
  }
  for (const auto& [kind, least] : std::map<std::string_view, int>{
           {"conv2d", 25}, {"depthwise_conv2d", 8}, {"add", 1}, {"avg_pool2d", 3}, {"max_pool2d", 6}}) {
    EXPECT_GE(compared[kind], least) << kind;
  }
}

}  // namespace
}  // namespace vdla::pipeline::device
