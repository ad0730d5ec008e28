// SPDX-License-Identifier: Apache-2.0
#include "tools/data/whole_inputs.h"

#include <algorithm>

#include "support/error.h"

namespace vdla::tools {
namespace {

using Shape = std::vector<std::int64_t>;

/// Counts the inputs of shape `need` in an array of shape `seen`; 0: the array is none.
std::size_t count_of(const Shape& seen, const Shape& need) {
  if (seen == need) return 1;
  if (elements_of(need) == 0 || need.empty()) return 0;
  const Shape inner(need.begin() + 1, need.end());
  const std::int64_t rows = need.front();
  if (rows == 1 && seen == inner) return 1;
  if (seen.size() != need.size() || !std::equal(inner.begin(), inner.end(), seen.begin() + 1)) return 0;
  return rows > 0 && seen.front() % rows == 0 ? static_cast<std::size_t>(seen.front() / rows) : 0;
}

/// "2x3, or 4x3, 6x3 ... for several inputs"
std::string shapes_text(const Shape& need) {
  std::string text = shape_text(need);
  if (need.empty()) return text;
  Shape two = need, three = need;
  two.front() *= 2;
  three.front() *= 3;
  return text + ", or " + shape_text(two) + ", " + shape_text(three) + " ... for several inputs";
}

[[noreturn]] void refuse_shape(const FileValues& values, const InputNeed& need, const std::string& path) {
  const std::string seen = shape_text(*values.shape);
  const std::string input = ", input '" + need.name + "' needs ";
  if (!values.is_image) throw UserError(path + ": has shape " + seen + input + shapes_text(need.shape));
  throw UserError(path + ": is one image of " + seen + input + shape_text(need.shape) + "; put " +
                  std::to_string(need.shape.front()) + " images into one .npy array");
}

void require_type(const FileValues& values, const InputNeed& need, const std::string& path) {
  const bool real = values.type[1] == 'f' || need.type[1] == 'f';
  const bool of_steps = need.type == "|i1" || need.type == "|u1" || (need.type == "<i2" && need.has_scale);
  const bool converts = need.converts && (need.type[1] == 'f' || real == of_steps);
  VDLA_CHECK_USER(values.type == need.type || converts)
      << path << ": has type " << type_text(values.type) << ", input '" << need.name << "' needs "
      << type_text(need.type)
      << (!need.converts ? ""
          : of_steps     ? " or real values as float32"
                         : " or other integers");
}

}  // namespace

FileValues values_of(const NpyArray& array) { return {array.type, array.shape, array.bytes}; }

std::string shape_text(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

std::string type_text(const std::string& npy_type) {
  const std::string bits = std::to_string(8 * item_bytes(npy_type));
  switch (npy_type[1]) {
    case 'b':
      return "bool";
    case 'i':
      return "int" + bits;
    case 'u':
      return "uint" + bits;
    case 'f':
      return "float" + bits;
  }
  return npy_type;
}

std::vector<std::span<const std::byte>> whole_inputs(const FileValues& values, const InputNeed& need,
                                                     const std::string& path) {
  const std::size_t elements = elements_of(need.shape);
  if (!values.shape) {
    const std::size_t bytes = elements * item_bytes(need.type);
    VDLA_CHECK_USER(values.bytes.size() == bytes)
        << path << ": has " << values.bytes.size() << " bytes, input '" << need.name << "' needs " << bytes
        << " (" << type_text(need.type) << " " << shape_text(need.shape) << ")"
        << (need.other_form.empty() ? "" : ", or " + need.other_form);
    return {values.bytes};
  }
  const std::size_t count = count_of(*values.shape, need.shape);
  if (count == 0) refuse_shape(values, need, path);
  require_type(values, need, path);
  const std::size_t bytes = elements * item_bytes(values.type);
  VDLA_CHECK(values.bytes.size() == count * bytes)
      << path << ": " << values.bytes.size() << " bytes for " << count << " inputs of " << bytes;
  std::vector<std::span<const std::byte>> inputs;
  for (std::size_t i = 0; i < count; ++i) inputs.push_back(values.bytes.subspan(i * bytes, bytes));
  return inputs;
}

}  // namespace vdla::tools
