// SPDX-License-Identifier: Apache-2.0
// Products of two activations on the device: the bytes of the operator as it was, and what is said about it.
#include <random>

#include "compiler/pipeline/reference.h"
#include "compiler/pipeline/rewrite/pack_operands.h"
#include "isa/variants/variants.h"
#include "tests/e2e/kit.h"

namespace vdla::e2e {
namespace {

using graph::DataType;
using graph::Shape;
using ::testing::HasSubstr;

struct Product {
  Shape batch_a, batch_b;
  std::int64_t rows, depth, columns;
  graph::BatchMatMul op;
  bool constant_b = false;
};

std::int64_t draw(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

Bytes random_bytes(std::size_t count, std::mt19937& random) {
  Bytes bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

Product random_product(std::mt19937& random) {
  Product p;
  const auto batches = draw(random, 0, 2);
  for (std::int64_t d = 0; d < batches; ++d) {
    const std::int64_t extent = draw(random, 1, 3);
    p.batch_a.push_back(draw(random, 0, 3) == 0 ? 1 : extent);
    p.batch_b.push_back(draw(random, 0, 3) == 0 ? 1 : extent);
  }
  if (batches > 0 && draw(random, 0, 2) == 0) p.batch_b.erase(p.batch_b.begin());
  p.rows = draw(random, 1, 20);
  p.depth = draw(random, 1, 40);
  p.columns = draw(random, 1, 40);
  p.op.transpose_a = random() % 2;
  p.op.transpose_b = random() % 2;
  p.op.a_zero_point = random() % 3 == 0 ? 0 : static_cast<std::int32_t>(draw(random, -128, 127));
  p.op.b_zero_point = random() % 2 ? 0 : static_cast<std::int32_t>(draw(random, -128, 127));
  p.op.out = {{{static_cast<std::int32_t>(draw(random, 1 << 30, INT32_MAX)), -8,
                static_cast<std::int32_t>(draw(random, 0, 3))}},
              static_cast<std::int32_t>(draw(random, -20, 20)),
              -128,
              static_cast<std::int32_t>(draw(random, 50, 127))};
  p.constant_b = draw(random, 0, 3) == 0;
  return p;
}

Shape shape_of(Shape batch, std::int64_t rows, std::int64_t columns, bool transposed) {
  if (transposed) std::swap(rows, columns);
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

graph::Graph graph_of(const Product& p, std::mt19937& random) {
  graph::Graph g;
  g.name = "product";
  const Shape a = shape_of(p.batch_a, p.rows, p.depth, p.op.transpose_a);
  const Shape b = shape_of(p.batch_b, p.depth, p.columns, p.op.transpose_b);
  const auto x = g.add_tensor({"x", DataType::Int8, a, {}, nullptr});
  g.add_input(x);
  graph::TensorId y = graph::kNone;
  if (p.constant_b) {
    y = g.add_constant(
        "y", DataType::Int8, b,
        std::make_shared<Bytes>(random_bytes(static_cast<std::size_t>(graph::element_count(b)), random)));
  } else {
    y = g.add_tensor({"y", DataType::Int8, b, {}, nullptr});
    g.add_input(y);
  }
  g.add_output(g.add_node("product", p.op, {x, y}));
  return g;
}

std::vector<Bytes> inputs_of(const graph::Graph& g, std::mt19937& random) {
  std::vector<Bytes> inputs;
  for (const graph::Port& port : g.inputs)
    inputs.push_back(random_bytes(g.tensor(port.tensor).bytes(), random));
  return inputs;
}

isa::Variant variant(const char* name, unsigned batch, unsigned block_in, unsigned block_out) {
  isa::Variant v = isa::load_variant(name);
  v.geometry.batch = batch;
  v.geometry.block_in = block_in;
  v.geometry.block_out = block_out;
  return v;
}

TEST(MatMul, RandomProductsEqualTheInterpreter) {
  const isa::Variant variants[] = {isa::load_variant("tiny"), isa::load_variant("paper"),
                                   variant("paper", 1, 32, 8), variant("paper", 1, 8, 16),
                                   variant("paper", 4, 8, 8)};
  std::mt19937 random(21);
  for (int trial = 0; trial < 60; ++trial) {
    const isa::Variant& v = variants[static_cast<std::size_t>(trial) % std::size(variants)];
    SCOPED_TRACE(trial);
    const graph::Graph g = graph_of(random_product(random), random);
    const std::vector<Bytes> x = inputs_of(g, random);
    const std::vector<Bytes> expected = pipeline::Reference(g).run(x);
    pipeline::CompileOptions options;
    options.variant = v;
    EXPECT_EQ(pipeline::Reference(pipeline::pack_operands(g, options, {})).run(x), expected);
    const runtime::Module module = compile(g, v);
    EXPECT_EQ(module.nodes.back().place, "vdla") << module.nodes.back().reason;
    EXPECT_EQ(EngineSession(module, "functional").run(x), expected);
  }
}

// 127 + 128 is the sum of three int8 numbers; two gave -1.
TEST(MatMul, TakesOperands255AboveTheirZeroPoint) {
  std::mt19937 random(4);
  Product p{{}, {}, 5, 9, 7, {}, false};
  p.op.a_zero_point = -128;
  p.op.out.multiplier = {{1 << 30, -10}};
  p.op.b_zero_point = -128;
  const graph::Graph g = graph_of(p, random);
  std::vector<Bytes> x = inputs_of(g, random);
  for (Bytes& bytes : x)
    for (std::size_t i = 0; i < bytes.size(); i += 2) bytes[i] = std::byte{127};
  EXPECT_EQ(EngineSession(compile(g, "paper"), "functional").run(x), pipeline::Reference(g).run(x));
}

Product example() {
  Product p{{2}, {2}, 6, 20, 18, {}, false};
  p.op.transpose_a = true;
  p.op.a_zero_point = 3;
  return p;
}

TEST(MatMul, EveryEngineGivesTheSameBytes) {
  std::mt19937 random(3);
  const graph::Graph g = graph_of(example(), random);
  const std::vector<Bytes> x = inputs_of(g, random);
  const std::vector<Bytes> expected = pipeline::Reference(g).run(x);
  for (const std::string& engine : present_engines())
    EXPECT_EQ(EngineSession(compile(g, "tiny"), engine).run(x), expected) << engine;
  EXPECT_EQ(EngineSession(compile(g, "cpu"), "").run(x), expected);
}

TEST(MatMul, ExplainsWhatTheHostDoesInFront) {
  std::mt19937 random(3);
  const runtime::Module module = compile(graph_of(example(), random), "paper");
  ASSERT_EQ(module.nodes.size(), 4u);
  EXPECT_EQ(module.nodes[0].name, "product/a");
  EXPECT_EQ(module.nodes[1].name, "product/entries");
  EXPECT_EQ(module.nodes[1].reason,
            "layout conversion: matrices into entries of wgt (16 columns x 16 terms), 720 bytes to 2048");
  EXPECT_EQ(module.nodes[2].name, "product/scales");
  EXPECT_EQ(module.nodes[2].reason, "sums of columns, and what the device scales with");
  EXPECT_EQ(module.nodes[3].op, "packed_matmul");
  EXPECT_THAT(module.nodes[3].reason, HasSubstr("its second operand packed by the host"));
  EXPECT_EQ(module.nodes[3].macs, 2u * 6 * 20 * 18);
  EXPECT_EQ(module.nodes[3].bytes_to_device, 240u + 2048 + 2 * 3 * 32 * 4);
}

TEST(MatMul, PacksAConstantOperandAtCompileTime) {
  std::mt19937 random(3);
  Product p = example();
  p.op.transpose_a = false;
  p.constant_b = true;
  const runtime::Module module = compile(graph_of(p, random), "paper");
  ASSERT_EQ(module.nodes.size(), 1u);
  EXPECT_EQ(module.nodes[0].place, "vdla");
}

TEST(MatMul, StaysAsItIsWhereItIsKeptOffTheDevice) {
  std::mt19937 random(3);
  const runtime::Module module = compile(graph_of(example(), random), "paper", {"product"});
  ASSERT_EQ(module.nodes.size(), 1u);
  EXPECT_EQ(module.nodes[0].op, "batch_matmul");
  EXPECT_EQ(module.nodes[0].reason, "placed there on request");
}

}  // namespace
}  // namespace vdla::e2e
