// SPDX-License-Identifier: Apache-2.0
// Declarations of intrinsics as text (compiler/tensorize/parse.h).
#include "compiler/tensorize/parse.h"
#include "isa/variants/variants.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  static const isa::Geometry geometry = isa::load_variant("tiny").geometry;
  fuzzing::accepted([&] { tensorize::parse_intrinsic(fuzzing::as_text(data, size), "fuzz", geometry); });
  return 0;
}
