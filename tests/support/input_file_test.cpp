// SPDX-License-Identifier: Apache-2.0
// Files that do not end, do not fit or are none.
#include "support/input_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/error.h"

namespace vdla {
namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

class InputFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("vdla_input_file_" + std::to_string(getpid()));
};

TEST_F(InputFile, AllBytesAreRead) {
  const std::string text = std::string(200'000, 'a') + '\0' + "end";
  std::ofstream(folder_ / "f", std::ios::binary) << text;
  const auto bytes = read_input(folder_ / "f");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), text);
  std::ofstream(folder_ / "empty").flush();
  EXPECT_TRUE(read_input(folder_ / "empty").empty());
}

TEST_F(InputFile, ADeviceWithoutAnEndIsRefused) {
  EXPECT_THAT(
      [] { read_input("/dev/zero"); },
      ThrowsMessage<UserError>(StrEq("cannot read '/dev/zero': it gives more than 256 MiB and is no regular "
                                     "file; write what it gives to a file first")));
}

TEST_F(InputFile, AFileLargerThanMemoryIsRefusedWithItsSize) {
  std::ofstream(folder_ / "sparse").flush();
  std::filesystem::resize_file(folder_ / "sparse", std::uintmax_t{1} << 43);
  EXPECT_THAT([&] { read_input(folder_ / "sparse"); },
              ThrowsMessage<UserError>(HasSubstr("8796093022208 bytes")));
}

TEST_F(InputFile, FoldersAndMissingFilesAreNamed) {
  EXPECT_THAT([&] { read_input(folder_); },
              ThrowsMessage<UserError>(StrEq("cannot read '" + folder_.string() + "': it is a folder")));
  EXPECT_THAT([&] { read_input(folder_ / "none"); },
              ThrowsMessage<UserError>(HasSubstr("none': No such file or directory")));
}

}  // namespace
}  // namespace vdla
