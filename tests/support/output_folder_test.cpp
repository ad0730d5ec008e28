// SPDX-License-Identifier: Apache-2.0
#include "support/output_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "support/error.h"
#include "support/path.h"
#include "tests/support/another_user.h"
#include "tests/support/reachable_folder.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class OutputFolder : public testing::Test {
 protected:
  void SetUp() override {
    root_ = reachable_folder() / ("vdla_output_folder_" + std::to_string(getpid()));
    fs::create_directories(root_);
    out_ = root_ / "out";
  }
  void TearDown() override { fs::remove_all(root_); }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Folder `out` as run `text` makes it.
  void write(const std::string& text) const {
    write_folder(out_, {{"a", text}, {"sub/b", text}, {"c", text}}, {});
  }
  /// A first run's folder, which all users may write.
  void write_for_all() const {
    write("1");
    for (const char* name : {"", "a", "c", "sub", "sub/b"}) chmod((out_ / name).c_str(), 0777);
  }

  /// Writes in a process of its own, which an exception ends without the parent's clean-up.
  [[noreturn]] void write_until_killed(int run) const {
    try {
      for (int i = 0;; ++i) write(std::to_string(run) + "." + std::to_string(i));
    } catch (...) {
      _exit(1);
    }
  }

  fs::path root_, out_;
};

TEST_F(OutputFolder, IsMadeWithThoseAboveIt) {
  out_ = root_ / "x/y/out";
  write("1");
  EXPECT_EQ(text_of(out_ / "sub/b"), "1");
  EXPECT_THAT(entries_of(root_ / "x/y"), ElementsAre(out_)) << "nothing is left beside it";
}

/// "out/: cannot be written: Directory not empty", and an empty folder was left.
TEST_F(OutputFolder, ASlashAtTheEndOfANewFolderIsNoOtherFolder) {
  const fs::path folder = out_;
  out_ += "/";
  write("1");
  write("2");
  EXPECT_EQ(text_of(folder / "sub/b"), "2");
  EXPECT_THAT(entries_of(root_), ElementsAre(folder));
}

TEST_F(OutputFolder, AFolderInOneThatIsClosedToThisUserIsWrittenInto) {
  write_for_all();
  chmod(root_.c_str(), 0555);
  EXPECT_EQ(said_by_another([&] { write("2"); }), "");
  chmod(root_.c_str(), 0755);
  EXPECT_EQ(text_of(out_ / "a"), "2");
  EXPECT_EQ(text_of(out_ / "sub/b"), "2");
}

/// One folder of root's below the output folder, and nothing could be written.
TEST_F(OutputFolder, AFolderBelowThatCannotBeReadStays) {
  write_for_all();
  fs::create_directory(out_ / "closed");
  chmod((out_ / "closed").c_str(), 0);
  chmod(root_.c_str(), 0777);
  EXPECT_EQ(said_by_another([&] { write("2"); }), "");
  chmod((out_ / "closed").c_str(), 0755);
  EXPECT_EQ(text_of(out_ / "sub/b"), "2");
  EXPECT_THAT(entries_of(root_), ElementsAre(out_));
}

TEST_F(OutputFolder, OnesThatAreEmptyGoWithAnException) {
  const auto fails_in = [&](const char* folder, bool with_file) {
    const NewFolder made(root_ / folder);
    if (with_file) std::ofstream(root_ / folder / "file") << "x";
    throw UserError("later");
  };
  EXPECT_THROW(fails_in("x/y/z", false), UserError);
  EXPECT_THAT(entries_of(root_), IsEmpty());
  EXPECT_THROW(fails_in("x/y", true), UserError);
  EXPECT_THROW(fails_in("x/z", false), UserError);
  EXPECT_THAT(entries_of(root_ / "x"), ElementsAre(root_ / "x/y")) << "only what the failed one made";
  EXPECT_THROW(fails_in("x", false), UserError);
  EXPECT_TRUE(fs::exists(root_ / "x/y/file"));
  {
    const NewFolder made(root_ / "stays");
  }
  EXPECT_TRUE(fs::exists(root_ / "stays"));
}

TEST_F(OutputFolder, KeepsTheFilesOfOthersAndTheirLinks) {
  write("1");
  fs::create_directories(out_ / "mine/deep");
  std::ofstream(out_ / "mine/deep/file") << "of the user";
  fs::create_symlink("deep/file", out_ / "mine/link");
  std::ofstream(out_ / "gone") << "of an earlier run";
  chmod(out_.c_str(), 0750);
  EXPECT_THAT(write_folder(out_, {{"a", "2"}, {"run.sh", "2", true}}, {"gone", "never"}),
              ElementsAre("gone"));
  EXPECT_EQ(text_of(out_ / "a"), "2");
  EXPECT_EQ(text_of(out_ / "c"), "1") << "no file of this run";
  EXPECT_EQ(text_of(out_ / "mine/link"), "of the user");
  EXPECT_TRUE(fs::is_symlink(out_ / "mine/link"));
  EXPECT_FALSE(fs::exists(out_ / "gone"));
  struct stat folder{}, script{};
  ASSERT_EQ(stat(out_.c_str(), &folder), 0);
  ASSERT_EQ(stat((out_ / "run.sh").c_str(), &script), 0);
  EXPECT_EQ(folder.st_mode & 0777, 0750u);
  EXPECT_NE(script.st_mode & S_IXUSR, 0u);
  EXPECT_THAT(entries_of(root_), ElementsAre(out_));
}

TEST_F(OutputFolder, ALinkLeadsToTheFolder) {
  write("1");
  fs::create_symlink("out", root_ / "link");
  write_folder(root_ / "link", {{"a", "2"}}, {});
  EXPECT_EQ(text_of(out_ / "a"), "2");
  EXPECT_TRUE(fs::is_symlink(root_ / "link"));
}

TEST_F(OutputFolder, TheCurrentFolderStaysWhereItIs) {
  write("1");
  const fs::path before = fs::current_path();
  fs::current_path(out_ / "sub");
  struct stat there{}, now{};
  stat(out_.c_str(), &there);
  write("2");
  fs::current_path(before);
  stat(out_.c_str(), &now);
  EXPECT_EQ(there.st_ino, now.st_ino);
  EXPECT_EQ(text_of(out_ / "a"), "2");
}

TEST_F(OutputFolder, AFileIsNoFolder) {
  std::ofstream(out_) << "x";
  EXPECT_THROW(write("1"), UserError);
  EXPECT_EQ(text_of(out_), "x");
}

/// A killed run left the header of the new network beside the weights of the old one.
TEST_F(OutputFolder, AKilledRunLeavesFilesOfOneRun) {
  write("0");
  for (int run = 1; run <= 20; ++run) {
    const pid_t pid = fork();
    if (pid == 0) write_until_killed(run);
    usleep(static_cast<useconds_t>(500 + 700 * run));
    kill(pid, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the run ended by itself, with status " << WEXITSTATUS(status);
    const std::string a = text_of(out_ / "a");
    EXPECT_NE(a, "");
    EXPECT_EQ(text_of(out_ / "sub/b"), a);
    EXPECT_EQ(text_of(out_ / "c"), a);
  }
  write("last");
  EXPECT_THAT(entries_of(root_), ElementsAre(out_)) << "what killed runs left goes with the next one";
}

}  // namespace
}  // namespace vdla
