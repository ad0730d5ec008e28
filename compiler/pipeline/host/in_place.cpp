// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/host/in_place.h"

#include <algorithm>
#include <utility>

#include "compiler/expr/dsl.h"
#include "compiler/expr/visit.h"
#include "compiler/graph/ops.h"
#include "compiler/loop/visit.h"
#include "support/error.h"

namespace vdla::pipeline {
namespace {

using expr::BufferPtr;
using expr::ExprPtr;
using graph::TensorId;
using loop::StmtPtr;

/// Whether one of the functions makes the tensor for this reader alone.
bool is_made_for(const graph::Graph& graph, TensorId id, graph::NodeId reader,
                 const std::vector<std::vector<graph::NodeId>>& functions) {
  const auto makes = [&](const std::vector<graph::NodeId>& f) {
    const graph::Node& last = graph.node(f.back());
    return last.output == id &&
           !std::holds_alternative<graph::Concat>(last.op);  // that might lie in this one
  };
  if (id == graph::kNone || std::ranges::none_of(functions, makes)) return false;
  if (std::ranges::find(graph.outputs, id, &graph::Port::tensor) != graph.outputs.end()) return false;
  for (graph::NodeId n = 0; n < static_cast<graph::NodeId>(graph.nodes.size()); ++n) {
    const auto times = std::ranges::count(graph.node(n).inputs, id);
    if (times != (n == reader ? 1 : 0)) return false;
  }
  return true;
}

}  // namespace

HostSlices slices_of(const graph::Graph& graph, graph::NodeId concatenation,
                     const std::vector<std::vector<graph::NodeId>>& functions) {
  const graph::Node& node = graph.node(concatenation);
  const auto* op = std::get_if<graph::Concat>(&node.op);
  if (!op) return {};
  const graph::Tensor& whole = graph.tensor(node.output);
  const auto rank = static_cast<int>(whole.shape.size());
  HostSlice slice{node.output, static_cast<std::size_t>(op->axis < 0 ? op->axis + rank : op->axis), 0};
  HostSlices slices;
  for (const TensorId id : node.inputs) {
    if (!is_made_for(graph, id, concatenation, functions)) return {};
    slices[id] = slice;
    slice.first += graph.tensor(id).shape[slice.axis];
  }
  return slices;
}

HostKernel stored_in(HostKernel kernel, const graph::Graph& graph, const HostSlice& slice) {
  KernelArgument& argument = kernel.arguments.back();
  loop::Param& result = kernel.func.params.back();
  VDLA_CHECK(result.direction == loop::Direction::Out) << kernel.func.name;
  const BufferPtr own = result.buffer;
  const BufferPtr whole =
      expr::make_buffer(own->name, own->dtype, graph.tensor(slice.whole).shape, own->scope);
  const auto moved = [&](std::vector<ExprPtr> indices) {
    ExprPtr& index = indices.at(slice.axis);
    if (slice.first > 0) index = (expr::Value(index) + expr::Value(slice.first)).expr();
    return indices;
  };
  const auto in_whole = [&](const ExprPtr& any) {
    return expr::rewrite(any, [&](const ExprPtr& e) {
      const auto* load = e->as<expr::Load>();
      return load && load->buffer == own ? expr::load(whole, moved(load->indices)) : e;
    });
  };
  kernel.func.body = loop::rewrite(kernel.func.body, [&](const StmtPtr& s) {
    VDLA_CHECK(!s->as<loop::IntrinsicCall>()) << kernel.func.name;
    StmtPtr mapped = loop::map_expressions(s, in_whole);
    const auto* store = mapped->as<loop::Store>();
    return store && store->buffer == own ? loop::store(whole, moved(store->indices), store->value) : mapped;
  });
  result = {whole, loop::Direction::InOut};  // of what it does not store it leaves what was there
  argument.tensor = slice.whole;
  return kernel;
}

}  // namespace vdla::pipeline
