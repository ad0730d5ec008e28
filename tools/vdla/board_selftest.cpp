// SPDX-License-Identifier: Apache-2.0
// vdla board selftest: a device from its first register to a network with a known answer.
#include <fmt/core.h>

#include <memory>
#include <string>

#include "compiler/zoo/zoo.h"
#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/network.h"
#include "kit/selftest.h"
#include "tools/vdla/board.h"
#include "tools/vdla/board_device.h"
#include "tools/vdla/command.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct SelftestFlags {
  std::string network;
  BoardDeviceFlags device;
};

const char* text_of(vdla_selftest_verdict verdict) {
  switch (verdict) {
    case VDLA_SELFTEST_PASSED:
      return "passed";
    case VDLA_SELFTEST_WARNED:
      return "warning";
    case VDLA_SELFTEST_FAILED:
      return "FAILED";
  }
  return "";
}

/// What the stages said, printed as they end.
struct StageLog {
  bool json = false;
  ordered_json stages = ordered_json::array();

  static void add(void* context, vdla_selftest_stage stage, vdla_selftest_verdict verdict, const char* text) {
    auto& log = *static_cast<StageLog*>(context);
    log.stages.push_back(
        {{"stage", vdla_selftest_name(stage)}, {"verdict", text_of(verdict)}, {"text", text}});
    if (verdict != VDLA_SELFTEST_PASSED) log.stages.back()["look_at"] = vdla_selftest_advice(stage);
    if (log.json) return;
    fmt::print("{:<10} {:<8} {}\n", vdla_selftest_name(stage), text_of(verdict), text);
    if (verdict != VDLA_SELFTEST_PASSED) fmt::print("{:<19} look at {}\n", "", vdla_selftest_advice(stage));
  }
};

runtime::Module network_of(const SelftestFlags& f, const isa::Variant& variant) {
  pipeline::CompileOptions options;
  options.variant = variant;
  options.machine_code = false;
  if (!f.network.empty()) return kit::compile_module(kit::read_network(f.network), options);
  constexpr std::uint64_t kSeed = 1;
  const std::string onnx = zoo::make_onnx("resnet8", kSeed, zoo::Form::Qdq);
  return kit::compile_module(import::import_onnx(std::as_bytes(std::span(onnx)), "resnet8"), options);
}

void run_selftest(const SelftestFlags& f, const Context& context) {
  const isa::Variant variant = isa::load_variant(f.device.variant);
  const kit::Selftest test(variant, network_of(f, variant));
  const BoardDevice board(f.device, variant);
  StageLog log{.json = context.json};
  auto device = std::make_unique<vdla_device>();
  const vdla_selftest_verdict worst =
      vdla_selftest_run(device.get(), board.transport(), &test.plan(), StageLog::add, &log);
  context.report({{"device", board.name()}, {"verdict", text_of(worst)}, {"stages", log.stages}},
                 [&] { fmt::print("self test of {}: {}\n", board.name(), text_of(worst)); });
  if (worst == VDLA_SELFTEST_FAILED) throw Difference{};
}

std::string list_of_stages() {
  std::string text = "Stages, each of which needs those before it:";
  for (int stage = 0; stage < VDLA_SELFTEST_COUNT; ++stage) {
    const auto s = static_cast<vdla_selftest_stage>(stage);
    text += fmt::format("\n  {:<10} {}", vdla_selftest_name(s), vdla_selftest_what(s));
  }
  return text;
}

}  // namespace

void add_board_selftest(CLI::App& group, Context& context) {
  auto f = std::make_shared<SelftestFlags>();
  CLI::App* c = add_command(
      group, context, "selftest", "Test a device from its first register to a network with a known answer",
      "The first stage that fails ends the test, says what was seen and what to look at; the status is 1.\n" +
          list_of_stages() +
          "\nexamples: vdla board selftest --engine rtl --variant tiny\n          vdla board selftest --uio "
          "vdla --variant 1x16x8.json    # on the board, under Linux",
      [f, &context] { run_selftest(*f, context); });
  c->add_option("--network", f->network,
                "Network of the last stage (.tflite, .onnx); default: the zoo's ResNet-8");
  f->device.add_to(*c);
}

}  // namespace vdla::tools
