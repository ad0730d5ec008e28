// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/bundle/folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/tools/run_command.h"

namespace vdla::bundle {

namespace fs = std::filesystem;

Folder::Folder(const runtime::Module& module, const Options& options)
    : bundle_(vdla::bundle::bundle(module, options)) {
  std::string pattern = (fs::temp_directory_path() / "vdla_bundle_XXXXXX").string();
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  path_ = pattern;
  for (const File& file : bundle_.files) write(file.path, file.content);
}

Folder::~Folder() { fs::remove_all(path_); }

void Folder::write(const std::string& name, const std::string& text) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << text;
}

std::string Folder::sources() const {
  std::string sources, archives;
  for (const File& file : bundle_.files) {
    if (file.path.ends_with(".c")) sources += " " + file.path;
    if (file.path.ends_with(".a")) archives += " " + file.path;
  }
  return sources + archives;
}

std::string Folder::includes() const { return "-I. -Ivdla"; }

std::string Folder::run(const std::string& command) const {
  const auto result = vdla::testing::run_program("sh", "-c 'cd " + path_.string() + " && " + command + "'");
  EXPECT_EQ(result.status, 0) << command << "\n" << result.output;
  return result.output;
}

std::string no_compiler() {
  return vdla::testing::run_program(kCompiler, "--version").status == 0
             ? ""
             : std::string("needs ") + kCompiler + " (Debian package of that name)";
}

}  // namespace vdla::bundle
