// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <onnx/onnx_pb.h>

#include "compiler/import/metadata.h"
#include "support/error.h"

namespace vdla::import {

namespace {

using google::protobuf::internal::WireFormatLite;

/// The properties of a model; the rest, which has all weights, is passed over. False where it is damaged.
bool read_properties(std::span<const std::byte> bytes,
                     std::vector<onnx::StringStringEntryProto>& properties) {
  constexpr std::uint32_t kProperty = WireFormatLite::MakeTag(onnx::ModelProto::kMetadataPropsFieldNumber,
                                                              WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
  if (bytes.size() >= std::size_t{1} << 31) return false;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  while (const std::uint32_t tag = in.ReadTag()) {
    if (tag != kProperty) {
      if (!WireFormatLite::SkipField(&in, tag)) return false;
    } else if (!WireFormatLite::ReadMessage(&in, &properties.emplace_back())) {
      return false;
    }
  }
  return in.ConsumedEntireMessage();
}

}  // namespace

Metadata onnx_metadata(std::span<const std::byte> bytes, const std::string& name) {
  const std::string where = "ONNX model '" + name + "': ";
  std::vector<onnx::StringStringEntryProto> properties;
  VDLA_CHECK_USER(read_properties(bytes, properties))
      << where << "its " << bytes.size() << " bytes do not parse as protobuf";
  std::vector<Field> fields;
  const std::string prefix = kOnnxPrefix;
  for (const auto& property : properties)
    if (property.key().starts_with(prefix))
      fields.push_back({property.key().substr(prefix.size()), property.value()});
  return {from_fields(fields, where + "metadata "), {}};
}

}  // namespace vdla::import
