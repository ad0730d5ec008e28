// SPDX-License-Identifier: Apache-2.0
// Whole networks take the same cycles on SystemC and on the RTL, layer by layer; the table is printed.
#include "compiler/import/import.h"
#include "isa/variants/variants.h"
#include "tests/e2e/kit.h"
#include "tools/common/compare.h"

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
  return import_data("mlperf_tiny/models/" + std::string(net == "resnet8" ? "pretrainedResnet_quant.tflite"
                                                         : net == "visual_wake_words"
                                                             ? "vww_96_int8.tflite"
                                                             : "kws_ref_model.tflite"));
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
    kit::SessionOptions options{.costs = true};
    options.engine.timing_only = timing_only;
    return EngineSession(module, engine, options).session().run_model({input});
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
  EXPECT_GT(comparison.total.cycles, 2000u);
}

TEST(LatencyHiding, TurnedOffGivesTheSameBytesInMoreCycles) {
  VDLA_NEED_ENGINE("systemc");
  const graph::Graph graph = graph_of("digits");
  pipeline::CompileOptions options;
  options.variant = variant_of("paper");
  const Bytes input = random_samples(compile_with(graph, options), 1).at(0).bytes;
  const auto run = [&](bool latency_hiding) {
    options.latency_hiding = latency_hiding;
    return EngineSession(compile_with(graph, options), "systemc", {.costs = true})
        .session()
        .run_model({input});
  };
  const runtime::Result hidden = run(true), exposed = run(false);
  EXPECT_EQ(exposed.outputs, hidden.outputs);
  EXPECT_GT(exposed.cycles, hidden.cycles);
}

TEST(LatencyHiding, ByVirtualThreadsGivesTheSameBytes) {
  VDLA_NEED_ENGINE("systemc");
  const graph::Graph graph = graph_of("digits");
  pipeline::CompileOptions options;
  options.variant = variant_of("tiny");
  const Bytes input = random_samples(compile_with(graph, options), 1).at(0).bytes;
  const auto run = [&](std::int64_t vthreads, bool rotate_tiles) {
    options.vthreads = vthreads;
    options.rotate_tiles = rotate_tiles;
    return EngineSession(compile_with(graph, options), "systemc", {.costs = true})
        .session()
        .run_model({input});
  };
  const runtime::Result rotated = run(1, true), fixed = run(1, false), two = run(2, false);
  EXPECT_EQ(two.outputs, rotated.outputs);
  EXPECT_EQ(fixed.outputs, rotated.outputs);
  EXPECT_EQ(run(4, true).outputs, rotated.outputs);
  EXPECT_LT(two.cycles, fixed.cycles);
  EXPECT_LT(rotated.cycles, fixed.cycles);
}

/// With two pixels in an entry, a depthwise network took a fifth more cycles than with one.
class BatchOfTwo : public ::testing::TestWithParam<std::string> {};

TEST_P(BatchOfTwo, TakesNoMoreCyclesThanOnePixelAtATime) {
  VDLA_NEED_ENGINE("systemc");
  VDLA_NEED_DATA();
  const graph::Graph graph = graph_of(GetParam());
  pipeline::CompileOptions options;
  options.variant = variant_of("paper");
  const Bytes input = random_samples(compile_with(graph, options), 1).at(0).bytes;
  const auto run = [&] {
    return EngineSession(compile_with(graph, options), "systemc", {.costs = true})
        .session()
        .run_model({input});
  };
  const runtime::Result one_pixel = run();
  options.variant.geometry.batch = 2;
  const runtime::Result chosen = run();
  EXPECT_LE(chosen.cycles, one_pixel.cycles);
  EXPECT_EQ(chosen.outputs, one_pixel.outputs);
  for (const unsigned rows : {1U, 2U}) {
    options.rows = rows;
    const runtime::Result result = run();
    EXPECT_EQ(result.outputs, one_pixel.outputs);
    EXPECT_GE(result.cycles, chosen.cycles) << rows << " rows";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, BatchOfTwo, ::testing::Values("resnet8", "visual_wake_words"), case_name);

class OnChip : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

/// Activations that stay on chip: the same bytes on every engine, in fewer cycles and with less traffic.
TEST_P(OnChip, TurnedOffGivesTheSameBytesInMoreCycles) {
  const auto& [net, variant] = GetParam();
  VDLA_NEED_ENGINE("systemc");
  if (net != "digits") VDLA_NEED_DATA();
  const graph::Graph graph = graph_of(net);
  pipeline::CompileOptions options;
  options.variant = variant_of(variant);
  const runtime::Module on = compile_with(graph, options);
  options.on_chip = false;
  const runtime::Module off = compile_with(graph, options);
  const Bytes input = random_samples(on, 1).at(0).bytes;
  const auto run = [&](const runtime::Module& module, const std::string& engine) {
    return EngineSession(module, engine, {.costs = engine == "systemc"}).session().run_model({input});
  };
  const runtime::Result less = run(on, "systemc"), more = run(off, "systemc");
  EXPECT_EQ(less.outputs, more.outputs);
  EXPECT_LT(less.cycles, more.cycles);
  EXPECT_LT(less.write_bytes, more.write_bytes);
  EXPECT_LE(less.layers.size(), more.layers.size()) << "layers that are computed together are one";
  for (const std::string& engine : present_engines())
    EXPECT_EQ(run(on, engine).outputs, less.outputs) << engine;
}

INSTANTIATE_TEST_SUITE_P(
    Of, OnChip,
    ::testing::Combine(::testing::Values("digits", "resnet8", "visual_wake_words", "keyword_spotting"),
                       ::testing::Values("paper", "slow_memory")),
    [](const auto& info) { return std::get<0>(info.param) + "_on_" + std::get<1>(info.param); });

INSTANTIATE_TEST_SUITE_P(Of, NetworkCycles,
                         ::testing::Combine(::testing::Values("digits", "resnet8", "visual_wake_words"),
                                            ::testing::Values("tiny", "paper", "vta", "slow_memory")),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_on_" + std::get<1>(info.param);
                         });

}  // namespace
}  // namespace vdla::e2e
