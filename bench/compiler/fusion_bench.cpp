// SPDX-License-Identifier: Apache-2.0
// Gain of fusion on one core: the workloads of Figure 4 of the TVM paper (OSDI 2018), compiled for this
// machine with fusion and without and run in turn; the fastest run of each function counts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <random>

#include "compiler/expr/dsl.h"
#include "compiler/pipeline/compile.h"
#include "kit/module.h"
#include "runtime/session/session.h"
#include "support/json_dump.h"

namespace vdla::bench {
namespace {

using expr::Value;
using graph::TensorId;

class Net {
 public:
  explicit Net(const char* name) { graph_.name = name; }

  TensorId input(graph::Shape shape) {
    const TensorId id =
        graph_.add_tensor({name("x"), graph::DataType::Float32, std::move(shape), {}, nullptr});
    graph_.add_input(id);
    return id;
  }
  TensorId constant(graph::Shape shape) {
    std::vector<float> values(static_cast<std::size_t>(graph::element_count(shape)));
    std::uniform_real_distribution<float> value(-0.1f, 0.1f);
    for (float& v : values) v = value(random_);
    return graph_.add_constant(name("w"), graph::DataType::Float32, std::move(shape),
                               graph::to_bytes(values));
  }
  TensorId add(graph::Op op, std::vector<TensorId> inputs) {
    return graph_.add_node(name("n"), std::move(op), std::move(inputs));
  }
  template <class F>
  TensorId map(const char* function, std::vector<TensorId> inputs, const F& body) {
    graph::Map op{function, {}, nullptr};
    std::vector<Value> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      op.arguments.push_back(expr::make_var("v" + std::to_string(i), expr::DType::F32));
      values.emplace_back(op.arguments.back());
    }
    op.body = Value(body(values)).expr();
    return add(op, std::move(inputs));
  }
  TensorId sum(TensorId a, TensorId b) {
    return map("add", {a, b}, [](const auto& v) { return v[0] + v[1]; });
  }
  TensorId product(TensorId a, TensorId b) {
    return map("mul", {a, b}, [](const auto& v) { return v[0] * v[1]; });
  }
  TensorId sigmoid(TensorId x) {
    return map("sigmoid", {x}, [](const auto& v) { return expr::sigmoid(v[0]); });
  }
  TensorId tanh(TensorId x) {
    return map("tanh", {x}, [](const auto& v) { return expr::apply(expr::Function::Tanh, {v[0]}); });
  }
  TensorId dense(TensorId x, std::int64_t outputs) {
    return add(graph::MatMul{}, {x, constant({graph_.tensor(x).shape[1], outputs})});
  }
  /// Batch norm with known moments, then ReLU.
  TensorId norm_relu(TensorId x) {
    const std::int64_t channels = graph_.tensor(x).shape[1];
    const TensorId normal = map("bn", {x, constant({channels, 1, 1}), constant({channels, 1, 1})},
                                [](const auto& v) { return v[0] * v[1] + v[2]; });
    return map("relu", {normal}, [](const auto& v) { return expr::maximum(v[0], 0.0); });
  }
  graph::Graph take(const std::vector<TensorId>& outputs) {
    for (TensorId id : outputs) graph_.add_output(id);
    return std::move(graph_);
  }

 private:
  std::string name(const char* kind) { return kind + std::to_string(serial_++); }
  graph::Graph graph_;
  std::mt19937 random_{1};
  int serial_ = 0;
};

graph::Graph convolution() {
  Net net("conv+bn+relu 128x28x28, 1x1x128x256");
  const TensorId x = net.input({1, 128, 28, 28});
  return net.take({net.norm_relu(
      net.add(graph::Convolve{{1, 1}, {1, 1}, {0, 0}, {0, 0}}, {x, net.constant({256, 128, 1, 1})}))});
}

graph::Graph depthwise() {
  Net net("depthwise+bn+relu 512x14x14, 3x3x512");
  const TensorId x = net.input({1, 512, 14, 14});
  return net.take({net.norm_relu(
      net.add(graph::Convolve{{1, 1}, {1, 1}, {1, 1}, {1, 1}, 512}, {x, net.constant({512, 1, 3, 3})}))});
}

graph::Graph rnn_cell() {
  Net net("rnn cell, hidden 128");
  const TensorId x = net.input({1, 128}), h = net.input({1, 128});
  const TensorId both = net.sum(net.dense(x, 128), net.dense(h, 128));
  return net.take({net.tanh(net.sum(both, net.constant({1, 128})))});
}

graph::Graph lstm_cell() {
  Net net("lstm cell, hidden 128");
  const TensorId x = net.input({1, 128}), h = net.input({1, 128}), c = net.input({1, 128});
  const TensorId gates = net.sum(net.sum(net.dense(x, 512), net.dense(h, 512)), net.constant({1, 512}));
  const auto gate = [&](std::int64_t i) {
    return net.add(graph::View{{1, 128}, {{0, {1, 0}}, {128 * i, {0, 1}}}, graph::Outside::Never, nullptr},
                   {gates});
  };
  const TensorId in = net.sigmoid(gate(0)), forget = net.sigmoid(gate(1)), out = net.sigmoid(gate(2)),
                 fresh = net.tanh(gate(3));
  const TensorId state = net.sum(net.product(forget, c), net.product(in, fresh));
  return net.take({net.product(out, net.tanh(state)), state});
}

struct Way {
  explicit Way(runtime::Module module)
      : session(std::move(module), nullptr, {}), best(session.module().steps.size(), 1e30) {}

  /// Name of what the step computes, or empty for a change of layout, which a network has at its borders
  /// only.
  std::string name(std::size_t step) const {
    std::string result;
    for (const runtime::NodeInfo& node : session.module().nodes) {
      if (node.step != static_cast<std::int32_t>(step)) continue;
      if (node.op == "block_channels" || node.op == "unblock_channels") return {};
      result += (result.empty() ? "" : " ") + node.op;
    }
    return result;
  }
  std::size_t functions() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < best.size(); ++i) count += !name(i).empty();
    return count;
  }
  double total() const {
    double sum = 0;
    for (std::size_t i = 0; i < best.size(); ++i) sum += name(i).empty() ? 0 : best[i];
    return sum;
  }

  runtime::Session session;
  std::vector<double> best;  ///< time of each step, the fastest
};

Way compile(const graph::Graph& graph, bool fuse) {
  pipeline::CompileOptions options;
  options.cpu_code = pipeline::CpuCode::Native;
  options.cpu = pipeline::cpu::host_profile();
  options.fuse = fuse;
  return Way(kit::compile_for_cpu(graph, options));
}

nlohmann::ordered_json measure(const graph::Graph& graph, double budget) {
  Way fused = compile(graph, true), plain = compile(graph, false);
  std::vector<runtime::Bytes> inputs;
  for (const runtime::Port& port : fused.session.module().inputs) {
    const std::vector<float> values(static_cast<std::size_t>(runtime::element_count(port.model_shape)), 0.5f);
    const auto bytes = std::as_bytes(std::span(values));
    inputs.emplace_back(bytes.begin(), bytes.end());
  }
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (int round = 0; round < 20 || Clock::now() - start < std::chrono::duration<double>(budget); ++round) {
    for (Way* way : {&fused, &plain}) {
      for (const runtime::StepResult& step : way->session.run(inputs).steps)
        way->best[step.step] = std::min(way->best[step.step], step.seconds);
    }
  }
  nlohmann::ordered_json result{{"workload", graph.name}};
  for (const Way* way : {&fused, &plain}) {
    auto& json = result[way == &fused ? "fused" : "plain"];
    json = {{"microseconds", 1e6 * way->total()}, {"functions", way->functions()}};
    for (std::size_t i = 0; i < way->best.size(); ++i)
      json["steps"].push_back({{"name", way->name(i)}, {"microseconds", 1e6 * way->best[i]}});
  }
  result["ratio"] = plain.total() / fused.total();
  return result;
}

void print(const nlohmann::ordered_json& r, bool functions) {
  const auto time = [&](const char* way) { return r[way]["microseconds"].get<double>(); };
  const auto count = [&](const char* way) { return r[way]["functions"].get<int>(); };
  fmt::print("{:38} fused {:9.2f} us in {:2} functions, not fused {:9.2f} us in {:2}, ratio {:.2f}\n",
             r["workload"].get<std::string>(), time("fused"), count("fused"), time("plain"), count("plain"),
             r["ratio"].get<double>());
  for (const char* way : {"fused", "plain"}) {
    if (!functions) break;
    for (const auto& step : r[way]["steps"])
      fmt::print("  {} {:9.2f} us {}\n", way, step["microseconds"].get<double>(),
                 step["name"].get<std::string>());
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  CLI::App app("The workloads of Figure 4 of the TVM paper with fusion and without, on one core");
  double seconds = 2;
  bool functions = false, json = false;
  app.add_option("--seconds", seconds, "time for each workload")->capture_default_str();
  app.add_flag("--functions", functions, "print each function's time");
  app.add_flag("--json", json, "one JSON array instead of lines");
  CLI11_PARSE(app, argc, argv);
  using namespace vdla::bench;
  auto all = nlohmann::ordered_json::array();
  for (const auto& graph : {convolution(), depthwise(), rnn_cell(), lstm_cell()}) {
    all.push_back(measure(graph, seconds));
    if (!json) print(all.back(), functions);
  }
  if (json) fmt::print("{}\n", vdla::json_dump(all, 2));
  return 0;
}
