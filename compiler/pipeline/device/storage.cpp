// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/device/storage.h"

#include "compiler/expr/visit.h"
#include "compiler/loop/visit.h"
#include "support/error.h"

namespace vdla::pipeline::device {
namespace {

using expr::BufferPtr;
using expr::ExprPtr;
using loop::StmtPtr;

ExprPtr with_buffer(const ExprPtr& whole, const BufferPtr& from, const BufferPtr& to) {
  return expr::rewrite(whole, [&](const ExprPtr& e) {
    const auto* load = e->as<expr::Load>();
    return load && load->buffer == from ? expr::load(to, load->indices) : e;
  });
}

/// Loads and stores of `from` go to `to`. Before tensorization.
StmtPtr with_buffer(const StmtPtr& whole, const BufferPtr& from, const BufferPtr& to) {
  return loop::rewrite(whole, [&](const StmtPtr& s) {
    VDLA_CHECK(!s->as<loop::IntrinsicCall>());
    StmtPtr mapped = loop::map_expressions(s, [&](const ExprPtr& e) { return with_buffer(e, from, to); });
    const auto* store = mapped->as<loop::Store>();
    return store && store->buffer == from ? loop::store(to, store->indices, store->value) : mapped;
  });
}

}  // namespace

loop::Func with_storage(const loop::Func& func, std::size_t index, const std::string& scope,
                        const std::vector<std::int64_t>& strides) {
  loop::Func view = func;
  const BufferPtr old = func.params[index].buffer;
  if (old->strides == strides && old->scope == scope) return view;
  const BufferPtr strided = expr::make_buffer(old->name, old->dtype, old->shape, scope, strides);
  view.params[index].buffer = strided;
  view.body = with_buffer(func.body, old, strided);
  return view;
}

}  // namespace vdla::pipeline::device
