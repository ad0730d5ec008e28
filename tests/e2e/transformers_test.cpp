// SPDX-License-Identifier: Apache-2.0
// Transformers of the zoo: every product on the device, the same bytes everywhere, and how busy the array is.
#include <cmath>
#include <cstring>

#include "compiler/import/import.h"
#include "compiler/zoo/zoo.h"
#include "tests/e2e/kit.h"
#include "tools/common/compare.h"

namespace vdla::e2e {
namespace {

constexpr std::uint64_t kMultipliers = 256;  // of variant paper

graph::Graph transformer(const std::string& name, const import::ImportOptions& options = {},
                         zoo::Form form = zoo::Form::Qdq) {
  const std::string bytes = zoo::make_onnx(name, 1, form);
  return import::import_onnx(std::as_bytes(std::span(bytes)), name, options);
}

/// Seeded numbers of 16 bits.
class Drawn {
 public:
  std::uint32_t next() { return (state_ = state_ * 1664525 + 1013904223) >> 16; }

 private:
  std::uint32_t state_ = 7;
};

/// Seeded inputs in the module's form: bytes, or numbers of words.
std::vector<Bytes> inputs_of(const runtime::Module& module) {
  std::vector<Bytes> result;
  Drawn drawn;
  for (const runtime::Port& port : module.inputs) {
    const runtime::Tensor& tensor = module.tensors.at(port.tensor);
    std::vector<std::int64_t> words;
    Bytes& bytes = result.emplace_back();
    const auto count = static_cast<std::size_t>(graph::element_count(tensor.shape));
    if (tensor.type == runtime::DataType::Int64) {
      for (std::size_t i = 0; i < count; ++i) words.push_back(drawn.next() % 1000);
      bytes = *graph::to_bytes(words);
    } else {
      for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(drawn.next()));
    }
  }
  return result;
}

/// Drawn inputs in the model's form: reals between -2 and 2, or numbers of words.
std::vector<Bytes> model_inputs_of(const runtime::Module& module, Drawn& drawn) {
  std::vector<Bytes> result;
  for (const runtime::Port& port : module.inputs) {
    const auto count = static_cast<std::size_t>(graph::element_count(port.model_shape));
    std::vector<std::int64_t> words(count);
    std::vector<float> reals(count);
    for (std::size_t i = 0; i < count; ++i) {
      words[i] = drawn.next() % 1000;
      reals[i] = static_cast<float>(drawn.next()) / 16384 - 2;
    }
    const bool of_words = port.model_type == runtime::DataType::Int64;
    result.push_back(of_words ? *graph::to_bytes(words) : *graph::to_bytes(reals));
  }
  return result;
}

/// Signal and noise of outputs.
struct Power {
  double signal = 0, noise = 0;

  void add(const Bytes& want, const Bytes& have) {
    for (std::size_t at = 0; at < want.size(); at += sizeof(float)) {
      float w = 0, h = 0;
      std::memcpy(&w, &want[at], sizeof w);
      std::memcpy(&h, &have.at(at), sizeof h);
      signal += static_cast<double>(w) * static_cast<double>(w);
      noise += static_cast<double>(w - h) * static_cast<double>(w - h);
    }
  }
  double decibels() const { return 10 * std::log10(signal / noise); }
};

/// Multiply-accumulates on the device, and cycles of the layers that have some.
struct Busy {
  std::uint64_t macs = 0, cycles = 0;
  double share() const {
    return static_cast<double>(macs) / static_cast<double>(kMultipliers) / static_cast<double>(cycles);
  }
};

Busy of_products(const runtime::Module& module) {
  kit::SessionOptions options{.costs = true};
  options.engine.timing_only = true;
  const runtime::Result run = EngineSession(module, "systemc", options).session().run(inputs_of(module));
  std::map<std::string, std::uint64_t> macs;
  for (const runtime::NodeInfo& node : module.nodes)
    if (!node.layer.empty()) macs[node.layer] += node.macs;
  Busy busy;
  for (const runtime::LayerResult& layer : run.layers) {
    if (macs[layer.name] == 0) continue;
    busy.macs += macs[layer.name];
    busy.cycles += layer.cost.cycles;
  }
  return busy;
}

class Transformers : public ::testing::TestWithParam<const char*> {};

TEST_P(Transformers, HaveEveryProductOnTheDevice) {
  pipeline::CompileOptions options;
  options.machine_code = false;
  options.partition = pipeline::Partition::Cost;
  std::uint64_t all = 0, off = 0;
  for (const auto& node : pipeline::compile(transformer(GetParam()), options).nodes) {
    all += node.macs;
    if (node.place == pipeline::Place::Device) continue;
    off += node.macs;
    EXPECT_LE(node.macs, 256u) << node.name << ": " << node.reason;
  }
  EXPECT_EQ(all, static_cast<std::uint64_t>(zoo::entry(GetParam()).macs));
  EXPECT_LE(off, 256u) << "a classifier of 128 x 2 may cost less on the CPU";
}

TEST_P(Transformers, GiveTheBytesOfTheCpuOnTheDevice) {
  const graph::Graph graph = transformer(GetParam());
  const runtime::Module for_cpu = compile(graph, "cpu"), for_device = compile(graph);
  const std::vector<Bytes> inputs = inputs_of(for_cpu);
  EXPECT_EQ(EngineSession(for_device, "functional").run(inputs), EngineSession(for_cpu, "").run(inputs));
}

// Scales that calibration found hold for other inputs. Few outputs need many inputs.
TEST_P(Transformers, MeanInInt8WhatTheyMeanInFloat) {
  const runtime::Module real = compile(transformer(GetParam(), {}, zoo::Form::Float), "cpu");
  const runtime::Module quantised = compile(transformer(GetParam()), "cpu");
  EngineSession want(real, ""), have(quantised, "");
  const auto first = [](EngineSession& session, const std::vector<Bytes>& inputs) {
    return session.session().run_model(inputs).outputs.at(0);
  };
  Drawn drawn;
  Power power;
  for (std::size_t outputs = 0; outputs < 128;) {
    const std::vector<Bytes> inputs = model_inputs_of(real, drawn);
    const Bytes wanted = first(want, inputs);
    power.add(wanted, first(have, inputs));
    outputs += wanted.size() / sizeof(float);
  }
  EXPECT_GT(power.decibels(), 15);
}

INSTANTIATE_TEST_SUITE_P(Zoo, Transformers, ::testing::Values("bert_tiny", "decoder_step", "deit_tiny"),
                         [](const auto& info) { return std::string(info.param); });

TEST(TransformerCycles, TheArrayIsBusyNearlyAllOfTheTimeOfProducts) {
  VDLA_NEED_ENGINE("systemc");
  EXPECT_GT(of_products(compile(transformer("deit_tiny"))).share(), 0.92);
  EXPECT_GT(of_products(compile(transformer("bert_tiny"))).share(), 0.84);
}

// Without keys and values, parameters, inputs and results: 425,216 cycles for the weights alone.
TEST(TransformerCycles, ADecodersStepReadsItsWeightsOnce) {
  VDLA_NEED_ENGINE("systemc");
  const runtime::Module module = compile(transformer("decoder_step"));
  const runtime::Result run =
      EngineSession(module, "systemc", {.costs = true}).session().run(inputs_of(module));
  const std::uint64_t weights = 4 * (4 * 256 * 256 + 2 * 256 * 1024) + 256 * 1000;
  EXPECT_GT(run.read_bytes, weights);
  EXPECT_LT(run.read_bytes, weights * 6 / 5);
  EXPECT_LT(run.cycles, weights / 8 * 6 / 5) << "8 bytes a cycle";
}

TEST(TransformerCycles, OfABlockAreThoseOfTheRtlAndSoAreTheBytes) {
  VDLA_NEED_ENGINE("systemc");
  VDLA_NEED_ENGINE("rtl");
  import::ImportOptions cut;
  cut.until = {"block0_sum_dequantized"};
  const runtime::Module module = compile(transformer("deit_tiny", cut));
  const std::vector<Bytes> inputs = inputs_of(module);
  const auto run = [&](const std::string& engine) {
    return EngineSession(module, engine, {.costs = true}).session().run(inputs);
  };
  const runtime::Result systemc = run("systemc"), rtl = run("rtl");
  EXPECT_EQ(systemc.outputs, rtl.outputs);
  const tools::Comparison comparison = tools::compare_cycles("systemc", systemc, "rtl", rtl);
  EXPECT_TRUE(comparison.equal());
  EXPECT_EQ(comparison.layers.size(), 11u);
}

}  // namespace
}  // namespace vdla::e2e
