// SPDX-License-Identifier: Apache-2.0
// Operators of TFLite of which drawn files of 8-bit integers are layers of the device, and the kinds of these
// layers. Written by `random_tflite --device-forms tools/vdla/explain/device_forms.h`.
#pragma once

#include <string_view>

namespace vdla::tools {

struct DeviceForm {
  std::string_view op, layers;
};

inline constexpr DeviceForm kDeviceForms[] = {
    {"ABS", "lut"},
    {"ADD", "add"},
    {"AVERAGE_POOL_2D", "avg_pool2d"},
    {"BATCH_MATMUL", "batch_matmul"},
    {"BROADCAST_TO", "view"},
    {"CONCATENATION", "concat"},
    {"CONV_2D", "conv2d"},
    {"DEPTHWISE_CONV_2D", "depthwise_conv2d"},
    {"ELU", "lut"},
    {"FULLY_CONNECTED", "fully_connected"},
    {"GATHER", "gather"},
    {"LEAKY_RELU", "lut"},
    {"LOG", "lut"},
    {"MAXIMUM", "maximum"},
    {"MAX_POOL_2D", "max_pool2d"},
    {"MEAN", "mean"},
    {"MINIMUM", "minimum"},
    {"MIRROR_PAD", "gather"},
    {"MUL", "mul"},
    {"PACK", "concat"},
    {"PAD", "pad"},
    {"PADV2", "view"},
    {"PRELU", "add + mul + requantize"},
    {"PRELU", "maximum + mul + requantize"},
    {"PRELU", "minimum + mul + requantize"},
    {"QUANTIZE", "requantize"},
    {"RELU", "requantize"},
    {"RELU6", "requantize"},
    {"RELU_0_TO_1", "requantize"},
    {"RELU_N1_TO_1", "requantize"},
    {"RESIZE_BILINEAR", "bilinear"},
    {"RESIZE_NEAREST_NEIGHBOR", "gather"},
    {"REVERSE_V2", "view"},
    {"SLICE", "view"},
    {"SPLIT", "view"},
    {"SPLIT_V", "view"},
    {"SQRT", "lut"},
    {"STRIDED_SLICE", "view"},
    {"SUB", "add"},
    {"TILE", "view"},
    {"TRANSPOSE_CONV", "conv2d + view"},
    {"UNPACK", "view"},
};

}  // namespace vdla::tools
