// SPDX-License-Identifier: Apache-2.0
#include "compiler/bundle/text_c.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "compiler/bundle/options.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"
#include "isa/variants/variants.h"
#include "support/inert.h"

namespace vdla::bundle {
namespace {

/// A literal of C99: the integer that these bytes are, low byte first.
std::string literal_of(std::span<const std::byte> bytes, bool is_signed) {
  std::uint64_t value = 0;
  for (std::size_t b = bytes.size(); b-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[b]);
  if (!is_signed) return fmt::format("{}{}", value, bytes.size() == 8 ? "u" : "");
  const auto above = static_cast<unsigned>(64 - 8 * bytes.size());
  const auto number = static_cast<std::int64_t>(value << above) >> above;
  // The least number of 64 bits has no literal of its own.
  return number == INT64_MIN ? fmt::format("(-{} - 1)", INT64_MAX) : fmt::format("{}", number);
}

}  // namespace

std::string in_comment(const std::string& text) { return "'" + comment_text(text) + "'"; }

std::string literal(double value) {
  const std::string text = fmt::format("{:.17g}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string c_string(const std::string& text) { return '"' + c_text(text) + '"'; }

std::string banner(const Plan& plan, const std::string& what) {
  const runtime::Module& m = plan.module;
  return fmt::format(
      "/* {}: {}, {}.\n   Compiled by {} for variant {}, geometry 0x{:016x}, ISA version {}. {} */\n",
      plan.name, in_comment(m.provenance.model_file.empty() ? m.model_name : m.provenance.model_file), what,
      comment_text(m.provenance.producer), comment_text(isa::label(m.variant)),
      isa::geometry_hash(m.variant.geometry), isa::kIsaVersion, kMark);
}

void append_numbers(std::string& text, std::span<const std::byte> data, std::size_t bytes, bool is_signed) {
  constexpr std::size_t kColumns = 110;
  std::size_t column = 0;
  for (std::size_t at = 0; at + bytes <= data.size(); at += bytes) {
    const std::string number = literal_of(data.subspan(at, bytes), is_signed);
    if (column == 0 || column + number.size() + 1 > kColumns) {
      text += "\n  ";
      column = 2;
    }
    text += number;
    text += ',';
    column += number.size() + 1;
  }
}

std::string image_symbol(const Plan& plan, std::size_t step, isa::Window window) {
  return fmt::format("{}_step{}_{}", plan.name, step, isa::to_string(window));
}

std::string constant_symbol(const Plan& plan, runtime::TensorIndex tensor) {
  return fmt::format("{}_constant{}", plan.name, tensor);
}

std::string initial_symbol(const Plan& plan, const runtime::State& state) {
  const auto is_zero = [](std::byte b) { return b == std::byte{}; };
  return std::ranges::all_of(state.initial, is_zero) ? ""
                                                     : fmt::format("{}_initial{}", plan.name, state.begin);
}

}  // namespace vdla::bundle
