// SPDX-License-Identifier: Apache-2.0
// Bit-serial convolution of numbers of a few bits, as in section 6.2 of the TVM paper: a number is split into
// its bits, bits of 32 channels share a word, and a product of sums becomes popcounts of words and'ed,
// shifted by the places of their bits. Two bits times one is 16 products in each 32-bit lane of a vector.
//
//   BitserialConv conv{.height = 56, .width = 56, .channels = 64, .out_channels = 64, .pad = 1};
//   Bitserial b = bitserial_conv2d(conv);
//   schedule::Schedule s = default_schedule(b);
//   lower::lower(s, {b.input, b.weights, b.output}, "conv");
#pragma once

#include <cstdint>

#include "compiler/schedule/schedule.h"

namespace vdla::lowbit {

/// Meaning of a weight's bits b0, b1, ...
enum class WeightCode : std::uint8_t {
  Unipolar,  ///< sum of b_i * 2^i: 0 or 1 for one bit
  Bipolar,   ///< sum of (2 * b_i - 1) * 2^i: -1 or 1 for one bit
};

/// Sizes in elements; images are NHWC. Activations are unsigned.
struct BitserialConv {
  std::int64_t batch = 1, height = 1, width = 1, channels = 1, out_channels = 1;
  std::int64_t kernel_h = 3, kernel_w = 3, stride = 1;
  std::int64_t pad = 0;  ///< zeros on each side
  int activation_bits = 2, weight_bits = 1;
  WeightCode weight_code = WeightCode::Bipolar;

  std::int64_t out_height() const { return (height + 2 * pad - kernel_h) / stride + 1; }
  std::int64_t out_width() const { return (width + 2 * pad - kernel_w) / stride + 1; }
  /// Words that hold one bit of all channels.
  std::int64_t words() const { return (channels + 31) / 32; }
};

struct Bitserial {
  expr::Tensor input;    ///< U8 [batch, height, width, channels], each below 2^activation_bits
  expr::Tensor weights;  ///< U32 [kernel_h, kernel_w, words, weight_bits, out_channels], see pack_weights()
  expr::Tensor planes;   ///< bits of the padded input as far as it is read: U32 [batch, rows, columns, words,
                         ///< activation_bits]
  expr::Tensor window;   ///< sum of the activations under the kernel; undefined for unipolar weights
  expr::Tensor products;  ///< products of activations and the weights' bits
  expr::Tensor output;    ///< I32 [batch, out_height, out_width, out_channels]
};

/// Throws UserError for sizes that are not positive, a kernel larger than the padded image, more bits than 8,
/// and sums that may leave an I32.
Bitserial bitserial_conv2d(const BitserialConv& conv);

struct PackedWeights {
  expr::Tensor plain;   ///< U8 [out_channels, kernel_h, kernel_w, channels], each below 2^weight_bits
  expr::Tensor packed;  ///< as Bitserial::weights
};
/// Brings weights into the form that the convolution reads; once for a network.
PackedWeights pack_weights(const BitserialConv& conv);

/// Rows of the output in parallel, several pixels and 16 channels of them in registers.
schedule::Schedule default_schedule(const Bitserial& tensors);

}  // namespace vdla::lowbit
