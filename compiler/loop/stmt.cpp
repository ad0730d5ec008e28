// SPDX-License-Identifier: Apache-2.0
// Makers of statements, with the checks that need no context.
#include "compiler/loop/stmt.h"

#include "compiler/expr/affine.h"
#include "support/dimensions.h"
#include "support/error.h"

namespace vdla::loop {
namespace {

template <class T>
StmtPtr make(T node) {
  return std::make_shared<const Stmt>(Stmt{std::move(node)});
}

void check_indices(const BufferPtr& buffer, const std::vector<ExprPtr>& indices) {
  VDLA_CHECK_USER(indices.size() == buffer->shape.size())
      << "buffer '" << buffer->name << "' has " << buffer->shape.size() << " dimensions, got "
      << indices.size() << " indices";
  for (const ExprPtr& index : indices) {
    VDLA_CHECK_USER(index->dtype == expr::kIndex) << "index of '" << buffer->name << "' must be "
                                                  << name(expr::kIndex) << ", got " << name(index->dtype);
  }
}

void check_region(const std::string& call, const Region& region) {
  check_indices(region.buffer, region.origin);
  VDLA_CHECK_USER(region.extents.size() == region.strides.size())
      << "intrinsic '" << call << "': region of '" << region.buffer->name << "' has " << region.extents.size()
      << " extents and " << region.strides.size() << " strides, needs as many";
  VDLA_CHECK_USER(region.extents.size() <= kMostDimensions)
      << "intrinsic '" << call << "': region of '" << region.buffer->name << "' "
      << too_many_dimensions(region.extents.size());
  for (std::int64_t extent : region.extents) {
    VDLA_CHECK_USER(extent > 0) << "intrinsic '" << call << "': region of '" << region.buffer->name
                                << "' needs positive extents, got " << extent;
  }
}

void append_flat(const StmtPtr& s, std::vector<StmtPtr>& out) {
  if (const auto* nested = s->as<Seq>()) {
    for (const StmtPtr& inner : nested->body) append_flat(inner, out);
  } else {
    out.push_back(s);
  }
}

}  // namespace

std::string_view name(Direction direction) {
  switch (direction) {
    case Direction::In:
      return "in";
    case Direction::Out:
      return "out";
    case Direction::InOut:
      return "inout";
  }
  return "";
}

StmtPtr make_for(VarPtr var, ExprPtr min, ExprPtr extent, ForKind kind, StmtPtr body) {
  VDLA_CHECK_USER(var->dtype == expr::kIndex && min->dtype == expr::kIndex && extent->dtype == expr::kIndex)
      << "loop '" << var->name << "' needs variable, start and extent of type " << name(expr::kIndex);
  const auto first = expr::as_constant(min), count = expr::as_constant(extent);
  std::int64_t end = 0;
  VDLA_CHECK_USER(!first || !count || !__builtin_add_overflow(*first, *count, &end))
      << "loop '" << var->name << "' has " << *count << " iterations from " << *first
      << " on, which ends beyond 64 bits";
  return make(For{std::move(var), std::move(min), std::move(extent), kind, std::move(body)});
}

StmtPtr make_for(VarPtr var, std::int64_t extent, StmtPtr body, ForKind kind) {
  return make_for(std::move(var), expr::int_imm(0), expr::int_imm(extent), kind, std::move(body));
}

StmtPtr allocate(BufferPtr buffer, StmtPtr body, std::int64_t parts, bool held) {
  return make(Allocate{std::move(buffer), std::move(body), parts, held});
}

StmtPtr store(BufferPtr buffer, std::vector<ExprPtr> indices, ExprPtr value) {
  check_indices(buffer, indices);
  VDLA_CHECK_USER(value->dtype == buffer->dtype)
      << "store of " << name(value->dtype) << " to '" << buffer->name << "' of type " << name(buffer->dtype)
      << "; cast it";
  return make(Store{std::move(buffer), std::move(indices), std::move(value)});
}

StmtPtr if_then_else(ExprPtr condition, StmtPtr then_body, StmtPtr else_body) {
  VDLA_CHECK_USER(condition->dtype == DType::Bool)
      << "the condition of if must be bool, got " << name(condition->dtype);
  return make(IfThenElse{std::move(condition), std::move(then_body), std::move(else_body)});
}

StmtPtr seq(const std::vector<StmtPtr>& body) {
  std::vector<StmtPtr> flat;
  for (const StmtPtr& s : body) append_flat(s, flat);
  return flat.size() == 1 ? flat[0] : make(Seq{std::move(flat)});
}

StmtPtr intrinsic_call(IntrinsicCall call) {
  for (const Region& region : call.outputs) check_region(call.name, region);
  for (const Region& region : call.inputs) check_region(call.name, region);
  VDLA_CHECK_USER(!call.reset || call.reset->dtype == DType::Bool)
      << "intrinsic '" << call.name << "': reset must be bool, got " << name(call.reset->dtype);
  return make(std::move(call));
}

StmtPtr tensorize(std::string intrinsic, StmtPtr body) {
  return make(Tensorize{std::move(intrinsic), std::move(body)});
}

StmtPtr barrier() { return intrinsic_call({kBarrier, {}, {}, {}, nullptr}); }

bool is_barrier(const IntrinsicCall& call) { return call.name == kBarrier; }

bool is_nop(const StmtPtr& s) {
  const auto* sequence = s->as<Seq>();
  return sequence && sequence->body.empty();
}

ExprPtr find_attribute(const IntrinsicCall& call, std::string_view name) {
  for (const Attribute& attribute : call.attributes) {
    if (attribute.name == name) return attribute.value;
  }
  return nullptr;
}

std::int64_t element_count(const Region& region) {
  std::int64_t count = 1;
  for (std::int64_t extent : region.extents) count *= extent;
  return count;
}

}  // namespace vdla::loop
