// SPDX-License-Identifier: Apache-2.0
// Lock step of the functional and the SystemC engine on random programs, and what it says about programs that
// differ.
#include "sim/lockstep/lockstep.h"

#include <gmock/gmock.h>

#include "sim/cycle/engine.h"
#include "sim/functional/engine.h"
#include "sim/trace/event.h"
#include "support/error.h"
#include "tests/sim/forward.h"
#include "tests/sim/lockstep/random_job.h"

namespace vdla::sim {
namespace {

constexpr std::uint64_t kMemoryBytes = 16 << 20;

void functional_equals_systemc(const std::string& variant_name, unsigned seeds) {
  const isa::Variant variant = isa::load_variant(variant_name);
  const auto functional = make_functional_engine(variant, kMemoryBytes);
  const auto systemc = make_cycle_engine(variant, kMemoryBytes);
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const auto result = run_lockstep(*functional, *systemc, random_job(variant.geometry, seed));
    ASSERT_EQ(result.difference, "") << "seed " << seed;
    EXPECT_GT(result.retires, 10u);
  }
}

TEST(Lockstep, TinyFunctionalEqualsSystemC) { functional_equals_systemc("tiny", 40); }
TEST(Lockstep, PaperFunctionalEqualsSystemC) { functional_equals_systemc("paper", 20); }

/// An engine that stands before another one and spoils something.
class Spoiled final : public ForwardEngine {
 public:
  Spoiled(Engine& engine, std::uint64_t spoiled_address) : ForwardEngine(engine), spoiled_(spoiled_address) {}
  void read_memory(std::uint64_t address, std::span<std::byte> bytes) override {
    ForwardEngine::read_memory(address, bytes);
    if (spoiled_ >= address && spoiled_ - address < bytes.size()) bytes[spoiled_ - address] ^= std::byte{1};
  }
  void set_trace(trace::Sink* sink) override {
    asked_for_digests_ |= sink != nullptr && sink->detail() == trace::Detail::Writes;
    ForwardEngine::set_trace(sink);
  }
  bool asked_for_digests() const { return asked_for_digests_; }

 private:
  std::uint64_t spoiled_;
  bool asked_for_digests_ = false;
};

/// Without digests too, which engines without names inside cannot give: nobody asks for them then.
class LockstepDigests : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Compared, LockstepDigests, testing::Bool(),
                         [](const auto& info) { return info.param ? "with" : "without"; });

TEST_P(LockstepDigests, NamesTheByteThatDiffersAndTheStoreThatWroteIt) {
  LockstepOptions options;
  options.compare_digests = GetParam();
  const isa::Variant variant = isa::load_variant("tiny");
  const auto a = make_functional_engine(variant, kMemoryBytes);
  const auto b = make_functional_engine(variant, kMemoryBytes);
  const Job job = random_job(variant.geometry, 3);
  const isa::Windows windows = place_windows(*a, job);
  // A byte that a store of the program writes.
  for (std::size_t i = job.program.insns.size(); i-- > 0;) {
    const auto* store = std::get_if<isa::MemoryInsn>(&job.program.insns[i]);
    if (store == nullptr || store->opcode != isa::Opcode::Store) continue;
    Spoiled spoiled(*b, windows[static_cast<unsigned>(store->window)].base + store->dram_offset);
    const auto result = run_lockstep(*a, spoiled, job, options);
    EXPECT_FALSE(result.equal);
    EXPECT_GT(result.retires, 10u);
    EXPECT_EQ(spoiled.asked_for_digests(), GetParam());
    EXPECT_THAT(result.difference, testing::HasSubstr("window " + std::string(isa::to_string(store->window)) +
                                                      " byte " + std::to_string(store->dram_offset)));
    EXPECT_THAT(result.difference,
                testing::HasSubstr("; written by instruction " + std::to_string(i) + " (store"));
    return;
  }
  FAIL() << "the program has no store";
}

TEST(Lockstep, NamesTheFirstRetireInAnotherCycle) {
  isa::Variant variant = isa::load_variant("tiny");
  const auto a = make_cycle_engine(variant, kMemoryBytes);
  variant.timing.dram_latency += 5;
  const auto b = make_cycle_engine(variant, kMemoryBytes);
  LockstepOptions options;
  options.compare_cycles = true;
  const auto result = run_lockstep(*a, *b, random_job(variant.geometry, 1), options);
  EXPECT_THAT(result.difference, testing::StartsWith("load retire 0: instruction 0 (load "));
  EXPECT_THAT(result.difference, testing::HasSubstr("retires in cycle "));
}

TEST(Lockstep, RefusesTwoGeometries) {
  const auto a = make_functional_engine(isa::load_variant("tiny"), kMemoryBytes);
  const auto b = make_functional_engine(isa::load_variant("paper"), kMemoryBytes);
  EXPECT_THROW(run_lockstep(*a, *b, random_job(a->variant().geometry, 1)), UserError);
}

}  // namespace
}  // namespace vdla::sim
