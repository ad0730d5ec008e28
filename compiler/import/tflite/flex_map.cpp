// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/flex_map.h"

#include <flatbuffers/flexbuffers.h>

namespace vdla::import::tflite {

std::optional<FlexMap> FlexMap::read(std::span<const std::uint8_t> bytes) {
  FlexMap map({bytes.begin(), bytes.end()});
  if (!flexbuffers::VerifyBuffer(map.bytes_.data(), map.bytes_.size())) return std::nullopt;
  if (!flexbuffers::GetRoot(map.bytes_.data(), map.bytes_.size()).IsMap()) return std::nullopt;
  return map;
}

std::optional<double> FlexMap::number(const char* key) const {
  const flexbuffers::Reference value = flexbuffers::GetRoot(bytes_.data(), bytes_.size()).AsMap()[key];
  if (value.IsBool()) return value.AsBool() ? 1 : 0;
  if (!value.IsNumeric()) return std::nullopt;
  return value.AsDouble();
}

}  // namespace vdla::import::tflite
