// SPDX-License-Identifier: Apache-2.0
// Integer expressions over operands that processors disagree about, drawn by the input: the interpreter, the
// simplifier and machine code compute the same. No reader: every input is a function.
#include "compiler/host/host.h"
#include "compiler/loop/print.h"
#include "compiler/loop/simplify.h"
#include "tests/compiler/loop/hostile.h"
#include "tests/fuzz/target.h"

namespace {

using namespace vdla;

std::vector<std::vector<std::byte>> computed(loop::HostileCase hostile) {
  std::vector<void*> params;
  for (std::vector<std::byte>& memory : hostile.arguments) params.push_back(memory.data());
  host::Jit jit;
  jit.add(hostile.func)(params.data());
  return std::move(hostile.arguments);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const loop::Operands operands : {loop::Operands::Constant, loop::Operands::Read}) {
    const loop::HostileCase drawn = loop::drawn_case({data, size}, operands);
    loop::HostileCase simplified = drawn;
    simplified.func = loop::simplify(simplified.func);
    const auto wanted = loop::interpreted(drawn);
    VDLA_CHECK(loop::interpreted(simplified) == wanted)
        << "simplified differs: " << loop::to_string(drawn.func);
    VDLA_CHECK(computed(drawn) == wanted) << "machine code differs: " << loop::to_string(drawn.func);
  }
  return 0;
}
