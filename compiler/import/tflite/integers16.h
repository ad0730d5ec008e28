// SPDX-License-Identifier: Apache-2.0
// TFLite operators of 16-bit integers with scales ("int16x8": activations of 16 bits, weights of 8), bit for
// bit as TFLite Micro's reference kernels.
#pragma once

#include <span>
#include <string_view>

#include "compiler/import/tensor/integers16.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {

/// Input i, which must have 16 bits and a scale.
Value wide(const Operation& c, int i);
/// Name, clamp and scale of the output, with a fused activation.
tensor::Result16 result16(const Operation& c, Activation activation = Activation::NONE);
/// Refuses an input of another scale than the output's.
void require_same_scale16(const Operation& c, int i);

/// Multiplier of a factor for int32 elements of magnitudes up to `most`. UserError where its shift to the
/// left could pass int32: the reference wraps there.
graph::Multiplier multiplier16(const Operation& c, double factor, std::int64_t most);
/// Refuses such a multiplier.
void require_room(const Operation& c, const graph::Multiplier& m, std::int64_t most);

/// Multiplier of products of two tensors' steps in steps of `out`: the scales are multiplied in float32.
graph::Multiplier multiplier_of_product(const graph::Quantization& a, const graph::Quantization& b,
                                        double out);
/// Refuses sums beyond the type in which the reference adds them up.
void require_sums(const Operation& c, const tensor::Layer16& layer);
/// Refuses multipliers by which a layer's sums could pass int32.
void require_multipliers(const Operation& c, const tensor::Layer16& layer,
                         const std::vector<graph::Multiplier>& multipliers);

/// Whether a QUANTIZE reads or gives integers of 32 bits with a scale, which it scales as those of 16 bits.
bool quantises_int32(const Builder& builder, const OperatorRef& op);

struct Row16 {
  std::string_view name;
  void (*import)(const Operation&);
  bool zero_points = false;  ///< takes 16-bit tensors with a zero point
};

/// Layers and reductions.
std::span<const Row16> layers16();
/// Functions of elements.
std::span<const Row16> maps16();
/// Recurrent layers.
std::span<const Row16> recurrent16();

}  // namespace vdla::import::tflite
