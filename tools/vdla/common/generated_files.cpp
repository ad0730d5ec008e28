// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/common/generated_files.h"

#include <fmt/format.h>

#include "support/error.h"
#include "tools/data/files.h"
#include "tools/vdla/common/some_of.h"

namespace vdla::tools {

namespace fs = std::filesystem;

void refuse_files_of_others(const fs::path& folder, const std::vector<FolderFile>& files,
                            std::string_view mark) {
  constexpr std::size_t kBeginning = 1024, kNamed = 5;
  std::vector<std::string> others;
  for (const FolderFile& file : files) {
    const fs::path path = folder / file.name;
    std::error_code none;
    if (!fs::is_regular_file(path, none)) continue;
    const std::string there = read_text(path.string());
    if (there.substr(0, kBeginning).find(mark) != std::string::npos) return;
    if (there != file.content) others.push_back(path.string());
  }
  if (others.empty()) return;
  throw UserError(
      fmt::format("{}: would be written over, and nothing in folder {} says that this command made it; move "
                  "what is there, "
                  "or give another folder (-o)",
                  some_of(others, kNamed), folder.string()));
}

}  // namespace vdla::tools
