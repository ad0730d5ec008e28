// SPDX-License-Identifier: Apache-2.0
// Where the shared data lies: the folder in environment variable VDLA_DATA, which only tests read.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace vdla::testing {

inline std::filesystem::path data_folder() {
  const char* folder = std::getenv("VDLA_DATA");
  return folder ? folder : "";
}

}  // namespace vdla::testing

/// Skips the test by name where the data is not there.
#define VDLA_NEED_DATA()                      \
  if (::vdla::testing::data_folder().empty()) \
  GTEST_SKIP() << "set VDLA_DATA to the folder of shared models and vectors"
