// SPDX-License-Identifier: Apache-2.0
// Reads and writes NumPy's .npy files (format versions 1 and 2, C order, little-endian).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vdla::tools {

/// An array in C order; `type` is NumPy's: "|i1", "|u1", "<i2", "<i4", "<i8", "<f4", "<f8".
struct NpyArray {
  std::string type;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  std::int64_t elements() const;
  unsigned item_bytes() const;
};

/// Throws UserError naming file and cause: missing, not .npy, Fortran order, an unsupported type, truncated
/// data.
NpyArray read_npy(const std::string& path);
NpyArray parse_npy(const std::vector<std::byte>& file, const std::string& path);

/// Throws UserError when the file cannot be written; writes to a temporary name first, so that an old file
/// survives a failure.
void write_npy(const std::string& path, const NpyArray& array);

/// Values as real numbers, whatever the type.
std::vector<double> to_real(const NpyArray& array);

}  // namespace vdla::tools
