// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/engine.h"

#include "isa/spec/registers.h"
#include "sim/trace/recorder.h"
#include "tests/sim/engine_cases.h"
#include "tests/sim/trace/statistics.h"

namespace vdla::sim {
namespace {

std::unique_ptr<Engine> make(const isa::Variant& v, Memory memory = 16 << 20) {
  return make_cycle_engine(v, std::move(memory));
}

INSTANTIATE_TEST_SUITE_P(Cycle, EngineCases, testing::Values(make), [](const auto&) { return "engine"; });

/// The clock stood still when nothing was to happen within the limit, and with it every later run().
TEST(CycleEngine, TimePassesWhenAnInstructionIsLongerThanTheLimit) {
  const auto engine = make(isa::load_variant("tiny"));
  Bench bench(*engine);
  isa::VectorInsn vector;
  vector.init = true;
  vector.a_buffer = isa::Buffer::Out;
  vector.levels[3].count = 200;
  vector.levels[4].count = 10;
  bench.start({load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 1), vector, isa::FinishInsn{}});
  unsigned runs = 0;
  while (engine->run(50) == Stop::CycleLimit && runs < 100) ++runs;
  EXPECT_GT(runs, 35u);
  EXPECT_LT(runs, 60u);
  EXPECT_EQ(bench.reg(isa::Register::STATUS), isa::kStatusIdle | isa::kStatusDone);
}

}  // namespace
}  // namespace vdla::sim
