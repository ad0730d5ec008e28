// SPDX-License-Identifier: Apache-2.0
// Quantises drawn float networks, TFLite or ONNX, and compares them with their float results: this kit's, or
// TensorFlow Lite's.
#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "support/error.h"
#include "tests/compiler/import/random_tflite/campaign.h"
#include "tests/compiler/import/random_tflite/oracle.h"
#include "tests/compiler/quantize/random_networks/quantised.h"

namespace vdla::random_networks {
namespace {

struct Flags {
  random_tflite::Seeds seeds{.count = 100};
  double least_db = 15;
  std::string oracle;
  bool onnx = false;
};

std::vector<float> answer_of(const random_tflite::Oracle& oracle, const Network& network,
                             std::size_t sample) {
  random_tflite::Drawn drawn = network.drawn;
  drawn.inputs.at(0).data = std::make_shared<const graph::Bytes>(network.samples.at(sample));
  const random_graphs::Answer answer = oracle.ask(drawn);
  VDLA_CHECK_USER(answer.refused.empty()) << "TensorFlow Lite refuses it: " << answer.refused;
  const graph::Bytes& bytes = *answer.outputs.at(0).second.data;
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

int run(const Flags& flags) {
  VDLA_CHECK_USER(flags.oracle.empty() || !flags.onnx) << "--oracle reads TFLite files; leave out --onnx";
  std::optional<random_tflite::Oracle> oracle;
  if (!flags.oracle.empty()) oracle.emplace(flags.oracle);
  const Reference reference =
      oracle ? Reference([&](const Network& n, std::size_t s) { return answer_of(*oracle, n, s); })
             : Reference(in_float);
  std::vector<double> all;
  std::size_t refused = 0, noisy = 0;
  for (std::uint64_t seed = flags.seeds.first; seed < flags.seeds.first + flags.seeds.count; ++seed) {
    const Network network = flags.onnx ? draw_onnx(seed) : draw(seed);
    const Verdict v = quantised(network, reference);
    const bool is_noisy = v.refused.empty() && v.snr_db < flags.least_db;
    if (v.refused.empty()) all.push_back(v.snr_db);
    if (!v.refused.empty() || is_noisy)
      report(flags.seeds, seed, network.drawn,
             is_noisy ? fmt::format(": {:.1f} dB, {} layers", v.snr_db, v.layers) : ": refused, " + v.refused,
             network.is_onnx ? "onnx" : "tflite");
    refused += v.refused.empty() ? 0 : 1;
    noisy += is_noisy ? 1 : 0;
  }
  std::ranges::sort(all);
  if (!all.empty())
    fmt::print("signal to noise: least {:.1f} dB, of one in a hundred {:.1f}, median {:.1f}\n", all[0],
               all[all.size() / 100], all[all.size() / 2]);
  fmt::print("{} networks: {} refused, {} below {} dB\n", flags.seeds.count, refused, noisy, flags.least_db);
  return refused + noisy > 0 ? 1 : 0;
}

}  // namespace
}  // namespace vdla::random_networks

int main(int argc, char** argv) {
  using namespace vdla::random_networks;
  CLI::App app{"Quantises drawn float networks, compiles them and compares with their float results"};
  Flags flags;
  app.add_option("--oracle", flags.oracle,
                 "TensorFlow Lite's C library, libtensorflowlite_c.so, for the float results [this kit]");
  app.add_flag("--onnx", flags.onnx, "Draw ONNX networks, not TFLite networks");
  add_seeds(app, flags.seeds, "Networks", "networks that are refused or lack that");
  app.add_option("--least-db", flags.least_db, "Signal to noise that each needs")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return vdla::random_tflite::status_of("random_networks", [&] { return run(flags); });
}
