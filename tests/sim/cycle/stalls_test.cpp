// SPDX-License-Identifier: Apache-2.0
// Handshakes are shaken: with links held back at random, nothing is lost, doubled or reordered, and results
// of the machine stay as they are.
#include <gtest/gtest.h>

#include <numeric>

#include "isa/spec/registers.h"
#include "isa/variants/variants.h"
#include "sim/cycle/channel.h"
#include "sim/cycle/engine.h"
#include "sim/cycle/program_stack.h"
#include "sim/functional/engine.h"
#include "sim/lockstep/lockstep.h"
#include "sim/trace/recorder.h"
#include "support/error.h"
#include "tests/sim/lockstep/random_job.h"
#include "tests/sim/program.h"
#include "tests/sim/trace/statistics.h"

namespace vdla::sim {
namespace {

constexpr unsigned kItems = 400;

/// A producer and a consumer that take turns in being the slow one.
class Pair final : public sc_core::sc_module {
 public:
  Pair(sc_core::sc_module_name name, std::size_t depth, const Stalls& push, const Stalls& pop)
      : sc_module(name), channel_(depth), tokens_(depth), push_(push), pop_(pop) {
    channel_.stall(push);
    tokens_.stall(push, pop);
    SC_HAS_PROCESS(Pair);
    SC_THREAD(produce);
    SC_THREAD(consume);
    SC_THREAD(give);
    SC_THREAD(take);
  }

  std::vector<unsigned> received;
  unsigned taken = 0, held_pushes = 0, held_pops = 0;
  Cycle end = 0;

 private:
  static constexpr unsigned kTurn = 50;
  static bool slow(unsigned item, unsigned turn) { return item / kTurn % 3 == turn; }

  void produce() {
    for (unsigned i = 0; i < kItems; ++i) {
      while (!channel_.can_push()) sc_core::wait(channel_.less());
      held_pushes += push_.at(now()) ? 1 : 0;
      channel_.push(i);
      if (slow(i, 0)) sc_core::wait(cycles(3));
    }
  }
  void consume() {
    while (received.size() < kItems) {
      channel_.wait_pop();
      received.push_back(channel_.pop());
      if (slow(received.back(), 1)) sc_core::wait(cycles(3));
    }
    end = now();
  }
  void give() {
    for (unsigned i = 0; i < kItems; ++i) {
      while (!tokens_.can_push()) sc_core::wait(tokens_.less());
      held_pushes += push_.at(now()) ? 1 : 0;
      tokens_.push();
      if (slow(i, 1)) sc_core::wait(cycles(2));
    }
  }
  void take() {
    while (taken < kItems) {
      while (!tokens_.can_pop()) sc_core::wait(tokens_.more());
      held_pops += pop_.at(now()) ? 1 : 0;
      tokens_.pop();
      if (slow(++taken, 0)) sc_core::wait(cycles(2));
    }
  }

  Channel<unsigned> channel_;
  TokenChannel tokens_;
  Stalls push_, pop_;
};

/// Runs a pair in a SystemC context of its own, until nothing happens any more.
template <class F>
void run_pair(std::size_t depth, const Stalls& push, const Stalls& pop, F&& check) {
  sc_core::sc_simcontext* const before = sc_core::sc_curr_simcontext;
  const auto own = std::make_unique<sc_core::sc_simcontext>();
  sc_core::sc_curr_simcontext = own.get();
  {
    Pair pair("pair", depth, push, pop);
    {
      const ProgramStack stack;
      sc_core::sc_start();
    }
    check(pair);
  }
  sc_core::sc_curr_simcontext = before;
}

TEST(Stalls, LinksThatAreHeldBackLoseAndReorderNothing) {
  for (const std::size_t depth : {1, 2, 4})
    for (const unsigned rate : {0, 16, 128, 250})
      for (unsigned seed = 1; seed <= 5; ++seed) {
        const Stalls stalls(seed, rate);
        Cycle free = 0;
        run_pair(depth, {}, {}, [&](Pair& pair) { free = pair.end; });
        run_pair(depth, stalls.of_link(0), stalls.of_link(1), [&](Pair& pair) {
          std::vector<unsigned> wanted(kItems);
          std::iota(wanted.begin(), wanted.end(), 0);
          EXPECT_EQ(pair.received, wanted) << "rate " << rate << ", seed " << seed;
          EXPECT_EQ(pair.taken, kItems);
          EXPECT_EQ(pair.held_pushes + pair.held_pops, 0u);
          if (rate == 0) EXPECT_EQ(pair.end, free);
          if (rate >= 128) EXPECT_GT(pair.end, free);
        });
      }
}

TEST(Stalls, HoldBackAboutTheirShareOfTheCyclesOnEachLinkApart) {
  constexpr unsigned kCycles = 20'000, kRate = 64;
  const Stalls all(77, kRate);
  std::array<unsigned, 2> held{};
  unsigned both = 0;
  for (std::uint64_t cycle = 0; cycle < kCycles; ++cycle) {
    const bool first = all.of_link(0).at(cycle), second = all.of_link(1).at(cycle);
    held[0] += first ? 1 : 0;
    held[1] += second ? 1 : 0;
    both += first && second ? 1 : 0;
    EXPECT_FALSE(Stalls{}.at(cycle));
  }
  for (const unsigned h : held) EXPECT_NEAR(h, kCycles * kRate / Stalls::kAlways, kCycles / 50);
  EXPECT_NEAR(both, kCycles / 16, kCycles / 50);
}

TEST(Stalls, ChangeCyclesAndNothingElse) {
  for (const char* name : {"tiny", "paper"}) {
    const isa::Variant variant = isa::load_variant(name);
    const auto reference = make_functional_engine(variant, 16 << 20);
    const auto engine = make_cycle_engine(variant, 16 << 20);
    unsigned changed = 0;
    for (unsigned seed = 1; seed <= 25; ++seed) {
      const Job job = random_job(variant.geometry, {.seed = seed});
      std::vector<std::uint32_t> cycles;
      for (const unsigned rate : {0, 20, 120, 0}) {
        engine->stall({seed, rate});
        EXPECT_EQ(run_lockstep(*reference, *engine, job).difference, "")
            << name << ", seed " << seed << ", rate " << rate;
        cycles.push_back(engine->read_register(at(isa::Register::CYCLES_LO)));
      }
      EXPECT_EQ(cycles.front(), cycles.back()) << name << ", seed " << seed;
      changed += cycles[1] != cycles[0] && cycles[2] != cycles[1] ? 1 : 0;
    }
    EXPECT_GT(changed, 15u) << name;
  }
}

TEST(Stalls, WhatEachUnitDoesAddsUpToTheCyclesOfTheRun) {
  const isa::Variant variant = isa::load_variant("tiny");
  const auto engine = make_cycle_engine(variant, 16 << 20);
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Job job = random_job(variant.geometry, {.seed = seed});
    trace::Recorder recorder;
    engine->stall({seed, 100});
    engine->set_trace(&recorder);
    start_job(*engine, job, place_windows(*engine, job));
    ASSERT_EQ(engine->run(10'000'000), Stop::Interrupt);
    engine->set_trace(nullptr);
    const trace::Statistics s = trace::summarize(recorder.events());
    for (const trace::UnitStatistics& unit : s.units)
      EXPECT_EQ(std::accumulate(unit.cycles.begin(), unit.cycles.end(), trace::Cycle{0}), s.end - s.begin);
  }
}

TEST(Stalls, RefusesToHoldBackAlways) {
  EXPECT_THROW(make_cycle_engine(isa::load_variant("tiny"), 16 << 20)->stall({1, Stalls::kAlways}),
               UserError);
}

}  // namespace
}  // namespace vdla::sim
