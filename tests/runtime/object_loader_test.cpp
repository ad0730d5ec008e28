// SPDX-License-Identifier: Apache-2.0
// Machine code made by the compiler, loaded by the runtime.
#include <gmock/gmock.h>

#include "runtime/host_kernel.h"
#include "support/error.h"
#include "tests/runtime/host_object.h"

// What debuggers read, as gdb's manual has it ("JIT Compilation Interface"); LLVM defines it.
extern "C" {
struct jit_code_entry {
  jit_code_entry *next, *previous;
  const char* symbol_file;
  std::uint64_t symbol_file_bytes;
};
struct jit_descriptor {
  std::uint32_t version, action;
  jit_code_entry *relevant, *first;
};
extern jit_descriptor __jit_debug_descriptor;
}

namespace vdla::runtime {
namespace {

/// Whether the code that debuggers were told of last has debug info with this text. (LLVM 19 does not tell
/// them of code that goes, so older entries may be stale.)
bool debuggers_know(std::string_view text) {
  const jit_code_entry* e = __jit_debug_descriptor.first;
  return e != nullptr &&
         std::string_view(e->symbol_file, static_cast<std::size_t>(e->symbol_file_bytes)).find(text) !=
             std::string_view::npos;
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
  ObjectLoader loader({add_one_object(codegen::native_target(), "/tmp/lines_of_add_one.loop")});
  ASSERT_FALSE(loader.none()) << loader.why_none();
  loader.kernel("add_one");
  EXPECT_TRUE(debuggers_know("lines_of_add_one.loop"));
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

TEST(ObjectLoader, CodeThatIsBroken) {
  KernelObject object = add_one_object(codegen::native_target());
  object.elf.resize(10);
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

}  // namespace
}  // namespace vdla::runtime
