// SPDX-License-Identifier: Apache-2.0
// The order of lowering.
#include "compiler/lower/lower.h"

#include <algorithm>

#include "compiler/loop/simplify.h"
#include "compiler/lower/nest.h"
#include "compiler/lower/plan.h"
#include "support/error.h"

namespace vdla::lower {

loop::Func lower_unsimplified(const schedule::Schedule& schedule, const std::vector<expr::Tensor>& args,
                              const std::string& name) {
  UniqueNames names;
  loop::Func func{name, {}, nullptr};
  std::vector<std::pair<expr::Tensor, expr::BufferPtr>> params;
  for (const expr::Tensor& arg : args) {
    VDLA_CHECK_USER(arg.is_placeholder() || schedule.is_output(arg))
        << "argument '" << arg.name() << "' of '" << name << "' is neither a placeholder nor an output";
    params.emplace_back(arg, expr::make_buffer(names(arg.name()), arg.dtype(), arg.shape()));
    func.params.push_back(
        {params.back().second, arg.is_placeholder() ? loop::Direction::In : loop::Direction::Out});
  }
  for (const expr::Tensor& output : schedule.outputs()) {
    VDLA_CHECK_USER(std::find(args.begin(), args.end(), output) != args.end())
        << "lowering needs output '" << output.name() << "' among the arguments of '" << name << "'";
  }
  Plan plan = make_plan(schedule, params, names);
  func.body = build_nests(plan, params, names);
  return func;
}

loop::Func lower(const schedule::Schedule& schedule, const std::vector<expr::Tensor>& args,
                 const std::string& name) {
  return loop::simplify(lower_unsimplified(schedule, args, name));
}

}  // namespace vdla::lower
