// SPDX-License-Identifier: Apache-2.0
#include "tools/data/input.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>

#include "tests/tools/expect_error.h"
#include "tools/data/files.h"
#include "tools/data/npy.h"
#include "tools/data/whole_inputs.h"

namespace vdla::tools {
namespace {

class InputTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("vdla_input_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  InputSpec cifar_{"image", runtime::DataType::Int8, {1, 32, 32, 3}, false, 1.0, -128};
  std::filesystem::path folder_;
};

TEST_F(InputTest, CifarRecordsBecomeHwcWithLabels) {
  std::string file(2 * 3073, '\0');
  file[0] = 7;
  file[1 + 1024 * 1 + 5] = static_cast<char>(200);  // green of pixel 5
  file[3073] = 3;
  write_file(path("c.bin"), file);
  const auto samples = load_samples(path("c.bin"), cifar_, {});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].label, 7);
  EXPECT_EQ(samples[1].label, 3);
  EXPECT_EQ(static_cast<std::int8_t>(samples[0].bytes[5 * 3 + 1]), 200 - 128);
  EXPECT_EQ(static_cast<std::int8_t>(samples[0].bytes[5 * 3]), -128);
}

TEST_F(InputTest, ChannelsFirstAndBgrMovePixels) {
  std::string file(3073, '\0');
  file[1 + 0] = 10;         // red of pixel 0
  file[1 + 2048 + 1] = 20;  // blue of pixel 1
  write_file(path("c.bin"), file);
  InputSpec spec = cifar_;
  spec.shape = {1, 3, 32, 32};
  spec.channels_first = true;
  Preprocessing options;
  options.bgr = true;
  const auto s = load_samples(path("c.bin"), spec, options);
  EXPECT_EQ(static_cast<std::int8_t>(s[0].bytes[2 * 1024 + 0]), 10 - 128);
  EXPECT_EQ(static_cast<std::int8_t>(s[0].bytes[0 * 1024 + 1]), 20 - 128);
}

TEST_F(InputTest, RawBytesAreTakenAsTheyAre) {
  InputSpec spec{"mfcc", runtime::DataType::Int8, {1, 5}, false, 0.5, 83};
  write_file(path("raw.bin"), "\x01\x02\x03\x04\x80");
  const auto s = load_samples(path("raw.bin"), spec, {});
  EXPECT_EQ(static_cast<std::int8_t>(s[0].bytes[4]), -128);
}

TEST_F(InputTest, FloatArraysAreQuantisedWithHalvesToEven) {
  InputSpec spec{"x", runtime::DataType::Int8, {1, 4}, false, 0.5, 1};
  NpyArray a{"<f4", {1, 4}, std::vector<std::byte>(16)};
  const float values[4] = {0.25f, 0.75f, -1000, 1000};
  std::memcpy(a.bytes.data(), values, 16);
  write_npy(path("x.npy"), a);
  const auto s = load_samples(path("x.npy"), spec, {});
  EXPECT_EQ(static_cast<std::int8_t>(s[0].bytes[0]), 1);
  EXPECT_EQ(static_cast<std::int8_t>(s[0].bytes[1]), 3);
  EXPECT_EQ(static_cast<std::int8_t>(s[0].bytes[2]), -128);
  EXPECT_EQ(static_cast<std::int8_t>(s[0].bytes[3]), 127);
}

// int16 without a scale takes integers, which stay as they are.
TEST_F(InputTest, RealsBecome16BitIntegersByTheScale) {
  InputSpec spec{"x", runtime::DataType::Int16, {1, 4}, false, 0.001, 0, true, Rounding::HalfAwayFromZero};
  const float values[4] = {0.0015f, -2.0006f, -1000, 1000};
  NpyArray a{"<f4", {1, 4}, std::vector<std::byte>(16)};
  std::memcpy(a.bytes.data(), values, 16);
  write_npy(path("x.npy"), a);
  const auto bytes = load_samples(path("x.npy"), spec, {})[0].bytes;
  std::int16_t steps[4];
  ASSERT_EQ(bytes.size(), sizeof steps);
  std::memcpy(steps, bytes.data(), sizeof steps);
  EXPECT_THAT(steps, testing::ElementsAre(2, -2001, -32768, 32767));
  spec.has_scale = false;
  EXPECT_THROW(load_samples(path("x.npy"), spec, {}), UserError);
}

TEST_F(InputTest, WhatIsNotANumberIsRefused) {
  const InputSpec spec{"x", runtime::DataType::Int8, {1, 1}, false, 1.0, 0};
  write_npy(path("nan.npy"), {"<f4", {1, 1}, {std::byte{0}, std::byte{0}, std::byte{0xc0}, std::byte{0x7f}}});
  expect_user_error([&] { load_samples(path("nan.npy"), spec, {}); }, {"value 0", "'x'", "not a number"});
}

TEST_F(InputTest, WrongShapeNamesBothShapes) {
  write_npy(path("w.npy"), {"|i1", {1, 8, 8, 3}, std::vector<std::byte>(192)});
  expect_user_error([&] { load_samples(path("w.npy"), cifar_, {}); }, {"w.npy", "1x8x8x3", "1x32x32x3"});
  write_file(path("w.bin"), "abc");
  expect_user_error([&] { load_samples(path("w.bin"), cifar_, {}); }, {"w.bin", "3 bytes", "3072"});
}

TEST_F(InputTest, WrongTypeNamesBothTypes) {
  write_npy(path("t.npy"), {"<i4", {1, 32, 32, 3}, std::vector<std::byte>(3072 * 4)});
  expect_user_error([&] { load_samples(path("t.npy"), cifar_, {}); }, {"t.npy", "int32", "int8"});
}

TEST_F(InputTest, MissingAndUnknownFilesAreErrors) {
  expect_user_error([&] { load_samples(path("none"), cifar_, {}); }, {"none", "cannot be read"});
  expect_user_error([&] { load_samples(path("none.npy"), cifar_, {}); }, {"none.npy", "cannot be read"});
  write_file(path("a.xyz"), "x");
  expect_user_error([&] { load_samples(path("a.xyz"), cifar_, {}); }, {"a.xyz", ".xyz", ".npy"});
  write_file(path("a.png"), "not a png");
  expect_user_error([&] { load_samples(path("a.png"), cifar_, {}); }, {"a.png", "is text", "JPEG or PNG"});
}

TEST_F(InputTest, FolderIsReadInNameOrder) {
  InputSpec spec{"x", runtime::DataType::Int8, {1, 1}, false, 1, 0};
  write_file(path("b.bin"), "b");
  write_file(path("a.bin"), "a");
  const auto s = load_samples(folder_.string(), spec, {});
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].name, "a");
  EXPECT_EQ(s[1].name, "b");
}

/// .DS_Store and its like made a folder of images one of "an unknown kind".
TEST_F(InputTest, WhatFileManagersHideInAFolderIsNoInput) {
  InputSpec spec{"x", runtime::DataType::Int8, {1, 1}, false, 1, 0};
  write_file(path("a.bin"), "a");
  for (const char* name : {".DS_Store", "._a.bin", "Thumbs.db", "desktop.ini"}) write_file(path(name), "xyz");
  const auto s = load_samples(folder_.string(), spec, {});
  ASSERT_EQ(s.size(), 1u);
  EXPECT_EQ(s[0].name, "a");
}

/// One row of two was taken, and the second was what memory held behind it.
TEST_F(InputTest, RowsThatAreNoWholeInputAreRefused) {
  const InputSpec spec{"x", runtime::DataType::Float32, {2, 3}, false, 1, 0};
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{3}, {1, 3}, {3, 3}, {0, 3}}) {
    const NpyArray none{"<f4", shape, {}};
    write_npy(path("r.npy"),
              {"<f4", shape, std::vector<std::byte>(static_cast<std::size_t>(4 * none.elements()))});
    expect_user_error([&] { load_samples(path("r.npy"), spec, {}); },
                      {"r.npy: has shape " + shape_text(shape), "input 'x' needs 2x3, or 4x3"});
  }
  NpyArray two{"<f4", {4, 3}, {}};
  for (int i = 0; i < 12; ++i) {
    const auto value = static_cast<float>(i);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    two.bytes.insert(two.bytes.end(), bytes, bytes + 4);
  }
  write_npy(path("r.npy"), two);
  const auto samples = load_samples(path("r.npy"), spec, {});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[1].bytes, std::vector<std::byte>(two.bytes.begin() + 24, two.bytes.end()));
}

TEST_F(InputTest, RandomInputIsReproducible) {
  EXPECT_EQ(random_sample(cifar_, 5).bytes, random_sample(cifar_, 5).bytes);
  EXPECT_NE(random_sample(cifar_, 5).bytes, random_sample(cifar_, 6).bytes);
}

TEST(PixelFlags, NormaliseTeachesItsSyntax) {
  const Normalisation n = parse_normalise("scale=0.5,mean=1:2:3,std=4");
  EXPECT_EQ(n.scale, 0.5);
  EXPECT_EQ(n.mean, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(n.std, (std::vector<double>{4}));
  EXPECT_EQ(parse_normalise(to_string(n)), n);
  expect_user_error([&] { parse_normalise("sale=1"); }, {"sale=1", "scale="});
  expect_user_error([&] { parse_normalise("scale=1,std=2,scale=2"); }, {"scale=2", "gives scale twice"});
  expect_user_error([&] { parse_normalise("mean=1:2"); }, {"mean", "2 values"});
  expect_user_error([&] { parse_normalise("std=0"); }, {"std is 0"});
  expect_user_error([&] { parse_normalise("scale=inf"); }, {"inf", "not a number"});
  expect_user_error([&] { parse_size("12y", "--crop"); }, {"--crop", "12y"});
  EXPECT_EQ(to_string(parse_size("224", "--resize", true)), "224");
  EXPECT_EQ(to_string(parse_size("224", "--crop")), "224x224");
}

}  // namespace
}  // namespace vdla::tools
