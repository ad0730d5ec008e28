// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_packed.h"

#include <algorithm>

#include "support/error.h"

namespace vdla::import {
namespace {

// Codes of element types that ONNX has since IR version 10.
constexpr int kUint4 = 21, kInt4 = 22;

void require_dequantised(const std::string& name, const onnx::GraphProto& g, const std::string& where) {
  for (const onnx::NodeProto& node : g.node()) {
    const bool reads = std::ranges::find(node.input(), name) != node.input().end();
    VDLA_CHECK_USER(!reads || node.op_type() == "DequantizeLinear")
        << where << "has integers of 4 bits and is read by " << node.op_type() << " '" << node.name()
        << "'; this kit reads them behind DequantizeLinear alone: convert the model with integers of 8 bits";
  }
  const auto is_output = [&](const onnx::ValueInfoProto& info) { return info.name() == name; };
  VDLA_CHECK_USER(std::ranges::none_of(g.output(), is_output))
      << where << "has integers of 4 bits and is an output, needs integers of 8 bits there";
}

}  // namespace

std::optional<onnx::TensorProto> unpacked(const onnx::TensorProto& constant, const onnx::GraphProto& g,
                                          const std::string& where) {
  const int type = constant.data_type();
  if (type != kUint4 && type != kInt4) return std::nullopt;
  require_dequantised(constant.name(), g, where);
  std::size_t count = 1;
  for (const std::int64_t extent : constant.dims()) {
    VDLA_CHECK_USER(extent >= 0 && extent < (1 << 28) && count < (std::size_t{1} << 32))
        << where << "has extent " << extent << " (corrupt)";
    count *= static_cast<std::size_t>(extent);
  }
  std::string packed = constant.raw_data();
  for (const std::int32_t both : constant.int32_data()) packed.push_back(static_cast<char>(both));
  VDLA_CHECK_USER(packed.size() == (count + 1) / 2)
      << where << "has " << packed.size() << " bytes, its shape needs " << (count + 1) / 2
      << " (truncated or corrupt)";
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto both = static_cast<unsigned char>(packed[i / 2]);
    const int half = i % 2 == 0 ? both & 15 : both >> 4;  // the first one has the low half
    bytes.push_back(static_cast<char>(type == kInt4 && half > 7 ? half - 16 : half));
  }
  onnx::TensorProto result = constant;
  result.clear_int32_data();
  result.set_data_type(type == kInt4 ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8);
  result.set_raw_data(bytes);
  return result;
}

}  // namespace vdla::import
