// SPDX-License-Identifier: Apache-2.0
#include "compiler/tensorize/host_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/grid.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/visit.h"
#include "compiler/tensorize/match.h"
#include "support/error.h"
#include "support/nearest.h"

namespace vdla::tensorize {
namespace {

using expr::DType;
using expr::IterVar;
using expr::Tensor;

intrinsics::Intrinsic dot4(DType data, std::int64_t lanes, bool shifted = false) {
  const auto widened = [](const expr::Value& v) { return expr::cast(DType::I32, v); };
  const Tensor a = expr::placeholder("a", {4}, data);
  const Tensor w = expr::placeholder("w", {lanes, 4}, DType::I8);
  const IterVar n("n", lanes, expr::IterKind::Spatial), k = expr::reduce_axis(4, "k");
  intrinsics::Intrinsic result;
  result.name = shifted ? kDot4Shifted : kDot4;
  result.variant = fmt::format("{} i32x{} <- {}", result.name, lanes, expr::name(data));
  const expr::Value own = a(k);
  const expr::Value x =
      shifted ? expr::cast(DType::U8, own) ^ expr::Value(expr::number(128, DType::U8)) : own;
  result.behaviour = {.axes = {n}, .body = expr::sum(widened(x) * widened(w(n, k)), {k}).expr()};
  result.output = {"acc", std::nullopt, expr::placeholder("acc", {lanes}, DType::I32)};
  result.inputs = {{"a", std::nullopt, a}, {"w", std::nullopt, w}};
  result.accumulates = expr::Reducer::Sum;
  result.lowering = intrinsics::HostRule{};
  return result;
}

std::set<std::string> names_of(const std::vector<intrinsics::Intrinsic>& table) {
  std::set<std::string> names;
  for (const intrinsics::Intrinsic& intrinsic : table) names.insert(intrinsic.name);
  return names;
}

/// Marks of the device and of kernels mean their loops; unknown ones are a mistake.
void require_known(const std::string& name) {
  static const std::set<std::string> device = names_of(intrinsics::device_intrinsics(isa::Geometry{}));
  static const std::set<std::string> kernels = names_of(intrinsics::grid_intrinsics());
  if (is_host_intrinsic(name) || device.contains(name) || kernels.contains(name)) return;
  const std::set<std::string> host = names_of(host_intrinsics());
  std::vector<std::string> known(host.begin(), host.end());
  known.insert(known.end(), device.begin(), device.end());
  VDLA_CHECK_USER(false) << "there is no intrinsic '" << name << "' to tensorize with, needs one of CPUs: "
                         << fmt::format("{}; or of the device: {}", fmt::join(host, ", "),
                                        fmt::join(device, ", "))
                         << did_you_mean(name, known);
}

}  // namespace

const std::vector<intrinsics::Intrinsic>& host_intrinsics() {
  static const std::vector<intrinsics::Intrinsic> table = [] {
    std::vector<intrinsics::Intrinsic> made;
    for (const DType data : {DType::U8, DType::I8})
      for (const std::int64_t lanes : {4, 8, 16}) made.push_back(dot4(data, lanes));
    for (const std::int64_t lanes : {4, 8, 16}) made.push_back(dot4(DType::I8, lanes, true));
    return made;
  }();
  return table;
}

bool is_host_intrinsic(std::string_view name) {
  return std::ranges::find(host_intrinsics(), name, &intrinsics::Intrinsic::name) != host_intrinsics().end();
}

loop::Func tensorize_for_host(const loop::Func& func) {
  loop::Func result = func;
  result.body = loop::rewrite(func.body, [](const loop::StmtPtr& s) {
    const auto* n = s->as<loop::Tensorize>();
    if (!n) return s;
    require_known(n->intrinsic);
    return is_host_intrinsic(n->intrinsic) ? match_any(n->body, n->intrinsic, host_intrinsics()) : n->body;
  });
  return result;
}

}  // namespace vdla::tensorize
