// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "compiler/pipeline/reference.h"
#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/session.h"
#include "tests/fuzz/small_function.h"
#include "tests/fuzz/target.h"

namespace vdla::fuzzing {
namespace {

constexpr std::int64_t kMaxWork = 100'000;

/// Networks of this process, by what became of them.
struct Counts {
  std::size_t accepted = 0, too_large = 0, ran = 0, compiled = 0, compared = 0;
};
Counts counts;

void print_counts() {
  fmt::print(stderr, "networks: {} accepted, {} too large to run, {} ran, {} compiled ran, {} compared\n",
             counts.accepted, counts.too_large, counts.ran, counts.compiled, counts.compared);
}

bool is_small(const graph::Graph& graph) {
  std::int64_t work = 0;
  const auto add = [&](std::int64_t more) { return (work = std::min(work, kMaxWork) + more) <= kMaxWork; };
  for (const graph::Tensor& tensor : graph.tensors) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : tensor.shape)
      if (__builtin_mul_overflow(elements, extent, &elements) || elements > kMaxWork) return false;
    if (!add(elements)) return false;
  }
  for (const graph::Node& node : graph.nodes)
    if (!add(work_of(pipeline::host_kernel(graph, node).func))) return false;
  return true;
}

/// Elements that any network may get: floats in a small range, numbers that may be indices, truths.
graph::Bytes drawn(const graph::Tensor& tensor, std::mt19937& random) {
  graph::Bytes bytes(tensor.bytes());
  const std::size_t size = graph::bytes_of(tensor.type);
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    const auto number = static_cast<std::int64_t>(random() % 8) - 3;
    const float real = static_cast<float>(number) / 2;
    const double wide = real;
    const bool truth = number > 0;
    const void* from = &number;
    if (tensor.type == graph::DataType::Float32) from = &real;
    if (tensor.type == graph::DataType::Float64) from = &wide;
    if (tensor.type == graph::DataType::Bool) from = &truth;
    std::memcpy(bytes.data() + at, from, size);
  }
  return bytes;
}

bool has_floats(const graph::Graph& graph) {
  return std::ranges::any_of(graph.tensors, [](const graph::Tensor& tensor) {
    using enum graph::DataType;
    return tensor.type == Float32 || tensor.type == Float64 || tensor.type == Float16 ||
           tensor.type == BFloat16;
  });
}

/// Whether the module takes an input as the network does, in type and order.
bool same_inputs(const runtime::Module& module, const graph::Graph& graph) {
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const runtime::Port& port = module.inputs.at(i);
    const graph::Tensor& tensor = graph.tensor(graph.inputs[i].tensor);
    const runtime::Tensor& there = module.tensors.at(static_cast<std::size_t>(port.tensor));
    if (there.shape != tensor.shape || runtime::name_of(there.type) != graph::name_of(tensor.type))
      return false;
  }
  return true;
}

}  // namespace

void run_network(const graph::Graph& graph) {
  if (counts.accepted++ == 0) std::atexit(print_counts);
  graph::verify(graph);
  if (!is_small(graph)) {
    ++counts.too_large;
    return;
  }
  std::mt19937 random(1);
  std::vector<graph::Bytes> inputs;
  for (const graph::Port& port : graph.inputs) inputs.push_back(drawn(graph.tensor(port.tensor), random));
  pipeline::Reference reference(graph);
  const std::vector<graph::Bytes> expected = reference.run(inputs);
  ++counts.ran;

  static const isa::Variant variant = isa::load_variant("tiny");
  pipeline::CompileOptions options;
  options.variant = variant;
  options.partition = pipeline::Partition::Capable;
  options.machine_code = false;
  runtime::Module module;
  if (!accepted([&] { module = kit::compile_module(graph, options); })) return;
  const bool same = same_inputs(module, graph);
  const std::string engine = runtime::needs_device(module) ? "functional" : "";
  std::vector<runtime::Bytes> given;
  if (same)
    given.assign(inputs.begin(), inputs.end());
  else
    for (const runtime::Port& port : module.inputs)
      given.emplace_back(module.tensors.at(static_cast<std::size_t>(port.tensor)).bytes());
  kit::Session session(std::move(module), engine, {.interpret = true});
  const std::vector<runtime::Bytes> outputs = session.run(given).outputs;
  ++counts.compiled;
  if (!same || has_floats(graph)) return;
  VDLA_CHECK(std::ranges::equal(outputs, expected)) << "compiled, a network of integers gives other bytes";
  ++counts.compared;
}

}  // namespace vdla::fuzzing
