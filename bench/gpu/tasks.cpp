// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/tasks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "bench/gpu/networks.h"
#include "bench/paper/published.h"
#include "compiler/expr/dsl.h"
#include "compiler/graph/fuse.h"
#include "compiler/graph/requant.h"
#include "compiler/import/import.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "compiler/zoo/zoo.h"
#include "kit/network.h"
#include "support/overloaded.h"
#include "support/temporary.h"

namespace vdla::bench::gpu {
namespace {

using graph::DataType;
using graph::TensorId;

TensorId add_input(graph::Graph& g, const char* name, graph::Shape shape, DataType type = DataType::Float32) {
  const TensorId id = g.add_tensor({name, type, std::move(shape), {}, {}});
  g.add_input(id);
  return id;
}

/// Its values are set when the package is made.
TensorId add_weights(graph::Graph& g, graph::Shape shape) {
  const auto count = static_cast<std::size_t>(graph::element_count(shape));
  return g.add_constant("weights", DataType::Float32, std::move(shape),
                        graph::to_bytes(std::vector<float>(count)));
}

Workload product(const std::string& id, std::int64_t n, bool is_transposed) {
  Workload w{
      id,
      {{"kind", "matmul"}, {"type", "f32"}, {"m", n}, {"n", n}, {"k", n}, {"transposed_a", is_transposed}},
      2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n),
      true,
      1e-5,
      {},
      true};
  graph::Graph g;
  g.name = id;
  const TensorId a = add_input(g, "a", {n, n}), b = add_input(g, "b", {n, n});
  g.add_output(g.add_node("product", graph::MatMul{is_transposed, false}, {a, b}));
  w.graph = pipeline::run_passes(g);
  return w;
}

/// Product of operands that both have their terms beside each other, with the result as float32, which sums
/// of int8 are small enough for.
Workload narrow_product(const std::string& id, DataType type, const char* name, std::int64_t n,
                        double tolerance) {
  Workload w{id,
             {{"kind", "matmul"},
              {"type", name},
              {"m", n},
              {"n", n},
              {"k", n},
              {"transposed_a", false},
              {"transposed_b", true}},
             2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n),
             true,
             tolerance,
             {},
             true};
  graph::Graph g;
  g.name = id;
  const TensorId a = add_input(g, "a", {n, n}, type), b = add_input(g, "b", {n, n}, type);
  const TensorId product = g.add_node("product", graph::MatMul{false, true}, {a, b});
  graph::Map map{"widen", {expr::make_var("v", graph::dtype_of(g.tensor(product).type))}, nullptr};
  map.body = expr::cast(expr::DType::F32, expr::var_ref(map.arguments[0]));
  g.add_output(g.add_node("widened", map, {product}));
  w.graph = pipeline::run_passes(g);
  return w;
}

/// A layer of one image, padded by half its kernel.
Json about(const paper::Workload& of, const char* type) {
  const auto [size, in, out, kernel, stride] = of.shape;
  return {{"kind", of.depthwise ? "depthwise" : "conv2d"},
          {"type", type},
          {"batch", 1},
          {"in_channels", in},
          {"out_channels", out},
          {"channels", in},
          {"height", size},
          {"width", size},
          {"kernel", kernel},
          {"stride", stride},
          {"padding", kernel / 2}};
}

Workload layer(const paper::Workload& of) {
  const auto [size, in, out, kernel, stride] = of.shape;
  const std::int64_t pad = kernel / 2;
  Workload w{of.id, about(of, "f32"), 2e6 * of.mmac, true, 1e-5, {}, true};
  graph::Graph g;
  g.name = of.id;
  const TensorId x = add_input(g, "x", {1, in, size, size});
  const TensorId weights = add_weights(g, {out, of.depthwise ? 1 : in, kernel, kernel});
  const graph::Convolve op{{stride, stride}, {1, 1}, {pad, pad}, {pad, pad}, of.depthwise ? in : 1};
  g.add_output(g.add_node("layer", op, {x, weights}));
  w.graph = pipeline::run_passes(g);
  return w;
}

/// Drawn int8 or int32.
template <class T>
TensorId add_drawn(graph::Graph& g, const char* name, DataType type, graph::Shape shape, int most) {
  std::mt19937 random(static_cast<unsigned>(g.tensors.size()));
  std::vector<T> values(static_cast<std::size_t>(graph::element_count(shape)));
  for (T& value : values)
    value = static_cast<T>(static_cast<int>(random() % (2u * static_cast<unsigned>(most) + 1)) - most);
  return g.add_constant(name, type, std::move(shape), graph::to_bytes(values));
}

/// A convolution as quantised networks have it: int8 with channels last, a bias, the output stage. Its
/// multiplier keeps most of the sums of drawn numbers within int8.
Workload quantized_layer(const paper::Workload& of) {
  const auto [size, in, out, kernel, stride] = of.shape;
  const std::int64_t pad = kernel / 2;
  Workload w{of.id + "-i8", about(of, "i8"), 2e6 * of.mmac, true, 0, {}, false};
  graph::Graph g;
  g.name = w.id;
  const TensorId x = add_input(g, "x", {1, size, size, in}, DataType::Int8);
  const TensorId weights =
      add_drawn<std::int8_t>(g, "weights", DataType::Int8, {out, kernel, kernel, in}, 127);
  const TensorId bias = add_drawn<std::int32_t>(g, "bias", DataType::Int32, {out}, 10000);
  graph::Conv2d op{{stride, stride}, {1, 1}, {pad, pad, pad, pad}, 1, -128, 0, {}};
  const double spread = 73.0 * 147.0 * std::sqrt(static_cast<double>(in * kernel * kernel));
  op.out.multiplier = {graph::multiplier_of(64 / spread)};
  g.add_output(g.add_node("layer", op, {x, weights, bias}));
  w.graph = pipeline::run_passes(g);
  return w;
}

graph::Graph zoo_network(const std::string& name) {
  const Temporary folder(std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "a network");
  const std::string path = (folder.path() / "network.onnx").string();
  std::ofstream(path, std::ios::binary) << zoo::make_onnx(name, 1, zoo::Form::Float);
  return pipeline::run_passes(import::import_model(path));
}

}  // namespace

std::vector<Workload> measured_workloads(const pipeline::gpu::GpuProfile& profile) {
  if (profile.has_tf32) return {narrow_product("tgemm-4096", DataType::Float32, "tf32", 4096, 2e-3)};
  std::vector<Workload> all;
  all.push_back(product("sgemm-4096", 4096, false));
  for (const std::int64_t n : {4096, 2048, 1024})
    all.push_back(product(fmt::format("sgemm-{}-tn", n), n, true));
  all.push_back(narrow_product("hgemm-4096", DataType::Float16, "f16", 4096, 2e-3));
  all.push_back(narrow_product("igemm-4096", DataType::Int8, "i8", 4096, 0));
  for (const paper::Workload& of : paper::table2()) all.push_back(layer(of));
  for (const paper::Workload& of : paper::table2())
    if (!of.depthwise) all.push_back(quantized_layer(of));
  all.push_back({"resnet18",
                 {{"kind", "network"}, {"type", "f32"}, {"batch", 1}},
                 2.0 * static_cast<double>(zoo::entry("resnet18").macs),
                 true,
                 1e-4,
                 zoo_network("resnet18"),
                 true});
  for (const Chain& c : chains()) {
    Json about{{"kind", "network"}, {"type", "f32"}, {"batch", 1}};
    about.update(to_json(c));
    all.push_back({c.id, about, flops_of(c), true, 1e-4, pipeline::run_passes(graph_of(c)), true});
  }
  return all;
}

Workload network_workload(const std::string& path) {
  Workload w{std::filesystem::path(path).stem().string(),
             {{"kind", "network"}, {"checked", true}},
             0,
             false,
             1e-4,
             pipeline::run_passes(kit::read_network(path)),
             false};
  return w;
}

std::string key_of(const graph::Graph& graph, std::span<const graph::NodeId> group) {
  std::string key;
  for (const graph::NodeId id : group) {
    const graph::Node& node = graph.node(id);
    if (graph::is_injective(fusion_class_of(node.op))) continue;
    key += graph::name_of(node.op);
    const graph::DataType type = graph.tensor(node.inputs[0]).type;
    if (type != graph::DataType::Float32) key += fmt::format(" {}", graph::name_of(type));
    for (const TensorId input : node.inputs)
      if (input != graph::kNone) key += " " + graph::to_string(graph.tensor(input).shape);
    key += " > " + graph::to_string(graph.tensor(node.output).shape);
    if (const auto* c = std::get_if<graph::Convolve>(&node.op))
      key += fmt::format(" /{} groups {}", fmt::join(c->stride, "x"), c->groups);
  }
  return key;
}

}  // namespace vdla::bench::gpu
