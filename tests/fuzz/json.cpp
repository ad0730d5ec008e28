// SPDX-License-Identifier: Apache-2.0
// The JSON files that users write or keep, other than variants: sweeps, parts and run records. The first byte
// says which.
#include "tests/fuzz/target.h"
#include "tools/explore/area.h"
#include "tools/explore/record.h"
#include "tools/explore/sweep.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  if (size == 0) return 0;
  const fuzzing::MemoryFile file(data + 1, size - 1);
  fuzzing::accepted([&] {
    switch (data[0]) {
      case 's':
        explore::variants_of(explore::read_sweep(file.path()));
        break;
      case 'p':
        explore::load_part(file.path());
        break;
      default:
        explore::parse_record(std::string(fuzzing::as_text(data + 1, size - 1)), "fuzz");
    }
  });
  return 0;
}
