// SPDX-License-Identifier: Apache-2.0
#include "isa/coverage/directed.h"

#include <algorithm>

#include "isa/coverage/axes.h"
#include "isa/random/draw.h"
#include "isa/random/order.h"
#include "isa/semantics/execute.h"
#include "isa/spec/operations.h"
#include "isa/verify/footprint.h"
#include "support/bits.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

constexpr std::uint64_t kWindowBytes = 64 << 10;
/// Examples in one program.
constexpr std::size_t kBatch = 40;
/// Steps or runs of an instruction that keeps a unit busy while others fill queues and channels.
constexpr std::uint16_t kLongSteps = 4000, kLongRuns = 2000;
/// More than the instructions of a unit that can be in flight beside those in its queue.
constexpr unsigned kInFlight = 20;
/// Views of acc, as entries of par: bits 8*i+7..8*i of each accumulator.
constexpr unsigned kViews = 4;

constexpr std::array kDataWindows{Window::Act, Window::Input, Window::Output, Window::Spare0, Window::Spare1};

std::uint16_t u16(std::uint64_t v) { return static_cast<std::uint16_t>(v); }
std::size_t place_of(Window w) { return static_cast<std::size_t>(w); }

// Long: a method for each directed program over one list of instructions.
class Builder {
 public:
  Builder(std::string name, const Geometry& geometry, std::uint64_t seed) : geometry_(geometry), draw_(seed) {
    made_.name = std::move(name);
    Program& program = made_.program;
    program.geometry = geometry;
    program.kernels.push_back({Uop{}, {}});
    for (std::uint64_t left = geometry.uop_depth, part; left > 1; left -= part) {
      part = std::min<std::uint64_t>(left - 1, kMaxDepth / 2);
      program.kernels.push_back({Uop{}, {{u16(part), 0, 0, 0}}});
    }
    for (const Window w : kDataWindows) program.data_window_sizes[place_of(w)] = kWindowBytes;
    program.constants.resize(kWindowBytes);
    for (std::byte& b : program.constants) b = static_cast<std::byte>(draw_.bits());
    put_views();
    for (const Window w : kDataWindows) {
      auto& bytes = made_.contents[place_of(w)];
      bytes.resize(kWindowBytes);
      for (std::byte& b : bytes) b = static_cast<std::byte>(draw_.bits());
    }
    for (const Buffer b : {Buffer::Inp, Buffer::Wgt, Buffer::Out, Buffer::Par, Buffer::Uop})
      add(whole_load(b));
    add(whole_acc());
  }

  void add(const Insn& insn) { made_.program.insns.push_back(insn); }

  /// The example with what it needs before it and what the ones behind it need.
  void add(const CoverExample& example) {
    Insn insn = example.insn;
    set_tokens(insn, 0, 0);
    if (auto* gemm = std::get_if<GemmInsn>(&insn)) return add_gemm(*gemm, example.uops);
    auto* move = std::get_if<MemoryInsn>(&insn);
    if (move != nullptr) fit_window(*move);
    add(insn);
    if (move != nullptr && move->opcode == Opcode::Load && move->buffer == Buffer::Uop)
      add(whole_load(Buffer::Uop));
  }

  std::size_t size() const { return made_.program.insns.size(); }
  /// Instruction `i` counts for its tokens alone: they are set as they are after the others are ordered.
  void keep_tokens(std::size_t i, unsigned pop, unsigned push) { kept_.push_back({i, pop, push}); }

  DirectedProgram finish() {
    observe();
    add(Insn(FinishInsn{0, 0, static_cast<std::uint32_t>(draw_.bits())}));
    const bool fits = order_by_tokens(made_.program, draw_, 0);
    VDLA_CHECK(fits) << "directed program '" << made_.name << "' stands still";
    for (const Kept& k : kept_) set_tokens(made_.program.insns[k.insn], k.pop, k.push);
    return std::move(made_);
  }

  /// Whether an example needs windows of its own: it reaches beyond the ordinary ones.
  static bool is_far(const CoverExample& example, const Geometry& geometry) {
    const auto dram = dram_access(example.insn, geometry);
    return dram && static_cast<std::uint64_t>(dram->box.highest()) >= kWindowBytes;
  }

 private:
  struct Kept {
    std::size_t insn;
    unsigned pop, push;
  };

  /// Bias, multiplier and shifts that move eight bits of an accumulator into an int8.
  void put_views() {
    std::size_t at = 0;
    for (unsigned view = 0; view < kViews; ++view)
      for (const std::int32_t v : {0, 1 << 30, pack_shifts(8 * view, 23)})
        for (unsigned n = 0; n < geometry_.block_out; ++n, at += 4)
          store_le(std::span(made_.program.constants).subspan(at, 4), v);
  }

  /// Fills a buffer; what the window does not hold is read again.
  MemoryInsn whole_load(Buffer buffer) const {
    MemoryInsn i;
    i.buffer = buffer;
    i.window = buffer == Buffer::Uop                            ? Window::Uop
               : buffer == Buffer::Wgt || buffer == Buffer::Par ? Window::Const
                                                                : Window::Input;
    const unsigned depth = geometry_.depth(buffer), rows = geometry_.rows(buffer),
                   bytes = geometry_.piece_bytes(buffer);
    unsigned run = std::min(depth, kMaxDepth / 2);
    while (depth % run != 0 || std::uint64_t{run} * bytes * rows > kWindowBytes) --run;
    i.run = u16(run);
    i.x_count = u16(rows);
    i.x_dram_stride = run * bytes;
    i.y_count = u16(depth / run);
    i.y_sram_stride = u16(run);
    return i;
  }

  VectorInsn whole_acc() const {
    VectorInsn i;
    const unsigned part = std::min(geometry_.out_depth, geometry_.acc_depth);
    i.op = operation_named("mac");
    i.a_buffer = Buffer::Out;
    i.b_kind = VectorB::Imm;
    i.imm = 0x0123'4567;
    i.levels[3] = {u16(geometry_.acc_depth / part), u16(part), 0, 0};
    i.levels[4] = {u16(part), 1, 1, 0};
    return i;
  }

  void add_gemm(GemmInsn gemm, const std::vector<Uop>& uops) {
    const bool plain = std::ranges::all_of(uops, [](const Uop& u) { return u == Uop{}; });
    if (!plain) load_uops(uops, gemm.uop_begin);
    add(Insn(gemm));
    if (!plain) load_uops(std::vector<Uop>(uops.size()), gemm.uop_begin);
  }

  void load_uops(const std::vector<Uop>& uops, std::uint16_t entry) {
    const std::uint64_t first = made_.program.uop_count();
    for (const Uop& u : uops) made_.program.kernels.push_back({u, {}});
    MemoryInsn i;
    i.buffer = Buffer::Uop;
    i.window = Window::Uop;
    i.sram_base = entry;
    i.run = u16(uops.size());
    i.dram_offset = first * kUopBytes;
    add(Insn(i));
  }

  /// Into a spare window that is as large as it takes.
  void fit_window(MemoryInsn& move) {
    const auto dram = dram_access(Insn(move), geometry_);
    if (!dram) return;
    const auto end = static_cast<std::uint64_t>(dram->box.highest()) + 1;
    if (end <= made_.program.window_size(move.window)) return;
    const auto begin = static_cast<std::uint64_t>(dram->box.lowest()) & ~std::uint64_t{63};
    VDLA_CHECK(end - begin <= kWindowBytes) << "an example touches " << end - begin << " bytes";
    move.window = Window::Spare1;
    made_.origins[place_of(Window::Spare1)] = begin;
    made_.program.data_window_sizes[place_of(Window::Spare1)] = begin + kWindowBytes;
  }

  /// Stores out, acc in views, and inp.
  void observe() {
    MemoryInsn views = std::get<MemoryInsn>(smallest_insn(Opcode::Load));
    views.buffer = Buffer::Par;
    views.window = Window::Const;
    views.run = 3 * kViews;
    add(Insn(views));
    const unsigned part = std::min(geometry_.out_depth, geometry_.acc_depth);
    store_out(geometry_.out_depth);
    store_far(geometry_.out_depth);
    for (unsigned from = 0; from < geometry_.acc_depth; from += part)
      for (unsigned view = 0; view < kViews; ++view) {
        VectorInsn v = to_out(operation_named("scale"), Buffer::Acc, from, part);
        v.b_kind = VectorB::Par;
        v.b_base = u16(3 * view);
        add(Insn(v));
        store_out(part);
      }
    const bool square = geometry_.block_in == geometry_.block_out;
    const unsigned inp_part = std::min(geometry_.out_depth, geometry_.inp_depth);
    for (unsigned from = 0; from < geometry_.inp_depth; from += inp_part) {
      add(Insn(to_out(square ? kCopyOperation : operation_named("hsum"), Buffer::Inp, from, inp_part)));
      store_out(inp_part);
    }
  }

  VectorInsn to_out(VectorOp op, Buffer a, unsigned from, unsigned count) const {
    VectorInsn v;
    v.op = op;
    v.dst_buffer = Buffer::Out;
    v.a_buffer = a;
    v.a_base = u16(from);
    v.levels[4] = {u16(count), 1, 1, 0};
    return v;
  }

  /// out again and again without a gap, so that some burst is as long as bursts get.
  void store_far(unsigned count) {
    constexpr std::uint64_t kTwoBursts = 512;
    MemoryInsn i = std::get<MemoryInsn>(smallest_insn(Opcode::Store));
    const std::uint64_t bytes = std::uint64_t{count} * geometry_.piece_bytes(Buffer::Out);
    i.window = Window::Act;
    i.run = u16(count);
    i.z_count = u16((kTwoBursts + bytes - 1) / bytes);
    i.z_dram_stride = static_cast<std::uint32_t>(bytes);
    add(Insn(i));
  }

  /// `count` entries of out after what was stored before; from the start again when the window is full.
  void store_out(unsigned count) {
    MemoryInsn i = std::get<MemoryInsn>(smallest_insn(Opcode::Store));
    const std::uint64_t bytes = std::uint64_t{count} * geometry_.entry_bytes(Buffer::Out);
    if (stored_ + bytes > kWindowBytes) stored_ = 0;
    i.window = Window::Output;
    i.run = u16(count);
    i.x_count = u16(geometry_.rows(Buffer::Out));
    i.x_dram_stride = count * geometry_.piece_bytes(Buffer::Out);
    i.dram_offset = stored_;
    stored_ += bytes;
    add(Insn(i));
  }

  const Geometry& geometry_;
  Draw draw_;
  DirectedProgram made_;
  std::vector<Kept> kept_;
  std::uint64_t stored_ = 0;
};

/// Instructions of each unit that touch nothing of another's.
class Apart {
 public:
  explicit Apart(const Geometry& geometry) : geometry_(geometry) {}

  Insn small(Unit unit) const { return make(unit, 1, 1); }
  Insn slow(Unit unit) const { return make(unit, kLongSteps, kLongRuns); }

 private:
  Insn make(Unit unit, std::uint16_t steps, std::uint16_t runs) const {
    switch (unit) {
      case Unit::Load: {
        MemoryInsn i;
        i.buffer = Buffer::Par;
        i.window = Window::Const;
        i.sram_base = u16(geometry_.par_depth - 1);
        i.z_count = runs;
        return i;
      }
      case Unit::Gemm: {
        GemmInsn i;
        i.levels[4].count = steps;
        return i;
      }
      case Unit::Vector: {
        VectorInsn i;
        i.dst_base = u16(geometry_.acc_depth / 2);
        i.a_base = u16(geometry_.acc_depth / 2 + 1);
        i.levels[4].count = steps;
        return i;
      }
      default: {
        MemoryInsn i = std::get<MemoryInsn>(smallest_insn(Opcode::Store));
        i.window = Window::Output;
        i.z_count = runs;
        i.z_dram_stride = 2 * geometry_.piece_bytes(Buffer::Out);
        return i;
      }
    }
  }

  const Geometry& geometry_;
};

/// A program of instructions whose tokens are chosen, between the ones of each unit that take the tokens that
/// the surroundings need.
class TokenProgram {
 public:
  TokenProgram(std::string name, const Geometry& geometry)
      : apart_(geometry), builder_(std::move(name), geometry, 7) {
    add_all();
  }

  void add(const Insn& insn, unsigned pop = 0, unsigned push = 0) {
    builder_.keep_tokens(builder_.size(), pop, push);
    builder_.add(insn);
  }
  void small(unsigned unit, unsigned pop, unsigned push) {
    add(apart_.small(static_cast<Unit>(unit)), pop, push);
  }
  void slow(unsigned unit) { add(apart_.slow(static_cast<Unit>(unit))); }
  std::size_t size() const { return builder_.size(); }

  DirectedProgram finish() {
    add_all();
    return builder_.finish();
  }

 private:
  void add_all() {
    for (unsigned u = 0; u < kQueueUnits; ++u) builder_.add(apart_.small(static_cast<Unit>(u)));
  }

  Apart apart_;
  Builder builder_;
};

/// Every set of channels popped and pushed by one instruction of each unit.
void add_token_sets(const ProgramCoverage& cover, std::vector<DirectedProgram>& list) {
  const CoverTable& table = cover[CoverKind::Tokens];
  std::optional<TokenProgram> program;
  for (std::size_t p = 0; p < table.size(); ++p) {
    if (!table.reachable(p)) continue;
    if (!program) program.emplace("token sets", cover.geometry());
    const auto unit = static_cast<unsigned>(unit_of(kTokenOpcodes[table.index(p, 0)]));
    const auto pop = static_cast<unsigned>(table.index(p, 1)),
               push = static_cast<unsigned>(table.index(p, 2));
    for (unsigned v = 0; v < kQueueUnits; ++v)
      if ((pop >> v & 1u) != 0) program->small(v, 0, 1u << unit);
    program->small(unit, pop, push);
    for (unsigned v = 0; v < kQueueUnits; ++v)
      if ((push >> v & 1u) != 0) program->small(v, 1u << unit, 0);
    if (program->size() > 4 * kBatch) {
      list.push_back(program->finish());
      program.reset();
    }
  }
  if (program) list.push_back(program->finish());
}

/// Each channel full while its consumer works, and empty while its producer does; each queue full.
void add_token_states(const Geometry& geometry, std::vector<DirectedProgram>& list) {
  for (unsigned from = 0; from < kQueueUnits; ++from) {
    for (unsigned to = 0; to < kQueueUnits; ++to) {
      if (to == from) continue;
      TokenProgram program(
          std::string("channel ") + std::string(kUnits[from].text) + "->" + std::string(kUnits[to].text),
          geometry);
      program.slow(to);
      for (unsigned i = 0; i < geometry.token_depth + 2; ++i) program.small(from, 0, 1u << to);
      for (unsigned i = 0; i < geometry.token_depth + 2; ++i) program.small(to, 1u << from, 0);
      program.slow(from);
      program.small(from, 0, 1u << to);
      program.small(to, 1u << from, 0);
      list.push_back(program.finish());
    }
    TokenProgram program(std::string("queue of ") + std::string(kUnits[from].text), geometry);
    program.slow(from);
    for (unsigned i = 0; i < geometry.queue(static_cast<Unit>(from)) + kInFlight; ++i)
      program.small(from, 0, 0);
    list.push_back(program.finish());
  }
  TokenProgram banks("units side by side", geometry);
  for (unsigned u = 0; u < kQueueUnits; ++u) banks.slow(u);
  VectorInsn same_bank;
  same_bank.dst_base = same_bank.a_base = 1;
  same_bank.levels[4].count = kLongSteps;
  banks.slow(static_cast<unsigned>(Unit::Gemm));
  banks.add(same_bank);
  list.push_back(banks.finish());
}

void add_examples(const ProgramCoverage& cover, CoverKind kind, std::vector<DirectedProgram>& list) {
  const CoverTable& table = cover[kind];
  std::vector<CoverExample> examples;
  for (std::size_t p = 0; p < table.size(); ++p) {
    if (!table.reachable(p)) continue;
    CoverExample example = *cover.example(kind, p);
    if (std::holds_alternative<FinishInsn>(example.insn)) {
      continue;
    } else if (Builder::is_far(example, cover.geometry())) {
      Builder alone(table.label(p), cover.geometry(), p);
      alone.add(example);
      list.push_back(alone.finish());
    } else {
      examples.push_back(std::move(example));
    }
  }
  for (std::size_t from = 0; from < examples.size(); from += kBatch) {
    Builder batch(table.name() + " " + std::to_string(from), cover.geometry(), from);
    for (std::size_t i = from; i < std::min(from + kBatch, examples.size()); ++i) batch.add(examples[i]);
    list.push_back(batch.finish());
  }
}

}  // namespace

std::vector<DirectedProgram> directed_programs(const ProgramCoverage& cover) {
  std::vector<DirectedProgram> list;
  for (std::size_t k = 0; k < cover.tables().size(); ++k) {
    const auto kind = static_cast<CoverKind>(k);
    if (kind == CoverKind::Tokens)
      add_token_sets(cover, list);
    else if (kind != CoverKind::Rule && kind != CoverKind::Error)
      add_examples(cover, kind, list);
  }
  add_token_states(cover.geometry(), list);
  // the sequence numbers of FINISH are a field with two bounds
  for (std::size_t i = 0; i < list.size(); ++i)
    if (i < 2) std::get<FinishInsn>(list[i].program.insns.back()).sequence = i == 0 ? 0 : UINT32_MAX;
  return list;
}

}  // namespace vdla::isa
