// SPDX-License-Identifier: Apache-2.0
// PoCL keeps what it compiles; the tests' go with them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/temporary.h"
#include "tests/part/part.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const vdla::Temporary cache(std::filesystem::temp_directory_path(), vdla::Temporary::Kind::Folder,
                              "compiled kernels");
  setenv("POCL_CACHE_DIR", cache.path().c_str(), 0);
  return vdla::part::run_part(VDLA_TEST_PARTS);
}
