// SPDX-License-Identifier: Apache-2.0
// Changes of a variant that were tried: what is printed is what a run gives.
#include "tools/explore/advice.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "compiler/import/import.h"
#include "isa/variants/variants.h"
#include "kit/systemc.h"
#include "tests/tools/expect_error.h"
#include "tools/explore/measure.h"
#include "tools/explore/results.h"

namespace vdla::explore {
namespace {

class Advice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
    graph_ = import::import_model(std::string(VDLA_SOURCE_DIR) + "/examples/digits/digits.onnx");
  }

  Json record(const std::string& variant, const std::set<std::string>& on_cpu = {}) const {
    pipeline::CompileOptions options;
    options.variant = isa::load_variant(variant);
    options.machine_code = false;
    options.on_cpu = on_cpu;
    return measure(graph_, options, "systemc").at("record");
  }

  graph::Graph graph_;
};

/// All keys but the clock's, which changes no cycle.
TEST(Changes, AreTriedOfEveryKeyOfAVariant) {
  std::string changed = ",";
  for (const Change& change : changes_of(isa::load_variant("tiny"))) changed += change.key + ",";
  for (const auto& keys : {variant_keys().geometry, variant_keys().timing})
    for (const std::string& key : keys)
      if (key != "clock_mhz")
        EXPECT_NE(changed.find("," + key + ","), std::string::npos)
            << "changes_of() of tools/explore/advice.cpp tries no other " << key;
}

TEST_F(Advice, GainsAreThoseOfARunOfTheChangedVariant) {
  const isa::Variant tiny = isa::load_variant("tiny");
  const Json before = record("tiny");
  const Json advice = advise(graph_, before, {.jobs = 2, .part = {}, .progress = {}});
  const std::vector<Change> changes = changes_of(tiny);
  ASSERT_EQ(advice.at("tried").size(), changes.size());
  double last = -1;
  std::size_t compared = 0;
  for (const Json& t : advice.at("tried")) {
    if (t.at("status") != "ok") continue;
    const auto change = std::ranges::find(changes, t.at("change").get<std::string>(), &Change::name);
    const Json again = measure(graph_, change->variant, "systemc").at("record").at("cycles");
    EXPECT_EQ(t.at("cycles"), again) << change->name;
    const double gain = again.get<double>() / before.at("cycles").get<double>() - 1;
    EXPECT_DOUBLE_EQ(t.at("gain").get<double>(), gain);
    EXPECT_EQ(t.at("proposed").get<bool>(), gain <= -kWorthwhile) << change->name;
    EXPECT_GE(gain, last) << "the best comes first";
    last = gain;
    ++compared;
  }
  EXPECT_GE(compared, 12u);
  EXPECT_TRUE(advice.at("tried").at(0).at("proposed").get<bool>()) << "tiny gains by a larger array";
}

TEST_F(Advice, WhatCannotBeBuiltSaysWhy) {
  const Json advice = advise(graph_, record("tiny"), {.jobs = 2, .part = {}, .progress = {}});
  for (const Json& t : advice.at("tried"))
    if (t.at("key") == "dram_bytes_per_cycle") {
      EXPECT_EQ(t.at("status"), "unbuildable");
      EXPECT_THAT(t.at("reason").get<std::string>(), testing::HasSubstr("bus"));
    }
}

/// "-43" stood in the column +LUT without a word.
TEST_F(Advice, AChangeThatTakesFewerLutsSaysWhere) {
  const Json advice = advise(graph_, record("tiny"), {.jobs = 2, .part = {}, .progress = {}});
  bool fewer = false;
  for (const Json& t : advice.at("tried")) {
    if (!t.contains("area")) continue;
    const bool less = t.at("area").at("lut") < 0;
    EXPECT_EQ(t.contains("area_note"), less) << t.at("change");
    if (!less) continue;
    fewer = true;
    EXPECT_GT(t.at("area").at("bram"), 0) << t.at("change") << ": moved, not gone";
    EXPECT_THAT(t.at("area_note").get<std::string>(), testing::HasSubstr("in block RAM"));
  }
  EXPECT_TRUE(fewer) << "buffers of 64 entries have become deeper";
}

/// Arrays larger than the part were proposed.
TEST_F(Advice, AChangeThatThePartHasNoRoomForIsNotProposed) {
  const AreaModel model({kept_syntheses().begin(), kept_syntheses().end()});
  const isa::Variant tiny = isa::load_variant("tiny");
  Part part{"a small part", model.estimate(tiny.geometry)};
  part.area.dsp *= 2;
  part.area.lut *= 2;
  part.area.ff *= 2;
  const Json advice = advise(graph_, record("tiny"), {.jobs = 2, .part = part, .progress = {}});
  const std::vector<Change> changes = changes_of(tiny);
  std::map<std::string, std::size_t> statuses;
  for (const Json& t : advice.at("tried")) {
    const auto change = std::ranges::find(changes, t.at("change").get<std::string>(), &Change::name);
    const std::string over = fit(model.estimate(change->variant.geometry), part).over;
    EXPECT_EQ(t.at("status") == "does not fit", !over.empty()) << t;
    if (!over.empty()) EXPECT_EQ(t.at("reason"), "does not fit a small part: " + over);
    ++statuses[t.at("status")];
  }
  EXPECT_GT(statuses["ok"], 0u);
  EXPECT_GT(statuses["does not fit"], 0u);
}

TEST_F(Advice, NodesStayOnTheCpuThatTheRecordHasThere) {
  const Json all = record("tiny");
  const std::string name = "conv3.conv";
  const Json kept = record("tiny", {name});
  ASSERT_LT(kept.at("macs_on_device"), all.at("macs_on_device"));
  const Json advice = advise(graph_, kept, {.jobs = 2, .part = {}, .progress = {}});
  for (const Json& layer : advice.at("layers")) EXPECT_NE(layer.at("name"), name);
}

TEST_F(Advice, ALayerIsHelpedByProposedChangesAlone) {
  const Json before = record("tiny");
  const Json advice = advise(graph_, before, {.jobs = 2, .part = {}, .progress = {}});
  std::set<std::string> proposed;
  for (const Json& t : advice.at("tried"))
    if (t.value("proposed", false)) proposed.insert(t.at("change"));
  std::size_t helped = 0;
  for (const Json& layer : advice.at("layers"))
    for (const Json& help : layer.at("helps")) {
      EXPECT_TRUE(proposed.contains(help.at("change")));
      EXPECT_LE(help.at("gain").get<double>(), -kWorthwhile);
      ++helped;
    }
  EXPECT_GT(helped, 0u);
}

TEST_F(Advice, TheRecordOfAnotherModelIsRefused) {
  Json other = record("tiny");
  other["cycles"] = other.at("cycles").get<std::uint64_t>() + 1;
  expect_user_error([&] { advise(graph_, other, {.jobs = 2, .part = {}, .progress = {}}); },
                    {"its record has", "cycles", "--no-on-chip"});
}

}  // namespace
}  // namespace vdla::explore
