// SPDX-License-Identifier: Apache-2.0
#include "tools/data/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "support/error.h"
#include "support/file_kind.h"
#include "support/float16.h"
#include "tools/data/files.h"
#include "tools/data/npy_header.h"

namespace vdla::tools {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr char kMagic[] = "\x93NUMPY";
constexpr std::size_t kMagicBytes = 6;

struct Half {
  std::uint16_t bits;
  explicit operator double() const { return half_value(bits); }
};

/// Elements of type T as numbers of type Number.
template <class Number, class T>
std::vector<Number> numbers(std::span<const std::byte> bytes) {
  std::vector<Number> out;
  out.reserve(bytes.size() / sizeof(T));
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    out.push_back(static_cast<Number>(value));
  }
  return out;
}

template <class Number>
using Numbers = std::vector<Number> (*)(std::span<const std::byte>);

/// A type that is read.
struct ItemType {
  std::string_view name;
  Numbers<double> to_real;
  Numbers<std::int64_t> to_integers;  ///< null: the type has others
};

template <class T>
constexpr ItemType integer_type(std::string_view name) {
  return {name, numbers<double, T>, numbers<std::int64_t, T>};
}

constexpr std::array kItemTypes{
    integer_type<std::uint8_t>("|b1"),
    integer_type<std::int8_t>("|i1"),
    integer_type<std::uint8_t>("|u1"),
    integer_type<std::int16_t>("<i2"),
    integer_type<std::uint16_t>("<u2"),
    integer_type<std::int32_t>("<i4"),
    integer_type<std::uint32_t>("<u4"),
    integer_type<std::int64_t>("<i8"),
    integer_type<std::uint64_t>("<u8"),
    ItemType{"<f2", numbers<double, Half>, nullptr},
    ItemType{"<f4", numbers<double, float>, nullptr},
    ItemType{"<f8", numbers<double, double>, nullptr},
};

/// Finds the row of a type as a file writes it, in any byte order; null: none.
const ItemType* item_type(std::string_view written) {
  if (written.size() != 3 || std::string_view("<>=|").find(written[0]) == std::string_view::npos)
    return nullptr;
  const auto* row = std::ranges::find(kItemTypes, written.substr(1),
                                      [](const ItemType& type) { return type.name.substr(1); });
  // '|' says that there is no order of bytes.
  const bool known = row != kItemTypes.end() && (written[0] != '|' || row->name[0] == '|');
  return known ? row : nullptr;
}

void swap_bytes(std::vector<std::byte>& bytes, unsigned size) {
  for (std::size_t at = 0; at + size <= bytes.size(); at += size)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
}

/// Sizes of what stands in front of the elements: magic number, version and length of the header, then the
/// header.
struct Preamble {
  std::size_t bytes, header_bytes;
};

Preamble preamble_of(const std::vector<std::byte>& file, const std::string& path) {
  const auto* data = reinterpret_cast<const unsigned char*>(file.data());
  VDLA_CHECK_USER(file.size() >= 10 && std::memcmp(data, kMagic, kMagicBytes) == 0)
      << path << ": not a .npy file, it " << wrong_kind(file_kind(file), "a NumPy array");
  const unsigned major = data[6];
  VDLA_CHECK_USER(major >= 1 && major <= 3) << path << ": .npy format version " << major << ", needs 1 to 3";
  Preamble p{major == 1 ? 10u : 12u, std::size_t{data[8]} | std::size_t{data[9]} << 8};
  VDLA_CHECK_USER(file.size() >= p.bytes) << path << ": truncated in the .npy header";
  if (major != 1) p.header_bytes |= std::size_t{data[10]} << 16 | std::size_t{data[11]} << 24;
  VDLA_CHECK_USER(file.size() - p.bytes >= p.header_bytes) << path << ": truncated in the .npy header";
  return p;
}

}  // namespace

std::size_t elements_of(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

std::int64_t NpyArray::elements() const { return static_cast<std::int64_t>(elements_of(shape)); }

unsigned NpyArray::item_bytes() const { return tools::item_bytes(type); }

unsigned item_bytes(const std::string& type) { return static_cast<unsigned>(type.back() - '0'); }

NpyArray parse_npy(const std::vector<std::byte>& file, const std::string& path) {
  const Preamble preamble = preamble_of(file, path);
  const NpyHeader header = parse_npy_header(
      {reinterpret_cast<const char*>(file.data()) + preamble.bytes, preamble.header_bytes}, path);
  const ItemType* type = item_type(header.type);
  VDLA_CHECK_USER(type != nullptr) << path << ": .npy type '" << header.type
                                   << "' is not supported, needs bool, int8 to int64, uint8 to uint64, or "
                                      "float16 to float64";
  VDLA_CHECK_USER(!header.fortran_order)
      << path << ": the array is in Fortran order, save it with numpy.ascontiguousarray";
  NpyArray a{std::string(type->name), header.shape, {}};
  const std::size_t begin = preamble.bytes + preamble.header_bytes;
  const std::size_t need = static_cast<std::size_t>(a.elements()) * a.item_bytes();
  const std::size_t have = file.size() - begin;
  VDLA_CHECK_USER(have >= need) << path << ": truncated, has " << have << " bytes of data, needs " << need;
  VDLA_CHECK_USER(have == need) << path << ": has " << have << " bytes of data, its shape needs " << need
                                << "; save one array to a file";
  a.bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(begin), file.end());
  if (header.type[0] == '>') swap_bytes(a.bytes, a.item_bytes());
  return a;
}

NpyArray read_npy(const std::string& path) { return parse_npy(read_file(path), path); }

std::string npy_file(const NpyArray& a) {
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
  return file;
}

void write_npy(const std::string& path, const NpyArray& array) { write_file(path, npy_file(array)); }

std::vector<double> to_real(const std::string& type, std::span<const std::byte> bytes) {
  const ItemType* row = item_type(type);
  VDLA_CHECK(row != nullptr) << "type '" << type << "'";
  return row->to_real(bytes);
}

std::vector<std::int64_t> to_integers(const std::string& type, std::span<const std::byte> bytes,
                                      const std::string& where) {
  const ItemType* row = item_type(type);
  VDLA_CHECK(row != nullptr && row->to_integers != nullptr) << "type '" << type << "'";
  std::vector<std::int64_t> values = row->to_integers(bytes);
  const bool unsigned_type = type[1] == 'u';
  for (const std::int64_t value : values)
    VDLA_CHECK_USER(!unsigned_type || value >= 0)
        << where << ": has value " << static_cast<std::uint64_t>(value) << ", needs integers below 2^63";
  return values;
}

std::vector<double> to_real(const NpyArray& a) { return to_real(a.type, a.bytes); }

}  // namespace vdla::tools
