// SPDX-License-Identifier: Apache-2.0
// TFLite files of operators of one or two inputs over tensors of one shape, whose names are given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/import/schema/tflite_generated.h"

namespace vdla::testing {

struct ChainTensor {
  std::string name;
  import::tflite::TensorType type = import::tflite::TensorType::FLOAT32;
  float scale = 0;  ///< 0: no quantisation
  std::int64_t zero_point = 0;
};

struct ChainOperator {
  int code = 0;
  std::vector<std::int32_t> inputs, outputs;
};

/// Tensors of extents 1x4; the first is the input, the last the output, unless others are named.
inline std::vector<std::byte> chain(const std::vector<ChainTensor>& tensors,
                                    const std::vector<ChainOperator>& operators,
                                    std::vector<std::int32_t> inputs = {0},
                                    std::vector<std::int32_t> outputs = {}) {
  namespace tflite = import::tflite;
  flatbuffers::FlatBufferBuilder b;
  const std::vector<std::int32_t> shape{1, 4};
  std::vector<flatbuffers::Offset<tflite::Tensor>> all;
  for (const ChainTensor& t : tensors) {
    const std::vector<float> scale{t.scale};
    const std::vector<std::int64_t> zero{t.zero_point};
    const auto q =
        t.scale == 0 ? 0 : tflite::CreateQuantizationParametersDirect(b, nullptr, nullptr, &scale, &zero);
    all.push_back(tflite::CreateTensorDirect(b, &shape, t.type, 0, t.name.c_str(), q));
  }
  std::vector<flatbuffers::Offset<tflite::Operator>> chain;
  std::vector<flatbuffers::Offset<tflite::OperatorCode>> codes;
  for (const ChainOperator& o : operators) {
    chain.push_back(
        tflite::CreateOperatorDirect(b, static_cast<unsigned>(codes.size()), &o.inputs, &o.outputs));
    codes.push_back(tflite::CreateOperatorCodeDirect(b, static_cast<std::int8_t>(std::min(o.code, 127)),
                                                     nullptr, 1, o.code));
  }
  if (outputs.empty()) outputs.push_back(static_cast<std::int32_t>(tensors.size()) - 1);
  const std::vector<flatbuffers::Offset<tflite::SubGraph>> graphs{
      tflite::CreateSubGraphDirect(b, &all, &inputs, &outputs, &chain)};
  const std::vector<flatbuffers::Offset<tflite::Buffer>> buffers{tflite::CreateBuffer(b)};
  b.Finish(tflite::CreateModelDirect(b, 3, &codes, &graphs, "", &buffers), "TFL3");
  const auto bytes = std::as_bytes(std::span(b.GetBufferPointer(), b.GetSize()));
  return {bytes.begin(), bytes.end()};
}

// Numbers of operators in the format.
constexpr int kNeg = 59, kAbs = 101, kRelu = 19, kUnique = 103, kRandomUniform = 148;

}  // namespace vdla::testing
