// SPDX-License-Identifier: Apache-2.0
// The template of 3x3 convolutions by fewer products: Winograd's F(2x2, 3x3) (A. Lavin and S. Gray: Fast
// algorithms for convolutional neural networks, CVPR 2016; the TVM paper's precomputed one, section 6.1).
// Tiles of 4x4 pixels and weights are transformed, 16 products of matrices take the place of the sums, and
// each gives a tile of 2x2 pixels: 4 products of an output instead of 9. Weights are transformed when the
// network is compiled.
#pragma once

#include <optional>

#include "compiler/schedule/schedule.h"
#include "compiler/targets/cpu/kernels/composer.h"
#include "compiler/targets/gpu/templates/tiles.h"

namespace vdla::pipeline::gpu {

/// A convolution of float32 images by constant weights, without strides, dilations and groups, with enough
/// channels that the transforms are a small part.
bool takes_winograd(const graph::Graph& graph, const graph::Node& node);

struct Winograd {
  expr::Tensor data;      ///< [16][channels in][tiles]: transformed
  expr::Tensor products;  ///< [16][channels out][tiles]
  expr::Tensor result;    ///< result of the node
};

/// The node by these stages, for those behind it.
Winograd add_winograd(Composer& composer, const graph::Graph& graph, const graph::Node& node);

/// How `products` is tiled: each of the 16 is a product of matrices.
inline constexpr TileDims kWinogradDims{1, std::nullopt, 2, 0, true};

/// Three kernels: the transforms have a thread for each element, the products tiles. `sum`: what a
/// cache_write of the products made.
void schedule_winograd(schedule::Schedule& s, const expr::Tensor& output, const Winograd& stages,
                       const expr::Tensor& sum, const TileKnobs& knobs, const GpuProfile& profile);

}  // namespace vdla::pipeline::gpu
