// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/kernels/functions.h"

#include <utility>

#include "compiler/loop/print.h"

namespace vdla::pipeline {
namespace {

std::string body_text(const loop::Func& f) { return loop::to_string({"", f.params, f.body}); }

}  // namespace

Functions::Added Functions::add(loop::Func func) {
  // The text of a body is made where another function has the same parameters, and once.
  Alike& alike = by_parameters_[loop::to_string({"", func.params, loop::nop()})];
  if (!alike.first) {
    func = named(std::move(func));
    alike.first = func;
    return {std::move(func), true};
  }
  if (alike.by_body.empty()) alike.by_body.emplace(body_text(*alike.first), *alike.first);
  const auto [found, is_new] = alike.by_body.try_emplace(body_text(func), func);
  if (is_new) found->second = named(std::move(func));
  return {found->second, is_new};
}

loop::Func Functions::named(loop::Func func) {
  while (!names_.insert(func.name).second) func.name += '_';
  return func;
}

}  // namespace vdla::pipeline
