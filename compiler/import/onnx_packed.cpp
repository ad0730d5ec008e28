// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_packed.h"

#include "compiler/import/onnx_constant.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::import {

graph::Bytes unpacked_bytes(const onnx::TensorProto& tensor, int bits, bool is_signed,
                            const std::string& where) {
  VDLA_CHECK_USER(tensor.data_location() != onnx::TensorProto::EXTERNAL)
      << where
      << "lies in another file, and the model was read without its folder; needs a model in one file";
  const auto count = static_cast<std::size_t>(constant_count(tensor, where));
  std::string packed = tensor.raw_data();
  for (const std::int32_t several : tensor.int32_data()) packed.push_back(static_cast<char>(several));
  const std::size_t each = 8 / static_cast<std::size_t>(bits);
  const auto needed = static_cast<std::size_t>(ceil_div(count, each));
  VDLA_CHECK_USER(packed.size() == needed) << where << "has " << packed.size() << " bytes, its shape needs "
                                           << needed << " (truncated or corrupt)";
  graph::Bytes result;
  for (std::size_t i = 0; i < count; ++i) {  // the first element has the lowest bits
    const int place = static_cast<int>(i % each) * bits;
    int element = static_cast<unsigned char>(packed[i / each]) >> place & ((1 << bits) - 1);
    if (is_signed && element >= 1 << (bits - 1)) element -= 1 << bits;
    result.push_back(static_cast<std::byte>(element));
  }
  return result;
}

}  // namespace vdla::import
