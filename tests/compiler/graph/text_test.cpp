// SPDX-License-Identifier: Apache-2.0
// The graph's text: what is printed reads back as the same network, for all operators and for all networks
// that the tests have; what is no graph is refused where it is wrong.
#include "compiler/graph/text/text.h"

#include <gmock/gmock.h>

#include <random>

#include "compiler/graph/sources.h"
#include "compiler/graph/text/attributes.h"
#include "compiler/graph/text/fields.h"
#include "compiler/import/import.h"
#include "compiler/pipeline/compile.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "tests/compiler/import/data.h"

namespace vdla::graph {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

// ---- attributes

/// Other values than the defaults for all fields.
class Filler {
 public:
  template <class T>
  void operator()(const char* name, T& value) {
    names.emplace_back(name);
    fill(value);
  }
  std::vector<std::string> names;

 private:
  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = !value;
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(++next_);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = "quoted \" \\ \n";
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(1 - static_cast<int>(value));
    } else if constexpr (std::is_same_v<T, Hw>) {
      value = {++next_, ++next_};
    } else if constexpr (std::is_same_v<T, Pads>) {
      value = {++next_, ++next_, ++next_, ++next_};
    } else if constexpr (std::is_same_v<T, Multiplier>) {
      value = {static_cast<std::int32_t>(++next_), -3, 2};
    } else if constexpr (std::is_same_v<T, expr::ExprPtr>) {
      value = expr::int_imm(7, expr::DType::I8);
    } else if constexpr (requires { value.begin(); }) {
      if constexpr (requires { value.resize(2); }) value.resize(2);
      for (auto& one : value) fill(one);
    } else {
      Filler inner;
      fields(inner, value);
    }
  }
  std::int64_t next_ = 40;
};

/// Stands for a value of any type where members are counted.
struct Anything {
  template <class T>
  operator T() const;
};

/// How many members an aggregate has: as many as it can be made of.
template <class T, class... Members>
consteval std::size_t members() {
  if constexpr (requires { T{Members()..., Anything()}; }) {
    return members<T, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}

/// Those of `fields`; what a Map's arguments are follows from its inputs.
template <class T>
std::size_t members_in_fields() {
  T value;
  Filler filler;
  fields(filler, value);
  return filler.names.size() + (std::is_same_v<T, Map> ? 1 : 0);
}

template <class T>
void expect_every_attribute_to_come_back() {
  T op;
  Filler filler;
  fields(filler, op);
  const Op before = op;
  SCOPED_TRACE(name_of(before));
  EXPECT_EQ(members_in_fields<T>(), members<T>()) << "fields.h lacks a member";
  const Json values = attribute_values(before);
  std::vector<std::string> written;
  for (const auto& [name, value] : values.items()) written.push_back(name);
  EXPECT_THAT(written, ::testing::UnorderedElementsAreArray(filler.names));
  EXPECT_EQ(attribute_values(make_op(name_of(before), values, {})), values);
}

TEST(GraphText, FieldsHaveEveryMemberOfWhatAttributesAreMadeOf) {
  EXPECT_EQ(members_in_fields<OutputStage>(), members<OutputStage>());
  EXPECT_EQ(members_in_fields<EntryShape>(), members<EntryShape>());
  EXPECT_EQ(members_in_fields<Source>(), members<Source>());
}

TEST(GraphText, EveryAttributeOfEveryOperatorComesBack) {
#define VDLA_EXPECT(type, text, fusion) expect_every_attribute_to_come_back<type>();
  VDLA_GRAPH_OPS(VDLA_EXPECT)
#undef VDLA_EXPECT
}

// ---- networks

void expect_equal(const Graph& a, const Graph& b, TensorId in_a, TensorId in_b) {
  ASSERT_EQ(in_a == kNone, in_b == kNone);
  if (in_a == kNone) return;
  const Tensor &x = a.tensor(in_a), &y = b.tensor(in_b);
  EXPECT_EQ(x.name, y.name);
  EXPECT_EQ(x.type, y.type) << x.name;
  EXPECT_EQ(x.shape, y.shape) << x.name;
  EXPECT_EQ(x.quantization, y.quantization) << x.name;
  EXPECT_EQ(sources_of(x), sources_of(y)) << x.name;
  ASSERT_EQ(x.constant(), y.constant()) << x.name;
  EXPECT_TRUE(!x.constant() || *x.data == *y.data) << x.name;
}

void expect_equal(const Graph& a, const Graph& b, const std::vector<Port>& of_a,
                  const std::vector<Port>& of_b) {
  ASSERT_EQ(of_a.size(), of_b.size());
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    expect_equal(a, b, of_a[i].tensor, of_b[i].tensor);
    EXPECT_EQ(of_a[i].model_type, of_b[i].model_type);
    EXPECT_EQ(of_a[i].model_shape, of_b[i].model_shape);
    EXPECT_EQ(of_a[i].perm, of_b[i].perm);
    EXPECT_EQ(of_a[i].rounding, of_b[i].rounding);
  }
}

void expect_round_trip(const Graph& before) {
  const std::string text = print(before);
  const Graph after = parse(text);
  EXPECT_EQ(print(after), text);
  EXPECT_EQ(after.name, before.name);
  expect_equal(before, after, before.inputs, after.inputs);
  expect_equal(before, after, before.outputs, after.outputs);
  ASSERT_EQ(before.nodes.size(), after.nodes.size());
  for (std::size_t i = 0; i < before.nodes.size(); ++i) {
    const Node &x = before.nodes[i], &y = after.nodes[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(name_of(x.op), name_of(y.op)) << x.name;
    EXPECT_EQ(attribute_values(x.op), attribute_values(y.op)) << x.name;
    ASSERT_EQ(x.inputs.size(), y.inputs.size()) << x.name;
    for (std::size_t j = 0; j < x.inputs.size(); ++j) expect_equal(before, after, x.inputs[j], y.inputs[j]);
    expect_equal(before, after, x.output, y.output);
  }
}

/// The graph that steps are made of.
Graph compiled(const Graph& graph, bool use_device) {
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("paper");
  options.use_device = use_device;
  options.machine_code = false;
  return pipeline::compile(graph, options).graph;
}

TEST(GraphText, ANetworkReadsBackBeforeAndAfterThePasses) {
  const Graph digits = import::import_model(VDLA_SOURCE_DIR "/examples/digits/digits.onnx");
  expect_round_trip(digits);
  expect_round_trip(compiled(digits, true));
  expect_round_trip(compiled(digits, false));
}

TEST(GraphText, ANetworkThatWasReadBackHasTheSameProgram) {
  const Graph digits = import::import_model(VDLA_SOURCE_DIR "/examples/digits/digits.onnx");
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("tiny");
  options.machine_code = false;
  const auto program = [&](const Graph& graph) {
    const pipeline::CompiledModel model = pipeline::compile(graph, options);
    return std::get<pipeline::DeviceStep>(model.steps.at(1)).program;
  };
  EXPECT_EQ(program(parse(print(digits))), program(digits));
}

TEST(GraphText, AllNetworksOfTheTestsReadBack) {
  VDLA_NEED_DATA();
  std::size_t networks = 0;
  for (const auto& entry : fs::recursive_directory_iterator(testing::data_folder())) {
    const fs::path& path = entry.path();
    if (!entry.is_regular_file() || (path.extension() != ".tflite" && path.extension() != ".onnx")) continue;
    Graph graph;
    try {
      graph = import::import_model(path);
    } catch (const UserError&) {
      continue;  // what the importers refuse is another test's
    }
    SCOPED_TRACE(path.string());
    expect_round_trip(graph);
    ++networks;
  }
  EXPECT_GT(networks, 400u);
}

// ---- what people write

TEST(GraphText, WhatFollowsFromTheRestMayBeLeftOut) {
  const Graph g = parse(
      "# a comment\n"
      "graph \"g\"\n"
      "input %x: int8[1, 4]\n"
      "const %w: int8[2, 4] = splat 3\n"
      "%y = fully_connected(%x, %w, -) {out = {max = 6}}\n"
      "%z = reshape(%y) {shape = [2]}\n"
      "output %z\n");
  EXPECT_EQ(g.nodes[0].name, "y");
  EXPECT_EQ(g.tensor(g.nodes[0].output).shape, (Shape{1, 2}));
  EXPECT_EQ(std::get<FullyConnected>(g.nodes[0].op).out.max, 6);
  EXPECT_EQ(g.nodes[0].inputs[2], kNone);
  EXPECT_EQ(print(g),
            "graph \"g\"\n"
            "input %0 \"x\": int8[1, 4]\n"
            "const %1 \"w\": int8[2, 4] = splat 3\n"
            "%2: int8[1, 2] = fully_connected \"y\"(%0, %1, -) {out = {max = 6}}\n"
            "%3: int8[2] = reshape \"z\"(%2) {shape = [2]}\n"
            "output %3\n");
}

TEST(GraphText, TensorsOfTheModelThatAValueStandsForAreKept) {
  const std::string text =
      "graph \"g\"\n"
      "input %0 \"x\": int8[4] of \"a\", \"b\" within \"c\" model float32[4]\n"
      "const %1 \"w\": int8[4] scale 0.5 zero 3 own = splat 3\n"
      "%2: int8[4] reordered \"d\" from \"e \\\" f\" = maximum \"m\"(%0, %1)\n"
      "%3: int8[4] = maximum \"n\"(%2, %0)\n"
      "output %3\n";
  const Graph g = parse(text);
  EXPECT_EQ(print(g), text);
  EXPECT_EQ(*g.tensors[0].sources,
            (Sources{{"a", Likeness::Same}, {"b", Likeness::Same}, {"c", Likeness::Within}}));
  EXPECT_TRUE(g.tensors[1].sources->empty());
  EXPECT_FALSE(g.tensors[3].sources) << "the model's of its own name";
}

TEST(GraphText, ConstantsKeepTheirBits) {
  const std::vector<float> odd{-0.0f, 1e-40f, 0.1f, std::numeric_limits<float>::quiet_NaN()};
  for (std::size_t count : {3u, 4u}) {  // as numbers; in hex, for the NaN
    Graph g;
    const std::vector<float> values(odd.begin(), odd.begin() + static_cast<std::ptrdiff_t>(count));
    g.add_output(
        g.add_constant("c", DataType::Float32, {static_cast<std::int64_t>(count)}, to_bytes(values)));
    EXPECT_EQ(*parse(print(g)).tensors.at(0).data, *g.tensors[0].data);
  }
}

TEST(GraphText, TextForPeopleHasNoLongDataAndIsNotTakenForTheNetwork) {
  Graph g;
  std::vector<std::int32_t> values(100);
  values[7] = 1;
  g.add_output(g.add_constant("c", DataType::Int32, {100}, to_bytes(values)));
  const std::string text = print(g, Data::LeftOut);
  EXPECT_THAT(text, HasSubstr("const %0 \"c\": int32[100] = ...\n"));
  EXPECT_THAT([&] { parse(text); },
              ::testing::ThrowsMessage<UserError>(HasSubstr("printed for people, without what is long")));
}

TEST(GraphText, TheExampleOfTheHeaderReads) {
  const Graph g = parse(
      "graph \"digits\"\n"
      "input %0 \"image\": int8[1, 8, 8, 1] scale 0.0625 zero -128 model float32[1, 1, 8, 8] perm [0, 2, 3, "
      "1]\n"
      "const %1 \"weights\": int8[2, 1, 1, 1] = [3, -4]           # or splat 3, or 0x and the bytes in hex\n"
      "const %2 \"bias\": int32[2] scale [0.5, 0.25] zero 0 axis 0 = splat 0\n"
      "%3: int8[1, 8, 8, 2] scale 0.5 zero 0 = conv2d \"conv1\"(%0, %1, %2) {stride = [1, 1], out = {max = "
      "6}}\n"
      "output %3 model float32[1, 8, 8, 2]\n");
  EXPECT_EQ(g.tensors[2].quantization, (Quantization{{0.5, 0.25}, {0, 0}, 0}));
  EXPECT_EQ(g.inputs[0].perm, (std::vector<int>{0, 2, 3, 1}));
  EXPECT_EQ(g.outputs[0].model_type, DataType::Float32);
  EXPECT_EQ(std::to_integer<int>(g.tensors[1].data->at(1)), 256 - 4);
}

constexpr const char* kDelay =
    "graph \"delay\"\n"
    "input %0 \"x\": int8[4] scale 0.5 zero 0\n"
    "state %1 \"kept\": int8[4] scale 0.5 zero 0 = [1, 2, 3, 4]\n"
    "%2: int8[4] scale 0.5 zero 0 = reshape \"next\"(%0) {shape = [4]}\n"
    "output %1\n"
    "next %1 = %2\n";

TEST(GraphText, StatesReadBack) {
  const Graph g = parse(kDelay);
  ASSERT_EQ(g.states.size(), 1u);
  EXPECT_EQ(g.tensor(g.states[0].begin).name, "kept");
  EXPECT_EQ(g.states[0].end, g.nodes[0].output);
  EXPECT_EQ(*g.states[0].initial, *to_bytes(std::vector<std::int8_t>{1, 2, 3, 4}));
  EXPECT_EQ(print(g), kDelay);
}

struct Wrong {
  const char *statements, *message;
};

TEST(GraphText, MistakesAreNamedWhereTheyStand) {
  const Wrong all[] = {
      {"input %x\n", "line 2, column 7: input '%x' needs a type"},
      {"input %x: int9[4]\n", "line 2, column 11: there is no element type 'int9', did you mean 'int8'?"},
      {"input %x: int8[0]\n", "column 11: extents are from 1 on"},
      {"const %x: int8[2] = [1, 2, 3]\n", "column 21: constant '%x' has 2 elements, got 3"},
      {"const %x: int8[2] = [1, 200]\n", "an element does not fit its type"},
      {"const %x: int8[2] = 0x012\n", "expected pairs of the digits"},
      {"const %x: int64[67108865] = splat 1\n", "splat fills at most 67108864 elements of a network"},
      {"const %x: float16[2] = [1, 2]\n", "elements of float16 are bytes in hex"},
      {"input %x: int8[4]\noutput %y\n", "line 3, column 8: no statement before defines '%y'"},
      {"input %x: int8[4]\n%x = reshape(%x) {shape = [2, 2]}\n", "there is a tensor '%x' already"},
      {"input %x: int8[4]\n%y = reshap(%x)\n",
       "line 3, column 6: there is no operator 'reshap', did you mean 'reshape'?"},
      {"input %x: int8[4]\n%y = reshape(%x) {shap = [4]}\n",
       "there is no attribute 'shap', did you mean 'shape'?"},
      {"input %x: int8[4]\n%y = reshape(%x) {shape = 4}\n", "attribute 'shape' is 4, needs a list"},
      {"input %x: int8[4]\n%y = reshape(%x) {shape = [2.5]}\n",
       "attribute 'shape' is 2.5, needs a whole number"},
      {"input %x: int8[4]\n%y = reshape(%x) {shape = [\"\x83\"]}\n",  // no UTF-8
       "attribute 'shape' is \"\xef\xbf\xbd\", needs a whole number"},
      {"input %x: int8[4]\n%y: int8[4] = reshape(%x) {shape = [2, 2]}\n",
       "'%y' is said to be int8[4], and reshape gives"},
      {"input %x: int8[4]\n%y = requantize(%x) {out = {min = 3000000000}}\n",
       "attribute 'out.min' is 3000000000, needs"},
      {"input %x: float32[4]\n%y = map(%x) {body = \"x0 + x1\"}\n", "'x0 + x1'"},
      {"input %x: int8[4] model int8[5]\n", "the model's port has 5 elements, its tensor 4"},
      {"input %x: int8[2, 2] perm [0, 0]\n", "perm names each dimension"},
      {"input %x \"y: int8[4]\n", "this line has no closing quote"},
      {"input %x: int8[4] of x\n", "expected the name of one of the model's tensors in quotes"},
      {"input %x: int8[4] of \"a\" within \"a\"\n", "the model's tensor 'a' stands twice"},
      {"otput %x\n", "line 2, column 1: expected input, state, const, output, next or a tensor"},
      {"state %x: int8[2] = [1]\n", "column 21: state '%x' has 2 elements, got 1"},
      {"state %x: int8[2] = splat 0\n", "state 'x' has no next value"},
      {"input %x: int8[2]\nnext %x = %x\n", "line 3, column 6: this is no state"},
      {"state %x: int8[2] = splat 0\ninput %y: int8[3]\nnext %x = %y\n",
       "a state of int8[2] becomes int8[3], needs an equal type"},
      {"state %x: int8[2] = splat 0\ninput %y: int8[2]\nnext %x = %y\nnext %x = %y\n",
       "this state has a next value already"},
      {"state %x: int8[2] = splat 0\nnext %x = %x\n", "a state becomes what another one was"},
  };
  for (const Wrong& wrong : all)
    EXPECT_THAT([&] { parse(std::string("graph \"g\"\n") + wrong.statements); },
                ::testing::ThrowsMessage<UserError>(HasSubstr(wrong.message)))
        << wrong.statements;
}

TEST(GraphText, TextThatIsCutOrChangedIsRefusedOrReads) {
  const std::string text = print(import::import_model(VDLA_SOURCE_DIR "/examples/digits/digits.onnx"));
  std::mt19937 random(3);
  unsigned refused = 0;
  for (unsigned trial = 0; trial < 3000; ++trial) {
    std::string changed = text;
    // Not in the data of constants, which may be anything.
    for (unsigned n = random() % 3 + 1; n > 0; --n) {
      const std::size_t at = random() % changed.size();
      if (trial % 3 == 0)
        changed.resize(at + 1);
      else if (trial % 3 == 1)
        changed.erase(at, random() % 4);
      else
        changed[at] = " %{}[]()=,\"\\0x9-.e#\n"[random() % 20];
    }
    try {
      verify(parse(changed));
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace vdla::graph
