// SPDX-License-Identifier: Apache-2.0
#include "support/path.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "support/error.h"
#include "tests/support/another_user.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Path : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("vdla_path_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "b");
    std::ofstream(folder_ / "a") << "four";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(Path, WhatIsThereIsSaid) {
  EXPECT_TRUE(is_there(folder_ / "a") && is_file(folder_ / "a") && !is_folder(folder_ / "a"));
  EXPECT_TRUE(is_there(folder_ / "b") && !is_file(folder_ / "b") && is_folder(folder_ / "b"));
  EXPECT_FALSE(is_there(folder_ / "c") || is_there(folder_ / "a/below a file"));
  EXPECT_EQ(bytes_of_file(folder_ / "a"), 4u);
  EXPECT_THAT(entries_of(folder_), ElementsAre(folder_ / "a", folder_ / "b"));
  EXPECT_THAT(entries_or_none(folder_ / "c"), ElementsAre());
}

TEST_F(Path, ANameThatIsTooLongIsNothings) {
  const fs::path name = folder_ / std::string(300, 'a');
  EXPECT_FALSE(is_there(name) || is_file(name) || is_folder(name));
}

TEST_F(Path, AClosedFolderIsASentence) {
  fs::permissions(folder_, fs::perms::none);
  const fs::path inside = folder_ / "a";
  const std::string sentence = inside.string() + ": cannot be read: Permission denied";
  EXPECT_EQ(said_by_another([&] { is_there(inside); }), sentence);
  EXPECT_EQ(said_by_another([&] { is_folder(inside); }), sentence);
  EXPECT_EQ(said_by_another([&] { bytes_of_file(inside); }), sentence);
  EXPECT_EQ(said_by_another([&] { time_written(inside); }), sentence);
  EXPECT_EQ(said_by_another([&] { without_links(inside); }), sentence);
  EXPECT_EQ(said_by_another([&] { entries_of(folder_); }),
            folder_.string() + ": cannot be read: Permission denied");
  fs::permissions(folder_, fs::perms::owner_all);
}

/// The folder above "new/" was "new" itself.
TEST_F(Path, WithoutLinksThereIsNoSlashAtTheEnd) {
  const fs::path folder = fs::canonical(folder_);
  for (const char* name : {"b", "new", "b/new"})
    for (const char* end : {"", "/", "//", "/."})
      EXPECT_EQ(without_links(folder_ / (std::string(name) + end)).native(), (folder / name).native());
  EXPECT_EQ(without_links("/"), "/");
}

TEST_F(Path, ARingOfLinksIsASentence) {
  fs::create_symlink(folder_ / "y", folder_ / "x");
  fs::create_symlink(folder_ / "x", folder_ / "y");
  try {
    is_file(folder_ / "x");
    ADD_FAILURE() << "no UserError";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("x: cannot be read: Too many levels of symbolic links"));
  }
}

}  // namespace
}  // namespace vdla
