// SPDX-License-Identifier: Apache-2.0
// Sessions on a board that has what boards have, and every fault that a bring-up meets: each has a name
// within two seconds, and a good run comes behind it. Faults of the way to a board (a device that another
// process has, processes that are killed, bus errors) are in tests/driver/uio_test.cpp.
#include <gmock/gmock.h>

#include <chrono>

#include "isa/spec/registers.h"
#include "isa/spec/version.h"
#include "isa/variants/variants.h"
#include "runtime/device/device.h"
#include "runtime/device/device_program.h"
#include "runtime/device/post_mortem.h"
#include "runtime/session/session.h"
#include "sim/functional/engine.h"
#include "tests/runtime/device/board_like.h"
#include "tests/runtime/module/device_module.h"
#include "tests/runtime/module/small_modules.h"

namespace vdla::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

const Bytes kSent = int8s({1, -2, 3, 40, 64, -64});
const Bytes kDoubled = int8s({2, -4, 6, 80, 127, -128});

constexpr std::uint32_t at(isa::Register r) { return static_cast<std::uint32_t>(r); }

class BoardSession : public ::testing::Test {
 protected:
  /// Each fault, its cause and the good run behind it.
  void TearDown() override { EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2)); }
  void expect_good_run() {
    Session session(doubling_module(), &board.transport, {});
    for (int run = 0; run < 2; ++run) EXPECT_EQ(session.run({kSent}).outputs[0], kDoubled);
  }
  /// What a session that is opened and run says, status and sentence; nothing: it went well.
  std::pair<vdla_driver_status, std::string> fault(const Module& m) {
    std::pair<vdla_driver_status, std::string> said{VDLA_DRIVER_OK, ""};
    try {
      Session(m, &board.transport, {}).run({kSent});
    } catch (const DeviceError& e) {
      said = {e.status(), e.what()};
    }
    return said;
  }
  /// Registers read what `reads` says, and a good run comes once they do no longer.
  void expect_register_fault(const std::function<std::optional<std::uint32_t>(std::uint32_t offset)>& reads,
                             vdla_driver_status status, const std::string& words) {
    board.reads = reads;
    const auto [got, text] = fault(doubling_module());
    EXPECT_EQ(got, status) << text;
    EXPECT_THAT(text, HasSubstr(words));
    board.reads = {};
    expect_good_run();
  }
  static auto one(isa::Register r, std::uint32_t value) {
    return [=](std::uint32_t offset) { return offset == at(r) ? std::optional(value) : std::nullopt; };
  }

  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::unique_ptr<sim::Engine> engine = sim::make_functional_engine(isa::load_variant("tiny"), 1 << 20);
  BoardLike board{*engine};
};

/// Whatever is not synced stays in the cache, or in memory.
TEST_F(BoardSession, SyncsWhatItWritesAndReads) {
  expect_good_run();
  EXPECT_GT(board.copies, 0u);
}

TEST_F(BoardSession, TensorsAreWrittenAndReadInPlaceWhereMemoryIsMapped) {
  board.offer_map();
  Session session(doubling_module(), &board.transport, {});
  session.run({kSent});
  board.copies = 0;
  EXPECT_EQ(session.run({kSent}).outputs[0], kDoubled);
  EXPECT_EQ(board.copies, 0u) << "the program lies there from the first run on";
}

TEST_F(BoardSession, ResetsWhenItOpensAndBeforeItGivesItsMemoryBack) {
  board.transport.cache_line = 1 << 13;
  const auto reset = isa::kControlSoftReset, start = isa::kControlStart | isa::kControlIrqEnable;
  Session(doubling_module(), &board.transport, {}).run({kSent});
  ASSERT_GE(board.controls.size(), 4u);
  EXPECT_THAT(std::vector(board.controls.begin(), board.controls.begin() + 4),
              ::testing::ElementsAre(reset, start, reset, 0u));
  EXPECT_THAT(board.alignments, ::testing::Each(1u << 13)) << "lines larger than pages";
}

TEST_F(BoardSession, WindowsLieWhereTheModuleSays) {
  Module module = doubling_module();
  for (WindowPlace& place : std::get<DeviceStep>(module.steps.front()).places) place.alignment = 1 << 14;
  EXPECT_EQ(Session(module, &board.transport, {}).run({kSent}).outputs[0], kDoubled);
  EXPECT_THAT(board.alignments, ::testing::Each(1u << 14));
  for (WindowPlace& place : std::get<DeviceStep>(module.steps.front()).places) place.address_bits = 16;
  board.controls.clear();
  EXPECT_THAT(
      [&] { Session(module, &board.transport, {}).run({kSent}); },
      ::testing::ThrowsMessage<DeviceError>(HasSubstr("needs addresses of 16 bits at multiples of 16384")));
  const auto start = isa::kControlStart | isa::kControlIrqEnable;
  EXPECT_THAT(board.controls, ::testing::Not(::testing::Contains(start)));
}

TEST_F(BoardSession, NoDevice) {
  expect_register_fault([](std::uint32_t) { return 0u; }, VDLA_DRIVER_NO_DEVICE,
                        "no VDLA device answers: register MAGIC reads 0x00000000");
}

TEST_F(BoardSession, AnotherMagicNumber) {
  expect_register_fault(one(isa::Register::MAGIC, 0x12345678), VDLA_DRIVER_NO_DEVICE,
                        "MAGIC reads 0x12345678");
}

TEST_F(BoardSession, AnotherVersion) {
  expect_register_fault(one(isa::Register::ISA_VERSION, 99), VDLA_DRIVER_VERSION,
                        "the device has ISA version 99");
}

TEST_F(BoardSession, AnotherGeometry) {
  expect_register_fault(one(isa::Register::GEOMETRY_HASH_LO, 0), VDLA_DRIVER_GEOMETRY,
                        "compiled for: GEOMETRY_HASH is another one; ");
}

TEST_F(BoardSession, AllOnes) {
  expect_register_fault([](std::uint32_t) { return ~0u; }, VDLA_DRIVER_BUS,
                        "nothing answers on the bus, all registers read 0xffffffff");
}

TEST_F(BoardSession, ABusThatDiesInTheMiddle) {
  board.on_start = [this] { board.reads = [](std::uint32_t) { return ~0u; }; };
  const auto [status, text] = fault(doubling_module());
  EXPECT_EQ(status, VDLA_DRIVER_BUS) << text;
  board.on_start = [] {};
  board.reads = {};
  expect_good_run();
}

TEST_F(BoardSession, AWindowThatIsTooSmall) {
  Module m = doubling_module();
  std::get<isa::MemoryInsn>(program_of(m).insns[5]).dram_offset = 4;
  const auto [status, text] = fault(m);
  EXPECT_EQ(status, VDLA_DRIVER_DEVICE);
  EXPECT_THAT(text, AllOf(HasSubstr("store at instruction 5"), HasSubstr("leaves its window"),
                          HasSubstr("layer 'double'")));
  expect_good_run();
}

TEST_F(BoardSession, AStall) {
  Module m = doubling_module();
  std::get<isa::MemoryInsn>(program_of(m).insns[2]).push = 0;
  const auto [status, text] = fault(m);
  EXPECT_EQ(status, VDLA_DRIVER_DEADLOCK);
  EXPECT_THAT(text, AllOf(StartsWith("the program hangs"), HasSubstr("gemm waits at instruction 3")));
  expect_good_run();
}

/// Also an interrupt controller that nobody switched on.
TEST_F(BoardSession, AnInterruptThatIsNotWiredIsAWarningAndTheRunIsGood) {
  Session session(doubling_module(), &board.transport, {});
  EXPECT_EQ(session.run({kSent}).warning, "");
  board.wired = false;
  EXPECT_THAT(session.run({kSent}).warning, StartsWith("interrupts get lost: 1 of 2 waits ended by polling"));
  Session unwired(doubling_module(), &board.transport, {});
  const Result result = unwired.run({kSent});
  EXPECT_EQ(result.outputs[0], kDoubled);
  EXPECT_THAT(
      result.warning,
      StartsWith(
          "the interrupt is not wired, or its controller has it off: none came, and 1 of 1 waits ended by "));
}

/// The program still runs when the wait for it has failed.
TEST_F(BoardSession, ALineThatStaysHighLeavesADeviceThatCanBeUsed) {
  const auto wait = board.transport.wait_interrupt;
  Session session(doubling_module(), &board.transport, {});
  board.transport.wait_interrupt = [](void*, std::uint64_t, std::uint64_t* spent) {
    *spent = 0;
    return VDLA_WAIT_INTERRUPT;
  };
  EXPECT_THAT([&] { session.run({kSent}); },
              ThrowsMessage<DeviceError>(StartsWith("the interrupt was raised 16 times")));
  board.transport.wait_interrupt = wait;
  EXPECT_EQ(session.run({kSent}).outputs[0], kDoubled);
}

TEST_F(BoardSession, MemoryThatIsTooSmall) {
  board.most = 100;
  const auto [status, text] = fault(doubling_module());
  EXPECT_EQ(status, VDLA_DRIVER_TRANSPORT);
  EXPECT_THAT(text, AllOf(StartsWith("cannot allocate "), HasSubstr("memory is full")));
  board.most = ~0ull;
  expect_good_run();
}

TEST_F(BoardSession, MemoryThatTheDeviceDoesNotReachIsRefusedBeforeAnythingIsWritten) {
  board.transport.dma_bits = 16;
  EXPECT_THAT(
      [&] { Session(doubling_module(), &board.transport, {}); },
      ThrowsMessage<DeviceError>(AllOf(StartsWith("the device cannot reach memory from 0x10000000 to 0x"),
                                       HasSubstr("its addresses have 16 bits"))));
  board.transport.dma_bits = 32;
  expect_good_run();
}

/// A process that ends while its program runs, without a word: the next one finds the device at work.
TEST_F(BoardSession, AUserWhoWasKilledInTheMiddle) {
  std::uint64_t insns = 0;
  const isa::Program program = program_of(*std::make_unique<Module>(doubling_module()));
  ASSERT_EQ(board.transport.alloc(board.transport.context, 4096, 4096, &insns), 0);
  engine->write_memory(insns, isa::insn_image(program));
  vdla_device killed{};
  ASSERT_EQ(vdla_probe(&killed, &board.transport), VDLA_DRIVER_OK) << killed.message;
  ASSERT_EQ(vdla_set_window(&killed, 0, insns, 4096), VDLA_DRIVER_OK) << killed.message;
  const vdla_launch launch{.insn_offset = 0, .insn_count = 7, .sequence = 41, .stall_limit = 0};
  ASSERT_EQ(vdla_start(&killed, &launch), VDLA_DRIVER_OK) << killed.message;
  ASSERT_EQ(engine->read_register(at(isa::Register::STATUS)), isa::kStatusBusy);
  board.transport.free(board.transport.context, insns);
  expect_good_run();
}

/// The post-mortem of a device that somebody else runs, or has run: nothing is changed, and the program is
/// read from memory.
TEST_F(BoardSession, IsRecordedWhileItRunsAndBehindThat) {
  std::uint64_t insns = 0;
  isa::Program program = program_of(*std::make_unique<Module>(doubling_module()));
  std::get<isa::MemoryInsn>(program.insns[2]).push = 0;
  ASSERT_EQ(board.transport.alloc(board.transport.context, 4096, 4096, &insns), 0);
  const Bytes image = isa::insn_image(program);
  engine->write_memory(insns, image);
  vdla_device device{};
  ASSERT_EQ(vdla_probe(&device, &board.transport), VDLA_DRIVER_OK) << device.message;
  const auto post_mortem = [&] {
    vdla_device other{};
    EXPECT_EQ(vdla_probe(&other, &board.transport), VDLA_DRIVER_OK) << other.message;
    return make_post_mortem(std::make_shared<Recording>(record(other)), "",
                            [&](std::uint32_t insn) { return insn_report(program, insn); });
  };
  EXPECT_THAT(post_mortem().cause, StartsWith("nothing is wrong"));
  ASSERT_EQ(vdla_set_window(&device, 0, insns, 4096), VDLA_DRIVER_OK) << device.message;
  const vdla_launch launch{.insn_offset = 0, .insn_count = 7, .sequence = 41, .stall_limit = 1000};
  ASSERT_EQ(vdla_start(&device, &launch), VDLA_DRIVER_OK) << device.message;
  board.controls.clear();
  EXPECT_EQ(post_mortem().status, VDLA_DRIVER_BUSY);
  EXPECT_EQ(post_mortem().cause, "a program is at work");
  engine->run(1000);
  const PostMortem hangs = post_mortem();
  EXPECT_EQ(hangs.status, VDLA_DRIVER_DEVICE) << "windows 1 to 7 were never set";
  EXPECT_THAT(hangs.cause, HasSubstr("leaves its window"));
  EXPECT_EQ(hangs.recording->insns, Bytes(image.begin(), image.begin() + 7 * isa::kInsnBytes));
  EXPECT_TRUE(board.controls.empty()) << "nothing was started or reset";
  board.transport.free(board.transport.context, insns);
  expect_good_run();
}

/// A device that still works has moved on between two readings: sentence, units and registers told three
/// stories.
TEST_F(BoardSession, OneReadingServesTheSentenceAndThePostMortem) {
  Module module = doubling_module();
  for (Step& step : module.steps)
    if (auto* device = std::get_if<DeviceStep>(&step))
      std::get<isa::MemoryInsn>(device->program.insns[2]).push = 0;
  const std::uint32_t first = at(isa::Register::LOAD_SINCE), last = first + 4 * isa::kUnitStride;
  std::uint32_t cycle = 100;
  board.reads = [&](std::uint32_t offset) {
    const bool since = offset >= first && offset <= last && (offset - first) % isa::kUnitStride == 0;
    return since ? std::optional(cycle++) : std::nullopt;
  };
  try {
    Session(module, &board.transport, {}).run({kSent});
    FAIL() << "it does not hang";
  } catch (const DeviceError& e) {
    ASSERT_NE(e.post_mortem(), nullptr) << e.what();
    const PostMortem& made = *e.post_mortem();
    ASSERT_NE(made.recording, nullptr);
    const PostMortem again = make_post_mortem(made.recording, "", [](std::uint32_t) { return InsnReport{}; });
    std::size_t waiting = 0;
    for (std::size_t unit = 0; unit < made.units.size(); ++unit) {
      EXPECT_EQ(made.units[unit].doing, again.units[unit].doing);
      if (made.units[unit].state.has_insn == 0) continue;
      ++waiting;
      EXPECT_THAT(e.what(), HasSubstr(made.units[unit].name + " " + made.units[unit].doing));
      EXPECT_THAT(made.units[unit].doing, HasSubstr(" since cycle "));
    }
    EXPECT_GE(waiting, 2u);
  }
  board.reads = {};
  expect_good_run();
}

TEST_F(BoardSession, ARunThatSomebodyResets) {
  board.on_start = [this] { engine->write_register(at(isa::Register::CONTROL), isa::kControlSoftReset); };
  board.wired = false;
  const auto [status, text] = fault(doubling_module());
  EXPECT_EQ(status, VDLA_DRIVER_STOPPED) << text;
  EXPECT_THAT(text, StartsWith("the device was reset while the program ran"));
  board.on_start = [] {};
  board.wired = true;
  expect_good_run();
}

}  // namespace
}  // namespace vdla::runtime
