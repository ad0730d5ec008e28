// SPDX-License-Identifier: Apache-2.0
#include "tools/data/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/readers/readers.h"
#include "tests/tools/expect_error.h"
#include "tools/data/files.h"

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

TEST(Npy, WhatIsWrittenIsAnArrayToOthers) {
  std::vector<std::string> files;
  nlohmann::json expected = nlohmann::json::array();
  for (const char* type :
       {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"})
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{}, {3}, {2, 3}, {0, 4}, std::vector<std::int64_t>(32, 1)}) {
      NpyArray array{type, shape, {}};
      array.bytes.resize(static_cast<std::size_t>(array.elements()) * array.item_bytes());
      files.push_back(temporary(std::to_string(files.size())));
      write_npy(files.back(), array);
      expected.push_back({{"type", type + 1}, {"shape", shape}});
    }
  EXPECT_EQ(nlohmann::json(readers::read_by_others("npy", files)), expected);
  for (const std::string& file : files) std::filesystem::remove(file);
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

/// A .npy file with this header.
std::vector<std::byte> file_of(const std::string& header, const std::string& data, char major = 1) {
  std::string text = "\x93NUMPY";
  text += {major, '\0', static_cast<char>(header.size()), '\0'};
  if (major > 1) text += std::string(2, '\0');
  text += header + data;
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

TEST(Npy, HeadersOfPython2AndOfBigEndianMachinesAreRead) {
  const NpyArray a = parse_npy(file_of("{'descr': '>i2', 'fortran_order': False, 'shape': (2L, 1L), }\n",
                                       std::string("\1\0\xff\xfe", 4)),
                               "a");
  EXPECT_EQ(a.type, "<i2");
  EXPECT_EQ(a.shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(to_real(a), (std::vector<double>{256, -2}));
  const NpyArray b =
      parse_npy(file_of("{u'descr':u'|u1',\"shape\":(3,), 'fortran_order':False}", "abc", 3), "b");
  EXPECT_EQ(to_real(b), (std::vector<double>{97, 98, 99}));
  const NpyArray c =
      parse_npy(file_of("{'descr': '<f2', 'fortran_order': False, 'shape': (), }", "\x01\xc0"), "c");
  EXPECT_EQ(to_real(c), (std::vector<double>{-2.001953125}));
}

TEST(Npy, HeadersThatSayNothingThatIsReadAreRefusedByName) {
  const auto refused = [](const std::string& header, const std::vector<std::string>& pieces) {
    expect_user_error([&] { parse_npy(file_of(header, "abcd"), "x.npy"); }, pieces);
  };
  const std::string end = ", 'fortran_order': False, 'shape': (1,)}";
  refused("{'descr': [('a', '<f4')]" + end, {"x.npy: structured"});
  refused("{'descr': '<U1'" + end, {"type '<U1' is not supported"});
  refused("{'descr': '|f4'" + end, {"type '|f4' is not supported"});
  refused("{'descr': '<c8'" + end, {"type '<c8' is not supported"});
  refused("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", {"Fortran order", "ascontiguousarray"});
  refused("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", {"neither True nor False"});
  refused("{'descr': '<f4', 'fortran_order': False}", {"has no 'shape'"});
  refused("{'descr': '<f4', 'shape': ", {"has no value of 'shape'"});
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", {"no list of extents"});
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': 1}", {"needs '('"});
  refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}", {"needs ')'"});
  refused("{'descr': '<f4'" + end + " x", {"text after its dictionary"});
  refused("{'descr': '<f4', 'order': 1" + end, {"has 'order'"});
}

/// Two arrays saved one after the other: the second was left out without a word.
TEST(Npy, BytesBehindTheArrayAreRefused) {
  expect_user_error(
      [] { parse_npy(file_of("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "abc"), "x.npy"); },
      {"x.npy: has 3 bytes of data, its shape needs 2"});
}

TEST(Npy, UnwritablePlaceIsAnError) {
  expect_user_error([] { write_npy("/nonexistent/x.npy", example()); },
                    {"/nonexistent/x.npy", "cannot be written"});
}

}  // namespace
}  // namespace vdla::tools
