// SPDX-License-Identifier: Apache-2.0
#include "compiler/observe/written_schedule.h"

#include <gmock/gmock.h>

#include "compiler/expr/dsl.h"
#include "compiler/observe/lower_watched.h"
#include "compiler/schedule/script.h"
#include "tests/compiler/user_error.h"

namespace vdla::pipeline {
namespace {

using expr::Tensor;
using expr::Value;
using testing::HasSubstr;

constexpr const char* kText =
    "# pool (max_pool2d), vdla: on the device\n"
    "\n"
    "# schedule of max_pool2d, layer pool\n"
    "split out y 2\n"
    "# schedule of border, layer pool\n"
    "\n"
    "split out x 3  # three at once\n"
    "# schedule of conv2d, layer conv\n"
    "split out x 5\n";

/// A function of nothing but its indices.
Tensor output() {
  return expr::compute("out", {8, 9}, [](Value, Value) { return Value(expr::int_imm(1, expr::DType::I8)); },
                       {"y", "x"});
}

std::string script(const WrittenSchedule& written, const std::string& function, bool own = true) {
  return schedule::to_script(written.replayed({output()}, function, own));
}

TEST(WrittenSchedule, HasTheFunctionsOfItsLayer) {
  const WrittenSchedule pool("pool", "f", kText), conv("conv", "f", kText);
  EXPECT_EQ(script(pool, "max_pool2d"), "split out y 2\n");
  EXPECT_EQ(script(pool, "border", false), "split out x 3\n");
  EXPECT_FALSE(pool.is_for("conv2d", true));
  EXPECT_EQ(script(conv, "conv2d"), "split out x 5\n");
  EXPECT_EQ(pool.by(), "schedule by f");
}

TEST(WrittenSchedule, WithoutAHeadingIsOfTheLayersOwnFunction) {
  const WrittenSchedule written("pool", "f", "# by hand\r\nsplit out y 4\r\n");
  EXPECT_EQ(script(written, "whatever"), "split out y 4\n");
  EXPECT_FALSE(written.is_for("border", false));
}

TEST(WrittenSchedule, WhatExplainPrintsIsReadBack) {
  const std::string heading = schedule_heading("f", "a\nlayer, layer b");
  EXPECT_EQ(std::count(heading.begin(), heading.end(), '\n'), 0);
  const WrittenSchedule written("a\nlayer, layer b", "f", heading + "\nsplit out y 2\n");
  EXPECT_TRUE(written.is_for("f", true));
}

TEST(WrittenSchedule, RefusalsNameTheLineOfTheFile) {
  const auto error = [](const std::string& layer, const std::string& text) {
    return user_error([&] { WrittenSchedule(layer, "dir/f", text); });
  };
  EXPECT_THAT(error("dense", kText),
              HasSubstr("dir/f: line 3: is a schedule of layer 'pool', and is given to 'dense'"));
  EXPECT_THAT(error("dense", "# nothing\n"), HasSubstr("dir/f: has no line of a schedule for 'dense'"));
  EXPECT_THAT(error("pool", std::string("split out y 2\n") + kText),
              HasSubstr("dir/f: line 1: stands before"));
  const WrittenSchedule wrong("pool", "dir/f",
                              "# schedule of f, layer pool\n\nsplit out y 2\nsplit out z 2\n");
  EXPECT_THAT(
      user_error([&] { script(wrong, "f"); }),
      HasSubstr("dir/f: line 4: stage 'out' has no loop 'z'; change it, or begin with what vdla explain "
                "--schedule prints of 'pool'"));
  EXPECT_THAT(user_error([&] { wrong.require_functions({"g", "border"}); }),
              HasSubstr("dir/f: line 1: layer 'pool' has no function 'f', needs 'g', 'border'"));
}

TEST(WrittenSchedule, WhatBreaksBehindItIsTheFaultOfTheLineThatItNames) {
  const WrittenSchedule written(
      "pool", "f", "set_scope in inp\ncompute_at in out y.o\ntensorize out x.i gemm\nreorder in a b\n");
  const auto error = [&](const std::string& rule) {
    return user_error([&] { written.blamed([&] { throw UserError(rule); }); });
  };
  EXPECT_THAT(error("layer 'pool': buffer 'in' needs 9 entries (taken: 'out' 3)"),
              HasSubstr("f: line 2: layer"));
  EXPECT_THAT(error("axis 'x.i' cannot be tensorized with 'gemm'"), HasSubstr("f: line 3: axis"));
  EXPECT_THAT(error("something else"), HasSubstr("f: something else; change it"));
}

TEST(WrittenSchedule, TakesThePlaceOfTheTemplates) {
  const Tensor out = output();
  schedule::Schedule by_template({out});
  by_template[out].split(by_template[out].axis(0), 4);
  const WrittenSchedule written("pool", "f", "split out x 3\n");
  std::vector<std::string> seen;
  const Observer observer = [&](const PassResult& r) {
    if (name_of(r.pass) == "schedule") seen.push_back(r.text());
  };
  const Watch watch(observer, "pool", &written);
  lower_watched(by_template, {out}, "max_pool2d", watch);
  lower_watched(by_template, {out}, "border", watch.beside());
  EXPECT_EQ(seen, (std::vector<std::string>{"split out x 3\n", "split out y 4\n"}));
}

}  // namespace
}  // namespace vdla::pipeline
