// SPDX-License-Identifier: Apache-2.0
// What stands under the name of an output, before, while and after it is written.
#include "support/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

#include "support/error.h"

namespace vdla {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class OutputFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "vdla_output_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string text_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_))
      found.push_back(entry.path().filename().string());
    std::ranges::sort(found);
    return found;
  }
  static struct stat status_of(const std::string& path) {
    struct stat status{};
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    return status;
  }

 private:
  fs::path folder_;
};

TEST_F(OutputFiles, AnUnfinishedOneLeavesTheOldOne) {
  put(path("a"), "old");
  {
    OutputFile file(path("a"));
    file.stream() << "new";
    EXPECT_EQ(text_of(path("a")), "old");
    EXPECT_EQ(names().size(), 2u);
  }
  EXPECT_EQ(text_of(path("a")), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
  write_output(path("a"), "new");
  EXPECT_EQ(text_of(path("a")), "new");
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

/// `-o /dev/null` as root was a rename over the device node.
TEST_F(OutputFiles, ADeviceNodeIsWrittenIntoAndNotReplaced) {
  if (mknod(path("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) GTEST_SKIP() << "mknod needs root";
  const int opened = open(path("null").c_str(), O_WRONLY);
  if (opened < 0) GTEST_SKIP() << "devices of the temporary folder cannot be opened (nodev)";
  close(opened);
  const struct stat before = status_of(path("null"));
  write_output(path("null"), std::string(200'000, 'x'));
  fs::create_symlink("null", path("link"));
  write_output(path("link"), "x");
  const struct stat after = status_of(path("null"));
  EXPECT_TRUE(S_ISCHR(after.st_mode));
  EXPECT_EQ(after.st_rdev, before.st_rdev);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(names(), (std::vector<std::string>{"link", "null"}));
}

TEST_F(OutputFiles, AFullDeviceIsAnErrorWithTheReason) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_THAT([] { write_output("/dev/full", "x"); },
              ThrowsMessage<UserError>("/dev/full: cannot be written: No space left on device"));
}

TEST_F(OutputFiles, AFifoIsWrittenInto) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  const std::string text(300'000, 'y');
  std::string got;
  std::thread reader([&] { got = text_of(path("fifo")); });
  write_output(path("fifo"), text);
  reader.join();
  EXPECT_EQ(got, text);
  EXPECT_TRUE(S_ISFIFO(status_of(path("fifo")).st_mode));
}

TEST_F(OutputFiles, ADescriptorIsWrittenWhereItStands) {
  const int opened = open(path("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ASSERT_EQ(write(opened, "first ", 6), 6);
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"})
    write_output(folder + std::to_string(opened), "more ");
  fs::create_symlink("/dev/fd/" + std::to_string(opened), path("link"));
  {
    // A name is enough for writers that take no stream.
    OutputFile file(path("link"));
    put(file.file().string(), "last");
    file.keep();
  }
  close(opened);
  EXPECT_EQ(text_of(path("log")), "first more more last");
  EXPECT_EQ(names(), (std::vector<std::string>{"link", "log"}));
}

TEST_F(OutputFiles, LinksAreFollowed) {
  fs::create_directory(path("folder"));
  put(path("folder/target"), "old");
  fs::create_symlink("folder/target", path("inner"));
  fs::create_symlink("inner", path("outer"));
  write_output(path("outer"), "new");
  EXPECT_EQ(text_of(path("folder/target")), "new");
  EXPECT_TRUE(fs::is_symlink(path("outer")));
  EXPECT_TRUE(fs::is_symlink(path("inner")));
  fs::create_symlink("folder/later", path("dangling"));
  write_output(path("dangling"), "made");
  EXPECT_EQ(text_of(path("folder/later")), "made");
  fs::create_symlink("circle", path("circle"));
  EXPECT_THAT(
      [&] { write_output(path("circle"), "x"); },
      ThrowsMessage<UserError>(HasSubstr("circle: cannot be written: Too many levels of symbolic links")));
}

TEST_F(OutputFiles, PermissionsStayAsTheyWere) {
  put(path("a"), "old");
  fs::permissions(path("a"), fs::perms(0640));
  write_output(path("a"), "new");
  EXPECT_EQ(status_of(path("a")).st_mode & 0777u, 0640u);
  fs::permissions(path("a"), fs::perms(0440));
  // Root may write it, so root becomes somebody else for that.
  fs::permissions(path("."), fs::perms(0777));
  EXPECT_EXIT(
      {
        constexpr uid_t kNobody = 65534;
        if (geteuid() == 0 && setuid(kNobody) != 0) std::exit(2);
        try {
          write_output(path("a"), "x");
        } catch (const UserError& e) {
          std::cerr << e.what();
          std::exit(0);
        }
        std::exit(1);
      },
      ::testing::ExitedWithCode(0), "/a: cannot be written: Permission denied");
}

TEST_F(OutputFiles, WhatCannotBeWrittenIsNamed) {
  EXPECT_THAT([&] { OutputFile(path("none/a")); },
              ThrowsMessage<UserError>(path("none/a") + ": cannot be written: No such file or directory"));
  fs::create_directory(path("folder"));
  EXPECT_THAT([&] { OutputFile(path("folder")); },
              ThrowsMessage<UserError>(path("folder") + ": cannot be written: is a folder"));
  EXPECT_THAT([] { OutputFile(""); }, testing::Throws<UserError>());
}

/// Both wrote X.part, and 14 of 15 pairs of runs mixed their contents.
TEST_F(OutputFiles, ConcurrentWritersNeverMix) {
  constexpr int kWriters = 4;
  const auto content = [](int writer) { return std::string(200'000, static_cast<char>('a' + writer)); };
  std::vector<pid_t> children;
  for (int writer = 0; writer < kWriters; ++writer) {
    const pid_t pid = fork();
    if (pid == 0) {
      for (int i = 0; i < 20; ++i) write_output(path("same"), content(writer));
      _exit(0);
    }
    children.push_back(pid);
  }
  for (int looked = 0; looked < 200; ++looked) {
    const std::string text = text_of(path("same"));
    if (text.empty()) continue;  // nobody was there yet
    ASSERT_EQ(text, content(text[0] - 'a'));
  }
  for (const pid_t pid : children) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(names(), std::vector<std::string>{"same"});
}

TEST_F(OutputFiles, WhatAKilledProcessLeftGoesWithTheNextOutput) {
  const pid_t pid = fork();
  if (pid == 0) {
    OutputFile file(path("a"));
    put(file.file().string() + ".hier", "beside it");
    const Temporary work(path(""), Temporary::Kind::Folder, "b");
    put((work.path() / "object").string(), "x");
    raise(SIGKILL);
  }
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(names().size(), 3u);
  put(path(".vdla-notes.part"), "a user's");
  put(path(".vdla-1-2.parts.txt"), "begins like one, which nobody else does");
  OutputFile living(path("c"));
  const std::string mine = living.file().filename().string();
  write_output(path("d"), "x");
  EXPECT_EQ(names(), (std::vector<std::string>{mine, ".vdla-notes.part", "d"}));
}

TEST_F(OutputFiles, AnInterruptRemovesWhatIsUnfinished) {
  put(path("a"), "old");
  const pid_t pid = fork();
  if (pid == 0) {
    OutputFile done(path("done")), file(path("a"));
    done.keep();
    const Temporary work(path(""), Temporary::Kind::Folder, "b");
    put((work.path() / "object").string(), "x");
    const auto said = interrupt();
    _exit(said == std::vector<std::string>{"removed the unfinished b", "removed the unfinished " + path("a")}
              ? 0
              : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "done"}));
  EXPECT_EQ(text_of(path("a")), "old");
}

}  // namespace
}  // namespace vdla
