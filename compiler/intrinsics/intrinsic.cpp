// SPDX-License-Identifier: Apache-2.0
#include "compiler/intrinsics/intrinsic.h"

#include <algorithm>
#include <array>

#include "isa/spec/fields.h"
#include "support/error.h"

namespace vdla::intrinsics {
namespace {

constexpr std::array<std::string_view, 7> kOfEveryTask = {"opcode",      "pop",       "push",     "init",
                                                          "reduce_mask", "uop_begin", "uop_count"};

bool says_what_a_step_does(std::string_view field) {
  const bool of_a_level = !field.empty() && field.back() >= '0' && field.back() <= '9';
  return !field.empty() && !of_a_level && !field.ends_with("_base") &&
         std::ranges::find(kOfEveryTask, field) == kOfEveryTask.end();
}

}  // namespace

std::vector<std::string_view> lowering_fields(isa::Opcode opcode) {
  VDLA_CHECK(opcode == isa::Opcode::Gemm || opcode == isa::Opcode::Vector)
      << "a lowering to " << isa::to_string(opcode);
  std::vector<std::string_view> fields;
  const auto take = [&](const auto& table) {
    for (const isa::Field& field : table)
      if (says_what_a_step_does(field.name)) fields.push_back(field.name);
  };
  opcode == isa::Opcode::Gemm ? take(isa::kGemmFields) : take(isa::kVectorFields);
  return fields;
}

}  // namespace vdla::intrinsics
