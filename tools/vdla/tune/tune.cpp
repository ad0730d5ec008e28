// SPDX-License-Identifier: Apache-2.0
// vdla tune: better knobs for the layers of a network on one variant.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/knobs/book.h"
#include "compiler/tune/search.h"
#include "kit/network.h"
#include "kit/rtl.h"
#include "support/error.h"
#include "support/interrupt.h"
#include "support/shell_word.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/explore/hash.h"
#include "tools/explore/measure.h"
#include "tools/explore/page.h"
#include "tools/fleet/slurm.h"
#include "tools/tune/history.h"
#include "tools/tune/network_tuning.h"
#include "tools/vdla/board/station.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/cpu_level.h"
#include "tools/vdla/common/progress_line.h"
#include "tools/vdla/common/variant_name.h"
#include "tools/vdla/tune/batch.h"
#include "tools/vdla/tune/flags.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;
using TuneClock = std::chrono::steady_clock;

std::string percent_fewer(double first, double now) {
  const double share = 100 * (1 - now / first);
  return fmt::format("{:.2f} % {} than the {:.0f} by default", std::abs(share), share < 0 ? "more" : "fewer",
                     first);
}

void show_book(const pipeline::KnobBook& book, const Context& context) {
  context.report(ordered_json::parse(pipeline::to_json(book)), [&] {
    fmt::print("knobs for {}{}\n", book.target,
               book.threads != 0      ? fmt::format(", tuned with --threads {}", book.threads)
               : !book.device.empty() ? fmt::format(", tuned on {}", book.device)
                                      : "");
    if (book.measured)
      fmt::print("{:.0f} {} on engine {}, {}; model {}\n", book.measured->cost, book.measured->unit(),
                 book.measured->engine, percent_fewer(book.measured->default_cost, book.measured->cost),
                 book.measured->network);
    for (const pipeline::KnobRecord& r : book.records)
      fmt::print("  record {}: {}; {}\n    {}\n", r.record, r.task, r.context, r.knobs);
  });
}

/// [{"name", "op", "before", "after", "schedule"}]: cycles of each layer by default and with the book, and
/// how the book has it scheduled.
explore::Json layers_of(const graph::Graph& graph, pipeline::CompileOptions options,
                        const pipeline::KnobBook& book) {
  const auto measured = [&]() -> explore::Json {
    const explore::Json point = explore::measure(graph, options, "systemc");
    VDLA_CHECK_USER(point.at("status") == "ok") << "--html: " << point.at("reason").get<std::string>();
    return point.at("record").at("layers");
  };
  const explore::Json before = measured();
  options.book = book;
  const explore::Json tuned = measured();
  explore::Json layers = explore::Json::array();
  for (const explore::Json& after : tuned) {
    const auto same = std::ranges::find_if(
        before, [&](const explore::Json& layer) { return layer.at("name") == after.at("name"); });
    layers.push_back({{"name", after.at("name")},
                      {"op", after.at("op")},
                      {"before", same == before.end() ? explore::Json() : same->at("cycles")},
                      {"after", after.at("cycles")},
                      {"schedule", after.at("schedule")}});
  }
  return layers;
}

/// Cycles of the network with the book on the RTL engine, with the options of the search.
double rtl_cycles(const graph::Graph& graph, pipeline::CompileOptions options, const tune::Tuned& tuned) {
  options.book = tuned.book;
  const explore::Json point = explore::measure(graph, options, "rtl");
  VDLA_CHECK_USER(point.at("status") == "ok") << "--rtl: " << point.at("reason").get<std::string>();
  const double cycles = point.at("record").at("cycles");
  const double moved = tune::moved_cycles(pipeline::compile(graph, options));
  VDLA_CHECK(cycles + moved == tuned.best)
      << "with the book, RTL takes " << cycles << " cycles, SystemC " << tuned.best - moved;
  return cycles;
}

/// A book that is not for this search and must not be written over.
void refuse_another(const pipeline::KnobBook& book, const TuneFlags& f, const tune::NetworkTuning& tuning,
                    const std::string& network) {
  VDLA_CHECK_USER(book.target == tuning.target())
      << f.book << " is a book for " << book.target << ", and this search is for " << tuning.target()
      << "; give another --book";
  VDLA_CHECK_USER(!book.measured || book.measured->network == network)
      << f.book << " was tuned for model " << book.measured->network << ", and " << f.model << " is "
      << network << ": a book holds the knobs of one network; give another --book";
  const bool for_a_layer = std::ranges::any_of(
      tuning.tasks(), [&](const tune::Task& task) { return book.find(task.task, task.context) != nullptr; });
  VDLA_CHECK_USER(book.measured || book.records.empty() || for_a_layer)
      << f.book << " has knobs, and none of them is for a layer of " << f.model << "; give another --book";
}

class TuneCommand {
 public:
  TuneCommand(const TuneFlags& flags, const Context& context)
      : f_(flags),
        context_(context),
        graph_(kit::read_network(f_.model)),
        network_(explore::content_hash(read_text(f_.model))) {
    options_ = tune::tuning_options(named_variant(f_.variant));
  }

  /// Compiles the network with the book, and compares program and cycles with those that the book records.
  void verify() {
    const auto book = book_in(f_.book);
    VDLA_CHECK_USER(book) << "--verify: there is no book '" << f_.book << "'";
    VDLA_CHECK_USER(book->measured) << f_.book
                                    << ": no search has measured this book; nothing to compare with";
    const pipeline::BookMeasurement& said = *book->measured;
    VDLA_CHECK_USER(said.network == network_)
        << f_.book << " was measured with model " << said.network << ", and " << f_.model << " is "
        << network_ << "; give the model that it was tuned for";
    tune::NetworkTuning tuning = tuning_of("");
    const auto outcomes = tuning.measure({pipeline::KnobBook{tuning.target(), {}, {}}, *book}, f_.seed);
    for (const tune::Outcome& o : outcomes)
      VDLA_CHECK_USER(o.at("status") == "ok") << f_.book << ": " << o.at("reason").get<std::string>();
    const double by_default = outcomes[0].at("cycles"), cycles = outcomes[1].at("cycles");
    const std::string program = outcomes[1].at("program");
    const bool same = cycles == said.cost && program == said.program && by_default == said.default_cost;
    context_.report(
        {{"book", f_.book},
         {"same", same},
         {"default_cycles", by_default},
         {"cycles", cycles},
         {"program", program},
         {"said", {{"cycles", said.cost}, {"default_cycles", said.default_cost}, {"program", said.program}}}},
        [&] {
          fmt::print("{}: {:.0f} cycles, {}; program {}\n", f_.book, cycles,
                     percent_fewer(by_default, cycles), program);
          if (!same)
            fmt::print(
                "that is not what was tuned: {:.0f} cycles, {:.0f} by default, program {}; the book "
                "or the compiler has changed since, tune again\n",
                said.cost, said.default_cost, said.program);
        });
    if (!same) throw Difference{};
  }

  void run() {
    VDLA_CHECK_USER(!f_.rtl || kit::rtl_engine_built(options_.variant))
        << "--rtl: there is no RTL engine of this variant yet; vdla build-rtl --variant "
        << shell_word(f_.variant) << " builds it";
    const std::optional<pipeline::KnobBook> before = book_in(f_.book);
    tune::NetworkTuning tuning = tuning_of(f_.log);
    VDLA_CHECK_USER(!tuning.tasks().empty())
        << f_.model
        << ": no layer that has knobs runs on the device (vdla explain says why); there is nothing to tune";
    if (before) refuse_another(*before, f_, tuning, network_);
    const auto cycles = [&](const pipeline::KnobBook& book, const std::string& what) {
      const tune::Outcome outcome = tuning.measure({book}, f_.seed).at(0);
      VDLA_CHECK_USER(outcome.at("status") == "ok")
          << what << " cannot be measured: " << outcome.at("reason").get<std::string>();
      return outcome.at("cycles").get<double>();
    };
    cycles({tuning.target(), {}, {}}, f_.model + " with default knobs");
    // A book that is there stays until there is a better one. What it is worth is measured with this kit.
    if (before) book_cycles_ = cycles(*before, f_.book + ", which a search would replace by a better one,");
    const OnInterrupt kept(
        Uninterrupted(), [&](const Uninterrupted&) { return kept_of_search(f_, book_cycles_.has_value()); });
    tune::TuneOptions how = search_options(f_, begin_, context_);
    if (!how.search->model.empty()) model_name_ = how.model->name;
    tune::History history(tuning.tasks());
    how.progress = [&](const tune::Progress& p, const pipeline::KnobBook& book) {
      history.add(p);
      show(p, book, tuning);
    };
    const tune::Tuned tuned = tuning.run(how);
    line_.end();
    write(tuned.book, tuned.first, tuned.best, tuning);
    if (!f_.html.empty()) write_file(f_.html, explore::tune_page(about(tuned, tuning, history)));
    std::optional<double> on_rtl;
    if (f_.rtl) on_rtl = rtl_cycles(graph_, options_, tuned);
    report(tuned, tuning, on_rtl);
  }

 private:
  double seconds() const { return std::chrono::duration<double>(TuneClock::now() - begin_).count(); }

  tune::NetworkTuning tuning_of(const std::string& log) {
    tune::NetworkTuning::Options how{.network = network_,
                                     .kit = explore::content_hash(read_text(context_.executable.string())),
                                     .jobs = f_.jobs,
                                     .limit_seconds = f_.limit,
                                     .log = log};
    if (fleet::is_slurm(f_.fleet))
      tune_on_slurm({.fleet = f_.fleet,
                     .boards = f_.boards,
                     .resources = f_.boards.empty() ? "" : f_.gres,
                     .model = f_.model,
                     .variant = options_.variant,
                     .seed = f_.seed,
                     .folder = f_.book + ".fleet"},
                    context_, lost_, how);
    else if (!f_.fleet.empty())
      measure_on_boards(f_.fleet, options_.variant.geometry, context_, lost_, how);
    return {graph_, options_, how};
  }

  /// Writes a book that is better than the file's.
  void write(const pipeline::KnobBook& book, double first, double best, tune::NetworkTuning& tuning) {
    if (book_cycles_ && best >= *book_cycles_) return;
    const tune::Outcome outcome = tuning.measure({book}, f_.seed).at(0);  // known
    pipeline::KnobBook whole = book;
    whole.measured = {network_, tuning.engine(), first, best, outcome.at("program")};
    file_.write(whole);
    const Uninterrupted held;  // an interrupt looks at it
    book_cycles_ = best;
  }

  void show(const tune::Progress& p, const pipeline::KnobBook& book, tune::NetworkTuning& tuning) {
    if (p.better) write(book, p.first, p.best, tuning);
    const double left = seconds() / static_cast<double>(p.trials) * static_cast<double>(f_.trials - p.trials);
    const double allowed = f_.minutes > 0 ? std::min(left, std::max(0.0, 60 * f_.minutes - seconds())) : left;
    const std::string text = fmt::format("trial {}/{}, {} left: {:.0f} cycles, {}", p.trials, f_.trials,
                                         duration(allowed), p.best, percent_fewer(p.first, p.best));
    if (line_.on_terminal())
      line_.print(text);
    else if (p.better)
      line_.print(text + ": " + p.task->task);
  }

  /// Content of the page.
  explore::Json about(const tune::Tuned& tuned, const tune::NetworkTuning& tuning,
                      const tune::History& history) const {
    return {{"model", std::filesystem::path(f_.model).filename().string()},
            {"target", tuning.target()},
            {"engine", tuning.engine()},
            {"search", f_.search},
            {"cost_model", model_name_},
            {"seed", f_.seed},
            {"seconds", seconds()},
            {"default_cycles", tuned.first},
            {"cycles", tuned.best},
            {"trials", history.trials()},
            {"tasks", history.tasks(tuned.book)},
            {"layers", layers_of(graph_, options_, tuned.book)}};
  }

  void report(const tune::Tuned& tuned, const tune::NetworkTuning& tuning,
              std::optional<double> on_rtl) const {
    ordered_json object{{"book", f_.book},
                        {"search", f_.search},
                        {"cost_model", model_name_},
                        {"tasks", tuning.tasks().size()},
                        {"tuned", tuned.book.records.size()},
                        {"default_cycles", tuned.first},
                        {"cycles", tuned.best},
                        {"book_cycles", *book_cycles_},
                        {"trials", tuned.trials},
                        {"measured", tuning.measured()},
                        {"without_cost", tuning.failed()},
                        {"seconds", seconds()}};
    if (on_rtl) object["rtl_cycles"] = *on_rtl;
    if (!f_.fleet.empty()) object[fleet::is_slurm(f_.fleet) ? "lost_nodes" : "lost_boards"] = lost_;
    context_.report(object, [&] {
      fmt::print("{:.0f} cycles, {}; {} of {} tasks tuned\n", tuned.best,
                 percent_fewer(tuned.first, tuned.best), tuned.book.records.size(), tuning.tasks().size());
      if (*book_cycles_ < tuned.best)
        fmt::print("{} stays as it was: its {:.0f} cycles are fewer\n", f_.book, *book_cycles_);
      if (on_rtl) fmt::print("RTL: {:.0f} cycles, too\n", *on_rtl);
      fmt::print(
          "{} trials, {} measured now{}, in {:.1f} s\n", tuned.trials, tuning.measured(),
          tuning.failed() != 0 ? fmt::format(" ({} of them have no cost: see the log)", tuning.failed()) : "",
          seconds());
    });
  }

  const TuneFlags& f_;
  const Context& context_;
  const TuneClock::time_point begin_ = TuneClock::now();
  const StatusLine line_;
  const graph::Graph graph_;
  const std::string network_;
  pipeline::CompileOptions options_;
  BookFile file_{f_.book};
  std::optional<double> book_cycles_;  ///< cycles of the network with the book in the file
  std::string model_name_;             ///< empty: the search asks none
  ordered_json lost_ = ordered_json::array();
};

void run_tune(const TuneFlags& f, const Context& context) {
  f.refuse_idle();
  if (f.show) {
    const auto book = book_in(f.book);
    VDLA_CHECK_USER(book) << "--show: there is no book '" << f.book << "'";
    show_book(*book, context);
    return;
  }
  VDLA_CHECK_USER(!f.model.empty()) << "vdla tune needs a network: vdla tune MODEL --book BOOK";
  if (f.best) return tune_best(f, context);
  if (f.target == "cpu") return tune_cpu(f, context);
  if (f.on_gpu()) return tune_gpu(f, context);
  TuneCommand command(f, context);
  f.verify ? command.verify() : command.run();
}

std::string names_of_searches() {
  std::string text = "searches (and the cost model that each asks):\n";
  for (const tune::SearchKind& s : tune::searches())
    text +=
        fmt::format("  {:<10} {}{}\n", s.name, s.what, s.model.empty() ? "" : fmt::format(" ({})", s.model));
  text += "cost models:\n";
  for (const tune::ModelKind& m : tune::models()) text += fmt::format("  {:<10} {}\n", m.name, m.what);
  return text;
}

/// CLI11 takes a larger number for the largest there is.
CLI::Validator below_two_to_64() {
  return {[](const std::string& text) {
            std::uint64_t value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            return error == std::errc() && end == text.data() + text.size()
                       ? std::string()
                       : "'" + text + "' is no whole number from 0 to 2^64 - 1";
          },
          ""};
}

template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

}  // namespace

void add_tune(CLI::App& app, Context& context) {
  auto f = std::make_shared<TuneFlags>();
  CLI::App* c = add_command(
      app, context, "tune",
      "Search faster knobs for a network's layers on a variant, a CPU or a GPU, and write a knob book",
      "Each trial compiles the network and times it on the SystemC engine. The book holds what made the\n"
      "whole network faster and nothing else. It is whole at any time: Ctrl-C ends the search. With a log,\n"
      "the same command run again goes on where it ended. The same seed gives the same trials.\n"
      "With --target cpu, cuda or opencl a trial runs a layer's code in turns with the best so far, here;\n"
      "at the end the network with the book runs in turns with the one without, and the book stays if it\n"
      "is faster.\n" +
          names_of_searches() +
          "examples: vdla tune resnet8.tflite --variant small.json --book knobs.json --log tune.jsonl\n"
          "          vdla compile resnet8.tflite -o resnet8.vdla --variant small.json --book knobs.json\n"
          "          vdla tune net.onnx --target cpu --cpu native --minutes 10 --book cpu.json\n"
          "          vdla tune net.onnx --target cuda --device cuda:0 --book gpu.json\n"
          "          vdla tune net.onnx --variant 1x16x8.json --book knobs.json --fleet lab.json    # on "
          "boards\n"
          "          vdla tune --show --book knobs.json",
      [f, &context] { run_tune(*f, context); });
  c->add_option("model", f->model, ".tflite, .onnx, or graph text");
  c->add_option("--book", f->book,
                "Knob book to write (.json); an existing book is replaced only by a faster one")
      ->required()
      ->check(ending({".json"}, "a knob book"));
  c->add_option("--variant", f->variant, kVariantHelp)->capture_default_str();
  f->command = c;
  c->add_option(
       "--target", f->target,
       "vdla; cpu: all layers on this machine's CPU; cuda or opencl: on its GPU, all that has kernels "
       "there")
      ->check(one_of({"vdla", "cpu", runtime::kKindCuda, runtime::kKindOpenCl}))
      ->capture_default_str();
  c->add_option(
       "--gpu-machine", f->gpu_machine,
       "Class of GPU to generate kernels for, as for vdla compile; default: server for cuda, else desktop. " +
           pipeline::gpu::about_profiles())
      ->check(one_of(pipeline::gpu::profile_names()));
  c->add_option("--device", f->device,
                "GPU to measure on with --target cuda or opencl: cuda:N, or part of the name of an OpenCL "
                "device or driver; default: the first of its kind (vdla check-kernel --list)")
      ->check(not_empty("a device, as cuda:0 or a part of the name of one of OpenCL"));
  c->add_option(
       "--cpu", f->cpu,
       "CPUs to generate machine code for with --target cpu, as for vdla compile: " + about_cpu_levels())
      ->check(one_of(cpu_levels()))
      ->capture_default_str();
  c->add_option("--threads", f->threads, "With --target cpu: threads of a layer; 0: one for each core")
      ->check(CLI::Range(0u, 4096u))
      ->capture_default_str();
  c->add_option("--search", f->search, "Search method, see below")
      ->check(one_of(names_of(tune::searches())))
      ->capture_default_str();
  c->add_option("--cost-model", f->cost_model,
                "Cost model of the search, see below; default: the search's own")
      ->check(one_of(names_of(tune::models())));
  c->add_option("--trials", f->trials, "Trials at most")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  c->add_option("--batch", f->batch, "Trials of one task before the search turns to the next task")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20))
      ->capture_default_str();
  c->add_option("--minutes", f->minutes, "Time limit in minutes; 0: none")
      ->check(positive_number(true))
      ->capture_default_str();
  c->add_option("--seed", f->seed, "Seed of the search; the same seed gives the same trials")
      ->check(below_two_to_64())
      ->capture_default_str();
  c->add_option("--jobs", f->jobs, "Trials that run in parallel, each in a process")
      ->check(CLI::Range(1u, 4096u))
      ->capture_default_str();
  c->add_option(
       "--fleet", f->fleet,
       "Measure on boards elsewhere (vdla board serve), a trial at a time on each: HOST[:PORT],HOST[:PORT] "
       "or a file of vdla board hosts (.json); each is leased, and one that is lost is left out. Or\n" +
           about_slurm_fleet() + "; give it --batch 64 or more")
      ->check(slurm_fleet(true))
      ->excludes("--jobs");
  CLI::Option* boards =
      c->add_option(
           "--boards", f->boards,
           "With --fleet slurm:PARTITION: each task asks Slurm for a board (--gres) and measures on one "
           "of this list\n"
           "(.json, as of vdla board hosts, read on the node) that nobody has leased")
          ->check(ending({".json"}, "a list of boards"));
  c->add_option("--gres", f->gres, "What Slurm calls the board that a task asks for")
      ->needs(boards)
      ->check(slurm_resource())
      ->capture_default_str();
  c->add_option("--limit", f->limit,
                "Time limit of one trial in seconds; a trial that takes longer has no cost")
      ->check(positive_number())
      ->check(CLI::Range(1e-3, 1e6))
      ->capture_default_str();
  c->add_option("--log", f->log,
                "Append each measurement to this file (JSON lines), and take known ones from it");
  c->add_option("--from", f->from,
                "Logs of other searches (other layers, networks, variants): the cost model learns from them "
                "before it\n"
                "has trials of its own; all that it proposes is measured")
      ->check(CLI::ExistingFile);
  CLI::Option* html =
      c->add_option(
           "--html", f->html,
           "Write a page: the curve, each layer before and after, what each task gained and what mattered")
          ->check(ending({".html", ".htm"}, "an HTML page"));
  CLI::Option* rtl =
      c->add_flag("--rtl", f->rtl, "Run the result on the RTL engine, too: its cycles must be the same");
  rtl->excludes("--fleet");
  CLI::Option* verify =
      c->add_flag("--verify", f->verify,
                  "Search nothing: build what the book says; status 1 where program or cycles differ");
  CLI::Option* best =
      c->add_flag("--best", f->best,
                  "Search nothing: print each layer's knobs, those of the book or default ones")
          ->excludes(verify)
          ->excludes(rtl)
          ->excludes(html);
  c->add_option(
       "--as-schedule", f->as_schedule,
       "With --best: a folder for the schedules of the layers that the book tunes, as text that one can keep")
      ->needs(best);
  c->add_flag("--show", f->show, "Search nothing: print the book")
      ->excludes(verify)
      ->excludes(best)
      ->excludes(rtl)
      ->excludes(html);
  verify->excludes(rtl)->excludes(html);
}

}  // namespace vdla::tools
