// SPDX-License-Identifier: Apache-2.0
// Forms of a timeline's file, chosen by its name. Compression is gzip of the whole file, not Perfetto's own
// compressed packets: ui.perfetto.dev opens both, but every tool reads gzip, and packets compressed one by
// one in parts of 512 KB become no smaller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vdla::timeline {

/// Codes travel to boards (tools/remote), so they stay. JsonText is what kits asked for before there were
/// others.
enum class Form : std::uint8_t {
  JsonText = 1,       ///< Trace Event JSON
  JsonGzip = 2,       ///< JSON, compressed
  PerfettoPlain = 3,  ///< packets of Perfetto's TrackEvents
  PerfettoGzip = 4,   ///< packets, compressed
};

constexpr bool is_json(Form form) { return form == Form::JsonText || form == Form::JsonGzip; }
constexpr bool is_gzip(Form form) { return form == Form::JsonGzip || form == Form::PerfettoGzip; }

/// Nothing for a number that is no code.
constexpr std::optional<Form> form_of_code(std::uint32_t code) {
  if (code < 1 || code > 4) return std::nullopt;
  return static_cast<Form>(code);
}

/// Form for a file of this name: .pftrace and .pftrace.gz are Perfetto's, all else is JSON; compressed where
/// the name ends in .gz. Capitals count as small letters.
constexpr Form form_of_name(std::string_view name) {
  const auto take_ending = [&name](std::string_view ending) {
    const auto same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); };
    if (name.size() < ending.size() ||
        !std::ranges::equal(name.substr(name.size() - ending.size()), ending, same))
      return false;
    name.remove_suffix(ending.size());
    return true;
  };
  const bool gzip = take_ending(".gz");
  if (take_ending(".pftrace")) return gzip ? Form::PerfettoGzip : Form::PerfettoPlain;
  return gzip ? Form::JsonGzip : Form::JsonText;
}

}  // namespace vdla::timeline
