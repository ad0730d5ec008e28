// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/storage.h"

#include "compiler/loop/replace_buffers.h"
#include "compiler/loop/visit.h"
#include "support/error.h"

namespace vdla::pipeline::device {
loop::Func with_storage(const loop::Func& func, std::size_t index, const std::string& scope,
                        const std::vector<std::int64_t>& strides) {
  loop::Func view = func;
  const expr::BufferPtr old = func.params[index].buffer;
  if (old->strides == strides && old->scope == scope) return view;
  const expr::BufferPtr strided = expr::make_buffer(old->name, old->dtype, old->shape, scope, strides);
  view.params[index].buffer = strided;
  // Regions keep the strides of their elements, so no call may have one: these strides are others.
  loop::visit(func.body, [](const loop::StmtPtr& s) { VDLA_CHECK(!s->as<loop::IntrinsicCall>()); });
  view.body = loop::replace_buffers(func.body, {{old.get(), {strided, [](const auto& i) { return i; }}}});
  return view;
}

}  // namespace vdla::pipeline::device
