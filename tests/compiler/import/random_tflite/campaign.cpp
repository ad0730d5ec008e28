// SPDX-License-Identifier: Apache-2.0
// Drawn TFLite files of one operator, and public networks, on this kit and on TensorFlow Lite.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <map>

#include "support/error.h"
#include "tests/compiler/import/random_graphs/recorded.h"
#include "tests/compiler/import/random_tflite/campaign.h"
#include "tests/compiler/import/random_tflite/device_forms.h"
#include "tests/compiler/import/random_tflite/networks.h"
#include "tests/compiler/import/random_tflite/oracle.h"
#include "tests/compiler/import/random_tflite/run.h"

namespace vdla::random_tflite {
namespace {

using random_graphs::Answer;
using random_graphs::Place;
using random_graphs::Ran;

struct Flags {
  Seeds seeds{.count = 1000};
  std::string oracle, record, networks, device_forms;
  std::vector<std::string> operators;
  int each = 3;
  bool machine_code = false, wrapped = false;
};

constexpr const char* kHead =
    "# Answers of TensorFlow Lite or TFLite Micro (bench/tensorflow_lite/README.md). A file: seed, or "
    "network, "
    "and hash; a\n"
    "# line for each output: type, shape, distance by which an element may miss, elements that are spread "
    "evenly.\n";

struct Line {
  std::size_t equal = 0, differs = 0, refused = 0, broken = 0, no_answer = 0;
};

std::vector<random_graphs::Allowed> allowed(const Drawn& drawn, const Answer& answer) {
  if (drawn.slack == 0) return {};
  return std::vector<random_graphs::Allowed>(answer.outputs.size(), {drawn.slack});
}

/// The library leaves rows of a detector that it does not count as they were in memory; here they are zero.
Answer ask(const Oracle& oracle, const Drawn& drawn) {
  Answer answer = oracle.ask(drawn);
  if (drawn.rows_each == 0 || !answer.refused.empty()) return answer;
  const auto found = static_cast<std::int64_t>(random_graphs::element_of(answer.outputs.back().second, 0));
  for (std::size_t i = 0; i + 1 < answer.outputs.size(); ++i) {
    import::Array& array = answer.outputs[i].second;
    auto bytes = std::make_shared<graph::Bytes>(*array.data);
    const auto rows = array.shape.at(1);
    const auto kept = bytes->size() / static_cast<std::size_t>(rows) *
                      static_cast<std::size_t>(std::min(rows, found * drawn.rows_each));
    std::fill(bytes->begin() + static_cast<std::ptrdiff_t>(kept), bytes->end(), std::byte{0});
    array.data = bytes;
  }
  return answer;
}

/// Empty where all is equal.
std::string fault(const Drawn& drawn, const Answer& answer, Place place, Line& line) {
  if (!answer.refused.empty()) return ++line.no_answer, "";
  const Ran ran = run_here(drawn, place);
  if (!ran.broken.empty()) return ++line.broken, "broken: " + ran.broken;
  if (!ran.refused.empty()) return ++line.refused, "refused: " + ran.refused;
  const auto different = random_graphs::compare(ran.outputs, answer.outputs, allowed(drawn, answer));
  if (!different) return ++line.equal, "";
  return ++line.differs, "differs: " + different->text;
}

int run_drawn(const Flags& flags, const Oracle& oracle) {
  std::map<std::string, Line> table;
  bool wrong = false;
  for (std::uint64_t seed = flags.seeds.first; seed < flags.seeds.first + flags.seeds.count; ++seed) {
    const Drawn drawn =
        flags.operators.empty() ? draw(seed) : draw(seed, flags.operators[seed % flags.operators.size()]);
    const Place place = flags.machine_code ? Place::MachineCode : Place::Interpreter;
    const Drawn here = flags.wrapped ? draw_wrapped(seed, drawn.op) : drawn;
    const std::string text = fault(here, ask(oracle, drawn), place, table[drawn.op]);
    if (text.empty()) continue;
    wrong = true;
    report(flags.seeds, seed, drawn, fmt::format(" {}: {}", drawn.op, text));
  }
  fmt::print("{:30} {:>7} {:>7} {:>7} {:>7} {:>9}\n", "operator", "equal", "differs", "refused", "broken",
             "no answer");
  for (const auto& [op, l] : table)
    fmt::print("{:30} {:>7} {:>7} {:>7} {:>7} {:>9}\n", op, l.equal, l.differs, l.refused, l.broken,
               l.no_answer);
  return wrong ? 1 : 0;
}

/// The recorded networks of the data, as machine code.
int run_networks(const Flags& flags, const Oracle& oracle) {
  bool wrong = false;
  std::string text = kHead;
  for (std::size_t n = 0; n < kNetworks.size(); ++n) {
    const Drawn drawn = network(flags.networks, n);
    const Answer answer = oracle.ask(drawn);
    Line line;
    const std::string different = fault(drawn, answer, Place::MachineCode, line);
    const bool equal = different.empty() && answer.refused.empty();
    fmt::print("{}: {}\n", drawn.op, equal ? "equal" : different + answer.refused);
    wrong = wrong || !equal;
    text += to_text(random_graphs::record_of(n, random_graphs::hash_of(drawn.model, drawn.inputs), answer,
                                             allowed(drawn, answer)));
  }
  if (!flags.record.empty()) std::ofstream(flags.record) << text;
  return wrong ? 1 : 0;
}

/// Answers to `each` files of each operator, or of those that are named, that are right here.
int record_answers(const Flags& flags, const Oracle& oracle) {
  std::string text = kHead;
  std::map<std::string, int> recorded;
  for (std::uint64_t seed = flags.seeds.first; seed < flags.seeds.first + flags.seeds.count; ++seed) {
    const Drawn drawn = draw(seed);
    if (recorded[drawn.op] >= flags.each) continue;
    if (!flags.operators.empty() && std::ranges::find(flags.operators, drawn.op) == flags.operators.end())
      continue;
    const Answer answer = ask(oracle, drawn);
    const Ran ran = run_here(drawn, Place::Interpreter);
    if (!answer.refused.empty() || !ran.refused.empty() || !ran.broken.empty()) continue;
    if (random_graphs::compare(ran.outputs, answer.outputs, allowed(drawn, answer))) continue;
    text += to_text(random_graphs::record_of(seed, random_graphs::hash_of(drawn.model, drawn.inputs), answer,
                                             allowed(drawn, answer)));
    ++recorded[drawn.op];
  }
  std::ofstream(flags.record) << text;
  return 0;
}

int run(Flags flags) {
  if (!flags.device_forms.empty()) {
    std::ofstream(flags.device_forms) << text_of_device_forms();
    return 0;
  }
  VDLA_CHECK_USER(!flags.oracle.empty()) << "needs --oracle or --device-forms";
  std::vector<std::string> operators;
  for (const std::string& pattern : flags.operators)
    for (std::string& name : operators_like(pattern)) operators.push_back(std::move(name));
  flags.operators = std::move(operators);
  const Oracle oracle(flags.oracle);
  if (!flags.networks.empty()) return run_networks(flags, oracle);
  return flags.record.empty() ? run_drawn(flags, oracle) : record_answers(flags, oracle);
}

}  // namespace
}  // namespace vdla::random_tflite

int main(int argc, char** argv) {
  using namespace vdla::random_tflite;
  CLI::App app{"Runs drawn TFLite files, or public networks, on this kit against TensorFlow Lite"};
  Flags flags;
  app.add_option("--oracle", flags.oracle, "TensorFlow Lite's C library, libtensorflowlite_c.so");
  add_seeds(app, flags.seeds, "Files", "files that differ");
  app.add_option("--only", flags.operators,
                 "Files of these operators alone, names or patterns such as '*of int16'");
  app.add_option("--networks", flags.networks, "Folder of the data: public networks in place of drawn files");
  app.add_option("--record", flags.record, "Writes answers to this file instead, for the test");
  app.add_option("--each", flags.each, "Recorded files of each operator")->capture_default_str();
  app.add_option("--device-forms", flags.device_forms, "Writes tools/vdla/explain/device_forms.h instead");
  app.add_flag("--machine-code", flags.machine_code, "Runs machine code in place of the interpreter");
  app.add_flag("--wrapped", flags.wrapped, "Runs them as subgraphs that a STABLEHLO_COMPOSITE stands for");
  CLI11_PARSE(app, argc, argv);
  return status_of("random_tflite", [&] { return run(flags); });
}
