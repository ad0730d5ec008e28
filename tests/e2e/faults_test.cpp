// SPDX-License-Identifier: Apache-2.0
// Faulty programs through the driver, on each engine: the status is decoded, no byte outside of the program's
// own output changes, and the device works again after a reset.
#include <algorithm>
#include <cstring>

#include "driver/core/device.h"
#include "driver/sim/sim_transport.h"
#include "isa/codec/codec.h"
#include "isa/variants/variants.h"
#include "kit/engine.h"
#include "tests/e2e/kit.h"
#include "tests/sim/program.h"

namespace vdla::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint64_t kWindow = 4096, kMemory = 32 * kWindow;
constexpr std::uint32_t kEntries = 8;

/// All memory holds a pattern; window w is block 3 * w + 1, so that each has pattern around it.
class Faults : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    VDLA_NEED_ENGINE(GetParam());
    engine_ = kit::make_engine(GetParam(), isa::load_variant("tiny"));
    transport_ = std::make_unique<driver::SimTransport>(*engine_);
    std::vector<std::byte> pattern(kMemory);
    for (std::size_t i = 0; i < kMemory; ++i) pattern[i] = static_cast<std::byte>(i * 7 + i / 256);
    engine_->write_memory(engine_->memory_base(), pattern);
    ASSERT_EQ(vdla_probe(&device_, transport_->transport()), VDLA_DRIVER_OK) << device_.message;
    for (unsigned w = 0; w < isa::kWindowCount; ++w)
      ASSERT_EQ(vdla_set_window(&device_, w, base(static_cast<isa::Window>(w)), kWindow), VDLA_DRIVER_OK);
  }

  std::uint64_t base(isa::Window w) const {
    return engine_->memory_base() + (3 * static_cast<std::uint64_t>(w) + 1) * kWindow;
  }
  std::vector<std::byte> memory() {
    std::vector<std::byte> bytes(kMemory);
    engine_->read_memory(engine_->memory_base(), bytes);
    return bytes;
  }

  /// Copies entries from window input to window output by way of the out buffer.
  std::vector<isa::Insn> copy_program() const {
    isa::FinishInsn finish;
    finish.sequence = 5;
    return {sim::load_insn(isa::Buffer::Out, isa::Window::Input, 0, 0, kEntries, 0, sim::kToStore),
            sim::store_insn(isa::Window::Output, 0, 0, kEntries, sim::kToLoad), finish};
  }

  vdla_driver_status run(const std::vector<std::byte>& stream) {
    engine_->write_memory(base(isa::Window::Insn), stream);
    const vdla_launch launch{0, static_cast<std::uint32_t>(stream.size() / isa::kInsnBytes), 5, 0};
    return vdla_run(&device_, &launch, 1'000'000);
  }

  /// The stream fails with these words, changes no memory, and the device can be used again.
  void expect_fault(const std::vector<std::byte>& stream, const ::testing::Matcher<std::string>& message) {
    engine_->write_memory(base(isa::Window::Insn), stream);
    const auto before = memory();
    EXPECT_EQ(run(stream), VDLA_DRIVER_DEVICE);
    EXPECT_THAT(std::string(device_.message), message);
    EXPECT_TRUE(memory() == before) << "a faulty program wrote to memory";
    ASSERT_EQ(vdla_soft_reset(&device_), VDLA_DRIVER_OK) << device_.message;
    expect_copies();
  }

  void expect_copies() {
    const auto stream = isa::encode_stream(copy_program());
    engine_->write_memory(base(isa::Window::Insn), stream);
    auto expected = memory();
    const std::size_t bytes = kEntries * engine_->variant().geometry.entry_bytes(isa::Buffer::Out);
    const auto at = [&](isa::Window w) {
      return expected.begin() + static_cast<std::ptrdiff_t>(base(w) - engine_->memory_base());
    };
    std::copy_n(at(isa::Window::Input), bytes, at(isa::Window::Output));
    ASSERT_EQ(run(stream), VDLA_DRIVER_OK) << device_.message;
    EXPECT_TRUE(memory() == expected) << "exactly the output changes";
  }

  std::unique_ptr<sim::Engine> engine_;
  std::unique_ptr<driver::SimTransport> transport_;
  vdla_device device_{};
};

TEST_P(Faults, AGoodProgramWritesItsOutputAndNothingElse) { expect_copies(); }

TEST_P(Faults, AnIllegalInstruction) {
  auto stream = isa::encode_stream(copy_program());
  stream[isa::kInsnBytes] |= std::byte{0xf};
  expect_fault(stream,
               AllOf(HasSubstr("the device stopped with an error"), HasSubstr("fetch at instruction 1"),
                     HasSubstr("breaks a rule of the ISA"), HasSubstr("the opcode is one of the table")));
}

TEST_P(Faults, ALoadFromOutsideOfItsWindow) {
  auto program = copy_program();
  std::get<isa::MemoryInsn>(program[0]).dram_offset = kWindow - 4;
  expect_fault(isa::encode_stream(program),
               AllOf(HasSubstr("load at instruction 0"), HasSubstr("a DRAM access leaves its window")));
}

TEST_P(Faults, AStoreToOutsideOfItsWindow) {
  auto program = copy_program();
  std::get<isa::MemoryInsn>(program[1]).dram_offset = kWindow;
  expect_fault(isa::encode_stream(program),
               AllOf(HasSubstr("store at instruction 1"), HasSubstr("a DRAM access leaves its window")));
}

TEST_P(Faults, AStoreFarBeyondAllMemory) {
  auto program = copy_program();
  std::get<isa::MemoryInsn>(program[1]).dram_offset = 0x7fff'fff0;
  expect_fault(isa::encode_stream(program), HasSubstr("a DRAM access leaves its window"));
}

INSTANTIATE_TEST_SUITE_P(On, Faults, ::testing::ValuesIn(engines()), case_name);

}  // namespace
}  // namespace vdla::e2e
