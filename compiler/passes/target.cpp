// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/target.h"

#include <algorithm>
#include <iterator>

#include "compiler/loop/verify.h"
#include "compiler/passes/list.h"
#include "support/error.h"
#include "support/nearest.h"

namespace vdla::passes {

std::vector<form::Rule> Target::rules_of(std::string_view row) const {
  std::vector<form::Rule> result;
  std::ranges::copy_if(rules, std::back_inserter(result),
                       [&](const form::Rule& rule) { return rule.row == row; });
  return result;
}

const Target& cpu_target() {
  static const Target target = [] {
    Target made{"cpu", {}, form::cpu_rules()};
#define VDLA_NAME(id, name, doc, run) made.rows.push_back(find_pass(name));
    VDLA_LOOP_PASSES(VDLA_NAME)
#undef VDLA_NAME
    return made;
  }();
  return target;
}

const Target& device_target() {
  static const Target target{"vdla", {find_pass("lower-vthreads")}, form::device_rules()};
  return target;
}

namespace {

/// Machines with a grid differ in the code that is made after the rows.
Target grid_target(std::string_view name) {
  Target made{name, {}, form::grid_rules()};
  for (const char* row :
       {"tensorize-grid", "double-buffer", "lower-vthreads", "rewrite-storage", "insert-barriers",
        "flatten-storage", "simplify", "vectorize", "unroll", "place-threads"})
    made.rows.push_back(find_pass(row));
  return made;
}

}  // namespace

const Target& opencl_target() {
  static const Target target = grid_target("opencl");
  return target;
}

const Target& cuda_target() {
  static const Target target = grid_target("cuda");
  return target;
}

std::vector<const Target*> targets() {
  return {&cpu_target(), &device_target(), &opencl_target(), &cuda_target()};
}

const Target& find_target(std::string_view name) {
  std::vector<std::string> known;
  std::string listed;
  for (const Target* target : targets()) {
    if (target->name == name) return *target;
    known.emplace_back(target->name);
    listed += (listed.empty() ? "" : ", ") + known.back();
  }
  throw UserError("no table of lowering for '" + std::string(name) + "'; there are those for " + listed +
                  did_you_mean(name, known));
}

namespace {

/// Runs a row; `rules` are those of the rows so far.
loop::Func run_row_verified(const Target& target, const Pass& row, const loop::Func& func,
                            std::vector<form::Rule>& rules) {
  loop::Func result = run_verified(row, func);
  std::ranges::copy(target.rules_of(row.name), std::back_inserter(rules));
  const auto breach = form::find_breach(rules, result);
  VDLA_CHECK(!breach) << "row '" << row.name << "' of the table for " << target.name << " leaves '"
                      << breach->where << "' in '" << result.name << "', needs that " << breach->rule.text
                      << " behind row '" << breach->rule.row << "'";
  return result;
}

}  // namespace

loop::Func lower(const Target& target, loop::Func func, Verify verify, const Observer& observe) {
  const bool verifies = verify == Verify::Yes;
  std::vector<form::Rule> rules;
  if (verifies) loop::verify(func);
  form::require_given(target.rules, func);
  for (const Pass& row : target.rows) {
    func = verifies ? run_row_verified(target, row, func, rules) : row.run(func);
    if (observe) observe(row, func);
  }
  return func;
}

}  // namespace vdla::passes
