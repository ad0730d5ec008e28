// SPDX-License-Identifier: Apache-2.0
// The gates that yosys makes of variant tiny, beside the SystemC engine: networks and random programs, good
// ones and ones with a fault, each on gates that start from another random state. Bytes, cycles, counters and
// errors must be equal; exit status 1 at the first program that differs.
//
//   bench_gates [--data FOLDER] [--programs 300] [--seed 1]
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "compiler/import/import.h"
#include "compiler/pipeline/compile.h"
#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/network.h"
#include "kit/session.h"
#include "sim/functional/engine.h"
#include "sim/lockstep/campaign.h"
#include "sim/rtl/engine.h"
#include "sim/rtl/library.h"
#include "tools/common/model_input.h"

namespace vdla::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kProgramMemory = 16 << 20;

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

struct Network {
  std::string name;
  fs::path file;
};

std::vector<Network> networks_of(const std::string& data) {
  std::vector<Network> found{{"digits", fs::path(VDLA_SOURCE_DIR) / "examples/digits/digits.onnx"}};
  const fs::path models = fs::path(data) / "mlperf_tiny/models";
  if (data.empty()) return found;
  found.push_back({"keyword spotting", models / "kws_ref_model.tflite"});
  found.push_back({"anomaly detection", models / "ad01_int8.tflite"});
  found.push_back({"ResNet-8", models / "pretrainedResnet_quant.tflite"});
  return found;
}

runtime::Module compiled(const fs::path& file, const isa::Variant& variant) {
  pipeline::CompileOptions options;
  options.variant = variant;
  return kit::compile_module(kit::read_network(file.string()), options);
}

/// State that must be equal.
struct Seen {
  std::vector<runtime::Bytes> outputs;
  std::uint64_t cycles = 0, read_bytes = 0, write_bytes = 0;

  bool operator==(const Seen&) const = default;
};

Seen run(const runtime::Module& module, const std::string& engine, const sim::RtlOptions& rtl) {
  const kit::SessionOptions options{.costs = true, .engine = {.rtl = rtl}};
  kit::Session session(module, engine, options);
  const auto input = tools::random_sample(tools::input_spec(module), 1);
  runtime::Result result = session.run_model({input.bytes});
  return {std::move(result.outputs), result.cycles, result.read_bytes, result.write_bytes};
}

struct GatesCampaign {
  isa::Variant variant = isa::load_variant("tiny");
  sim::RtlOptions gates{.build = sim::RtlBuild::Gates,
                        .directory = fs::path(VDLA_BINARY_DIR) / "lib/vdla/rtl"};

  void build() const {
    const Stopwatch watch;
    sim::ensure_rtl(variant, {gates.directory, VDLA_SOURCE_DIR, gates.build});
    fmt::print("the gates of tiny: {:.0f} s\n", watch.seconds());
  }

  bool run_network(const Network& network, std::uint64_t seed) const {
    const runtime::Module module = compiled(network.file, variant);
    sim::RtlOptions from_a_random_state = gates;
    from_a_random_state.state = seed;
    const Seen expected = run(module, "systemc", {});
    const Stopwatch watch;
    const Seen seen = run(module, "rtl", from_a_random_state);
    const bool equal = seen == expected;
    fmt::print("{:18} {:>8} cycles {:>8} bytes {:>7.1f} s  {}\n", network.name, seen.cycles,
               seen.read_bytes + seen.write_bytes, watch.seconds(),
               equal ? "equal"
                     : fmt::format("DIFFERS from SystemC: {} cycles, {} bytes, outputs {}", expected.cycles,
                                   expected.read_bytes + expected.write_bytes,
                                   seen.outputs == expected.outputs ? "equal" : "not equal"));
    return equal;
  }

  std::vector<sim::CampaignEngine> engines(const isa::Variant& with_timing) const {
    std::vector<sim::CampaignEngine> made(3);
    made[0].engine = sim::make_functional_engine(with_timing, kProgramMemory);
    made[1].engine = kit::make_engine("systemc", with_timing, {.memory_bytes = kProgramMemory});
    auto rtl = sim::make_rtl_engine(with_timing, kProgramMemory, gates);
    made[2].disturb_checking = [engine = rtl.get()](const sim::Disturbance& d) { engine->disturb(d); };
    made[2].power_up_checking = [engine = rtl.get()](std::uint64_t seed) { engine->power_up(seed); };
    made[2].checking = std::move(rtl);
    return made;
  }

  bool run_programs(std::uint64_t first, std::uint64_t count, bool errors) const {
    sim::CampaignOptions options;
    options.errors = errors;
    options.compare_digests = false;
    sim::Campaign campaign(
        variant, [this](const isa::Variant& with_timing) { return engines(with_timing); }, options);
    const Stopwatch watch;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      sim::Case c =
          errors ? sim::draw_error_case(variant, seed, options) : sim::draw_case(variant, seed, options);
      c.disturbance.inside = 0;  // the places for it are no gates
      c.state = seed;
      const std::string difference = campaign.run(c);
      if (difference.empty()) continue;
      fmt::print("random program of seed {}{}: {}\n", seed, errors ? " with a fault" : "", difference);
      return false;
    }
    fmt::print("{} random programs{}: {:.1f} s, equal\n", count, errors ? " with a fault" : "",
               watch.seconds());
    return true;
  }
};

int run_all(const std::string& data, std::uint64_t seed, std::uint64_t programs) {
  const GatesCampaign campaign;
  campaign.build();
  bool equal = campaign.run_programs(seed, programs, false) && campaign.run_programs(seed, programs, true);
  for (const Network& network : networks_of(data)) {
    std::fflush(stdout);
    equal = equal && campaign.run_network(network, seed++);
  }
  if (data.empty()) fmt::print("networks of VDLA_DATA have not run: the variable is not set\n");
  return equal ? 0 : 1;
}

}  // namespace
}  // namespace vdla::bench

int main(int argc, char** argv) {
  CLI::App app("The gates of variant tiny beside the SystemC engine");
  const char* folder = std::getenv("VDLA_DATA");
  std::string data = folder == nullptr ? "" : folder;
  std::uint64_t seed = 1, programs = 300;
  app.add_option("--data", data, "Folder of models, VDLA_DATA unless given")->capture_default_str();
  app.add_option("--seed", seed, "Of the first program and of its random state")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{UINT32_MAX}))
      ->capture_default_str();
  app.add_option("--programs", programs, "Good ones, and as many with a fault")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return vdla::bench::run_all(data, seed, programs);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench_gates: {}\n", e.what());
    return 1;
  }
}
