// SPDX-License-Identifier: Apache-2.0
// The simulation's transport over a scripted engine.
#include "driver/sim/sim_transport.h"

#include <gmock/gmock.h>

#include <cstring>

#include "support/error.h"

namespace vdla::driver {
namespace {

using ::testing::StrEq;

/// Memory and registers only; run() ends as told.
class ScriptedEngine : public sim::Engine {
 public:
  std::string_view name() const override { return "scripted"; }
  const isa::Variant& variant() const override { return variant_; }
  std::uint32_t read_register(std::uint32_t offset) override { return offset == 0x10 ? last_write : offset; }
  void write_register(std::uint32_t, std::uint32_t value) override { last_write = value; }
  std::uint64_t memory_base() const override { return 0x1000; }
  std::uint64_t memory_size() const override { return memory.size(); }
  void read_memory(std::uint64_t address, std::span<std::byte> bytes) override {
    check(address, bytes.size());
    std::memcpy(bytes.data(), memory.data() + (address - 0x1000), bytes.size());
  }
  void write_memory(std::uint64_t address, std::span<const std::byte> bytes) override {
    check(address, bytes.size());
    std::memcpy(memory.data() + (address - 0x1000), bytes.data(), bytes.size());
  }
  bool interrupt() const override { return false; }
  sim::Stop run(std::uint64_t limit) override {
    VDLA_CHECK_USER(limit != 13) << "the engine broke";
    return stop;
  }
  std::vector<sim::UnitState> unit_states() const override { return {}; }
  void set_trace(trace::Sink*) override {}

  void check(std::uint64_t address, std::size_t size) {
    VDLA_CHECK_USER(address >= 0x1000 && address + size <= 0x1000 + memory.size()) << "outside the memory";
  }

  std::vector<std::byte> memory = std::vector<std::byte>(4096);
  std::uint32_t last_write = 0;
  sim::Stop stop = sim::Stop::Interrupt;

 private:
  isa::Variant variant_;
};

class Transport : public ::testing::Test {
 protected:
  std::uint64_t alloc(std::uint64_t bytes, std::uint64_t alignment) {
    std::uint64_t address = 0;
    EXPECT_EQ(t->alloc(t->context, bytes, alignment, &address), 0) << t->last_error(t->context);
    return address;
  }

  ScriptedEngine engine;
  SimTransport sim{engine};
  const vdla_transport* t = sim.transport();
};

TEST_F(Transport, ReachesRegisters) {
  std::uint32_t value = 0;
  EXPECT_EQ(t->read32(t->context, 0x24, &value), 0);
  EXPECT_EQ(value, 0x24u);
  EXPECT_EQ(t->write32(t->context, 0x10, 77), 0);
  EXPECT_EQ(t->read32(t->context, 0x10, &value), 0);
  EXPECT_EQ(value, 77u);
}

TEST_F(Transport, CopiesBothWays) {
  const std::uint64_t address = alloc(8, 8);
  std::uint64_t back = 0;
  const std::uint64_t sent = 0x1122334455667788;
  EXPECT_EQ(t->copy_in(t->context, address, &sent, 8), 0);
  EXPECT_EQ(t->sync_for_device(t->context, address, 8), 0);
  EXPECT_EQ(t->sync_for_cpu(t->context, address, 8), 0);
  EXPECT_EQ(t->copy_out(t->context, &back, address, 8), 0);
  EXPECT_EQ(back, sent);
}

TEST_F(Transport, AnEnginesExceptionBecomesItsLastError) {
  char byte = 0;
  EXPECT_NE(t->copy_out(t->context, &byte, 0, 1), 0);
  EXPECT_THAT(t->last_error(t->context), StrEq("outside the memory"));
}

TEST_F(Transport, AllocationIsAlignedAndReused) {
  const std::uint64_t a = alloc(10, 64), b = alloc(100, 64), c = alloc(10, 256);
  EXPECT_EQ(a, 0x1000u);
  EXPECT_EQ(b, 0x1040u);
  EXPECT_EQ(c, 0x1100u);
  EXPECT_EQ(sim.allocated_bytes(), 120u);
  t->free(t->context, b);
  EXPECT_EQ(alloc(33, 32), 0x1020u);  // the gap behind a is a little larger than b was
  EXPECT_EQ(alloc(0x40, 1), 0x1041u);
  t->free(t->context, a);
  EXPECT_EQ(alloc(1, 64), 0x1000u);
}

TEST_F(Transport, FullMemoryIsReported) {
  alloc(4000, 64);
  std::uint64_t address = 0;
  EXPECT_NE(t->alloc(t->context, 100, 64, &address), 0);
  EXPECT_THAT(t->last_error(t->context),
              StrEq("the device's memory is full: 100 bytes wanted, 4000 of 4096 bytes in "
                    "use; give the engine more memory"));
  EXPECT_NE(t->alloc(t->context, 1, 3, &address), 0);
  EXPECT_THAT(t->last_error(t->context), StrEq("DMA memory is aligned to a power of two, got 3"));
}

TEST_F(Transport, WaitingTellsWhyTheEngineStopped) {
  std::uint64_t spent = 0;
  EXPECT_EQ(t->wait_interrupt(t->context, 100, &spent), VDLA_WAIT_INTERRUPT);
  engine.stop = sim::Stop::Deadlock;
  EXPECT_EQ(t->wait_interrupt(t->context, 100, &spent), VDLA_WAIT_STUCK);
  engine.stop = sim::Stop::CycleLimit;
  EXPECT_EQ(t->wait_interrupt(t->context, 100, &spent), VDLA_WAIT_TIMEOUT);
  EXPECT_EQ(spent, 100u);
  EXPECT_EQ(t->wait_interrupt(t->context, 13, &spent), VDLA_WAIT_FAILED);
  EXPECT_THAT(t->last_error(t->context), StrEq("the engine broke"));
}

}  // namespace
}  // namespace vdla::driver
