// SPDX-License-Identifier: Apache-2.0
// Every declaration matches a nest that is written out from it, and the call names the same declaration,
// operands and attributes.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/expr/visit.h"
#include "compiler/intrinsics/grid.h"
#include "compiler/intrinsics/table.h"
#include "compiler/loop/print.h"
#include "compiler/tensorize/host_table.h"
#include "compiler/tensorize/match.h"
#include "isa/spec/operations.h"

namespace vdla::tensorize {
namespace {

using expr::ExprPtr;

/// Whether the immediate of an operation of the vector unit stands in a sum with its zero point.
bool adds_immediate(const std::string& name) {
  const auto row = std::ranges::find(isa::kOperations, name, &isa::Operation::text);
  if (row == isa::kOperations.end()) return false;
  return row->combine == isa::Combine::Max || row->combine == isa::Combine::Min || row->b.absent == 0;
}

/// A value for each attribute that tells them apart. The zero point is 0 where it may be in one sum with
/// another attribute.
std::int64_t value_of(const intrinsics::FreeAttribute& a, bool zero_point) {
  const std::string& name = a.variable->name;
  if (name == "clamp_min") return -77;
  if (name == "clamp_max") return 88;
  if (name == "half") return 4;
  if (name == "shift") return 33;
  if (name == "out_zero") return zero_point ? 5 : 0;
  return name == "imm" ? 123456 : -9;
}

struct Written {
  loop::StmtPtr nest;
  expr::Substitution attributes;
};

Written write_out(const intrinsics::Intrinsic& intrinsic, const ExprPtr& outer) {
  Written result;
  std::vector<expr::BufferPtr> buffers;
  const auto make = [](const intrinsics::Operand& operand) {
    std::vector<std::int64_t> shape = operand.tensor.shape();
    shape.insert(shape.begin(), 6);
    return expr::make_buffer(operand.role, operand.tensor.dtype(), shape, operand.scope());
  };
  for (const intrinsics::Operand& operand : intrinsic.inputs) buffers.push_back(make(operand));
  const bool sum = adds_immediate(intrinsic.name);
  for (const intrinsics::FreeAttribute& a : intrinsic.attributes) {
    result.attributes[a.variable] = expr::int_imm(value_of(a, !sum), a.variable->dtype);
  }
  const expr::Compute& compute = intrinsic.behaviour;
  const expr::Reduce* reduction = compute.reduction();
  ExprPtr value = expr::rewrite(reduction ? reduction->sources[0] : compute.body, [&](const ExprPtr& e) {
    const auto* read = e->as<expr::Read>();
    if (!read) return e;
    for (std::size_t i = 0; i < intrinsic.inputs.size(); ++i) {
      if (intrinsic.inputs[i].tensor.node() != read->tensor) continue;
      std::vector<ExprPtr> indices = read->indices;
      indices.insert(indices.begin(), outer);
      return expr::load(buffers[i], indices);
    }
    return e;
  });
  value = expr::substitute(value, result.attributes);
  const expr::BufferPtr dst = make(intrinsic.output);
  std::vector<ExprPtr> at{outer};
  for (const expr::IterVar& axis : compute.axes) at.push_back(expr::var_ref(axis.var()));
  if (intrinsic.accumulates) {
    ExprPtr reset = expr::binary(expr::BinaryOp::Eq, outer, expr::int_imm(0));
    for (const expr::IterVar& axis : compute.reduce_axes()) {
      reset = expr::binary(expr::BinaryOp::And, reset,
                           expr::binary(expr::BinaryOp::Eq, expr::var_ref(axis.var()), expr::int_imm(0)));
    }
    const ExprPtr old =
        expr::select(reset, expr::identity(*intrinsic.accumulates, dst->dtype), expr::load(dst, at));
    value = expr::combine(*intrinsic.accumulates, old, value);
  }
  result.nest = loop::store(dst, at, value);
  for (const auto& axes : {compute.reduce_axes(), compute.axes}) {
    for (auto it = axes.rbegin(); it != axes.rend(); ++it)
      result.nest = loop::make_for(it->var(), it->extent(), result.nest);
  }
  return result;
}

void expect_each_matches_itself(std::span<const intrinsics::Intrinsic> table) {
  const ExprPtr outer = expr::var_ref(expr::make_var("y"));
  for (const intrinsics::Intrinsic& intrinsic : table) {
    const Written written = write_out(intrinsic, outer);
    SCOPED_TRACE(intrinsic.variant + "\n" + loop::to_string(written.nest));
    const Match own = match(written.nest, intrinsic);
    ASSERT_TRUE(own.call) << own.reason;
    const loop::StmtPtr replaced = match_any(written.nest, intrinsic.name, table);
    const auto* call = replaced->as<loop::IntrinsicCall>();
    ASSERT_TRUE(call);
    EXPECT_EQ(find(table, *call), &intrinsic);
    for (const auto& [variable, value] : written.attributes) {
      const ExprPtr bound = loop::find_attribute(*call, variable->name);
      ASSERT_TRUE(bound) << variable->name;
      EXPECT_TRUE(expr::equal(bound, value)) << variable->name;
    }
  }
}

class SelfMatch : public ::testing::TestWithParam<unsigned> {};

TEST_P(SelfMatch, EveryDeclarationMatchesItself) {
  isa::Geometry g;
  g.batch = GetParam();
  g.block_in = g.block_out = 4;
  expect_each_matches_itself(intrinsics::device_intrinsics(g));
}

TEST(SelfMatchOnHosts, EveryDeclarationMatchesItself) { expect_each_matches_itself(host_intrinsics()); }

TEST(SelfMatchOfKernels, EveryDeclarationMatchesItself) {
  expect_each_matches_itself(intrinsics::grid_intrinsics());
}

INSTANTIATE_TEST_SUITE_P(Batches, SelfMatch, ::testing::Values(1u, 2u),
                         [](const auto& info) { return "of" + std::to_string(info.param); });

}  // namespace
}  // namespace vdla::tensorize
