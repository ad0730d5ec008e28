// SPDX-License-Identifier: Apache-2.0
// The driver core over a fake device: what it writes, what it accepts, and the message of every fault.
#include "driver/core/device.h"

#include <gmock/gmock.h>

#include "isa/spec/errors.h"
#include "isa/spec/legality.h"
#include "isa/spec/registers.h"
#include "tests/driver/fake_device.h"

namespace vdla::driver {
namespace {

using isa::Register;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StrEq;

constexpr std::uint32_t offset(Register r) { return static_cast<std::uint32_t>(r); }

class Device : public ::testing::Test {
 protected:
  Device() { EXPECT_EQ(vdla_probe(&device, fake.transport()), VDLA_DRIVER_OK) << device.message; }

  FakeDevice fake;
  vdla_device device;
  vdla_launch launch{.insn_offset = 0, .insn_count = 9, .sequence = 7, .stall_limit = 1000};
};

TEST(Probe, RefusesAnotherMagicNumber) {
  FakeDevice fake;
  fake.at(Register::MAGIC) = 0xfffffffe;
  vdla_device device;
  EXPECT_EQ(vdla_probe(&device, fake.transport()), VDLA_DRIVER_NO_DEVICE);
  EXPECT_THAT(device.message,
              StrEq("no VDLA device answers: register MAGIC reads 0xfffffffe, needs 0x414c4456; "
                    "check the base address and that the bitstream is loaded"));
}

TEST(Probe, ReportsATransportThatCannotRead) {
  FakeDevice fake;
  fake.fail_read_at = 0;
  vdla_device device;
  EXPECT_EQ(vdla_probe(&device, fake.transport()), VDLA_DRIVER_TRANSPORT);
  EXPECT_THAT(device.message, StrEq("the transport failed to read a register: bus fell off"));
}

constexpr const char* kDeadBus =
    "nothing answers on the bus, all registers read 0xffffffff; check that the bitstream is loaded, its "
    "clock "
    "runs, its reset is released and the base address is right";

TEST(Probe, NamesABusOnWhichNothingAnswers) {
  FakeDevice fake;
  fake.die();
  vdla_device device;
  EXPECT_EQ(vdla_probe(&device, fake.transport()), VDLA_DRIVER_BUS);
  EXPECT_THAT(device.message, StrEq(kDeadBus));
}

/// A board that loses power, a PCI link that goes down, a bitstream that somebody replaces.
TEST_F(Device, ABusThatDiesInTheMiddleIsNamedAtOnce) {
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) { return fake.die(), VDLA_WAIT_INTERRUPT; };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_BUS);
  EXPECT_EQ(fake.waits, 1);
  EXPECT_THAT(device.message, StrEq(kDeadBus));
}

TEST_F(Device, RegistersThatMayHoldAllOnesDo) {
  fake.at(Register::READ_BYTES_LO) = 0xffffffff;
  vdla_counters counters;
  EXPECT_EQ(vdla_read_counters(&device, &counters), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(counters.read_bytes, 0xffffffffu);
}

TEST_F(Device, ADeviceThatReadsZeroesAfterATimeoutIsGone) {
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) { return fake.registers.clear(), VDLA_WAIT_TIMEOUT; };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_NO_DEVICE);
  EXPECT_THAT(device.message, HasSubstr("register MAGIC reads 0x00000000"));
}

/// A device with an interrupt line as boards have it.
class Interrupt : public ::testing::Test {
 protected:
  Interrupt() {
    fake.use_interrupt();
    EXPECT_EQ(vdla_probe(&device, fake.transport()), VDLA_DRIVER_OK) << device.message;
  }
  std::string warning() const {
    char text[VDLA_MESSAGE_BYTES];
    return vdla_warning(&device, text, sizeof text) ? text : "";
  }

  FakeDevice fake;
  vdla_device device;
  vdla_launch launch{.insn_offset = 0, .insn_count = 9, .sequence = 7, .stall_limit = 1000};
};

TEST_F(Interrupt, IsLetThroughThenTheLevelIsReadThenTheWaitBegins) {
  std::vector<std::string> order;
  fake.on_arm = [&] { return order.push_back("arm"), 0; };
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) {
    order.push_back("wait");
    return fake.finish(7), VDLA_WAIT_INTERRUPT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 5000), VDLA_DRIVER_OK) << device.message;
  EXPECT_THAT(order, ElementsAre("arm", "wait"));
  fake.on_arm = [&] { return fake.finish(7), 0; };  // it rises just before it is let through
  EXPECT_EQ(vdla_run(&device, &launch, 5000), VDLA_DRIVER_OK) << device.message;
  EXPECT_THAT(order, ElementsAre("arm", "wait")) << "the level was high: no wait";
  EXPECT_EQ(device.interrupts_taken, 1u);
  EXPECT_EQ(warning(), "");
}

TEST_F(Interrupt, AProgramThatEndsWhileTheDriverSpinsCostsNoWait) {
  fake.options().spin_reads = 20;
  fake.on_control = [&](std::uint32_t) { fake.finish(7); };
  EXPECT_EQ(vdla_run(&device, &launch, 5000), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(fake.waits, 0);
  EXPECT_EQ(warning(), "");
}

TEST_F(Interrupt, ThatIsNotWiredEndsByPollingWithAWarning) {
  std::uint64_t passed = 0;
  fake.on_wait = [&](std::uint64_t timeout, std::uint64_t* spent) {
    *spent = timeout;
    passed += timeout;
    if (passed > 3000 && fake.at(Register::IRQ_STATUS) == 0) fake.finish(7);
    return VDLA_WAIT_TIMEOUT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 5'000'000), VDLA_DRIVER_OK) << device.message;
  EXPECT_LT(passed, 3000u * 2 + 64 * 1024) << "it might be late; not the time-out";
  EXPECT_EQ(device.interrupts_lost, 1u);
  EXPECT_EQ(warning(),
            "the interrupt is not wired, or its controller has it off: none came, and 1 of 1 waits ended by "
            "polling; check the line, its "
            "number and that its controller has it on");
  passed = 0;
  EXPECT_EQ(vdla_run(&device, &launch, 5'000'000), VDLA_DRIVER_OK) << device.message;
  EXPECT_LT(passed, 3000u * 2 + 64 * 17) << "from then on the time of the program again";
}

TEST_F(Interrupt, ThatIsOnItsWayWhenAWaitEndsIsNotLost) {
  fake.on_wait = [&](std::uint64_t timeout, std::uint64_t* spent) {
    *spent = timeout;
    if (fake.waits > 1) return VDLA_WAIT_INTERRUPT;
    return fake.finish(7), VDLA_WAIT_TIMEOUT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 5000), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(device.interrupts_taken, 1u);
  EXPECT_EQ(warning(), "");
}

TEST_F(Interrupt, ThatIsLostNowAndThenIsCounted) {
  bool lost = false;
  fake.on_wait = [&](std::uint64_t timeout, std::uint64_t* spent) {
    *spent = timeout;
    if (fake.at(Register::IRQ_STATUS) == 0) fake.finish(7);
    return lost ? VDLA_WAIT_TIMEOUT : VDLA_WAIT_INTERRUPT;
  };
  for (int run = 0; run < 5; ++run) {
    lost = run == 2;
    EXPECT_EQ(vdla_run(&device, &launch, 5000), VDLA_DRIVER_OK) << device.message;
  }
  EXPECT_EQ(warning(),
            "interrupts get lost: 1 of 5 waits ended by polling; check the line, its number and that its "
            "controller has it on");
}

TEST_F(Interrupt, AHangIsNotALostInterrupt) {
  std::uint64_t passed = 0;
  fake.on_wait = [&](std::uint64_t timeout, std::uint64_t* spent) {
    *spent = timeout;
    passed += timeout;
    return VDLA_WAIT_TIMEOUT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_TIMEOUT);
  EXPECT_EQ(passed, 1'000'000u);
  EXPECT_THAT(device.message, ::testing::StartsWith("the program did not finish within 1000000 us: load "));
  EXPECT_EQ(warning(), "");
}

/// A signal's handler, or somebody who does not ask.
TEST_F(Interrupt, AResetInTheMiddleOfARunIsNamedWithTheNextLook) {
  fake.on_wait = [&](std::uint64_t timeout, std::uint64_t* spent) {
    *spent = timeout;
    if (fake.waits == 3) fake.at(Register::STATUS) = isa::kStatusIdle;
    return VDLA_WAIT_TIMEOUT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 60'000'000), VDLA_DRIVER_STOPPED);
  EXPECT_EQ(fake.waits, 3);
  EXPECT_THAT(device.message,
              StrEq("the device was reset while the program ran; by a signal's handler, or by "
                    "another user?"));
}

TEST_F(Interrupt, ThatCannotBeLetThroughIsReported) {
  fake.on_arm = [] { return 1; };
  EXPECT_EQ(vdla_run(&device, &launch, 5000), VDLA_DRIVER_TRANSPORT);
  EXPECT_THAT(device.message, StrEq("the transport failed to let the interrupt through: bus fell off"));
}

TEST_F(Device, PollingDoesNotWait) {
  int ended = 1;
  ASSERT_EQ(vdla_start(&device, &launch), VDLA_DRIVER_OK);
  EXPECT_EQ(vdla_poll(&device, &launch, &ended), VDLA_DRIVER_OK);
  EXPECT_EQ(ended, 0);
  fake.finish(7);
  EXPECT_EQ(vdla_poll(&device, &launch, &ended), VDLA_DRIVER_OK);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(fake.at(Register::IRQ_STATUS), 0u);
  fake.fail(isa::ErrorCode::Window, isa::Unit::Store, 12, 0x40);
  EXPECT_EQ(vdla_poll(&device, &launch, &ended), VDLA_DRIVER_DEVICE);
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(fake.waits, 0);
}

TEST_F(Device, AHardResetEndsWhatASoftOneCannot) {
  fake.at(Register::STATUS) = isa::kStatusBusy;
  EXPECT_EQ(vdla_reset(&device), VDLA_DRIVER_RESET) << "there is no such line";
  fake.use_hard_reset();
  fake.on_hard_reset = [&] { return fake.at(Register::STATUS) = isa::kStatusIdle, 0; };
  EXPECT_EQ(vdla_reset(&device), VDLA_DRIVER_OK) << device.message;
  char text[VDLA_MESSAGE_BYTES];
  EXPECT_EQ(vdla_warning(&device, text, sizeof text), 1);
  EXPECT_THAT(text, StrEq("hard resets, because a soft reset did not end: 1"));
  fake.at(Register::STATUS) = isa::kStatusBusy;
  fake.on_hard_reset = [] { return 1; };
  EXPECT_EQ(vdla_reset(&device), VDLA_DRIVER_TRANSPORT);
  EXPECT_THAT(device.message, StrEq("the transport failed to reset the device from outside: bus fell off"));
}

TEST_F(Device, MemoryThatTheDeviceDoesNotReachIsRefusedBeforeTheFirstWrite) {
  fake.options().dma_bits = 32;
  EXPECT_EQ(vdla_set_window(&device, 3, 0xffff'f000, 0x1000), VDLA_DRIVER_OK) << device.message;
  fake.writes.clear();
  EXPECT_EQ(vdla_set_window(&device, 3, 0xffff'f000, 0x1001), VDLA_DRIVER_ARGUMENT);
  EXPECT_THAT(device.message,
              StrEq("the device cannot reach memory from 0xfffff000 to 0x100000000: its addresses "
                    "have 32 bits; reserve memory below that"));
  fake.options().dma_bits = 40;
  EXPECT_EQ(vdla_set_window(&device, 3, 1ull << 40, 1), VDLA_DRIVER_ARGUMENT);
  EXPECT_EQ(vdla_set_window(&device, 3, 0, 0), VDLA_DRIVER_OK) << "an empty window is nowhere";
  for (const auto& [own, port, what] :
       {std::tuple(36u, 0u, "36"), {36u, 40u, "36"}, {40u, 36u, "36"}, {0u, 36u, "36"}}) {
    fake.at(isa::Register::ADDRESS_BITS) = own;
    fake.options().dma_bits = port;
    ASSERT_EQ(vdla_probe(&device, fake.transport()), VDLA_DRIVER_OK);
    EXPECT_EQ(vdla_set_window(&device, 3, 1ull << 36, 1), VDLA_DRIVER_ARGUMENT) << own << " " << port;
    EXPECT_THAT(device.message, ::testing::HasSubstr(std::string("have ") + what + " bits"));
    EXPECT_EQ(vdla_set_window(&device, 3, (1ull << 36) - 1, 1), VDLA_DRIVER_OK) << device.message;
  }
  fake.writes.clear();
  fake.options().dma_first = 0x1000'0000;
  fake.options().dma_bytes = 0x100'0000;
  for (const auto& [base, bytes] : {std::pair(0xfff'ffc0ull, 64ull),
                                    {0x1000'0000ull, 0x100'0001ull},
                                    {0x1100'0000ull, 1ull},
                                    {0x2000'0000ull, 1ull}}) {
    EXPECT_EQ(vdla_set_window(&device, 0, base, bytes), VDLA_DRIVER_ARGUMENT) << base;
    EXPECT_THAT(device.message, ::testing::EndsWith(": its memory is 0x10000000 to 0x10ffffff"));
  }
  EXPECT_TRUE(fake.writes.empty());
  EXPECT_EQ(vdla_set_window(&device, 0, 0x1000'0000, 0x100'0000), VDLA_DRIVER_OK) << device.message;
}

TEST(Timeout, IsTwentyTimesThePredictionAtTenMegahertzAndASecondAtLeast) {
  FakeDevice fake;
  fake.use_interrupt();
  EXPECT_EQ(vdla_timeout(fake.transport(), 0), 1'000'000u) << "us";
  EXPECT_EQ(vdla_timeout(fake.transport(), 10'000'000), 20'000'000u);
  fake.options().units_per_second = 0;
  EXPECT_EQ(vdla_timeout(fake.transport(), 100), 10'000'000u) << "cycles";
  EXPECT_EQ(vdla_timeout(fake.transport(), 10'000'000), 200'000'000u);
  EXPECT_GT(vdla_timeout(fake.transport(), UINT64_MAX), std::uint64_t{1} << 50);
}

TEST_F(Device, KnowsItsIdentity) {
  EXPECT_EQ(device.identity.isa_version, isa::kIsaVersion);
  EXPECT_EQ(device.identity.geometry_hash, FakeDevice::kHash);
  const vdla_identity same = {isa::kIsaVersion, FakeDevice::kHash, nullptr};
  EXPECT_EQ(vdla_require(&device, &same), VDLA_DRIVER_OK);
}

TEST_F(Device, RefusesAnotherVersion) {
  const vdla_identity other = {isa::kIsaVersion + 1, FakeDevice::kHash, nullptr};
  EXPECT_EQ(vdla_require(&device, &other), VDLA_DRIVER_VERSION);
  EXPECT_THAT(device.message, StrEq("the device has ISA version " + std::to_string(isa::kIsaVersion) +
                                    ", the program needs version " + std::to_string(isa::kIsaVersion + 1) +
                                    "; compile it again with a kit of the device's version"));
}

TEST_F(Device, RefusesAnotherGeometry) {
  const std::string begin = "the device has another geometry than the program was compiled for: ",
                    end = "; compile it again for the device's variant";
  std::array<std::uint32_t, isa::kGeometryFields.size()> needed{};
  const vdla_identity other = {isa::kIsaVersion, 0x42, needed.data()};
  for (std::size_t i = 0; i < needed.size(); ++i) needed[i] = fake.at(isa::geometry_register(i)) = 100 + i;
  EXPECT_EQ(vdla_require(&device, &other), VDLA_DRIVER_GEOMETRY);
  EXPECT_EQ(device.message, begin + "GEOMETRY_HASH is another one" + end);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    needed[i] = 7;
    EXPECT_EQ(vdla_require(&device, &other), VDLA_DRIVER_GEOMETRY);
    EXPECT_EQ(device.message, begin + std::string(isa::kGeometryFields[i].name) + " is " +
                                  std::to_string(100 + i) + ", needs 7" + end);
    needed[i] = 100 + static_cast<std::uint32_t>(i);
  }
  for (std::uint32_t& number : needed) number = UINT32_MAX;
  for (std::size_t i = 0; i < needed.size(); ++i) fake.at(isa::geometry_register(i)) = UINT32_MAX - 1;
  EXPECT_EQ(vdla_require(&device, &other), VDLA_DRIVER_GEOMETRY);
  EXPECT_THAT(device.message, ::testing::EndsWith(end)) << "all of them fit into the message";
  fake.fail_read_at = static_cast<int>(Register::GEOMETRY_BATCH);
  EXPECT_EQ(vdla_require(&device, &other), VDLA_DRIVER_TRANSPORT);
}

TEST_F(Device, SoftResetWaitsForIdleAndClearsTheInterrupt) {
  fake.at(Register::STATUS) = isa::kStatusBusy;
  fake.at(Register::IRQ_STATUS) = isa::kIrqDone | isa::kIrqError;
  fake.on_control = [&](std::uint32_t control) {
    EXPECT_EQ(control, isa::kControlSoftReset);
    fake.at(Register::STATUS) = isa::kStatusIdle;
  };
  EXPECT_EQ(vdla_soft_reset(&device), VDLA_DRIVER_OK);
  EXPECT_EQ(fake.at(Register::IRQ_STATUS), 0u);
}

TEST_F(Device, SoftResetThatDoesNotEndIsReported) {
  fake.at(Register::STATUS) = isa::kStatusBusy;
  fake.at(Register::LOAD_STATE) = 7;
  fake.at(Register::STORE_STATE) = 7;
  EXPECT_EQ(vdla_soft_reset(&device), VDLA_DRIVER_RESET);
  EXPECT_THAT(device.message,
              StrEq("the device does not come out of soft reset: register STATUS reads 0x00000002, "
                    "needs idle; the memory owes load an answer; the memory owes store an answer"));
}

TEST_F(Device, ASoftResetThatWaitsForASlowMemoryLetsTimePass) {
  fake.at(Register::STATUS) = isa::kStatusBusy;
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) {
    if (fake.waits == 7) fake.at(Register::STATUS) = isa::kStatusIdle;
    return VDLA_WAIT_TIMEOUT;
  };
  EXPECT_EQ(vdla_soft_reset(&device), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(fake.waits, 7);
}

TEST_F(Device, IndicesCountFromTheWindowsFirstInstruction) {
  launch.insn_offset = 64 * 100;
  fake.at(Register::GEMM_INSN) = 13;
  fake.at(Register::GEMM_STATE) = 1 | 1u << 4;
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) {
    fake.fail(isa::ErrorCode::Window, isa::Unit::Store, 12, 0x40);
    return VDLA_WAIT_INTERRUPT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_DEVICE);
  EXPECT_THAT(device.message, HasSubstr("store at instruction 112: "));
  vdla_unit_states states;
  ASSERT_EQ(vdla_read_units(&device, &states), VDLA_DRIVER_OK);
  EXPECT_EQ(states.unit[1].insn, 113u);
}

TEST_F(Device, ProgramsAWindow) {
  EXPECT_EQ(vdla_set_window(&device, 2, 0x1'2345'6789, 0x2'0000'0040), VDLA_DRIVER_OK);
  EXPECT_THAT(fake.writes,
              ElementsAre(Pair(0x120, 0x23456789), Pair(0x124, 1), Pair(0x128, 0x40), Pair(0x12c, 2)));
  EXPECT_EQ(vdla_set_window(&device, 0, 0x1020, 64), VDLA_DRIVER_ARGUMENT);
  EXPECT_THAT(device.message, StrEq("window insn starts at 0x1020, which must be a multiple of 64"));
  EXPECT_EQ(vdla_set_window(&device, 3, ~0ull - 10, 11), VDLA_DRIVER_ARGUMENT);
  EXPECT_THAT(device.message,
              StrEq("window 3 starts at 0xfffffffffffffff5 and is too large for it: 0xb bytes leave "
                    "the address space"));
  fake.at(Register::STATUS) = isa::kStatusBusy;
  EXPECT_EQ(vdla_set_window(&device, 3, 0, 64), VDLA_DRIVER_BUSY);
  EXPECT_EQ(fake.writes.size(), 4u);
  EXPECT_EQ(vdla_set_window(&device, 8, 0, 0), VDLA_DRIVER_ARGUMENT);
  EXPECT_THAT(device.message, StrEq("window 8 does not exist; there are 8"));
}

TEST_F(Device, StartsWithTheInterruptClearedFirst) {
  launch.insn_offset = 128;
  fake.at(Register::IRQ_STATUS) = isa::kIrqDone;  // left over
  EXPECT_EQ(vdla_start(&device, &launch), VDLA_DRIVER_OK);
  EXPECT_THAT(fake.writes,
              ElementsAre(Pair(offset(Register::INSN_OFFSET), 128), Pair(offset(Register::INSN_COUNT), 9),
                          Pair(offset(Register::STALL_LIMIT), 1000), Pair(offset(Register::IRQ_STATUS), 3),
                          Pair(offset(Register::CONTROL), isa::kControlStart | isa::kControlIrqEnable)));
}

TEST_F(Device, RefusesToStart) {
  fake.at(Register::STATUS) = isa::kStatusBusy;
  EXPECT_EQ(vdla_start(&device, &launch), VDLA_DRIVER_BUSY);
  EXPECT_THAT(device.message, HasSubstr("still working on the previous program"));
  launch.insn_offset = 65;
  EXPECT_EQ(vdla_start(&device, &launch), VDLA_DRIVER_ARGUMENT);
  EXPECT_THAT(device.message,
              StrEq("instructions start at byte 65 of their window, which must be a multiple of 64"));
  launch.insn_count = 0;
  EXPECT_EQ(vdla_start(&device, &launch), VDLA_DRIVER_ARGUMENT);
  EXPECT_THAT(device.message, StrEq("a program needs at least one instruction, got 0"));
  EXPECT_TRUE(fake.writes.empty());
}

TEST_F(Device, FinishesWithItsOwnSequenceNumber) {
  fake.on_wait = [&](std::uint64_t timeout, std::uint64_t*) {
    EXPECT_EQ(timeout, 5000u);
    fake.finish(7);
    return VDLA_WAIT_INTERRUPT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 5000), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(fake.at(Register::IRQ_STATUS), 0u);
}

TEST_F(Device, DoesNotTakeAnEarlierFinishForItsOwn) {
  fake.finish(7);  // an earlier run of the same program left done raised
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) { return VDLA_WAIT_TIMEOUT; };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_TIMEOUT);
}

TEST_F(Device, ReportsTheFinishOfAnotherProgram) {
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) { return fake.finish(8), VDLA_WAIT_INTERRUPT; };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_SEQUENCE);
  EXPECT_THAT(device.message,
              StrEq("the device finished sequence number 8, the program started has 7; is another user "
                    "driving the same device?"));
}

TEST_F(Device, SpuriousInterruptsDoNotEndTheWait) {
  fake.on_wait = [&](std::uint64_t timeout, std::uint64_t* spent) {
    EXPECT_EQ(timeout, 100u - 10u * static_cast<unsigned>(fake.waits - 1));
    *spent = 10;
    if (fake.waits == 4) fake.finish(7);
    return VDLA_WAIT_INTERRUPT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(fake.waits, 4);
}

TEST_F(Device, AnInterruptThatNobodyExplainsIsReported) {
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) { return VDLA_WAIT_INTERRUPT; };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_TRANSPORT);
  EXPECT_THAT(device.message,
              StrEq("the interrupt was raised 16 times while register IRQ_STATUS read 0; check the "
                    "interrupt's wiring"));
}

/// Another device on the same line, for as long as a program takes.
TEST_F(Interrupt, ANeighbourOnTheLineDoesNotEndARun) {
  fake.on_wait = [&](std::uint64_t timeout, std::uint64_t* spent) {
    *spent = timeout;
    if (fake.waits == 64) fake.finish(7);
    return fake.waits % 2 != 0 ? VDLA_WAIT_INTERRUPT : VDLA_WAIT_TIMEOUT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 60'000'000), VDLA_DRIVER_OK) << device.message;
}

TEST_F(Device, ALostInterruptIsNotATimeout) {
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) { return fake.finish(7), VDLA_WAIT_TIMEOUT; };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_OK) << device.message;
}

TEST_F(Device, DecodesAnError) {
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) {
    fake.fail(isa::ErrorCode::Window, isa::Unit::Store, 12, 0x1'0000'0040);
    return VDLA_WAIT_INTERRUPT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_DEVICE);
  EXPECT_THAT(device.message,
              StrEq("the device stopped with an error: store at instruction 12: error 2, a DRAM access "
                    "leaves its window; ERROR_ADDR: the byte offset (ERROR_ADDR = 0x100000040)"));
  vdla_device_error error;
  EXPECT_EQ(vdla_read_error(&device, &error), VDLA_DRIVER_OK);
  EXPECT_EQ(error.code, static_cast<std::uint32_t>(isa::ErrorCode::Window));
  EXPECT_EQ(error.insn, 12u);
  EXPECT_EQ(error.address, 0x1'0000'0040u);
}

TEST_F(Device, AStallNamesWhoWaitsForWhat) {
  fake.at(Register::CYCLES_LO) = 1077;
  fake.at(Register::GEMM_SINCE) = 77;
  fake.at(Register::GEMM_INSN) = 13;
  fake.at(Register::GEMM_STATE) = 1 | 1u << 4;
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) {
    fake.fail(isa::ErrorCode::Stall, isa::Unit::Gemm, 13, 0);
    return VDLA_WAIT_INTERRUPT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_DEADLOCK);
  EXPECT_THAT(
      device.message,
      StrEq(
          "the program hangs, the device found no unit making progress for 1000 cycles: load has nothing to "
          "do; gemm waits at instruction 13 since cycle 77 for a token from load; vector has nothing to do; "
          "store has nothing to do; fetch has nothing to do"));
}

/// The functional engine counted instructions as cycles; its cycles are 0, and messages show none.
TEST_F(Device, AStallOfADeviceWithoutTimeShowsNoCycles) {
  fake.at(Register::GEMM_INSN) = 13;
  fake.at(Register::GEMM_STATE) = 1 | 1u << 4;
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) {
    fake.fail(isa::ErrorCode::Stall, isa::Unit::Gemm, 13, 0);
    return VDLA_WAIT_INTERRUPT;
  };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_DEADLOCK);
  EXPECT_THAT(
      device.message,
      testing::StartsWith("the program hangs, the device found no unit making progress: load has nothing to "
                          "do; gemm waits at instruction 13 for a token from load; "));
}

TEST_F(Device, EveryErrorCodeHasAText) {
  for (const auto& code : isa::kErrorCodes) {
    if (code.code == static_cast<unsigned>(isa::ErrorCode::IllegalInsn)) continue;
    const vdla_device_error error = {.code = code.code, .unit = 1, .insn = 3, .address = 5};
    char text[300];
    vdla_describe_error(&error, text, sizeof text);
    EXPECT_THAT(text, StrEq("gemm at instruction 3: error " + std::to_string(code.code) + ", " +
                            std::string(code.doc) + " (ERROR_ADDR = 0x5)"));
  }
  const vdla_device_error unknown = {.code = 99, .unit = 42, .insn = 3, .address = 5};
  char text[300];
  vdla_describe_error(&unknown, text, sizeof text);
  EXPECT_THAT(text, StrEq("unknown at instruction 3: error 99, unknown (ERROR_ADDR = 0x5)"));
}

TEST_F(Device, AnIllegalInstructionNamesTheRule) {
  const isa::Rule& rule = isa::rules()[2];
  const vdla_device_error error = {.code = static_cast<std::uint32_t>(isa::ErrorCode::IllegalInsn),
                                   .unit = static_cast<std::uint32_t>(isa::Unit::Fetch),
                                   .insn = 3,
                                   .address = isa::number_of(rule)};
  char text[400];
  vdla_describe_error(&error, text, sizeof text);
  EXPECT_THAT(text, ::testing::StartsWith(
                        "fetch at instruction 3: error 1, an instruction breaks a rule of the ISA"));
  EXPECT_THAT(text, ::testing::EndsWith(": " + std::string(rule.doc) + ")"));
}

TEST_F(Device, ADeadlockNamesWhoWaitsForWhat) {
  fake.at(Register::LOAD_INSN) = 12;
  fake.at(Register::LOAD_STATE) = 1 | 1u << 5;  // waits for gemm
  fake.at(Register::GEMM_INSN) = 13;
  fake.at(Register::GEMM_STATE) =
      1 | 1u << 4 | 1u << 6 | 1u << 10;  // waits for load and vector, room to vector
  fake.at(Register::VECTOR_INSN) = 5;
  fake.at(Register::VECTOR_STATE) = 7;
  fake.at(Register::LOAD_SINCE) = 100;
  fake.at(Register::FETCH_INSN) = 30;
  fake.at(Register::FETCH_STATE) = 1 | 1u << 4;
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) { return VDLA_WAIT_STUCK; };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_DEADLOCK);
  EXPECT_THAT(
      device.message,
      StrEq("deadlock, no unit can make progress: load waits at instruction 12 since cycle 100 for a token "
            "from gemm; gemm waits at instruction 13 for a token from load and vector and for "
            "room for a "
            "token to vector; vector runs instruction 5, the memory owes it an answer; store "
            "has nothing "
            "to do; fetch waits at instruction 30 for room in the queue of load"));
}

TEST_F(Device, ATimeoutNamesTheLimitAndTheUnits) {
  fake.at(Register::STORE_INSN) = 4;
  fake.at(Register::STORE_STATE) = 1;
  fake.at(Register::FETCH_INSN) = 30;
  fake.at(Register::FETCH_STATE) = 5;
  fake.at(Register::FETCH_SINCE) = 9;
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) { return VDLA_WAIT_TIMEOUT; };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_TIMEOUT);
  EXPECT_THAT(
      device.message,
      StrEq(
          "the program did not finish within 100 us: load has nothing to do; gemm has nothing to do; vector "
          "has nothing to do; store is about to start instruction 4; fetch is at instruction "
          "30 since cycle 9, "
          "the memory owes it data"));
}

TEST_F(Device, AFailingPostMortemKeepsTheCause) {
  fake.fail_read_at = static_cast<int>(offset(Register::VECTOR_STATE));
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) { return VDLA_WAIT_STUCK; };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_DEADLOCK);
  EXPECT_THAT(device.message,
              StrEq("deadlock, no unit can make progress: the transport failed to read a register: bus "
                    "fell off"));
}

TEST_F(Device, ReportsATransportThatCannotWriteOrWait) {
  fake.on_wait = [&](std::uint64_t, std::uint64_t*) { return VDLA_WAIT_FAILED; };
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_TRANSPORT);
  EXPECT_THAT(device.message, StrEq("the transport failed to wait for the interrupt: bus fell off"));
  fake.at(Register::STATUS) = isa::kStatusIdle;
  fake.fail_write_at = static_cast<int>(offset(Register::CONTROL));
  EXPECT_EQ(vdla_run(&device, &launch, 100), VDLA_DRIVER_TRANSPORT);
  EXPECT_THAT(device.message, StrEq("the transport failed to write a register: bus fell off"));
}

TEST_F(Device, ReadsTheCounters) {
  fake.at(Register::CYCLES_LO) = 5;
  fake.at(Register::CYCLES_HI) = 1;
  fake.at(Register::READ_BYTES_LO) = 100;
  fake.at(Register::WRITE_BYTES_LO) = 200;
  for (unsigned unit = 0; unit < 4; ++unit) {
    fake.at(Register::LOAD_BUSY, 8 * unit) = 10 + unit;
    fake.at(Register::LOAD_TOKEN_STALL, 8 * unit) = 20 + unit;
  }
  vdla_counters counters;
  EXPECT_EQ(vdla_read_counters(&device, &counters), VDLA_DRIVER_OK);
  EXPECT_EQ(counters.cycles, 0x1'0000'0005u);
  EXPECT_EQ(counters.read_bytes, 100u);
  EXPECT_EQ(counters.write_bytes, 200u);
  EXPECT_THAT(counters.busy, ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(counters.token_stall, ElementsAre(20, 21, 22, 23));
}

TEST(Status, EachHasAText) {
  EXPECT_STREQ(vdla_driver_status_text(VDLA_DRIVER_OK), "no error");
  EXPECT_STREQ(vdla_driver_status_text(VDLA_DRIVER_DEADLOCK), "no unit can make progress");
  EXPECT_STREQ(vdla_driver_status_text(static_cast<vdla_driver_status>(99)), "unknown status");
}

}  // namespace
}  // namespace vdla::driver
