// SPDX-License-Identifier: Apache-2.0
// The bare-metal transport on pages of plain memory, under the driver core.
#include "driver/mmio/mmio.h"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <array>
#include <chrono>
#include <cstring>

#include "driver/core/device.h"
#include "isa/spec/registers.h"
#include "tests/driver/fake_page.h"

namespace vdla::driver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr std::uint64_t kDeviceMemory = 0x1'2000'0000;

/// A board of memory: its time passes when somebody looks at the clock.
class Mmio : public ::testing::Test {
 protected:
  using Range = std::pair<std::uintptr_t, std::size_t>;  // offset in the region, bytes

  Mmio() {
    board.registers = reinterpret_cast<std::uintptr_t>(registers.data());
    board.memory = reinterpret_cast<std::uintptr_t>(memory.data());
    board.memory_bytes = memory.size();
    board.device_memory = kDeviceMemory;
    board.context = this;
    board.now = [](void* c) {
      self(c).page.step();
      return self(c).time += 10;
    };
  }
  static Mmio& self(void* c) { return *static_cast<Mmio*>(c); }

  void use_interrupt() {
    board.interrupt = [](void* c) { return self(c).wired && self(c).page.raised() ? 1 : 0; };
    board.unmask = [](void* c) {
      self(c).page.step();
      ++self(c).unmasked;
    };
    board.idle = [](void* c) {
      if (++self(c).idled == self(c).ends_after) self(c).page.finish();
    };
  }
  void use_fabric() {
    board.configured = [](void* c, const char** said) {
      *said = self(c).has_bitstream ? "DONE reads 1" : "DONE reads 0, needs 1";
      return self(c).has_bitstream ? 0 : 1;
    };
  }
  void use_caches(std::uint32_t line) {
    board.cache_line = line;
    board.clean = [](void* c, std::uintptr_t at, std::size_t n) {
      self(c).cleaned.emplace_back(at - self(c).board.memory, n);
    };
    board.invalidate = [](void* c, std::uintptr_t at, std::size_t n) {
      self(c).invalidated.emplace_back(at - self(c).board.memory, n);
    };
  }
  void open() {
    ASSERT_EQ(vdla_mmio_open(&mmio, &board), 0) << mmio.error;
    ASSERT_EQ(vdla_probe(&device, t), VDLA_DRIVER_OK) << device.message;
    ASSERT_EQ(vdla_reset(&device), VDLA_DRIVER_OK) << device.message;
  }
  std::uint64_t alloc(std::uint64_t bytes) {
    std::uint64_t address = 0;
    EXPECT_EQ(t->alloc(t->context, bytes, 64, &address), 0) << mmio.error;
    return address;
  }
  std::string warning() const {
    char text[VDLA_MESSAGE_BYTES];
    return vdla_warning(&device, text, sizeof text) ? text : "";
  }

  alignas(4096) std::array<std::uint32_t, isa::kRegisterSpace / 4> registers{};
  alignas(4096) std::array<unsigned char, 8192> memory{};
  FakePage page{registers.data()};
  vdla_mmio_board board{};
  vdla_mmio mmio{};
  vdla_device device{};
  const vdla_transport* t = &mmio.transport;
  vdla_launch launch{.insn_offset = 0, .insn_count = 9, .sequence = 7, .stall_limit = 1000};
  std::uint64_t time = 0;
  bool wired = true, has_bitstream = true;
  int unmasked = 0, idled = 0;
  int ends_after = 0;  ///< so many times idle the program ends; 0: when it starts
  std::vector<Range> cleaned, invalidated;
};

TEST_F(Mmio, RunsByPollingWhereThereIsNoInterrupt) {
  open();
  for (int run = 0; run < 3; ++run)
    EXPECT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_OK) << device.message;
  EXPECT_EQ(warning(), "") << "that is how this board is";
}

TEST_F(Mmio, RunsByItsInterrupt) {
  use_interrupt();
  page.on_start = [] {};
  ends_after = 3;
  open();
  EXPECT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_OK) << device.message;
  EXPECT_GE(unmasked, 1);
  EXPECT_EQ(device.interrupts_taken, 1u);
  EXPECT_EQ(warning(), "");
}

TEST_F(Mmio, ALineThatNobodyConnectedIsAWarning) {
  use_interrupt();
  wired = false;
  page.on_start = [] {};
  ends_after = 3;
  open();
  EXPECT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_OK) << device.message;
  EXPECT_LT(time, 100'000u) << "us, not the time-out";
  EXPECT_THAT(warning(), StartsWith("the interrupt is not wired"));
}

TEST_F(Mmio, AHangEndsWithTheTimeout) {
  for (const bool interrupt : {false, true}) {
    if (interrupt) use_interrupt();
    open();
    page.on_start = [] {};
    const std::uint64_t begin = time;
    EXPECT_EQ(vdla_run(&device, &launch, 100'000), VDLA_DRIVER_TIMEOUT);
    EXPECT_THAT(device.message, StartsWith("the program did not finish within 100000 us: load "));
    EXPECT_GE(time - begin, 100'000u);
    EXPECT_LT(time - begin, 110'000u);
  }
}

TEST_F(Mmio, CopiesBothWays) {
  for (const int normal : {0, 1}) {
    board.normal_memory = normal;
    open();
    const std::uint64_t address = alloc(100);
    EXPECT_EQ(address, kDeviceMemory) << "as the device sees it";
    std::array<char, 37> sent{}, back{};
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i + normal);
    EXPECT_EQ(t->copy_in(t->context, address + 3, sent.data(), sent.size()), 0);
    EXPECT_EQ(std::memcmp(&memory[3], sent.data(), sent.size()), 0);
    EXPECT_EQ(t->copy_out(t->context, back.data(), address + 3, back.size()), 0);
    EXPECT_EQ(back, sent);
    ASSERT_EQ(t->map != nullptr, normal == 1) << "memory of aligned words is for copies only";
    if (normal) EXPECT_EQ(t->map(t->context, address + 3, 37), &memory[3]);
  }
}

TEST_F(Mmio, SyncsWholeLinesOfOneBlock) {
  use_caches(64);
  open();
  const std::uint64_t a = alloc(100), b = alloc(10);
  EXPECT_EQ(b - a, 128u);
  EXPECT_EQ(t->sync_for_device(t->context, a + 70, 10), 0);
  EXPECT_EQ(t->sync_for_cpu(t->context, a + 60, 10), 0);
  EXPECT_EQ(t->sync_for_cpu(t->context, b, 10), 0);
  EXPECT_EQ(t->sync_for_cpu(t->context, b, 0), 0);
  EXPECT_THAT(cleaned, ElementsAre(Pair(64, 64)));
  EXPECT_THAT(invalidated, ElementsAre(Pair(0, 128), Pair(128, 64)));
}

TEST_F(Mmio, MemoryOutsideOfTheRegionIsRefused) {
  open();
  char byte = 0;
  EXPECT_NE(t->copy_in(t->context, kDeviceMemory - 1, &byte, 1), 0);
  EXPECT_NE(t->copy_out(t->context, &byte, kDeviceMemory + 8192, 1), 0);
  EXPECT_STREQ(t->last_error(t->context),
               "address 0x120002000 + 1 bytes is outside of the DMA memory at 0x120000000 of 8192");
  EXPECT_NE(t->sync_for_cpu(t->context, 0, 1), 0);
  EXPECT_EQ(vdla_set_window(&device, 1, kDeviceMemory, 8193), VDLA_DRIVER_ARGUMENT);
  EXPECT_THAT(device.message, HasSubstr("its memory is 0x120000000 to 0x120001fff"));
}

TEST_F(Mmio, MemoryThatIsTooSmallSaysHowMuchIsMissing) {
  open();
  alloc(8000);
  std::uint64_t address = 0;
  EXPECT_NE(t->alloc(t->context, 1000, 64, &address), 0);
  EXPECT_STREQ(t->last_error(t->context),
               "the DMA memory is too small: 1000 bytes wanted, 8000 of 8192 in use; give the board a larger "
               "region");
  EXPECT_NE(t->alloc(t->context, 1, 3, &address), 0);
  EXPECT_STREQ(t->last_error(t->context), "DMA memory is aligned to a power of two");
  t->free(t->context, kDeviceMemory);
  EXPECT_EQ(alloc(8192), kDeviceMemory);
  t->free(t->context, kDeviceMemory);
  for (int i = 0; i < VDLA_MMIO_BLOCKS; ++i) alloc(8);
  EXPECT_NE(t->alloc(t->context, 8, 8, &address), 0);
  EXPECT_THAT(t->last_error(t->context), StartsWith("there are VDLA_MMIO_BLOCKS blocks"));
}

TEST_F(Mmio, AHardResetIsTheBoards) {
  open();
  EXPECT_EQ(t->hard_reset, nullptr);
  board.hard_reset = [](void*) { return 1; };
  open();
  EXPECT_NE(t->hard_reset(t->context), 0);
  EXPECT_STREQ(t->last_error(t->context), "the board's hard reset failed");
}

/// A page that ends this process where it is touched stands for registers that are not there.
TEST_F(Mmio, AFabricThatIsNotConfiguredIsRefusedBeforeARegisterIsTouched) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uintptr_t there = board.registers;
  void* const nothing = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  board.registers = reinterpret_cast<std::uintptr_t>(nothing);
  use_fabric();
  has_bitstream = false;
  const char* said = "";
  EXPECT_EQ(vdla_mmio_open(&mmio, &board), VDLA_MMIO_NOT_CONFIGURED);
  EXPECT_STREQ(mmio.error,
               "the fabric is not configured: DONE reads 0, needs 1; load the bitstream first, since reading "
               "registers that are not there can stop the CPU");
  EXPECT_NE(t->configured(t->context, &said), 0) << "a self test may ask again";
  EXPECT_STREQ(t->last_error(t->context), mmio.error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  munmap(nothing, 4096);
  has_bitstream = true;
  board.registers = there;
  open();
  EXPECT_EQ(t->configured(t->context, &said), 0);
  EXPECT_STREQ(said, "DONE reads 1");
  EXPECT_EQ(vdla_run(&device, &launch, 1'000'000), VDLA_DRIVER_OK) << device.message;
  board.configured = nullptr;
  open();
  EXPECT_EQ(t->configured, nullptr) << "nobody can be asked";
}

TEST_F(Mmio, ABoardThatCannotWorkIsRefusedByName) {
  const vdla_mmio_board good = board;
  const auto refused = [&](auto change, const char* why) {
    board = good;
    change();
    EXPECT_EQ(vdla_mmio_open(&mmio, &board), VDLA_MMIO_BOARD);
    EXPECT_THAT(mmio.error, HasSubstr(why));
  };
  refused([&] { board.now = nullptr; }, "needs a time base");
  refused([&] { board.registers += 2; }, "multiple of 4");
  refused([&] { board.memory_bytes = 0; }, "has no DMA memory");
  refused([&] { use_caches(48); }, "power of two");
  refused([&] { use_caches(0); }, "needs clean(), invalidate() and their cache_line");
  refused([&] { use_caches(64), board.clean = nullptr; }, "needs clean(), invalidate() and their cache_line");
  refused([&] { use_caches(64), board.memory += 32; }, "begin and end with a line");
  refused([&] { board.dma_bits = 32; }, "beyond the addresses of the device's port");
  board = good;
  board.dma_bits = 33;
  EXPECT_EQ(vdla_mmio_open(&mmio, &board), 0) << mmio.error;
}

}  // namespace
}  // namespace vdla::driver
