// SPDX-License-Identifier: Apache-2.0
// Prints how often the module differs from what it says.
#include <cstdint>
#include <cstdio>
#include <memory>

#include "Vxor_of_a_word_border.h"
#include "verilated.h"

int main() {
  VerilatedContext context;
  const auto top = std::make_unique<Vxor_of_a_word_border>(&context);
  unsigned wrong = 0;
  std::uint64_t state = 1;
  for (int i = 0; i < 1000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    top->x = state >> 25;
    top->eval();
    wrong += top->middle != (top->x >> 31 & 1);
  }
  std::printf("%u\n", wrong);
}
