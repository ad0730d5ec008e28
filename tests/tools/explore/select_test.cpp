// SPDX-License-Identifier: Apache-2.0
// Points picked by an expression over the columns of a sweep.
#include "tools/explore/select.h"

#include <gmock/gmock.h>

#include "tests/tools/expect_error.h"

namespace vdla::explore {
namespace {

using testing::ElementsAre;

Json point(double fps, double lut, double energy) {
  return {{"status", "ok"},
          {"variant", 0},
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
  all["variants"].push_back(
      {{"geometry", {{"batch", 1}, {"block_in", 16}, {"block_out", 8}}}, {"timing", {{"dram_latency", 48}}}});
  all["points"] = {point(50, 10e3, 7), point(60, 30e3, 5), point(200, 50e3, 9), point(80, 20e3, 6)};
  all["points"].push_back({{"status", "unbuildable"}, {"variant", 0}, {"reason", "no room"}});
  return all;
}

std::vector<std::size_t> pass(const std::string& where) {
  return select_points(results(), {.where = where, .by = {}, .maximise = false}).points;
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
  const Selected least = select_points(results(), {.where = "fps >= 60", .by = "lut", .maximise = false});
  EXPECT_THAT(least.points, ElementsAre(3, 1, 2));
  EXPECT_THAT(least.values, ElementsAre(20e3, 30e3, 50e3));
  EXPECT_EQ(least.of, 4u);
  const Selected most = select_points(results(), {.where = "", .by = "fps / energy", .maximise = true});
  EXPECT_THAT(most.points, ElementsAre(2, 3, 1, 0));
  EXPECT_DOUBLE_EQ(most.values[0], 200.0 / 9);
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
