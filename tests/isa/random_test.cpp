// SPDX-License-Identifier: Apache-2.0
// Random programs: the same for a seed, clean for the verifier, independent of timing when units run in any
// order that tokens allow; a removed token is found by the verifier whenever it can matter.
#include "isa/random/faulty.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/codec/members.h"
#include "isa/random/draw.h"
#include "isa/semantics/execute.h"
#include "isa/semantics/nest.h"
#include "isa/spec/errors.h"
#include "isa/spec/operations.h"
#include "isa/verify/verify.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

Geometry tiny() {
  Geometry g;
  g.block_in = g.block_out = 4;
  g.inp_depth = g.acc_depth = g.uop_depth = 256;
  g.wgt_depth = g.out_depth = g.par_depth = 64;
  return g;
}

Geometry oblong() {
  Geometry g = tiny();
  g.batch = 4;
  g.block_in = 8;
  g.token_depth = 4;
  g.queue_depth = 4;
  return g;
}

Geometry array(unsigned batch, unsigned block_in, unsigned block_out) {
  Geometry g = tiny();
  g.batch = batch;
  g.block_in = block_in;
  g.block_out = block_out;
  return g;
}

class FlatMemory final : public Memory {
 public:
  explicit FlatMemory(std::size_t size) : bytes(size) {}
  bool read(std::uint64_t address, std::span<std::byte> to) override {
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(address), to.size(), to.begin());
    return true;
  }
  bool write(std::uint64_t address, std::span<const std::byte> from) override {
    std::copy(from.begin(), from.end(), bytes.begin() + static_cast<std::ptrdiff_t>(address));
    return true;
  }
  std::vector<std::byte> bytes;
};

struct State {
  explicit State(const RandomProgram& r) : sram(r.program.geometry), memory(total(r)) {
    std::uint64_t at = 0;
    for (const NamedCode& row : kWindows) {
      const auto w = static_cast<Window>(row.code);
      windows[row.code] = {at, r.program.window_size(w)};
      const std::vector<std::byte> bytes = w == Window::Uop     ? uop_image(r.program)
                                           : w == Window::Const ? r.program.constants
                                           : w == Window::Insn  ? insn_image(r.program)
                                                                : r.contents[row.code];
      EXPECT_EQ(bytes.size(), windows[row.code].size) << row.text;
      memory.write(at, bytes);
      at += windows[row.code].size;
    }
  }
  static std::size_t total(const RandomProgram& r) {
    std::size_t sum = 0;
    for (const NamedCode& row : kWindows) sum += r.program.window_size(static_cast<Window>(row.code));
    return sum;
  }
  Sram sram;
  Windows windows{};
  FlatMemory memory;
};

/// Runs the units in a random order that tokens and queues allow. False when they stand still.
bool run_any_order(const Program& p, State& s, Draw& draw) {
  std::array<std::vector<std::size_t>, kQueueUnits> queues;
  for (std::size_t i = 0; i < p.insns.size(); ++i)
    if (const auto u = static_cast<std::size_t>(unit_of(p.insns[i])); u < kQueueUnits) queues[u].push_back(i);
  std::array<std::size_t, kQueueUnits> at{};
  int channels[kQueueUnits][kQueueUnits] = {};
  const auto ready = [&](std::size_t u) {
    if (at[u] == queues[u].size()) return false;
    const Insn& insn = p.insns[queues[u][at[u]]];
    for (std::size_t v = 0; v < kQueueUnits; ++v) {
      if ((pops_of(insn) >> v & 1u) != 0 && channels[v][u] == 0) return false;
      if ((pushes_of(insn) >> v & 1u) != 0 && channels[u][v] == static_cast<int>(p.geometry.token_depth))
        return false;
    }
    return true;
  };
  while (true) {
    std::vector<std::size_t> candidates;
    for (std::size_t u = 0; u < kQueueUnits; ++u)
      if (ready(u)) candidates.push_back(u);
    if (candidates.empty()) break;
    const std::size_t u = candidates[static_cast<std::size_t>(
        draw.between(0, static_cast<std::int64_t>(candidates.size()) - 1))];
    const Insn& insn = p.insns[queues[u][at[u]++]];
    EXPECT_EQ(execute(insn, s.sram, s.windows, s.memory), std::nullopt);
    for (std::size_t v = 0; v < kQueueUnits; ++v) {
      channels[v][u] -= static_cast<int>(pops_of(insn) >> v & 1u);
      channels[u][v] += static_cast<int>(pushes_of(insn) >> v & 1u);
    }
  }
  for (std::size_t u = 0; u < kQueueUnits; ++u)
    if (at[u] != queues[u].size()) return false;
  return true;
}

State run_in_program_order(const RandomProgram& r) {
  State s(r);
  for (const Insn& insn : r.program.insns)
    EXPECT_EQ(execute(insn, s.sram, s.windows, s.memory), std::nullopt);
  return s;
}

TEST(Random, SameSeedSameProgram) {
  RandomOptions options;
  options.seed = 7;
  const RandomProgram a = random_program(tiny(), options), b = random_program(tiny(), options);
  EXPECT_EQ(a.program, b.program);
  EXPECT_EQ(a.contents, b.contents);
  options.seed = 8;
  EXPECT_NE(random_program(tiny(), options).program, a.program);
  // The generator's numbers do not depend on the platform.
  EXPECT_EQ(Draw(1).bits(), 0x910a2dec89025cc1ull);
}

TEST(Random, ProgramsAreCleanOnAllGeometries) {
  Geometry wide;
  wide.block_in = wide.block_out = 32;
  wide.wgt_depth = 32;
  for (const Geometry& g : {tiny(), Geometry{}, oblong(), wide})
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      RandomOptions options;
      options.seed = seed;
      const RandomProgram r = random_program(g, options);
      check(r.program);
      const Report report = verify(r.program);
      ASSERT_TRUE(report.clean()) << "seed " << seed << "\n" << report.text();
    }
}

TEST(Random, ResultsDoNotDependOnTheOrderThatTokensAllow) {
  for (const Geometry& g : {tiny(), oblong()})
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      RandomOptions options;
      options.seed = seed;
      const RandomProgram r = random_program(g, options);
      const State expected = run_in_program_order(r);
      for (std::uint64_t order = 0; order < 8; ++order) {
        State s(r);
        Draw draw(order);
        ASSERT_TRUE(run_any_order(r.program, s, draw)) << "seed " << seed;
        ASSERT_EQ(s.sram, expected.sram) << "seed " << seed << " order " << order;
        ASSERT_EQ(s.memory.bytes, expected.memory.bytes) << "seed " << seed << " order " << order;
      }
    }
}

/// Removes the k-th token of a channel on both sides.
bool remove_token(Program& p, Draw& draw) {
  const auto from = static_cast<unsigned>(draw.between(0, 3)), to = static_cast<unsigned>(draw.between(0, 3));
  std::vector<std::size_t> pushers, poppers;
  for (std::size_t i = 0; i < p.insns.size(); ++i) {
    if (static_cast<unsigned>(unit_of(p.insns[i])) == from && (pushes_of(p.insns[i]) >> to & 1u) != 0)
      pushers.push_back(i);
    if (static_cast<unsigned>(unit_of(p.insns[i])) == to && (pops_of(p.insns[i]) >> from & 1u) != 0)
      poppers.push_back(i);
  }
  if (pushers.empty()) return false;
  const auto k = static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(pushers.size()) - 1));
  set_tokens(p.insns[pushers[k]], pops_of(p.insns[pushers[k]]), pushes_of(p.insns[pushers[k]]) & ~(1u << to));
  set_tokens(p.insns[poppers[k]], pops_of(p.insns[poppers[k]]) & ~(1u << from),
             pushes_of(p.insns[poppers[k]]));
  return true;
}

TEST(Random, VerifierFindsEveryRemovedTokenThatMatters) {
  int removed = 0, flagged = 0, mattered = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    RandomOptions options;
    options.seed = 1000 + seed;
    options.redundant_tokens = 3;
    RandomProgram r = random_program(tiny(), options);
    Draw draw(seed);
    if (!remove_token(r.program, draw)) continue;
    const State expected = run_in_program_order(r);
    ++removed;
    const bool clean = verify(r.program).clean();
    flagged += clean ? 0 : 1;
    bool differs = false;
    for (std::uint64_t order = 0; order < 20; ++order) {
      State s(r);
      Draw schedule(order);
      const bool ended = run_any_order(r.program, s, schedule);
      differs = differs || !ended || !(s.sram == expected.sram) || s.memory.bytes != expected.memory.bytes;
    }
    mattered += differs ? 1 : 0;
    ASSERT_FALSE(clean && differs) << "seed " << seed
                                   << ": the verifier proved a program whose result depends on timing";
  }
  EXPECT_GT(removed, 60);
  EXPECT_GT(flagged, 20);
  EXPECT_GT(mattered, 10);
}

/// Every field takes at least two values, every code of every enumeration and every load target occurs.
TEST(Random, EveryFieldAndCodeTakesPart) {
  std::map<std::string, std::set<std::int64_t>> seen;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    RandomOptions options;
    options.seed = seed;
    for (const Insn& insn : random_program(tiny(), options).program.insns) {
      const std::string name(to_string(opcode_of(insn)));
      std::visit(
          [&](const auto& i) {
            visit_members(i, [&](std::string_view field, const auto& member) {
              seen[name + "." + std::string(field)].insert(static_cast<std::int64_t>(member));
            });
          },
          insn);
    }
  }
  const std::set<std::string> constant = {"store.buffer",       "store.widen",       "store.pad_value",
                                          "store.x_pad_before", "store.x_pad_after", "store.y_pad_before",
                                          "store.y_pad_after",  "finish.pop",        "finish.push"};
  for (const auto& [field, values] : seen)
    EXPECT_TRUE(constant.contains(field) || values.size() >= 2) << field;
  EXPECT_EQ(seen["vector.op"].size(), kVectorOps.size());
  EXPECT_EQ(seen["vector.b_kind"].size(), kVectorBs.size());
  EXPECT_EQ(seen["vector.dst_buffer"].size(), 3u);
  EXPECT_EQ(seen["vector.a_buffer"].size(), 3u);
  EXPECT_EQ(seen["load.buffer"].size(), 5u);
  EXPECT_EQ(seen["load.window"].size(), 7u);
  EXPECT_EQ(seen["store.window"].size(), 4u);
  EXPECT_EQ(seen["gemm.reduce_mask"].size(), 64u);
}

/// Runs in program order until something is wrong.
std::pair<std::uint32_t, ErrorCode> first_fault(const FaultyProgram& f) {
  const Program& p = f.random.program;
  State s(f.random);
  for (std::uint32_t i = 0; i < f.insn_count; ++i) {
    const InsnWords words = f.words && i == f.insn ? *f.words : encode(p.insns[i]);
    if (f.kind == FaultKind::Bus && f.window == Window::Insn && i * kInsnBytes >= f.window_end)
      return {i, ErrorCode::BusRead};
    if (const Rule* rule = find_broken_rule(words, p.geometry)) {
      EXPECT_EQ(number_of(*rule), f.rule);
      return {i, ErrorCode::IllegalInsn};
    }
    const Insn insn = *try_decode(words);
    if (const auto fault = execute(insn, s.sram, s.windows, s.memory)) return {i, fault->code};
    const auto* move = std::get_if<MemoryInsn>(&insn);
    if (f.kind != FaultKind::Bus || move == nullptr || move->window != f.window) continue;
    const std::uint64_t bytes = std::uint64_t{move->run} * piece_bytes(*move, p.geometry);
    const bool inside = for_each_run(*move, p.geometry, [&](const MemoryRun& run) {
      return run.pad || run.offset + bytes <= f.window_end;
    });
    if (!inside) return {i, move->opcode == Opcode::Load ? ErrorCode::BusRead : ErrorCode::BusWrite};
  }
  return {f.insn_count, ErrorCode::NoFinish};
}

TEST(Random, FaultyProgramsStopWhereTheySay) {
  std::map<ErrorCode, std::set<Unit>> seen;
  std::set<unsigned> rules_broken;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RandomOptions options;
    options.seed = seed;
    options.insns = 12;
    options.region = 24;
    const FaultyProgram faulty = random_faulty_program(tiny(), options);
    seen[faulty.code].insert(faulty.unit);
    rules_broken.insert(faulty.rule);
    ASSERT_EQ(first_fault(faulty), (std::pair{faulty.insn, faulty.code}))
        << "seed " << seed << ", " << faulty.what;
  }
  EXPECT_EQ(seen[ErrorCode::SramBounds].size(), 4u);
  EXPECT_EQ(seen[ErrorCode::Window], (std::set{Unit::Load, Unit::Store}));
  EXPECT_EQ(seen[ErrorCode::BusRead], (std::set{Unit::Load, Unit::Fetch}));
  EXPECT_EQ(seen[ErrorCode::BusWrite], std::set{Unit::Store});
  EXPECT_TRUE(seen.contains(ErrorCode::NoFinish));
  // Square arrays do not have the two rules on square arrays.
  EXPECT_GE(rules_broken.size(), rules().size() - 2);
}

/// Rules compare numbers of the geometry too, whose names are no fields: they were taken for ones behind the
/// table's end, and bits were written beside the words. The seeds are those of campaigns that died.
TEST(Random, RulesThatNameTheGeometryAreBrokenInTheirFieldsOnly) {
  unsigned of_the_geometry = 0;
  for (const Rule& rule : rules())
    of_the_geometry += std::ranges::any_of(
        rule.any_of(), [](const Comparison& c) { return c.left.kind == Operand::Kind::Geometry; });
  ASSERT_GT(of_the_geometry, 0u);
  Draw draw(1);
  for (const Geometry& g : {tiny(), array(1, 8, 4), array(1, 4, 8), array(2, 4, 4), array(4, 4, 4)}) {
    RandomOptions options;
    options.seed = 3;
    for (const Insn& insn : random_program(g, options).program.insns)
      for (unsigned rule = 1; rule <= rules().size(); ++rule) {
        if (rules()[rule - 1].opcode != opcode_of(insn)) continue;
        if (const auto broken = break_rule(encode(insn), rule, g, draw))
          EXPECT_EQ(number_of(*find_broken_rule(*broken, g)), rule);
      }
    for (const std::uint64_t seed : {5074, 5151, 5172}) {
      RandomOptions small = campaign_options(seed);
      small.insns = 12;
      small.region = 24;
      const FaultyProgram faulty = random_faulty_program(g, small);
      EXPECT_EQ(first_fault(faulty), (std::pair{faulty.insn, faulty.code})) << "seed " << seed;
    }
  }
}

TEST(Random, RulesOfOtherInstructionsAreRefused) {
  Draw draw(1);
  const InsnWords finish = encode(FinishInsn{});
  for (unsigned rule = 3; rule <= rules().size(); ++rule)
    if (rules()[rule - 1].opcode != Opcode::Finish)
      EXPECT_THROW(break_rule(finish, rule, tiny(), draw), InternalError) << rule;
  EXPECT_THROW(break_rule(finish, 0, tiny(), draw), InternalError);
  EXPECT_THROW(break_rule({}, kRuleReserved, tiny(), draw), InternalError);
}

/// Every rule can be broken alone on some geometry.
TEST(Random, EveryRuleCanBeBroken) {
  Draw draw(5);
  std::set<unsigned> broken;
  for (const Geometry& g : {tiny(), oblong()}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      RandomOptions options;
      options.seed = seed;
      options.region = 16;
      for (const Insn& insn : random_program(g, options).program.insns)
        for (unsigned rule = 1; rule <= rules().size(); ++rule) {
          if (broken.contains(rule) ||
              (rules()[rule - 1].count != 0 && rules()[rule - 1].opcode != opcode_of(insn)))
            continue;
          const auto words = break_rule(encode(insn), rule, g, draw);
          if (!words) continue;
          EXPECT_EQ(number_of(*find_broken_rule(*words, g)), rule);
          broken.insert(rule);
        }
    }
  }
  EXPECT_EQ(broken.size(), rules().size());
}

}  // namespace
}  // namespace vdla::isa
