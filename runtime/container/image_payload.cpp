// SPDX-License-Identifier: Apache-2.0
#include "runtime/container/image_payload.h"

#include <sstream>

#include "support/error.h"

namespace vdla::runtime {
namespace {

Bytes to_bytes(const std::vector<std::string>& lines) {
  Bytes bytes;
  for (const std::string& line : lines) {
    VDLA_CHECK(line.find('\n') == std::string::npos) << "'" << line << "' is more than a line";
    for (const char c : line + "\n") bytes.push_back(static_cast<std::byte>(c));
  }
  return bytes;
}

std::vector<std::string> to_lines(std::span<const std::byte> bytes) {
  std::istringstream text(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::optional<Bytes> encode_preprocessing(const Module& module) {
  if (module.preprocessing.empty()) return std::nullopt;
  std::vector<std::string> lines;
  for (const Field& field : to_fields(module.preprocessing)) lines.push_back(field.name + "=" + field.value);
  return to_bytes(lines);
}

void decode_preprocessing(std::span<const std::byte> bytes, const std::string& name, Module& module) {
  const std::string where = "'" + name + "', section 'preprocessing': ";
  std::vector<Field> fields;
  for (const std::string& line : to_lines(bytes)) {
    const auto equals = line.find('=');
    VDLA_CHECK_USER(equals != std::string::npos) << where << "'" << line << "' is not FIELD=VALUE";
    fields.push_back({line.substr(0, equals), line.substr(equals + 1)});
  }
  module.preprocessing = from_fields(fields, where);
}

std::optional<Bytes> encode_class_names(const Module& module) {
  if (module.class_names.empty()) return std::nullopt;
  return to_bytes(module.class_names);
}

void decode_class_names(std::span<const std::byte> bytes, const std::string&, Module& module) {
  module.class_names = to_lines(bytes);
}

}  // namespace vdla::runtime
