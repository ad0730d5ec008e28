// SPDX-License-Identifier: Apache-2.0
// vdla run --timeline: no viewer drops a slice, and the cycles drawn are those of the run's account.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "kit/systemc.h"
#include "tests/compiler/import/data.h"
#include "tests/sim/timeline/read_timeline.h"
#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using nlohmann::json;
using timeline::ReadTimeline;

using Cycles = std::map<std::string, std::uint64_t>;

class TimelineCommand : public Cli {
 protected:
  void SetUp() override {
    if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc";
    Cli::SetUp();
  }

  /// Runs `module` with a timeline and a record, and compares these.
  ReadTimeline timeline_of(const std::string& module, const std::string& file) {
    const Outcome o = run("run " + module + " --engine systemc --timing-only --random-input 1 --timeline " +
                          path(file) + " --record " + path("r.json"));
    EXPECT_EQ(o.status, 0) << o.err;
    ReadTimeline read = timeline::read_timeline(path(file));
    EXPECT_EQ(timeline::dropped(read), 0u);
    const json record = json::parse(read_text(path("r.json")));
    for (const auto& [unit, account] : record.at("units").items()) {
      Cycles cycles = account.get<Cycles>();
      cycles.erase("idle");  // drawn as a gap
      EXPECT_EQ(read.cycles(unit + " cycles"), cycles) << unit;
    }
    Cycles layers;
    for (const json& layer : record.at("layers"))
      if (const std::uint64_t cycles = layer.at("cycles")) layers[layer.at("name")] = cycles;
    Cycles drawn = read.cycles("layers");
    drawn.erase("after the last layer");
    EXPECT_EQ(drawn, layers);
    return read;
  }
};

TEST_F(TimelineCommand, IsWholeAndAddsUpToTheAccounts) {
  ASSERT_EQ(run("compile " + example("digits.onnx") + " -o " + path("d.vdla") + " --variant tiny").status, 0);
  const ReadTimeline packets = timeline_of(path("d.vdla"), "t.pftrace.gz");
  const ReadTimeline events = timeline_of(path("d.vdla"), "t.json");
  EXPECT_THAT(packets.process, ::testing::HasSubstr("on tiny"));
  ASSERT_EQ(packets.slices.size(), events.slices.size());
  EXPECT_TRUE(packets.counters == events.counters);
  std::size_t arrows = 0;
  for (std::size_t i = 0; i < events.slices.size(); ++i) {
    const timeline::ReadSlice &a = packets.slices[i], &b = events.slices[i];
    EXPECT_EQ(std::tie(a.begin, a.end, a.name, a.category, a.facts, a.flows_out, a.flows_in),
              std::tie(b.begin, b.end, b.name, b.category, b.facts, b.flows_out, b.flows_in));
    arrows += a.flows_in.size();
  }
  EXPECT_GT(arrows, 30u);
  EXPECT_LT(std::filesystem::file_size(path("t.pftrace.gz")), std::filesystem::file_size(path("t.json")) / 8);
}

TEST_F(TimelineCommand, AnEndingThatIsNoTimelinesIsRefused) {
  expect_error(
      "run m.vdla --random-input 1 --engine systemc --timeline t.txt",
      {"'t.txt'", "a timeline, needs a name that ends in .pftrace.gz or .pftrace or .json or .json.gz"}, 2);
}

TEST_F(TimelineCommand, OfAMobileNetIsSmallAndWhole) {
  VDLA_NEED_DATA();
  const std::string model =
      (vdla::testing::data_folder() / "imagenet/models/mobilenet_v2_1.0_224_quant.tflite").string();
  ASSERT_EQ(run("compile " + model + " -o " + path("m.vdla") + " --variant paper").status, 0);
  const ReadTimeline read = timeline_of(path("m.vdla"), "t.pftrace.gz");
  EXPECT_GT(read.slices.size(), 600'000u);
  EXPECT_LE(std::filesystem::file_size(path("t.pftrace.gz")), 8'000'000u);
}

}  // namespace
}  // namespace vdla::tools
