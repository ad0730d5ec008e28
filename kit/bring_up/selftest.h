// SPDX-License-Identifier: Apache-2.0
// The plan of a board's self test for a variant: programs of each stage (driver/selftest) and what must come
// out of them, by the functional engine.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "driver/selftest/selftest.h"
#include "isa/spec/errors.h"
#include "isa/spec/geometry.h"
#include "runtime/module/module.h"

namespace vdla::kit {

class Selftest {
 public:
  /// Tests a variant; stage network runs the device step of `network` with the most instructions.
  Selftest(const isa::Variant& variant, const runtime::Module& network);
  Selftest(const Selftest&) = delete;
  Selftest& operator=(const Selftest&) = delete;

  /// Lives as long as this object.
  const vdla_selftest_plan& plan() const { return plan_; }

 private:
  struct Program {
    std::string name;
    vdla_selftest_stage stage;
    std::array<std::vector<std::byte>, VDLA_SELFTEST_WINDOWS> content;
    std::array<std::uint64_t, VDLA_SELFTEST_WINDOWS> bytes{};  ///< at least those of the content
    vdla_launch launch{};
    std::uint64_t predicted_cycles = 0;
    isa::ErrorCode error = isa::ErrorCode::None;
    std::uint32_t error_insn = 0;
    std::vector<std::byte> expected;
  };
  class Writer;

  void add(Program program);

  std::string name_;
  std::vector<std::uint32_t> geometry_;
  std::vector<Program> data_;
  std::vector<vdla_selftest_program> programs_;  ///< views of data_
  vdla_selftest_plan plan_{};
};

}  // namespace vdla::kit
