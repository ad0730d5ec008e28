// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/board/run_program.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>

#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/variants/variants.h"
#include "kit/device.h"
#include "kit/device_variant.h"
#include "runtime/device/device_facts.h"
#include "runtime/device/device_program.h"
#include "runtime/device/post_mortem.h"
#include "support/error.h"
#include "support/nearest.h"
#include "tools/data/files.h"
#include "tools/data/text_input.h"
#include "tools/vdla/board/counters_text.h"
#include "tools/vdla/common/variant_name.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;
using Contents = std::array<std::vector<std::byte>, isa::kWindowCount>;

/// Bytes of a window without a requested size.
constexpr std::size_t kWindowBytes = 64 << 10;

/// Limit of a window's size where a device does not say how much memory it has.
constexpr std::uint64_t kMostWindowBytes = std::uint64_t{1} << 32;

/// "input=FILE" -> window and the rest.
std::pair<unsigned, std::string> split(const std::string& text, const char* flag) {
  const auto at = text.find('=');
  const std::string name = text.substr(0, at);
  for (const isa::NamedCode& w : isa::kWindows)
    if (w.text == name && at != std::string::npos && at + 1 < text.size())
      return {w.code, text.substr(at + 1)};
  std::vector<std::string> names;
  for (const isa::NamedCode& w : isa::kWindows) names.emplace_back(w.text);
  throw UserError(fmt::format("{} '{}': needs WINDOW=VALUE with a window of {}{}", flag, text,
                              fmt::join(names, " "), did_you_mean(name, names)));
}

void set_window(Contents& contents, const std::string& text, std::uint64_t memory) {
  const auto [window, value] = split(text, "--window");
  VDLA_CHECK_USER(static_cast<isa::Window>(window) != isa::Window::Insn)
      << "--window '" << text << "': window insn holds the program";
  std::size_t bytes = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), bytes);
  if (problem == std::errc() && end == value.data() + value.size()) {
    VDLA_CHECK_USER(bytes <= memory) << "--window '" << text << "': " << bytes
                                     << " bytes are more than the device's memory of " << memory;
    contents[window].assign(bytes, std::byte{0});
  } else {
    contents[window] = read_file(value);
  }
}

Contents contents_of(const isa::Assembly& assembly, const ProgramFlags& flags, std::uint64_t memory) {
  Contents contents;
  for (auto& window : contents) window.assign(kWindowBytes, std::byte{0});
  contents[static_cast<unsigned>(isa::Window::Insn)] = runtime::image_of(assembly.insns);
  if (!assembly.uops.empty())
    contents[static_cast<unsigned>(isa::Window::Uop)] = isa::encode_uops(assembly.uops);
  for (const std::string& text : flags.windows) set_window(contents, text, memory);
  return contents;
}

void report_counters(const vdla_counters& counters, const kit::OpenDevice& device,
                     const isa::Variant& variant, const Context& context) {
  const std::string name = device.engine ? std::string(device.engine->name()) : device.name;
  ordered_json out{{device.engine ? "engine" : "device", name}, {"variant", isa::label(variant)}};
  out.update(counters_json(counters));
  context.report(
      out, [&] { fmt::print("done on {} ({}): {}\n", name, isa::label(variant), counters_text(counters)); });
}

/// An engine is of the variant that the flags name.
kit::OpenDevice open_wanted(const std::string& path, const DeviceFlags& wanted, const ProgramFlags& flags) {
  if (wanted.own()) return wanted.open_own();
  if (wanted.remote.given()) return wanted.open_elsewhere();
  VDLA_CHECK_USER(!flags.variant.empty()) << path << ": an assembler program needs --variant NAME|FILE";
  return wanted.open_engine(named_variant(flags.variant));
}

/// A device says itself what it is; --variant says what the program is for.
isa::Variant variant_of(const kit::OpenDevice& device, const ProgramFlags& flags) {
  if (device.engine) return device.engine->variant();
  if (!flags.variant.empty()) return named_variant(flags.variant);
  return kit::variant_of(runtime::read_facts(*device.transport));
}

}  // namespace

void ProgramFlags::add_to(CLI::App& command) {
  const std::string group = "For an assembler program";
  command
      .add_option("--window", windows,
                  "WINDOW=FILE or WINDOW=BYTES: contents or size of a window (64 KiB of zeroes)")
      ->group(group);
  command.add_option("--dump", dumps, "WINDOW=FILE: write a window after the run")->group(group);
}

void add_limits(CLI::App& command, kit::RunLimits& limits) {
  command
      .add_option("--stall-limit", limits.stall_limit,
                  "Watchdog: cycles without progress after which the device stops a run; 0: none")
      ->check(not_negative())
      ->capture_default_str();
  command
      .add_option("--timeout", limits.timeout,
                  "Longest run, in cycles (with --uio and --xrt: microseconds); 0: 20 times what the timing "
                  "model predicts, "
                  "at 10 MHz, 10 million cycles at least")
      ->check(not_negative())
      ->capture_default_str();
}

bool is_assembler(const std::string& path) {
  const auto extension = std::filesystem::path(path).extension();
  return extension == ".s" || extension == ".asm";
}

void run_program(const std::string& path, const DeviceFlags& wanted, const ProgramFlags& flags,
                 const kit::RunLimits& limits, const Context& context) {
  const isa::Assembly assembly = isa::assemble(read_text_of(path, "assembler text"), path);
  VDLA_CHECK_USER(!assembly.insns.empty()) << path << ": has no instruction";
  const kit::OpenDevice opened = open_wanted(path, wanted, flags);
  const isa::Variant variant = variant_of(opened, flags);
  const std::uint64_t memory = opened.memory().bytes;
  const Contents contents = contents_of(assembly, flags, memory != 0 ? memory : kMostWindowBytes);
  std::array<runtime::DmaBlock, isa::kWindowCount> blocks;  // given back after the device's reset
  runtime::Device device(opened.transport);
  device.require(variant.geometry, path);
  for (unsigned w = 0; w < isa::kWindowCount; ++w) {
    if (contents[w].empty()) continue;
    blocks[w] = device.allocate(contents[w].size());
    blocks[w].write(0, contents[w]);
    device.set_window(w, blocks[w]);
  }
  const std::uint64_t predicted = runtime::predicted_cycles(assembly.insns, variant.geometry, variant.timing);
  const auto outcome = device.run(runtime::launch_of(assembly.insns, limits.stall_limit),
                                  limits.timeout != 0 ? limits.timeout : device.timeout_of(predicted));
  for (const std::string& dump : flags.dumps) {
    const auto [window, file] = split(dump, "--dump");
    std::vector<std::byte> bytes(contents[window].size());
    if (!bytes.empty()) blocks[window].read(0, bytes);
    write_file(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  if (outcome.status == VDLA_DRIVER_OK) return report_counters(outcome.counters, opened, variant, context);
  const auto report_of = [&](std::uint32_t insn) {
    runtime::InsnReport report{.index = insn, .insn = {}, .source = {}};
    if (insn >= assembly.insns.size()) return report;
    report.insn = isa::try_decode(assembly.insns[insn]);
    report.source = fmt::format("{}:{}", path, assembly.lines[insn]);
    return report;
  };
  auto post_mortem = std::make_shared<runtime::PostMortem>(runtime::make_post_mortem(outcome, report_of));
  throw runtime::DeviceError(outcome.status, outcome.message, post_mortem);
}

}  // namespace vdla::tools
