// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/explain/failure_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "driver/core/describe.h"
#include "driver/core/unit_state.h"
#include "isa/generated/vdla_isa.h"
#include "isa/spec/insn.h"
#include "runtime/device/post_mortem.h"
#include "support/error.h"
#include "tools/common/post_mortem.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;
using Numbers = std::vector<std::uint64_t>;
using runtime::Device;

constexpr std::size_t kUnitNumbers = 3;  ///< instruction, cycle, state
constexpr std::size_t kOfUnits = kUnitNumbers * (VDLA_UNITS_WITH_QUEUE + 1);
constexpr std::size_t kOfError = 4, kOfVersion = 2, kOfField = 3;

std::uint64_t hex_number_of(const std::string& word) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number, 16);
  VDLA_CHECK_USER(problem == std::errc() && end == word.data() + word.size())
      << "--failure: '" << word << "' is no number, needs hexadecimal numbers with spaces between them, as "
      << "the firmware printed them: \"186a0 e3 30b3 21 ..\"";
  return number;
}

/// Takes "status 9 of run: " from the front of a line.
std::optional<vdla_driver_status> take_status(std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(0, colon));
  text.erase(0, colon + 1);
  std::string word;
  unsigned status = 0;
  while (words >> word)
    if (word == "status" && words >> status) return static_cast<vdla_driver_status>(status);
  return std::nullopt;
}

/// Status of a message with this many numbers; those with units and one more may be of two.
vdla_driver_status status_of(const FailureWords& words) {
  if (words.status) return *words.status;
  const std::size_t count = words.numbers.size();
  if (count == kOfUnits || count == kOfUnits + 1) return VDLA_DRIVER_DEADLOCK;
  if (count == kOfError) return VDLA_DRIVER_DEVICE;
  if (count == kOfVersion) return VDLA_DRIVER_VERSION;
  return VDLA_DRIVER_GEOMETRY;
}

void require_count(bool good, const FailureWords& words, const std::string& needed) {
  VDLA_CHECK_USER(good) << "--failure has " << words.numbers.size() << " numbers"
                        << (words.status ? fmt::format(" of status {}", static_cast<int>(*words.status)) : "")
                        << ", needs " << needed;
}

vdla_unit_state unit_of(const std::uint64_t* numbers) {
  const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>(numbers[i]); };
  return vdla_unit_state_of(number(0), number(2), number(1));
}

/// Sentence in front of the units; `time` is there unless the device counted no cycles.
std::string cause_of(const FailureWords& words, std::optional<std::uint64_t> time) {
  std::string hangs = "the program hangs, the device found no unit making progress";
  if (!time) return hangs;
  const std::string too_long =
      fmt::format("the program did not finish within {} units of the board's time", *time);
  const std::string for_cycles = fmt::format("{} for {} cycles", hangs, *time);
  if (!words.status)
    return fmt::format("{} (where the status was {}), or {} (where it was {})", for_cycles,
                       static_cast<int>(VDLA_DRIVER_DEADLOCK), too_long,
                       static_cast<int>(VDLA_DRIVER_TIMEOUT));
  return *words.status == VDLA_DRIVER_TIMEOUT ? too_long : for_cycles;
}

void read_units(const FailureWords& words, Device::Outcome& outcome) {
  const Numbers& numbers = words.numbers;
  const bool timed = numbers.size() == kOfUnits + 1;
  require_count(timed || (numbers.size() == kOfUnits && outcome.status != VDLA_DRIVER_TIMEOUT), words,
                fmt::format("{} and one for the time", kOfUnits));
  for (unsigned unit = 0; unit <= VDLA_UNITS_WITH_QUEUE; ++unit)
    outcome.units.unit[unit] = unit_of(numbers.data() + (timed ? 1 : 0) + unit * kUnitNumbers);
  outcome.readable = true;
  outcome.message = cause_of(words, timed ? std::optional(numbers[0]) : std::nullopt);
}

void read_error(const FailureWords& words, Device::Outcome& outcome) {
  require_count(words.numbers.size() == kOfError, words, "unit, instruction, code and address");
  outcome.error.unit = static_cast<std::uint32_t>(words.numbers[0]);
  outcome.error.insn = static_cast<std::uint32_t>(words.numbers[1]);
  outcome.error.code = static_cast<std::uint32_t>(words.numbers[2]);
  outcome.error.address = words.numbers[3];
  std::array<char, VDLA_MESSAGE_BYTES> text;
  vdla_describe_error(&outcome.error, text.data(), text.size());
  outcome.message = std::string("the device stopped with an error: ") + text.data();
}

std::string geometry_text(const FailureWords& words) {
  const Numbers& numbers = words.numbers;
  require_count(
      !numbers.empty() && numbers.size() % kOfField == 0, words,
      "15 or 16 for units, 4 for an error of the device, 2 for a version, 3 for each field of a geometry");
  std::array<std::uint32_t, VDLA_GEOMETRY_FIELDS> device{}, needed{};
  for (std::size_t i = 0; i < numbers.size(); i += kOfField) {
    VDLA_CHECK_USER(numbers[i] < VDLA_GEOMETRY_FIELDS)
        << "--failure: number " << i + 1 << " is field " << numbers[i] << " of a geometry, which has "
        << VDLA_GEOMETRY_FIELDS;
    device[numbers[i]] = static_cast<std::uint32_t>(numbers[i + 1]);
    needed[numbers[i]] = static_cast<std::uint32_t>(numbers[i + 2]);
  }
  std::array<char, VDLA_MESSAGE_BYTES> buffer;
  vdla_text text = vdla_text_in(buffer.data(), buffer.size());
  vdla_add_geometry(&text, device.data(), needed.data());
  std::string fields = buffer.data();
  fields.resize(std::min(fields.size(), fields.rfind("; ")));
  return "the device has another geometry: " + fields;
}

bool is_of(const Device::Outcome& outcome, const isa::Program& program) {
  const auto there = [&](std::uint32_t insn) { return insn < program.insns.size(); };
  if (outcome.status == VDLA_DRIVER_DEVICE) return there(outcome.error.insn);
  return std::ranges::all_of(outcome.units.unit, [&](const vdla_unit_state& unit) {
    return unit.has_insn == 0 || there(unit.insn);
  });
}

/// Post-mortems by the steps of the device that have the instructions.
std::vector<std::pair<std::size_t, runtime::PostMortem>> post_mortems(const Device::Outcome& outcome,
                                                                      const runtime::Module& module) {
  std::vector<std::pair<std::size_t, runtime::PostMortem>> made;
  for (std::size_t s = 0; s < module.steps.size(); ++s) {
    const auto* device = std::get_if<runtime::DeviceStep>(&module.steps[s]);
    if (device == nullptr || !is_of(outcome, device->program)) continue;
    made.emplace_back(s, runtime::make_post_mortem(outcome, [&](std::uint32_t insn) {
                        return runtime::insn_report(device->program, insn);
                      }));
  }
  if (outcome.status == VDLA_DRIVER_DEVICE)  // the words have no units
    for (auto& [step, post_mortem] : made) post_mortem.units.clear();
  VDLA_CHECK_USER(!made.empty()) << "--failure: no step of module '" << module.model_name
                                 << "' has the instructions that the words name; give the module that the "
                                    "firmware ran";
  return made;
}

}  // namespace

FailureWords parse_failure(const std::string& text) {
  FailureWords words;
  std::string numbers = text, word;
  words.status = take_status(numbers);
  for (std::istringstream in(numbers); in >> word;) words.numbers.push_back(hex_number_of(word));
  return words;
}

Device::Outcome outcome_of(const FailureWords& words) {
  Device::Outcome outcome;
  outcome.status = status_of(words);
  switch (outcome.status) {
    case VDLA_DRIVER_DEADLOCK:
    case VDLA_DRIVER_TIMEOUT:
      read_units(words, outcome);
      return outcome;
    case VDLA_DRIVER_DEVICE:
      read_error(words, outcome);
      outcome.readable = true;
      return outcome;
    case VDLA_DRIVER_VERSION:
      require_count(words.numbers.size() == kOfVersion, words, "the device's version and the program's");
      outcome.message = fmt::format("the device has ISA version {}, the program needs version {}",
                                    words.numbers[0], words.numbers[1]);
      return outcome;
    case VDLA_DRIVER_GEOMETRY:
      outcome.message = geometry_text(words);
      return outcome;
    default:
      throw UserError(
          fmt::format("--failure: words of status {} ({}) name no instruction, needs status 3, 4, 8, "
                      "9 or 10",
                      static_cast<int>(outcome.status), vdla_driver_status_text(outcome.status)));
  }
}

void explain_failure(const std::string& text, const runtime::Module& module, const Context& context) {
  const Device::Outcome outcome = outcome_of(parse_failure(text));
  ordered_json out{{"model", module.model_name}};
  if (!outcome.readable) {
    out["error"] = outcome.message;
    return context.report(out, [&] { fmt::print("{}\n", outcome.message); });
  }
  const auto made = post_mortems(outcome, module);
  for (const auto& [step, post_mortem] : made)
    out["steps"].push_back({{"step", step}, {"post_mortem", to_json(post_mortem)}});
  context.report(out, [&] {
    for (const auto& [step, post_mortem] : made)
      fmt::print("{}, step {}\n{}\n", module.model_name, step, to_text(post_mortem));
  });
}

}  // namespace vdla::tools
