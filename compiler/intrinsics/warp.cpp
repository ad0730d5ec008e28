// SPDX-License-Identifier: Apache-2.0
#include "compiler/intrinsics/warp.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/expr/dsl.h"
#include "compiler/expr/visit.h"
#include "compiler/grid/warp.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/visit.h"
#include "support/error.h"

namespace vdla::intrinsics {
namespace {

using expr::DType;
using expr::IterVar;
using expr::Tensor;
using grid::kFragmentColumns;
using grid::kFragmentRows;

constexpr DType kTypes[] = {DType::F16, DType::BF16, DType::I8};

IterVar spatial(const char* name, std::int64_t extent) { return {name, extent, expr::IterKind::Spatial}; }

Intrinsic load(const char* name, const char* place, DType type) {
  const std::int64_t terms = warp_terms(type);
  const Tensor from = expr::placeholder("src", {kFragmentRows, terms}, type);
  const IterVar i = spatial("i", kFragmentRows), k = spatial("k", terms);
  Intrinsic result;
  result.name = name;
  result.variant = fmt::format("{} {}", name, expr::name(type));
  result.behaviour = {.axes = {i, k}, .body = from(i, k).expr()};
  result.output = {"dst", std::nullopt, expr::placeholder("dst", {kFragmentRows, terms}, type), place};
  result.inputs = {{"src", std::nullopt, from, expr::kSharedScope}};
  result.lowering = WarpRule{};
  return result;
}

Operand sums(DType type) {
  return {"acc", std::nullopt, expr::placeholder("acc", {kFragmentRows, kFragmentColumns}, type),
          grid::kSumScope};
}

Intrinsic fill(DType type) {
  Intrinsic result;
  result.name = grid::kFillSums;
  result.variant = fmt::format("{} {}", grid::kFillSums, expr::name(type));
  result.behaviour = {.axes = {spatial("i", kFragmentRows), spatial("j", kFragmentColumns)},
                      .body = expr::identity(expr::Reducer::Sum, type)};
  result.output = sums(type);
  result.lowering = WarpRule{};
  return result;
}

Intrinsic multiply(DType type) {
  const std::int64_t terms = warp_terms(type);
  const DType sum = warp_sums(type);
  const Tensor a = expr::placeholder("a", {kFragmentRows, terms}, type);
  const Tensor b = expr::placeholder("b", {kFragmentColumns, terms}, type);
  const IterVar i = spatial("i", kFragmentRows), j = spatial("j", kFragmentColumns),
                k = expr::reduce_axis(terms, "k");
  Intrinsic result;
  result.name = grid::kMultiply;
  result.variant = fmt::format("{} {} <- {}", grid::kMultiply, expr::name(sum), expr::name(type));
  result.behaviour = {.axes = {i, j},
                      .body = expr::sum(expr::cast(sum, a(i, k)) * expr::cast(sum, b(j, k)), {k}).expr()};
  result.output = sums(sum);
  result.inputs = {{"a", std::nullopt, a, grid::kLeftScope}, {"b", std::nullopt, b, grid::kRightScope}};
  result.accumulates = expr::Reducer::Sum;
  result.lowering = WarpRule{};
  return result;
}

/// An element of a region whose buffer has one dimension.
expr::ExprPtr place_in(const loop::Region& region, const std::vector<expr::ExprPtr>& indices) {
  expr::Affine sum = expr::to_affine(region.origin.at(0));
  for (std::size_t d = 0; d < indices.size(); ++d)
    sum = sum + expr::to_affine(indices[d]) * region.strides[d];
  return expr::to_expr(sum);
}

/// A call without attributes, of buffers of one dimension.
loop::StmtPtr loops_of_call(const Intrinsic& intrinsic, const loop::IntrinsicCall& call) {
  VDLA_CHECK(intrinsic.attributes.empty() && !call.reset) << "loops of '" << call.name << "' with attributes";
  const expr::Compute& compute = intrinsic.behaviour;
  std::vector<std::pair<expr::VarPtr, std::int64_t>> loops;
  expr::Substitution fresh;
  for (const auto& list : {compute.axes, compute.reduce_axes()})
    for (const expr::IterVar& axis : list) {
      loops.emplace_back(expr::make_var(axis.name()), axis.extent());
      fresh[axis.var()] = expr::var_ref(loops.back().first);
    }
  const expr::Reduce* reduction = compute.reduction();
  expr::ExprPtr value =
      expr::rewrite(reduction ? reduction->sources[0] : compute.body, [&](const expr::ExprPtr& node) {
        const auto* read = node->as<expr::Read>();
        for (std::size_t i = 0; read && i < intrinsic.inputs.size(); ++i)
          if (intrinsic.inputs[i].tensor.node() == read->tensor)
            return expr::load(call.inputs[i].buffer, {place_in(call.inputs[i], read->indices)});
        return node;
      });
  value = expr::substitute(value, fresh);
  std::vector<expr::ExprPtr> at;
  for (const expr::IterVar& axis : compute.axes) at.push_back(fresh.at(axis.var()));
  const loop::Region& to = call.outputs[0];
  const std::vector<expr::ExprPtr> place{place_in(to, at)};
  if (intrinsic.accumulates)
    value = expr::combine(*intrinsic.accumulates, expr::load(to.buffer, place), value);
  loop::StmtPtr body = loop::store(to.buffer, place, value);
  for (auto it = loops.rbegin(); it != loops.rend(); ++it)
    body = loop::make_for(it->first, it->second, std::move(body));
  return body;
}

}  // namespace

std::int64_t warp_terms(DType type) {
  const bool is_taken = std::ranges::count(kTypes, type) > 0;
  return is_taken ? grid::kFragmentBytes / expr::bytes(type) : 0;
}

DType warp_sums(DType type) { return expr::is_float(type) ? DType::F32 : DType::I32; }

const std::vector<Intrinsic>& warp_intrinsics() {
  static const std::vector<Intrinsic> table = [] {
    std::vector<Intrinsic> made;
    for (const DType type : kTypes) {
      made.push_back(load(grid::kLoadLeft, grid::kLeftScope, type));
      made.push_back(load(grid::kLoadRight, grid::kRightScope, type));
      made.push_back(multiply(type));
    }
    for (const DType type : {DType::F32, DType::I32}) made.push_back(fill(type));
    return made;
  }();
  return table;
}

loop::StmtPtr loops_of_warp(const loop::IntrinsicCall& call) {
  const Intrinsic* intrinsic = find(warp_intrinsics(), call);
  VDLA_CHECK(intrinsic) << "no operation '" << call.name << "' of a warp has these operands";
  return loops_of_call(*intrinsic, call);
}

}  // namespace vdla::intrinsics
