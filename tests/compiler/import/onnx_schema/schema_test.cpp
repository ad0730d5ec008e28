// SPDX-License-Identifier: Apache-2.0
// The tables of operators against the installed ONNX library, which knows the sets to 17, and the sentences
// about nodes that no operator set allows.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <onnx/defs/parser.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <map>

#include "compiler/import/onnx_schema/schema.h"
#include "compiler/import/onnx_schema/schema_row.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::import::onnx_schema {
namespace {

using ::testing::Eq;
using ::testing::Optional;
using ::testing::ThrowsMessage;

constexpr int kNewestOfLibrary = 17;

std::string shown(const Default& value) {
  return std::visit(overloaded{
                        [](std::monostate) { return std::string(); },
                        [](std::int64_t v) { return fmt::format("{}", v); },
                        [](float v) { return fmt::format("{}", v); },
                        [](std::string_view v) { return std::string(v); },
                        [](const auto& list) {
                          std::string text;
                          for (const auto& v : list) text += fmt::format("{},", v);
                          return text;
                        },
                    },
                    value);
}

std::string shown(const onnx::AttributeProto& value) {
  std::string text;
  switch (value.type()) {
    case onnx::AttributeProto::INT:
      return fmt::format("{}", value.i());
    case onnx::AttributeProto::FLOAT:
      return fmt::format("{}", value.f());
    case onnx::AttributeProto::STRING:
      return value.s();
    case onnx::AttributeProto::INTS:
      for (const std::int64_t v : value.ints()) text += fmt::format("{},", v);
      return text;
    case onnx::AttributeProto::STRINGS:
      for (const std::string& v : value.strings()) text += v + ",";
      return text;
    default:
      return value.type() == onnx::AttributeProto::UNDEFINED ? "" : "?";
  }
}

std::string shown(std::string_view op, int since, const std::map<std::string, std::string>& attributes,
                  std::vector<int> counts) {
  std::string text = fmt::format("{} {}:", op, since);
  for (const auto& [name, meaning] : attributes) text += fmt::format(" {} {}", name, meaning);
  for (const int count : counts) text += fmt::format(" {}", count);
  return text;
}

std::string shown(const Version& v) {
  std::map<std::string, std::string> attributes;
  for (const Attribute& a : v.attributes)
    attributes.emplace(
        a.name, fmt::format("{}{}={}", static_cast<int>(a.type), a.required ? "!" : "", shown(a.otherwise)));
  return shown(v.op, v.since, attributes, {v.inputs.least, v.inputs.most, v.outputs.least, v.outputs.most});
}

std::string shown(const onnx::OpSchema& s) {
  std::map<std::string, std::string> attributes;
  for (const auto& [name, a] : s.attributes())
    attributes.emplace(name, fmt::format("{}{}={}", static_cast<int>(a.type), a.required ? "!" : "",
                                         shown(a.default_value)));
  return shown(s.Name(), s.SinceVersion(), attributes,
               {s.min_input(), s.max_input(), s.min_output(), s.max_output()});
}

TEST(OnnxSchema, TablesAgreeWithTheLibraryOnEverySetThatItKnows) {
  int compared = 0;
  for (const onnx::OpSchema& s : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (!s.domain().empty()) continue;
    if (s.Name() == "GRU" && s.SinceVersion() == 1) continue;  // "foward", which was never meant
    ++compared;
    const auto version = find(s.Name(), s.SinceVersion());
    if (s.Deprecated())
      EXPECT_FALSE(version) << s.Name() << " " << s.SinceVersion();
    else
      EXPECT_EQ(version ? shown(*version) : "", shown(s));
  }
  EXPECT_GT(compared, 400);
}

TEST(OnnxSchema, EveryVersionUpToTheLibrarysNewestSetIsInTheLibrary) {
  for (const auto rows : {math_rows(), layer_rows(), tensor_rows()})
    for (const Row& row : rows)
      for (const std::uint8_t since : row.since) {
        if (since == 0 || since > kNewestOfLibrary) continue;
        const auto* schema = onnx::OpSchemaRegistry::Schema(std::string(row.op), since, "");
        ASSERT_NE(schema, nullptr) << row.op << " " << int{since};
        EXPECT_EQ(schema->SinceVersion(), since) << row.op;
      }
}

TEST(OnnxSchema, NoTableGoesBeyondTheNewestSet) {
  for (const auto rows : {math_rows(), layer_rows(), tensor_rows(), runtime_rows(), microsoft_rows()})
    for (const Row& row : rows) {
      EXPECT_LE(*std::ranges::max_element(row.since), kNewestOperatorSet) << row.op;
      for (const Attribute& a : row.attributes)
        EXPECT_FALSE(a.required && !std::holds_alternative<std::monostate>(a.otherwise)) << row.op << a.name;
    }
}

onnx::NodeProto node(const std::string& text) {
  onnx::NodeProto result;
  onnx::OnnxParser parser(text.c_str());
  const auto status = parser.Parse(result);
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  return result;
}

void check(const std::string& text, std::int64_t opset) {
  onnx_schema::check(node(text), opset, "ONNX model 'm': ");
}

auto refused(const std::string& message) {
  return ThrowsMessage<UserError>(Eq("ONNX model 'm': " + message));
}

std::optional<std::int64_t> default_axis(std::string_view op, std::int64_t opset) {
  const auto version = find(op, opset);
  const Attribute* axis = version ? attribute(*version, "axis") : nullptr;
  if (axis == nullptr || !std::holds_alternative<std::int64_t>(axis->otherwise)) return std::nullopt;
  return std::get<std::int64_t>(axis->otherwise);
}

TEST(OnnxSchema, DefaultsAreThoseOfTheOperatorSet) {
  EXPECT_THAT(default_axis("Softmax", 12), Optional(1));
  EXPECT_THAT(default_axis("Softmax", 13), Optional(-1));
  EXPECT_THAT(default_axis("Softmax", kNewestOperatorSet), Optional(-1));
  EXPECT_EQ(default_axis("Concat", 11), std::nullopt);  // required
  EXPECT_EQ(default_axis("Compress", 11), std::nullopt);
  EXPECT_EQ(default_axis("DequantizeLinear", 12), std::nullopt);
  EXPECT_THAT(default_axis("DequantizeLinear", 13), Optional(1));
}

TEST(OnnxSchema, FindsTheVersionThatASetHas) {
  EXPECT_EQ(find("Conv", 10)->since, 1);
  EXPECT_EQ(find("Conv", 11)->since, 11);
  EXPECT_EQ(find("Conv", 27)->since, 22);
  EXPECT_EQ(find("GridSample", 15), std::nullopt);
  EXPECT_EQ(find("GridSample", 21)->since, 20);
  EXPECT_EQ(find("Upsample", 10), std::nullopt);
  EXPECT_EQ(find("Conv", 0), std::nullopt);
  EXPECT_EQ(find("", 13), std::nullopt);
}

TEST(OnnxSchema, EachDomainHasItsOwnTable) {
  EXPECT_EQ(find("Attention", 13), std::nullopt);
  EXPECT_EQ(find("Attention", 23)->inputs.least, 3);
  EXPECT_EQ(find("Attention", 13, Domain::Microsoft)->inputs.least, 2);
  EXPECT_EQ(find("Relu", 13, Domain::Microsoft), std::nullopt);
  EXPECT_EQ(find("SimplifiedLayerNormalization", 13, Domain::Microsoft), std::nullopt);
  EXPECT_TRUE(find("SimplifiedLayerNormalization", 13));
  for (const Row& row : runtime_rows())
    EXPECT_EQ(onnx::OpSchemaRegistry::Schema(std::string(row.op), kNewestOfLibrary, ""), nullptr) << row.op;
}

TEST(OnnxSchema, ANodeOfAnotherDomainHasNoTable) {
  onnx::NodeProto n;
  EXPECT_THAT(domain_of(n), Optional(Domain::Onnx));
  n.set_domain("ai.onnx");
  EXPECT_THAT(domain_of(n), Optional(Domain::Onnx));
  n.set_domain("com.microsoft");
  EXPECT_THAT(domain_of(n), Optional(Domain::Microsoft));
  n.set_domain("com.microsoft.nchwc");
  EXPECT_EQ(domain_of(n), std::nullopt);
}

TEST(OnnxSchema, AttributesBeginAndEndWithTheirSets) {
  struct Row {
    const char *op, *attribute;
    std::int64_t first, last;
  };
  constexpr Row kRows[] = {
      {"AveragePool", "dilations", 19, 27},
      {"BatchNormalization", "spatial", 1, 8},
      {"BatchNormalization", "is_test", 1, 6},
      {"BatchNormalization", "training_mode", 14, 27},
      {"Cast", "round_mode", 24, 27},
      {"CastLike", "saturate", 19, 27},
      {"Constant", "value_ints", 12, 27},
      {"DFT", "axis", 17, 19},
      {"DequantizeLinear", "block_size", 21, 27},
      {"DequantizeLinear", "output_dtype", 23, 27},
      {"GRU", "layout", 14, 27},
      {"LpPool", "ceil_mode", 18, 27},
      {"QuantizeLinear", "block_size", 21, 27},
      {"QuantizeLinear", "output_dtype", 21, 27},
      {"QuantizeLinear", "precision", 23, 27},
      {"QuantizeLinear", "saturate", 19, 27},
      {"Range", "stash_type", 27, 27},
      {"ReduceMean", "axes", 1, 17},
      {"ReduceSum", "axes", 1, 12},
      {"Reshape", "allowzero", 14, 27},
      {"Resize", "antialias", 18, 27},
      {"Resize", "keep_aspect_ratio_policy", 18, 27},
      {"ScatterElements", "reduction", 16, 27},
      {"Shape", "start", 15, 27},
      {"Split", "num_outputs", 18, 27},
      {"Split", "split", 1, 12},
      {"TopK", "largest", 11, 27},
      {"Unsqueeze", "axes", 1, 12},
  };
  for (const Row& row : kRows)
    for (std::int64_t set = 1; set <= kNewestOperatorSet; ++set) {
      const auto version = find(row.op, set);
      EXPECT_EQ(version && attribute(*version, row.attribute), set >= row.first && set <= row.last)
          << row.op << " " << row.attribute << " " << set;
    }
}

TEST(OnnxSchema, InputsBeginWithTheirSets) {
  EXPECT_EQ(find("Pad", 17)->inputs.most, 3);
  EXPECT_EQ(find("Pad", 18)->inputs.most, 4);
  EXPECT_EQ(find("DFT", 19)->inputs.most, 2);
  EXPECT_EQ(find("DFT", 20)->inputs.most, 3);
  EXPECT_EQ(find("ReduceMax", 18)->inputs.most, 2);
  EXPECT_EQ(find("Attention", 24)->inputs.most, 7);
}

TEST(OnnxSchema, TakesNodesOfTheirSet) {
  check("y = ReduceMax <axes = [1], keepdims = 0> (x)", 17);
  check("y = ReduceMax <keepdims = 0> (x, axes)", 18);
  check("y = Resize <mode = \"linear\"> (x, , scales)", 13);
  check("a, b, c, d = Split (x)", 13);
  check("y = Concat <axis = 0> (a, b, c, d, e, f)", 13);
  check("y = Constant <value = int64[2] {1, 2}> ()", 25);
  onnx::NodeProto endless = node("y = Loop <body = g (i, c, s) => (c, s) { t = Identity (s) }> (n, c, s)");
  endless.set_input(0, "");
  onnx_schema::check(endless, 13, "");
}

TEST(OnnxSchema, RefusesAnUnknownOperatorByName) {
  EXPECT_THAT([] { check("y = Convv (x, w)", 13); },
              refused("is not supported: 'Convv' is no operator of ONNX up to operator set 27, "
                      "did you mean 'Conv'?"));
}

TEST(OnnxSchema, RefusesAnOperatorOfOtherSets) {
  EXPECT_THAT(
      [] { check("y = Gelu (x)", 17); },
      refused("is not supported: Gelu belongs to operator sets from 20 on, the model is written in set 17 "
              "(torch.onnx.export and onnx.version_converter take a version)"));
  EXPECT_THAT(
      [] { check("y = Upsample (x, s)", 11); },
      refused("is not supported: Upsample belongs to operator sets 1 to 9, the model is written in set 11 "
              "(torch.onnx.export and onnx.version_converter take a version)"));
}

TEST(OnnxSchema, RefusesAnAttributeOfAnotherSet) {
  EXPECT_THAT([] { check("y = ReduceMax <axes = [1]> (x)", 18); },
              refused("has attribute 'axes', which ReduceMax of operator set 18 does not have (it belongs to "
                      "sets 1 to 17); it has keepdims, noop_with_empty_axes"));
  EXPECT_THAT([] { check("y = Relu <consumed_inputs = [1]> (x)", 13); },
              refused("has attribute 'consumed_inputs', which Relu of operator set 13 does not have (it "
                      "belongs to sets 1 to 5); it has none"));
  EXPECT_THAT(
      [] { check("y = Cast <to = 1, round_mode = \"up\"> (x)", 23); },
      refused("has attribute 'round_mode', which Cast of operator set 23 does not have (it belongs to "
              "sets from 24 on); it has saturate, to"));
  EXPECT_THAT([] { check("y = Softplus <axis = 1> (x)", 13); },
              refused("has attribute 'axis', which Softplus of operator set 13 does not have; it has none"));
}

TEST(OnnxSchema, RefusesAMisspeltAttribute) {
  EXPECT_THAT([] { check("y = Softmax <axes = 1> (x)", 13); },
              refused("has attribute 'axes', which Softmax of operator set 13 does not have; it has axis, "
                      "did you mean 'axis'?"));
}

TEST(OnnxSchema, RefusesAnAttributeOfAnotherType) {
  EXPECT_THAT([] { check("y = Softmax <axis = 1.0> (x)", 13); },
              refused("has a float as attribute 'axis', needs an integer"));
  onnx::NodeProto untyped = node("y = Softmax <axis = 1> (x)");
  untyped.mutable_attribute(0)->clear_type();
  EXPECT_THAT(
      [&] { onnx_schema::check(untyped, 13, ""); },
      ThrowsMessage<UserError>(Eq("has a value of another type as attribute 'axis', needs an integer")));
}

TEST(OnnxSchema, RefusesAnAttributeWithoutItsTensor) {
  onnx::NodeProto empty = node("y = Constant <value = int64[1] {1}> ()");
  empty.mutable_attribute(0)->clear_t();
  EXPECT_THAT([&] { onnx_schema::check(empty, 13, ""); },
              ThrowsMessage<UserError>(Eq("has an attribute 'value' without a value, needs a tensor")));
}

TEST(OnnxSchema, RefusesAnAttributeThatStandsTwice) {
  onnx::NodeProto twice = node("y = Softmax <axis = 1> (x)");
  *twice.add_attribute() = twice.attribute(0);
  EXPECT_THAT([&] { onnx_schema::check(twice, 13, ""); },
              ThrowsMessage<UserError>(Eq("has attribute 'axis' twice, needs it once")));
}

TEST(OnnxSchema, RefusesANodeWithoutARequiredAttribute) {
  EXPECT_THAT([] { check("y = MaxPool (x)", 12); },
              refused("lacks attribute 'kernel_shape', needs a list of integers"));
}

TEST(OnnxSchema, RefusesOtherNumbersOfInputsAndOutputs) {
  EXPECT_THAT([] { check("y = Conv (x)", 11); },
              refused("has 1 input, Conv of operator set 11 needs 2 to 3"));
  EXPECT_THAT([] { check("y = ReduceMean (x, axes)", 13); },
              refused("has 2 inputs, ReduceMean of operator set 13 needs 1"));
  EXPECT_THAT([] { check("y = Sum ()", 13); },
              refused("has 0 inputs, Sum of operator set 13 needs 1 or more"));
  EXPECT_THAT([] { check("y, m, v, a, b = BatchNormalization (x, s, t, u, w)", 15); },
              refused("has 5 outputs, BatchNormalization of operator set 15 needs 1 to 3"));
  onnx::NodeProto without = node("y = Conv (x, w)");
  without.set_input(1, "");
  EXPECT_THAT([&] { onnx_schema::check(without, 11, ""); },
              ThrowsMessage<UserError>(Eq("lacks input 1, which Conv needs")));
}

TEST(OnnxSchema, PassesOverAttributesThatAreAnExportersOwn) {
  onnx::NodeProto own = node("y = Softmax <axis = 1> (x)");
  own.mutable_attribute(0)->set_name("__origin");
  onnx_schema::check(own, 13, "");
}

}  // namespace
}  // namespace vdla::import::onnx_schema
