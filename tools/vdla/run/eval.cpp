// SPDX-License-Identifier: Apache-2.0
// vdla eval: many inputs through a module: accuracy, exact matches with recorded outputs.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>
#include <thread>

#include "runtime/module/run_extents.h"
#include "runtime/session/port.h"
#include "support/error.h"
#include "tools/common/classes.h"
#include "tools/common/model_input.h"
#include "tools/common/network_inputs.h"
#include "tools/common/pixels.h"
#include "tools/common/table.h"
#include "tools/common/validators.h"
#include "tools/data/match.h"
#include "tools/tune/log.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/progress_line.h"
#include "tools/vdla/run/module_run.h"
#include "tools/vdla/run/net_flags.h"
#include "tools/vdla/run/output_flag.h"

namespace vdla::tools {
namespace {

struct EvalFlags {
  NetFlags net;
  std::vector<std::string> inputs;
  OutputFlag output;
  std::string labels, golden, classes, names;
  ModuleRunFlags place;
  const CLI::App* command = nullptr;
  bool per_class = false, subset = false, try_normalise = false, reset_state = false;
  std::size_t limit = 0;
  PixelFlags pixels;
};

/// One line on stderr, rewritten at most ten times a second; silent when stderr is no terminal and the work
/// is short.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total), begin_(Clock::now()), shown_(begin_) {}

  void done(std::size_t count, std::size_t correct, bool labels) {
    const auto now = Clock::now();
    if (now - shown_ < std::chrono::milliseconds(line_.on_terminal() ? 100 : 10000)) return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const double left = seconds / static_cast<double>(count) * static_cast<double>(total_ - count);
    line_.print(fmt::format("{}/{} inputs{}, {:.0f} s left", count, total_,
                            labels ? fmt::format(", {:.2f} % correct", 100.0 * static_cast<double>(correct) /
                                                                           static_cast<double>(count))
                                   : "",
                            left));
    printed_ = true;
  }
  ~Progress() {
    if (printed_) line_.clear();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const StatusLine line_;
  std::size_t total_;
  Clock::time_point begin_, shown_;
  bool printed_ = false;
};

struct Counts {
  std::size_t count = 0, correct = 0, golden_exact = 0;
  std::string first_mismatch;
};

/// A row of recorded outputs holds the values of all outputs, one output after the other, in the model file's
/// own types, of outputs whose extents a run finds the values within these; the decimals of a float32 are
/// rounded to one.
bool same(const std::vector<runtime::Port>& ports, const std::vector<runtime::Bytes>& outputs,
          const std::vector<double>& want) {
  std::size_t count = 0;
  for (const runtime::Port& port : ports)
    count += static_cast<std::size_t>(runtime::element_count(port.model_shape));
  if (count != want.size()) return false;
  auto at = want.begin();
  for (std::size_t o = 0; o < ports.size(); ++o) {
    const bool rounded = ports[o].model_type == runtime::DataType::Float32;
    for (const double have : output_values(ports[o], outputs[o])) {
      const double recorded = *at++;
      if (std::isnan(have) && std::isnan(recorded)) continue;
      if (rounded ? static_cast<float>(have) != static_cast<float>(recorded) : have != recorded) return false;
    }
  }
  return true;
}

/// Whether runs find extents of outputs, so that rows have different lengths.
bool finds_extents(const std::vector<runtime::Port>& ports) {
  return runtime::outputs_of_runs(ports).size() != ports.size();
}

void check_goldens(const std::string& path, const TableRow<std::vector<double>>& row,
                   const std::vector<runtime::Port>& all) {
  const std::vector<runtime::Port> ports = runtime::outputs_of_runs(all);
  std::size_t values = 0;
  std::string names;
  for (const runtime::Port& port : ports) {
    values += static_cast<std::size_t>(runtime::element_count(port.model_shape));
    names += (names.empty() ? "" : ", ") + ("'" + port.name + "'");
  }
  const bool ragged = finds_extents(all);
  VDLA_CHECK_USER(ragged ? row.value.size() <= values : row.value.size() == values)
      << path << ":" << row.line << ": has " << row.value.size() << " values, "
      << (ports.size() == 1 ? "output " : "outputs ") << names << (ports.size() == 1 ? " has " : " have ")
      << values << (ragged ? " at most" : "");
}

/// Expected results of the inputs, in their order, and how they were found.
struct Truth {
  std::vector<int> labels;                   ///< empty: not known
  std::vector<std::vector<double>> goldens;  ///< outputs that were recorded; empty: not known
  std::vector<std::string> sentences;        ///< how rows were matched, for the reader
  nlohmann::ordered_json matched = nlohmann::ordered_json::object();

  /// The values of `rows` in the order of the inputs.
  template <class Value>
  std::vector<Value> take(const std::string& path, const std::vector<TableRow<Value>>& rows,
                          const InputNames& inputs, bool subset, const std::string& what) {
    const Match match = match_rows(path, names_of(rows), inputs, subset);
    sentences.push_back(match.sentence(what));
    matched[what] = {{"matched", match.rows.size()}, {"by", match.by}, {"unused_rows", match.unused}};
    std::vector<Value> values;
    for (const std::size_t row : match.rows) values.push_back(rows[row].value);
    return values;
  }
};

/// A label says nothing about an input that is a batch, with a row of the output for each of its rows.
void refuse_labels_of_batches(const EvalFlags& f, const InputSpec& input, const runtime::Port& output) {
  const auto &in = input.shape, &out = output.model_shape;
  const bool batch = in.size() > 1 && out.size() > 1 && in[0] == out[0] && in[0] > 1;
  VDLA_CHECK_USER(f.labels.empty() || !batch)
      << f.labels << ": has one label for an input, and each input of the network is a batch of " << in[0]
      << "; leave the labels out";
}

/// A label needs a class of the network.
void check_labels(const std::string& path, const std::vector<TableRow<int>>& rows,
                  const runtime::Port& output) {
  const std::int64_t classes = runtime::element_count(output.model_shape);
  for (const TableRow<int>& row : rows)
    VDLA_CHECK_USER(row.value < classes)
        << path << ":" << row.line << ": label " << row.value << " is no class of the network, whose output '"
        << output.name << "' has " << classes << ", 0 to " << classes - 1;
}

/// Says which classes the labels use where the last one is not among them: labels that leave out a background
/// class are one too small, and nothing else shows it.
void say_used_classes(Truth& truth, const std::vector<int>& labels, const runtime::Port& output,
                      const ClassNames& names) {
  const std::set<int> used(labels.begin(), labels.end());
  const std::int64_t classes = runtime::element_count(output.model_shape);
  if (used.empty() || *used.rbegin() == classes - 1) return;
  const bool background = !names.empty() && (names[0] == "background" || names[0] == "Background");
  std::string sentence = fmt::format("labels: {} to {}, {} of the network's {} classes", *used.begin(),
                                     *used.rbegin(), used.size(), classes);
  if (*used.begin() == 0 && background)
    sentence += fmt::format("; class 0 is '{}': labels of a list without it are one too small, add 1 to each",
                            names[0]);
  else if (*used.begin() == 0 && *used.rbegin() == classes - 2)
    sentence +=
        "; if class 0 is the background, labels of a list without it are one too small, add 1 to each";
  truth.sentences.push_back(std::move(sentence));
  truth.matched["labels"]["classes"] = {
      {"lowest", *used.begin()}, {"highest", *used.rbegin()}, {"used", used.size()}, {"of", classes}};
}

/// Takes the labels that CIFAR-10's records bring, where the network has such classes.
void take_own_labels(Truth& truth, const std::vector<NetworkSample>& samples, const runtime::Port& output) {
  if (samples.empty() ||
      !std::ranges::all_of(samples, [](const NetworkSample& s) { return s.label.has_value(); }))
    return;
  const int highest =
      *std::ranges::max_element(samples, {}, [](const NetworkSample& s) { return *s.label; })->label;
  if (highest >= runtime::element_count(output.model_shape)) {
    truth.sentences.push_back(
        fmt::format("labels: left out, the records have label {} and the network {} classes", highest,
                    runtime::element_count(output.model_shape)));
    return;
  }
  for (const NetworkSample& s : samples) truth.labels.push_back(*s.label);
  truth.sentences.push_back("labels: those of the records");
  truth.matched["labels"] = {{"matched", samples.size()}, {"by", "record"}};
}

InputNames names_of_inputs(const EvalFlags& f, const std::vector<NetworkSample>& samples) {
  InputNames inputs;
  for (const NetworkSample& s : samples) inputs.names.push_back(s.name);
  if (f.names.empty()) return inputs;
  inputs.names = read_names(f.names);
  inputs.names_file = f.names;
  VDLA_CHECK_USER(inputs.names.size() == samples.size())
      << f.names << ": has " << inputs.names.size() << " names, needs one for each of the " << samples.size()
      << " inputs";
  return inputs;
}

/// Shortens `samples` to --limit.
Truth truth_of(const EvalFlags& f, std::vector<NetworkSample>& samples,
               const std::vector<runtime::Port>& ports, const ClassNames& names) {
  InputNames inputs = names_of_inputs(f, samples);
  if (f.limit != 0 && samples.size() > f.limit) samples.resize(f.limit);
  inputs.used = samples.size();
  Truth truth;
  if (!f.labels.empty()) {
    const auto rows = read_labels(f.labels);
    check_labels(f.labels, rows, ports.at(0));
    truth.labels = truth.take(f.labels, rows, inputs, f.subset, "labels");
  } else {
    take_own_labels(truth, samples, ports.at(0));
  }
  say_used_classes(truth, truth.labels, ports.at(0), names);
  if (!f.golden.empty()) {
    const auto rows = read_goldens(f.golden);
    for (const auto& row : rows) check_goldens(f.golden, row, ports);
    truth.goldens = truth.take(f.golden, rows, inputs, f.subset, "recorded outputs");
  }
  return truth;
}

void print_counts(const Counts& counts, const Truth& truth) {
  const auto percent = [&](std::size_t n) {
    return 100.0 * static_cast<double>(n) / static_cast<double>(counts.count);
  };
  for (const std::string& sentence : truth.sentences) fmt::print("{}\n", sentence);
  if (!truth.labels.empty())
    fmt::print("correct: {} of {} ({:.2f} %)\n", counts.correct, counts.count, percent(counts.correct));
  if (truth.goldens.empty()) return;
  fmt::print("equal to the recorded outputs: {} of {} ({:.2f} %)\n", counts.golden_exact, counts.count,
             percent(counts.golden_exact));
  if (!counts.first_mismatch.empty()) fmt::print("first difference: {}\n", counts.first_mismatch);
}

/// As layers choose: what a later fault or an interrupt ends is in the log. One that cannot be written costs
/// no result; into one that another process writes, it goes after a later inference.
void note_use(std::optional<tune::KernelUseLog>& log, const kit::Session& session, const Context& context,
              bool last) {
  if (!log) return;
  // Other evaluations are done in no time; a search keeps its log for as long as it lasts.
  constexpr auto kTurn = std::chrono::milliseconds(50);
  auto left = std::chrono::milliseconds(last ? 5000 : 0);
  const std::vector<runtime::StepUse> use = session.kernel_use();
  try {
    while (true) try {
        log->add(session.module(), use);
        if (std::ranges::all_of(use, [](const auto& step) { return step.chosen.has_value(); }))
          log.reset();  // there is nothing more to come
        return;
      } catch (const tune::LogBusy&) {
        if (!last) return;
        if (left <= kTurn) throw;
        std::this_thread::sleep_for(kTurn);
        left -= kTurn;
      }
  } catch (const UserError& e) {
    context.say({std::string("--use-log gets nothing more: ") + e.what()});
    log.reset();
  }
}

/// A board elsewhere begins each run as the first one.
void refuse_states_elsewhere(const EvalFlags& f, const runtime::Module& module, std::size_t samples) {
  VDLA_CHECK_USER(!f.place.device.remote.given() || module.states.empty() || f.reset_state || samples < 2)
      << "'" << module.model_name << "' keeps " << module.states.size()
      << " values from one input to the next, and a board elsewhere begins each run as the first one: take "
         "an engine, or --reset-state if the inputs belong to no stream";
}

/// Results of all inputs.
struct Evaluation {
  Counts counts;
  ClassResults classes;
  std::uint64_t cycles = 0;
  std::string warning;
  std::vector<runtime::Bytes> outputs;  ///< each of all inputs, where they are kept
};

void note(const NetworkSample& sample, const runtime::RunOutputs& result, const Truth& truth, Evaluation& e) {
  const std::size_t i = e.counts.count++;
  if (!truth.labels.empty()) {
    const std::vector<double> values = output_values(result.ports.at(0), result.bytes.at(0));
    const std::size_t seen = values.empty() ? 0 : argmax(values);
    const auto label = static_cast<std::size_t>(truth.labels[i]);
    e.counts.correct += seen == label;
    e.classes.add(label, seen);
  }
  if (truth.goldens.empty()) return;
  if (same(result.ports, result.bytes, truth.goldens[i]))
    ++e.counts.golden_exact;
  else if (e.counts.first_mismatch.empty())
    e.counts.first_mismatch = sample.name;
}

/// Runs all inputs; `after_each` gets whether an input was the last one.
Evaluation evaluate(const EvalFlags& f, ModuleRun& run, const std::vector<NetworkSample>& samples,
                    const std::vector<runtime::Port>& ports, const Truth& truth, bool keep_outputs,
                    const std::function<void(bool last)>& after_each = {}) {
  Evaluation e;
  Progress progress(samples.size());
  run.reset_state();
  for (const NetworkSample& sample : samples) {
    if (f.reset_state) run.reset_state();
    const runtime::Result result = run.run_model(sample.inputs);
    if (after_each) after_each(&sample == &samples.back());
    e.cycles += result.cycles;
    if (!result.warning.empty()) e.warning = result.warning;
    note(sample, runtime::cut_to_extents(ports, result.outputs), truth, e);
    e.outputs.resize(keep_outputs ? ports.size() : 0);
    for (std::size_t o = 0; o < e.outputs.size(); ++o)
      e.outputs[o].insert(e.outputs[o].end(), result.outputs[o].begin(), result.outputs[o].end());
    progress.done(e.counts.count, e.counts.correct, !truth.labels.empty());
  }
  return e;
}

/// Sizes left out.
Preprocessing values_alone(Preprocessing way) {
  way.resize.reset();
  way.crop.reset();
  return way;
}

/// The usual ways from pixels to values that the input has the channels for, with sizes of `flags`.
std::vector<Preprocessing> ways_to_try(const InputSpec& spec, const Preprocessing& flags) {
  std::vector<Preprocessing> ways;
  for (const Preprocessing& way : usual_preprocessing()) try {
      check_pixels_fit(way, spec);
      ways.push_back(merge(way, flags));
    } catch (const UserError&) {  // one mean for each of three channels, and the input has one
    }
  return ways;
}

struct TriedWay {
  Preprocessing way;
  std::size_t correct = 0, count = 0;
};

/// Runs the labelled inputs with each way; the best comes first.
std::vector<TriedWay> try_ways(const EvalFlags& f, const runtime::Module& module, ModuleRun& run,
                               const std::vector<runtime::Port>& ports, const ClassNames& names) {
  std::vector<TriedWay> tried;
  for (const Preprocessing& way : ways_to_try(input_spec(module), f.pixels.options())) {
    NetworkInputs input = load_inputs(f.inputs, module, way, module.preprocessing, "--inputs");
    const Truth truth = truth_of(f, input.samples, ports, names);
    VDLA_CHECK_USER(!truth.labels.empty())
        << "--try-normalise needs --labels: they say which answers are right";
    const Counts counts = evaluate(f, run, input.samples, ports, truth, false).counts;
    tried.push_back({values_alone(way), counts.correct, counts.count});
  }
  std::ranges::stable_sort(tried, std::ranges::greater(), &TriedWay::correct);
  return tried;
}

void try_normalisations(const EvalFlags& f, const Context& context) {
  const Preprocessing flags = f.pixels.options();
  VDLA_CHECK_USER(values_alone(flags).empty())
      << "--try-normalise tries the usual ways; leave out " << to_string(values_alone(flags));
  Net net = f.net.load(f.place.device.remote, context);
  const runtime::Module module = net.module;
  const std::vector<runtime::Port>& ports = module.outputs;
  const ClassNames names = read_class_names(f.classes, net.module);
  kit::SessionOptions options;
  f.place.set(options, net.module, context);
  ModuleRun run(f.place, std::move(net), options, context);
  const std::vector<TriedWay> tried = try_ways(f, module, run, ports, names);
  const bool tie = tried.size() > 1 && tried[0].correct == tried[1].correct;
  nlohmann::ordered_json out{{"engine", run.place()}, {"normalisations", nlohmann::ordered_json::array()}};
  for (const TriedWay& t : tried)
    out["normalisations"].push_back({{"correct", t.correct},
                                     {"count", t.count},
                                     {"share", static_cast<double>(t.correct) / static_cast<double>(t.count)},
                                     {"flags", to_string(t.way)}});
  if (!tie) out["best"] = to_string(tried[0].way);
  context.report(out, [&] {
    print_table(out["normalisations"], "correct|of||from pixels to values",
                "{correct:>7} {count:>7} {share*100:>7.2f}%  {flags}");
    fmt::print("{}\n", tie ? "several ways give most right answers; more inputs tell them apart"
                           : "most right answers: " + to_string(tried[0].way));
  });
}

void eval(const EvalFlags& f, const Context& context) {
  if (f.try_normalise) return try_normalisations(f, context);
  Net net = f.net.load(f.place.device.remote, context);
  const runtime::Module& module = net.module;
  require_device_for({"--engine", "--rtl-build", "--stall-limit", "--timeout"}, *f.command, module,
                     f.net.file());
  NetworkInputs input = load_inputs(f.inputs, module, f.pixels.options(), module.preprocessing, "--inputs");
  std::vector<NetworkSample>& samples = input.samples;
  const std::vector<runtime::Port> ports = module.outputs;
  refuse_states_elsewhere(f, module, samples.size());
  VDLA_CHECK_USER(!ports.empty()) << "model '" << module.model_name << "' has no output, nothing to look at";
  VDLA_CHECK_USER((f.names.empty() && !f.subset) || !f.labels.empty() || !f.golden.empty())
      << (f.subset ? "--subset" : "--names") << " is for rows of --labels or --golden, got neither";
  const ClassNames names = read_class_names(f.classes, module);
  refuse_labels_of_batches(f, input_spec(module, module.inputs[0]), ports[0]);
  const Truth truth = truth_of(f, samples, ports, names);
  VDLA_CHECK_USER(!f.per_class || !truth.labels.empty())
      << "--per-class needs --labels: nothing says which classes the inputs are of";
  f.output.require_place(module);
  context.say(input.notes);
  kit::SessionOptions options;
  auto use_log = f.place.set(options, module, context);
  ModuleRun run(f.place, std::move(net), options, context);
  const auto begin = std::chrono::steady_clock::now();
  const auto log_use = [&](bool last) {
    if (use_log) note_use(use_log, *run.here(), context, last);
  };
  const Evaluation result = evaluate(f, run, samples, ports, truth, !f.output.to.empty(), log_use);
  const Counts& counts = result.counts;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  f.output.write(ports, result.outputs, counts.count);
  if (!result.warning.empty()) context.say({result.warning});
  std::string device = run.place();
  nlohmann::ordered_json out{{"engine", device}, {"count", counts.count}};
  if (run.elsewhere()) device += " of board " + run.elsewhere()->board();
  run.describe(out);
  if (!truth.matched.empty()) out["matched"] = truth.matched;
  if (!truth.labels.empty()) out["correct"] = counts.correct;
  if (!truth.goldens.empty()) out["golden_exact"] = counts.golden_exact;
  if (!counts.first_mismatch.empty()) out["first_difference"] = counts.first_mismatch;
  if (!truth.labels.empty()) out["classes"] = result.classes.json(names);
  if (run.has_time())
    out["cycles_per_input"] = static_cast<double>(result.cycles) / static_cast<double>(counts.count);
  out["seconds"] = seconds;
  context.report(out, [&] {
    fmt::print("{} inputs on {} in {:.1f} s\n", counts.count, device, seconds);
    print_counts(counts, truth);
    if (out.contains("kernel_use")) print_kernel_use(out["kernel_use"], true);
    if (run.has_time())
      fmt::print("cycles per input: {:.0f}\n",
                 static_cast<double>(result.cycles) / static_cast<double>(counts.count));
    if (f.per_class) result.classes.print(names);
  });
  if (!truth.goldens.empty() && counts.golden_exact != counts.count) throw Difference{};
}

}  // namespace

void add_eval(CLI::App& app, Context& context) {
  auto f = std::make_shared<EvalFlags>();
  CLI::App* c = add_command(
      app, context, "eval", "Run many inputs: measure accuracy, or compare with recorded outputs",
      "Labels: a CSV of name,[classes,]label or CIFAR-10's binary file. Recorded outputs: a CSV of "
      "name,v0,v1,...\n"
      "with the values of all outputs, one output after the other. Labels are held to the first output.\n"
      "A row belongs to the input of its name: a file's, with or without folder and ending. Inputs of one "
      "file "
      "are called\n"
      "FILE#0, FILE#1 ..., or as --names says; rows named 0, 1 ... number them. Only where no row names one "
      "of "
      "them, order\n"
      "decides, and the output says so. An input without a row, a second row for one, a row of no input and "
      "a "
      "label that\n"
      "the network has no class for are errors.\n"
      "Exit status 1 also when an output differs from the recorded one.\n"
      "example: vdla eval resnet8.vdla --engine functional --inputs test.bin --golden outputs.csv\n"
      "         vdla eval mobilenet.vdla --inputs images/ --labels labels.csv --classes names.txt "
      "--per-class\n"
      "         vdla eval mobilenet.vdla --inputs images/ --labels labels.csv --uio vdla    # on the board\n"
      "         vdla eval mobilenet.onnx --target cpu --inputs images/ --labels labels.csv --try-normalise",
      [f, &context] { GpuFlags::with_remedy([&] { eval(*f, context); }); });
  f->net.add_to(*c);
  f->command = c;
  f->place.add_to(*c, true);
  c->add_option(
       "--inputs", f->inputs,
       "A file with one or more inputs, or a folder (in name order); of a network with several inputs "
       "NAME=FILE for each, or an .npz with arrays of their names, or a folder of these")
      ->required()
      ->expected(1)
      ->take_all();
  c->add_option("--labels", f->labels, "CSV or CIFAR-10 binary; CIFAR-10 inputs bring their own");
  CLI::Option* golden = c->add_option("--golden", f->golden, "CSV of recorded outputs");
  c->add_flag("--subset", f->subset, "Ignore rows of --labels and --golden whose inputs are missing");
  c->add_option("--names", f->names, "Names of the inputs of a batch file, one a line, to match rows by");
  c->add_option("--classes", f->classes, "Names of the network's classes, a line each");
  CLI::Option* per_class = c->add_flag(
      "--per-class", f->per_class,
      "Print inputs, correct answers and the most frequent confusion of each class (always in --json)");
  CLI::Option* output = f->output.add_to(*c);
  c->add_flag("--try-normalise,--try-normalize", f->try_normalise,
              "Evaluate images with each of the six usual normalisations in place of the network's, and say "
              "which gives most right answers")
      ->excludes(golden)
      ->excludes(per_class)
      ->excludes(output);
  c->add_flag("--reset-state", f->reset_state,
              "Run each input as the first one: a network that keeps values (streaming, recurrent) goes on "
              "from the input before otherwise");
  c->add_option("--limit", f->limit, "Only the first N inputs; 0: all")->check(not_negative());
  f->pixels.add_to(*c);
}

}  // namespace vdla::tools
