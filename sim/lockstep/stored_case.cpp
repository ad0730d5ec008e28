// SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/stored_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/spec/errors.h"
#include "isa/variants/variants.h"
#include "support/error.h"

namespace vdla::sim {
namespace {

using isa::Window;

constexpr std::string_view kDirective = ";@ ";
constexpr std::size_t kBytesPerLine = 32;

std::vector<std::byte>& bytes_of(Job& job, Window window) {
  return window == Window::Const ? job.program.constants : job.contents[static_cast<std::size_t>(window)];
}

std::uint64_t& size_of(Job& job, Window window) {
  return job.program.data_window_sizes[static_cast<std::size_t>(window)];
}

void print_bytes(std::string& text, std::string_view window, const std::vector<std::byte>& bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kBytesPerLine) {
    const std::size_t count = std::min(kBytesPerLine, bytes.size() - at);
    const std::span part(bytes.data() + at, count);
    if (std::ranges::all_of(part, [](std::byte b) { return b == std::byte{0}; })) continue;
    text += fmt::format("{}bytes {} {} ", kDirective, window, at);
    for (const std::byte b : part) text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
    text += "\n";
  }
}

std::string stream_text(const Case& c) {
  std::string text;
  for (const isa::Uop& uop : isa::expand(c.job.program.kernels)) text += isa::to_text(uop) + "\n";
  const auto& image = c.job.contents[static_cast<std::size_t>(Window::Insn)];
  for (std::size_t i = 0; i < c.job.program.insns.size(); ++i) {
    text += image.empty() ? isa::to_text(c.job.program.insns[i])
                          : isa::to_text(isa::words_from_bytes(std::span<const std::byte, isa::kInsnBytes>(
                                image.data() + i * isa::kInsnBytes, isa::kInsnBytes)));
    text += "\n";
  }
  return text;
}

/// Reads the directives of one case.
class Reader {
 public:
  Reader(std::string_view origin, StoredCase& stored) : origin_(origin), stored_(stored) {}

  void line(unsigned number, const std::string& text) {
    number_ = number;
    std::istringstream in(text);
    std::string what;
    in >> what;
    Case& c = stored_.c;
    if (what == "variant") {
      in >> stored_.variant;
      const isa::Variant variant = isa::load_variant(stored_.variant);
      c.job.program.geometry = variant.geometry;
      c.timing = variant.timing;
    } else if (what == "seed") {
      in >> c.seed;
    } else if (what == "timing") {
      in >> c.timing.dram_latency >> c.timing.dram_outstanding >> c.timing.dram_bytes_per_cycle;
    } else if (what == "skew") {
      in >> c.job.skew;
    } else if (what == "disturbance") {
      in >> c.disturbance.seed >> c.disturbance.bus >> c.disturbance.latency >> c.disturbance.inside;
    } else if (what == "state") {
      in >> c.state;
    } else if (what == "cut") {
      const Window w = window(in);
      std::uint64_t end = 0;
      in >> end;
      c.job.cut = {w, end};
    } else if (what == "count") {
      in >> c.job.insn_count.emplace();
    } else if (what == "error") {
      unsigned code = 0, unit = 0;
      ExpectedError& error = c.error.emplace();
      in >> code >> unit >> error.insn >> error.rule;
      error.code = static_cast<isa::ErrorCode>(code);
      error.unit = static_cast<isa::Unit>(unit);
    } else if (what == "size") {
      const Window w = window(in);
      in >> size_of(c.job, w);
      bytes_of(c.job, w).resize(size_of(c.job, w));
    } else if (what == "bytes") {
      bytes(in);
    } else {
      fail("'" + what + "' is no part of a case");
    }
    if (in.fail()) fail("'" + text + "' lacks a value");
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw UserError(fmt::format("{}:{}: {}", origin_, number_, message));
  }

 private:
  Window window(std::istringstream& in) const {
    std::string name;
    in >> name;
    const auto row = std::ranges::find(isa::kWindows, name, &isa::NamedCode::text);
    if (row == isa::kWindows.end()) fail("'" + name + "' is no window");
    return static_cast<Window>(row->code);
  }

  void bytes(std::istringstream& in) const {
    std::vector<std::byte>& to = bytes_of(stored_.c.job, window(in));
    std::size_t at = 0;
    std::string digits;
    in >> at >> digits;
    if (digits.size() % 2 != 0 || at + digits.size() / 2 > to.size())
      fail("the bytes do not fit the window's size");
    for (std::size_t i = 0; i < digits.size(); i += 2) {
      const std::string two = digits.substr(i, 2);
      if (two.find_first_not_of("0123456789abcdef") != std::string::npos) fail("'" + two + "' is no byte");
      to[at + i / 2] = static_cast<std::byte>(std::stoul(two, nullptr, 16));
    }
  }

  std::string_view origin_;
  StoredCase& stored_;
  unsigned number_ = 0;
};

/// Instructions that are none stand in the image of window insn only.
void take_stream(const isa::Assembly& assembly, Job& job) {
  for (const isa::Uop& uop : assembly.uops) job.program.kernels.push_back({uop, {}});
  bool all = true;
  std::vector<std::byte> image;
  for (const isa::InsnWords& words : assembly.insns) {
    const auto insn = isa::try_decode(words);
    all = all && insn && isa::find_broken_rule(words, job.program.geometry) == nullptr;
    job.program.insns.push_back(insn.value_or(isa::FinishInsn{}));
    for (const std::uint64_t word : words)
      for (unsigned b = 0; b < 8; ++b) image.push_back(static_cast<std::byte>(word >> (8 * b)));
  }
  if (!all) job.contents[static_cast<std::size_t>(Window::Insn)] = std::move(image);
}

}  // namespace

std::string to_text(const StoredCase& stored, std::string_view notes) {
  const Case& c = stored.c;
  std::string text;
  std::istringstream lines{std::string(notes)};
  for (std::string line; std::getline(lines, line);) text += "; " + line + "\n";
  text += fmt::format("{}variant {}\n{}seed {}\n", kDirective, stored.variant, kDirective, c.seed);
  text += fmt::format("{}timing {} {} {}\n", kDirective, c.timing.dram_latency, c.timing.dram_outstanding,
                      c.timing.dram_bytes_per_cycle);
  text += fmt::format("{}skew {}\n", kDirective, c.job.skew);
  if (c.disturbance.any())
    text += fmt::format("{}disturbance {} {} {} {}\n", kDirective, c.disturbance.seed, c.disturbance.bus,
                        c.disturbance.latency, c.disturbance.inside);
  if (c.state != 0) text += fmt::format("{}state {}\n", kDirective, c.state);
  if (c.job.cut)
    text += fmt::format("{}cut {} {}\n", kDirective, isa::to_string(c.job.cut->first), c.job.cut->second);
  if (c.job.insn_count) text += fmt::format("{}count {}\n", kDirective, *c.job.insn_count);
  if (c.error)
    text += fmt::format("{}error {} {} {} {}\n", kDirective, static_cast<unsigned>(c.error->code),
                        static_cast<unsigned>(c.error->unit), c.error->insn, c.error->rule);
  for (const isa::NamedCode& row : isa::kWindows) {
    const auto w = static_cast<Window>(row.code);
    if (w == Window::Insn || w == Window::Uop) continue;
    text += fmt::format("{}size {} {}\n", kDirective, row.text, c.job.program.window_size(w));
    print_bytes(text, row.text, w == Window::Const ? c.job.program.constants : c.job.contents[row.code]);
  }
  return text + stream_text(c);
}

StoredCase parse_case(std::string_view text, std::string_view origin) {
  StoredCase stored;
  Reader reader(origin, stored);
  std::istringstream lines{std::string(text)};
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with(kDirective)) reader.line(number, line.substr(kDirective.size()));
  }
  if (stored.variant.empty()) reader.fail("the case names no variant, needs ';@ variant NAME'");
  take_stream(isa::assemble(text, origin), stored.c.job);
  isa::Program& program = stored.c.job.program;
  program.data_window_sizes[static_cast<std::size_t>(Window::Const)] = 0;
  return stored;
}

}  // namespace vdla::sim
