// SPDX-License-Identifier: Apache-2.0
// Operators of 8-bit integers that the device computes, found by drawn files.
#pragma once

#include <string>

namespace vdla::random_tflite {

/// The file tools/vdla/explain/device_forms.h.
std::string text_of_device_forms();

}  // namespace vdla::random_tflite
