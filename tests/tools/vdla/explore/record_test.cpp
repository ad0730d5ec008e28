// SPDX-License-Identifier: Apache-2.0
// Records and timelines of runs, and proposals that vdla report makes of a record.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "isa/variants/variants.h"
#include "kit/rtl.h"
#include "tests/readers/readers.h"
#include "tests/tools/vdla/explore/explore_fixture.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;

TEST_F(Explore, ARunRecordsItsAdvice) {
  const std::string module = digits("tiny");
  const std::string command = "run " + module + " --engine systemc --timing-only --random-input 1 ";
  const Outcome o =
      run(command + "--record " + path("r.json") + " --advise " + example("digits.onnx") + " --json");
  ASSERT_EQ(o.status, 0) << o.err;
  const json record = json::parse(read_text(path("r.json")));
  EXPECT_EQ(record.at("advice"), json::parse(o.out).at("advice"));
  for (const auto& layer : record.at("layers")) {
    const auto& bound = layer.at("bound");
    std::uint64_t sum = bound.at("works").at(bound.at("busiest").get<std::string>()).get<std::uint64_t>();
    for (const auto& [loss, cycles] : bound.at("lost").items()) sum += cycles.get<std::uint64_t>();
    EXPECT_EQ(sum, layer.at("cycles")) << layer.at("name");
  }
  EXPECT_EQ(json::parse(run("report " + path("r.json") + " --json").out).at("advice"), record.at("advice"));
  expect_error(command + "--advise " + example("digits.onnx"), {"--record"}, 2);
  expect_error(command + "--record " + path("r.json") + " --advise " + path("none.onnx"), {"none.onnx"});
}

TEST_F(Explore, AReportForAPartProposesOnlyWhatFits) {
  ASSERT_EQ(run("run " + digits("tiny") + " --engine systemc --timing-only --random-input 1 --record " +
                path("r.json"))
                .status,
            0);
  std::ofstream(path("part.json"))
      << R"({"name": "mine", "lut": 53200, "ff": 106400, "dsp": 1, "bram36": 140})";
  const std::string command = "report " + path("r.json") + " --part " + path("part.json");
  const Outcome o = run(command + " --model " + example("digits.onnx") + " --json");
  ASSERT_EQ(o.status, 0) << o.err;
  for (const auto& t : json::parse(o.out).at("advice").at("tried"))
    EXPECT_THAT(t.value("reason", ""), HasSubstr("does not fit mine: DSP")) << t;
  expect_error(command, {"--model"}, 2);
}

TEST_F(Explore, AdviceForAModuleOfOtherFlagsIsRefused) {
  const std::string module = digits("tiny", "--no-latency-hiding");
  expect_error("run " + module + " --engine systemc --timing-only --random-input 1 --record " +
                   path("r.json") + " --advise " + example("digits.onnx"),
               {"its record has", "--no-latency-hiding"});
}

TEST_F(Explore, ATimelineTellsEveryInstructionWithItsLayerAndLoop) {
  const std::string module = digits();
  ASSERT_EQ(run("run " + module + " --engine systemc --random-input 1 --timeline " + path("t.json")).status,
            0);
  const json events = json::parse(read_text(path("t.json"))).at("traceEvents");
  std::set<std::uint64_t> insns;
  std::set<std::string> layers;
  for (const auto& e : events) {
    if (e.at("ph") != "X") continue;
    if (!e.at("args").contains("layer")) continue;
    EXPECT_TRUE(e["args"].contains("insn"));
    insns.insert(e["args"]["insn"].get<std::uint64_t>());
    layers.insert(e["args"]["layer"].get<std::string>());
  }
  EXPECT_EQ(layers.size(), 6u);
  EXPECT_GE(insns.size(), 70u);  // of 73: all that a unit retires
  EXPECT_THAT(layers, testing::Contains("conv1.conv"));
}

TEST_F(Explore, ATimelineOfALayerHasItsInstructionsAndIsSmaller) {
  const std::string command =
      "run " + digits() + " --engine systemc --timing-only --random-input 1 --timeline ";
  ASSERT_EQ(run(command + path("all.json")).status, 0);
  ASSERT_EQ(run(command + path("one.json") + " --timeline-layers conv3.conv").status, 0);
  ASSERT_EQ(run(command + path("two.json") + " --timeline-layers pool..conv3.conv").status, 0);
  const auto insns_of = [&](const std::string& file, const std::string& layer) {
    std::set<std::uint64_t> insns;
    const json events = json::parse(read_text(path(file))).at("traceEvents");
    for (const auto& e : events)
      if (e.at("ph") == "X" && e.at("args").value("layer", "") == layer)
        insns.insert(e["args"]["insn"].get<std::uint64_t>());
    return insns;
  };
  EXPECT_EQ(insns_of("one.json", "conv3.conv"), insns_of("all.json", "conv3.conv"));
  EXPECT_EQ(insns_of("two.json", "pool"), insns_of("all.json", "pool"));
  EXPECT_FALSE(insns_of("one.json", "conv3.conv").empty());
  EXPECT_LT(read_text(path("one.json")).size(), read_text(path("all.json")).size());
  expect_error(command + path("x.json") + " --timeline-layers conv3",
               {"no layer 'conv3'", "conv3.conv", "dense"});
  expect_error(command + path("x.json") + " --timeline-layers conv3.conv..pool", {"'pool' comes before"});
  expect_error("run " + digits() + " --engine systemc --random-input 1 --timeline-layers pool",
               {"--timeline"}, 2);
}

TEST_F(Explore, CountersOfATimelineEndAtNothingInFlight) {
  ASSERT_EQ(
      run("run " + digits() + " --engine systemc --timing-only --random-input 1 --timeline " + path("t.json"))
          .status,
      0);
  std::map<std::string, double> last, most;
  const json events = json::parse(read_text(path("t.json"))).at("traceEvents");
  for (const auto& e : events) {
    if (e.at("ph") != "C") continue;
    const std::string track = e.at("name");
    last[track] = e.at("args").at("value");
    EXPECT_GE(last[track], 0) << track;
    most[track] = std::max(most[track], last[track]);
  }
  ASSERT_EQ(last.size(), 10u);
  for (const auto& [track, value] : last)
    if (!track.starts_with("works, %")) EXPECT_EQ(value, 0) << track;
  EXPECT_GE(most.at("DRAM bytes in flight: read"), 256);
  EXPECT_LE(most.at("DRAM bytes in flight: read"), 65 * 256);
  EXPECT_GE(most.at("instructions in queues: load"), 1);
  EXPECT_LE(most.at("instructions in queues: load"), 17);
  EXPECT_LE(most.at("works, %: gemm"), 100);
}

/// The slices of a timeline, counted from its first, in an order that does not depend on the engine.
std::vector<std::string> slices(const std::string& file) {
  const json events = json::parse(read_text(file)).at("traceEvents");
  std::uint64_t origin = UINT64_MAX;
  for (const auto& e : events)
    if (e.contains("ts")) origin = std::min(origin, e.at("ts").get<std::uint64_t>());
  std::vector<std::string> all;
  for (json e : events) {
    if (e.contains("ts")) e["ts"] = e.at("ts").get<std::uint64_t>() - origin;
    e.erase("id");  // any that is unique
    all.push_back(e.dump());
  }
  std::ranges::sort(all);
  return all;
}

TEST_F(Explore, SystemCAndRtlTellTheSameTimelineAndTheSameAccounts) {
  if (!kit::rtl_engine_built(isa::load_variant("tiny"))) GTEST_SKIP() << "the RTL of tiny is not built";
  const std::string module = digits();
  json records[2];
  std::vector<std::string> timelines[2];
  for (const int i : {0, 1}) {
    const std::string engine = i == 0 ? "systemc" : "rtl";
    const Outcome o = run("run " + module + " --engine " + engine + " --random-input 1 --record " +
                          path(engine + ".json") + " --timeline " + path(engine + "_t.json"));
    ASSERT_EQ(o.status, 0) << o.err;
    records[i] = json::parse(read_text(path(engine + ".json")));
    records[i].erase("engine");
    timelines[i] = slices(path(engine + "_t.json"));
    for (const auto& [unit, account] : records[i].at("units").items()) {
      std::uint64_t sum = 0;
      for (const auto& [reason, cycles] : account.items()) sum += cycles.get<std::uint64_t>();
      EXPECT_EQ(sum, records[i].at("cycles")) << engine << ", " << unit;
    }
  }
  EXPECT_EQ(records[0], records[1]);
  EXPECT_EQ(timelines[0], timelines[1]);
  EXPECT_GT(timelines[0].size(), 500u);
}

TEST_F(Explore, ARecordNeedsAnEngineWithTime) {
  expect_error("run " + digits() + " --engine functional --random-input 1 --record " + path("r.json"),
               {"--record", "systemc"});
}

}  // namespace
}  // namespace vdla::tools
