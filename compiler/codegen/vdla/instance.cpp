// SPDX-License-Identifier: Apache-2.0
// Concrete nests: clipping, merging, parts.
#include <algorithm>

#include "compiler/codegen/vdla/folded_nest.h"
#include "compiler/expr/arith.h"

namespace vdla::codegen {

std::int64_t NestInstance::steps() const {
  std::int64_t product = 1;
  for (const Dim& dim : dims) product *= dim.count;
  return product;
}

NestInstance instantiate(const FoldedNest& task, const Environment& environment) {
  NestInstance nest;
  for (const FoldedOperand& operand : task.operands) nest.bases.push_back(operand.base.evaluate(environment));
  for (const FoldedBound& bound : task.bounds)
    nest.bounds.push_back({bound.base.evaluate(environment), bound.pads});
  for (std::size_t l = 0; l < task.loops.size(); ++l) {
    Dim dim{task.loops[l].extent.evaluate(environment), {}, {}, task.reduces[l]};
    for (const FoldedOperand& operand : task.operands) dim.strides.push_back(operand.strides[l]);
    for (const FoldedBound& bound : task.bounds) dim.bounds.push_back(bound.coefficients[l]);
    nest.dims.push_back(std::move(dim));
  }
  nest.init = task.resets() && std::ranges::all_of(task.reset, [&](const expr::ExprPtr& term) {
                return environment.evaluate(term) != 0;
              });
  return nest;
}

NestInstance part(const NestInstance& nest, std::size_t d, std::int64_t first, std::int64_t count) {
  NestInstance result = nest;
  const Dim& dim = nest.dims[d];
  for (std::size_t o = 0; o < result.bases.size(); ++o) result.bases[o] += dim.strides[o] * first;
  for (std::size_t b = 0; b < result.bounds.size(); ++b) result.bounds[b].base += dim.bounds[b] * first;
  if (dim.reduce && first != 0) result.init = false;
  result.dims[d].count = count;
  return result;
}

NestInstance fix(const NestInstance& nest, std::size_t d, std::int64_t i) {
  NestInstance result = part(nest, d, i, 1);
  result.dims.erase(result.dims.begin() + static_cast<std::ptrdiff_t>(d));
  return result;
}

namespace {

/// Smallest value of the bound over all dims.
std::int64_t lowest(const NestInstance& nest, std::size_t b) {
  std::int64_t value = nest.bounds[b].base;
  for (const Dim& dim : nest.dims) value += std::min<std::int64_t>(0, dim.bounds[b] * (dim.count - 1));
  return value;
}

void remove_bound(NestInstance& nest, std::size_t b) {
  nest.bounds.erase(nest.bounds.begin() + static_cast<std::ptrdiff_t>(b));
  for (Dim& dim : nest.dims) dim.bounds.erase(dim.bounds.begin() + static_cast<std::ptrdiff_t>(b));
}

/// Restricts `dim` to iterations in [low, high).
void clip(NestInstance& nest, Dim& dim, std::int64_t low, std::int64_t high) {
  low = std::max<std::int64_t>(low, 0);
  high = std::min(high, dim.count);
  for (std::size_t o = 0; o < nest.bases.size(); ++o) nest.bases[o] += dim.strides[o] * low;
  for (std::size_t b = 0; b < nest.bounds.size(); ++b) nest.bounds[b].base += dim.bounds[b] * low;
  if (dim.reduce && low > 0) nest.init = false;
  dim.count = std::max<std::int64_t>(high - low, 0);
}

/// Applies bounds that do not pad and speak of at most one dim. True when something changed.
bool apply_bounds(NestInstance& nest) {
  for (std::size_t b = 0; b < nest.bounds.size(); ++b) {
    if (lowest(nest, b) >= 0) {
      remove_bound(nest, b);
      return true;
    }
    if (nest.bounds[b].pads) continue;
    Dim* only = nullptr;
    std::size_t involved = 0;
    for (Dim& dim : nest.dims) {
      if (dim.bounds[b] == 0) continue;
      only = &dim;
      ++involved;
    }
    if (involved > 1) continue;
    const std::int64_t base = nest.bounds[b].base;
    if (involved == 0) {  // base < 0: never
      nest.dims.assign(1, Dim{0, std::vector<std::int64_t>(nest.bases.size()),
                              std::vector<std::int64_t>(nest.bounds.size()), false});
      return false;
    }
    const std::int64_t factor = only->bounds[b];
    if (factor > 0) {
      clip(nest, *only, -expr::floor_div(base, factor), only->count);
    } else {
      clip(nest, *only, 0, expr::floor_div(base, -factor) + 1);
    }
    remove_bound(nest, b);
    return true;
  }
  return false;
}

bool counts_on(const Dim& outer, const Dim& inner, bool init) {
  if (init && outer.reduce != inner.reduce) return false;
  for (std::size_t o = 0; o < outer.strides.size(); ++o) {
    if (outer.strides[o] != inner.strides[o] * inner.count) return false;
  }
  for (std::size_t b = 0; b < outer.bounds.size(); ++b) {
    if (outer.bounds[b] != inner.bounds[b] * inner.count) return false;
  }
  return true;
}

/// The order of dims does not matter to any task, so any two may merge.
bool merge_once(NestInstance& nest) {
  for (std::size_t o = 0; o < nest.dims.size(); ++o) {
    for (std::size_t i = 0; i < nest.dims.size(); ++i) {
      if (i == o || !counts_on(nest.dims[o], nest.dims[i], nest.init)) continue;
      nest.dims[i].count *= nest.dims[o].count;
      nest.dims.erase(nest.dims.begin() + static_cast<std::ptrdiff_t>(o));
      return true;
    }
  }
  return false;
}

}  // namespace

bool normalize(NestInstance& nest) {
  while (true) {
    if (std::ranges::any_of(nest.dims, [](const Dim& dim) { return dim.count <= 0; })) return false;
    std::erase_if(nest.dims, [](const Dim& dim) { return dim.count == 1; });
    if (apply_bounds(nest)) continue;
    if (std::ranges::any_of(nest.dims, [](const Dim& dim) { return dim.count <= 0; })) return false;
    if (!merge_once(nest)) return true;
  }
}

std::optional<std::size_t> dim_to_split(const NestInstance& nest) {
  for (std::size_t b = 0; b < nest.bounds.size(); ++b) {
    if (nest.bounds[b].pads) continue;
    for (std::size_t d = 0; d < nest.dims.size(); ++d) {
      if (nest.dims[d].bounds[b] != 0) return d;
    }
  }
  return std::nullopt;
}

}  // namespace vdla::codegen
