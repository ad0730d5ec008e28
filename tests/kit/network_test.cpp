// SPDX-License-Identifier: Apache-2.0
#include "kit/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "compiler/graph/text/text.h"
#include "compiler/import/file.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

const std::string kDigits = VDLA_SOURCE_DIR "/examples/digits/digits.onnx";

std::filesystem::path place(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / ("vdla_network_test_" + name);
}

void write(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

TEST(NetworkFile, HasTheGraphAndTheHashOfItsBytes) {
  const NetworkFile file = read_network_file(kDigits);
  EXPECT_EQ(graph::print(file.graph), graph::print(read_network(kDigits)));
  EXPECT_EQ(file.hash, runtime::hash_of_file(kDigits));
}

// The hash was of nothing, since the file was opened once more for it.
TEST(NetworkFile, MayBeAPipe) {
  const std::filesystem::path pipe = place("pipe");
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0) << std::strerror(errno);
  std::thread writer([&] { write(pipe, import::read_file(kDigits)); });
  const NetworkFile file = read_network_file(pipe.string());
  writer.join();
  std::filesystem::remove(pipe);
  EXPECT_EQ(file.graph.nodes.size(), read_network(kDigits).nodes.size());
  EXPECT_EQ(file.hash, runtime::hash_of_file(kDigits));
}

TEST(NetworkFile, OfGraphTextSaysNothingBeside) {
  const std::filesystem::path text = place("text.graph");
  std::ofstream(text) << graph::print(read_network(kDigits));
  const NetworkFile file = read_network_file(text.string());
  EXPECT_EQ(graph::print(file.graph), graph::print(read_network(kDigits)));
  EXPECT_TRUE(file.metadata.class_names.empty());
  EXPECT_EQ(file.hash, runtime::hash_of_file(text));
  std::filesystem::remove(text);
}

// Weights are passed over when a model's properties are read; what is damaged behind them is not.
TEST(NetworkFile, DamagedPropertiesAreRefused) {
  graph::Bytes bytes = import::read_file(kDigits);
  const std::string broken =
      "\x72\x7f"
      "ab";  // metadata_props of 127 bytes, of which there are two
  for (const char c : broken) bytes.push_back(std::byte(c));
  try {
    import::metadata_of(bytes, "m.onnx");
    ADD_FAILURE() << "accepted";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("bytes do not parse as protobuf"));
  }
}

}  // namespace
}  // namespace vdla::kit
