// SPDX-License-Identifier: Apache-2.0
// Constants of a layer as they lie in DRAM, packed by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/ops.h"

namespace vdla::pipeline::device {

/// Constants of a layer as they lie in DRAM, one after the other.
struct PackedConstants {
  std::vector<std::uint8_t> bytes;
  std::int64_t weights_offset = 0;
  std::int64_t params_offset = 0;
};

/// Appends parameters of one block, a 32-bit word for each lane; lanes without a channel get zeros.
class ParamWriter {
 public:
  ParamWriter(std::vector<std::uint8_t>& bytes, std::int64_t channels, std::int64_t lanes)
      : bytes_(bytes), channels_(channels), lanes_(lanes) {}

  /// `value` gives the number of a channel.
  void entry(std::int64_t block, const std::function<std::int32_t(std::int64_t)>& value);

 private:
  std::vector<std::uint8_t>& bytes_;
  std::int64_t channels_, lanes_;
};

/// Parameters [block][3][N] behind what is already in `constants`, aligned; `bias` gives that of a channel.
void append_scale(PackedConstants& constants, std::int64_t channels, const OutputStage& stage,
                  const isa::Geometry& geometry, const std::function<std::int32_t(std::int64_t)>& bias);

/// The word of `shifts` that `scale` reads: left in bits 4:0, right in bits 12:8.
std::int32_t shift_word(const Multiplier& multiplier);

/// As int32 arithmetic leaves it.
std::int32_t wrap32(std::int64_t value);
/// Blocks of `lanes` lanes of a tensor in DRAM.
std::int64_t blocks_of(std::int64_t channels, std::int64_t lanes, const isa::Geometry& geometry);

// Notes for people on the cost of weights with a zero point.
inline constexpr std::string_view kWideWeights = "weights with a zero point, as 32-bit numbers in DRAM";
inline constexpr std::string_view kCorrectedWeights =
    "weights with a zero point, in one pass with a correction of each tile";
/// Empty for one part.
std::string text_of_parts(std::int64_t parts);

// Constants of operators that others are made of.

/// Weights [part][out block][ky][kx][in block][N][K] and parameters [out block][3][N]. The input zero point
/// is folded into the bias. A weight zero point makes parts whose sum is weight - weight_zero
/// (conv_parts()). Groups must be 1 (without_groups()).
PackedConstants pack(const Conv2d& op, const isa::Geometry& geometry);
/// Weights [channel block][ky][kx][N], one byte each, to be widened; parameters as above. Channel
/// multiplier 1.
PackedConstants pack(const DepthwiseConv2d& op, const isa::Geometry& geometry);
/// Parameters of the three scales, [3][3][N]: a, b, sum.
PackedConstants pack(const Add& op, const isa::Geometry& geometry);

}  // namespace vdla::pipeline::device
