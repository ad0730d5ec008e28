// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/device/layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "support/error.h"
#include "support/int8_summands.h"

namespace vdla::pipeline::device {
namespace {

std::int64_t blocks(std::int64_t channels, std::int64_t lanes, const isa::Geometry& g) {
  return padded_channels(channels, g) / lanes;
}

/// Appends parameters of one block; `bias` and `multiplier` give the numbers of a channel, lanes without one
/// get zeros.
class ParamWriter {
 public:
  ParamWriter(std::vector<std::uint8_t>& bytes, std::int64_t channels, std::int64_t lanes)
      : bytes_(bytes), channels_(channels), lanes_(lanes) {}

  template <class Value>
  void entry(std::int64_t block, const Value& value) {
    for (std::int64_t n = 0; n < lanes_; ++n) {
      const std::int64_t channel = block * lanes_ + n;
      word(channel < channels_ ? value(channel) : 0);
    }
  }

 private:
  void word(std::int32_t value) {
    const auto u = static_cast<std::uint32_t>(value);
    for (int i = 0; i < 4; ++i) bytes_.push_back(static_cast<std::uint8_t>(u >> (8 * i)));
  }

  std::vector<std::uint8_t>& bytes_;
  std::int64_t channels_, lanes_;
};

const Multiplier& multiplier_of(const OutputStage& stage, std::int64_t channel) {
  return stage.multiplier[stage.multiplier.size() == 1 ? 0 : static_cast<std::size_t>(channel)];
}

std::int32_t wrap32(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

/// Sections start at multiples of this.
constexpr std::size_t kSectionAlignment = 64;
void align(std::vector<std::uint8_t>& bytes) {
  bytes.resize((bytes.size() + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment);
}

/// [block][3][N] after what is already in `constants`.
template <class Bias>
void append_scale(PackedConstants& constants, std::int64_t channels, const OutputStage& stage,
                  const isa::Geometry& g, const Bias& bias) {
  align(constants.bytes);
  constants.params_offset = static_cast<std::int64_t>(constants.bytes.size());
  const std::int64_t lanes = g.block_out;
  ParamWriter writer(constants.bytes, channels, lanes);
  for (std::int64_t block = 0; block < blocks(channels, lanes, g); ++block) {
    writer.entry(block, bias);
    writer.entry(block, [&](std::int64_t c) { return multiplier_of(stage, c).value; });
    writer.entry(block, [&](std::int64_t c) { return shift_word(multiplier_of(stage, c)); });
  }
}

/// The summands of weight - weight_zero, each within int8.
std::int8_t part_of(std::int32_t weight, std::int32_t zero, std::int64_t part) {
  std::int32_t rest = weight - zero;
  for (; part > 0; --part) rest -= std::clamp(rest, -128, 127);
  return static_cast<std::int8_t>(std::clamp(rest, -128, 127));
}

}  // namespace

std::int64_t channel_block(const isa::Geometry& g) { return std::lcm(g.block_in, g.block_out); }

std::int64_t padded_channels(std::int64_t channels, const isa::Geometry& g) {
  const std::int64_t block = channel_block(g);
  return (channels + block - 1) / block * block;
}

bool groups_apart(const Conv2d& op, const isa::Geometry& g) {
  const std::int64_t block = channel_block(g);
  return op.groups > 1 && op.in.c / op.groups % block == 0 && op.out.c / op.groups % block == 0;
}

std::int64_t activation_bytes(const Image& image, const isa::Geometry& g) {
  return image.h * image.w * padded_channels(image.c, g);
}

std::vector<std::int8_t> to_device(std::span<const std::int8_t> dense, const Image& image,
                                   const isa::Geometry& g, std::int8_t fill) {
  VDLA_CHECK_USER(static_cast<std::int64_t>(dense.size()) == image.h * image.w * image.c)
      << "a dense tensor of " << dense.size() << " elements, needs " << image.h * image.w * image.c;
  const auto channels = static_cast<std::size_t>(image.c);
  const auto padded = static_cast<std::size_t>(padded_channels(image.c, g));
  std::vector<std::int8_t> data(static_cast<std::size_t>(activation_bytes(image, g)), fill);
  for (std::size_t pixel = 0; pixel < data.size() / padded; ++pixel) {
    std::memcpy(&data[pixel * padded], &dense[pixel * channels], channels);
  }
  return data;
}

std::vector<std::int8_t> from_device(std::span<const std::int8_t> data, const Image& image,
                                     const isa::Geometry& g) {
  VDLA_CHECK_USER(static_cast<std::int64_t>(data.size()) == activation_bytes(image, g))
      << "a device tensor of " << data.size() << " bytes, needs " << activation_bytes(image, g);
  const auto channels = static_cast<std::size_t>(image.c);
  const auto padded = static_cast<std::size_t>(padded_channels(image.c, g));
  std::vector<std::int8_t> dense(static_cast<std::size_t>(image.h * image.w * image.c));
  for (std::size_t pixel = 0; pixel < data.size() / padded; ++pixel) {
    std::memcpy(&dense[pixel * channels], &data[pixel * padded], channels);
  }
  return dense;
}

std::int32_t shift_word(const Multiplier& m) { return m.left() | m.right() << 8; }

std::int64_t conv_parts(const Conv2d& op) {
  const std::int64_t parts = int8_summands(op.weight_zero);
  if (parts < 3 || op.weights.empty()) return parts;
  return std::ranges::find(op.weights, std::int8_t{127}) == op.weights.end() ? 2 : 3;
}

PackedConstants pack(const Conv2d& op, const isa::Geometry& g) {
  VDLA_CHECK(op.groups == 1);
  const std::int64_t taps = op.window.kernel_h * op.window.kernel_w;
  const std::int64_t k_lanes = g.block_in, n_lanes = g.block_out;
  const std::int64_t in_blocks = blocks(op.in.c, k_lanes, g), out_blocks = blocks(op.out.c, n_lanes, g);
  const auto weight_at = [&](std::int64_t o, std::int64_t t, std::int64_t i) -> std::int32_t {
    return op.weights[static_cast<std::size_t>((o * taps + t) * op.in.c + i)];
  };

  PackedConstants constants;
  const std::int64_t parts = conv_parts(op), entry = n_lanes * k_lanes;
  constants.bytes.resize(static_cast<std::size_t>(parts * out_blocks * taps * in_blocks * entry));
  std::size_t at = 0;
  for (std::int64_t part = 0; part < parts; ++part) {
    for (std::int64_t ob = 0; ob < out_blocks; ++ob) {
      for (std::int64_t t = 0; t < taps; ++t) {
        for (std::int64_t ib = 0; ib < in_blocks; ++ib) {
          for (std::int64_t lane = 0; lane < entry; ++lane, ++at) {
            const std::int64_t o = ob * n_lanes + lane / k_lanes, i = ib * k_lanes + lane % k_lanes;
            if (o < op.out.c && i < op.in.c) {
              constants.bytes[at] =
                  static_cast<std::uint8_t>(part_of(weight_at(o, t, i), op.weight_zero, part));
            }
          }
        }
      }
    }
  }
  append_scale(constants, op.out.c, op.stage, g, [&](std::int64_t o) {
    std::int64_t sum = 0;
    for (std::int64_t j = 0; j < taps * op.in.c; ++j) {
      sum += op.weights[static_cast<std::size_t>(o * taps * op.in.c + j)] - op.weight_zero;
    }
    const std::int64_t bias = op.bias.empty() ? 0 : op.bias[static_cast<std::size_t>(o)];
    return wrap32(bias - op.input_zero * sum);
  });
  return constants;
}

PackedConstants pack(const DepthwiseConv2d& op, const isa::Geometry& g) {
  VDLA_CHECK(op.in.c == op.out.c);
  const std::int64_t taps = op.window.kernel_h * op.window.kernel_w, lanes = g.block_out;
  const auto weight_at = [&](std::int64_t t, std::int64_t c) {
    return op.weights[static_cast<std::size_t>(t * op.out.c + c)] - op.weight_zero;
  };
  PackedConstants constants;
  ParamWriter words(constants.bytes, op.out.c, lanes);
  for (std::int64_t block = 0; block < blocks(op.out.c, lanes, g); ++block) {
    for (std::int64_t t = 0; t < taps; ++t) {
      if (op.weight_zero != 0) {
        words.entry(block, [&](std::int64_t c) { return weight_at(t, c); });
        continue;
      }
      for (std::int64_t c = block * lanes; c < (block + 1) * lanes; ++c) {
        constants.bytes.push_back(static_cast<std::uint8_t>(c < op.out.c ? weight_at(t, c) : 0));
      }
    }
  }
  append_scale(constants, op.out.c, op.stage, g, [&](std::int64_t c) {
    std::int64_t sum = 0;
    for (std::int64_t t = 0; t < taps; ++t) sum += weight_at(t, c);
    const std::int64_t bias = op.bias.empty() ? 0 : op.bias[static_cast<std::size_t>(c)];
    return wrap32(bias - op.input_zero * sum);
  });
  return constants;
}

PackedConstants pack(const Add& op, const isa::Geometry& g) {
  const auto input = [&](const Multiplier& m) {
    const std::int32_t left = op.left_shift + m.left(), right = m.right();
    return left | right << 8;
  };
  PackedConstants constants;
  const std::int64_t lanes = g.block_out;
  ParamWriter writer(constants.bytes, lanes, lanes);  // the same numbers in every lane
  const auto triple = [&](std::int32_t bias, std::int32_t multiplier, std::int32_t shifts) {
    for (std::int32_t value : {bias, multiplier, shifts}) {
      writer.entry(0, [&](std::int64_t) { return value; });
    }
  };
  triple(-op.a_zero, op.a.value, input(op.a));
  triple(-op.b_zero, op.b.value, input(op.b));
  triple(0, op.stage.multiplier[0].value, shift_word(op.stage.multiplier[0]));
  return constants;
}

PackedConstants pack(const SumPool2d& op, const isa::Geometry& g) {
  PackedConstants constants;
  const std::int64_t taps = op.window.kernel_h * op.window.kernel_w;
  append_scale(constants, op.out.c, op.stage, g, [&](std::int64_t) { return wrap32(-taps * op.input_zero); });
  return constants;
}

PackedConstants pack(const Requantize& op, const isa::Geometry& g) {
  PackedConstants constants;
  append_scale(constants, op.image.c, op.stage, g, [&](std::int64_t) { return -op.input_zero; });
  return constants;
}

}  // namespace vdla::pipeline::device
