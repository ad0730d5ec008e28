// SPDX-License-Identifier: Apache-2.0
// How the device sees memory: activations in DRAM.
//
// Activations: [h][w][channels], channels padded up to a multiple of channel_block() = lcm(K, N), so that one
// entry of inp (K bytes) or out (N bytes) is a run of bytes of one pixel. The lanes beyond the last channel
// may hold anything: the weights that meet them contribute nothing, and no lane influences another one
// elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/targets/vdla/templates/ops.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline::device {

/// Channels of an activation tensor in DRAM are a multiple of this.
std::int64_t channel_block(const isa::Geometry& geometry);
std::int64_t padded_channels(std::int64_t channels, const isa::Geometry& geometry);
/// Bytes of an activation tensor in DRAM.
std::int64_t activation_bytes(const Image& image, const isa::Geometry& geometry);

/// Dense [h][w][c] to the device's layout and back. Lanes without a channel become `fill`.
std::vector<std::int8_t> to_device(std::span<const std::int8_t> dense, const Image& image,
                                   const isa::Geometry& geometry, std::int8_t fill = 0);
std::vector<std::int8_t> from_device(std::span<const std::int8_t> data, const Image& image,
                                     const isa::Geometry& geometry);

/// Entries of par for each block of output channels, in this order: the operands of `scale`.
inline constexpr std::int64_t kScaleParams = 3;  // bias, multiplier, shifts

/// All dimensions but the last two as height, then width and channels.
Image image_of(const graph::Shape& shape);
/// Image in bytes: the channels of a tensor of wider elements are the bytes of its own.
Image image_of(const graph::Tensor& tensor);

/// Whether a tensor of either shape has the same bytes on the device, so that a reshape between them does
/// nothing there.
bool keeps_device_layout(const graph::Shape& from, const graph::Shape& to, const isa::Geometry& geometry);

}  // namespace vdla::pipeline::device
