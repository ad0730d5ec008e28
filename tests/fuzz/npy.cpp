// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, and inputs of a network in them.
#include "tools/data/npy.h"
#include "tests/fuzz/target.h"
#include "tools/data/whole_inputs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  fuzzing::accepted([&] {
    const auto bytes = fuzzing::as_bytes(data, size);
    const tools::NpyArray array = tools::parse_npy({bytes.begin(), bytes.end()}, "fuzz");
    tools::to_real(array);
    const tools::InputNeed need{"x", "<f4", {2, 3}, true};
    for (const auto input : tools::whole_inputs(tools::values_of(array), need, "fuzz"))
      tools::to_real(array.type, input);
  });
  return 0;
}
