// SPDX-License-Identifier: Apache-2.0
// QONNX's operators against their definitions, drawn, and what networks of them become.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/session.h"
#include "support/error.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::kit {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;
using ::vdla::testing::OnnxModel;
using Floats = std::vector<float>;
using Shape = std::vector<std::int64_t>;

class Model : public OnnxModel {
 public:
  Model() { opset(17); }

  std::string floats(const std::string& name, const Shape& shape, const Floats& values) {
    constant(name, onnx::TensorProto::FLOAT, shape, {values.begin(), values.end()});
    return name;
  }
  onnx::NodeProto& of_domain(const std::string& domain, const std::string& op,
                             const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& n = node(op, inputs, output);
    n.set_domain(domain);
    return n;
  }
  /// Adds a Quant of x, and returns the name of its output.
  std::string quant(const std::string& x, const Floats& scale, float zero, float bits, bool is_signed,
                    bool narrow = false, const std::string& rounding = "ROUND", Shape along = {}) {
    const std::string y = x + "_quant";
    onnx::NodeProto& n = of_domain(
        "qonnx.custom_op.general", "Quant",
        {x, floats(x + "_s", along, scale), floats(x + "_z", {}, {zero}), floats(x + "_b", {}, {bits})}, y);
    integer(n, "signed", is_signed ? 1 : 0);
    integer(n, "narrow", narrow ? 1 : 0);
    text(n, "rounding_mode", rounding);
    return y;
  }
  static void text(onnx::NodeProto& n, const std::string& name, const std::string& value) {
    auto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::STRING);
    a.set_s(value);
  }
  static void real(onnx::NodeProto& n, const std::string& name, float value) {
    auto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::FLOAT);
    a.set_f(value);
  }
};

runtime::Module compiled(const Model& m, bool device) {
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("tiny");
  options.partition = pipeline::Partition::Capable;
  const graph::Graph g = ::vdla::testing::import(m);
  return device ? compile_module(g, options) : compile_for_cpu(g);
}

Floats run(const runtime::Module& module, const Floats& x) {
  runtime::Bytes bytes(4 * x.size());
  std::memcpy(bytes.data(), x.data(), bytes.size());
  Session session(module, runtime::needs_device(module) ? "functional" : "");
  const runtime::Bytes out = session.run_model({bytes}).outputs.at(0);
  Floats y(out.size() / 4);
  std::memcpy(y.data(), out.data(), out.size());
  return y;
}

Floats run(const Model& m, const Floats& x, bool device = false) { return run(compiled(m, device), x); }

/// How IntQuant rounds, by hand: its table of modes.
float rounded(float x, const std::string& mode) {
  const float whole = std::trunc(x), rest = std::abs(x - whole), away = std::copysign(1.0F, x);
  const bool even = std::fmod(whole, 2.0F) == 0;
  if (rest == 0) return x;
  if (mode == "CEIL") return x > 0 ? whole + 1 : whole;
  if (mode == "FLOOR") return x > 0 ? whole : whole - 1;
  if (mode == "UP") return whole + away;
  if (mode == "DOWN") return whole;
  if (mode == "HALF_UP") return rest >= 0.5F ? whole + away : whole;
  if (mode == "HALF_DOWN") return rest > 0.5F ? whole + away : whole;
  return rest > 0.5F || (rest == 0.5F && !even) ? whole + away : whole;
}

TEST(Qonnx, EachQuantIsWhatItsDefinitionSays) {
  std::mt19937 draw(7);
  const auto below = [&](unsigned n) { return draw() % n; };
  const std::vector<std::string> modes{"ROUND", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN"};
  for (int trial = 0; trial < 150; ++trial) {
    const unsigned bits = 1 + below(below(4) == 0 ? 16 : 8);
    const bool is_signed = below(2) == 0, narrow = below(2) == 0, by_channel = below(3) == 0,
               known = below(3) == 0;
    const std::string mode = modes[below(7)];
    const auto zero = below(2) == 0 ? 0.0F : static_cast<float>(below(5)) - (is_signed ? 2.0F : 0.0F);
    Floats scale;
    for (unsigned i = 0; i < (by_channel ? 3U : 1U); ++i)
      scale.push_back(std::ldexp(1.0F + 0.25F * static_cast<float>(below(4)), -static_cast<int>(below(5))));
    Floats x;
    // Quarters of a step: halves are ties.
    for (std::size_t i = 0; i < 24; ++i)
      x.push_back(scale[by_channel ? i / 4 % 3 : 0] * 0.25F * (static_cast<float>(below(160)) - 80));
    Model m;
    m.input("x", {2, 3, 4});
    const std::string from = known ? m.floats("k", {2, 3, 4}, x) : std::string("x");
    const std::string q = m.quant(from, scale, zero, static_cast<float>(bits), is_signed, narrow, mode,
                                  by_channel ? Shape{3, 1} : Shape{});
    m.node("Add", {q, known ? "x" : m.floats("none", {1}, {0})}, "y");
    m.output("y");
    Floats want;
    const float half = std::ldexp(1.0F, static_cast<int>(bits) - 1);
    const float low = is_signed ? narrow ? 1 - half : -half : 0;
    const float high = is_signed ? half - 1 : 2 * half - (narrow ? 2 : 1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float s = scale[by_channel ? i / 4 % 3 : 0];
      const float moved = x[i] / s + zero;
      const bool bipolar = is_signed && bits == 1;
      const float steps = bipolar ? (moved >= 0 ? 1.0F : -1.0F) : rounded(std::clamp(moved, low, high), mode);
      want.push_back((steps - zero) * s);
    }
    SCOPED_TRACE(::testing::Message()
                 << "trial " << trial << ": " << bits << " bits, signed " << is_signed << ", narrow "
                 << narrow << ", " << mode << ", zero " << zero << (known ? ", constant" : ""));
    ASSERT_THAT(run(m, known ? Floats(24, 0) : x), Pointwise(FloatEq(), want));
  }
}

/// A format of floats of few bits, and a limit of its results.
struct Format {
  int exponent_bits, mantissa_bits, bias;
  float limit;
};

/// FloatQuant as its definition has it, in double.
float minifloat(float x, const Format& f, const std::string& mode) {
  if (x == 0) return 0;
  const int least = 1 - f.bias - f.mantissa_bits, last = (1 << f.exponent_bits) - 1 - f.bias;
  const auto exponent = static_cast<int>(std::floor(std::log2(std::abs(static_cast<double>(x)))));
  const auto distance = static_cast<float>(std::ldexp(1.0, std::max(exponent - f.mantissa_bits, least)));
  const double largest = std::ldexp(2 - std::ldexp(1.0, -f.mantissa_bits), last);
  const auto limit = static_cast<float>(std::min<double>(largest, f.limit));
  return std::clamp(rounded(x / distance, mode) * distance, -limit, limit);
}

TEST(Qonnx, EachFloatQuantIsWhatItsDefinitionSays) {
  std::mt19937 draw(11);
  const auto below = [&](unsigned n) { return draw() % n; };
  const std::vector<std::string> modes{"ROUND", "CEIL", "FLOOR"};
  const std::vector<Format> formats{{2, 1, 1, 6},      {2, 3, 1, 7.5F}, {3, 2, 3, 28},      {4, 3, 7, 448},
                                    {5, 2, 15, 57344}, {3, 0, 3, 16},   {5, 10, 15, 65504}, {2, 1, 0, 10.3F},
                                    {6, 9, 31, 1e9F},  {1, 4, 1, 1e9F}};
  int integers = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const Format f = formats[below(static_cast<unsigned>(formats.size()))];
    const bool by_channel = below(3) == 0, known = below(3) == 0;
    const std::string mode = modes[below(3)];
    Floats scale;
    for (unsigned i = 0; i < (by_channel ? 3U : 1U); ++i)
      scale.push_back(std::ldexp(1.0F, static_cast<int>(below(5)) - 2));
    Floats x{0, -0.0F};
    // Numbers of all magnitudes, beyond the limit too; sixteenths, so that ties are among them.
    while (x.size() < 48) {
      const float mantissa = 1 + 0.0625F * static_cast<float>(below(16));
      x.push_back(std::ldexp(below(2) == 0 ? mantissa : -mantissa, static_cast<int>(below(12)) - 6));
    }
    x.back() = 1e30F;
    Model m;
    m.input("x", {4, 3, 4});
    const std::string from = known ? m.floats("k", {4, 3, 4}, x) : std::string("x");
    Model::text(m.of_domain("qonnx.custom_op.general", "FloatQuant",
                            {from, m.floats("s", by_channel ? Shape{3, 1} : Shape{}, scale),
                             m.floats("e", {}, {static_cast<float>(f.exponent_bits)}),
                             m.floats("m", {}, {static_cast<float>(f.mantissa_bits)}),
                             m.floats("b", {}, {static_cast<float>(f.bias)}), m.floats("l", {}, {f.limit})},
                            "q"),
                "rounding_mode", mode);
    m.node("Add", {"q", known ? "x" : m.floats("none", {1}, {0})}, "y");
    m.output("y");
    Floats want;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float s = scale[by_channel ? i / 4 % 3 : 0];
      want.push_back(minifloat(x[i] / s, f, mode) * s);
    }
    SCOPED_TRACE(::testing::Message() << "trial " << trial << ": E" << f.exponent_bits << "M"
                                      << f.mantissa_bits << ", " << mode << (known ? ", constant" : ""));
    ASSERT_THAT(run(m, known ? Floats(48, 0) : x), Pointwise(FloatEq(), want));
    const graph::Graph g = ::vdla::testing::import(m);
    integers += std::ranges::any_of(g.tensors, [](const auto& t) { return t.type == graph::DataType::Int8; });
  }
  EXPECT_GT(integers, 20);  // E2M1, E2M3 and the like
}

TEST(Qonnx, ThresholdsAreCountedByChannel) {
  for (const bool last : {false, true}) {
    Model m;
    m.input("x", last ? Shape{1, 1, 2, 2} : Shape{1, 2, 1, 2});
    onnx::NodeProto& n = m.of_domain("finn.custom_op.general", "MultiThreshold",
                                     {"x", m.floats("t", {2, 3}, {0, 1, 2, -1, 0, 5})}, "y");
    Model::text(n, "data_layout", last ? "NHWC" : "NCHW");
    Model::text(n, "out_dtype", "INT4");
    Model::real(n, "out_scale", 0.5F);
    Model::real(n, "out_bias", -1);
    m.output("y");
    // Channel 0 has -0.5 and 1, channel 1 has -1 and 7.
    const Floats x = last ? Floats{-0.5F, -1, 1, 7} : Floats{-0.5F, 1, -1, 7};
    const Floats y = last ? Floats{-1, -0.5F, 0, 0.5F} : Floats{-1, 0, -0.5F, 0.5F};
    EXPECT_EQ(run(m, x), y);
  }
}

TEST(Qonnx, SignsBitsThatGoAndSumsOfWindows) {
  Model sign;
  sign.input("x", {4});
  sign.of_domain("onnx.brevitas", "BipolarQuant", {"x", sign.floats("s", {}, {0.25F})}, "y");
  sign.output("y");
  EXPECT_THAT(run(sign, {-3, -0.0F, 0.001F, 2}), ElementsAre(-0.25F, 0.25F, 0.25F, 0.25F));

  Model trunc;
  trunc.input("x", {4});
  trunc.of_domain("qonnx.custom_op.general", "Trunc",
                  {"x", trunc.floats("s", {}, {0.5F}), trunc.floats("z", {}, {0}), trunc.floats("i", {}, {8}),
                   trunc.floats("o", {}, {6})},
                  "y");
  trunc.output("y");
  // Steps 7, -7, 12 and 3, without two bits, rounded down.
  EXPECT_THAT(run(trunc, {3.5F, -3.5F, 6, 1.5F}), ElementsAre(0.5F, -1, 1.5F, 0));

  Model pool;
  pool.input("x", {1, 1, 2, 2});
  onnx::NodeProto& n = pool.of_domain("qonnx.custom_op.general", "QuantAvgPool2d", {"x"}, "y");
  for (const auto& [name, value] : std::map<std::string, std::int64_t>{
           {"kernel", 2}, {"stride", 1}, {"ibits", 4}, {"obits", 4}, {"signed", 0}})
    Model::integer(n, name, value);
  pool.output("y");
  // Sums of up to 60 take 6 bits, of which two go: 47 / 4.
  EXPECT_THAT(run(pool, {15, 14, 13, 5}), ElementsAre(11));
}

Floats drawn(std::size_t count, float low, float high, unsigned seed) {
  std::mt19937 draw(seed);
  Floats values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(std::uniform_real_distribution<float>(low, high)(draw));
  return values;
}

/// A 4-bit image, a convolution with weights of few bits, a normalisation by channel with factors of both
/// signs, Relu, 4 bits.
struct Layer {
  float bits;
  bool last;  ///< channels are
  Floats w = drawn(288, -1, 1, 1), scale = drawn(8, -2, 2, 2), bias = drawn(8, -1, 1, 3),
         mean = drawn(8, -1, 1, 4), variance = drawn(8, 0.5F, 2, 5);

  Model model() const {
    Model m;
    m.input("x", last ? Shape{1, 6, 6, 4} : Shape{1, 4, 6, 6});
    const std::string x = m.quant("x", {0.07F}, 0, 4, true);
    const Shape extents = last ? Shape{8, 3, 3, 4} : Shape{8, 4, 3, 3};
    const std::string weights = m.quant(m.floats("w", extents, w), {0.4F}, 0, bits, true, true);
    const std::string domain = last ? "qonnx.custom_op.channels_last" : "";
    OnnxModel::ints(m.of_domain(domain, "Conv", {x, weights}, "conv"), "kernel_shape", {3, 3});
    m.of_domain(domain, "BatchNormalization",
                {"conv", m.floats("scale", {8}, scale), m.floats("bias", {8}, bias),
                 m.floats("mean", {8}, mean), m.floats("variance", {8}, variance)},
                "normal");
    m.node("Relu", {"normal"}, "relu");
    m.output(m.quant("relu", {0.2F}, 0, 4, false));
    return m;
  }
  /// The output as the definitions say, in double.
  Floats wanted(const Floats& x) const {
    const double most = std::exp2(bits - 1) - 1;
    const auto steps = [](float v, float s, double low, double high) {
      return std::nearbyint(std::clamp<double>(v / s, low, high));
    };
    Floats y(128);
    for (std::size_t o = 0; o < 8; ++o)
      for (std::size_t i = 0; i < 16; ++i) {
        double sum = 0;
        for (std::size_t c = 0; c < 4; ++c)
          for (std::size_t k = 0; k < 9; ++k) {
            const std::size_t row = i / 4 + k / 3, column = i % 4 + k % 3;
            const float v = x[last ? (row * 6 + column) * 4 + c : (c * 6 + row) * 6 + column];
            const float u = w[last ? (o * 9 + k) * 4 + c : (o * 4 + c) * 9 + k];
            sum += steps(v, 0.07F, -8, 7) * steps(u, 0.4F, -most, most);
          }
        const double normal =
            (sum * 0.07F * 0.4F - mean[o]) / std::sqrt(variance[o] + 1e-5) * scale[o] + bias[o];
        y[last ? i * 8 + o : o * 16 + i] =
            static_cast<float>(std::nearbyint(std::clamp(normal / 0.2F, 0.0, 15.0))) * 0.2F;
      }
    return y;
  }
};

TEST(Qonnx, LayersOfFewBitsAreIntegersOnTheDeviceAndExact) {
  for (const float bits : {2.0F, 3.0F, 4.0F})
    for (const bool last : {false, true}) {
      SCOPED_TRACE(::testing::Message() << bits << " bits, channels last " << last);
      const Layer layer{bits, last};
      const runtime::Module device = compiled(layer.model(), true);
      ASSERT_TRUE(runtime::needs_device(device)) << device.nodes[0].reason;
      const Floats x = drawn(144, -0.6F, 0.6F, 6), want = layer.wanted(x);
      EXPECT_THAT(run(device, x), Pointwise(FloatEq(), want));
      EXPECT_THAT(run(layer.model(), x), Pointwise(FloatEq(), want));
    }
}

/// Tensors were called as the nodes are that a Quant is spelled by.
TEST(Qonnx, TensorsHaveTheirNamesInTheModel) {
  std::set<std::string> names;
  const graph::Graph g = ::vdla::testing::import(Layer{4, false}.model());
  for (const graph::Tensor& t : g.tensors)
    for (const SourceTensor& s : t.sources.value_or(Sources{})) names.insert(s.name);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("x", "x_quant", "w_quant", "conv", "normal", "relu",
                                                     "relu_quant", "scale", "bias", "mean", "variance"));
}

/// `diff` took the elements of a tensor in channels last for those of its value in channels first.
TEST(Qonnx, AValueInAnotherOrderIsNotTheTensor) {
  Model m;
  m.input("x", {1, 6, 5, 4});
  const std::string weights =
      m.quant(m.floats("w", {8, 3, 3, 4}, drawn(288, -1, 1, 1)), {0.4F}, 0, 4, true, true);
  OnnxModel::ints(m.of_domain("qonnx.custom_op.channels_last", "Conv",
                              {m.quant("x", {0.07F}, 0, 4, true), weights}, "conv"),
                  "kernel_shape", {3, 3});
  m.output("conv");
  const graph::Graph g = ::vdla::testing::import(m);
  int reordered = 0;
  for (const graph::Tensor& t : g.tensors)
    for (const SourceTensor& s : t.sources.value_or(Sources{})) {
      if (s.name != "x_quant" || s.likeness > Likeness::Reordered) continue;
      const bool last = t.shape == Shape{1, 6, 5, 4};
      EXPECT_EQ(s.likeness, last ? Likeness::Same : Likeness::Reordered) << t.name;
      if (!last) EXPECT_EQ(s.order, (std::vector<int>{0, 3, 1, 2})) << t.name;
      reordered += last ? 0 : 1;
    }
  EXPECT_GT(reordered, 0);
}

TEST(Qonnx, WhatIsNotKnownIsRefusedByName) {
  const auto made = [](const std::function<void(Model&)>& build) {
    return [build] {
      Model m;
      m.input("x", {2, 3});
      build(m);
      m.output("y");
      ::vdla::testing::import(m);
    };
  };
  const auto quant = [&](const std::string& scale, const Floats& bits) {
    return made([=](Model& m) {
      m.floats("s", {2}, {1, 2});
      m.of_domain("qonnx.custom_op.general", "Quant",
                  {"x", scale == "one" ? m.floats("one", {}, {1}) : scale, m.floats("z", {}, {0}),
                   m.floats("b", {}, bits)},
                  "y");
    });
  };
  EXPECT_THAT(quant("x", {4}), ThrowsMessage<UserError>(HasSubstr("scale")));
  EXPECT_THAT(quant("s", {4}), ThrowsMessage<UserError>(HasSubstr("has a scale of 2 for a value of 2x3")));
  EXPECT_THAT(quant("one", {40}),
              ThrowsMessage<UserError>(HasSubstr("has bit width 40, needs a whole number")));
  EXPECT_THAT(made([](Model& m) { m.of_domain("qonnx.custom_op.general", "Quant", {"x"}, "y"); }),
              ThrowsMessage<UserError>(HasSubstr("has 1 inputs, needs 4")));
  EXPECT_THAT(
      made([](Model& m) {
        m.of_domain("finn.custom_op.general", "MultiThreshold", {"x", m.floats("t", {2, 2}, {0, 1, 2, 3})},
                    "y");
      }),
      ThrowsMessage<UserError>(HasSubstr("has thresholds of 2x2, needs rows for 3 channels, or one")));
  const auto of_nan = [&](const std::string& op, std::size_t parameters) {
    return made([=](Model& m) {
      std::vector<std::string> inputs(1 + parameters, m.floats("three", {}, {3}));
      inputs[0] = m.floats("k", {2}, {1, std::numeric_limits<float>::quiet_NaN()});
      m.of_domain("qonnx.custom_op.general", op, inputs, "y");
    });
  };
  for (const auto& of_constant : {of_nan("Quant", 3), of_nan("FloatQuant", 5)})
    EXPECT_THAT(of_constant,
                ThrowsMessage<UserError>(HasSubstr("quantises element 1, which is not a number")));
  EXPECT_THAT(made([](Model& m) { m.of_domain("qonnx.custom_op.general", "FloatQuantiser", {"x"}, "y"); }),
              ThrowsMessage<UserError>(HasSubstr("FloatQuantiser")));
  EXPECT_THAT(
      made([](Model& m) {
        m.floats("one", {}, {1});
        m.of_domain("qonnx.custom_op.general", "FloatQuant",
                    {"x", "one", m.floats("e", {}, {8}), "one", "one", "one"}, "y");
      }),
      ThrowsMessage<UserError>(HasSubstr("has exponent bit width 8, needs a whole number from 1 to 6")));
}

}  // namespace
}  // namespace vdla::kit
