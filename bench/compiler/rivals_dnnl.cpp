// SPDX-License-Identifier: Apache-2.0
// oneDNN, with layouts of its own choice; reorders are not part of the time.
#include <dnnl.hpp>

#include "bench/compiler/cpu_layers.h"
#include "bench/compiler/rivals.h"

namespace vdla::bench {
namespace {

using dnnl::memory;

/// Everything that a run needs.
struct Convolution {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::convolution_forward primitive;
  memory input, weights, bias, output;
};

memory plain(dnnl::engine& engine, const memory::dims& dims, memory::format_tag tag,
             std::span<const float> data) {
  return memory({dims, memory::data_type::f32, tag}, engine, const_cast<float*>(data.data()));
}

memory reordered(Convolution& c, memory from, const memory::desc& wanted) {
  if (from.get_desc() == wanted) return from;
  memory to(wanted, c.engine);
  dnnl::reorder(from, to).execute(c.stream, from, to);
  c.stream.wait();
  return to;
}

}  // namespace

void add_dnnl(std::vector<Rival>& rivals, const pipeline::cpu::Conv2d& conv, std::span<const float> image,
              std::span<const float> weights, std::span<const float> bias) {
  auto c = std::make_shared<Convolution>();
  const memory::dims in{1, conv.in_channels, conv.in_height, conv.in_width};
  const memory::dims kernel{conv.out_channels, conv.in_channels, conv.kernel_height, conv.kernel_width};
  const memory::dims out{1, conv.out_channels, conv.out_height(), conv.out_width()};
  const auto any = [](const memory::dims& dims) {
    return memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
  };
  dnnl::post_ops relu;
  if (conv.relu) relu.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(relu);
  const dnnl::convolution_forward::desc description(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto, any(in), any(kernel),
      memory::desc({conv.out_channels}, memory::data_type::f32, memory::format_tag::x), any(out),
      {conv.stride_height, conv.stride_width}, {conv.pad_top, conv.pad_left},
      {conv.pad_bottom, conv.pad_right});
  const dnnl::convolution_forward::primitive_desc chosen(description, attributes, c->engine);
  c->input = reordered(*c, plain(c->engine, in, memory::format_tag::nchw, image), chosen.src_desc());
  c->weights =
      reordered(*c, plain(c->engine, kernel, memory::format_tag::oihw, weights), chosen.weights_desc());
  c->bias = plain(c->engine, {conv.out_channels}, memory::format_tag::x, bias);
  c->output = memory(chosen.dst_desc(), c->engine);
  c->primitive = dnnl::convolution_forward(chosen);
  Rival rival{"oneDNN", {}, std::vector<float>(static_cast<std::size_t>(out[1] * out[2] * out[3]))};
  rival.run = [c] {
    c->primitive.execute(c->stream, {{DNNL_ARG_SRC, c->input},
                                     {DNNL_ARG_WEIGHTS, c->weights},
                                     {DNNL_ARG_BIAS, c->bias},
                                     {DNNL_ARG_DST, c->output}});
    c->stream.wait();
  };
  rival.run();
  memory result = plain(c->engine, out, memory::format_tag::nchw, rival.result);
  dnnl::reorder(c->output, result).execute(c->stream, c->output, result);
  c->stream.wait();
  rivals.push_back(std::move(rival));
}

void add_dnnl(std::vector<Rival>& rivals, std::int64_t m, std::int64_t n, std::int64_t k,
              std::span<const float> a, std::span<const float> b) {
  auto c = std::make_shared<std::vector<float>>(static_cast<std::size_t>(m * n));
  const auto run = [=] {
    dnnl::sgemm('N', 'N', m, n, k, 1.0f, a.data(), k, b.data(), n, 0.0f, c->data(), n);
  };
  run();
  rivals.push_back({"oneDNN", run, *c});
}

}  // namespace vdla::bench
