// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/compile/info_device.h"
#include "tools/vdla/devices/remote_session.h"

#include <fmt/format.h>

#include <optional>

#include "isa/variants/variants.h"
#include "kit/device_variant.h"
#include "support/error.h"
#include "tools/vdla/devices/remote_session.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct DescribedDevice {
  std::string name;
  runtime::DeviceFacts facts;
};

/// A board elsewhere says it to every desk, also while another one has it.
DescribedDevice described(const BoardDeviceFlags& flags) {
  if (flags.remote.given()) {
    const RemoteBoard board(flags.remote);
    return {board.facts().device + " of board " + board.host().text(), board.facts().about};
  }
  const kit::OpenDevice device = flags.open(kit::UioUse::Look);
  return {device.name, runtime::read_facts(*device.transport)};
}

ordered_json device_json(const DescribedDevice& device, const std::optional<isa::Variant>& variant) {
  const runtime::DeviceFacts& facts = device.facts;
  ordered_json out{{"device", device.name},
                   {"isa_version", facts.isa_version},
                   {"geometry_hash", fmt::format("{:016x}", facts.geometry_hash)}};
  if (variant) out["variant"] = variant->name;
  for (std::size_t i = 0; i < facts.numbers.size(); ++i)
    out["geometry"][std::string(isa::kGeometryFields.at(i).name)] = facts.numbers[i];
  out["build_id"] = facts.build_id;
  out["clock_khz"] = facts.clock_khz;
  out["address_bits"] = facts.address_bits;
  return out;
}

void print_device(const ordered_json& out, const runtime::DeviceFacts& facts) {
  const auto line = [](std::string_view name, std::string_view text) {
    fmt::print("{:<12} {}\n", name, text);
  };
  line("device", out["device"].get<std::string>());
  line("ISA version", fmt::format("{}", facts.isa_version));
  if (out.contains("variant")) line("variant", out["variant"].get<std::string>());
  line("geometry", fmt::format("{:#018x}", facts.geometry_hash));
  for (std::size_t i = 0; i < facts.numbers.size(); ++i)
    fmt::print("  {:<12} {:>6}  {}\n", isa::kGeometryFields.at(i).name, facts.numbers[i],
               isa::kGeometryFields.at(i).doc);
  line("build", runtime::build_text(facts.build_id));
  line("clock", runtime::clock_text(facts.clock_khz));
  line("addresses", runtime::address_text(facts.address_bits));
  if (out.contains("command")) line("fits", out["command"].get<std::string>());
}

}  // namespace

CLI::Option* InfoDeviceFlags::add_to(CLI::App& command) {
  CLI::Option* option = command.add_flag(
      "--device", wanted, "Print a device's identity, for the device that these options choose:");
  device.add_to(command);
  device.add_remote_to(command);
  command.add_option("-o,--output", output, "File for the device's variant, for --variant of other commands")
      ->needs(option);
  return option;
}

void InfoDeviceFlags::refuse_others() const {
  VDLA_CHECK_USER(!device.own() && !device.remote.given() && device.engine_option->count() == 0 &&
                  device.variant.empty())
      << "--uio, --xrt, --board, --engine and --variant choose a device; needs --device, to say what it is";
}

void info_device(const InfoDeviceFlags& flags, const Context& context) {
  VDLA_CHECK_USER(flags.device.own() || flags.device.remote.given() ||
                  flags.device.engine_option->count() != 0)
      << "no device is named; needs --uio vdla on the board, --xrt DEVICE:XCLBIN, --board HOST, or --engine "
         "NAME";
  const DescribedDevice device = described(flags.device);
  std::optional<isa::Variant> variant;
  std::string problem;
  try {
    variant = kit::variant_of(device.facts);
  } catch (const UserError& e) {
    problem = e.what();
  }
  ordered_json out = device_json(device, variant);
  const std::string command = kit::command_that_fits(device.facts, flags.device.text());
  if (!command.empty()) out["command"] = command;
  if (!problem.empty()) out["problem"] = problem;
  if (variant && !flags.output.empty()) isa::save_variant(*variant, flags.output);
  context.report(out, [&] { print_device(out, device.facts); });
  if (problem.empty()) return;
  if (!context.json) throw UserError(problem);
  throw Difference{};
}

}  // namespace vdla::tools
