// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/sweep.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "support/error.h"
#include "tools/data/files.h"

namespace vdla::explore {
namespace {

using testing::HasSubstr;

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

TEST(Axis, IsANameAndValues) {
  const Axis axis = parse_axis("wgt_kib=16,32");
  EXPECT_EQ(axis.name, "wgt_kib");
  EXPECT_THAT(axis.values, testing::ElementsAre(16, 32));
  EXPECT_THAT(parse_axis("array=1x8x8,2x8x16").values, testing::ElementsAre("1x8x8", "2x8x16"));
}

TEST(Axis, FaultsAreNamed) {
  EXPECT_THAT(error_of([] { parse_axis("wgt_kib"); }), HasSubstr("'wgt_kib' is not NAME=VALUE"));
  EXPECT_THAT(error_of([] { parse_axis("colour=1"); }),
              testing::AllOf(HasSubstr("no axis 'colour'"), HasSubstr("wgt_kib"), HasSubstr("dram_latency")));
}

TEST(Sweep, IsTheProductOfItsAxes) {
  Sweep sweep;
  sweep.axes = {parse_axis("wgt_kib=16,32"), parse_axis("array=1x8x8,2x8x16"),
                parse_axis("clock_mhz=100,125.5")};
  const auto variants = variants_of(sweep);
  ASSERT_EQ(variants.size(), 8u);
  for (const SweepVariant& v : variants) EXPECT_EQ(v.fault, "") << v.name;
  const SweepVariant& last = variants.back();
  EXPECT_EQ(last.name, "wgt_kib=32 2x8x16 clock_mhz=125.5");
  EXPECT_EQ(last.variant.geometry.batch, 2u);
  EXPECT_EQ(last.variant.geometry.block_out, 16u);
  // The size is that of the point's own array, whatever the order of the axes: 32 KiB of entries of 8 x 16
  // bytes.
  EXPECT_EQ(last.variant.geometry.wgt_depth, 256u);
  EXPECT_EQ(last.variant.timing.clock_mhz, 125.5);
  EXPECT_EQ(last.variant.geometry.inp_depth, 2048u);  // of the base
}

TEST(Sweep, AValueThatNoVariantCanHaveIsAFaultOfThatPointAlone) {
  Sweep sweep;
  sweep.axes = {parse_axis("array=1x16x16,1x5x16"), parse_axis("wgt_kib=2,32")};
  std::map<std::string, std::string> faults;
  for (const SweepVariant& v : variants_of(sweep)) faults[v.name] = v.fault;
  EXPECT_EQ(faults.size(), 4u);
  EXPECT_EQ(faults.at("1x16x16 wgt_kib=32"), "");
  EXPECT_THAT(faults.at("1x16x16 wgt_kib=2"),
              testing::StartsWith("/geometry/wgt_depth is 8, needs a power of two from 16"));
  EXPECT_THAT(faults.at("1x5x16 wgt_kib=32"), HasSubstr("no power of two of entries of 80 bytes"));
}

/// 100^6 points once took all memory there is.
TEST(Sweep, TooManyPointsAreRefusedBeforeTheyAreMade) {
  Sweep sweep;
  std::string values = "1";
  for (int i = 2; i <= 100; ++i) values += "," + std::to_string(i);
  for (const char* axis : {"inp_kib", "wgt_kib", "acc_kib", "out_kib", "par_kib", "uop_kib"})
    sweep.axes.push_back(parse_axis(axis + ("=" + values)));
  EXPECT_THAT(error_of([&] { variants_of(sweep); }),
              HasSubstr("the axes have 1e+12 points together, needs at most 100000"));
}

TEST(Sweep, NamesSayWhatTellsPointsApart) {
  Sweep sweep;
  sweep.axes = {parse_axis("out_kib=8"), parse_axis("wgt_kib=16,32")};
  EXPECT_EQ(variants_of(sweep).at(1).name, "wgt_kib=32");
  sweep.bases = {"paper", "vta"};
  EXPECT_EQ(variants_of(sweep).at(0).name, "paper wgt_kib=16");
  sweep.axes.clear();
  EXPECT_EQ(variants_of(sweep).at(1).name, "vta");
}

// --variant took a board's, a base did not.
TEST(Sweep, ABaseIsNamedAsAVariantIs) {
  Sweep sweep;
  sweep.bases = {"board:pynq-z1", "1x16x8"};
  const auto variants = variants_of(sweep);
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[0].name, "board:pynq-z1");
  EXPECT_EQ(variants[1].name, "1x16x8");
  EXPECT_EQ(variants[0].variant.timing.dram_burst_bytes, 128u);  // of its AXI3 port
  EXPECT_EQ(variants[1].variant.timing.dram_burst_bytes, 256u);
}

TEST(Axis, AnArrayThatIsNoneIsNoAxis) {
  for (const char* array : {"7", "1x8", "1x8x", "1x8x8x8", "1x-8x8", "axbxc", "1x8x8 "})
    EXPECT_THAT(
        error_of([&] { parse_axis(std::string("array=1x8x8,") + array); }),
        testing::AllOf(HasSubstr("array needs BxKxN"), testing::EndsWith(std::string("got ") + array)));
}

TEST(Axis, NumbersOutOfRangeNameTheBound) {
  Sweep sweep;
  sweep.axes = {parse_axis("dram_latency=100000000000,-1"), parse_axis("wgt_kib=100000000000,32")};
  const auto variants = variants_of(sweep);
  ASSERT_EQ(variants.size(), 4u);
  EXPECT_THAT(variants[0].fault,
              HasSubstr("wgt_kib is 100000000000, needs a whole number from 1 to 4294967295"));
  EXPECT_THAT(variants[1].fault,
              HasSubstr("dram_latency is 100000000000, needs a whole number from 0 to 4294967295"));
  EXPECT_THAT(variants[3].fault, HasSubstr("dram_latency is -1, needs a whole number from 0 to 4294967295"));
}

TEST(Sweep, ValuesOfAnAxisThatIsGivenTwiceAddUp) {
  Sweep sweep;
  for (const char* axis : {"wgt_kib=16", "out_kib=8", "wgt_kib=32"}) add_axis(sweep, parse_axis(axis));
  const auto variants = variants_of(sweep);
  ASSERT_EQ(variants.size(), 2u);
  EXPECT_EQ(variants[0].name, "wgt_kib=16");
  EXPECT_EQ(variants[1].name, "wgt_kib=32");
}

TEST(Sweep, APointOfSingleValuesIsNotNamedAsItsBase) {
  Sweep sweep;
  sweep.axes = {parse_axis("array=1x8x8")};
  EXPECT_EQ(variants_of(sweep).at(0).name, "1x8x8");
  sweep.axes.push_back(parse_axis("wgt_kib=16"));
  sweep.bases = {"paper", "tiny"};
  EXPECT_EQ(variants_of(sweep).at(1).name, "tiny 1x8x8 wgt_kib=16");
}

TEST(Sweep, TheSameVariantIsOnePoint) {
  Sweep sweep;
  sweep.bases = {"paper"};
  sweep.axes = {parse_axis("wgt_kib=32,256")};
  sweep.points = {"paper", "vta", "tiny", Json{{"name", "mine"}, {"geometry", {{"wgt_depth", 128}}}}};
  std::vector<std::string> names;
  for (const SweepVariant& v : variants_of(sweep)) names.push_back(v.name);
  EXPECT_THAT(names, testing::ElementsAre("wgt_kib=32", "wgt_kib=256", "tiny"));
}

class SweepFile : public testing::Test {
 protected:
  SweepFile() : folder_(std::filesystem::temp_directory_path() / ("vdla_sweep_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~SweepFile() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& text) const {
    tools::write_file((folder_ / "sweep.json").string(), text);
    return (folder_ / "sweep.json").string();
  }
  std::filesystem::path folder_;
};

TEST_F(SweepFile, PathsAreRelativeToIt) {
  tools::write_file((folder_ / "net.onnx").string(), "x");
  const Sweep sweep = read_sweep(write(R"({"networks": ["net.onnx", "resnet18"], "base": ["tiny"],
    "axes": {"dram_latency": [20, 100]}, "points": ["paper", {"name": "p"}]})"));
  EXPECT_THAT(sweep.networks, testing::ElementsAre((folder_ / "net.onnx").string(), "resnet18"));
  EXPECT_THAT(sweep.bases, testing::ElementsAre("tiny"));
  ASSERT_EQ(sweep.axes.size(), 1u);
  EXPECT_EQ(sweep.points.size(), 2u);
}

TEST_F(SweepFile, FaultsNameFileAndKey) {
  EXPECT_THAT(error_of([&] { read_sweep(write("[1")); }), HasSubstr("sweep.json:1:3: is no JSON: "));
  EXPECT_THAT(error_of([&] { read_sweep(write(R"({"nets": []})")); }),
              HasSubstr("sweep.json:1:2: /nets is an unknown key"));
  EXPECT_THAT(error_of([&] { read_sweep(write(R"({"networks": "x"})")); }),
              HasSubstr("sweep.json:1:2: /networks is \"x\", needs a list"));
  EXPECT_THAT(error_of([&] { read_sweep(write(R"({"axes": {"array": 3}})")); }),
              HasSubstr("sweep.json:1:11: /axes/array is 3"));
  EXPECT_THAT(error_of([&] { read_sweep(write(R"({"points": [4]})")); }),
              HasSubstr("sweep.json:1:13: /points/0 is 4"));
}

}  // namespace
}  // namespace vdla::explore
