// SPDX-License-Identifier: Apache-2.0
#include "runtime/module/state_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/error.h"

namespace vdla::runtime {
namespace {

const Tensor& tensor(const Module& module, TensorIndex index) {
  VDLA_CHECK_USER(index < module.tensors.size())
      << "a state names tensor " << index << ", the module has " << module.tensors.size();
  return module.tensors[index];
}

}  // namespace

void check_states(const Module& module) {
  std::vector<bool> written(module.tensors.size());
  for (const Port& p : module.inputs) written[p.tensor] = true;
  for (const State& s : module.states) {
    const Tensor &begin = tensor(module, s.begin), &end = tensor(module, s.end);
    const std::string where = fmt::format("state '{}'", begin.name);
    VDLA_CHECK_USER(!begin.constant() && !written[s.begin]) << where << " has a value already";
    written[s.begin] = true;
    VDLA_CHECK_USER(s.initial.size() == begin.bytes())
        << where << " begins with " << s.initial.size() << " bytes, needs " << begin.bytes();
    VDLA_CHECK_USER(end.type == begin.type && end.shape == begin.shape)
        << where << " of " << name_of(begin.type) << " " << to_string(begin.shape) << " becomes "
        << name_of(end.type) << " " << to_string(end.shape) << ", needs an equal type";
  }
  for (const State& s : module.states)  // copied one after the other
    VDLA_CHECK_USER(std::ranges::find(module.states, s.end, &State::begin) == module.states.end())
        << "state '" << module.tensors[s.begin].name << "' becomes what state '" << module.tensors[s.end].name
        << "' was";
}

}  // namespace vdla::runtime
