// SPDX-License-Identifier: Apache-2.0
#include "kit/bring_up/registers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "driver/core/registers.h"
#include "isa/spec/errors.h"
#include "isa/spec/legality.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"
#include "isa/variants/variants.h"
#include "runtime/device/device_facts.h"

namespace vdla::kit {
namespace {

using isa::Register;

/// "SoftReset" -> "soft reset"
std::string words(std::string_view camel) {
  std::string out;
  for (const char c : camel) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isupper(letter) != 0 && !out.empty()) out += ' ';
    out += static_cast<char>(std::tolower(letter));
  }
  return out;
}

/// "interrupt", "idle, error": the bits that are set; empty for a register without bits.
std::string bits(Register of, std::uint32_t value) {
  const auto group = std::ranges::find(isa::kRegisterGroups, of, &isa::RegisterGroup::reg);
  if (group == isa::kRegisterGroups.end()) return {};
  std::vector<std::string> texts;
  for (const isa::RegisterBits& known : isa::kRegisterBits) {
    if (known.group != group->group) continue;
    if ((value & known.mask()) != 0) texts.push_back(words(known.name));
    value &= ~known.mask();
  }
  if (value != 0) texts.push_back(fmt::format("unknown bits {:#x}", value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Reads the recording by the driver core, as a device is read.
class Meaning {
 public:
  explicit Meaning(const runtime::Recording& recording) : recorded_(recording) {
    device_.transport = recorded_.transport();
    device_.first_insn = value(Register::INSN_OFFSET) / isa::kInsnBytes;
    has_units_ = vdla_read_units(&device_, &units_) == VDLA_DRIVER_OK;
  }

  std::string of(const runtime::RegisterPlace& place, std::uint32_t value_there);

 private:
  std::uint32_t value(Register r) {
    std::uint32_t read = 0;
    vdla_get(&device_, static_cast<std::uint32_t>(r), &read);
    return read;
  }
  std::uint64_t wide(Register low, unsigned window = 0) {
    std::uint64_t read = 0;
    vdla_get64(&device_, static_cast<std::uint32_t>(low) + window * isa::kWindowStride, &read);
    return read;
  }
  bool failed() { return (value(Register::STATUS) & isa::kStatusError) != 0; }
  std::string variant() {
    const std::uint64_t hash = wide(Register::GEOMETRY_HASH_LO);
    const auto known = isa::builtin_with(hash);
    return known ? fmt::format("{:#018x}, variant {}", hash, known->name)
                 : fmt::format("{:#018x}, no variant that comes with the kit", hash);
  }
  std::string unit(unsigned number) {
    if (!has_units_) return {};
    std::array<char, VDLA_MESSAGE_BYTES> text;
    vdla_describe_unit(number, &units_.unit[number], text.data(), text.size());
    return text.data();
  }
  std::string insn(std::uint32_t index) {
    return device_.first_insn == 0 ? ""
                                   : fmt::format("instruction {} of window insn", index + device_.first_insn);
  }
  /// Text of a number with its share of the cycles of the run.
  std::string cycles(std::uint32_t number) {
    const auto all = static_cast<double>(wide(Register::CYCLES_LO));
    return all == 0 ? fmt::format("{}", number)
                    : fmt::format("{}, {:.1f} % of the cycles", number, 100 * number / all);
  }
  std::string error(std::uint32_t code) {
    for (const isa::NamedCode& known : isa::kErrorCodes)
      if (known.code == code && code != 0) return fmt::format("{}: {}", known.text, known.doc);
    return code == 0 ? "none" : "no error of this version of the ISA";
  }
  std::string error_address() {
    const std::uint64_t address = wide(Register::ERROR_ADDR_LO);
    if (value(Register::ERROR_CODE) != static_cast<std::uint32_t>(isa::ErrorCode::IllegalInsn))
      return failed() ? fmt::format("{:#x}", address) : "";
    return isa::describe_rule(static_cast<unsigned>(address));
  }

  runtime::RecordedDevice recorded_;
  vdla_device device_{};
  vdla_unit_states units_{};
  bool has_units_ = false;
};

std::string Meaning::of(const runtime::RegisterPlace& place, std::uint32_t v) {
  switch (place.kind) {
    case Register::MAGIC:
      return v == isa::kMagic ? "VDLA" : fmt::format("no VDLA device: needs {:#010x}", isa::kMagic);
    case Register::ISA_VERSION:
      return v == isa::kIsaVersion ? fmt::format("{}", v)
                                   : fmt::format("{}, this kit has {}", v, isa::kIsaVersion);
    case Register::GEOMETRY_HASH_LO:
      return variant();
    case Register::CONTROL:
    case Register::STATUS:
      return bits(place.kind, v);
    case Register::IRQ_STATUS:
      return v == 0 ? "not raised" : bits(place.kind, v);
    case Register::INSN_OFFSET:
      return fmt::format("the program begins at instruction {} of window insn", v / isa::kInsnBytes);
    case Register::SEQUENCE:
    case Register::INSN_COUNT:
      return fmt::format("{}", v);
    case Register::STALL_LIMIT:
      return v == 0 ? "never" : fmt::format("{} cycles", std::max(v, isa::kMinStallLimit));
    case Register::ERROR_CODE:
      return error(v);
    case Register::ERROR_UNIT:
      return failed() && v <= isa::kQueueUnits ? std::string(isa::to_string(static_cast<isa::Unit>(v))) : "";
    case Register::ERROR_INSN:
      return failed() ? insn(v) : "";
    case Register::ERROR_ADDR_LO:
      return error_address();
    case Register::LOAD_STATE:
    case Register::GEMM_STATE:
    case Register::VECTOR_STATE:
    case Register::STORE_STATE:
    case Register::FETCH_STATE:
      return unit((place.offset - static_cast<std::uint32_t>(Register::LOAD_STATE)) / isa::kUnitStride);
    case Register::LOAD_INSN:
    case Register::GEMM_INSN:
    case Register::VECTOR_INSN:
    case Register::STORE_INSN:
    case Register::FETCH_INSN:
      return insn(v);
    case Register::CYCLES_LO:
    case Register::READ_BYTES_LO:
    case Register::WRITE_BYTES_LO:
      return fmt::format("{}", wide(place.kind));
    case Register::LOAD_BUSY:
    case Register::GEMM_BUSY:
    case Register::VECTOR_BUSY:
    case Register::STORE_BUSY:
    case Register::LOAD_TOKEN_STALL:
    case Register::GEMM_TOKEN_STALL:
    case Register::VECTOR_TOKEN_STALL:
    case Register::STORE_TOKEN_STALL:
      return cycles(v);
    case Register::LOAD_SINCE:
    case Register::GEMM_SINCE:
    case Register::VECTOR_SINCE:
    case Register::STORE_SINCE:
    case Register::FETCH_SINCE:
      return fmt::format("cycle {}", v);
    case Register::WINDOW0_BASE_LO:
      return fmt::format("window {} at {:#x}", isa::kWindows.at(place.window).text,
                         wide(place.kind, place.window));
    case Register::WINDOW0_SIZE_LO:
      return fmt::format("{} bytes", wide(place.kind, place.window));
    case Register::BUILD_ID:
      return runtime::build_text(v);
    case Register::CLOCK_KHZ:
      return runtime::clock_text(v);
    case Register::ADDRESS_BITS:
      return runtime::address_text(v);
#define VDLA_OF_GEOMETRY(name, NAME, ...) case Register::GEOMETRY_##NAME:
      VDLA_GEOMETRY(VDLA_OF_GEOMETRY)
#undef VDLA_OF_GEOMETRY
      return fmt::format("{}", v);
    case Register::GEOMETRY_HASH_HI:
    case Register::ERROR_ADDR_HI:
    case Register::CYCLES_HI:
    case Register::READ_BYTES_HI:
    case Register::WRITE_BYTES_HI:
    case Register::WINDOW0_BASE_HI:
    case Register::WINDOW0_SIZE_HI:
      return {};
  }
  return {};
}

}  // namespace

std::vector<std::string> meanings(const runtime::Recording& recording) {
  Meaning meaning(recording);
  std::vector<std::string> texts;
  const auto& places = runtime::register_places();
  for (std::size_t i = 0; i < places.size(); ++i)
    texts.push_back(meaning.of(places[i], recording.registers.at(i)));
  return texts;
}

}  // namespace vdla::kit
