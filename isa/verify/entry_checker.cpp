// SPDX-License-Identifier: Apache-2.0
#include "isa/verify/entry_checker.h"

#include <algorithm>

#include <fmt/format.h>

#include "isa/verify/rows.h"

namespace vdla::isa {
namespace {

std::string range_text(std::string_view what, std::uint64_t begin, std::uint64_t end, bool dram) {
  if (dram) return fmt::format("{} bytes {} to {}", what, begin, end - 1);
  return end == begin + 1 ? fmt::format("{}[{}]", what, begin)
                          : fmt::format("{}[{}..{}]", what, begin, end - 1);
}

/// Whether a store can write the window; the others the driver fills, and nothing changes them.
bool writable(Window window) {
  return window == Window::Act || window == Window::Output || window == Window::Spare0 ||
         window == Window::Spare1;
}

bool has_rows(Buffer buffer) {
  return buffer == Buffer::Inp || buffer == Buffer::Acc || buffer == Buffer::Out;
}

}  // namespace

EntryChecker::EntryChecker(const Program& program, const EntryPoint& entry, const std::vector<Uop>& uops,
                           const TokenRun& run, WindowShadows& windows, bool know_dram, Findings& findings)
    : program_(program),
      entry_(entry),
      tokens_(run),
      windows_(windows),
      know_dram_(know_dram),
      findings_(findings),
      uops_(program.geometry, uops) {
  for (const NamedCode& row : kBuffers)
    buffers_.emplace_back(program.geometry.depth(static_cast<Buffer>(row.code)));
}

void EntryChecker::run() {
  for (Shadow& window : windows_) window.forget();
  for (std::uint32_t i : tokens_.order) {
    insns_[static_cast<std::size_t>(unit_of(program_.insns[entry_.first_insn + i]))].push_back(
        entry_.first_insn + i);
    check_insn(entry_.first_insn + i);
  }
}

/// Whether it is known what the gemm does.
bool EntryChecker::check_uops(std::uint32_t i, const GemmInsn& gemm) {
  for (unsigned u = gemm.uop_begin; u < 0u + gemm.uop_begin + gemm.uop_count; ++u) {
    if (uops_.known(u)) continue;
    const std::string resource = range_text("uop", u, u + 1, false);
    findings_.add(
        {FindingKind::Unwritten, i, std::nullopt, resource,
         name_of(program_, i) + " uses " + resource + ", which no load from window uop has written"});
    return false;
  }
  return true;
}

void EntryChecker::check_insn(std::uint32_t i) {
  const Insn& insn = program_.insns[i];
  const auto* gemm = std::get_if<GemmInsn>(&insn);
  if (gemm != nullptr && !check_uops(i, *gemm)) return;
  const std::span<const Uop> uops = gemm != nullptr ? uops_.used(*gemm) : std::span<const Uop>();
  if (const auto access = dram_access(insn, program_.geometry)) check_dram(i, *access);
  const std::vector<SramAccess> accesses = sram_accesses(insn, uops, program_.geometry);
  if (!std::ranges::all_of(accesses, [&](const SramAccess& a) { return check_bounds(i, a); })) return;
  // Reads first: an instruction may overwrite what it read.
  for (bool write : {false, true})
    for (const SramAccess& access : accesses)
      if (access.write == write) check_sram(i, access, uops);
  const auto* move = std::get_if<MemoryInsn>(&insn);
  if (move == nullptr && program_.geometry.batch > 1) follow_rows(insn, uops, accesses);
  if (move != nullptr && move->buffer == Buffer::Uop) uops_.load(*move);
}

bool EntryChecker::check_bounds(std::uint32_t i, const SramAccess& access) {
  const std::int64_t depth = program_.geometry.depth(access.buffer);
  const std::int64_t low = access.box.lowest(), high = access.box.highest();
  if (low >= 0 && high < depth) return true;
  const std::string resource = fmt::format("{}[{}]", to_string(access.buffer), low < 0 ? low : high);
  findings_.add(
      {FindingKind::SramBounds, i, std::nullopt, resource,
       fmt::format("{} reaches {}, the buffer has {} entries", name_of(program_, i), resource, depth)});
  return false;
}

void EntryChecker::check_sram(std::uint32_t i, const SramAccess& access, std::span<const Uop> uops) {
  const Geometry& g = program_.geometry;
  BufferShadow& entries = shadow(access.buffer);
  const Insn& insn = program_.insns[i];
  const bool moves = std::holds_alternative<MemoryInsn>(insn);
  const auto unit = static_cast<std::size_t>(unit_of(insn));
  const std::size_t e = i - entry_.first_insn;
  const Intervals touched = intervals_of(access.box, g.depth(access.buffer));
  if (access.write) {
    require_written(i, accumulated_entries(insn, uops, g), access.buffer, 0);
  } else {
    const auto* vector = std::get_if<VectorInsn>(&insn);
    const bool own =
        vector != nullptr && access.buffer == vector->a_buffer && vector->a_buffer == vector->dst_buffer;
    const bool steps_matter = own && entries.find_unwritten(touched, 0);
    // Gemm and vector treat rows alike and apart: one that was never written spoils its own results alone.
    require_written(i, steps_matter ? operand_entries(*vector, g) : touched, access.buffer,
                    moves ? access.rows : RowMask{0});
  }
  if (const auto conflict = entries.find_conflict(touched, unit, access.write, tokens_.started[e]))
    add_unordered(i, access.write, insns_[conflict->unit][static_cast<std::size_t>(conflict->place)],
                  conflict->write,
                  range_text(to_string(access.buffer), conflict->where.begin, conflict->where.end, false));
  entries.note(touched, unit, access.write, tokens_.positions[e]);
  if (access.write && (moves || g.batch == 1)) entries.add_rows(touched, access.rows);
}

void EntryChecker::add_unordered(std::uint32_t i, bool writes, std::uint32_t other, bool other_writes,
                                 const std::string& resource) {
  findings_.add({FindingKind::Unordered, i, other, resource,
                 fmt::format("{} {} {} that {} {}, and no token orders them", name_of(program_, i),
                             writes ? "writes" : "reads", resource, name_of(program_, other),
                             other_writes ? "writes" : "reads")});
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
  const bool filled = access.window == Window::Const || access.window == Window::Uop;
  if (filled || (!writable(access.window) && !know_dram_)) return;
  const Intervals touched = intervals_of(access.box, UINT64_MAX);
  if (!access.write && know_dram_) require_written(i, touched, access.window);
  if (writable(access.window)) note_bytes(i, access.write, touched, access.window);
}

/// `rows` of each entry, or any of them (0).
void EntryChecker::require_written(std::uint32_t i, const Intervals& intervals, Buffer buffer, RowMask rows) {
  const auto unwritten = shadow(buffer).find_unwritten(intervals, rows);
  if (!unwritten) return;
  const bool partly = shadow(buffer).rows()[unwritten->begin] != 0;
  add_unwritten(i, range_text(to_string(buffer), unwritten->begin, unwritten->end, false),
                partly ? "some rows of which" : "which");
}

void EntryChecker::require_written(std::uint32_t i, const Intervals& intervals, Window window) {
  std::optional<Interval> unwritten;
  for (const Interval& interval : intervals)
    windows_[static_cast<std::size_t>(window)].look(
        interval, [&](std::uint64_t begin, std::uint64_t end, const History& h) {
          if (!h.defined && !unwritten) unwritten = Interval{begin, end};
        });
  if (unwritten)
    add_unwritten(i, range_text(to_string(window), unwritten->begin, unwritten->end, true), "which");
}

void EntryChecker::add_unwritten(std::uint32_t i, const std::string& resource, std::string_view which) {
  findings_.add({FindingKind::Unwritten, i, std::nullopt, resource,
                 fmt::format("{} reads {}, {} nothing has written", name_of(program_, i), resource, which)});
}

/// Whether `earlier` (an index in the program) has completed when `later` starts.
bool EntryChecker::ordered(std::int32_t earlier, std::uint32_t later) const {
  const auto unit = static_cast<std::size_t>(unit_of(program_.insns[static_cast<std::size_t>(earlier)]));
  const std::size_t e = static_cast<std::size_t>(earlier) - entry_.first_insn;
  return tokens_.positions[e] < tokens_.started[later - entry_.first_insn][unit];
}

void EntryChecker::note_bytes(std::uint32_t i, bool write, const Intervals& intervals, Window window) {
  const auto unit = static_cast<std::size_t>(unit_of(program_.insns[i]));
  Shadow& bytes = windows_[static_cast<std::size_t>(window)];
  bool found = false;
  bytes.visit(intervals, [&](std::uint64_t begin, std::uint64_t end, History& h) {
    for (std::size_t v = 0; v < kQueueUnits && !found; ++v) {
      if (v == unit) continue;
      const bool after_write = h.writes[v] != History::kNone && !ordered(h.writes[v], i);
      const bool after_read = write && h.reads[v] != History::kNone && !ordered(h.reads[v], i);
      found = after_write || after_read;
      if (found)
        add_unordered(i, write, static_cast<std::uint32_t>(after_write ? h.writes[v] : h.reads[v]),
                      after_write, range_text(to_string(window), begin, end, true));
    }
    (write ? h.writes : h.reads)[unit] = static_cast<std::int32_t>(i);
    h.defined = h.defined || write;
  });
}

/// Rows of what gemm or vector computed: all of them, but for results of operands that were written in part.
void EntryChecker::follow_rows(const Insn& insn, std::span<const Uop> uops,
                               std::span<const SramAccess> accesses) {
  const Geometry& g = program_.geometry;
  const RowMask all = all_rows(g.batch);
  const SramAccess& result = accesses.front();
  BufferShadow& results = shadow(result.buffer);
  bool whole = !results.find_unwritten(accumulated_entries(insn, uops, g), all);
  for (const SramAccess& access : accesses)
    if (!access.write && has_rows(access.buffer))
      whole = whole &&
              !shadow(access.buffer).find_unwritten(intervals_of(access.box, g.depth(access.buffer)), all);
  if (whole) return results.add_rows(intervals_of(result.box, g.depth(result.buffer)), all);
  BufferRows rows;
  for (Buffer buffer : {Buffer::Inp, Buffer::Acc, Buffer::Out})
    rows[static_cast<std::size_t>(buffer)] = shadow(buffer).rows();
  compute_rows(insn, uops, g, rows);
  results.rows() = std::move(rows[static_cast<std::size_t>(result.buffer)]);
}

}  // namespace vdla::isa
