// SPDX-License-Identifier: Apache-2.0
// Integer expressions over operands that processors disagree about, drawn by the input: the interpreter, the
// simplifier and machine code compute the same. No reader: every input is a function.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "compiler/loop/print.h"
#include "compiler/loop/simplify.h"
#include "tests/compiler/codegen/llvm/hostile.h"
#include "tests/fuzz/target.h"

namespace {

using namespace vdla;

/// Calls code at the beginning of a page behind one without access, where a Jit's can lie: checks of indirect
/// calls that read in front of the function would end the process.
void call_beginning_of_page() {
#if defined(__x86_64__)
  const std::array<std::uint8_t, 1> kReturn{0xc3};
#elif defined(__aarch64__)
  const std::array<std::uint8_t, 4> kReturn{0xc0, 0x03, 0x5f, 0xd6};
#else
  return;
#endif
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  VDLA_CHECK(memory != MAP_FAILED);
  std::byte* const code = static_cast<std::byte*>(memory) + page;
  VDLA_CHECK(mprotect(code, page, PROT_READ | PROT_WRITE) == 0);
  std::memcpy(code, kReturn.data(), kReturn.size());
  VDLA_CHECK(mprotect(code, page, PROT_READ | PROT_EXEC) == 0);
  reinterpret_cast<codegen::HostFunction>(code)(nullptr);
  munmap(memory, 2 * page);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  call_beginning_of_page();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const loop::Operands operands : {loop::Operands::Constant, loop::Operands::Read}) {
    const loop::HostileCase drawn = loop::drawn_case({data, size}, operands);
    loop::HostileCase simplified = drawn;
    simplified.func = loop::simplify(simplified.func);
    const auto wanted = loop::interpreted(drawn);
    VDLA_CHECK(loop::interpreted(simplified) == wanted)
        << "simplified differs: " << loop::to_string(drawn.func);
    VDLA_CHECK(codegen::computed(drawn) == wanted) << "machine code differs: " << loop::to_string(drawn.func);
  }
  return 0;
}
