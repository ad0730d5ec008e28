// SPDX-License-Identifier: Apache-2.0
// PNG and JPEG files, and inputs of a network that are fitted from them, with few pixels allowed: a file of
// some bytes may ask for millions.
#include "tools/data/image.h"
#include "tests/fuzz/target.h"
#include "tools/data/image_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  fuzzing::accepted([&] {
    tools::Image image = tools::decode_image(fuzzing::as_bytes(data, size), "fuzz", 1 << 18);
    if (image.height * image.width > 1 << 14) return;  // to fit a line of more takes seconds
    const tools::InputSpec spec{"x", runtime::DataType::Int8, {1, 3, 4, 5}, true};
    tools::image_values(std::move(image), spec, {}, "fuzz");
  });
  return 0;
}
