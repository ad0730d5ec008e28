// SPDX-License-Identifier: Apache-2.0
#include "isa/verify/entry_checker.h"

#include <fmt/format.h>

#include "isa/semantics/nest.h"

namespace vdla::isa {
namespace {

std::string range_text(std::string_view what, std::uint64_t begin, std::uint64_t end, bool dram) {
  if (dram) return fmt::format("{} bytes {} to {}", what, begin, end - 1);
  return end == begin + 1 ? fmt::format("{}[{}]", what, begin)
                          : fmt::format("{}[{}..{}]", what, begin, end - 1);
}

bool all_written(const Intervals& intervals, Shadow& shadow) {
  bool all = true;
  for (const Interval& interval : intervals)
    shadow.visit(interval, [&](std::uint64_t, std::uint64_t, const History& h) { all = all && h.defined; });
  return all;
}

/// Whether reads of a window need an earlier write: the driver fills the others.
bool starts_undefined(Window window) {
  return window == Window::Act || window == Window::Output || window == Window::Spare0 ||
         window == Window::Spare1;
}

}  // namespace

EntryChecker::EntryChecker(const Program& program, const EntryPoint& entry, const std::vector<Uop>& uops,
                           const TokenRun& run, const VerifyOptions& options, Findings& findings)
    : program_(program),
      entry_(entry),
      image_(uops),
      tokens_(run),
      options_(options),
      findings_(findings),
      uop_sram_(program.geometry.uop_depth) {
  if (options.defined)
    for (const DefinedBytes& bytes : *options.defined) define(bytes);
}

void EntryChecker::define(const DefinedBytes& bytes) {
  if (bytes.begin >= bytes.end) return;
  windows_[static_cast<std::size_t>(bytes.window)].visit(
      {bytes.begin, bytes.end}, [](std::uint64_t, std::uint64_t, History& h) { h.defined = true; });
}

void EntryChecker::run() {
  for (std::uint32_t i = entry_.first_insn; i < entry_.first_insn + entry_.insn_count; ++i) check_insn(i);
}

/// What is in the micro-op buffer when the instruction runs in program order; false when some of it is
/// unknown.
bool EntryChecker::gemm_uops(std::uint32_t i, const GemmInsn& gemm, std::vector<Uop>& uops) {
  for (unsigned u = 0; u < gemm.uop_count; ++u) {
    const std::optional<Uop>& uop = uop_sram_[gemm.uop_begin + u];
    if (!uop) {
      const std::string resource = range_text("uop", gemm.uop_begin + u, gemm.uop_begin + u + 1u, false);
      findings_.add(
          {FindingKind::Unwritten, i, std::nullopt, resource,
           name_of(program_, i) + " uses " + resource + ", which no load from window uop has written"});
      return false;
    }
    uops.push_back(*uop);
  }
  return true;
}

void EntryChecker::check_insn(std::uint32_t i) {
  const Insn& insn = program_.insns[i];
  std::vector<Uop> uops;
  const auto* gemm = std::get_if<GemmInsn>(&insn);
  if (gemm != nullptr && !gemm_uops(i, *gemm, uops)) return;
  if (const auto access = dram_access(insn, program_.geometry)) check_dram(i, *access);
  // Reads first: an instruction may overwrite what it read.
  const std::vector<SramAccess> accesses = sram_accesses(insn, uops, program_.geometry);
  for (bool write : {false, true})
    for (const SramAccess& access : accesses)
      if (access.write == write) check_sram(i, access, uops);
  const auto* move = std::get_if<MemoryInsn>(&insn);
  if (move != nullptr && move->buffer == Buffer::Uop) load_uops(*move);
}

void EntryChecker::check_sram(std::uint32_t i, const SramAccess& access, std::span<const Uop> uops) {
  const std::string_view what = to_string(access.buffer);
  const std::int64_t depth = program_.geometry.depth(access.buffer);
  const std::int64_t low = access.box.lowest(), high = access.box.highest();
  if (low < 0 || high >= depth) {
    const std::string resource = fmt::format("{}[{}]", what, low < 0 ? low : high);
    findings_.add(
        {FindingKind::SramBounds, i, std::nullopt, resource,
         fmt::format("{} reaches {}, the buffer has {} entries", name_of(program_, i), resource, depth)});
    return;
  }
  Shadow& shadow = buffers_[static_cast<std::size_t>(access.buffer)];
  const Insn& insn = program_.insns[i];
  const Intervals touched = intervals_of(access.box, static_cast<std::uint64_t>(depth));
  if (access.write) {
    require_written(i, accumulated_entries(insn, uops, program_.geometry), shadow, what, false);
  } else {
    const auto* vector = std::get_if<VectorInsn>(&insn);
    const bool own =
        vector != nullptr && access.buffer == vector->a_buffer && vector->a_buffer == vector->dst_buffer;
    const bool steps_matter = own && !all_written(touched, shadow);
    require_written(i, steps_matter ? operand_entries(*vector) : touched, shadow, what, false);
  }
  note_access(i, access.write, touched, shadow, what, false);
}

void EntryChecker::check_dram(std::uint32_t i, const DramAccess& access) {
  const std::string_view what = to_string(access.window);
  const std::uint64_t size = program_.window_size(access.window);
  const auto end = static_cast<std::uint64_t>(access.box.highest()) + 1;
  if (end > size) {
    const std::string resource = range_text(what, end - 1, end, true);
    findings_.add({FindingKind::WindowBounds, i, std::nullopt, resource,
                   fmt::format("{} reaches byte {} of window {}, which has {}", name_of(program_, i), end - 1,
                               what, size)});
    return;
  }
  Shadow& shadow = windows_[static_cast<std::size_t>(access.window)];
  const Intervals touched = intervals_of(access.box, UINT64_MAX);
  if (!access.write && options_.defined && starts_undefined(access.window))
    require_written(i, touched, shadow, what, true);
  note_access(i, access.write, touched, shadow, what, true);
}

void EntryChecker::require_written(std::uint32_t i, const Intervals& intervals, Shadow& shadow,
                                   std::string_view what, bool dram) {
  for (const Interval& interval : intervals) {
    std::optional<Interval> unwritten;
    shadow.visit(interval, [&](std::uint64_t begin, std::uint64_t end, const History& h) {
      if (!h.defined && !unwritten) unwritten = Interval{begin, end};
    });
    if (!unwritten) continue;
    const std::string resource = range_text(what, unwritten->begin, unwritten->end, dram);
    findings_.add({FindingKind::Unwritten, i, std::nullopt, resource,
                   name_of(program_, i) + " reads " + resource + ", which nothing has written"});
    return;
  }
}

/// Whether `earlier` (an index in the program) has completed when `later` starts.
bool EntryChecker::ordered(std::int32_t earlier, std::uint32_t later) const {
  const auto unit = static_cast<std::size_t>(unit_of(program_.insns[static_cast<std::size_t>(earlier)]));
  const std::size_t e = static_cast<std::size_t>(earlier) - entry_.first_insn;
  return tokens_.positions[e] < tokens_.started[later - entry_.first_insn][unit];
}

void EntryChecker::note_access(std::uint32_t i, bool write, const Intervals& intervals, Shadow& shadow,
                               std::string_view what, bool dram) {
  const auto unit = static_cast<std::size_t>(unit_of(program_.insns[i]));
  const bool known = tokens_.waits.empty();
  std::optional<Finding> finding;
  for (const Interval& interval : intervals) {
    shadow.visit(interval, [&](std::uint64_t begin, std::uint64_t end, History& h) {
      for (std::size_t v = 0; v < kQueueUnits && known && !finding; ++v) {
        if (v == unit) continue;
        const bool after_write = h.writes[v] != History::kNone && !ordered(h.writes[v], i);
        const bool after_read = write && h.reads[v] != History::kNone && !ordered(h.reads[v], i);
        if (!after_write && !after_read) continue;
        const std::int32_t other = after_write ? h.writes[v] : h.reads[v];
        const std::string resource = range_text(what, begin, end, dram);
        finding = Finding{FindingKind::Unordered, i, static_cast<std::uint32_t>(other), resource,
                          fmt::format("{} {} {} that {} {}, and no token orders them", name_of(program_, i),
                                      write ? "writes" : "reads", resource,
                                      name_of(program_, static_cast<std::uint32_t>(other)),
                                      after_write ? "writes" : "reads")};
      }
      (write ? h.writes : h.reads)[unit] = static_cast<std::int32_t>(i);
      h.defined = h.defined || write;
    });
    shadow.join(interval);
  }
  if (finding) findings_.add(std::move(*finding));
}

/// Follows the contents of the micro-op buffer: only whole micro-ops of window uop are known.
void EntryChecker::load_uops(const MemoryInsn& insn) {
  for_each_run(insn, program_.geometry, [&](const MemoryRun& run) {
    for (unsigned r = 0; r < insn.run; ++r) {
      const auto entry = static_cast<std::uint16_t>(run.entry + r);
      if (entry >= uop_sram_.size()) return false;  // reported as out of bounds
      const std::uint64_t index = run.offset / kUopBytes + r;
      const bool whole =
          !run.pad && insn.window == Window::Uop && run.offset % kUopBytes == 0 && index < image_.size();
      uop_sram_[entry] = whole ? std::optional(image_[index]) : std::nullopt;
    }
    return true;
  });
}

}  // namespace vdla::isa
