// SPDX-License-Identifier: Apache-2.0
#include "support/own_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "support/error.h"
#include "tests/support/reachable_folder.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OwnFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = vdla::reachable_folder() / ("vdla_own_file_" + std::to_string(getpid()));
    make_own_folder(folder_ / "cache");
    file_ = folder_ / "cache/library.so";
    std::ofstream(file_) << "code";
    chmod(file_.c_str(), 0644);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void mode(const fs::path& path, mode_t bits) const { ASSERT_EQ(chmod(path.c_str(), bits), 0); }

  fs::path folder_, file_;
};

TEST_F(OwnFile, OfThisUserAloneCounts) {
  EXPECT_EQ(others_may_have_written(file_), "");
  EXPECT_EQ(require_own(file_, "loaded"), fs::canonical(file_));
  EXPECT_EQ(others_may_have_written("/bin/sh"), "");
}

TEST_F(OwnFile, WhatOthersCanWriteDoesNot) {
  mode(file_, 0666);
  EXPECT_THAT(others_may_have_written(file_), HasSubstr("file '" + fs::canonical(file_).string() +
                                                        "' can be written by all users (mode 0666)"));
  mode(file_, 0644);
  mode(folder_ / "cache", 0777);
  EXPECT_THAT(others_may_have_written(file_), HasSubstr("cache' can be written by all users (mode 0777)"));
  mode(folder_ / "cache", 0755);
  mode(folder_, 0777);
  EXPECT_THAT(others_may_have_written(file_), HasSubstr("can be written by all users")) << "the folder above";
  EXPECT_THROW(require_own(file_, "loaded"), UserError);
}

TEST_F(OwnFile, AStickyOrAClosedFolderKeepsOthersOut) {
  mode(folder_, 01777);
  EXPECT_EQ(others_may_have_written(file_), "");
  mode(folder_, 0700);
  mode(folder_ / "cache", 0777);
  mode(file_, 0666);
  EXPECT_EQ(others_may_have_written(file_), "");
}

TEST_F(OwnFile, AFileOfAnotherUserDoesNot) {
  if (geteuid() != 0) GTEST_SKIP() << "gives files to another user, needs root";
  constexpr uid_t kOther = 65534;
  ASSERT_EQ(chown(file_.c_str(), kOther, kOther), 0);
  EXPECT_THAT(others_may_have_written(file_), HasSubstr("belongs to user 65534"));
  ASSERT_EQ(chown(file_.c_str(), 0, 0), 0);
  ASSERT_EQ(chown((folder_ / "cache").c_str(), kOther, kOther), 0);
  EXPECT_THAT(others_may_have_written(file_), HasSubstr("belongs to user 65534"));
}

TEST_F(OwnFile, ALinkLeadsToTheFileThatCounts) {
  fs::create_symlink(file_, folder_ / "link");
  EXPECT_EQ(require_own(folder_ / "link", "loaded"), fs::canonical(file_));
  mode(file_, 0666);
  EXPECT_THAT(others_may_have_written(folder_ / "link"), HasSubstr("library.so' can be written"));
  EXPECT_THAT(others_may_have_written(folder_ / "none"), HasSubstr("none' cannot be read"));
}

/// The path that was looked at was not the one that was returned.
TEST_F(OwnFile, ALinkThatChangesMeanwhileLeadsToNoOtherFile) {
  const fs::path open = folder_ / "cache/open.so", link = folder_ / "link";
  std::ofstream(open) << "code";
  mode(open, 0666);
  std::atomic<bool> done = false;
  std::thread changes([&] {
    while (!done)
      for (const fs::path& to : {file_, open}) {
        fs::create_symlink(to, folder_ / "next");
        fs::rename(folder_ / "next", link);
      }
  });
  while (!fs::exists(link)) std::this_thread::yield();
  int returned = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) {
    try {
      EXPECT_EQ(require_own(link, "loaded"), fs::canonical(file_));
      ++returned;
    } catch (const UserError&) {
      ++refused;
    }
  }
  done = true;
  changes.join();
  EXPECT_GT(returned, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(OwnFile, AFolderIsMadeClosedWhateverTheUmask) {
  const mode_t before = umask(0);
  make_own_folder(folder_ / "a/b");
  umask(before);
  struct stat status{};
  ASSERT_EQ(stat((folder_ / "a/b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0755u);
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THROW(make_own_folder(folder_ / "file/b"), UserError);
}

}  // namespace
}  // namespace vdla
