// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <dnnl.hpp>
#include <functional>

#include "bench/compiler/network_rivals.h"

namespace vdla::bench {
namespace {

using dnnl::memory;

memory::desc any(const memory::dims& dims) {
  return memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
}

std::function<void()> convolution(dnnl::engine& engine, dnnl::stream& stream, const graph::Graph& g,
                                  const graph::Node& node, const graph::Convolve& op) {
  const graph::Shape &x = g.tensor(node.inputs[0]).shape, &w = g.tensor(node.inputs[1]).shape,
                     &y = g.tensor(node.output).shape;
  memory::dims weights{w[0], w[1], w[2], w[3]};
  if (op.groups > 1) weights = {op.groups, w[0] / op.groups, w[1], w[2], w[3]};
  dnnl::post_ops relu;
  relu.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(relu);
  const dnnl::convolution_forward::desc description(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto, any({x[0], x[1], x[2], x[3]}),
      any(weights), memory::desc({w[0]}, memory::data_type::f32, memory::format_tag::x),
      any({y[0], y[1], y[2], y[3]}), {op.stride[0], op.stride[1]}, {op.dilation[0] - 1, op.dilation[1] - 1},
      {op.before[0], op.before[1]}, {op.after[0], op.after[1]});
  const dnnl::convolution_forward::primitive_desc chosen(description, attributes, engine);
  const memory in(chosen.src_desc(), engine), kernel(chosen.weights_desc(), engine),
      bias(chosen.bias_desc(), engine), out(chosen.dst_desc(), engine);
  // Numbers that are not zero: subnormal ones would be slow.
  for (const memory& m : {in, kernel, bias})
    std::fill_n(static_cast<float*>(m.get_data_handle()), m.get_desc().get_size() / 4, 0.01f);
  const dnnl::convolution_forward primitive(chosen);
  return [=, &stream] {
    primitive.execute(
        stream, {{DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, kernel}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, out}});
  };
}

std::function<void()> product(const graph::Graph& g, const graph::Node& node, const graph::MatMul& op) {
  const graph::Shape &a = g.tensor(node.inputs[0]).shape, &y = g.tensor(node.output).shape;
  const std::int64_t m = y[0], n = y[1], k = a[1];
  const bool transposed = op.transpose_b;
  return [=, left = std::vector<float>(static_cast<std::size_t>(m * k), 0.01f),
          right = std::vector<float>(static_cast<std::size_t>(k * n), 0.01f),
          result = std::vector<float>(static_cast<std::size_t>(m * n))]() mutable {
    dnnl::sgemm('N', transposed ? 'T' : 'N', m, n, k, 1.0f, left.data(), k, right.data(), transposed ? k : n,
                0.0f, result.data(), n);
  };
}

}  // namespace

std::optional<double> layers_alone(const graph::Graph& graph, double budget) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<std::function<void()>> layers;
  for (const graph::Node& node : graph.nodes) {
    const auto* conv = std::get_if<graph::Convolve>(&node.op);
    const auto* matmul = std::get_if<graph::MatMul>(&node.op);
    if (conv && conv->stride.size() == 2) layers.push_back(convolution(engine, stream, graph, node, *conv));
    if (matmul && graph.tensor(node.inputs[1]).constant() && graph.tensor(node.output).shape.size() == 2)
      layers.push_back(product(graph, node, *matmul));
  }
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  const auto start = Clock::now();
  for (int round = 0; round < 5 || Clock::now() - start < std::chrono::duration<double>(budget); ++round) {
    const auto begin = Clock::now();
    for (const auto& layer : layers) layer();
    stream.wait();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

}  // namespace vdla::bench
