// SPDX-License-Identifier: Apache-2.0
// What every engine must do, on the hardware description.
#include "sim/rtl/engine.h"
#include "sim/rtl/library.h"

#include "isa/spec/errors.h"
#include "isa/spec/registers.h"
#include "sim/trace/recorder.h"
#include "support/error.h"
#include "support/shell_word.h"
#include "tests/sim/built_rtl.h"
#include "tests/sim/engine_cases.h"

namespace vdla::sim {
namespace {

constexpr std::uint64_t kEnginesMemory = 16 << 20;
const RtlOptions kChecking = built_rtl(RtlBuild::Check);

INSTANTIATE_TEST_SUITE_P(Rtl, EngineCases, testing::Values([](const isa::Variant& v, Memory memory) {
                           return make_rtl_engine(v, std::move(memory), kChecking);
                         }),
                         [](const auto&) { return "engine"; });

TEST(RtlEngine, SaysHowToBuildAMissingGeometry) {
  isa::Variant variant = isa::load_variant("tiny");
  variant.geometry.inp_depth = 32;
  try {
    make_rtl_engine(variant, kEnginesMemory, built_rtl());
    FAIL() << "no error";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("no RTL engine for this geometry"));
    // What it says to do writes to the folder that was given.
    EXPECT_THAT(e.what(), testing::HasSubstr("'vdla build-rtl --variant NAME|FILE --build fast --out " +
                                             shell_word(VDLA_BINARY_DIR "/lib/vdla/rtl") + "'"));
  }
}

TEST(RtlEngine, LooksNowhereByItself) {
  try {
    make_rtl_engine(isa::load_variant("tiny"), kEnginesMemory);
    FAIL() << "no error";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(),
                testing::HasSubstr("needs the folder of its libraries, none is given; kit/rtl.h finds it"));
  }
}

TEST(RtlEngine, RefusesABurstLengthThatTheHardwareLacks) {
  isa::Variant variant = isa::load_variant("tiny");
  variant.timing.dram_burst_bytes = 512;
  EXPECT_THROW(make_rtl_engine(variant, kEnginesMemory, built_rtl()), UserError);
}

TEST(RtlEngine, EnginesOfOneLibraryEndInAnyOrder) {
  auto first = make_rtl_engine(isa::load_variant("tiny"), kEnginesMemory, kChecking);
  auto second = make_rtl_engine(isa::load_variant("tiny"), kEnginesMemory, kChecking);
  second.reset();
  first.reset();
}

/// What has no value of its own starts at random, the same for a seed, and at 0 without one.
TEST(RtlEngine, StateBeforeTheResetIsThatOfTheSeed) {
  const isa::Variant variant = isa::load_variant("tiny");
  const auto state = [&](RtlModel& model) {
    const vdla_rtl_signal acc = model.find("u_core.u_acc.gen_bank[0].u_ram", "mem");
    const auto* bytes = static_cast<const std::byte*>(acc.data);
    return std::vector<std::byte>(bytes, bytes + std::size_t{acc.element_bytes} * acc.elements);
  };
  RtlModel model(variant, kChecking.directory, RtlBuild::Check, 5);
  const std::vector<std::byte> five = state(model);
  model.power_up(6);
  EXPECT_NE(state(model), five);
  model.power_up(5);
  EXPECT_EQ(state(model), five);
  model.power_up(0);
  EXPECT_EQ(state(model), std::vector<std::byte>(five.size()));
}

/// The bench took what stood on the bus before the first edge of a reset for requests, and the generators
/// that hold handshakes back started with any rate: both are of the bench, not of the hardware.
TEST(RtlEngine, RunsTheSameFromEveryState) {
  auto engine = make_rtl_engine(isa::load_variant("tiny"), kEnginesMemory, kChecking);
  std::vector<isa::Insn> stream(40, load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 8));
  stream.push_back(isa::FinishInsn{});
  std::set<std::uint32_t> cycles;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    engine->power_up(seed);
    Bench bench(*engine);
    ASSERT_EQ(bench.run(stream), Stop::Interrupt) << "seed " << seed;
    cycles.insert(bench.reg(isa::Register::CYCLES_LO));
  }
  EXPECT_EQ(cycles.size(), 1u);
}

TEST(RtlEngine, RefusesARandomStateOfTheFastBuildWhichHasNone) {
  const isa::Variant tiny = isa::load_variant("tiny");
  RtlOptions seeded = built_rtl();
  seeded.state = 1;
  EXPECT_THROW(make_rtl_engine(tiny, kEnginesMemory, seeded), UserError);
  EXPECT_THROW(make_rtl_engine(tiny, kEnginesMemory, built_rtl())->power_up(1), UserError);
  EXPECT_NO_THROW(make_rtl_engine(tiny, kEnginesMemory, built_rtl())->power_up(0));
}

TEST(RtlEngine, StopsAtTheLimitAndGoesOn) {
  auto engine = make_rtl_engine(isa::load_variant("tiny"), kEnginesMemory, kChecking);
  Bench bench(*engine);
  std::vector<isa::Insn> stream(40, load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 1));
  stream.push_back(isa::FinishInsn{});
  EXPECT_EQ(bench.run(stream, 10), Stop::CycleLimit);
  EXPECT_EQ(engine->run(100'000), Stop::Interrupt);
}

TEST(RtlEngine, TracesEachInstructionOnceAndInOrder) {
  auto engine = make_rtl_engine(isa::load_variant("tiny"), kEnginesMemory, kChecking);
  Bench bench(*engine);
  trace::Recorder recorder;
  engine->set_trace(&recorder);
  std::vector<isa::Insn> stream(40, load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 8));
  stream.push_back(isa::FinishInsn{});
  ASSERT_EQ(bench.run(stream), Stop::Interrupt);
  std::uint32_t retired = 0, done = 0;
  std::uint64_t bytes = 0;
  for (const trace::Event& e : recorder.events()) {
    if (e.type == trace::EventType::Retire) {
      EXPECT_EQ(e.insn, retired++);
    }
    if (e.type == trace::EventType::Insn) {
      EXPECT_LT(e.begin, e.end);
      bytes += e.bytes;
    }
    if (e.type == trace::EventType::Done) ++done;
  }
  EXPECT_EQ(retired, 40u);
  EXPECT_EQ(done, 1u);
  EXPECT_EQ(bytes, 40u * 32);
}

TEST(RtlEngine, StopsAtTheStallLimit) {
  auto engine = make_rtl_engine(isa::load_variant("tiny"), kEnginesMemory, kChecking);
  Bench bench(*engine);
  engine->write_register(at(isa::Register::STALL_LIMIT), 500);
  auto load = load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 1, kToGemm);
  ASSERT_EQ(bench.run({load, isa::FinishInsn{}}), Stop::Interrupt);
  EXPECT_EQ(bench.reg(isa::Register::ERROR_CODE), static_cast<unsigned>(isa::ErrorCode::Stall));
  EXPECT_EQ(bench.reg(isa::Register::LOAD_STATE) & 0xf1u, 0x21u);
}

TEST(RtlEngine, ReportsMemoryThatDoesNotAnswer) {
  auto engine = make_rtl_engine(isa::load_variant("tiny"), kEnginesMemory, kChecking);
  Bench bench(*engine);
  const std::uint64_t nowhere = 0x4000'0000;
  bench.set_window(static_cast<unsigned>(isa::Window::Input), nowhere, 4096);
  bench.set_window(static_cast<unsigned>(isa::Window::Output), nowhere, 4096);
  const auto load = load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 8, 2);
  const auto good = load_insn(isa::Buffer::Inp, isa::Window::Const, 0, 0, 1);
  ASSERT_EQ(bench.run({good, good, load, isa::FinishInsn{}}), Stop::Interrupt);
  EXPECT_EQ(bench.reg(isa::Register::ERROR_CODE), static_cast<unsigned>(isa::ErrorCode::BusRead));
  EXPECT_EQ(bench.reg(isa::Register::ERROR_UNIT), static_cast<unsigned>(isa::Unit::Load));
  EXPECT_EQ(bench.reg(isa::Register::ERROR_INSN), 2u);
  EXPECT_EQ(bench.reg(isa::Register::ERROR_ADDR_LO), nowhere + 8);
  const auto store = store_insn(isa::Window::Output, 0, 16, 2);
  ASSERT_EQ(bench.run({store, isa::FinishInsn{}}), Stop::Interrupt);
  EXPECT_EQ(bench.reg(isa::Register::ERROR_CODE), static_cast<unsigned>(isa::ErrorCode::BusWrite));
  EXPECT_EQ(bench.reg(isa::Register::ERROR_UNIT), static_cast<unsigned>(isa::Unit::Store));
  EXPECT_EQ(bench.reg(isa::Register::ERROR_INSN), 0u);
  EXPECT_EQ(bench.reg(isa::Register::ERROR_ADDR_LO), nowhere + 16);
  bench.set_window(static_cast<unsigned>(isa::Window::Insn), nowhere, 4096);
  ASSERT_EQ(bench.run({store, isa::FinishInsn{}}), Stop::Interrupt);
  EXPECT_EQ(bench.reg(isa::Register::ERROR_CODE), static_cast<unsigned>(isa::ErrorCode::BusRead));
  EXPECT_EQ(bench.reg(isa::Register::ERROR_UNIT), static_cast<unsigned>(isa::Unit::Fetch));
}

/// A store has work left when a load finds no memory; the driver looks at the machine for a long time.
TEST(RtlEngine, AnErrorStopsTheUnitsThatHaveNone) {
  auto engine = make_rtl_engine(isa::load_variant("tiny"), kEnginesMemory, kChecking);
  Bench bench(*engine);
  const std::vector<std::int8_t> data(128, 5);
  bench.put(isa::Window::Input, 0, data);
  bench.set_window(static_cast<unsigned>(isa::Window::Const), 0x4000'0000, 4096);
  std::vector<isa::Insn> stream{load_insn(isa::Buffer::Out, isa::Window::Input, 0, 0, 32, 0, kToStore)};
  constexpr unsigned kStores = 15;
  for (unsigned i = 0; i < kStores; ++i)
    stream.push_back(store_insn(isa::Window::Output, 0, 128 * i, 32, i == 0 ? kToLoad : 0));
  stream.push_back(load_insn(isa::Buffer::Inp, isa::Window::Const, 0, 0, 1));
  stream.push_back(isa::FinishInsn{});
  ASSERT_EQ(bench.run(stream), Stop::Interrupt);
  ASSERT_EQ(bench.reg(isa::Register::ERROR_CODE), static_cast<unsigned>(isa::ErrorCode::BusRead));
  const auto state = [&] { return bench.reg(isa::Register::STORE_STATE) & ~0x4u; };  // the bus may finish
  const auto at_first = state(), insn = bench.reg(isa::Register::STORE_INSN);
  for (unsigned i = 0; i < 2000; ++i) bench.reg(isa::Register::STATUS);  // each takes some cycles
  const auto left = bench.get<std::int8_t>(isa::Window::Output, 0, 128 * kStores);
  EXPECT_EQ(left.front(), 5);
  EXPECT_EQ(left.back(), 0);
  EXPECT_EQ(state(), at_first);
  EXPECT_EQ(bench.reg(isa::Register::STORE_INSN), insn);
}

TEST(RtlEngine, ASoftResetInTheMiddleOfWorkLeavesAUsableDevice) {
  auto engine = make_rtl_engine(isa::load_variant("tiny"), kEnginesMemory, kChecking);
  Bench bench(*engine);
  std::vector<std::int8_t> data(128);
  for (unsigned i = 0; i < data.size(); ++i) data[i] = static_cast<std::int8_t>(i);
  bench.put(isa::Window::Input, 0, data);
  std::vector<isa::Insn> stream;
  for (unsigned i = 0; i < 8; ++i) {
    stream.push_back(
        load_insn(isa::Buffer::Out, isa::Window::Input, 0, 0, 32, i > 0 ? kToStore : 0, kToStore));
    stream.push_back(store_insn(isa::Window::Output, 0, 128 * i, 32, kToLoad, kToLoad));
  }
  stream.push_back(isa::FinishInsn{});
  for (unsigned cycles = 0; cycles < 400; cycles += 7) {
    bench.start(stream);
    engine->run(cycles);
    engine->write_register(at(isa::Register::CONTROL), isa::kControlSoftReset | isa::kControlIrqEnable);
    engine->run(1000);
    EXPECT_EQ(bench.reg(isa::Register::STATUS), isa::kStatusIdle);
  }
  ASSERT_EQ(bench.run(stream), Stop::Interrupt);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(bench.get<std::int8_t>(isa::Window::Output, 128 * i, 128), data);
}

/// The packer of stores kept what an interrupted store had left in it, and the next store to an address
/// inside a beat mixed it in.
TEST(RtlEngine, AnInterruptedStoreLeavesNothingForTheNext) {
  for (const char* name : {"tiny", "paper"}) {
    auto engine = make_rtl_engine(isa::load_variant(name), kEnginesMemory, built_rtl());
    Bench bench(*engine);
    const unsigned block = engine->variant().geometry.block_out;
    std::vector<std::int8_t> ones(4 * block, -1), data(4 * block);
    for (unsigned i = 0; i < data.size(); ++i) data[i] = static_cast<std::int8_t>(i);
    const auto program = [&](std::uint64_t from, std::uint64_t to) -> std::vector<isa::Insn> {
      return {load_insn(isa::Buffer::Out, isa::Window::Input, 0, from, 4, 0, kToStore),
              store_insn(isa::Window::Output, 0, to, 4, kToLoad), isa::FinishInsn{}};
    };
    for (unsigned cycles = 60; cycles < 160; ++cycles) {
      bench.put(isa::Window::Input, 0, ones);
      bench.put(isa::Window::Input, 512, data);
      bench.start(program(0, 1));
      engine->run(cycles);
      engine->write_register(at(isa::Register::CONTROL), isa::kControlSoftReset | isa::kControlIrqEnable);
      engine->run(1000);
      bench.put(isa::Window::Output, 0, std::vector<std::int8_t>(8 * block));
      ASSERT_EQ(bench.run(program(512, 3)), Stop::Interrupt);
      ASSERT_EQ(bench.get<std::int8_t>(isa::Window::Output, 3, 4 * block), data)
          << name << " after " << cycles;
    }
  }
}

}  // namespace
}  // namespace vdla::sim
