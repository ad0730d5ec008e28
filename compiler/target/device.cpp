// SPDX-License-Identifier: Apache-2.0
#include "compiler/target/device.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/loop/verify.h"
#include "compiler/tensorize/tensorize.h"
#include "support/error.h"

namespace vdla::target {
namespace {

constexpr std::string_view kTensorize = "tensorize";

/// UserError for what the row refuses, InternalError for what it breaks.
loop::Func run_verified(const Row& row, const loop::Func& func, std::vector<form::Rule>& rules) {
  loop::Func result = row.run(func);
  loop::verify_result("row '" + std::string(row.name) + "'", func, result);
  std::ranges::copy(row.rules, std::back_inserter(rules));
  const auto breach = form::find_breach(rules, result);
  VDLA_CHECK(!breach) << "row '" << row.name << "' of the table for vdla leaves '" << breach->where
                      << "' in '" << result.name << "', needs that " << breach->rule.text << " behind row '"
                      << breach->rule.row << "'";
  return result;
}

}  // namespace

std::vector<Row> device_table(std::vector<intrinsics::Intrinsic> intrinsics) {
  const auto tensorize = [table = std::move(intrinsics)](const loop::Func& func) {
    return tensorize::tensorize(func, table);
  };
  const passes::Target& behind = passes::device_target();
  std::vector<Row> rows{{kTensorize, tensorize, behind.rules_of(kTensorize)}};
  for (const std::string_view name : behind.rows) {
    const passes::Pass& pass = passes::find_pass(name);
    rows.push_back({pass.name, pass.run, behind.rules_of(name)});
  }
  return rows;
}

loop::Func lower(std::span<const Row> table, loop::Func func, passes::Verify verify,
                 const Observer& observe) {
  const bool verifies = verify == passes::Verify::Yes;
  std::vector<form::Rule> rules;
  if (verifies) loop::verify(func);
  form::require_given(form::device_rules(), func);
  for (const Row& row : table) {
    func = verifies ? run_verified(row, func, rules) : row.run(func);
    if (observe) observe(row, func);
  }
  return func;
}

}  // namespace vdla::target
