// SPDX-License-Identifier: Apache-2.0
// PNG and JPEG files, with few pixels allowed: a file of some bytes may ask for millions.
#include "tools/data/image.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  fuzzing::accepted([&] { tools::decode_image(fuzzing::as_bytes(data, size), "fuzz", 1 << 18); });
  return 0;
}
