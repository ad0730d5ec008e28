// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/pack.h"

#include <fmt/format.h>

namespace vdla::pipeline::device {
namespace {

const Multiplier& multiplier_of(const OutputStage& stage, std::int64_t channel) {
  return stage.multiplier[stage.multiplier.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
}

/// Sections start at multiples of this.
constexpr std::size_t kSectionAlignment = 64;
void align(std::vector<std::uint8_t>& bytes) {
  bytes.resize((bytes.size() + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment);
}

}  // namespace

void ParamWriter::entry(std::int64_t block, const std::function<std::int32_t(std::int64_t)>& value) {
  for (std::int64_t n = 0; n < lanes_; ++n) {
    const std::int64_t channel = block * lanes_ + n;
    const auto word = static_cast<std::uint32_t>(channel < channels_ ? value(channel) : 0);
    for (int i = 0; i < 4; ++i) bytes_.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  }
}

std::int64_t blocks_of(std::int64_t channels, std::int64_t lanes, const isa::Geometry& g) {
  return padded_channels(channels, g) / lanes;
}

std::int32_t wrap32(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

std::string text_of_parts(std::int64_t parts) {
  return parts == 1
             ? ""
             : fmt::format("weights with a zero point, in {} passes of the array over int8 parts", parts);
}

std::int32_t shift_word(const Multiplier& m) { return m.left() | m.right() << 8; }

void append_scale(PackedConstants& constants, std::int64_t channels, const OutputStage& stage,
                  const isa::Geometry& g, const std::function<std::int32_t(std::int64_t)>& bias) {
  align(constants.bytes);
  constants.params_offset = static_cast<std::int64_t>(constants.bytes.size());
  const std::int64_t lanes = g.block_out;
  ParamWriter writer(constants.bytes, channels, lanes);
  for (std::int64_t block = 0; block < blocks_of(channels, lanes, g); ++block) {
    writer.entry(block, bias);
    writer.entry(block, [&](std::int64_t c) { return multiplier_of(stage, c).value; });
    writer.entry(block, [&](std::int64_t c) { return shift_word(multiplier_of(stage, c)); });
  }
}

}  // namespace vdla::pipeline::device
