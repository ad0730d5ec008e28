// SPDX-License-Identifier: Apache-2.0
// An interrupted, failing or mis-programmed device recovers: reset, next program correct. One list of cases
// through the driver core, which each engine's test instantiates.
#pragma once

#include <gmock/gmock.h>

#include <cstring>
#include <functional>
#include <random>

#include "driver/core/device.h"
#include "driver/sim/sim_transport.h"
#include "isa/spec/errors.h"
#include "isa/spec/registers.h"
#include "isa/variants/variants.h"
#include "tests/sim/program.h"

namespace vdla::driver {

using EngineFactory = std::function<std::unique_ptr<sim::Engine>(const isa::Variant&)>;

inline constexpr std::uint64_t kMemoryBytes = 1 << 20;
inline constexpr std::uint64_t kWindowBytes = 8192;
/// Copied from here in window input to there in window output: bursts that begin inside a beat and are cut.
inline constexpr std::uint64_t kCopyBytes = 192, kCopyFrom = 1100, kCopyTo = 1107;

class Recovery : public testing::TestWithParam<EngineFactory> {
 protected:
  void SetUp() override { use(isa::load_variant("tiny")); }

  /// A fresh machine with programmed windows, surrounded by memory of a known pattern.
  void use(const isa::Variant& variant) {
    engine_ = GetParam()(variant);
    transport_ = std::make_unique<SimTransport>(*engine_);
    std::vector<std::byte> pattern(kMemoryBytes);
    for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<std::byte>(i * 7 + i / 251);
    engine_->write_memory(engine_->memory_base(), pattern);
    ASSERT_EQ(vdla_probe(&device_, transport_->transport()), VDLA_DRIVER_OK) << device_.message;
    set_windows();
    put_operands();
  }

  static std::uint64_t base(isa::Window w) {
    return sim::kMemoryBase + (2 * static_cast<std::uint64_t>(w) + 1) * kWindowBytes;
  }
  void set_windows() {
    for (unsigned w = 0; w < isa::kWindowCount; ++w)
      ASSERT_EQ(vdla_set_window(&device_, w, base(static_cast<isa::Window>(w)), kWindowBytes), VDLA_DRIVER_OK)
          << device_.message;
  }
  unsigned block() const { return engine_->variant().geometry.block_out; }

  void put_operands() {
    const unsigned n = block();
    std::mt19937 random(7);
    std::vector<std::int8_t> inp(n), wgt(n * n), copied(kCopyBytes);
    for (auto* list : {&inp, &wgt, &copied})
      for (auto& v : *list) v = static_cast<std::int8_t>(random() % 11) - 5;
    put(isa::Window::Input, 0, std::as_bytes(std::span(inp)));
    put(isa::Window::Input, kCopyFrom, std::as_bytes(std::span(copied)));
    put(isa::Window::Const, 0, std::as_bytes(std::span(wgt)));
    put(isa::Window::Uop, 0, std::vector<std::byte>(isa::kUopBytes));
    dense_.clear();
    for (unsigned o = 0; o < n; ++o) {
      int sum = 0;
      for (unsigned k = 0; k < n; ++k) sum += inp[k] * wgt[o * n + k];
      dense_.push_back(static_cast<std::int8_t>(std::clamp(sum, -128, 127)));
    }
    copied_ = copied;
  }
  void put(isa::Window w, std::uint64_t offset, std::span<const std::byte> bytes) {
    engine_->write_memory(base(w) + offset, bytes);
  }
  void put_program(const std::vector<isa::Insn>& program, std::uint32_t first_insn = 0) {
    put(isa::Window::Insn, std::uint64_t{first_insn} * isa::kInsnBytes, isa::encode_stream(program));
  }
  std::vector<std::byte> memory() {
    std::vector<std::byte> bytes(kMemoryBytes);
    engine_->read_memory(engine_->memory_base(), bytes);
    return bytes;
  }

  /// All four units at work: out = clamp(inp * wgt) at output 0, and `copies` copies, 1024 bytes
  /// apart in the output.
  std::vector<isa::Insn> good_program(unsigned copies = 3, std::uint32_t sequence = 5) const {
    using sim::kToGemm, sim::kToLoad, sim::kToStore, sim::kToVector;
    isa::GemmInsn gemm;
    gemm.init = true;
    gemm.pop = kToLoad;
    gemm.push = kToVector;
    isa::VectorInsn clamp;
    clamp.dst_buffer = isa::Buffer::Out;
    clamp.pop = kToGemm;
    clamp.push = kToStore;
    std::vector<isa::Insn> program = {
        sim::load_insn(isa::Buffer::Uop, isa::Window::Uop, 0, 0, 1),
        sim::load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 1),
        sim::load_insn(isa::Buffer::Wgt, isa::Window::Const, 0, 0, 1, 0, kToGemm),
        gemm,
        clamp,
        sim::store_insn(isa::Window::Output, 0, 0, 1, kToVector)};
    const auto entries =
        static_cast<unsigned>(kCopyBytes / engine_->variant().geometry.entry_bytes(isa::Buffer::Out));
    for (unsigned i = 0; i < copies; ++i) {
      program.push_back(sim::load_insn(isa::Buffer::Out, isa::Window::Input, 1, kCopyFrom, entries,
                                       i > 0 ? kToStore : 0, kToStore));
      program.push_back(sim::store_insn(isa::Window::Output, 1, kCopyTo + 1024 * i, entries, kToLoad,
                                        i + 1 < copies ? kToLoad : 0));
    }
    isa::FinishInsn finish;
    finish.sequence = sequence;
    program.push_back(finish);
    return program;
  }

  static vdla_launch launch_of(const std::vector<isa::Insn>& program, std::uint32_t first_insn = 0,
                               std::uint32_t stall_limit = 0) {
    const auto* finish = std::get_if<isa::FinishInsn>(&program.back());
    return {.insn_offset = static_cast<std::uint32_t>(first_insn * isa::kInsnBytes),
            .insn_count = static_cast<std::uint32_t>(program.size()),
            .sequence = finish != nullptr ? finish->sequence : 0,
            .stall_limit = stall_limit};
  }
  vdla_driver_status run(const std::vector<isa::Insn>& program, std::uint32_t first_insn = 0,
                         std::uint32_t stall_limit = 0, std::uint64_t timeout = 10'000'000) {
    put_program(program, first_insn);
    const vdla_launch launch = launch_of(program, first_insn, stall_limit);
    return vdla_run(&device_, &launch, timeout);
  }

  /// The good program runs and changes exactly its output.
  void expect_works(const std::string& after) {
    const auto program = good_program();
    put_program(program);
    auto expected = memory();
    const auto at = [&](std::uint64_t offset) {
      return base(isa::Window::Output) - sim::kMemoryBase + offset;
    };
    std::memcpy(&expected[at(0)], dense_.data(), dense_.size());
    for (unsigned i = 0; i < 3; ++i)
      std::memcpy(&expected[at(kCopyTo + 1024 * i)], copied_.data(), kCopyBytes);
    const vdla_launch launch = launch_of(program);
    ASSERT_EQ(vdla_run(&device_, &launch, 10'000'000), VDLA_DRIVER_OK) << after << ": " << device_.message;
    const auto got = memory();
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], expected[i]) << after << ": byte " << i << " of memory";
  }
  void expect_recovers(const std::string& after) {
    ASSERT_EQ(vdla_soft_reset(&device_), VDLA_DRIVER_OK) << after << ": " << device_.message;
    ASSERT_NO_FATAL_FAILURE(expect_works(after));
  }

  /// Runs of all units that are reset `step` cycles later each; the next program is right, and each second
  /// time that is after another run was interrupted.
  void reset_in_each(std::uint64_t step) {
    const auto program = good_program();
    put_program(program);
    const vdla_launch launch = launch_of(program);
    ASSERT_EQ(vdla_run(&device_, &launch, 10'000'000), VDLA_DRIVER_OK);
    vdla_counters counters{};
    ASSERT_EQ(vdla_read_counters(&device_, &counters), VDLA_DRIVER_OK);
    unsigned interrupted = 0;
    for (std::uint64_t cycle = 0; cycle < counters.cycles + 8; cycle += step) {
      ASSERT_EQ(vdla_start(&device_, &launch), VDLA_DRIVER_OK) << cycle << ": " << device_.message;
      interrupted += vdla_wait(&device_, &launch, cycle) == VDLA_DRIVER_TIMEOUT;
      ASSERT_EQ(vdla_soft_reset(&device_), VDLA_DRIVER_OK) << cycle << ": " << device_.message;
      ASSERT_EQ(reg(isa::Register::STATUS), isa::kStatusIdle) << cycle;
      ASSERT_EQ(reg(isa::Register::IRQ_STATUS), 0u) << cycle;
      if (cycle / step % 2 == 0)
        ASSERT_NO_FATAL_FAILURE(expect_works("reset at cycle " + std::to_string(cycle)));
    }
    EXPECT_GT(interrupted, counters.cycles / step / 2);
  }

  vdla_device_error error() {
    vdla_device_error e{};
    EXPECT_EQ(vdla_read_error(&device_, &e), VDLA_DRIVER_OK);
    return e;
  }
  void expect_error(isa::ErrorCode code, isa::Unit unit, std::uint32_t insn, std::uint64_t address) {
    const vdla_device_error e = error();
    EXPECT_EQ(e.code, static_cast<unsigned>(code)) << device_.message;
    EXPECT_EQ(e.unit, static_cast<unsigned>(unit)) << device_.message;
    EXPECT_EQ(e.insn, insn) << device_.message;
    EXPECT_EQ(e.address, address) << device_.message;
  }
  std::uint32_t reg(isa::Register r) { return engine_->read_register(sim::at(r)); }

  std::unique_ptr<sim::Engine> engine_;
  std::unique_ptr<SimTransport> transport_;
  vdla_device device_{};
  std::vector<std::int8_t> dense_, copied_;
};

TEST_P(Recovery, AGoodProgramChangesExactlyItsOutput) { expect_works("nothing"); }

/// The reset comes in every cycle of a run in turn: before the first burst, while reads and writes are open,
/// between units, after the end.
TEST_P(Recovery, ASoftResetInAnyCycleLeavesAUsableDevice) { reset_in_each(1); }

TEST_P(Recovery, ASoftResetLeavesAUsableDeviceWithOtherMemories) {
  isa::Variant variant = isa::load_variant("tiny");
  variant.timing.dram_latency = 1;
  use(variant);
  ASSERT_NO_FATAL_FAILURE(reset_in_each(3));
  variant.timing.dram_latency = 200;
  variant.timing.dram_outstanding = 2;
  variant.timing.dram_bytes_per_cycle = 2;
  use(variant);
  ASSERT_NO_FATAL_FAILURE(reset_in_each(7));
}

/// Nothing is written once the reset is over: neither beats that were owed nor ones that the program would
/// have come to.
TEST_P(Recovery, NothingIsWrittenAfterAReset) {
  const auto program = good_program(6);
  put_program(program);
  const vdla_launch launch = launch_of(program);
  for (std::uint64_t cycle = 5; cycle < 700; cycle += 11) {
    ASSERT_EQ(vdla_start(&device_, &launch), VDLA_DRIVER_OK) << device_.message;
    (void)vdla_wait(&device_, &launch, cycle);
    ASSERT_EQ(vdla_soft_reset(&device_), VDLA_DRIVER_OK) << device_.message;
    const auto before = memory();
    std::uint64_t spent = 0;
    transport_->transport()->wait_interrupt(transport_->transport()->context, 500, &spent);
    for (int i = 0; i < 200; ++i) (void)reg(isa::Register::STATUS);  // time passes
    ASSERT_TRUE(memory() == before) << "reset after " << cycle;
  }
  ASSERT_NO_FATAL_FAILURE(expect_works("interrupted runs"));
}

TEST_P(Recovery, ASecondStartWhileBusyChangesNothing) {
  const auto program = good_program();
  put_program(program);
  const vdla_launch launch = launch_of(program);
  ASSERT_EQ(vdla_start(&device_, &launch), VDLA_DRIVER_OK);
  EXPECT_EQ(vdla_start(&device_, &launch), VDLA_DRIVER_BUSY);
  EXPECT_THAT(device_.message, testing::HasSubstr("still working on the previous program"));
  EXPECT_EQ(vdla_set_window(&device_, 3, 0, 0), VDLA_DRIVER_BUSY);
  // Somebody who does not ask: the device itself keeps what the run depends on.
  engine_->write_register(sim::at(isa::Register::CONTROL), isa::kControlStart | isa::kControlIrqEnable);
  for (std::uint32_t r = sim::at(isa::Register::WINDOW0_BASE_LO); r < isa::kRegisterSpace; r += 4)
    engine_->write_register(r, 0xffff'fff8);
  engine_->write_register(sim::at(isa::Register::INSN_COUNT), 1);
  engine_->write_register(sim::at(isa::Register::INSN_OFFSET), 64);
  EXPECT_EQ(vdla_wait(&device_, &launch, 10'000'000), VDLA_DRIVER_OK) << device_.message;
  EXPECT_EQ(reg(isa::Register::INSN_COUNT), program.size());
  expect_works("a start while busy");
}

TEST_P(Recovery, AProgramForAnotherGeometryIsRefused) {
  const vdla_identity other = {device_.identity.isa_version, device_.identity.geometry_hash ^ 1, nullptr};
  EXPECT_EQ(vdla_require(&device_, &other), VDLA_DRIVER_GEOMETRY);
  expect_works("a refused program");
}

TEST_P(Recovery, AWindowThatIsTooSmallNamesTheInstruction) {
  struct Case {
    isa::Window window;
    std::uint64_t size;
    isa::Unit unit;
    std::uint32_t insn;
    std::uint64_t address;
  };
  const std::uint64_t n = block();
  for (const Case& c :
       {Case{isa::Window::Insn, 3 * 64 + 63, isa::Unit::Fetch, 3, 3 * 64},
        Case{isa::Window::Insn, 0, isa::Unit::Fetch, 0, 0}, Case{isa::Window::Uop, 7, isa::Unit::Load, 0, 0},
        Case{isa::Window::Input, n - 1, isa::Unit::Load, 1, 0},
        Case{isa::Window::Const, 0, isa::Unit::Load, 2, 0},
        Case{isa::Window::Output, n - 1, isa::Unit::Store, 5, 0},
        Case{isa::Window::Output, kCopyTo + kCopyBytes - 1, isa::Unit::Store, 7, kCopyTo}}) {
    const auto program = good_program(1);
    put_program(program);
    ASSERT_EQ(vdla_set_window(&device_, static_cast<unsigned>(c.window), base(c.window), c.size),
              VDLA_DRIVER_OK);
    EXPECT_EQ(run(program), VDLA_DRIVER_DEVICE);
    expect_error(isa::ErrorCode::Window, c.unit, c.insn, c.address);
    set_windows();
    ASSERT_NO_FATAL_FAILURE(
        expect_recovers(std::string(isa::to_string(c.window)) + " of " + std::to_string(c.size)));
  }
}

TEST_P(Recovery, WindowsThatCannotWorkAreRefused) {
  EXPECT_EQ(vdla_set_window(&device_, 0, base(isa::Window::Insn) + 32, 4096), VDLA_DRIVER_ARGUMENT);
  EXPECT_THAT(device_.message, testing::HasSubstr("must be a multiple of 64"));
  EXPECT_EQ(vdla_set_window(&device_, 3, ~0ull - 100, 4096), VDLA_DRIVER_ARGUMENT);
  EXPECT_THAT(device_.message, testing::HasSubstr("leave the address space"));
  // Past the driver, the device refuses by itself.
  const auto program = good_program();
  put_program(program);
  engine_->write_register(sim::at(isa::Register::WINDOW0_BASE_LO),
                          static_cast<std::uint32_t>(base(isa::Window::Insn) + 8));
  const vdla_launch launch = launch_of(program, 2);
  EXPECT_EQ(vdla_run(&device_, &launch, 100'000), VDLA_DRIVER_DEVICE);
  expect_error(isa::ErrorCode::Misaligned, isa::Unit::Fetch, 2, base(isa::Window::Insn) + 8 + 128);
  set_windows();
  expect_recovers("a misaligned window");
}

/// Memory answers with an error: in fetch, load and store, the first or a later burst, with other
/// instructions in flight before and behind.
TEST_P(Recovery, MemoryThatAnswersWithAnErrorNamesTheInstruction) {
  const std::uint64_t end = sim::kMemoryBase + engine_->memory_size();
  const auto entries = static_cast<unsigned>(256 / block());
  isa::FinishInsn finish;
  const auto load = [&](unsigned i) {  // four windows' worth of loads, the bad one is number 5
    return sim::load_insn(isa::Buffer::Out, i == 5 ? isa::Window::Act : isa::Window::Input, i, 1024,
                          entries / 2);
  };
  std::vector<isa::Insn> loads;
  for (unsigned i = 0; i < 10; ++i) loads.push_back(load(i));
  loads.push_back(finish);
  ASSERT_EQ(vdla_set_window(&device_, static_cast<unsigned>(isa::Window::Act), end - 1024 - 64, 4096),
            VDLA_DRIVER_OK);
  EXPECT_EQ(run(loads), VDLA_DRIVER_DEVICE);
  EXPECT_EQ(error().code, static_cast<unsigned>(isa::ErrorCode::BusRead));
  EXPECT_EQ(error().unit, static_cast<unsigned>(isa::Unit::Load));
  EXPECT_EQ(error().insn, 5u);
  ASSERT_NO_FATAL_FAILURE(expect_recovers("an error of load"));

  // The receiver still pads for instruction 0 while the data of instruction 1 arrive.
  auto padded = sim::load_insn(isa::Buffer::Out, isa::Window::Input, 0, 0, 1);
  padded.x_pad_after = static_cast<std::uint16_t>(engine_->variant().geometry.out_depth - 1);
  padded.z_count = 8;
  EXPECT_EQ(run({padded, load(5), finish}), VDLA_DRIVER_DEVICE);
  EXPECT_EQ(error().code, static_cast<unsigned>(isa::ErrorCode::BusRead));
  EXPECT_EQ(error().insn, 1u);
  ASSERT_NO_FATAL_FAILURE(expect_recovers("an error behind padding"));

  std::vector<isa::Insn> stores = {
      load(0), sim::load_insn(isa::Buffer::Out, isa::Window::Input, 0, 0, entries, 0, sim::kToStore)};
  for (unsigned i = 2; i < 12; ++i)
    stores.push_back(sim::store_insn(i == 7 ? isa::Window::Act : isa::Window::Output, 0, 1024 + 300 * (i % 4),
                                     entries / 2, i == 2 ? sim::kToLoad : 0));
  stores.push_back(finish);
  EXPECT_EQ(run(stores), VDLA_DRIVER_DEVICE);
  EXPECT_EQ(error().code, static_cast<unsigned>(isa::ErrorCode::BusWrite));
  EXPECT_EQ(error().unit, static_cast<unsigned>(isa::Unit::Store));
  EXPECT_EQ(error().insn, 7u);
  ASSERT_NO_FATAL_FAILURE(expect_recovers("an error of store"));
}

/// The channel to vector is full, so stores before the bad one are done and not retired when its error comes.
TEST_P(Recovery, AWriteErrorBehindInstructionsThatCannotRetireNamesItsOwn) {
  const std::uint64_t end = sim::kMemoryBase + engine_->memory_size();
  ASSERT_EQ(vdla_set_window(&device_, static_cast<unsigned>(isa::Window::Act), end - 64, 4096),
            VDLA_DRIVER_OK);
  std::vector<isa::Insn> program = {
      sim::load_insn(isa::Buffer::Out, isa::Window::Input, 0, 0, 4, 0, sim::kToStore)};
  const unsigned depth = engine_->variant().geometry.token_depth;
  for (unsigned i = 0; i < depth + 4; ++i)
    program.push_back(sim::store_insn(i == depth + 3 ? isa::Window::Act : isa::Window::Output, 0, 64, 4,
                                      i == 0 ? sim::kToLoad : 0, sim::kToVector));
  program.push_back(isa::FinishInsn{});
  EXPECT_EQ(run(program), VDLA_DRIVER_DEVICE) << device_.message;
  EXPECT_EQ(error().code, static_cast<unsigned>(isa::ErrorCode::BusWrite));
  EXPECT_EQ(error().insn, depth + 4);
  expect_recovers("a write error behind full channels");
}

/// Fetch reads ahead: only an instruction whose turn comes counts, what lies behind FINISH does not.
TEST_P(Recovery, FetchNamesTheInstructionThatItCouldNotRead) {
  const std::uint64_t end = sim::kMemoryBase + engine_->memory_size();
  const auto program = good_program(1);
  const auto bytes = isa::encode_stream(program);
  for (const std::uint32_t there : {1u, 4u, 6u, 8u}) {
    ASSERT_EQ(vdla_set_window(&device_, 0, end - 64ull * there, kWindowBytes), VDLA_DRIVER_OK);
    engine_->write_memory(end - 64ull * there, std::span(bytes).first(64ull * there));
    const vdla_launch launch = launch_of(program);
    EXPECT_EQ(vdla_run(&device_, &launch, 100'000), VDLA_DRIVER_DEVICE);
    expect_error(isa::ErrorCode::BusRead, isa::Unit::Fetch, there, end);
    set_windows();
    ASSERT_NO_FATAL_FAILURE(expect_recovers("an error of fetch"));
  }
  ASSERT_EQ(vdla_set_window(&device_, 0, end - bytes.size(), kWindowBytes), VDLA_DRIVER_OK);
  engine_->write_memory(end - bytes.size(), bytes);
  vdla_launch launch = launch_of(program);
  launch.insn_count += 3;
  EXPECT_EQ(vdla_run(&device_, &launch, 100'000), VDLA_DRIVER_OK) << device_.message;
}

/// Several programs lie in window insn: what the driver says counts from the window's first instruction.
TEST_P(Recovery, EntryPointsCountFromTheWindowsFirstInstruction) {
  const auto good = good_program(1, 11);
  auto illegal = isa::encode_stream(good_program(1, 12));
  illegal[4 * isa::kInsnBytes] |= std::byte{0xf};
  auto outside = good_program(1, 13);
  std::get<isa::MemoryInsn>(outside[5]).dram_offset = kWindowBytes;
  auto stuck = good_program(1, 14);
  std::get<isa::GemmInsn>(stuck[3]).push = 0;
  const auto count = static_cast<std::uint32_t>(good.size());
  put_program(good, 0);
  put(isa::Window::Insn, std::uint64_t{count} * isa::kInsnBytes, illegal);
  put_program(outside, 2 * count);
  put_program(stuck, 3 * count);
  put_program(good, 4 * count);
  for (int round = 0; round < 2; ++round) {
    vdla_launch launch = launch_of(good, 0);
    EXPECT_EQ(vdla_run(&device_, &launch, 100'000), VDLA_DRIVER_OK) << device_.message;
    launch = launch_of(outside, count);
    EXPECT_EQ(vdla_run(&device_, &launch, 100'000), VDLA_DRIVER_DEVICE);
    expect_error(isa::ErrorCode::IllegalInsn, isa::Unit::Fetch, count + 4, isa::kRuleOpcode);
    EXPECT_THAT(device_.message, testing::HasSubstr("fetch at instruction " + std::to_string(count + 4)));
    EXPECT_EQ(reg(isa::Register::ERROR_INSN), 4u) << "the register counts from INSN_OFFSET";
    ASSERT_EQ(vdla_soft_reset(&device_), VDLA_DRIVER_OK);
    launch = launch_of(outside, 2 * count);
    EXPECT_EQ(vdla_run(&device_, &launch, 100'000), VDLA_DRIVER_DEVICE);
    expect_error(isa::ErrorCode::Window, isa::Unit::Store, 2 * count + 5, kWindowBytes);
    launch = launch_of(stuck, 3 * count, 100);  // an error needs no reset before the next start
    EXPECT_EQ(vdla_run(&device_, &launch, 100'000), VDLA_DRIVER_DEADLOCK);
    EXPECT_THAT(device_.message,
                testing::HasSubstr("vector waits at instruction " + std::to_string(3 * count + 4) + " "));
    ASSERT_EQ(vdla_soft_reset(&device_), VDLA_DRIVER_OK);
    launch = launch_of(good, 4 * count);
    EXPECT_EQ(vdla_run(&device_, &launch, 100'000), VDLA_DRIVER_OK) << device_.message;
  }
}

/// With a stall limit the device itself ends a program that hangs, and the units still show who waits.
TEST_P(Recovery, AHangBecomesAnErrorThatNamesWhoWaitsForWhat) {
  auto program = good_program(1);
  std::get<isa::MemoryInsn>(program[2]).push = 0;
  EXPECT_EQ(run(program, 0, 5), VDLA_DRIVER_DEADLOCK);
  EXPECT_THAT(device_.message,
              testing::ContainsRegex(
                  "the program hangs, the device found no unit making progress( for 128 cycles)?: "));
  EXPECT_THAT(
      device_.message,
      testing::ContainsRegex("gemm waits at instruction 3( since cycle [0-9]+)? for a token from load; "
                             "vector waits at instruction 4( since cycle [0-9]+)? for a token from gemm; "
                             "store waits at instruction 5( since cycle [0-9]+)? for a token from vector; "
                             "fetch is at instruction 8"));
  EXPECT_EQ(reg(isa::Register::STATUS), isa::kStatusIdle | isa::kStatusError);
  expect_error(isa::ErrorCode::Stall, isa::Unit::Fetch, 8, 0);
  expect_recovers("a hang");
}

TEST_P(Recovery, AFullChannelAndAFullQueueAreNamed) {
  const isa::Geometry& g = engine_->variant().geometry;
  std::vector<isa::Insn> program;
  const unsigned more = g.token_depth + g.queue_depth + 16 + 3;
  for (unsigned i = 0; i < more; ++i)
    program.push_back(sim::load_insn(isa::Buffer::Inp, isa::Window::Input, 0, 0, 1, 0, sim::kToGemm));
  program.push_back(isa::FinishInsn{});
  EXPECT_EQ(run(program, 0, 1000), VDLA_DRIVER_DEADLOCK);
  // So many retire; 16 are done and wait behind the next; the queue is full; the next stands before it.
  EXPECT_THAT(device_.message,
              testing::ContainsRegex("load waits at instruction " + std::to_string(g.token_depth) +
                                     "( since cycle [0-9]+)? for room for a token to gemm"));
  EXPECT_THAT(device_.message,
              testing::ContainsRegex("fetch waits at instruction " +
                                     std::to_string(g.token_depth + 16 + g.queue_depth) +
                                     "( since cycle [0-9]+)? for room in the queue of load"));
  expect_recovers("a full channel");
}

/// A memory that takes its time is not a hang, whatever the limit.
TEST_P(Recovery, ASlowMemoryIsNotAHang) {
  isa::Variant slow = isa::load_variant("tiny");
  slow.timing.dram_latency = 5000;
  slow.timing.dram_outstanding = 1;
  use(slow);
  EXPECT_EQ(run(good_program(), 0, 1), VDLA_DRIVER_OK) << device_.message;
  const auto program = good_program();
  const vdla_launch launch = launch_of(program, 0, 1);
  for (const std::uint64_t cycle : {100u, 5200u, 12'000u}) {
    ASSERT_EQ(vdla_start(&device_, &launch), VDLA_DRIVER_OK);
    (void)vdla_wait(&device_, &launch, cycle);
    ASSERT_NO_FATAL_FAILURE(expect_recovers("a reset before a slow memory, cycle " + std::to_string(cycle)));
  }
}

/// After a soft reset every register is as after power-up, but for what the driver wrote and SEQUENCE.
TEST_P(Recovery, ASoftResetLeavesNoTraceInTheRegisters) {
  auto bad = good_program(1);
  std::get<isa::MemoryInsn>(bad[5]).dram_offset = kWindowBytes;
  EXPECT_EQ(run(bad), VDLA_DRIVER_DEVICE);
  ASSERT_EQ(vdla_soft_reset(&device_), VDLA_DRIVER_OK);
  for (const isa::RegisterRow& row : isa::kRegisters) {
    if (row.access == isa::Access::ReadWriteIdle || row.name == "SEQUENCE" ||
        row.access == isa::Access::Fixed)
      continue;
    if (row.name.ends_with("_INSN") && row.name != "ERROR_INSN") continue;  // of no unit at work
    const std::uint32_t expected = row.name == "STATUS" ? isa::kStatusIdle : 0;
    EXPECT_EQ(engine_->read_register(row.offset), expected) << row.name;
  }
}

}  // namespace vdla::driver
