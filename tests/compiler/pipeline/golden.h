// SPDX-License-Identifier: Apache-2.0
// Readers of the recorded inputs and outputs that the network tests compare with.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/graph/types.h"

namespace vdla::testing {

/// Image `index` of CIFAR-10's binary layout (label byte, then 1024 R, G, B) as int8 NHWC, pixel - 128.
inline graph::Bytes cifar_image(const std::filesystem::path& file, int index) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(3073L * index + 1);
  std::vector<char> planes(3072);
  in.read(planes.data(), 3072);
  graph::Bytes image(3072);
  for (std::size_t p = 0; p < 1024; ++p)
    for (std::size_t c = 0; c < 3; ++c)
      image[3 * p + c] = static_cast<std::byte>(planes[1024 * c + p]) ^ std::byte{0x80};
  return image;
}

/// Rows of "name,v0,v1,...".
inline std::vector<graph::Bytes> csv_rows(const std::filesystem::path& file) {
  std::vector<graph::Bytes> rows;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string field;
    std::getline(fields, field, ',');
    rows.emplace_back();
    while (std::getline(fields, field, ',')) rows.back().push_back(static_cast<std::byte>(std::stoi(field)));
  }
  return rows;
}

}  // namespace vdla::testing
