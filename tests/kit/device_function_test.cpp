// SPDX-License-Identifier: Apache-2.0
// A tensor expression of a program's own on the device, by the front door alone.
#include "kit/device_function.h"

#include <gmock/gmock.h>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/table.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "isa/variants/variants.h"
#include "kit/session.h"
#include "runtime/container/module_file.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

using namespace vdla::expr;
using ::testing::HasSubstr;

const isa::Variant& tiny() {
  static const isa::Variant variant = isa::load_variant("tiny");
  return variant;
}

/// y = clamp(x * 3), an entry at a time.
loop::Func times_three(std::int64_t rows) {
  const std::int64_t lanes = tiny().geometry.block_out;
  const Tensor x = placeholder("x", {rows, lanes}, DType::I8);
  const auto i32 = [](std::int64_t v) { return Value(int_imm(v, DType::I32)); };
  const Tensor y = compute("y", {rows, lanes}, [&](Value i, Value n) {
    return Value(intrinsics::int8_result((cast(DType::I32, x(i, n)) * i32(3)).expr(), i32(0).expr(),
                                         i32(-128).expr(), i32(127).expr()));
  });
  schedule::Schedule s({y});
  const Tensor out = s.cache_write(y, "out");
  const Tensor inp = s.cache_read(x, "inp", {out});
  s[y].tensorize(s[y].axis(0), "store");
  s[out].tensorize(s[out].axis(1), "mac");
  s[inp].tensorize(s[inp].axis(0), "load");
  return lower::lower(s, {x, y}, "times_three");
}

TEST(DeviceFunction, RunsAsAModuleThatIsSavedAndLoaded) {
  const runtime::Module made = device_module(times_three(9), tiny());
  const runtime::Module module = runtime::parse(runtime::serialize(made), "test");
  runtime::Bytes input(9 * tiny().geometry.block_out), needed(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    const auto value = static_cast<std::int8_t>(i * 11);
    input[i] = static_cast<std::byte>(value);
    needed[i] = static_cast<std::byte>(std::clamp(value * 3, -128, 127));
  }
  EXPECT_EQ(Session(module, "functional").run({input}).outputs.at(0), needed);
}

TEST(DeviceFunction, WhatTheDeviceCannotIsRefusedByName) {
  const auto refusal = [](const loop::Func& func) -> std::string {
    try {
      device_module(func, tiny());
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  // More rows than the buffers hold at once.
  EXPECT_THAT(refusal(times_three(100'000)), HasSubstr("times_three"));
  loop::Func both = times_three(2);
  both.params[1].direction = loop::Direction::InOut;
  EXPECT_THAT(refusal(both), HasSubstr("parameter 'y' of 'times_three' is read and written"));
}

}  // namespace
}  // namespace vdla::kit
