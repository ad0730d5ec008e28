// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/pass.h"

#include "compiler/loop/simplify.h"
#include "compiler/loop/verify.h"
#include "compiler/passes/rows.h"
#include "compiler/tensorize/grid.h"
#include "compiler/tensorize/host_table.h"
#include "support/error.h"
#include "support/nearest.h"

namespace vdla::passes {

std::span<const Pass> all_passes() {
  using Run = loop::Func(const loop::Func&);  // some functions have overloads
  static const Pass passes[] = {
#define VDLA_ROW(id, name, doc, run) {name, static_cast<Run*>(run), doc},
      VDLA_LOOP_PASSES(VDLA_ROW) VDLA_GRID_PASSES(VDLA_ROW)
#undef VDLA_ROW
  };
  return passes;
}

const Pass& find_pass(std::string_view name) {
  std::vector<std::string> known;
  std::string listed;
  for (const Pass& pass : all_passes()) {
    if (pass.name == name) return pass;
    known.emplace_back(pass.name);
    listed += (listed.empty() ? "" : ", ") + known.back();
  }
  throw UserError("no pass '" + std::string(name) + "'; there are " + listed + did_you_mean(name, known));
}

loop::Func run_verified(const Pass& pass, const loop::Func& func) {
  loop::Func result = pass.run(func);
  loop::verify_result("pass '" + std::string(pass.name) + "'", func, result);
  return result;
}

loop::Func run_passes(loop::Func func, std::span<const std::string> names, const Observer& observe) {
  std::vector<const Pass*> passes;
  for (const std::string& name : names) passes.push_back(&find_pass(name));
  loop::verify(func);
  for (const Pass* pass : passes) {
    func = run_verified(*pass, func);
    if (observe) observe(*pass, func);
  }
  return func;
}

}  // namespace vdla::passes
