// SPDX-License-Identifier: Apache-2.0
#include "compiler/loop/replace_buffers.h"

#include <utility>

#include "compiler/expr/visit.h"
#include "compiler/loop/visit.h"

namespace vdla::loop {
namespace {

void replace_region(Region& region, const Replacements& replacements) {
  auto found = replacements.find(region.buffer.get());
  if (found == replacements.end()) return;
  region.origin = found->second.map(region.origin);
  region.buffer = found->second.buffer;
}

}  // namespace

StmtPtr replace_buffers(const StmtPtr& s, const Replacements& replacements) {
  if (replacements.empty()) return s;
  auto in_expression = [&](const ExprPtr& e) {
    return expr::rewrite(e, [&](const ExprPtr& n) {
      const auto* load = n->as<expr::Load>();
      auto found = load ? replacements.find(load->buffer.get()) : replacements.end();
      return found == replacements.end() ? n
                                         : expr::load(found->second.buffer, found->second.map(load->indices));
    });
  };
  return rewrite(s, [&](const StmtPtr& statement) {
    StmtPtr result = map_expressions(statement, in_expression);
    if (const auto* stored = result->as<Store>()) {
      auto found = replacements.find(stored->buffer.get());
      if (found == replacements.end()) return result;
      return store(found->second.buffer, found->second.map(stored->indices), stored->value);
    }
    if (const auto* call = result->as<IntrinsicCall>()) {
      IntrinsicCall replaced = *call;
      for (Region& region : replaced.outputs) replace_region(region, replacements);
      for (Region& region : replaced.inputs) replace_region(region, replacements);
      return intrinsic_call(std::move(replaced));
    }
    return result;
  });
}

}  // namespace vdla::loop
