// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: a dictionary as Python writes it. Private to npy.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vdla::tools {

struct NpyHeader {
  std::string type;  ///< as written: "<f4", ">i2"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;  ///< 2^48 elements at most
};

/// Parses a header. UserError begins with `path` and says what is missing or wrong.
NpyHeader parse_npy_header(std::string_view text, const std::string& path);

}  // namespace vdla::tools
