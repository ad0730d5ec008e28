// SPDX-License-Identifier: Apache-2.0
// Reads and writes NumPy's .npy files. Files of format versions 1 to 3 are read, in C order, of either byte
// order, also with headers that Python 2 wrote; written is version 1, little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vdla::tools {

/// An array in C order, in this machine's byte order. `type` is NumPy's: "|b1", "|i1", "|u1", "<i2", "<u2",
/// "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8".
struct NpyArray {
  std::string type;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  std::int64_t elements() const;
  unsigned item_bytes() const;
};

/// Returns the number of elements of an array of this shape.
std::size_t elements_of(const std::vector<std::int64_t>& shape);

/// Returns the bytes of an element of one of NumPy's types: 4 for "<f4".
unsigned item_bytes(const std::string& type);

/// Reads an array. UserError names file and cause: missing, not .npy, Fortran order, an unsupported type,
/// fewer or more bytes than the shape says.
NpyArray read_npy(const std::string& path);
NpyArray parse_npy(const std::vector<std::byte>& file, const std::string& path);

/// Content of a file with the array.
std::string npy_file(const NpyArray& array);

/// Throws UserError when the file cannot be written; writes to a temporary name first, so that an old file
/// survives a failure.
void write_npy(const std::string& path, const NpyArray& array);

/// Values as real numbers, whatever the type, which is one of NpyArray's.
std::vector<double> to_real(const std::string& type, std::span<const std::byte> bytes);
std::vector<double> to_real(const NpyArray& array);

/// Values of a type of integers, or of bool. UserError for one that has more than 63 bits, begun with
/// `where`.
std::vector<std::int64_t> to_integers(const std::string& type, std::span<const std::byte> bytes,
                                      const std::string& where);

}  // namespace vdla::tools
