// SPDX-License-Identifier: Apache-2.0
// Variants of the machine as JSON: what is accepted is written and read back as the same machine.
#include "isa/variants/variants.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  fuzzing::accepted([&] {
    const isa::Variant variant = isa::parse_variant(fuzzing::as_text(data, size), "fuzz");
    VDLA_CHECK(isa::parse_variant(isa::to_json(variant), "again").geometry == variant.geometry);
  });
  return 0;
}
