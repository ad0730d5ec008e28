// SPDX-License-Identifier: Apache-2.0
// Walks random patterns with vdla_walk, asked to go on in a random share of the cycles, and prints how many
// pieces were not those of five nested loops.
// usage: Vvdla_walk PATTERNS COUNT_BITS INDEX_BITS STRIDE_BITS ROW_BITS, those of its parameters
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

#include "Vvdla_walk.h"
#include "verilated.h"

namespace {

std::mt19937_64 draw(20261123);

std::uint64_t below(std::uint64_t n) { return draw() % n; }
std::uint64_t bits(unsigned n) { return draw() & (~std::uint64_t{0} >> (64 - n)); }

}  // namespace

int main(int, char** argv) {
  const auto number = [&](int i) { return static_cast<unsigned>(std::atoi(argv[i])); };
  const unsigned index_bits = number(3), stride_bits = number(4), row_bits = number(5);
  const std::uint64_t index_mask = ~std::uint64_t{0} >> (64 - index_bits);
  VerilatedContext context;
  context.randReset(2);
  const auto walk = std::make_unique<Vvdla_walk>(&context);
  const auto clock = [&] {
    walk->clk_i = 0;
    walk->eval();
    walk->clk_i = 1;
    walk->eval();
  };
  unsigned long wrong = 0, pieces = 0, waits = 0, shared = 0;
  for (unsigned pattern = 0; pattern < number(1); ++pattern) {
    const std::uint64_t base = bits(index_bits), x_stride = bits(stride_bits), y_stride = bits(stride_bits),
                        z_stride = bits(stride_bits);
    const unsigned rows = row_bits == 1 ? 1 : 1u << below(row_bits);
    const unsigned run = 1 + below(4), xs = rows * (1 + below(5)), ys = 1 + below(4), zs = 1 + below(4);
    const unsigned share = 1 + below(4);  // of the cycles, in quarters
    walk->load_i = 1;
    walk->base_i = base;
    walk->step_i = 0;
    clock();
    walk->load_i = 0;
    walk->pieces_i = run;
    walk->rows_i = rows;
    walk->x_count_i = xs;
    walk->y_count_i = ys;
    walk->z_count_i = zs;
    walk->x_stride_i = x_stride;
    walk->y_stride_i = y_stride;
    walk->z_stride_i = z_stride;
    for (unsigned z = 0; z < zs; ++z)
      for (unsigned y = 0; y < ys; ++y)
        for (unsigned x = 0; x < xs; ++x)
          for (unsigned piece = 0; piece < run; ++piece) {
            const bool last = z + 1 == zs && y + 1 == ys && x + 1 == xs && piece + 1 == run;
            const std::uint64_t index =
                (base + z * z_stride + y * y_stride + x / rows * x_stride + piece) & index_mask;
            bool stays = true;
            do {  // what stands there stays until it is asked to go on
              walk->step_i = below(4) < share;
              walk->eval();
              stays = stays && walk->piece_o == piece && walk->row_o == x % rows && walk->x_o == x &&
                      walk->y_o == y && walk->z_o == z && walk->index_o == index && walk->last_o == last;
              clock();
              waits += walk->step_i == 0;
            } while (walk->step_i == 0);
            wrong += !stays;
            shared += rows > 1;
            ++pieces;
          }
  }
  std::printf("%lu %lu %lu %lu\n", wrong, pieces, waits, shared);
}
