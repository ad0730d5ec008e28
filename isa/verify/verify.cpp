// SPDX-License-Identifier: Apache-2.0
#include "isa/verify/verify.h"

#include <fmt/format.h>

#include <array>

#include "isa/codec/codec.h"
#include "isa/verify/entry_checker.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

std::string join_units(unsigned mask, std::string_view before, std::string_view after) {
  std::string text;
  for (unsigned u = 0; u < kQueueUnits; ++u)
    if ((mask >> u & 1u) != 0)
      text += (text.empty() ? "" : ", ") + std::string(before) +
              std::string(to_string(static_cast<Unit>(u))) + std::string(after);
  return text;
}

/// "load->gemm, store->gemm" for missing tokens, "gemm->vector" for full channels.
std::string channels_of(const UnitWait& w) {
  const std::string unit(to_string(w.unit));
  return w.pops != 0 ? join_units(w.pops, "", "->" + unit) : join_units(w.pushes, unit + "->", "");
}

void check_tokens(const Program& program, std::uint32_t first, const TokenRun& run, Findings& findings) {
  for (const UnitWait& w : run.waits) {
    const std::string channels = channels_of(w);
    const char* what = w.pops != 0 ? " waits forever for a token of " : " waits forever for room in ";
    findings.add({FindingKind::Deadlock, first + w.insn, std::nullopt, "channel " + channels,
                  name_of(program, first + w.insn) + what + channels});
  }
  for (const TokenLeft& t : run.left) {
    const std::string channel = std::string(to_string(t.from)) + "->" + std::string(to_string(t.to));
    findings.add({FindingKind::TokenLeft, first + t.insn, std::nullopt, "channel " + channel,
                  name_of(program, first + t.insn) + " pushes a token into " + channel +
                      " that no instruction takes"});
  }
}

/// How many of the entry's instructions run: those up to the first finish.
std::uint32_t check_end(const Program& program, const EntryPoint& entry, Findings& findings) {
  const std::uint32_t end = entry.first_insn + entry.insn_count;
  std::uint32_t i = entry.first_insn;
  while (i + 1 < end && !std::holds_alternative<FinishInsn>(program.insns[i])) ++i;
  if (i + 1 < end)
    findings.add({FindingKind::Unreachable, i + 1, i, "",
                  name_of(program, i + 1) + " never runs: " + name_of(program, i) + " ends the run"});
  return i + 1 - entry.first_insn;
}

void check_results(const Program& program, std::uint32_t last, const VerifyOptions& options,
                   WindowShadows& windows, Findings& findings) {
  for (const WindowBytes& r : options.results) {
    if (r.begin >= r.end) continue;
    std::optional<Interval> missing;
    windows[static_cast<std::size_t>(r.window)].look(
        {r.begin, r.end}, [&](std::uint64_t begin, std::uint64_t end, const History& h) {
          if (!h.defined && !missing) missing = Interval{begin, end};
        });
    if (!missing) continue;
    const std::string resource =
        fmt::format("{} bytes {} to {}", to_string(r.window), missing->begin, missing->end - 1);
    findings.add({FindingKind::ResultMissing, last, std::nullopt, resource,
                  fmt::format("{} ends the program, but nothing has written its result in {}",
                              name_of(program, last), resource)});
  }
}

/// False when the entry cannot be analysed further.
bool check_legality(const Program& program, const EntryPoint& entry, Findings& findings) {
  bool legal = true;
  for (std::uint32_t i = entry.first_insn; i < entry.first_insn + entry.insn_count; ++i) {
    const Rule* rule = find_broken_rule(program.insns[i], program.geometry);
    if (rule == nullptr) continue;
    legal = false;
    findings.add({FindingKind::Illegal, i, std::nullopt, "",
                  name_of(program, i) + " is illegal: " + describe_rule(number_of(*rule))});
  }
  const std::uint32_t last = entry.first_insn + entry.insn_count - 1;
  if (!std::holds_alternative<FinishInsn>(program.insns[last]))
    findings.add({FindingKind::Illegal, last, std::nullopt, "",
                  name_of(program, last) + " is the last one, needs to be finish"});
  return legal;
}

}  // namespace

std::string_view to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::Illegal:
      return "illegal";
    case FindingKind::Unreachable:
      return "unreachable";
    case FindingKind::Deadlock:
      return "deadlock";
    case FindingKind::TokenLeft:
      return "token_left";
    case FindingKind::SramBounds:
      return "sram_bounds";
    case FindingKind::WindowBounds:
      return "window_bounds";
    case FindingKind::Unwritten:
      return "unwritten";
    case FindingKind::ResultMissing:
      return "result_missing";
    case FindingKind::Unordered:
      return "unordered";
  }
  return "";
}

void Findings::add(Finding finding) {
  if (report_.findings.size() < max_) report_.findings.push_back(std::move(finding));
  ++report_.total;
}

std::string name_of(const Program& program, std::uint32_t insn) {
  const std::string source = program.source_map.describe(insn);
  return "instruction " + std::to_string(insn) + " (" +
         std::string(to_string(opcode_of(program.insns[insn]))) + ")" +
         (source.empty() ? "" : " of " + source);
}

std::string Report::text() const {
  std::string text;
  for (const Finding& f : findings) text += f.message + "\n";
  if (total > findings.size()) text += "and " + std::to_string(total - findings.size()) + " more\n";
  return text;
}

Report verify(const Program& program, const VerifyOptions& options) {
  VDLA_CHECK_USER(!program.insns.empty()) << "the program has no instruction, needs at least finish";
  Report report;
  Findings findings(report, options.max_findings);
  std::vector<EntryPoint> entries = program.entries;
  if (entries.empty()) entries.push_back({"", 0, static_cast<std::uint32_t>(program.insns.size())});
  const std::vector<Uop> uops = expand(program.kernels);
  WindowShadows windows;
  if (options.defined)
    for (const WindowBytes& bytes : *options.defined)
      if (bytes.begin < bytes.end)
        windows[static_cast<std::size_t>(bytes.window)].visit(
            std::array{Interval{bytes.begin, bytes.end}},
            [](std::uint64_t, std::uint64_t, History& h) { h.defined = true; });
  for (const EntryPoint& entry : entries) {
    VDLA_CHECK_USER(entry.insn_count >= 1 &&
                    std::uint64_t{entry.first_insn} + entry.insn_count <= program.insns.size())
        << "entry '" << entry.name << "' is not inside the program";
    if (!check_legality(program, entry, findings)) continue;
    const std::uint32_t count = check_end(program, entry, findings);
    const TokenRun run =
        run_tokens(std::span(program.insns).subspan(entry.first_insn, count), program.geometry);
    check_tokens(program, entry.first_insn, run, findings);
    EntryChecker(program, entry, uops, run, windows, options.defined.has_value(), findings).run();
  }
  check_results(program, entries.back().first_insn + entries.back().insn_count - 1, options, windows,
                findings);
  return report;
}

void require_verified(const Program& program, const VerifyOptions& options) {
  const Report report = verify(program, options);
  VDLA_CHECK_USER(report.clean()) << "the program does not verify:\n" << report.text();
}

}  // namespace vdla::isa
