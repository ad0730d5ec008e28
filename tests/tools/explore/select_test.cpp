// SPDX-License-Identifier: Apache-2.0
// Points picked by an expression over the columns of a sweep.
#include "tools/explore/select.h"

#include <gmock/gmock.h>

#include "tests/tools/expect_error.h"

namespace vdla::explore {
namespace {

using testing::ElementsAre;

Json point(std::size_t variant, double fps, double lut, double energy) {
  return {{"status", "ok"},
          {"variant", variant},
          {"cycles", 1e8 / fps},
          {"ms", 1000 / fps},
          {"fps", fps},
          {"utilisation", 0.5},
          {"macs", 100},
          {"macs_on_device", 100},
          {"area", {{"lut", lut}, {"ff", 1}, {"dsp", 2}, {"bram", 3}}},
          {"energy", {{"total", energy}}},
          {"dram", {{"read", 10}, {"write", 20}}},
          {"lost", Json::array()},
          {"fits", fps < 100},
          {"front", false}};
}

Json results() {
  Json all{{"part", {{"name", "x"}}}};
  for (int v = 0; v < 5; ++v)
    all["variants"].push_back({{"geometry", {{"batch", 1}, {"block_in", 16}, {"block_out", 8}}},
                               {"timing", {{"dram_latency", 48}}}});
  all["points"] = {point(0, 50, 10e3, 7), point(1, 60, 30e3, 5), point(2, 200, 50e3, 9),
                   point(3, 80, 20e3, 6)};
  all["points"].push_back({{"status", "unbuildable"}, {"variant", 4}, {"reason", "no room"}});
  return all;
}

/// First points of the rows.
std::vector<std::size_t> firsts(const Selected& selected) {
  std::vector<std::size_t> result;
  for (const Selected::Row& row : selected.rows) result.push_back(row.points.front());
  return result;
}

std::vector<std::size_t> pass(const std::string& where) {
  return firsts(select_variants(results(), {.where = where, .by = {}, .maximise = false}));
}

TEST(Select, ConditionsKeepTheirOrderOfBinding) {
  EXPECT_THAT(pass("fps >= 60"), ElementsAre(1, 2, 3));
  EXPECT_THAT(pass("fps>=60&&lut<25e3"), ElementsAre(3));
  EXPECT_THAT(pass("fps < 60 or lut > 40e3 and energy > 8"), ElementsAre(0, 2));
  EXPECT_THAT(pass("(fps < 60 or lut > 40e3) and energy > 8"), ElementsAre(2));
  EXPECT_THAT(pass("not fps < 60 and fits"), ElementsAre(1, 3));
  EXPECT_THAT(pass("!(fps < 60) || energy == 7"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(pass("block_in * block_out == 128 and multipliers == 128"), ElementsAre(0, 1, 2, 3));
}

TEST(Select, ValuesKeepTheirOrderOfBinding) {
  EXPECT_THAT(pass("fps - 10 * 2 == 30"), ElementsAre(0));
  EXPECT_THAT(pass("(fps - 10) * 2 == 80"), ElementsAre(0));
  EXPECT_THAT(pass("fps / 2 / 5 == 6"), ElementsAre(1));
  EXPECT_THAT(pass("-fps < -150"), ElementsAre(2));
  EXPECT_THAT(pass("dram_bytes == 30 and macs_on_cpu == 0 and lut == 1E4"), ElementsAre(0));
}

TEST(Select, TheBestComesFirst) {
  const Selected least = select_variants(results(), {.where = "fps >= 60", .by = "lut", .maximise = false});
  EXPECT_THAT(firsts(least), ElementsAre(3, 1, 2));
  EXPECT_EQ(least.rows[1].value, 30e3);
  EXPECT_EQ(least.of, 4u);
  const Selected most = select_variants(results(), {.where = "", .by = "fps / energy", .maximise = true});
  EXPECT_THAT(firsts(most), ElementsAre(2, 3, 1, 0));
  EXPECT_DOUBLE_EQ(most.rows[0].value, 200.0 / 9);
}

// Each network was judged for itself: a variant passed that was too slow for another one.
TEST(Select, AVariantIsOneRowOverAllNetworks) {
  Json all = results();
  all["points"].push_back(point(0, 200, 10e3, 3));  // a second network of variants 0, 1 and 4
  all["points"].push_back(point(1, 20, 30e3, 4));
  all["points"].push_back(point(4, 100, 40e3, 4));
  const auto passing = [&](const std::string& where) {
    return firsts(select_variants(all, {.where = where, .by = {}, .maximise = false}));
  };
  EXPECT_THAT(passing("fps >= 30"), ElementsAre(0, 2, 3));
  EXPECT_THAT(passing("ms == 25 and energy == 10 and cycles == 2500000"), ElementsAre(0));
  EXPECT_THAT(passing("mhz_per_fps * 30 <= 60"), ElementsAre(0, 2, 3));
  const Selected fewest = select_variants(all, {.where = "fps < 60", .by = "ms", .maximise = true});
  EXPECT_THAT(fewest.rows.at(0).points, ElementsAre(1, 6));
  EXPECT_EQ(fewest.of, 4u);
}

TEST(Select, AnUnknownColumnIsNamedWithThoseThatAreKnown) {
  const auto error = [](const std::string& where, const std::vector<std::string>& pieces) {
    SCOPED_TRACE(where);
    expect_user_error([&] { pass(where); }, pieces);
  };
  error("luts < 3",
        {"--where 'luts < 3'", "no column 'luts'", "did you mean 'lut'", "utilisation", "wgt_depth"});
  error("fps >", {"has to follow"});
  error("fps", {"a value stands where a condition has to"});
  error("(fps > 3) + 1 > 2", {"a condition stands where a value has to"});
  error("fps = 3", {"needs =="});
  error("fps > 3 lut", {"'lut'", "too much"});
  error("(fps > 3", {"bracket"});
  error("fps > 1x", {"'1x'", "neither a column nor a number"});
  error("fps > @", {"'@'"});
  error(std::string(5000, '(') + "1", {"too many brackets"});
  error(std::string(50000, '!') + "fits", {"too many brackets"});
  expect_user_error([&] { check_selection({.where = "", .by = "price", .maximise = true}, true); },
                    {"--maximise 'price'", "no column 'price'"});
  expect_user_error([&] { check_selection({.where = "fits", .by = {}, .maximise = false}, false); },
                    {"--part"});
}

}  // namespace
}  // namespace vdla::explore
