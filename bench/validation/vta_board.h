// SPDX-License-Identifier: Apache-2.0
// The convolutions of ResNet-18 as VTA ran them on a Pynq board (xc7z020), with the tiles that its tuner had
// chosen: TopHub, tophub/vta_v0.10.log, model pynq_1x16_i8w8a32_15_15_18_17.
#pragma once

#include "bench/compiler/single_layer.h"

namespace vdla::bench {

struct VtaRow {
  ConvShape shape;
  double milliseconds;                            ///< measured
  std::int64_t tile_h, tile_w, tile_ci, tile_co;  ///< inner extents; ci and co in blocks of 16
  int layers;                                     ///< number of ResNet-18's layers with this shape
};

inline constexpr VtaRow kVtaBoard[] = {
    {{56, 64, 64, 3, 1}, 5.70, 8, 56, 1, 2, 4},    {{56, 64, 128, 3, 2}, 2.97, 7, 28, 1, 4, 1},
    {{56, 64, 128, 1, 2}, 1.35, 7, 28, 1, 4, 1},   {{28, 128, 128, 3, 1}, 5.18, 14, 28, 1, 2, 3},
    {{28, 128, 256, 3, 2}, 2.67, 14, 14, 1, 4, 1}, {{28, 128, 256, 1, 2}, 1.03, 7, 14, 1, 8, 1},
    {{14, 256, 256, 3, 1}, 4.93, 14, 14, 1, 4, 3}, {{14, 256, 512, 3, 2}, 3.99, 7, 7, 1, 16, 1},
    {{14, 256, 512, 1, 2}, 1.08, 7, 7, 1, 16, 1},  {{7, 512, 512, 3, 1}, 7.35, 7, 7, 1, 16, 3},
};

inline constexpr double kVtaMhz = 100;

}  // namespace vdla::bench
