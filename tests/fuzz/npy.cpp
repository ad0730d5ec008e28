// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files.
#include "tools/vdla/npy.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  fuzzing::accepted([&] {
    const auto bytes = fuzzing::as_bytes(data, size);
    const tools::NpyArray array = tools::parse_npy({bytes.begin(), bytes.end()}, "fuzz");
    tools::to_real(array);
  });
  return 0;
}
