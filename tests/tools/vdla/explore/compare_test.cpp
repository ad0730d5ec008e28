// SPDX-License-Identifier: Apache-2.0
// vdla compare over modules, records and variants.
#include "tests/tools/vdla/explore/explore_fixture.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;

class Compare : public Explore {};

TEST_F(Compare, ModulesRecordsAndVariants) {
  const std::string a = digits("tiny"), b = digits("paper");
  const Outcome modules = run("compare " + a + " " + b + " --json");
  ASSERT_EQ(modules.status, 0) << modules.err;
  const json both = json::parse(modules.out);
  EXPECT_LT(both.at("total").at("difference"), 0);
  ASSERT_EQ(run("run " + a + " --engine systemc --random-input 1 --record " + path("a.json")).status, 0);
  const json mixed = json::parse(run("compare " + path("a.json") + " " + b + " --json").out);
  EXPECT_EQ(mixed.at("layers"), both.at("layers"));
  const json variants =
      json::parse(run("compare tiny paper --network " + example("digits.onnx") + " --json").out);
  EXPECT_EQ(variants.at("total"), both.at("total"));
  const Outcome text = run("compare " + a + " " + b);
  EXPECT_THAT(text.out, HasSubstr("conv3.conv"));
  EXPECT_THAT(text.out, HasSubstr("at an assumed 100 MHz"));
}

TEST_F(Compare, WhatCannotBeComparedIsNamed) {
  const std::string a = digits("tiny");
  expect_error("compare tiny paper", {"'tiny' is a variant", "--network"});
  expect_error("compare " + a + " " + example("digits.onnx"), {"digits.onnx", "is not a compiled module"});
  expect_error("compare " + a + " " + path("none.vdla"), {"none.vdla"});
  expect_error("compare tiny nothing --network " + example("digits.onnx"), {"nothing"});
  write_file(path("other.json"), "{\"x\": 1}");
  expect_error("compare " + a + " " + path("other.json"), {"other.json", "no record of a run"});
}

}  // namespace
}  // namespace vdla::tools
