// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/engine.h"

#include "sim/trace/recorder.h"
#include "tests/sim/engine_cases.h"

namespace vdla::sim {
namespace {

INSTANTIATE_TEST_SUITE_P(Functional, EngineCases, testing::Values([](const isa::Variant& v, Memory memory) {
                           return make_functional_engine(v, std::move(memory));
                         }),
                         [](const auto&) { return "engine"; });

TEST(FunctionalEngine, RetiresEachInstructionOnce) {
  auto engine = make_functional_engine(isa::load_variant("tiny"), 16 << 20);
  Bench bench(*engine);
  trace::Recorder recorder;
  engine->set_trace(&recorder);
  std::vector<isa::Insn> stream;
  for (int i = 0; i < 40; ++i) stream.push_back(load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 1));
  stream.push_back(isa::FinishInsn{});
  ASSERT_EQ(bench.run(stream), Stop::Interrupt);
  std::vector<std::uint32_t> retired;
  for (const trace::Event& e : recorder.events())
    if (e.type == trace::EventType::Retire) retired.push_back(e.insn);
  ASSERT_EQ(retired.size(), 40u);
  for (unsigned i = 0; i < 40; ++i) EXPECT_EQ(retired[i], i);
}

TEST(FunctionalEngine, StopsAtTheLimitAndGoesOn) {
  auto engine = make_functional_engine(isa::load_variant("tiny"), 16 << 20);
  Bench bench(*engine);
  std::vector<isa::Insn> stream(40, load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 1));
  stream.push_back(isa::FinishInsn{});
  EXPECT_EQ(bench.run(stream, 10), Stop::CycleLimit);
  EXPECT_EQ(engine->run(1000), Stop::Interrupt);
}

}  // namespace
}  // namespace vdla::sim
