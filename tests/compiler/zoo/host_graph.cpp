// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/zoo/host_graph.h"

#include <cstring>

#include "compiler/import/import.h"
#include "compiler/zoo/samples.h"
#include "compiler/zoo/zoo.h"
#include "support/error.h"

namespace vdla::testing {

HostGraph::HostGraph(graph::Graph graph) : graph_(std::move(graph)) {
  for (const graph::Tensor& t : graph_.tensors)
    memory_.push_back(t.constant() ? *t.data : graph::Bytes(t.bytes()));
  for (const graph::Node& node : graph_.nodes) {
    pipeline::HostKernel kernel = pipeline::host_kernel(graph_, node);
    steps_.push_back({jit_.add(kernel.func), std::move(kernel.arguments)});
  }
}

void HostGraph::run(std::span<const std::int8_t> input) {
  graph::Bytes& to = memory_.at(static_cast<std::size_t>(graph_.inputs.at(0).tensor));
  VDLA_CHECK(to.size() == input.size()) << to.size() << " and " << input.size();
  std::memcpy(to.data(), input.data(), input.size());
  for (const HostCall& step : steps_) {
    std::vector<void*> pointers;
    for (const pipeline::KernelArgument& a : step.arguments)
      pointers.push_back(a.tensor == graph::kNone ? const_cast<std::byte*>(a.data->data())
                                                  : memory_[static_cast<std::size_t>(a.tensor)].data());
    step.function(pointers.data());
  }
}

void Histogram::add(std::span<const std::byte> elements) {
  for (std::byte b : elements) ++count[static_cast<std::size_t>(b ^ std::byte{0x80})];
}

int Histogram::distinct() const {
  int n = 0;
  for (std::int64_t c : count) n += c > 0;
  return n;
}

double Histogram::saturated(std::int32_t zero_point) const {
  std::int64_t total = 0;
  for (std::int64_t c : count) total += c;
  const std::int64_t low = zero_point == -128 ? 0 : count[0];
  return static_cast<double>(low + count[255]) / static_cast<double>(total);
}

namespace {

void expect_good(const graph::Graph& g, const graph::Node& node, const Histogram& h, int image) {
  EXPECT_GE(h.distinct(), 64) << g.name << " " << node.name << ", image " << image;
  EXPECT_LT(h.saturated(g.tensor(node.output).quantization.zero_point.at(0)), 0.05)
      << g.name << " " << node.name << ", image " << image;
}

}  // namespace

void expect_good_ranges(const std::string& network, std::uint64_t seed, int images) {
  const std::string bytes = zoo::make_onnx(network, seed, zoo::Form::Qdq);
  HostGraph net(import::import_onnx(std::as_bytes(std::span(bytes)), network));
  const graph::Graph& g = net.graph();
  const graph::Shape& in = g.tensor(g.inputs.at(0).tensor).shape;
  const zoo::Image shape{in.at(1), in.at(2), in.at(3)};
  const auto samples = zoo::sample_images(shape, images, seed + 1000);
  std::vector<Histogram> all(g.nodes.size());
  for (int image = 0; image < images; ++image) {
    const auto size = static_cast<std::size_t>(shape.count());
    net.run(std::span(samples).subspan(static_cast<std::size_t>(image) * size, size));
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
      const std::span<const std::byte> values = net.tensor(g.nodes[n].output);
      all[n].add(values);
      Histogram one;
      one.add(values);
      if (values.size() >= 1000 && image % 2 == 0) expect_good(g, g.nodes[n], one, image);  // noise
    }
  }
  for (std::size_t n = 0; n < g.nodes.size(); ++n) expect_good(g, g.nodes[n], all[n], -1);
}

}  // namespace vdla::testing
