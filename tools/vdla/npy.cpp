// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/npy.h"

#include <charconv>
#include <cstring>

#include "support/dimensions.h"
#include "support/error.h"
#include "support/file_kind.h"
#include "tools/vdla/files.h"

namespace vdla::tools {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr std::size_t kMagicBytes = 6;

/// The text of a key's value in the header's Python literal, from behind the colon.
std::string value_of(const std::string& header, const std::string& key, const std::string& path) {
  const auto at = header.find("'" + key + "'");
  VDLA_CHECK_USER(at != std::string::npos) << path << ": the .npy header has no '" << key << "'";
  const auto colon = header.find(':', at);
  VDLA_CHECK_USER(colon != std::string::npos) << path << ": the .npy header is broken after '" << key << "'";
  const auto value = header.find_first_not_of(' ', colon + 1);
  VDLA_CHECK_USER(value != std::string::npos) << path << ": the .npy header has no value of '" << key << "'";
  return header.substr(value);
}

std::vector<std::int64_t> parse_shape(const std::string& text, const std::string& path) {
  const auto close = text.find(')');
  VDLA_CHECK_USER(text.starts_with("(") && close != std::string::npos)
      << path << ": the .npy shape is broken";
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;
  for (std::size_t i = 1; i < close;) {
    if (text[i] == ' ' || text[i] == ',') {
      ++i;
      continue;
    }
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + close, extent);
    VDLA_CHECK_USER(error == std::errc() && extent >= 0) << path << ": the .npy shape is broken";
    VDLA_CHECK_USER(count == 0 || extent <= (std::int64_t{1} << 48) / count)
        << path << ": the .npy shape has more than 2^48 elements";
    count *= extent;
    shape.push_back(extent);
    i = static_cast<std::size_t>(end - text.data());
  }
  VDLA_CHECK_USER(shape.size() <= kMostDimensions)
      << path << ": the .npy array " << too_many_dimensions(shape.size());
  return shape;
}

template <class T>
void append_real(const NpyArray& a, std::vector<double>& out) {
  for (std::int64_t i = 0; i < a.elements(); ++i) {
    T value;
    std::memcpy(&value, a.bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    out.push_back(static_cast<double>(value));
  }
}

}  // namespace

std::int64_t NpyArray::elements() const {
  std::int64_t n = 1;
  for (auto extent : shape) n *= extent;
  return n;
}

unsigned NpyArray::item_bytes() const { return static_cast<unsigned>(type.back() - '0'); }

NpyArray parse_npy(const std::vector<std::byte>& file, const std::string& path) {
  const auto* data = reinterpret_cast<const unsigned char*>(file.data());
  VDLA_CHECK_USER(file.size() >= 10 && std::memcmp(data, kMagic, kMagicBytes) == 0)
      << path << ": not a .npy file, it " << wrong_kind(file_kind(file), "a NumPy array");
  const unsigned major = data[6];
  VDLA_CHECK_USER(major == 1 || major == 2) << path << ": .npy format version " << major << ", needs 1 or 2";
  const std::size_t begin = major == 1 ? 10 : 12;
  VDLA_CHECK_USER(file.size() >= begin) << path << ": truncated in the .npy header";
  std::size_t header_bytes = data[8] | data[9] << 8;
  if (major == 2) header_bytes |= std::size_t{data[10]} << 16 | std::size_t{data[11]} << 24;
  VDLA_CHECK_USER(file.size() - begin >= header_bytes) << path << ": truncated in the .npy header";
  const std::string header(reinterpret_cast<const char*>(data) + begin, header_bytes);

  NpyArray a;
  const std::string type = value_of(header, "descr", path);
  VDLA_CHECK_USER(type.size() > 4 && type[0] == '\'') << path << ": structured .npy types are not supported";
  a.type = type.substr(1, 3);
  const bool known = a.type == "|i1" || a.type == "|u1" || a.type == "<i2" || a.type == "<i4" ||
                     a.type == "<i8" || a.type == "<f4" || a.type == "<f8";
  VDLA_CHECK_USER(known) << path << ": .npy type '" << a.type
                         << "' is not supported, needs int8, uint8, int16, int32, int64, float32 or float64";
  VDLA_CHECK_USER(value_of(header, "fortran_order", path).starts_with("False"))
      << path << ": the array is in Fortran order, save it with numpy.ascontiguousarray";
  a.shape = parse_shape(value_of(header, "shape", path), path);
  const std::size_t need = static_cast<std::size_t>(a.elements()) * a.item_bytes();
  const std::size_t have = file.size() - begin - header_bytes;
  VDLA_CHECK_USER(have >= need) << path << ": truncated, has " << have << " bytes of data, needs " << need;
  const auto first = file.begin() + static_cast<std::ptrdiff_t>(begin + header_bytes);
  a.bytes.assign(first, first + static_cast<std::ptrdiff_t>(need));
  return a;
}

NpyArray read_npy(const std::string& path) { return parse_npy(read_file(path), path); }

void write_npy(const std::string& path, const NpyArray& a) {
  std::string shape = "(";
  for (auto extent : a.shape) shape += std::to_string(extent) + ",";
  std::string header = "{'descr': '" + a.type + "', 'fortran_order': False, 'shape': " + shape + "), }";
  const std::size_t total = (10 + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - 10 - 1, ' ');
  header += '\n';
  std::string file(kMagic, kMagicBytes);
  file += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  file += header;
  file.append(reinterpret_cast<const char*>(a.bytes.data()), a.bytes.size());
  write_file(path, file);
}

std::vector<double> to_real(const NpyArray& a) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(a.elements()));
  if (a.type == "|i1") append_real<std::int8_t>(a, out);
  if (a.type == "|u1") append_real<std::uint8_t>(a, out);
  if (a.type == "<i2") append_real<std::int16_t>(a, out);
  if (a.type == "<i4") append_real<std::int32_t>(a, out);
  if (a.type == "<i8") append_real<std::int64_t>(a, out);
  if (a.type == "<f4") append_real<float>(a, out);
  if (a.type == "<f8") append_real<double>(a, out);
  return out;
}

}  // namespace vdla::tools
