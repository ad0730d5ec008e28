// SPDX-License-Identifier: Apache-2.0
// How the device sees memory: activations in DRAM, and constants packed by block.
//
// Activations: [h][w][channels], channels padded up to a multiple of channel_block() = lcm(K, N), so that one
// entry of inp (K bytes) or out (N bytes) is a run of bytes of one pixel. The lanes beyond the last channel
// may hold anything: the weights that meet them contribute nothing, and no lane influences another one
// elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/pipeline/device/ops.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline::device {

/// Channels of an activation tensor in DRAM are a multiple of this.
std::int64_t channel_block(const isa::Geometry& geometry);
std::int64_t padded_channels(std::int64_t channels, const isa::Geometry& geometry);
/// Whether each group is a layer of its own: whole blocks of channels in and out. Others are filled up
/// (without_groups()).
bool groups_apart(const Conv2d& op, const isa::Geometry& geometry);
/// Bytes of an activation tensor in DRAM.
std::int64_t activation_bytes(const Image& image, const isa::Geometry& geometry);

/// Dense [h][w][c] to the device's layout and back. Lanes without a channel become `fill`.
std::vector<std::int8_t> to_device(std::span<const std::int8_t> dense, const Image& image,
                                   const isa::Geometry& geometry, std::int8_t fill = 0);
std::vector<std::int8_t> from_device(std::span<const std::int8_t> data, const Image& image,
                                     const isa::Geometry& geometry);

/// Constants of one layer as they lie in DRAM, one after the other.
struct PackedConstants {
  std::vector<std::uint8_t> bytes;
  std::int64_t weights_offset = 0;
  std::int64_t params_offset = 0;
};

/// Entries of par for each block of output channels, in this order: the operands of `scale`.
inline constexpr std::int64_t kScaleParams = 3;  // bias, multiplier, shifts

/// Weights [part][out block][ky][kx][in block][N][K] and parameters [out block][3][N]. The input zero point
/// is folded into the bias. A weight zero point makes parts whose sum is weight - weight_zero
/// (conv_parts()). Groups must be 1 (without_groups()).
PackedConstants pack(const Conv2d& op, const isa::Geometry& geometry);
/// 1, or with a weight zero point as many int8 summands as the differences need.
std::int64_t conv_parts(const Conv2d& op);
/// Weights [channel block][ky][kx][N], one byte each, to be widened; parameters as above. Channel
/// multiplier 1.
PackedConstants pack(const DepthwiseConv2d& op, const isa::Geometry& geometry);
/// Parameters of the three scales, [3][3][N]: a, b, sum.
PackedConstants pack(const Add& op, const isa::Geometry& geometry);
/// Parameters [channel block][3][N].
PackedConstants pack(const SumPool2d& op, const isa::Geometry& geometry);
PackedConstants pack(const Requantize& op, const isa::Geometry& geometry);

/// The word of `shifts` that `scale` reads: left in bits 4:0, right in bits 12:8.
std::int32_t shift_word(const Multiplier& multiplier);

}  // namespace vdla::pipeline::device
