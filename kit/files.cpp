// SPDX-License-Identifier: Apache-2.0
#include "kit/files.h"

#include "support/error.h"
#include "support/input_file.h"
#include "support/path.h"

namespace vdla::kit {
namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
  const auto bytes = read_input(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && !is_folder(folder)) error = std::make_error_code(std::errc::not_a_directory);
  VDLA_CHECK_USER(!error) << "folder " << folder.string() << " cannot be made: " << error.message();
}

}  // namespace vdla::kit
