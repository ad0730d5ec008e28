// SPDX-License-Identifier: Apache-2.0
// vdla board selftest: a device from its first register to a network with a known answer.
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>

#include "boards/spec/board.h"
#include "isa/variants/variants.h"
#include "kit/bring_up/selftest.h"
#include "kit/bring_up/selftest_c.h"
#include "kit/data.h"
#include "kit/module.h"
#include "kit/network.h"
#include "kit/xrt_device.h"
#include "sim/host/bare_metal.h"
#include "sim/host/linux_guest.h"
#include "sim/host/xrt_host.h"
#include "support/error.h"
#include "support/path.h"
#include "support/temporary.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/board/device.h"
#include "tools/vdla/board/firmware.h"
#include "tools/vdla/board/guest.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/embedded_digits.h"
#include "tools/vdla/common/variant_name.h"
#include "tools/vdla/devices/remote_session.h"

namespace vdla::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct SelftestFlags {
  std::string network, kernel;
  BoardDeviceFlags device;
  bool no_interrupt = false;
  const CLI::App* command = nullptr;
};

std::string line_of(const std::string& stage, const std::string& verdict, const std::string& text) {
  return fmt::format("{:<10} {:<8} {}", stage, verdict, text);
}

/// Log of the stages, printed as they end.
class StageLog {
 public:
  explicit StageLog(bool json) : json_(json) {}

  static void report(void* context, vdla_selftest_stage stage, vdla_selftest_verdict verdict,
                     const char* text) {
    static_cast<StageLog*>(context)->add(vdla_selftest_name(stage), vdla_selftest_verdict_text(verdict),
                                         text);
  }

  void add(const std::string& stage, const std::string& verdict, const std::string& text) {
    stages_.push_back({{"stage", stage}, {"verdict", verdict}, {"text", text}});
    const std::string advice = verdict == "passed" ? "" : advice_of(stage);
    if (!advice.empty()) stages_.back()["look_at"] = advice;
    if (json_) return;
    fmt::print("{}\n", line_of(stage, verdict, text));
    if (!advice.empty()) fmt::print("{:<19} look at {}\n", "", advice);
    std::fflush(stdout);
  }

  /// As firmware prints it; what is no line of a stage is kept for a failure.
  void take(std::string_view printed) {
    rest_ += printed;
    for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
      std::istringstream line(rest_.substr(0, end));
      std::string stage, verdict, text;
      line >> stage >> verdict >> std::ws;
      std::getline(line, text);
      if (advice_of(stage).empty())
        other_ += rest_.substr(0, end + 1);
      else
        add(stage, verdict, text);
      rest_.erase(0, end + 1);
    }
  }

  const ordered_json& stages() const { return stages_; }
  const std::string& other() const { return other_; }
  std::string worst() const {
    std::string worst = "passed";
    for (const auto& s : stages_)
      if (s.at("verdict") != "passed") worst = s.at("verdict");
    return worst;
  }

 private:
  /// Empty for what is no stage.
  static std::string advice_of(const std::string& stage) {
    for (int i = 0; i < VDLA_SELFTEST_COUNT; ++i)
      if (stage == vdla_selftest_name(static_cast<vdla_selftest_stage>(i)))
        return vdla_selftest_advice(static_cast<vdla_selftest_stage>(i));
    return {};
  }

  bool json_;
  ordered_json stages_ = ordered_json::array();
  std::string rest_, other_;
};

runtime::Module network_of(const SelftestFlags& f, const isa::Variant& variant) {
  pipeline::CompileOptions options;
  options.variant = variant;
  options.machine_code = false;
  return kit::compile_module(f.network.empty()
                                 ? import::import_onnx(std::as_bytes(std::span(kEmbeddedDigits)), "digits")
                                 : kit::read_network(f.network),
                             options);
}

void test_device(const SelftestFlags& f, StageLog& log, std::string& name) {
  const isa::Variant variant = f.device.wanted_variant();
  const kit::Selftest test(variant, network_of(f, variant));
  const kit::OpenDevice board = f.device.open(kit::UioUse::Test);
  name = board.name;
  const auto device = std::make_unique<vdla_device>();
  vdla_selftest_run(device.get(), board.transport, &test.plan(), StageLog::report, &log);
}

/// Tests by this command, in a guest with Linux.
sim::HostOutcome test_by_guest(const SelftestFlags& f, const Context& context, const boards::Board& board,
                               const isa::Variant& variant, const sim::EngineOverMemory& make_engine,
                               const sim::HostOptions& options) {
  const Temporary folder(temporary_folder(), Temporary::Kind::Folder, "the variant");
  const fs::path file = folder.path() / "variant.json";
  write_file(file.string(), isa::to_json(variant));
  sim::LinuxGuest guest = bare_guest();
  run_vdla_in(guest, context);
  guest.files.push_back(file);
  for (const char* word : {"board", "selftest", "--uio", "vdla", "--variant", "variant.json"})
    guest.arguments.emplace_back(word);
  if (!f.network.empty()) {
    guest.files.emplace_back(f.network);
    guest.arguments.insert(guest.arguments.end(), {"--network", fs::path(f.network).filename()});
  }
  guest.kernel = guest_kernel(f.kernel, context);
  return sim::run_linux_guest(board, guest, make_engine, options);
}

/// As firmware on the board's processor.
sim::HostOutcome test_by_firmware(const SelftestFlags& f, const boards::Board& board,
                                  const isa::Variant& variant, const sim::EngineOverMemory& make_engine,
                                  const sim::HostOptions& options) {
  const kit::Selftest test(variant, network_of(f, variant));
  const Temporary folder(temporary_folder(), Temporary::Kind::Folder, "the firmware");
  const fs::path root = kit::data_root(), plan = folder.path() / "plan.c",
                 elf = folder.path() / "selftest.elf";
  write_file(plan.string(), kit::selftest_c(test.plan()));
  build_firmware(
      board, "the self test",
      {(root / "boards/firmware/selftest.c").string(), (root / "driver/selftest/memory.c").string(),
       (root / "driver/selftest/selftest.c").string(), plan.string()},
      elf);
  return sim::run_bare_metal(board, elf, make_engine, options);
}

/// Runs this command over XRT as the test.
sim::HostOutcome test_by_xrt(const SelftestFlags& f, const Context& context, const boards::Board& board,
                             const isa::Variant& variant, const sim::EngineOverMemory& make_engine,
                             const sim::HostOptions& options) {
  VDLA_CHECK_USER(!f.no_interrupt) << "board " << board.name << " has no interrupt, leave out --no-interrupt";
  const Temporary folder(temporary_folder(), Temporary::Kind::Folder, "the variant");
  const std::string file = folder.path() / "variant.json";
  write_file(file, isa::to_json(variant));
  const sim::XrtHost host{
      .libraries = kit::xrt_libraries(), .command = [&](const std::string& card) {
        std::vector<std::string> command{
            context.executable.string(), "board", "selftest", "--xrt", card, "--variant", file};
        if (!f.network.empty()) command.insert(command.end(), {"--network", f.network});
        return command;
      }};
  return sim::run_xrt_host(board, host, make_engine, options);
}

void test_board(const SelftestFlags& f, const Context& context, StageLog& log, std::string& name) {
  const boards::Board board = boards::load_board(f.device.remote.board, kit::data_root());
  VDLA_CHECK_USER(board.simulated())
      << "board " << board.name
      << " is a real one, whose device is tested where it is: vdla board selftest --uio "
      << "vdla (or --xrt) there, or --board HOST of its vdla board serve from here";
  VDLA_CHECK_USER(f.kernel.empty() || board.pci)
      << "--kernel is for a board that runs Linux, qemu-pci, board " << board.name
      << " runs none; leave it out";
  const isa::Variant variant = f.device.variant.empty() ? board.variant : named_variant(f.device.variant);
  sim::HostOptions options;
  options.wire_interrupt = !f.no_interrupt;
  options.print = [&](std::string_view text) { log.take(text); };
  kit::EngineOptions engine = f.device.engine.options();
  const sim::EngineOverMemory make_engine = [&](std::vector<sim::MemorySegment> memory) {
    engine.memory = std::move(memory);
    return kit::make_engine(f.device.engine.engine, variant, engine);
  };
  const auto test = [&] {
    if (board.xrt) return test_by_xrt(f, context, board, variant, make_engine, options);
    if (board.pci) return test_by_guest(f, context, board, variant, make_engine, options);
    return test_by_firmware(f, board, variant, make_engine, options);
  };
  const sim::HostOutcome outcome = test();
  VDLA_CHECK_USER(outcome.status == 0 || log.worst() == "FAILED")
      << "the self test of board " << board.name << " ended with exit status " << outcome.status << ": "
      << log.other() << outcome.console;
  name = fmt::format("board {} with engine {}, {}", board.name, f.device.engine.engine, isa::label(variant));
}

void run_selftest(const SelftestFlags& f, Context& context) {
  StageLog log(context.json);
  std::string name;
  const bool simulated = f.device.remote.given() && names_board(f.device.remote.board);
  VDLA_CHECK_USER(simulated || !f.device.remote.given() || f.command->count("--engine") == 0)
      << "--engine is for this machine or a simulated board, and --board " << f.device.remote.board
      << " is a machine of its own, with the device that its vdla board serve offers; leave it out";
  const auto given = [&](const char* option) { return f.command->count(option) != 0; };
  for (const char* option : {"--no-interrupt", "--kernel"})
    VDLA_CHECK_USER(simulated || !given(option))
        << option << " is for a simulated board, and --board " << f.device.remote.board
        << " is a machine of its own; leave it out";
  for (const char* option : {"--certificates", "--lease"})
    VDLA_CHECK_USER(!simulated || !given(option))
        << option << " is for a board elsewhere, and " << f.device.remote.board
        << " is simulated here; leave it out";
  simulated ? test_board(f, context, log, name) : test_device(f, log, name);
  context.report({{"device", name}, {"verdict", log.worst()}, {"stages", log.stages()}},
                 [&] { fmt::print("self test of {}: {}\n", name, log.worst()); });
  if (log.worst() == "FAILED") throw Difference{};
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
          "\nexamples: vdla board selftest --board qemu-zynq --engine rtl\n"
          "          vdla board selftest --board board.lab --certificates lab --variant 1x16x8.json    # "
          "from the desk\n"
          "          vdla board selftest --uio vdla --variant 1x16x8.json    # on the board, under Linux",
      [f, &context] { run_selftest(*f, context); });
  f->device.add_to(*c);
  CLI::Option* board = c->add_option("--board", f->device.remote.board,
                                     "A simulated board, on whose processor the test runs as firmware, "
                                     "under Linux or over XRT, or HOST[:PORT] of a vdla board serve, whose "
                                     "device is tested from here")
                           ->check(not_empty("a simulated board, as qemu-zynq, or HOST[:PORT]"))
                           ->excludes("--uio")
                           ->excludes("--xrt");
  f->device.remote.add_connection(*c, board);
  f->command = c;
  c->add_flag("--no-interrupt", f->no_interrupt,
              "Leave the board's interrupt unwired (to test a design fault)")
      ->needs(board);
  add_kernel_option(*c, f->kernel);
  c->get_option("--kernel")->needs(board);
  c->add_option("--network", f->network,
                "Network of the last stage (.tflite, .onnx); default: the kit's digit network")
      ->check(CLI::ExistingFile);
}

}  // namespace vdla::tools
