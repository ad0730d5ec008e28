// SPDX-License-Identifier: Apache-2.0
#include "support/error.h"
#include "tools/data/npz.h"

namespace vdla::tools {
namespace {

constexpr const char* kMissing =
    "this kit was built without archives (.npz): name a folder, or install libzip-dev and build again";

}  // namespace

bool have_npz() { return false; }

std::vector<std::pair<std::string, std::string>> files_of_archive(const std::string& path) {
  throw UserError(path + ": " + kMissing);
}

std::string archive_of(const std::vector<std::pair<std::string, std::string>>&) { throw UserError(kMissing); }

}  // namespace vdla::tools
