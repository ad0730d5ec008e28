// SPDX-License-Identifier: Apache-2.0
// Keys as files.
#include "runtime/container/signature.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "support/error.h"

namespace vdla::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

class KeyFiles : public ::testing::Test {
 protected:
  KeyFiles() {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~KeyFiles() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      (std::string("vdla_keys_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(KeyFiles, RoundTrip) {
  const SecretKey key = make_key();
  const SecretKey again = read_secret_key(write("a.key", to_text(key)));
  EXPECT_TRUE(std::ranges::equal(again.bytes(), key.bytes()));
  EXPECT_EQ(read_public_key(write("a.pub", to_text(key.public_key()))), key.public_key());
  EXPECT_NE(make_key().public_key(), key.public_key());
}

TEST_F(KeyFiles, TheWrongHalf) {
  const SecretKey key = make_key();
  const std::string secret = write("a.key", to_text(key)), open = write("a.pub", to_text(key.public_key()));
  EXPECT_THAT([&] { read_public_key(secret); },
              ThrowsMessage<UserError>(
                  StrEq("'" + secret + "' is a secret key, needs a public key: NAME.pub of vdla keygen")));
  EXPECT_THAT([&] { read_secret_key(open); },
              ThrowsMessage<UserError>(
                  StrEq("'" + open + "' is a public key, needs a secret key: NAME.key of vdla keygen")));
}

TEST_F(KeyFiles, NoKey) {
  EXPECT_THAT([&] { read_public_key(write("a.txt", "hello\n")); },
              ThrowsMessage<UserError>(HasSubstr("a.txt' is no key; vdla keygen makes a pair")));
  EXPECT_THAT([&] { read_public_key(folder / "missing.pub"); },
              ThrowsMessage<UserError>(HasSubstr("missing.pub': No such file or directory")));
  EXPECT_THROW(read_public_key(folder), UserError);
  EXPECT_THROW(read_public_key("/dev/zero"), UserError);
}

TEST_F(KeyFiles, DamagedKeys) {
  std::string text = to_text(make_key());
  const auto base64 = text.find('\n') + 1;
  EXPECT_THAT(
      [&] { read_secret_key(write("short.key", text.substr(0, base64 + 20))); },
      ThrowsMessage<UserError>(HasSubstr("is damaged: its second line is not the base64 of 64 bytes")));
  text[base64 + 3] = text[base64 + 3] == 'A' ? 'B' : 'A';
  EXPECT_THAT([&] { read_secret_key(write("changed.key", text)); },
              ThrowsMessage<UserError>(HasSubstr("is damaged: its halves do not fit")));
}

TEST_F(KeyFiles, HashOfAFile) {
  EXPECT_EQ(to_string(hash_of_file(write("abc", "abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_THROW(hash_of_file(folder / "missing"), UserError);
  EXPECT_THROW(hash_of_file(folder), UserError);
}

}  // namespace
}  // namespace vdla::runtime
