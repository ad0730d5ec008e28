// SPDX-License-Identifier: Apache-2.0
// vdla diff: runs that are equal, recorded tensors, a module with another weight, a network in floats.
#include <nlohmann/json.hpp>

#include "kit/systemc.h"
#include "runtime/container/module_file.h"
#include "tests/tools/cli.h"
#include "tools/data/npy.h"

namespace vdla::tools {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

class Diff : public Cli {
 protected:
  Outcome diff(const std::string& rest) const {
    return run("diff " + example("digits.onnx") + " --variant tiny --random-input 5 " + rest);
  }
  /// Writes the tensors of a run, of which `change` changes the file of one.
  void record(const std::string& tensor, std::size_t element, int step) const {
    ASSERT_EQ(run("run " + example("digits.onnx") + " --variant tiny --random-input 5 --tensors " + path("t"))
                  .status,
              0);
    NpyArray array = read_npy(path("t/" + tensor + ".npy"));
    array.bytes[element] = static_cast<std::byte>(static_cast<int>(array.bytes[element]) + step);
    write_npy(path("t/" + tensor + ".npy"), array);
  }
};

TEST_F(Diff, OfEqualRunsIsNone) {
  for (const char* side : {"interpreter", "cpu"}) {
    const Outcome o = diff(std::string("--against ") + side);
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_THAT(o.out, HasSubstr("tensors are equal on functional and the "));
  }
  if (kit::have_systemc()) {
    const Outcome engines = diff("--against systemc");
    EXPECT_EQ(engines.status, 0) << engines.err;
    EXPECT_THAT(engines.out, HasSubstr("functional and systemc make the same"));
  }
  const Outcome o = diff("--against interpreter --json");
  EXPECT_EQ(json::parse(o.out).at("differing"), 0);
  EXPECT_GT(json::parse(o.out).at("compared"), 20);
}

TEST_F(Diff, NamesElementAndInstructionOfTheFirstTensor) {
  record("conv3.q", 2 * 16 + 1 * 4 + 3, 3);
  const Outcome o = diff("--against " + path("t") + " --json");
  ASSERT_EQ(o.status, 1) << o.err;
  const json report = json::parse(o.out);
  EXPECT_EQ(report.at("differing"), 1);
  const json& first = report.at("first");
  EXPECT_EQ(first.at("name"), "conv3.q");
  EXPECT_EQ(first.at("index"), json({0, 2, 1, 3}));
  EXPECT_EQ(first.at("elements_differing"), 1);
  EXPECT_EQ(first.at("written_by").at("layer"), "conv3.conv");
  EXPECT_THAT(first.at("written_by").at("source").get<std::string>(), HasSubstr("loop"));
  EXPECT_THAT(diff("--against " + path("t")).out, HasSubstr("'conv3.q' differs first"));
  EXPECT_EQ(diff("--against " + path("t") + " --steps 3").status, 0);
  EXPECT_EQ(diff("--against " + path("t") + " --steps 2").status, 1);
}

TEST_F(Diff, NamesWhatTheRunKeepsNothingOf) {
  record("add.q", 7, 1);
  const json first = json::parse(diff("--against " + path("t") + " --json").out).at("first");
  EXPECT_EQ(first.at("name"), "add.q");
  EXPECT_THAT(first.at("on_the_way").get<std::vector<std::string>>(), Contains("conv2.q"));
}

/// The byte is loaded before anything computes with it.
TEST_F(Diff, OfAModuleWithAnotherWeightNamesItsLayer) {
  runtime::Module module = runtime::load(digits("tiny"));
  const auto device = std::ranges::find_if(module.steps, [](const runtime::Step& step) {
    return std::holds_alternative<runtime::DeviceStep>(step);
  });
  ASSERT_NE(device, module.steps.end());
  std::vector<std::byte>& constants = std::get<runtime::DeviceStep>(*device).program.constants;
  constexpr std::size_t kBytes = 32;  // one alone may be padding
  std::set<std::string> named;
  for (const std::size_t at : {std::size_t{0}, constants.size() / 2, constants.size() - 300}) {
    const std::vector<std::byte> right = constants;
    for (std::size_t i = 0; i < kBytes; ++i) constants[at + i] ^= std::byte{0x55};
    runtime::save(module, path("wrong.vdla"));
    constants = right;
    const Outcome o = run("diff " + path("wrong.vdla") + " --model " + example("digits.onnx") +
                          " --random-input 5 --against interpreter --json");
    ASSERT_EQ(o.status, 1) << o.out << o.err;
    const json first = json::parse(o.out).at("first");
    named.insert(first.at("name").get<std::string>());
    EXPECT_TRUE(first.contains("written_by"));
  }
  EXPECT_EQ(named.size(), 3u) << "three layers have these bytes";
}

TEST_F(Diff, OfAFloatNetworkIsNoiseByTensor) {
  ASSERT_EQ(run("zoo resnet8 -o " + path("int8.onnx")).status, 0);
  ASSERT_EQ(run("zoo resnet8 --float -o " + path("float.onnx")).status, 0);
  const Outcome o = run("diff " + path("int8.onnx") + " --against " + path("float.onnx") + " --json");
  ASSERT_EQ(o.status, 0) << o.err;
  const json report = json::parse(o.out), rows = report.at("tensors");
  EXPECT_GT(rows.size(), 14u);
  EXPECT_EQ(rows.front().at("kind"), "equal") << "the input has the same real numbers";
  EXPECT_EQ(rows.back().at("name"), "output");
  EXPECT_GT(rows.back().at("snr_db"), 20);
  EXPECT_GT(report.at("costs_most").at("lost_db"), 0);
}

/// Text says nothing of the model's order: values in another one are not compared.
TEST_F(Diff, OfGraphTextComparesWhatHasOneOrder) {
  ASSERT_EQ(run("opt " + example("digits.onnx") + " -o " + path("same.graph")).status, 0);
  const Outcome o = diff("--against " + path("same.graph") + " --json");
  ASSERT_EQ(o.status, 0) << o.err;
  const json rows = json::parse(o.out).at("tensors");
  EXPECT_GT(rows.size(), 4u);
  for (const json& row : rows) EXPECT_EQ(row.at("kind"), "equal") << row;
}

TEST_F(Diff, ErrorsSayWhatIsNeeded) {
  expect_error("diff " + digits("tiny") + " --random-input 1 --against interpreter", {"--model FILE"});
  const Outcome o = diff("--against nothing.xyz");
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("functional, systemc, rtl, interpreter, cpu"));
  std::filesystem::create_directory(path("e"));
  write_npy(path("e/other.npy"), {"|i1", {1}, {std::byte{}}});
  EXPECT_THAT(diff("--against " + path("e")).err, HasSubstr("no array is called as a tensor of the network"));
  EXPECT_THAT(diff("--against functional").err, HasSubstr("both sides run on functional"));
}

/// A folder with conv3.q alone, as `change` makes it.
TEST_F(Diff, OfRecordedArraysRefusesWhatIsNotTheTensor) {
  record("conv3.q", 0, 0);
  const NpyArray right = read_npy(path("t/conv3.q.npy"));
  std::filesystem::create_directory(path("r"));
  const auto against = [&](const NpyArray& array, const std::string& rest = "") {
    write_npy(path("r/conv3.q.npy"), array);
    return diff("--against " + path("r") + rest);
  };
  const Outcome one = against(right);
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("24 tensors have no counterpart"));
  NpyArray turned = right, wide = right, unsigned_ = right;
  turned.shape = {1, 4, 4, 32};
  EXPECT_THAT(against(turned).err, HasSubstr("is 1x32x4x4 on one side and 1x4x4x32 on the other"));
  wide.type = "<i2";
  wide.bytes.clear();
  for (const std::byte b : right.bytes) {
    const auto value = static_cast<std::int16_t>(static_cast<std::int8_t>(b));
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    wide.bytes.insert(wide.bytes.end(), bytes, bytes + 2);
  }
  EXPECT_EQ(against(wide).status, 0) << "steps, whatever their type";
  unsigned_.type = "|u1";
  for (std::byte& b : unsigned_.bytes) b ^= std::byte{0x80};
  EXPECT_EQ(against(unsigned_).status, 0) << "a uint8 model's integers are 128 more";
}

TEST_F(Diff, ADamagedIndexIsRefused) {
  record("conv3.q", 0, 0);
  for (const char* row :
       {R"("scale": [1], "zero_point": [0], "axis": 1234567890)",
        R"("scale": [1, 2], "zero_point": [0], "axis": 1)", R"("scale": [], "zero_point": [0])"}) {
    write_file(path("t/tensors.json"),
               std::string(R"([{"name": "conv3.q", "file": "conv3.q.npy", )") + row + "}]");
    const Outcome o = diff("--against " + path("t"));
    EXPECT_EQ(o.status, 1) << row;
    EXPECT_THAT(o.err, HasSubstr("conv3.q")) << row;
  }
}

}  // namespace
}  // namespace vdla::tools
