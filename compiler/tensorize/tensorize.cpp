// SPDX-License-Identifier: Apache-2.0
// Replaces Tensorize statements, bottom up.
#include "compiler/tensorize/tensorize.h"

#include "compiler/tensorize/match.h"
#include "support/overloaded.h"

namespace vdla::tensorize {
namespace {

using loop::StmtPtr;

StmtPtr replace(const StmtPtr& s, std::span<const Intrinsic> table) {
  const auto again = [&](const StmtPtr& child) { return child ? replace(child, table) : child; };
  return std::visit(
      overloaded{
          [&](const loop::For& n) {
            StmtPtr body = again(n.body);
            return body == n.body ? s : loop::make_for(n.var, n.min, n.extent, n.kind, std::move(body));
          },
          [&](const loop::Allocate& n) {
            StmtPtr body = again(n.body);
            return body == n.body ? s : loop::allocate(n.buffer, std::move(body));
          },
          [&](const loop::IfThenElse& n) {
            StmtPtr then_body = again(n.then_body);
            StmtPtr else_body = again(n.else_body);
            const bool same = then_body == n.then_body && else_body == n.else_body;
            return same ? s : loop::if_then_else(n.condition, std::move(then_body), std::move(else_body));
          },
          [&](const loop::Seq& n) {
            std::vector<StmtPtr> body;
            for (const StmtPtr& child : n.body) body.push_back(again(child));
            return body == n.body ? s : loop::seq(body);
          },
          [&](const loop::Tensorize& n) { return match_any(n.body, n.intrinsic, table); },
          [&](const loop::Store&) { return s; },
          [&](const loop::IntrinsicCall&) { return s; },
      },
      s->node);
}

}  // namespace

loop::Func tensorize(const loop::Func& func, std::span<const Intrinsic> table) {
  loop::Func result = func;
  result.body = replace(func.body, table);
  return result;
}

}  // namespace vdla::tensorize
