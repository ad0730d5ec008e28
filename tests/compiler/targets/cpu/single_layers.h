// SPDX-License-Identifier: Apache-2.0
// Single F32 layers on a CPU, for tests and benches: a convolution by the template of
// compiler/targets/cpu/templates/conv2d.h, and a matrix product C[m][n] = sum_k A[m][k] * B[k][n] (+
// bias[n]).
//
// B is read as panels [N/nb][K][nb]. A constant B (dense layers) is packed when the network is compiled; else
// the function packs it, once. Tiles of rows_tile x panel stay in registers over all of K. A is packed in
// bands of rows, each of which stays in the second-level cache while all panels run over it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"
#include "compiler/targets/cpu/profile.h"
#include "compiler/targets/cpu/templates/conv2d.h"

namespace vdla::pipeline::cpu {

/// One image without threads. Parameters: input, weights, bias (where the convolution has one), output.
loop::Func conv2d(const Conv2d& conv, const Conv2dKnobs& knobs, const std::string& name);

/// Weights [K][C][R][S] in the template's layout, and a bias; lanes beyond the last channel are zero.
std::vector<float> pack_weights(const Conv2d& conv, const Conv2dKnobs& knobs, std::span<const float> weights);
std::vector<float> pack_channels(std::int64_t channels, std::int64_t block, std::span<const float> values);
/// Between [C][H][W] and [C/cb][H][W][cb].
std::vector<float> pack_image(std::int64_t channels, std::int64_t block, std::span<const float> image);
std::vector<float> unpack_image(std::int64_t channels, std::int64_t block, std::span<const float> image);

struct Matmul {
  std::int64_t m, n, k;
  bool constant_b = false;  ///< B comes packed
  bool bias = false, relu = false;
};

struct MatmulKnobs {
  std::int64_t panel;  ///< columns of a panel, a multiple of the lanes
  std::int64_t lanes;
  std::int64_t row_tile;  ///< rows in registers
  std::int64_t row_band;  ///< rows that run over one panel before the next

  friend bool operator==(const MatmulKnobs&, const MatmulKnobs&) = default;
};

std::vector<MatmulKnobs> matmul_space(const Matmul& matmul, const CpuProfile& profile);
MatmulKnobs matmul_default(const Matmul& matmul, const CpuProfile& profile);

/// Parameters: A, B (packed where it is constant), bias (where there is one), C.
loop::Func matmul(const Matmul& matmul, const MatmulKnobs& knobs, const std::string& name);

/// B [K][N] as panels; columns beyond the last are zero.
std::vector<float> pack_panels(const Matmul& matmul, const MatmulKnobs& knobs, std::span<const float> b);

}  // namespace vdla::pipeline::cpu
