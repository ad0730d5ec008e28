// SPDX-License-Identifier: Apache-2.0
#include "kit/files.h"

#include "support/input_file.h"

namespace vdla::kit {
namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  const auto bytes = read_input(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace vdla::kit
