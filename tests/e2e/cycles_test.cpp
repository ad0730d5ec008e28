// SPDX-License-Identifier: Apache-2.0
// Whole networks take the same cycles on SystemC and on the RTL, layer by layer; the table is printed.
#include "compiler/import/import.h"
#include "isa/variants/variants.h"
#include "tests/e2e/kit.h"
#include "tools/vdla/compare.h"

namespace vdla::e2e {
namespace {

/// A variant of the kit, or one of its machines with another memory.
isa::Variant variant_of(const std::string& name) {
  if (name != "slow_memory") return isa::load_variant(name);
  isa::Variant slow = isa::load_variant("paper");
  slow.name = name;
  slow.timing.dram_latency = 160;
  slow.timing.dram_outstanding = 2;
  slow.timing.dram_bytes_per_cycle = 2;
  return slow;
}

graph::Graph graph_of(const std::string& net) {
  if (net == "digits")
    return import::import_model(std::filesystem::path(VDLA_SOURCE_DIR) / "examples/digits/digits.onnx");
  return import_data(net == "resnet8" ? "mlperf_tiny/models/pretrainedResnet_quant.tflite"
                                      : "mlperf_tiny/models/vww_96_int8.tflite");
}

class NetworkCycles : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(NetworkCycles, AreEqualOnSystemcAndRtlInEachLayer) {
  const auto& [net, variant] = GetParam();
  VDLA_NEED_ENGINE("systemc");
  VDLA_NEED_ENGINE("rtl");
  if (net != "digits") VDLA_NEED_DATA();
  const runtime::Module module = compile(graph_of(net), variant_of(variant));
  const Bytes input = random_samples(module, 1).at(0).bytes;
  const auto run = [&](const std::string& engine, bool timing_only) {
    tools::DeviceOptions options{.costs = true};
    options.engine.timing_only = timing_only;
    return Machine(module, engine, options).session().run_model({input});
  };
  const runtime::Result systemc = run("systemc", false), rtl = run("rtl", false);
  EXPECT_EQ(systemc.outputs, rtl.outputs);
  const tools::Comparison comparison = tools::compare_cycles("systemc", systemc, "rtl", rtl);
  const tools::Comparison timing =
      tools::compare_cycles("timing-only", run("systemc", true), "systemc", systemc);
  EXPECT_TRUE(timing.equal());
  EXPECT_TRUE(comparison.equal());
  print_comparison(comparison, {});
  // A layer of the network costs something: nobody compares nothing.
  EXPECT_GT(comparison.layers.size(), 5u);
  EXPECT_GT(comparison.total.cycles, 3000u);
}

TEST(LatencyHiding, TurnedOffGivesTheSameBytesInMoreCycles) {
  VDLA_NEED_ENGINE("systemc");
  const graph::Graph graph = graph_of("digits");
  const isa::Variant variant = variant_of("paper");
  const Bytes input = random_samples(compile(graph, variant), 1).at(0).bytes;
  const auto run = [&](bool latency_hiding) {
    return Machine(compile(graph, variant, latency_hiding), "systemc", {.costs = true})
        .session()
        .run_model({input});
  };
  const runtime::Result hidden = run(true), exposed = run(false);
  EXPECT_EQ(exposed.outputs, hidden.outputs);
  EXPECT_GT(exposed.cycles, hidden.cycles);
}

INSTANTIATE_TEST_SUITE_P(Of, NetworkCycles,
                         ::testing::Combine(::testing::Values("digits", "resnet8", "visual_wake_words"),
                                            ::testing::Values("tiny", "paper", "vta", "slow_memory")),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_on_" + std::get<1>(info.param);
                         });

}  // namespace
}  // namespace vdla::e2e
