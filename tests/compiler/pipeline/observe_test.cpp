// SPDX-License-Identifier: Apache-2.0
// Who watches a compile sees every pass of the table, as it ran, and changes nothing.
#include "compiler/observe/observe.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "compiler/codegen/vdla/encode.h"
#include "compiler/codegen/vdla/pass.h"
#include "compiler/codegen/vdla/text/text.h"
#include "compiler/import/import.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/observe/pass_list.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/compile.h"
#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/variants/variants.h"
#include "tests/compiler/import/data.h"

namespace vdla::pipeline {
namespace {

struct Shown {
  Pass pass;
  std::string layer, function, text;
};

/// The digit network: a convolution whose taps the CPU packs, a sum on the way out of another one, results on
/// chip with borders.
struct Watched {
  std::vector<Shown> shown;
  CompiledModel model;
};

CompileOptions digit_options(bool use_device) {
  CompileOptions options;
  options.variant = isa::load_variant("paper");
  options.partition = Partition::Cost;
  options.use_device = use_device;
  options.machine_code = false;
  return options;
}

graph::Graph digit_network() { return import::import_model(VDLA_SOURCE_DIR "/examples/digits/digits.onnx"); }

Watched watch(const graph::Graph& network, CompileOptions options) {
  Watched result;
  options.observer = [&](const PassResult& r) {
    result.shown.push_back({r.pass, std::string(r.layer), std::string(r.function), r.text()});
  };
  result.model = compile(network, options);
  return result;
}

constexpr codegen::Latency kLatencies[] = {codegen::Latency::Hidden, codegen::Latency::HiddenByThreads,
                                           codegen::Latency::Exposed};

CompileOptions with(codegen::Latency latency, CompileOptions options) {
  options.latency_hiding = latency != codegen::Latency::Exposed;
  options.rotate_tiles = latency != codegen::Latency::HiddenByThreads;
  return options;
}

Watched watch_digits(bool use_device, codegen::Latency latency = codegen::Latency::Hidden) {
  const CompileOptions options = with(latency, digit_options(use_device));
  return watch(digit_network(), options);
}

TEST(Observe, PassesHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Pass pass : all_passes()) {
    EXPECT_TRUE(names.insert(name_of(pass)).second) << name_of(pass);
    EXPECT_FALSE(text_of(pass).empty()) << name_of(pass);
  }
}

TEST(Observe, EveryPassOfTheTableIsShown) {
  std::set<Pass> seen;
  for (const codegen::Latency latency : kLatencies)
    for (const Shown& s : watch_digits(true, latency).shown) {
      seen.insert(s.pass);
      EXPECT_FALSE(s.text.empty()) << name_of(s.pass) << " of '" << s.layer << "'";
    }
  // Machine code is not made here: tests/tools/vdla/explain/explain_command_test.cpp looks at its LLVM IR.
  seen.insert(Pass::LlvmIr);
  // Of a GPU's functions: tests/runtime/gpu/gpu_module_test.cpp sees these.
#define VDLA_SEEN(id, name, doc, run) seen.insert(Pass::id);
  VDLA_GRID_PASSES(VDLA_SEEN)
#undef VDLA_SEEN
  for (const Pass pass : all_passes()) EXPECT_TRUE(seen.contains(pass)) << name_of(pass);
}

TEST(Observe, PassesOverTheNetworkRunInTheOrderOfTheTable) {
  std::vector<Pass> seen, expected;
  for (const Shown& s : watch_digits(true).shown) {
    if (!s.layer.empty()) break;
    seen.push_back(s.pass);
  }
  for (const Pass pass : all_passes())
    if (pass < Pass::PlaceTensors) expected.push_back(pass);
  EXPECT_EQ(seen, expected);
}

TEST(Observe, PassesOverAFunctionRunInTheOrderOfTheTable) {
  std::vector<Pass> sum;
  for (const Shown& s : watch_digits(true).shown)
    if (s.function == "conv2d_add") sum.push_back(s.pass);
  EXPECT_THAT(sum, ::testing::ElementsAre(Pass::Schedule, Pass::Lower, Pass::SimplifyLowered,
                                          Pass::PlaceViews, Pass::Tensorize, Pass::LowerVthreads));
}

TEST(Observe, WatchingChangesNoInstruction) {
  const CompiledModel alone = compile(digit_network(), digit_options(true));
  const CompiledModel watched = watch_digits(true).model;
  ASSERT_EQ(alone.steps.size(), watched.steps.size());
  unsigned programs = 0;
  for (std::size_t i = 0; i < alone.steps.size(); ++i) {
    const auto *a = std::get_if<DeviceStep>(&alone.steps[i]), *b = std::get_if<DeviceStep>(&watched.steps[i]);
    ASSERT_EQ(a == nullptr, b == nullptr);
    if (!a) continue;
    EXPECT_EQ(a->program, b->program);
    ++programs;
  }
  EXPECT_EQ(programs, 1u);
}

TEST(Observe, LoopsAreTextThatParses) {
  const auto is_loops = [](Pass pass) { return pass >= Pass::Lower && pass <= Pass::Unroll; };
  unsigned functions = 0;
  for (const bool use_device : {true, false})
    for (const Shown& s : watch_digits(use_device).shown) {
      if (!is_loops(s.pass)) continue;
      EXPECT_EQ(loop::to_string(loop::parse(s.text)), s.text) << name_of(s.pass) << " of '" << s.layer << "'";
      ++functions;
    }
  EXPECT_GT(functions, 30u);
}

TEST(Observe, LoweredFunctionsOfTheCpuAreThoseOfTheModel) {
  const Watched w = watch_digits(false);
  std::map<std::string, std::string> lowered;
  for (const Shown& s : w.shown)
    if (s.pass == Pass::SimplifyLowered) lowered[s.layer] = s.text;
  ASSERT_GT(w.model.steps.size(), 3u);
  for (const Step& step : w.model.steps) {
    const HostKernel& kernel = std::get<HostStep>(step).kernel;
    EXPECT_EQ(lowered[kernel.node], loop::to_string(kernel.func));
  }
}

/// As text the rows, one by one, make of what lowering made of each function what the compile shows.
TEST(Observe, RowsOfTheCpuShowWhatMachineCodeIsMadeOf) {
  const Watched w = watch_digits(false);
  unsigned rows = 0;
  std::map<std::string, std::string> latest;
  for (const Shown& s : w.shown) {
    if (s.pass == Pass::SimplifyLowered) latest[s.layer] = s.text;
    if (s.pass < Pass::Tensorize || s.pass > Pass::Unroll) continue;
    const passes::Pass& row = passes::find_pass(name_of(s.pass));
    EXPECT_EQ(loop::to_string(row.run(loop::parse(latest[s.layer]))), s.text)
        << row.name << " of " << s.layer;
    latest[s.layer] = s.text;
    ++rows;
  }
  EXPECT_EQ(rows, w.model.steps.size() * passes::cpu_target().rows.size());
  for (const Step& step : w.model.steps) {
    const HostKernel& kernel = std::get<HostStep>(step).kernel;
    EXPECT_EQ(latest[kernel.node], loop::to_string(passes::lower(passes::cpu_target(), kernel.func)));
  }
}

/// The functions of the step as text, read and run through the passes one by one, each time as text: the
/// texts and the instructions of the compile.
void check_streams(const graph::Graph& network, const std::string& variant,
                   codegen::Latency latency = codegen::Latency::Hidden) {
  SCOPED_TRACE(network.name + " for " + variant);
  CompileOptions options = with(latency, digit_options(true));
  options.variant = isa::load_variant(variant);
  const Watched w = watch(network, options);
  std::vector<isa::Insn> insns;
  for (const Step& step : w.model.steps)
    if (const auto* device = std::get_if<DeviceStep>(&step))
      insns.insert(insns.end(), device->program.insns.begin(), device->program.insns.end());
  std::vector<isa::Insn> from_text;
  for (auto s = w.shown.begin(); s != w.shown.end(); ++s) {
    if (s->pass != Pass::GatherFunctions) continue;
    std::string text = s->text;
    for (const codegen::StreamPass& pass : codegen::stream_passes(latency)) {
      codegen::Stream stream = codegen::parse(text, "text");
      ASSERT_EQ(codegen::print(stream), text) << "before " << pass.name;
      run_verified(pass, stream);
      text = codegen::print(stream);
      ++s;
      ASSERT_EQ(s->pass, pass_named(pass.name));
      ASSERT_EQ(text, s->text) << "after " << pass.name;
    }
    isa::Program program;
    codegen::encode(codegen::parse(text, "text"), program);
    from_text.insert(from_text.end(), program.insns.begin(), program.insns.end());
  }
  EXPECT_EQ(from_text, insns);
  EXPECT_GT(insns.size(), 50u);
}

TEST(Observe, TheTextOfTheStreamIsTheCompile) {
  for (const char* variant : {"paper", "tiny", "vta", "wide"}) check_streams(digit_network(), variant);
  for (const codegen::Latency latency : kLatencies) check_streams(digit_network(), "paper", latency);
}

// Sums on the way out, depthwise convolutions joined to those in front of them, a matrix product.
TEST(Observe, TheTextOfTheStreamIsTheCompileOfNetworks) {
  VDLA_NEED_DATA();
  for (const char* file : {"pretrainedResnet_quant.tflite", "vww_96_int8.tflite", "ad01_int8.tflite"})
    check_streams(import::import_model(testing::data_folder() / "mlperf_tiny/models" / file), "paper");
}

TEST(Observe, TheTextOfCodegenIsTheProgram) {
  const Watched w = watch_digits(true);
  std::vector<isa::Assembly> shown;
  for (const Shown& s : w.shown)
    if (s.pass == Pass::Codegen) shown.push_back(isa::assemble(s.text));
  std::size_t at = 0;
  for (const Step& step : w.model.steps) {
    const auto* device = std::get_if<DeviceStep>(&step);
    if (!device) continue;
    ASSERT_LT(at, shown.size());
    std::vector<isa::InsnWords> words;
    for (const isa::Insn& insn : device->program.insns) words.push_back(isa::encode(insn));
    EXPECT_EQ(shown[at++].insns, words);
  }
  EXPECT_EQ(at, shown.size());
}

}  // namespace
}  // namespace vdla::pipeline
