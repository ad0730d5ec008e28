// SPDX-License-Identifier: Apache-2.0
#include <onnx/onnx_pb.h>

#include "compiler/import/metadata.h"
#include "support/error.h"

namespace vdla::import {

Metadata onnx_metadata(std::span<const std::byte> bytes, const std::string& name) {
  onnx::ModelProto model;
  const std::string where = "ONNX model '" + name + "': ";
  VDLA_CHECK_USER(bytes.size() < (std::size_t{1} << 31) &&
                  model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      << where << "its " << bytes.size() << " bytes do not parse as protobuf";
  std::vector<Field> fields;
  const std::string prefix = kOnnxPrefix;
  for (const auto& property : model.metadata_props())
    if (property.key().starts_with(prefix))
      fields.push_back({property.key().substr(prefix.size()), property.value()});
  return {from_fields(fields, where + "metadata "), {}};
}

}  // namespace vdla::import
