// SPDX-License-Identifier: Apache-2.0
// Bundles compiled for the CPUs of boards: without a warning, with nothing undefined but what every platform
// has, and small.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "kit/network.h"
#include "tests/compiler/bundle/folder.h"
#include "tests/e2e/kit.h"

namespace vdla::bundle {
namespace {

struct Target {
  const char *name, *flags;
};

/// Of what a firmware has beside its model, but for start-up code.
constexpr std::uint64_t kCodeBytes = 17 * 1024;

constexpr Target kTargets[] = {
    {"armv7", "--target=armv7-none-eabihf -mcpu=cortex-a9 -mfpu=neon"},
    {"aarch64", "--target=aarch64-none-elf -mcpu=cortex-a53"},
    {"cortex-m4", "--target=thumbv7em-none-eabi -mcpu=cortex-m4 -mfloat-abi=soft"},
    {"riscv32", "--target=riscv32-none-elf -march=rv32imc"},
};

class Cross : public ::testing::TestWithParam<Target> {};

bool is_runtime_helper(const std::string& symbol) {
  static const std::set<std::string> kHelpers = {
      "memcpy",           "memmove",         "memset",         "__aeabi_memcpy",  "__aeabi_memcpy4",
      "__aeabi_memcpy8",  "__aeabi_memset",  "__aeabi_memclr", "__aeabi_memclr4", "__aeabi_memclr8",
      "__aeabi_uldivmod", "__aeabi_memmove", "__udivdi3",      "__umoddi3",       "__aeabi_ldivmod"};
  return kHelpers.contains(symbol);
}

/// Undefined symbols of what the bundle links to: without what converts numbers, which firmware links only if
/// it calls it. So helpers of floating point are none of them.
std::set<std::string> undefined(const Folder& folder, const Target& target) {
  folder.run(std::string(kCompiler) + " " + target.flags + " " + kFlags +
             " -fno-asynchronous-unwind-tables " + folder.includes() + " -c" +
             folder.sources().substr(0, folder.sources().find(" lib")));
  folder.run("rm *convert.o && ld.lld-19 -r *.o --whole-archive *.a -o all.o");
  std::istringstream lines(folder.run("llvm-nm-19 -u --just-symbol-name all.o"));
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);) names.insert(line);
  return names;
}

/// Bytes of code and tables; as the driver's own budget, without the sentences that it says. Not the data.
std::uint64_t code_bytes(const Folder& folder) {
  std::istringstream lines(folder.run("rm all.o *_data.o && llvm-size-19 -A *.o"));
  std::uint64_t sum = 0, bytes = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream row(line);
    std::string name;
    if (!(row >> name >> bytes)) continue;
    const auto is = [&](const char* kind) { return name.starts_with(kind); };
    if (is(".text") || (is(".rodata") && !is(".rodata.str"))) sum += bytes;
    EXPECT_FALSE((is(".data") || is(".bss")) && bytes != 0) << line;
  }
  return sum;
}

TEST_P(Cross, CompilesLinksAndIsSmall) {
  VDLA_NEED_C_COMPILER();
  const graph::Graph graph = kit::read_network(std::string(VDLA_SOURCE_DIR) + "/examples/digits/digits.onnx");
  const Folder folder(e2e::compile(graph), {.name = "digits", .cpu_target = GetParam().name});
  for (const std::string& symbol : undefined(folder, GetParam()))
    EXPECT_TRUE(is_runtime_helper(symbol)) << symbol;
  const std::uint64_t bytes = code_bytes(folder);
  EXPECT_LE(bytes, kCodeBytes);
  EXPECT_GT(bytes, 4096u);
  RecordProperty("code_bytes", std::to_string(bytes));
}

INSTANTIATE_TEST_SUITE_P(Targets, Cross, ::testing::ValuesIn(kTargets), [](const auto& info) {
  std::string name = info.param.name;
  std::erase(name, '-');
  return name;
});

TEST(Target, TwoModelsLinkIntoOneFirmwareByCMakeAndByMake) {
  VDLA_NEED_C_COMPILER();
  const graph::Graph graph = kit::read_network(std::string(VDLA_SOURCE_DIR) + "/examples/digits/digits.onnx");
  const runtime::Module module = e2e::compile(graph);
  const Folder folder(module, {.name = "left", .cpu_target = "x86-64"});
  for (const File& file : bundle(module, {.name = "right", .cpu_target = "x86-64"}).files)
    folder.write("other/" + file.path, file.content);
  folder.write(
      "main.c",
      "#include \"left.h\"\n#include \"right.h\"\nstatic left a;\nstatic right b;\n"
      "int main(void) { left_unload(&a); right_unload(&b); return sizeof a == sizeof b ? 0 : 1; }\n");
  folder.write("firmware/CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.13)\nproject(firmware C)\nadd_subdirectory(.. left)\n"
               "add_subdirectory(../other right)\nadd_executable(firmware ../main.c)\n"
               "target_link_libraries(firmware PRIVATE left right)\n");
  folder.write(
      "Makefile",
      "all: firmware_by_make\ninclude left.mk\ninclude other/right.mk\nfirmware_by_make: main.c\n"
      "\t$(CC) $(LEFT_CFLAGS) $(RIGHT_CFLAGS) main.c $(LEFT_SOURCES) $(RIGHT_SOURCES) $(VDLA_SOURCES) "
      "$(LEFT_OBJECTS) $(RIGHT_OBJECTS) -o firmware_by_make\n");
  folder.run(std::string("CC=") + kCompiler +
             " cmake -S firmware -B build && cmake --build build && build/firmware");
  folder.run(std::string("make CC=") + kCompiler + " && ./firmware_by_make");
}

}  // namespace
}  // namespace vdla::bundle
