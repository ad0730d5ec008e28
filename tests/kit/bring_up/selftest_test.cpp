// SPDX-License-Identifier: Apache-2.0
// The self test of a board: each stage passes on a machine that is right, and finds the faults that it is
// for.
#include "kit/bring_up/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compiler/zoo/zoo.h"
#include "isa/spec/registers.h"
#include "isa/variants/variants.h"
#include "kit/bring_up/selftest_c.h"
#include "kit/module.h"
#include "kit/network.h"
#include "support/temporary.h"
#include "tests/kit/bring_up/faulty_board.h"
#include "tests/readers/hostile.h"
#include "tests/readers/readers.h"

namespace vdla::kit {
namespace {

using ::testing::HasSubstr;

struct Fault {
  std::string name;
  vdla_selftest_stage stage;
  std::string words;
  std::function<void(Board&)> make;
  vdla_selftest_verdict verdict = VDLA_SELFTEST_FAILED;
};

const std::vector<Fault>& faults() {
  static const std::vector<Fault> all{
      {"the_fabric_is_not_configured", VDLA_SELFTEST_FPGA, "the test's own error",
       [](Board& b) {
         b.calls.configured = [](void*, const char**) { return 1; };
         b.read32 = [](std::uint32_t, std::uint32_t*) {
           ADD_FAILURE() << "a register is read";
           return 1;
         };
         b.write32 = [](std::uint32_t, std::uint32_t) {
           ADD_FAILURE() << "a register is written";
           return 1;
         };
       }},
      {"nothing_answers", VDLA_SELFTEST_BUS, "all registers read 0xffffffff",
       [](Board& b) {
         b.read32 = [](std::uint32_t, std::uint32_t* value) {
           *value = 0xffffffff;
           return 0;
         };
       }},
      {"something_else_answers", VDLA_SELFTEST_BUS, "register MAGIC reads 0x12345678",
       [](Board& b) { b.reads(Register::MAGIC, [](std::uint32_t) { return 0x12345678u; }); }},
      {"another_version", VDLA_SELFTEST_IDENTITY, "the device has ISA version",
       [](Board& b) { b.reads(Register::ISA_VERSION, [](std::uint32_t v) { return v + 1; }); }},
      {"another_geometry", VDLA_SELFTEST_IDENTITY, "GEOMETRY_HASH is another one",
       [](Board& b) { b.reads(Register::GEOMETRY_HASH_LO, [](std::uint32_t v) { return v ^ 1; }); }},
      {"a_data_line_is_stuck", VDLA_SELFTEST_REGISTERS, "register 0x028 reads",
       [](Board& b) { b.reads(Register::STALL_LIMIT, [](std::uint32_t v) { return v | 0x20; }); }},
      {"an_address_line_is_stuck", VDLA_SELFTEST_REGISTERS, "reads",
       [](Board& b) {
         b.write32 = [&b](std::uint32_t offset, std::uint32_t value) {
           return b.right.write32(b.right.context, offset >= 0x100 ? offset & ~0x40u : offset, value);
         };
       }},
      {"the_reset_does_not_end", VDLA_SELFTEST_RESET, "does not come out of soft reset",
       [](Board& b) { b.reads(Register::STATUS, [](std::uint32_t) { return 2u; }); }},
      {"there_is_no_memory", VDLA_SELFTEST_MEMORY, "bytes of DMA memory cannot be had: the test's own error",
       [](Board& b) { b.alloc = [](std::uint64_t, std::uint64_t, std::uint64_t*) { return 1; }; }},
      {"memory_ends_early", VDLA_SELFTEST_MEMORY, "the byte at 0x1000",
       [](Board& b) {
         b.copy_in = [&b](std::uint64_t address, const void* from, std::uint64_t bytes) {
           return b.right.copy_in(b.right.context, address & ~std::uint64_t{0x8000}, from, bytes);
         };
       }},
      {"the_device_does_not_reach_it", VDLA_SELFTEST_MEMORY, "28 bits",
       [](Board& b) { b.calls.dma_bits = 28; }},
      {"the_port_is_half_as_wide", VDLA_SELFTEST_DMA, "only bytes 4 to 7 of each 8 are wrong",
       [](Board& b) {
         b.copy_out = [&b](void* to, std::uint64_t address, std::uint64_t bytes) {
           const int failed = b.right.copy_out(b.right.context, to, address, bytes);
           for (std::uint64_t i = 0; b.ran && i < bytes; ++i)
             if ((address + i) % 8 >= 4) static_cast<std::uint8_t*>(to)[i] ^= 0x5a;
           return failed;
         };
       }},
      {"a_cache_keeps_what_was_there", VDLA_SELFTEST_DMA, "bytes of the result are wrong; byte 0 reads 0x00",
       [](Board& b) {
         b.copy_out = [&b](void* to, std::uint64_t address, std::uint64_t bytes) {
           if (!b.ran) return b.right.copy_out(b.right.context, to, address, bytes);
           std::memset(to, 0, bytes);
           return 0;
         };
       }},
      {"the_interrupt_is_not_wired", VDLA_SELFTEST_INTERRUPT, "the interrupt is not wired",
       [](Board& b) {
         b.calls.first_wait = 64;
         b.wait = [&b](std::uint64_t timeout, std::uint64_t* spent) {
           b.right.wait_interrupt(b.right.context, timeout, spent);
           *spent = timeout;
           return VDLA_WAIT_TIMEOUT;
         };
       },
       VDLA_SELFTEST_WARNED},
      {"windows_are_not_checked", VDLA_SELFTEST_ERRORS, "a window that is too small: it ended by its finish",
       [](Board& b) {
         b.write32 = [&b](std::uint32_t offset, std::uint32_t value) {
           const bool size = offset >= 0x100 && offset % 16 == 8;
           return b.right.write32(b.right.context, offset, size && b.ran ? (value + 63) & ~63u : value);
         };
         b.wait = [&b](std::uint64_t timeout, std::uint64_t* spent) {
           b.ran = true;
           return b.right.wait_interrupt(b.right.context, timeout, spent);
         };
       }},
      {"the_watchdog_sleeps", VDLA_SELFTEST_WATCHDOG, "needs error no unit made progress",
       [](Board& b) {
         b.write32 = [&b](std::uint32_t offset, std::uint32_t value) {
           b.ran = b.ran || (offset == static_cast<std::uint32_t>(Register::CONTROL) && (value & 1) != 0);
           const bool limit = b.ran && offset == static_cast<std::uint32_t>(Register::STALL_LIMIT);
           return b.right.write32(b.right.context, offset, limit ? 0 : value);
         };
       }},
      {"one_bit_of_the_weights", VDLA_SELFTEST_NETWORK, "resnet8: ",
       [](Board& b) {
         b.copy_in = [&b](std::uint64_t address, const void* from, std::uint64_t bytes) {
           std::vector<std::uint8_t> copy(static_cast<const std::uint8_t*>(from),
                                          static_cast<const std::uint8_t*>(from) + bytes);
           if (bytes > 20'000) copy[5000] ^= 0x40;
           return b.right.copy_in(b.right.context, address, copy.data(), bytes);
         };
       }},
  };
  return all;
}

class SelftestOfABoard : public ::testing::TestWithParam<Fault> {
 protected:
  static const Selftest& plan() {
    static const isa::Variant variant = isa::load_variant("tiny");
    static const Selftest test(variant, network(variant));
    return test;
  }

 public:
  static runtime::Module network(const isa::Variant& variant) {
    pipeline::CompileOptions options;
    options.variant = variant;
    options.machine_code = false;
    const std::string onnx = zoo::make_onnx("resnet8", 1, zoo::Form::Qdq);
    return compile_module(import::import_onnx(std::as_bytes(std::span(onnx)), "resnet8"), options);
  }
};

TEST_F(SelftestOfABoard, PassesOnAMachineThatIsRight) {
  Board board(isa::load_variant("tiny"));
  const auto results = board.test(plan());
  EXPECT_EQ(board.worst, VDLA_SELFTEST_PASSED);
  ASSERT_EQ(results.size(), static_cast<std::size_t>(VDLA_SELFTEST_COUNT));
  for (const StageResult& r : results) EXPECT_EQ(r.verdict, VDLA_SELFTEST_PASSED) << r.text;
  EXPECT_EQ(board.allocated_bytes(), 0u);
}

TEST_F(SelftestOfABoard, SaysWhoSaidThatTheFabricIsConfigured) {
  Board board(isa::load_variant("tiny"));
  EXPECT_EQ(board.test(plan()).at(0).text, "nobody can be asked on this transport");
  board.calls.configured = [](void*, const char** said) {
    *said = "fpga0 'operating'";
    return 0;
  };
  EXPECT_EQ(board.test(plan()).at(0).text, "fpga0 'operating'");
}

/// A process that was killed in the middle of a run.
TEST_F(SelftestOfABoard, PassesOnADeviceThatStillRuns) {
  Board board(isa::load_variant("tiny"));
  const auto write = [&](Register which, std::uint32_t value) {
    ASSERT_EQ(board.right.write32(board.right.context, static_cast<std::uint32_t>(which), value), 0);
  };
  write(Register::INSN_COUNT, 5);
  write(Register::CONTROL, isa::kControlStart);
  for (const StageResult& r : board.test(plan())) EXPECT_EQ(r.verdict, VDLA_SELFTEST_PASSED) << r.text;
}

TEST_F(SelftestOfABoard, GivesMemoryThatBeginsAtZeroBack) {
  std::vector<std::byte> memory(1 << 20);
  Board board(isa::load_variant("tiny"), {.memory = {{.base = 0, .bytes = memory}}});
  for (const StageResult& r : board.test(plan())) EXPECT_EQ(r.verdict, VDLA_SELFTEST_PASSED) << r.text;
  EXPECT_EQ(board.allocated_bytes(), 0u);
}

TEST_P(SelftestOfABoard, FindsTheFault) {
  const Fault& fault = GetParam();
  Board board(isa::load_variant("tiny"));
  fault.make(board);
  const Selftest& tests = plan();
  const auto begin = std::chrono::steady_clock::now();
  const auto results = board.test(tests);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  const auto found =
      std::ranges::find_if(results, [](const StageResult& r) { return r.verdict != VDLA_SELFTEST_PASSED; });
  ASSERT_NE(found, results.end());
  EXPECT_EQ(found->stage, fault.stage) << found->text;
  EXPECT_EQ(found->verdict, fault.verdict);
  EXPECT_THAT(found->text, HasSubstr(fault.words));
  EXPECT_EQ(board.worst, fault.verdict);
  const bool is_last = found + 1 == results.end();
  EXPECT_EQ(is_last, fault.verdict == VDLA_SELFTEST_FAILED) << "nothing runs behind a stage that failed";
  board.mend();
  for (const StageResult& r : board.test(tests)) EXPECT_EQ(r.verdict, VDLA_SELFTEST_PASSED) << r.text;
}

INSTANTIATE_TEST_SUITE_P(, SelftestOfABoard, ::testing::ValuesIn(faults()),
                         [](const auto& test) { return test.param.name; });

/// Names come from networks and variants, and become part of a program.
TEST(SelftestC, ANameIsNoCode) {
  vdla_selftest_program program{};
  program.name = "\", 0}; #error \"*/";
  vdla_selftest_plan plan{};
  plan.variant = "*/ #error \\";
  plan.programs = &program;
  plan.program_count = 1;
  const std::string text = selftest_c(plan);
  EXPECT_EQ(text.find("#error"), std::string::npos) << text;
  EXPECT_THAT(text, HasSubstr("(const char*)bytes_0"));
}

TEST(SelftestC, OfAnyNamesIsCToACompiler) {
  const Temporary folder(std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "plan");
  std::string files;
  for (const std::string& name : readers::hostile_names()) {
    vdla_selftest_program program{};
    program.name = name.c_str();
    vdla_selftest_plan plan{};
    plan.variant = name.c_str();
    plan.programs = &program;
    plan.program_count = 1;
    const std::filesystem::path file = folder.path() / (std::to_string(files.size()) + ".c");
    std::ofstream(file) << selftest_c(plan);
    files += " " + file.string();
  }
  EXPECT_EQ(
      readers::run_line(VDLA_C_COMPILER " -std=c99 -Wall -Wextra -Wpedantic -Werror -trigraphs -fsyntax-only "
                                        "-I'" VDLA_SOURCE_DIR "'" +
                        files),
      "");
}

TEST(SelftestStages, HaveEachAFaultThatTheyFind) {
  std::set<int> stages;
  for (const Fault& fault : faults()) stages.insert(fault.stage);
  EXPECT_EQ(stages.size(), static_cast<std::size_t>(VDLA_SELFTEST_COUNT));
}

}  // namespace
}  // namespace vdla::kit
