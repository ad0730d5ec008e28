// SPDX-License-Identifier: Apache-2.0
// Drives sum.sv with every operation against the same in C++; exit status 1 at the first difference.
#include <cstdio>
#include <random>

#include "Vsum.h"
#include "verilated.h"

int main() {
  VerilatedContext context;
  Vsum top(&context);
  std::mt19937 random(1);
  unsigned sum = 0;
  for (unsigned i = 0; i < 5000; ++i) {
    top.clk_i = 0;
    top.rst_i = i < 2 || random() % 32 == 0;
    top.valid_i = random() % 4 != 0;
    top.op_i = random() % 4;
    top.data_i = random() % 8 == 0 ? random() : random() % 16;
    top.eval();
    if (i > 1 && (top.sum_o != sum || top.full_o != (sum >= 20))) return std::printf("cycle %u\n", i), 1;
    const unsigned low = top.data_i & 15u;
    if (top.valid_i && sum < 20) {
      if (top.op_i == 0) sum = (sum + top.data_i) & 255u;
      if (top.op_i == 1) sum = sum < top.data_i ? 0 : sum - top.data_i;
      if (top.op_i == 2) sum = low << 4 | low;
    }
    if (top.rst_i) sum = 0;
    top.clk_i = 1;
    top.eval();
  }
  return 0;
}
