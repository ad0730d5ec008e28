// SPDX-License-Identifier: Apache-2.0
// The schedule template of F32 convolutions on a CPU: channels in blocks of a vector's lanes, weights packed
// when the network is compiled, sums in registers.
//
//   input   [N][C/cb][H][W][cb]          cb: in_block
//   weights [K/kb][C/cb][R][S][cb][kb]   kb: out_block
//   bias    [K/kb][kb]
//   output  [N][K/kb][P][Q][kb]
//
// Loops: bands of output rows (the input with its border is copied once for each, into the second-level
// cache); tiles of output channels (their weights stay in the second-level cache); rows; tiles of columns,
// whose sums over all of C, R and S stay in registers.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/schedule/schedule.h"
#include "compiler/targets/cpu/profile.h"

namespace vdla::pipeline::cpu {

struct Conv2d {
  std::int64_t in_channels, in_height, in_width, out_channels;
  std::int64_t kernel_height = 1, kernel_width = 1;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  bool bias = false, relu = false;
  std::int64_t images = 1;

  std::int64_t out_height() const {
    return (in_height + pad_top + pad_bottom - kernel_height) / stride_height + 1;
  }
  std::int64_t out_width() const {
    return (in_width + pad_left + pad_right - kernel_width) / stride_width + 1;
  }
  bool padded() const { return pad_top || pad_left || pad_bottom || pad_right; }
  /// Multiplications of an image.
  std::int64_t work() const {
    return out_channels * out_height() * out_width() * in_channels * kernel_height * kernel_width;
  }
};

/// Loop that the threads share.
enum class Share : std::uint8_t { Images, Bands, Channels };

/// Tiles need not divide what they tile.
struct Conv2dKnobs {
  std::int64_t in_block, out_block;
  std::int64_t out_tile;  ///< blocks of output channels in registers
  std::int64_t row_tile;  ///< output rows in registers
  std::int64_t col_tile;  ///< output columns in registers
  std::int64_t band;      ///< output rows that share one copy of the input

  /// One block of input channels at a time for all rows of a band, sums in the first-level cache between
  /// blocks: each weight comes from far once for a band.
  bool by_block = false;
  bool channels_outside = false;  ///< all bands for a tile of channels, else all tiles for a band
  bool channels_inside = true;    ///< order of the reduction: all channels of a block for a tap of the kernel
  bool taps_unrolled = false;     ///< whether the taps of a row of the kernel are written out
  std::int64_t step = 1;          ///< input channels written out beside each other, a divisor of in_block
  Share share = Share::Bands;

  friend bool operator==(const Conv2dKnobs&, const Conv2dKnobs&) = default;
};

/// Knobs from which the default is chosen: tiles that divide what they tile, all else as it is by default.
std::vector<Conv2dKnobs> conv2d_space(const Conv2d& conv, const CpuProfile& profile);
/// The best by a closed-form model of registers, loads and caches.
Conv2dKnobs conv2d_default(const Conv2d& conv, const CpuProfile& profile);
/// Cycles for one multiplication-addition of a vector, by that model.
double conv2d_cost(const Conv2d& conv, const Conv2dKnobs& knobs, const CpuProfile& profile);

/// Schedules an `output` that is elementwise over `sum`, the sums of a graph::ConvolveBlocks that is not
/// depthwise; what stands between them is inlined already. Threads share what the knobs say.
void schedule_conv2d(schedule::Schedule& schedule, const expr::Tensor& output, const expr::Tensor& sum,
                     const Conv2dKnobs& knobs, bool parallel);

/// Tiles of a depthwise convolution: sums in registers, the border of `band` output rows copied at a time.
/// They need not divide what they tile.
struct DepthwiseKnobs {
  std::int64_t col_tile, band;
  std::int64_t row_tile = 1;
  bool unrolled = true;  ///< the taps of a kernel of up to 25
  Share share = Share::Channels;

  friend bool operator==(const DepthwiseKnobs&, const DepthwiseKnobs&) = default;
};
DepthwiseKnobs depthwise_default(const Conv2d& conv, const CpuProfile& profile);
/// Cycles of an image, roughly.
double depthwise_cost(const Conv2d& conv, const DepthwiseKnobs& knobs, const CpuProfile& profile);
/// Schedules a depthwise ConvolveBlocks.
void schedule_depthwise(schedule::Schedule& schedule, const expr::Tensor& output, const expr::Tensor& sum,
                        const DepthwiseKnobs& knobs, bool parallel);

}  // namespace vdla::pipeline::cpu
