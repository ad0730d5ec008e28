// SPDX-License-Identifier: Apache-2.0
// Machine code made by the compiler, loaded by the runtime.
#include <gmock/gmock.h>

#include <elf.h>

#include <cstring>
#include <fstream>
#include <random>

#include "compiler/loop/parse.h"
#include "runtime/code/debug_entry.h"
#include "runtime/module/host_kernel.h"
#include "support/error.h"
#include "tests/runtime/code/host_object.h"

namespace vdla::runtime {
namespace {

/// Whether debuggers were told of code that has debug info with this text.
bool debuggers_know(std::string_view text) {
  for (const jit_code_entry* e = __jit_debug_descriptor.first; e != nullptr; e = e->next)
    if (std::string_view(e->symbol_file, static_cast<std::size_t>(e->symbol_file_bytes)).find(text) !=
        std::string_view::npos)
      return true;
  return false;
}

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

TEST(ObjectLoader, RunsMachineCode) {
  ObjectLoader loader({add_one_object(codegen::native_target())});
  ASSERT_FALSE(loader.none()) << loader.why_none();
  const HostKernel kernel = loader.kernel("add_one");
  std::vector<std::int8_t> from = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 127}, to(12);
  void* arguments[] = {from.data(), to.data()};
  kernel(arguments);
  EXPECT_THAT(to, ::testing::ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -128));
}

TEST(ObjectLoader, TellsDebuggersOfCodeWithLineTables) {
  {
    ObjectLoader loader({add_one_object(codegen::native_target(), "/tmp/lines_of_add_one.loop")});
    ASSERT_FALSE(loader.none()) << loader.why_none();
    loader.kernel("add_one");
    EXPECT_TRUE(debuggers_know("lines_of_add_one.loop"));
  }
  EXPECT_FALSE(debuggers_know("lines_of_add_one.loop"));
}

TEST(ObjectLoader, TakesTheFirstObjectThatFits) {
  KernelObject foreign = add_one_object(codegen::portable_target());
  foreign.triple = "aarch64-unknown-linux-gnu";
  EXPECT_FALSE(ObjectLoader({foreign, add_one_object(codegen::portable_target())}).none());
}

TEST(ObjectLoader, OneOfTheLevelsOfThisKindOfMachineFits) {
  std::vector<KernelObject> objects;
  for (const codegen::HostTarget& target : codegen::portable_targets())
    objects.push_back(add_one_object(target));
  EXPECT_GT(objects.size(), 0u);
  ObjectLoader loader(objects);
  ASSERT_FALSE(loader.none()) << loader.why_none();
  std::vector<std::int8_t> from(12, 41), to(12);
  void* arguments[] = {from.data(), to.data()};
  loader.kernel("add_one")(arguments);
  EXPECT_THAT(to, ::testing::Each(42));
}

TEST(ObjectLoader, SaysWhyNothingFits) {
  EXPECT_THAT(ObjectLoader({}).why_none(), StrEq("it has no machine code"));
  KernelObject object = add_one_object(codegen::portable_target());
  object.triple = "riscv32-unknown-elf";
  const ObjectLoader foreign({object});
  EXPECT_TRUE(foreign.none());
  EXPECT_THAT(foreign.why_none(), StartsWith("it is for riscv32-unknown-elf, this is "));
}

TEST(ObjectLoader, ASymbolThatIsMissing) {
  ObjectLoader loader({add_one_object(codegen::native_target())});
  EXPECT_THAT(
      [&] { loader.kernel("conv9"); },
      ThrowsMessage<UserError>(StrEq("the module's host kernels lack 'conv9'; compile the model again")));
}

/// Like any name that the process knows: kernels are the object's own functions (kernel_abort.vdla,
/// kernel_puts.vdla).
TEST(ObjectLoader, FunctionsOfTheProcessAreNoKernels) {
  ObjectLoader loader({add_one_object(codegen::native_target())});
  for (const std::string symbol : {"abort", "puts", "memcpy", "free", "vdla_parallel", "", "_init"})
    EXPECT_THAT([&] { loader.kernel(symbol); },
                ThrowsMessage<UserError>(StartsWith("the module's host kernels lack '" + symbol + "'")));
}

/// out = f(in, ...) for one number of this type.
KernelObject object_of(expr::Function f, expr::DType type, const codegen::HostTarget& target) {
  auto from = expr::make_buffer("from", type, {2}), to = expr::make_buffer("to", type, {1});
  std::vector<expr::ExprPtr> arguments;
  for (int i = 0; i < expr::arity(f); ++i) arguments.push_back(expr::load(from, {expr::int_imm(i)}));
  const loop::Func func{"kernel",
                        {{from, loop::Direction::In}, {to, loop::Direction::Out}},
                        loop::store(to, {expr::int_imm(0)}, expr::call(f, arguments))};
  return {.triple = target.triple,
          .cpu = target.cpu,
          .features = target.features,
          .elf = host::to_object({&func, 1}, target)};
}

/// `from` in the object's strings becomes `to`, of the same length.
KernelObject renamed(KernelObject object, std::string_view from, std::string_view to) {
  const auto* text = reinterpret_cast<const char*>(object.elf.data());
  const auto at =
      std::string_view(text, object.elf.size()).find(std::string(1, '\0') + std::string(from) + '\0');
  EXPECT_NE(at, std::string_view::npos) << "the object does not import " << from;
  if (at != std::string_view::npos) std::memcpy(object.elf.data() + at + 1, to.data(), to.size());
  return object;
}

TEST(ObjectLoader, CodeThatCallsTheProcessIsRefusedAndTheCallNamed) {
  const KernelObject good = object_of(expr::Function::Tanh, expr::DType::F64, codegen::portable_target());
  EXPECT_NO_THROW(ObjectLoader({good}).kernel("kernel"));
  for (const std::string name : {"exit", "puts", "fork", "kill"})
    EXPECT_THAT([&] { ObjectLoader loader({renamed(good, "tanh", name)}); },
                ThrowsMessage<UserError>(StrEq("the module's host kernels are refused: they call '" + name +
                                               "', and kernels call mathematics and memory alone")));
}

TEST(ObjectLoader, WhatCodeGenerationCallsIsAllowed) {
  using expr::Function;
  constexpr Function kFunctions[] = {
#define VDLA_LISTED(name, text, arity) Function::name,
      VDLA_FUNCTIONS(VDLA_LISTED)
#undef VDLA_LISTED
  };
  for (const codegen::HostTarget& target : {codegen::portable_target(), codegen::native_target()}) {
    for (const Function f : kFunctions) {
      if (f == Function::SrdhMul || f == Function::RoundShiftRight || f == Function::BytesDot ||
          f == Function::Clz || f == Function::Popcount)
        continue;  // of integers, without calls
      for (const expr::DType type : {expr::DType::F16, expr::DType::BF16, expr::DType::F32, expr::DType::F64})
        if (f != Function::RoundTf32 || type == expr::DType::F32)
          EXPECT_NO_THROW(ObjectLoader({object_of(f, type, target)}).kernel("kernel")) << expr::name(f);
    }
  }
}

TEST(ObjectLoader, CodeThatIsBroken) {
  KernelObject object = add_one_object(codegen::native_target());
  object.elf.resize(10);
  EXPECT_THAT([&] { ObjectLoader loader({object}); },
              ThrowsMessage<UserError>(StartsWith("cannot load the module's host kernels: ")));
  object.elf = add_one_object(codegen::native_target()).elf;
  object.elf[16] = std::byte{3};  // ET_DYN: a shared library would run what it likes as it is loaded
  EXPECT_THAT([&] { ObjectLoader loader({object}); },
              ThrowsMessage<UserError>(StartsWith("cannot load the module's host kernels: ")));
}

#if defined(__x86_64__)
TEST(ObjectLoader, CodeThatNeedsAnotherCpu) {
  KernelObject object = add_one_object(codegen::portable_target());
  object.features = "+amx-tile,+xop,+fma4";  // no CPU has all of them
  const ObjectLoader loader({object});
  EXPECT_TRUE(loader.none());
  EXPECT_THAT(loader.why_none(), HasSubstr("this CPU lacks "));
}
#endif

/// Kernels with what linking has to do: calls, constants, the hook of parallel loops.
KernelObject object_with_everything() {
  const loop::Func func = loop::parse(R"(func kernel(in a: f64[64], out c: f64[64]) {
  for i in 0..64 parallel {
    alloc t: f64[20000]
    for j in 0..64 { t[j] = tanh(a[j]) }
    c[i] = t[i] * 0.3f64
  }
})");
  const codegen::HostTarget target = codegen::portable_target();
  return {.triple = target.triple,
          .cpu = target.cpu,
          .features = target.features,
          .elf = host::to_object({&func, 1}, target)};
}

/// Loads or is refused with a sentence; never anything else.
void load_or_refuse(const KernelObject& object) {
  try {
    ObjectLoader loader({object});
    if (!loader.none()) loader.kernel("kernel");
  } catch (const UserError&) {
  }
}

TEST(ObjectLoader, ObjectsThatAreCutAnywhere) {
  const KernelObject whole = object_with_everything();
  EXPECT_NO_THROW(ObjectLoader({whole}).kernel("kernel"));
  KernelObject object = whole;
  for (std::size_t bytes = 0; bytes < whole.elf.size(); ++bytes) {
    object.elf.assign(whole.elf.begin(), whole.elf.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_THAT([&] { ObjectLoader loader({object}); },
                ThrowsMessage<UserError>(StartsWith("cannot load the module's host kernels: ")))
        << bytes;
  }
}

/// Heads, tables of sections and symbols, relocations and names, and what of the code is changed by them.
TEST(ObjectLoader, NumbersThatLieAnywhereInTheObject) {
  const KernelObject whole = object_with_everything();
  KernelObject object = whole;
  constexpr std::uint64_t kNumbers[] = {0,          1,          0x7f,       0xffff, 0x7fffffff,
                                        0x80000000, 0xfffffff8, 1ull << 40, ~0ull};
  for (std::size_t at = 0; at < whole.elf.size(); ++at) {
    for (const std::size_t bytes : {1, 4, 8}) {
      if (at % bytes != 0 || at + bytes > whole.elf.size()) continue;
      for (const std::uint64_t number : kNumbers) {
        if (bytes < 8 && number >> (8 * bytes) != 0) continue;
        std::memcpy(object.elf.data() + at, &number, bytes);
        load_or_refuse(object);
        std::memcpy(object.elf.data() + at, whole.elf.data() + at, bytes);
      }
    }
  }
}

/// Several at once reach what a single one does not.
TEST(ObjectLoader, BytesThatLieAtRandom) {
  const KernelObject whole = object_with_everything();
  std::mt19937 random(7);
  for (int round = 0; round < 5000; ++round) {
    KernelObject object = whole;
    for (unsigned changes = 1 + random() % 8; changes > 0; --changes)
      object.elf[random() % object.elf.size()] = std::byte(random());
    load_or_refuse(object);
  }
}

/// 60,000 sections that are all the same bytes would want memory that nobody has.
TEST(ObjectLoader, SectionsThatOverlap) {
  KernelObject object = object_with_everything();
  const auto put = [&](std::size_t at, auto value) {
    std::memcpy(object.elf.data() + at, &value, sizeof value);
  };
  Elf64_Ehdr head;
  std::memcpy(&head, object.elf.data(), sizeof head);
  const std::size_t table = object.elf.size();
  constexpr std::uint16_t kSections = 60000;
  const Elf64_Shdr same{.sh_name = 0,
                        .sh_type = SHT_PROGBITS,
                        .sh_flags = SHF_ALLOC,
                        .sh_addr = 0,
                        .sh_offset = 0,
                        .sh_size = table,
                        .sh_link = 0,
                        .sh_info = 0,
                        .sh_addralign = 1,
                        .sh_entsize = 0};
  object.elf.resize(table + kSections * sizeof same);
  for (std::size_t i = 0; i < kSections; ++i) put(table + i * sizeof same, same);
  for (std::size_t i = 0; i < head.e_shnum; ++i)  // what the object has itself
    std::memcpy(object.elf.data() + table + i * sizeof same,
                object.elf.data() + head.e_shoff + i * sizeof same, sizeof same);
  head.e_shoff = table;
  head.e_shnum = kSections;
  put(0, head);
  EXPECT_THAT([&] { ObjectLoader loader({object}); },
              ThrowsMessage<UserError>(HasSubstr("sections overlap")));
}

/// Code is never writable, constants are neither writable nor code.
TEST(ObjectLoader, MemoryIsNeverBothWritableAndCode) {
  ObjectLoader loader({object_with_everything()});
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) EXPECT_EQ(line.find("rwx"), std::string::npos) << line;
}

TEST(ObjectLoader, AnObjectForAnotherMachine) {
  KernelObject object = add_one_object(codegen::portable_target());
  object.elf[18] = std::byte{40};  // e_machine: Arm
  object.elf[19] = std::byte{0};
  EXPECT_THAT([&] { ObjectLoader loader({object}); },
              ThrowsMessage<UserError>(HasSubstr("is for another machine (e_machine 40, needs ")));
}

TEST(ObjectLoader, CodeForACpuOfWhichNothingIsKnown) {
  KernelObject object = add_one_object(codegen::portable_target());
  object.cpu = "k9";
  EXPECT_THAT(ObjectLoader({object}).why_none(),
              StartsWith("it is for CPU 'k9', which this kit does not know"));
}

}  // namespace
}  // namespace vdla::runtime
