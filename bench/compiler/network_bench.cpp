// SPDX-License-Identifier: Apache-2.0
// Speed of whole networks on the CPU: compiled here for this machine, with fusion and without, with a knob
// book and without, on several numbers of threads, and the time that compiling takes. Beside them, where the
// build found oneDNN, the time that it takes for the convolutions and products of the network alone, on one
// thread.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "bench/compiler/network_rivals.h"
#include "compiler/import/import.h"
#include "compiler/pipeline/compile.h"
#include "compiler/zoo/zoo.h"
#include "kit/files.h"
#include "kit/module.h"
#include "runtime/session/session.h"
#include "support/json_dump.h"

namespace vdla::bench {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Options {
  std::vector<std::string> models;
  std::vector<unsigned> threads{1, 2};
  double budget = 2;
  bool json = false, fusion = true, layers = false;
  std::string save, book;
};

/// A file, or the name of a network of the zoo.
graph::Graph load(const std::string& model, const std::string& save) {
  if (std::filesystem::exists(model)) return import::import_model(model);
  const std::string path =
      save.empty() ? (std::filesystem::temp_directory_path() / ("vdla_bench_" + model + ".onnx")).string()
                   : save + "/" + model + ".onnx";
  std::ofstream(path, std::ios::binary) << zoo::make_onnx(model, 1, zoo::Form::Float);
  graph::Graph graph = import::import_model(path);
  if (save.empty()) std::filesystem::remove(path);
  return graph;
}

struct Compiled {
  runtime::Module module;
  double seconds = 0;  ///< without reading the model
};

Compiled compile(const graph::Graph& graph, bool fuse,
                 const std::optional<pipeline::KnobBook>& book = std::nullopt) {
  pipeline::CompileOptions options;
  options.cpu_code = pipeline::CpuCode::Native;
  options.cpu = pipeline::cpu::host_profile();
  options.fuse = fuse;
  options.book = book;
  const auto start = Clock::now();
  Compiled result;
  result.module = kit::compile_for_cpu(graph, options);
  result.seconds = since(start);
  return result;
}

/// One way of running the network.
struct Way {
  std::string name;
  std::unique_ptr<runtime::Session> session;
  double best = 1e30;
};

std::vector<runtime::Bytes> ramps(const runtime::Module& module) {
  std::vector<runtime::Bytes> inputs;
  for (const runtime::Port& port : module.inputs) {
    const auto count = static_cast<std::size_t>(runtime::element_count(port.model_shape));
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i) / static_cast<float>(count);
    const auto bytes = std::as_bytes(std::span(values));
    inputs.emplace_back(bytes.begin(), bytes.end());
  }
  return inputs;
}

/// The fastest run of each function, and its speed.
nlohmann::ordered_json layers_of(const runtime::Module& module, const std::vector<runtime::Bytes>& inputs,
                                 unsigned threads, double budget) {
  runtime::SessionOptions how;
  how.threads = threads;
  runtime::Session session(module, nullptr, how);
  std::vector<double> best(module.steps.size(), 1e30);
  const auto start = Clock::now();
  for (int round = 0; round < 5 || since(start) < budget; ++round)
    for (const runtime::StepResult& step : session.run_model(inputs).steps)
      best[step.step] = std::min(best[step.step], step.seconds);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < best.size(); ++i) {
    std::uint64_t macs = 0;
    std::string name;
    for (const runtime::NodeInfo& node : module.nodes) {
      if (node.step != static_cast<std::int32_t>(i)) continue;
      if (name.empty() || node.macs > 0) name = node.name + " (" + node.op + ")";
      macs += node.macs;
    }
    rows.push_back(
        {{"name", name}, {"us", 1e6 * best[i]}, {"gflops", 2e-9 * static_cast<double>(macs) / best[i]}});
  }
  return rows;
}

/// All in turn until the budget is used up; the fastest run of each counts.
nlohmann::ordered_json measure(const std::string& model, const Options& options) {
  const graph::Graph graph = load(model, options.save);
  std::optional<pipeline::KnobBook> book;
  if (!options.book.empty()) book = pipeline::read_knob_book(kit::read_text(options.book), options.book);
  const Compiled fused = compile(graph, true, book);
  std::vector<Way> ways;
  const auto add = [&](const std::string& name, const runtime::Module& module, unsigned threads) {
    runtime::SessionOptions session;
    session.threads = threads;
    ways.push_back({name, std::make_unique<runtime::Session>(module, nullptr, session)});
  };
  for (unsigned n : options.threads) add(fmt::format("threads_{}", n), fused.module, n);
  if (book) add("default_knobs", compile(graph, true).module, options.threads.at(0));
  if (options.fusion) add("no_fusion", compile(graph, false).module, 1);
  const std::vector<runtime::Bytes> inputs = ramps(fused.module);
  const auto start = Clock::now();
  for (int round = 0; round < 5 || since(start) < options.budget; ++round) {
    for (Way& way : ways) {
      const auto begin = Clock::now();
      way.session->run_model(inputs);
      way.best = std::min(way.best, since(begin));
    }
  }
  nlohmann::ordered_json row{{"model", std::filesystem::path(model).filename().string()},
                             {"compile_seconds", fused.seconds}};
  for (const Way& way : ways) row[way.name] = 1e3 * way.best;
  if (options.layers) row["layers"] = layers_of(fused.module, inputs, options.threads.at(0), options.budget);
  if (const auto rival = layers_alone(graph, options.budget)) row["onednn_layers"] = 1e3 * *rival;
  return row;
}

int run(const Options& options) {
  for (const std::string& model : options.models) {
    const nlohmann::ordered_json row = measure(model, options);
    if (options.json) {
      fmt::print("{}\n", json_dump(row));
    } else {
      fmt::print("{}: compiled in {:.2f} s", row["model"].get<std::string>(),
                 row["compile_seconds"].get<double>());
      for (const auto& [name, value] : row.items())
        if (value.is_number() && name != "compile_seconds")
          fmt::print(", {} {:.3f} ms", name, value.get<double>());
      fmt::print("\n");
      for (const auto& layer : row.value("layers", nlohmann::ordered_json::array()))
        fmt::print("  {:60} {:9.1f} us {:7.1f} GFLOP/s\n", layer["name"].get<std::string>(),
                   layer["us"].get<double>(), layer["gflops"].get<double>());
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  CLI::App app("Networks on the CPU, in milliseconds");
  vdla::bench::Options options;
  app.add_option("models", options.models, "ONNX files, or names of networks of the zoo")->required();
  app.add_option("--threads", options.threads, "numbers of threads")->capture_default_str();
  app.add_option("--seconds", options.budget, "time for each network")->capture_default_str();
  app.add_option("--save", options.save, "folder that keeps the zoo's networks as ONNX files");
  app.add_option("--book", options.book,
                 "knob book of this machine (vdla tune --target cpu) for all of them");
  app.add_flag("!--no-fusion-too", options.fusion, "leave out the run without fusion");
  app.add_flag("--layers", options.layers, "print each function's time, on the first number of threads");
  app.add_flag("--json", options.json, "one JSON object for each network");
  CLI11_PARSE(app, argc, argv);
  try {
    return vdla::bench::run(options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_compiler_network: error: {}\n", e.what());
    return 1;
  }
}
