// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/tools/expect_error.h"
#include "tools/vdla/files.h"

namespace vdla::tools {
namespace {

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("vdla_npy_test_" + std::to_string(getpid()) + name))
      .string();
}

NpyArray example() {
  NpyArray a{"<i2", {2, 3}, std::vector<std::byte>(12)};
  for (std::int16_t i = 0; i < 6; ++i) {
    const auto value = static_cast<std::int16_t>(i * 100 - 250);
    std::memcpy(a.bytes.data() + 2 * i, &value, 2);
  }
  return a;
}

TEST(Npy, WhatIsWrittenIsReadBack) {
  const std::string path = temporary("a.npy");
  write_npy(path, example());
  const NpyArray back = read_npy(path);
  EXPECT_EQ(back.type, "<i2");
  EXPECT_EQ(back.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(back.bytes, example().bytes);
  EXPECT_EQ(to_real(back), (std::vector<double>{-250, -150, -50, 50, 150, 250}));
  std::filesystem::remove(path);
}

TEST(Npy, TruncatedAtEveryByteIsAnErrorThatNamesTheFile) {
  const std::string path = temporary("b.npy");
  write_npy(path, example());
  const auto whole = read_file(path);
  for (std::size_t n = 0; n < whole.size(); ++n)
    expect_user_error(
        [&] { parse_npy({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)}, "b.npy"); },
        {"b.npy"});
  std::filesystem::remove(path);
}

TEST(Npy, AnArrayOfMoreDimensionsThanNumPyHasIsAnError) {
  const std::string path = temporary("c.npy");
  write_npy(path, {"|u1", std::vector<std::int64_t>(65, 1), std::vector<std::byte>(1)});
  expect_user_error([&] { read_npy(path); }, {path, "has 65 dimensions, needs at most 64"});
  std::filesystem::remove(path);
}

TEST(Npy, UnwritablePlaceIsAnError) {
  expect_user_error([] { write_npy("/nonexistent/x.npy", example()); },
                    {"/nonexistent/x.npy", "cannot be written"});
}

}  // namespace
}  // namespace vdla::tools
