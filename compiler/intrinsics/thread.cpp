// SPDX-License-Identifier: Apache-2.0
#include "compiler/intrinsics/thread.h"

#include <fmt/format.h>

#include "compiler/expr/dsl.h"
#include "compiler/grid/thread.h"

namespace vdla::intrinsics {
namespace {

using expr::DType;

/// Operands in memory of these scopes.
Intrinsic dp4a(const char* a_place, const char* b_place) {
  const expr::Tensor a = expr::placeholder("a", {kDp4aTerms}, DType::I8),
                     b = expr::placeholder("b", {kDp4aTerms}, DType::I8);
  const expr::IterVar k = expr::reduce_axis(kDp4aTerms, "k");
  Intrinsic result;
  result.name = grid::kDp4a;
  result.variant = fmt::format("{} {}, {}", grid::kDp4a, a_place, b_place);
  result.behaviour = {
      .axes = {}, .body = expr::sum(expr::cast(DType::I32, a(k)) * expr::cast(DType::I32, b(k)), {k}).expr()};
  result.output = {"acc", std::nullopt, expr::placeholder("acc", {}, DType::I32), grid::kThreadScope};
  result.inputs = {{"a", std::nullopt, a, a_place}, {"b", std::nullopt, b, b_place}};
  result.accumulates = expr::Reducer::Sum;
  result.lowering = ThreadRule{};
  return result;
}

}  // namespace

const std::vector<Intrinsic>& thread_intrinsics() {
  // The factors of a product are matched in any order.
  static const std::vector<Intrinsic> table{dp4a(expr::kSharedScope, expr::kGlobalScope),
                                            dp4a(expr::kSharedScope, expr::kSharedScope),
                                            dp4a(expr::kGlobalScope, expr::kGlobalScope)};
  return table;
}

}  // namespace vdla::intrinsics
