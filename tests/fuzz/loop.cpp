// SPDX-License-Identifier: Apache-2.0
// Loop IR text: parse, verify, print and parse again, each pass of `vdla opt`, and one interpreted run.
#include <cstdlib>
#include <string>

#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/loop/verify.h"
#include "compiler/passes/pass.h"
#include "tests/fuzz/small_function.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  fuzzing::accepted([&] {
    const loop::Func func = loop::parse(fuzzing::as_text(data, size));
    const std::string text = loop::to_string(func);
    VDLA_CHECK(loop::to_string(loop::parse(text)) == text)
        << "printed text does not print as itself: " << text;
    loop::verify(func);
    if (!fuzzing::is_small(func)) return;
    fuzzing::accepted([&] { fuzzing::interpret(func); });
    for (const passes::Pass& pass : passes::all_passes())
      fuzzing::accepted([&] {
        const std::string name(pass.name);
        passes::run_passes(func, std::span(&name, 1));
      });
  });
  return 0;
}
