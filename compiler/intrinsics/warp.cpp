// SPDX-License-Identifier: Apache-2.0
#include "compiler/intrinsics/warp.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/expr/dsl.h"
#include "compiler/grid/warp.h"

namespace vdla::intrinsics {
namespace {

using expr::DType;
using expr::IterVar;
using expr::Tensor;
using grid::kFragmentColumns;
using grid::kFragmentRows;

constexpr DType kTypes[] = {DType::F16, DType::BF16, DType::I8, DType::F32};

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
  const auto factor = [&](const expr::Value& element) {
    return type == DType::F32 ? round_tf32(element) : cast(sum, element);
  };
  Intrinsic result;
  result.name = grid::kMultiply;
  result.variant = fmt::format("{} {} <- {}", grid::kMultiply, expr::name(sum), expr::name(type));
  result.behaviour = {.axes = {i, j}, .body = expr::sum(factor(a(i, k)) * factor(b(j, k)), {k}).expr()};
  result.output = sums(sum);
  result.inputs = {{"a", std::nullopt, a, grid::kLeftScope}, {"b", std::nullopt, b, grid::kRightScope}};
  result.accumulates = expr::Reducer::Sum;
  result.lowering = WarpRule{};
  return result;
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

}  // namespace vdla::intrinsics
