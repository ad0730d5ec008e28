// SPDX-License-Identifier: Apache-2.0
// vdla board regs: a device's registers by name, what their values mean, and, where it is asked for, new
// ones.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "driver/core/registers.h"
#include "isa/spec/registers.h"
#include "kit/bring_up/registers.h"
#include "runtime/device/device.h"
#include "support/error.h"
#include "support/nearest.h"
#include "tools/common/table.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/board/device.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;
using runtime::RegisterPlace;

struct RegsFlags {
  std::vector<std::string> names, writes;
  BoardDeviceFlags device;
};

/// A register that gets another value.
struct Write {
  const RegisterPlace* place;
  std::uint32_t value = 0, before = 0, after = 0;
};

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

[[noreturn]] void refuse_name(const std::string& name) {
  std::vector<std::string> known;
  for (const RegisterPlace& place : runtime::register_places()) known.push_back(place.name);
  throw UserError(fmt::format("there is no register '{}'{}; vdla board regs --engine functional lists them",
                              name, did_you_mean(name, known)));
}

/// Whether the register was asked for, by its name or by the begin of it.
bool is_wanted(const std::vector<std::string>& names, const RegisterPlace& place) {
  return names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
           return place.name.starts_with(upper(name));
         });
}

void check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::ranges::none_of(runtime::register_places(),
                             [&](const RegisterPlace& place) { return is_wanted({name}, place); }))
      refuse_name(name);
}

std::uint32_t number_of(const std::string& text, const std::string& whole) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, problem] = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  VDLA_CHECK_USER(problem == std::errc() && last == end)
      << "--write '" << whole << "': '" << text
      << "' is no value of a register, needs a number below 2^32 like 12 or 0x1f";
  return value;
}

Write write_of(const std::string& text) {
  const auto at = text.find('=');
  VDLA_CHECK_USER(at != std::string::npos)
      << "--write '" << text << "': needs REGISTER=VALUE, like STALL_LIMIT=1000";
  const std::string name = upper(text.substr(0, at));
  const auto& places = runtime::register_places();
  const auto found = std::ranges::find(places, name, &RegisterPlace::name);
  if (found == places.end()) refuse_name(text.substr(0, at));
  VDLA_CHECK_USER(found->access != isa::Access::ReadOnly && found->access != isa::Access::Fixed)
      << "--write '" << text << "': register " << found->name << " is read only (" << found->doc << ")";
  return {.place = &*found, .value = number_of(text.substr(at + 1), text)};
}

/// Whether the register should read what was written: CONTROL's bits and those that are cleared by ones are
/// commands.
bool holds(const RegisterPlace& place) {
  return place.kind != isa::Register::CONTROL && place.access != isa::Access::WriteOneToClear;
}

void apply(vdla_device& device, Write& write) {
  const std::uint32_t offset = write.place->offset;
  runtime::check_status(device, vdla_get(&device, offset, &write.before));
  runtime::check_status(device, vdla_put(&device, offset, write.value));
  runtime::check_status(device, vdla_get(&device, offset, &write.after));
}

std::string text_of(const Write& write) {
  std::string text = fmt::format("{}: was {:#010x}, written {:#010x}, reads {:#010x}", write.place->name,
                                 write.before, write.value, write.after);
  if (holds(*write.place) && write.after != write.value)
    text += write.place->access == isa::Access::ReadWriteIdle
                ? ": not taken; a device that is busy ignores it (see STATUS), and one whose bus loses writes"
                : ": not taken; the control port loses writes (vdla board selftest says more)";
  return text;
}

const char* name_of(isa::Access access) {
  switch (access) {
    case isa::Access::Fixed:
    case isa::Access::ReadOnly:
      return "read";
    case isa::Access::ReadWrite:
      return "read, write";
    case isa::Access::ReadWriteIdle:
      return "read, write while idle";
    case isa::Access::WriteOneToClear:
      return "read, ones clear";
  }
  return "";
}

void show_registers(const RegsFlags& f, const Context& context) {
  check_names(f.names);
  VDLA_CHECK_USER(f.writes.empty() || f.device.recorded.empty())
      << "--write changes a device, and --recorded " << f.device.recorded
      << " is none; leave one of them out";
  std::vector<Write> writes;
  for (const std::string& text : f.writes) writes.push_back(write_of(text));
  f.device.refuse_variant_of_device();
  const kit::OpenDevice board = f.device.open(writes.empty() ? kit::UioUse::Look : kit::UioUse::Keep);
  vdla_device device{};
  const vdla_driver_status probed = vdla_probe(&device, board.transport);
  // A device that is no VDLA has something to show, and is left alone.
  if (probed != VDLA_DRIVER_NO_DEVICE || !writes.empty()) runtime::check_status(device, probed);
  const std::string message = device.message;
  for (Write& write : writes) apply(device, write);
  const runtime::Recording recording = runtime::record(device);
  const std::vector<std::string> meanings = kit::meanings(recording);
  ordered_json out{{"device", board.name}, {"registers", ordered_json::array()}};
  for (const Write& w : writes)
    out["written"].push_back(
        {{"name", w.place->name}, {"before", w.before}, {"value", w.value}, {"after", w.after}});
  if (probed != VDLA_DRIVER_OK) out["error"] = message;
  const auto& places = runtime::register_places();
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!is_wanted(f.names, places[i])) continue;
    out["registers"].push_back({{"name", places[i].name},
                                {"offset", places[i].offset},
                                {"value", recording.registers[i]},
                                {"meaning", meanings[i]},
                                {"access", name_of(places[i].access)}});
  }
  context.report(out, [&] {
    for (const Write& write : writes) fmt::print("{}\n", text_of(write));
    print_table(out["registers"], "at|name|value|meaning",
                "{offset:#05x}  {name:<20} {value:#010x}  {meaning}");
  });
  if (probed != VDLA_DRIVER_OK && !context.json) throw runtime::DeviceError(probed, message);
  const bool taken =
      std::ranges::all_of(writes, [](const Write& w) { return !holds(*w.place) || w.after == w.value; });
  if (probed != VDLA_DRIVER_OK || !taken) throw Difference{};
}

}  // namespace

void add_board_regs(CLI::App& group, Context& context) {
  auto f = std::make_shared<RegsFlags>();
  CLI::App* c = add_command(
      group, context, "regs", "Read or write a device's registers by name, and decode their values",
      "Reading changes nothing: the device is not reset, not before and not behind it, and another process "
      "may be using it. So this shows what a run left behind, or what one does that does not end. "
      "docs/isa describes each register. A card (--xrt) XRT gives to one process at a time, and configures "
      "with the file that is named.\n"
      "--write takes the device for this process, leaves it as it is then, and says what was there before.\n"
      "With --board the device is this command's for a lease, whose end resets it.\n"
      "examples: vdla board regs --uio vdla\n"
      "          vdla board regs STATUS ERROR WINDOW3 --uio vdla      # all whose names begin so\n"
      "          vdla board regs --uio vdla --write CONTROL=2 STATUS  # soft reset, and what it gave\n"
      "          vdla board regs --recorded stuck                     # of a post-mortem\n"
      "          vdla board regs --board board.lab --certificates lab # from the desk\n"
      "          vdla board regs --engine systemc --variant paper     # of a machine that was just made",
      [f, &context] { show_registers(*f, context); });
  c->add_option("registers", f->names, "Names or prefixes of names; default: all");
  c->add_option("--write", f->writes,
                "REGISTER=VALUE: write this before reading; may be repeated, in this order")
      ->type_name("REGISTER=VALUE")
      ->allow_extra_args(false);
  f->device.add_to_reader(*c);
}

}  // namespace vdla::tools
