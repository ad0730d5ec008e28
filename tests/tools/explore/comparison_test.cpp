// SPDX-License-Identifier: Apache-2.0
// Two records side by side: layers matched by name, the largest difference first, sums that add up.
#include "tools/explore/comparison.h"

#include <gmock/gmock.h>

#include <functional>

#include "compiler/import/import.h"
#include "isa/variants/variants.h"
#include "kit/systemc.h"
#include "support/whole_json.h"
#include "tools/explore/measure.h"
#include "tools/explore/page.h"

namespace vdla::explore {
namespace {

TEST(Comparison, DifferencesAddUpToTheTotalAndTheLargestComesFirst) {
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  const graph::Graph graph =
      import::import_model(std::string(VDLA_SOURCE_DIR) + "/examples/digits/digits.onnx");
  const auto record = [&](const char* variant) {
    return measure(graph, isa::load_variant(variant), "systemc").at("record");
  };
  const Json a = record("tiny"), b = record("paper");
  const Json both = compare_records("small", a, "large", b);
  std::int64_t sum = 0, last = INT64_MAX;
  for (const Json& row : both.at("layers")) {
    const std::int64_t difference = row.at("difference");
    EXPECT_LE(std::abs(difference), last);
    last = std::abs(difference);
    sum += difference;
  }
  EXPECT_EQ(sum, both.at("total").at("difference"));
  EXPECT_EQ(sum, b.at("cycles").get<std::int64_t>() - a.at("cycles").get<std::int64_t>());
  EXPECT_EQ(both.at("layers").size(), a.at("layers").size() + 1);  // and what comes after the last one
  EXPECT_EQ(both.at("a").at("title"), "small");
}

TEST(Comparison, LayersOfOneSideAloneAndNamesThatOccurTwiceHaveRowsOfTheirOwn) {
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  const graph::Graph graph =
      import::import_model(std::string(VDLA_SOURCE_DIR) + "/examples/digits/digits.onnx");
  const Json a = measure(graph, isa::load_variant("tiny"), "systemc").at("record");
  Json b = a;
  b["layers"][0]["name"] = b["layers"][2]["name"];  // twice, and one name less
  const Json both = compare_records("a", a, "b", b);
  std::size_t only_a = 0, only_b = 0;
  for (const Json& row : both.at("layers")) {
    only_a += row.at("b").is_null();
    only_b += row.at("a").is_null();
  }
  EXPECT_EQ(only_a, 1u);
  EXPECT_EQ(only_b, 1u);
  EXPECT_EQ(both.at("total").at("difference"), 0);
}

/// "cannot reserve 268435456 bytes" was kept as a property of the variant, and so was a library that is not
/// built yet.
TEST(Measure, WhatThisMachineLacksIsNoPropertyOfAPoint) {
  const graph::Graph graph =
      import::import_model(std::string(VDLA_SOURCE_DIR) + "/examples/digits/digits.onnx");
  isa::Variant strange = isa::load_variant("tiny");
  strange.geometry.queue_depth *= 2;
  EXPECT_THROW(measure(graph, strange, "rtl"), UserError) << "no library of that machine is there";
  strange.geometry.inp_depth = strange.geometry.wgt_depth = 1;
  EXPECT_EQ(measure(graph, strange, "rtl").at("status"), "unbuildable");
}

/// `value` with each of its parts in turn left out, or of another kind.
void each_damaged(const Json& whole, const std::function<void(const Json&)>& use) {
  std::vector<Json::json_pointer> parts;
  const std::function<void(const Json&, const Json::json_pointer&)> visit =
      [&](const Json& value, const Json::json_pointer& at) {
        if (!at.empty()) parts.push_back(at);
        if (!value.is_structured()) return;
        constexpr std::size_t kOfAList = 2;
        std::size_t seen = 0;
        for (const auto& [key, inner] : value.items()) {
          if (value.is_array() && seen++ == kOfAList) return;
          visit(inner, value.is_array() ? at / std::stoul(key) : at / key);
        }
      };
  visit(whole, Json::json_pointer());
  for (const Json::json_pointer& part : parts) {
    for (const Json& other : {Json(), Json(7), Json("text"), Json::array(), Json::object()}) {
      Json damaged = whole;
      damaged[part] = other;
      use(damaged);
    }
    Json damaged = whole;
    Json& around = damaged[part.parent_pointer()];
    around.is_array() ? around.erase(std::stoul(part.back())) : (void)around.erase(part.back());
    use(damaged);
  }
}

/// A record without a layer's name, or with a number for it, was an internal error.
TEST(Comparison, ADamagedRecordIsAFaultOfItsFile) {
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  const graph::Graph graph =
      import::import_model(std::string(VDLA_SOURCE_DIR) + "/examples/digits/digits.onnx");
  Json whole = measure(graph, isa::load_variant("tiny"), "systemc").at("record");
  const auto guarded = [](const std::function<void()>& use) {
    try {
      whole_json("a record", "make it again", use);
    } catch (const UserError&) {
    }
  };
  int damaged = 0;
  each_damaged(whole, [&](const Json& record) {
    ++damaged;
    EXPECT_NO_THROW(guarded([&] { compare_records("a", record, "b", whole); }));
    EXPECT_NO_THROW(guarded([&] { compare_records("a", whole, "b", record); }));
    EXPECT_NO_THROW(guarded([&] { report_page(record); }));
  });
  EXPECT_GT(damaged, 500);
}

}  // namespace
}  // namespace vdla::explore
