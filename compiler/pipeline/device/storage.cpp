// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/device/storage.h"

#include <algorithm>

#include "compiler/expr/affine.h"
#include "compiler/expr/visit.h"
#include "compiler/loop/visit.h"
#include "support/error.h"

namespace vdla::pipeline::device {
namespace {

using expr::BufferPtr;
using expr::ExprPtr;
using loop::StmtPtr;

/// Where an element of one buffer lies in another: further by so much along each dimension; empty: not moved.
using Distance = std::vector<ExprPtr>;

std::vector<ExprPtr> moved(std::vector<ExprPtr> indices, const Distance& distance) {
  for (std::size_t d = 0; d < distance.size(); ++d)
    indices[d] = expr::binary(expr::BinaryOp::Add, indices[d], distance[d]);
  return indices;
}

ExprPtr with_buffer(const ExprPtr& whole, const BufferPtr& from, const BufferPtr& to,
                    const Distance& distance) {
  return expr::rewrite(whole, [&](const ExprPtr& e) {
    const auto* load = e->as<expr::Load>();
    return load && load->buffer == from ? expr::load(to, moved(load->indices, distance)) : e;
  });
}

/// Loads and stores of `from` go to `to`; an allocation of `from` is dropped. Before tensorization.
StmtPtr with_buffer(const StmtPtr& whole, const BufferPtr& from, const BufferPtr& to,
                    const Distance& distance = {}) {
  return loop::rewrite(whole, [&](const StmtPtr& s) {
    VDLA_CHECK(!s->as<loop::IntrinsicCall>());
    if (const auto* allocate = s->as<loop::Allocate>(); allocate && allocate->buffer == from) {
      return allocate->body;
    }
    StmtPtr mapped =
        loop::map_expressions(s, [&](const ExprPtr& e) { return with_buffer(e, from, to, distance); });
    const auto* store = mapped->as<loop::Store>();
    return store && store->buffer == from ? loop::store(to, moved(store->indices, distance), store->value)
                                          : mapped;
  });
}

BufferPtr allocated(const loop::Func& func, const std::string& name) {
  BufferPtr found;
  loop::visit(func.body, [&](const StmtPtr& s) {
    const auto* allocate = s->as<loop::Allocate>();
    if (allocate && allocate->buffer->name == name) found = allocate->buffer;
  });
  VDLA_CHECK(found);
  return found;
}

bool same_place(const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ExprPtr& x, const ExprPtr& y) { return expr::equal(x, y); });
}

/// Each load of `buffer` in a store to another one.
template <class F>
void visit_readers(const loop::Func& func, const BufferPtr& buffer, const F& f) {
  loop::visit(func.body, [&](const StmtPtr& s) {
    const auto* store = s->as<loop::Store>();
    if (!store || store->buffer == buffer) return;
    expr::visit(store->value, [&](const ExprPtr& e) {
      const auto* load = e->as<expr::Load>();
      if (load && load->buffer == buffer) f(*store, *load);
    });
  });
}

bool reads(const loop::Store& store, const BufferPtr& buffer) {
  bool found = false;
  expr::visit(store.value, [&](const ExprPtr& e) {
    const auto* load = e->as<expr::Load>();
    found = found || (load && load->buffer == buffer);
  });
  return found;
}

void check_alike(const BufferPtr& a, const BufferPtr& b) {
  VDLA_CHECK(a->shape == b->shape && a->dtype == b->dtype && a->scope == b->scope);
}

/// `from`, without an allocation of its own, in `to`.
loop::Func stored_in(const loop::Func& func, const BufferPtr& from, const BufferPtr& to,
                     const Distance& distance = {}) {
  loop::Func shared = func;
  shared.body = with_buffer(func.body, from, to, distance);
  return shared;
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

loop::Func in_place(const loop::Func& func, const std::string& operand, const std::string& result) {
  const BufferPtr from = allocated(func, result), to = allocated(func, operand);
  check_alike(from, to);
  visit_readers(func, to, [&](const loop::Store& store, const expr::Load& load) {
    VDLA_CHECK(store.buffer == from && same_place(store.indices, load.indices));
  });
  return stored_in(func, from, to);
}

loop::Func take_over(const loop::Func& func, const std::string& operand, const std::string& reader,
                     const std::string& later) {
  const BufferPtr from = allocated(func, later), to = allocated(func, operand), by = allocated(func, reader);
  VDLA_CHECK(from->shape == by->shape && from->dtype == to->dtype && from->scope == to->scope &&
             from->shape.size() == to->shape.size());
  Distance distance;
  visit_readers(func, to, [&](const loop::Store& store, const expr::Load& load) {
    VDLA_CHECK(store.buffer == by && distance.empty());
    for (std::size_t d = 0; d < load.indices.size(); ++d)
      distance.push_back(expr::to_expr(expr::to_affine(load.indices[d]) - expr::to_affine(store.indices[d])));
  });
  VDLA_CHECK(!distance.empty());
  return stored_in(func, from, to, distance);
}

loop::Func follow(const loop::Func& func, const std::string& operand, const std::string& later) {
  const BufferPtr from = allocated(func, later), to = allocated(func, operand);
  check_alike(from, to);
  const loop::Store* first_writer = nullptr;
  loop::visit(func.body, [&](const StmtPtr& s) {
    const auto* store = s->as<loop::Store>();
    if (store && store->buffer == from && !first_writer) first_writer = store;
    if (store && first_writer) {
      VDLA_CHECK(!reads(*store, to));
    }
  });
  return stored_in(func, from, to);
}

}  // namespace vdla::pipeline::device
