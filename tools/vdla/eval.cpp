// SPDX-License-Identifier: Apache-2.0
// vdla eval: many inputs through a module: accuracy, exact matches with recorded outputs.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "runtime/module_file.h"
#include "runtime/port.h"
#include "support/error.h"
#include "tools/vdla/command.h"
#include "tools/vdla/device.h"
#include "tools/vdla/engines.h"
#include "tools/vdla/model_input.h"
#include "tools/vdla/npy.h"
#include "tools/vdla/tables.h"

namespace vdla::tools {
namespace {

struct Flags {
  std::string module, inputs, labels, golden, output;
  EngineFlags engine;
  std::size_t limit = 0;
  unsigned threads = 1;
  PixelFlags pixels;
};

/// One line on stderr, rewritten at most ten times a second; silent when stderr is no terminal and the work
/// is short.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total), begin_(Clock::now()), shown_(begin_) {}

  void done(std::size_t count, std::size_t correct, bool labels) {
    const auto now = Clock::now();
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (now - shown_ < (terminal ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10000))) return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const double left = seconds / static_cast<double>(count) * static_cast<double>(total_ - count);
    fmt::print(stderr, "{}{}/{} inputs{}, {:.0f} s left   {}", terminal ? "\r" : "", count, total_,
               labels ? fmt::format(", {:.2f} % correct",
                                    100.0 * static_cast<double>(correct) / static_cast<double>(count))
                      : "",
               left, terminal ? "" : "\n");
    std::fflush(stderr);
    printed_ = terminal;
  }
  ~Progress() {
    if (printed_) fmt::print(stderr, "\r{:60}\r", "");
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t total_;
  Clock::time_point begin_, shown_;
  bool printed_ = false;
};

struct Counts {
  std::size_t count = 0, correct = 0, golden_exact = 0;
  std::string first_mismatch;
};

/// A row of recorded outputs holds the values of all outputs, one output after the other, in the model file's
/// own types; the decimals of a float32 are rounded to one.
bool same(const std::vector<runtime::Port>& ports, const std::vector<runtime::Bytes>& outputs,
          const std::vector<double>& want) {
  auto at = want.begin();
  for (std::size_t o = 0; o < ports.size(); ++o) {
    const bool rounded = ports[o].model_type == runtime::DataType::Float32;
    for (const double have : output_values(ports[o], outputs[o])) {
      const double recorded = *at++;
      if (rounded ? static_cast<float>(have) != static_cast<float>(recorded) : have != recorded) return false;
    }
  }
  return true;
}

void check_goldens(const std::string& path, const std::vector<std::vector<double>>& goldens,
                   const std::vector<runtime::Port>& ports) {
  if (goldens.empty()) return;
  std::size_t values = 0;
  std::string names;
  for (const runtime::Port& port : ports) {
    values += static_cast<std::size_t>(runtime::element_count(port.model_shape));
    names += (names.empty() ? "" : ", ") + ("'" + port.name + "'");
  }
  VDLA_CHECK_USER(goldens[0].size() == values) << path << ": its rows have " << goldens[0].size()
                                               << " values, " << (ports.size() == 1 ? "output " : "outputs ")
                                               << names << (ports.size() == 1 ? " has " : " have ") << values;
}

void eval(const Flags& f, const Context& context) {
  runtime::Module module = runtime::load(f.module);
  auto samples = load_samples(f.inputs, input_spec(module), f.pixels.options());
  if (f.limit != 0 && samples.size() > f.limit) samples.resize(f.limit);
  std::vector<int> labels;
  if (!f.labels.empty()) {
    labels = read_labels(f.labels, samples.size());
  } else if (!samples.empty() && samples[0].label) {
    for (const auto& s : samples) labels.push_back(s.label.value_or(-1));
  }
  std::vector<std::vector<double>> goldens;
  if (!f.golden.empty()) goldens = read_goldens(f.golden, samples.size());
  const std::vector<runtime::Port> ports = module.outputs;
  check_goldens(f.golden, goldens, ports);
  VDLA_CHECK_USER(f.output.empty() || ports.size() == 1)
      << "model '" << module.model_name << "' has " << ports.size() << " outputs, --output takes one";
  SimulatedDevice device(std::move(module), f.engine.engine,
                         {.threads = f.threads, .engine = f.engine.options()}, context.executable);

  Counts counts;
  std::uint64_t cycles = 0;
  std::vector<std::byte> all;
  const auto begin = std::chrono::steady_clock::now();
  {
    Progress progress(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto result = device.session().run_model({samples[i].bytes});
      const auto values = output_values(ports.at(0), result.outputs[0]);
      cycles += result.cycles;
      ++counts.count;
      if (!labels.empty() && argmax(values) == static_cast<std::size_t>(labels[i])) ++counts.correct;
      if (!goldens.empty()) {
        if (same(ports, result.outputs, goldens[i])) {
          ++counts.golden_exact;
        } else if (counts.first_mismatch.empty()) {
          counts.first_mismatch = samples[i].name;
        }
      }
      if (!f.output.empty()) all.insert(all.end(), result.outputs[0].begin(), result.outputs[0].end());
      progress.done(counts.count, counts.correct, !labels.empty());
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!f.output.empty()) {
    std::vector<std::int64_t> shape = ports[0].model_shape;
    if (shape.empty()) shape = {1};
    shape[0] *= static_cast<std::int64_t>(counts.count);
    write_npy(f.output, {npy_type(ports[0].model_type), shape, all});
  }
  nlohmann::ordered_json out{{"engine", device.name()}, {"count", counts.count}};
  if (!labels.empty()) out["correct"] = counts.correct;
  if (!goldens.empty()) out["golden_exact"] = counts.golden_exact;
  if (device.has_time())
    out["cycles_per_input"] = static_cast<double>(cycles) / static_cast<double>(counts.count);
  out["seconds"] = seconds;
  context.report(out, [&] {
    fmt::print("{} inputs on {} in {:.1f} s\n", counts.count, device.name(), seconds);
    auto percent = [&](std::size_t n) {
      return 100.0 * static_cast<double>(n) / static_cast<double>(counts.count);
    };
    if (!labels.empty())
      fmt::print("correct: {} of {} ({:.2f} %)\n", counts.correct, counts.count, percent(counts.correct));
    if (!goldens.empty()) {
      fmt::print("equal to the recorded outputs: {} of {} ({:.2f} %)\n", counts.golden_exact, counts.count,
                 percent(counts.golden_exact));
      if (!counts.first_mismatch.empty()) fmt::print("first difference: {}\n", counts.first_mismatch);
    }
    if (device.has_time())
      fmt::print("cycles per input: {:.0f}\n",
                 static_cast<double>(cycles) / static_cast<double>(counts.count));
  });
}

}  // namespace

void add_eval(CLI::App& app, Context& context) {
  auto f = std::make_shared<Flags>();
  CLI::App* c = add_command(
      app, context, "eval", "Run many inputs: accuracy, and exact matches with recorded outputs",
      "Labels: a CSV of name,[classes,]label or CIFAR-10's binary file, in input order. Recorded outputs: a "
      "CSV of name,v0,v1,...\n"
      "with the values of all outputs, one output after the other. Labels are held to the first output.\n"
      "example: vdla eval resnet8.vdla --engine functional --inputs test.bin --golden outputs.csv",
      [f, &context] { eval(*f, context); });
  c->add_option("module", f->module, "Compiled module (.vdla)")->required();
  f->engine.add_to(*c);
  c->add_option("--inputs", f->inputs, "A file with one or more inputs, or a folder (in name order)")
      ->required();
  c->add_option("--labels", f->labels, "CSV or CIFAR-10 binary; CIFAR-10 inputs bring their own");
  c->add_option("--golden", f->golden, "CSV of recorded outputs");
  c->add_option("--output", f->output, "Write all outputs as one .npy");
  c->add_option("--threads", f->threads, "Threads for layers on the CPU; 0: one for each core")
      ->check(not_negative())
      ->capture_default_str();
  c->add_option("--limit", f->limit, "Only the first N inputs; 0: all")->check(not_negative());
  f->pixels.add_to(*c);
}

}  // namespace vdla::tools
