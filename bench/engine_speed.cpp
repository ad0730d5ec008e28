// SPDX-License-Identifier: Apache-2.0
// How fast the engines simulate a compiled module: CPU time spent inside of each engine, the best of several
// rounds in one run of this program, rounds interleaved so that a busy machine slows all of them alike. In a
// round a quick engine runs again and again, and the mean counts: a single run of it would catch a moment,
// the slowest engine the whole weather. Figures to quote are the ratios.
//
//   vdla zoo resnet8 -o r.onnx && vdla compile r.onnx -o r.vdla && bench_engine_speed r.vdla
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ctime>
#include <limits>

#include "driver/sim/sim_transport.h"
#include "kit/engine.h"
#include "runtime/container/module_file.h"
#include "runtime/session/session.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "tests/sim/forward.h"

namespace vdla {
namespace {

using nlohmann::ordered_json;

/// An engine that knows how much CPU time it took.
class Stopwatch final : public sim::ForwardEngine {
 public:
  explicit Stopwatch(std::unique_ptr<sim::Engine> engine)
      : ForwardEngine(*engine), engine_(std::move(engine)) {}

  sim::Stop run(std::uint64_t cycle_limit) override {
    const std::clock_t start = std::clock();
    const sim::Stop stop = ForwardEngine::run(cycle_limit);
    seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    return stop;
  }

  double seconds = 0;

 private:
  std::unique_ptr<sim::Engine> engine_;
};

/// The SystemC engine without data, a contender of its own.
const char* const kTimingOnly = "timing-only";

std::unique_ptr<sim::Engine> make(const std::string& name, const isa::Variant& variant) {
  if (name != kTimingOnly) return kit::make_engine(name, variant);
  kit::EngineOptions options;
  options.timing_only = true;
  return kit::make_engine("systemc", variant, options);
}

std::vector<std::string> contender_names() {
  std::vector<std::string> names = kit::engine_names();
  if (std::ranges::find(names, "systemc") != names.end()) names.push_back(kTimingOnly);
  return names;
}

/// One engine with the module loaded, and its best time.
class Contender {
 public:
  Contender(std::string engine, const runtime::Module& module)
      : name(std::move(engine)),
        stopwatch_(make(name, module.variant)),
        transport_(stopwatch_),
        session_(module, transport_.transport(), {}) {}

  void run(const std::vector<runtime::Bytes>& inputs) {
    constexpr double kSecondsOfARound = 1;
    stopwatch_.seconds = 0;
    int runs = 0;
    while (runs == 0 || stopwatch_.seconds < kSecondsOfARound) {
      result = session_.run(inputs);
      ++runs;
    }
    best = std::min(best, stopwatch_.seconds / runs);
  }
  bool has_time() const { return name != "functional"; }

  std::string name;
  runtime::Result result;
  double best = std::numeric_limits<double>::infinity();

 private:
  Stopwatch stopwatch_;
  driver::SimTransport transport_;
  runtime::Session session_;
};

std::uint64_t device_macs(const runtime::Module& module) {
  std::uint64_t total = 0;
  for (const auto& node : module.nodes)
    if (node.place == "vdla") total += node.macs;
  return total;
}

/// Bytes without meaning but of the right number: no engine's speed hangs on values.
std::vector<runtime::Bytes> inputs_of(const runtime::Module& module) {
  std::vector<runtime::Bytes> inputs;
  for (const auto& port : module.inputs) {
    runtime::Bytes bytes(module.tensors.at(port.tensor).bytes());
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 2654435761u >> 24);
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

struct Flags {
  std::string module;
  std::vector<std::string> engines;
  int rounds = 3;
  bool json = false;
};

ordered_json measure(const Flags& flags) {
  const runtime::Module module = runtime::load(flags.module);
  VDLA_CHECK_USER(runtime::needs_device(module)) << flags.module << ": has nothing for the device to run";
  ordered_json out{{"model", module.model_name}, {"variant", module.variant.name}};
  std::vector<std::unique_ptr<Contender>> contenders;
  for (const std::string& name : flags.engines) {
    try {
      contenders.push_back(std::make_unique<Contender>(name, module));
    } catch (const UserError& e) {
      out["missing"][name] = e.what();
    }
  }
  VDLA_CHECK_USER(!contenders.empty()) << "none of the engines can run: " << out["missing"].dump();
  const auto inputs = inputs_of(module);
  for (int round = 0; round < flags.rounds; ++round)
    for (auto& c : contenders) {
      c->run(inputs);
      VDLA_CHECK(c->name == kTimingOnly || contenders[0]->name == kTimingOnly ||
                 c->result.outputs == contenders[0]->result.outputs)
          << c->name << " and " << contenders[0]->name << " differ in their outputs";
    }
  const auto macs = static_cast<double>(device_macs(module));
  out["macs"] = macs;
  for (auto& c : contenders) {
    ordered_json& row = out["engines"][c->name];
    row["seconds"] = c->best;
    row["gmac_per_s"] = macs / c->best / 1e9;
    if (c->has_time()) row["cycles"] = c->result.cycles;
    if (c->has_time()) row["mcycle_per_s"] = static_cast<double>(c->result.cycles) / c->best / 1e6;
  }
  double slowest = 0;
  for (auto& c : contenders) slowest = std::max(slowest, c->best);
  for (auto& c : contenders) out["engines"][c->name]["times_slowest"] = slowest / c->best;
  return out;
}

void print(const ordered_json& out) {
  fmt::print("{} on {}, {:.1f} M MACs on the device\n", out["model"].get<std::string>(),
             out["variant"].get<std::string>(), out["macs"].get<double>() / 1e6);
  fmt::print("{:<12} {:>10} {:>10} {:>10} {:>12} {:>10}\n", "engine", "ms", "GMAC/s", "Mcycle/s", "cycles",
             "to slowest");
  for (const auto& [name, row] : out["engines"].items()) {
    const bool time = row.contains("cycles");
    fmt::print("{:<12} {:>10.3f} {:>10.3f} {:>10} {:>12} {:>9.1f}x\n", name,
               1e3 * row["seconds"].get<double>(), row["gmac_per_s"].get<double>(),
               time ? fmt::format("{:.3f}", row["mcycle_per_s"].get<double>()) : "-",
               time ? fmt::format("{}", row["cycles"].get<std::uint64_t>()) : "-",
               row["times_slowest"].get<double>());
  }
  if (out.contains("missing"))
    for (const auto& [name, reason] : out["missing"].items())
      fmt::print("{:<12} {}\n", name, reason.get<std::string>());
}

}  // namespace
}  // namespace vdla

int main(int argc, char** argv) {
  vdla::Flags flags;
  flags.engines = vdla::contender_names();
  CLI::App app("Speed of the engines on a compiled module, as ratios within one run", "bench_engine_speed");
  app.add_option("module", flags.module, "Compiled module (.vdla)")->required();
  app.add_option("--engines", flags.engines, "Which ones, comma between")
      ->delimiter(',')
      ->check(CLI::IsMember(vdla::contender_names()));
  app.add_option("--rounds", flags.rounds,
                 "Rounds of all engines, of each the best; an engine runs for a second at least")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--json", flags.json, "Print one JSON object");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto out = vdla::measure(flags);
    flags.json ? fmt::print("{}\n", vdla::json_dump(out, 2)) : vdla::print(out);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_engine_speed: {}\n", e.what());
    return 1;
  }
}
