// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/checker.h"

#include <algorithm>

#include "isa/codec/codec.h"
#include "isa/semantics/nest.h"
#include "isa/spec/operations.h"
#include "support/overloaded.h"

namespace vdla::sim {

using isa::Buffer;

namespace {

std::string name_of(Buffer buffer, unsigned index) {
  return std::string(to_string(buffer)) + "[" + std::to_string(index) + "]";
}

std::string name_of(isa::Window window, std::uint64_t offset) {
  return std::string(to_string(window)) + " byte " + std::to_string(offset);
}

}  // namespace

std::string_view to_string(CheckKind kind) {
  switch (kind) {
    case CheckKind::Unordered:
      return "unordered";
    case CheckKind::Unwritten:
      return "unwritten";
    case CheckKind::TokenLeft:
      return "token_left";
    case CheckKind::Unreachable:
      return "unreachable";
  }
  return "";
}

Checker::Checker(const isa::Geometry& geometry)
    : geometry_(geometry), all_rows_(static_cast<Rows>((1u << geometry.batch) - 1)) {}

Checker::Page& Checker::page(std::uint64_t address) {
  std::unique_ptr<Page>& page = pages_[address / kPageBytes];
  if (page == nullptr) page = std::make_unique<Page>();
  return *page;
}

bool Checker::defined(std::uint64_t address, std::uint64_t bytes) const {
  for (std::uint64_t a = address; a < address + bytes; ++a) {
    const auto found = pages_.find(a / kPageBytes);
    if (found == pages_.end() || !found->second->defined[a % kPageBytes]) return false;
  }
  return true;
}

void Checker::host_wrote(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t a = address; a < address + bytes; ++a) page(a).defined[a % kPageBytes] = true;
}

/// Nothing is known of the buffers, and what went before has completed.
void Checker::start(const isa::Windows& windows) {
  windows_ = windows;
  for (const isa::NamedCode& row : isa::kBuffers)
    buffers_[row.code].assign(geometry_.depth(static_cast<Buffer>(row.code)), {});
  for (auto& [address, page] : pages_) {
    page->reads.fill(0);
    page->writes.fill(0);
  }
  clocks_ = {};
  for (auto& list : insns_) list.clear();
  tokens_ = {};
  inflight_ = {};
}

void Checker::pop(unsigned from, unsigned unit) {
  std::deque<Token>& channel = tokens_[from][unit];
  for (std::size_t v = 0; v < kUnits; ++v)
    clocks_[unit][v] = std::max(clocks_[unit][v], channel.front().clock[v]);
  channel.pop_front();
}

void Checker::push(unsigned unit, unsigned to) { tokens_[unit][to].push_back(inflight_[unit].front()); }

void Checker::retire(unsigned unit) { inflight_[unit].pop_front(); }

void Checker::execute(unsigned unit, std::uint32_t insn, const isa::Insn& what, const isa::Sram& sram) {
  unit_ = unit;
  insn_ = insn;
  insns_[unit].push_back(insn);
  // From here on the unit knows of its own instruction: its accesses never race with themselves.
  clocks_[unit][unit] = static_cast<std::uint32_t>(insns_[unit].size());
  inflight_[unit].push_back({clocks_[unit], insn});
  std::visit(overloaded{
                 [&](const isa::MemoryInsn& i) { run(i); },
                 [&](const isa::GemmInsn& i) { run(i, sram); },
                 [&](const isa::VectorInsn& i) { run(i); },
                 [](const isa::FinishInsn&) {},
             },
             what);
}

void Checker::finish(std::uint32_t insn, std::uint32_t count) {
  if (insn + 1 < count) {
    insn_ = insn + 1;
    add(CheckKind::Unreachable, insn, "");
  }
  for (unsigned from = 0; from < kUnits; ++from)
    for (unsigned to = 0; to < kUnits; ++to)
      for (const Token& token : tokens_[from][to]) {
        insn_ = token.insn;
        add(CheckKind::TokenLeft, std::nullopt,
            "channel " + std::string(to_string(static_cast<isa::Unit>(from))) + "->" +
                std::string(to_string(static_cast<isa::Unit>(to))));
      }
}

/// Each run of bytes until the engine would stop at one.
void Checker::run(const isa::MemoryInsn& insn) {
  const unsigned piece = isa::piece_bytes(insn, geometry_);
  const bool load = insn.opcode == isa::Opcode::Load;
  isa::for_each_run(insn, geometry_, [&](const isa::MemoryRun& run) {
    const std::uint64_t bytes = std::uint64_t{insn.run} * piece;
    if (!run.pad && !isa::inside(windows_[static_cast<unsigned>(insn.window)], run.offset, bytes))
      return false;
    for (unsigned r = 0; r < insn.run; ++r)
      if (entry(insn.buffer, static_cast<std::uint16_t>(run.entry + r)) == nullptr) return false;
    if (load && !run.pad) read_bytes(insn, run.offset, bytes);
    for (unsigned r = 0; r < insn.run; ++r) {
      const auto index = static_cast<std::uint16_t>(run.entry + r);
      EntryState& state = *entry(insn.buffer, index);
      const auto row = static_cast<Rows>(1u << run.row);
      if (load) {
        write(insn.buffer, index);
        state.rows |= row;
      } else {
        read(insn.buffer, index);
        if ((state.rows & row) == 0) unwritten(insn.buffer, index);
      }
    }
    if (!load) write_bytes(insn, run.offset, bytes);
    return true;
  });
}

void Checker::run(const isa::GemmInsn& insn, const isa::Sram& sram) {
  isa::for_each_iteration(insn.levels, [&](const isa::Counters& c) {
    for (unsigned u = 0; u < insn.uop_count; ++u) {
      const auto index = static_cast<std::uint16_t>(insn.uop_begin + u);
      if (entry(Buffer::Uop, index) == nullptr) return false;
      read(Buffer::Uop, index);
      const isa::GemmStep step = gemm_step_at(insn, c, u, isa::decode_uop(sram.uop[index]));
      EntryState* acc = entry(Buffer::Acc, step.acc);
      const EntryState* inp = entry(Buffer::Inp, step.inp);
      if (acc == nullptr || inp == nullptr || entry(Buffer::Wgt, step.wgt) == nullptr) return false;
      read(Buffer::Inp, step.inp);
      read(Buffer::Wgt, step.wgt);
      if (!step.first) read(Buffer::Acc, step.acc);
      write(Buffer::Acc, step.acc);
      acc->rows = static_cast<Rows>((step.first ? all_rows_ : acc->rows) & inp->rows);
    }
    return true;
  });
}

void Checker::run(const isa::VectorInsn& insn) {
  const unsigned parameters = isa::par_entries(insn.op, insn.b_kind);
  const bool accumulates = isa::reads_accumulator(insn.op, insn.dst_buffer);
  isa::for_each_iteration(insn.levels, [&](const isa::Counters& c) {
    const isa::VectorStep step = vector_step_at(insn, c);
    EntryState* dst = entry(insn.dst_buffer, step.dst);
    const EntryState* a = entry(insn.a_buffer, step.a);
    if (dst == nullptr || a == nullptr) return false;
    for (unsigned p = 0; p < parameters; ++p)
      if (entry(Buffer::Par, static_cast<std::uint16_t>(step.b + p)) == nullptr) return false;
    read(insn.a_buffer, step.a);
    for (unsigned p = 0; p < parameters; ++p) read(Buffer::Par, static_cast<std::uint16_t>(step.b + p));
    const bool accumulate = accumulates && !step.first;
    if (accumulate) read(insn.dst_buffer, step.dst);
    const Rows rows = static_cast<Rows>((accumulate ? dst->rows : all_rows_) & a->rows);
    write(insn.dst_buffer, step.dst);
    dst->rows = rows;
    return true;
  });
}

/// Null where the engine stops.
Checker::EntryState* Checker::entry(Buffer buffer, unsigned index) {
  std::vector<EntryState>& entries = buffers_[static_cast<std::size_t>(buffer)];
  return index < entries.size() ? &entries[index] : nullptr;
}

void Checker::read(Buffer buffer, unsigned index) {
  EntryState& state = *entry(buffer, index);
  order(state.writes, buffer, index);
  state.reads[unit_] = clocks_[unit_][unit_];
  if (state.rows == 0) unwritten(buffer, index);
}

void Checker::unwritten(Buffer buffer, unsigned index) {
  add(CheckKind::Unwritten, std::nullopt, name_of(buffer, index));
}

void Checker::write(Buffer buffer, unsigned index) {
  EntryState& state = *entry(buffer, index);
  order(state.writes, buffer, index);
  order(state.reads, buffer, index);
  state.writes[unit_] = clocks_[unit_][unit_];
}

/// Each unit's last access must be known to have completed.
void Checker::order(const Clock& accesses, Buffer buffer, unsigned index) {
  for (std::size_t v = 0; v < kUnits; ++v)
    if (accesses[v] > clocks_[unit_][v])
      add(CheckKind::Unordered, insns_[v][accesses[v] - 1], name_of(buffer, index));
}

void Checker::order_byte(isa::Unit unit, std::uint32_t access, isa::Window window, std::uint64_t offset) {
  const auto v = static_cast<std::size_t>(unit);
  if (access > clocks_[unit_][v]) add(CheckKind::Unordered, insns_[v][access - 1], name_of(window, offset));
}

void Checker::read_bytes(const isa::MemoryInsn& insn, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t base = windows_[static_cast<unsigned>(insn.window)].base;
  Page* page = nullptr;
  for (std::uint64_t i = offset; i < offset + bytes; ++i) {
    const std::uint64_t at = (base + i) % kPageBytes;
    if (page == nullptr || at == 0) page = &this->page(base + i);
    order_byte(isa::Unit::Store, page->writes[at], insn.window, i);
    page->reads[at] = clocks_[unit_][unit_];
    if (!page->defined[at]) add(CheckKind::Unwritten, std::nullopt, name_of(insn.window, i));
  }
}

void Checker::write_bytes(const isa::MemoryInsn& insn, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t base = windows_[static_cast<unsigned>(insn.window)].base;
  Page* page = nullptr;
  for (std::uint64_t i = offset; i < offset + bytes; ++i) {
    const std::uint64_t at = (base + i) % kPageBytes;
    if (page == nullptr || at == 0) page = &this->page(base + i);
    order_byte(isa::Unit::Load, page->reads[at], insn.window, i);
    page->writes[at] = clocks_[unit_][unit_];
    page->defined[at] = true;
  }
}

void Checker::add(CheckKind kind, std::optional<std::uint32_t> other, std::string resource) {
  if (!known_.emplace(kind, insn_, other.value_or(UINT32_MAX)).second) return;
  findings_.push_back({kind, insn_, other, std::move(resource)});
}

}  // namespace vdla::sim
