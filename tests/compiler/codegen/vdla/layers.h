// SPDX-License-Identifier: Apache-2.0
// Small layers with schedules, for differential tests: every number of a layer and of its tiling is a
// parameter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"
#include "isa/spec/geometry.h"

namespace vdla::codegen::testing {

/// Blocks of channels, tile sizes in output rows, columns, output blocks, input blocks; tiles need not
/// divide.
struct ConvCase {
  std::int64_t h = 6, w = 6, in_blocks = 2, out_blocks = 2;
  std::int64_t kernel_h = 3, kernel_w = 3, stride = 1, pad = 1;
  std::int64_t tile_h = 3, tile_w = 6, tile_out = 1, tile_in = 1;
  std::int64_t row_threads = 1, column_threads = 1;  ///< virtual threads over the tiles of rows, of columns
  std::int32_t input_zero = -5, out_zero = 3, clamp_min = -128;

  std::int64_t out_h() const { return (h + 2 * pad - kernel_h) / stride + 1; }
  std::int64_t out_w() const { return (w + 2 * pad - kernel_w) / stride + 1; }
  std::string describe() const;
};

/// Parameters: input [h][w][in_blocks][K], weights [out_blocks][kh][kw][in_blocks][N][K], par
/// [out_blocks][3][N], result [out_h][out_w][out_blocks][N]. Not tensorized yet. Batch 1.
loop::Func conv2d(const ConvCase& c, const isa::Geometry& g);

/// rows x in_blocks*K times in_blocks*K x out_blocks*N, for any batch: rows map to the rows of the array, and
/// the result has as many as a multiple of the batch takes.
struct MatmulCase {
  std::int64_t rows = 6, in_blocks = 2, out_blocks = 2;
  std::int64_t tile_rows = 2, tile_out = 1, tile_in = 1;
  std::int64_t threads = 1;  ///< virtual threads over the tiles of out_blocks
};
loop::Func matmul(const MatmulCase& c, const isa::Geometry& g);

/// Bytes of the parameters of one of these: random ones, and scales that keep results alive.
std::vector<std::vector<std::byte>> random_arguments(const loop::Func& func, const isa::Geometry& g,
                                                     std::mt19937& random);

}  // namespace vdla::codegen::testing
