// SPDX-License-Identifier: Apache-2.0
// vdla batch: measures what a search or a sweep elsewhere has written down, on a node of a cluster; and what
// these write down.
#include "tools/vdla/tune/batch.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/variants/variants.h"
#include "kit/network.h"
#include "support/error.h"
#include "support/path.h"
#include "support/workers.h"
#include "tools/data/files.h"
#include "tools/explore/hash.h"
#include "tools/explore/measure.h"
#include "tools/fleet/slurm.h"
#include "tools/tune/tuned_points.h"
#include "tools/vdla/board/station.h"
#include "tools/vdla/devices/host_list.h"

namespace vdla::tools {
namespace {

using explore::content_hash;
using fleet::Json;

constexpr std::size_t kLeastTrials = 64;  // trials of a task: fewer are done before it has begun
constexpr double kBoardTolerance = 0.02;  // part of cycles: memories of boards refresh when they like

struct BatchFlags {
  std::string file, result, node = "here";
  unsigned jobs = 1;
};

/// Why this machine cannot measure, in place of answers.
struct Lost {
  std::string reason;
  /// It has or measures something else than the machine that the work comes from, or its board is broken.
  bool differs = false;
};

std::string hash_of(const std::string& file) { return content_hash(read_text(file)); }

/// UserError names what is missing: who wrote the batch was another kit.
const Json& part(const Json& object, const char* key) {
  VDLA_CHECK_USER(object.is_object() && object.contains(key)) << "the batch lacks \"" << key << "\"";
  return object.at(key);
}

/// The network under the name that it has on all nodes.
graph::Graph network_in(const Json& of) {
  const std::string file = part(of, "model"), hash = part(of, "hash");
  try {
    if (hash_of(file) != hash)
      throw Lost{file + " is another file here than where the work comes from", true};
  } catch (const UserError& e) {
    throw Lost{e.what()};  // the node does not see it
  }
  return kit::read_network(file);
}

isa::Variant variant_in(const Json& of) {
  return isa::parse_variant(part(of, "variant").get<std::string>(), "the batch's variant", false);
}

// --- Trials of a search: the head says of what, an item is a book ---

std::vector<pipeline::KnobBook> books_of(const fleet::Batch& batch) {
  std::vector<pipeline::KnobBook> books;
  for (const Json& book : batch.items)
    books.push_back(pipeline::read_knob_book(book.get<std::string>(), "a book of the batch"));
  return books;
}

/// Is this machine as good as the one that the search compares with? Lost where the network with default
/// knobs takes another number of cycles, by more than a share of `tolerance`.
void require_like(tune::NetworkTuning& tuning, const fleet::Batch& batch, double tolerance) {
  if (!batch.head.contains("check")) return;  // this is what others are compared with
  const std::uint64_t seed = part(batch.head, "seed").get<std::uint64_t>();
  const tune::Outcome known = tuning.measure({pipeline::KnobBook{tuning.target(), {}, {}}}, seed).at(0);
  if (known.at("status") != "ok")
    throw Lost{"with default knobs the network cannot be measured here: " +
               known.at("reason").get<std::string>()};
  const double cycles = known.at("cycles"), check = batch.head.at("check");
  if (std::abs(cycles - check) <= tolerance * check) return;
  const bool is_engine = tolerance == 0;  // an engine counts as any other
  throw Lost{fmt::format("with default knobs the network takes {:.0f} cycles here, and {:.0f} {}", cycles,
                         check, is_engine ? "where the search runs" : "on the search's first board"),
             is_engine};
}

/// On one of the node's boards.
std::vector<Json> measure_on_a_board(const fleet::Batch& batch, const graph::Graph& graph,
                                     const isa::Variant& variant, const std::string& node) {
  const std::string file = batch.head.at("boards");
  std::vector<RemoteFlags> boards;
  try {
    boards = hosts_of_node(file, node);
  } catch (const UserError& e) {
    throw Lost{e.what()};
  }
  tune::NetworkTuning::Options how{.limit_seconds = part(batch.head, "limit").get<double>(), .fleet = {file}};
  how.board = [&](std::size_t) {
    return std::make_unique<FreeBoard>(boards, variant.geometry, how.limit_seconds);
  };
  how.lost = [](const std::string&, const tune::Outcome& outcome) {
    throw Lost{outcome.at("reason"), outcome.at("broken")};
  };
  tune::NetworkTuning tuning(graph, tune::tuning_options(variant), how);
  require_like(tuning, batch, kBoardTolerance);
  return tuning.measure(books_of(batch), part(batch.head, "seed").get<std::uint64_t>());
}

std::vector<Json> measure_trials(const fleet::Batch& batch, const BatchFlags& f) {
  const graph::Graph graph = network_in(batch.head);
  const isa::Variant variant = variant_in(batch.head);
  if (batch.head.contains("boards")) return measure_on_a_board(batch, graph, variant, f.node);
  tune::NetworkTuning tuning(graph, tune::tuning_options(variant),
                             {.jobs = f.jobs, .limit_seconds = part(batch.head, "limit").get<double>()});
  require_like(tuning, batch, 0);
  return tuning.measure(books_of(batch), part(batch.head, "seed").get<std::uint64_t>());
}

// --- Points of a sweep: the head has engine and search, an item network and variant ---

std::vector<Json> measure_points(const fleet::Batch& batch, const BatchFlags& f) {
  const std::string engine = part(batch.head, "engine");
  const std::int64_t trials = part(batch.head, "tune").get<std::int64_t>();
  std::map<std::string, graph::Graph> graphs;
  for (const Json& item : batch.items)
    if (const std::string file = part(item, "model"); !graphs.contains(file))
      graphs.emplace(file, network_in(item));
  Workers workers(f.jobs, tune::point_seconds(trials), [&](const Json& item, unsigned) {
    const graph::Graph& graph = graphs.at(item.at("model").get<std::string>());
    const isa::Variant variant = variant_in(item);
    return trials == 0 ? explore::measure(graph, variant, engine)
                       : tune::tuned_points(trials).run(graph, variant, engine);
  });
  return workers.run(batch.items);
}

struct BatchKind {
  std::string_view name;
  std::vector<Json> (*measure)(const fleet::Batch& batch, const BatchFlags& f);
};
constexpr std::string_view kTrials = "trials", kPoints = "points";
constexpr std::array kKinds{BatchKind{kTrials, measure_trials}, BatchKind{kPoints, measure_points}};

fleet::BatchResult result_of(const BatchFlags& f, const Context& context) {
  const fleet::Batch batch = fleet::read_batch(f.file);
  const auto kind = std::ranges::find(kKinds, batch.kind, &BatchKind::name);
  VDLA_CHECK_USER(kind != kKinds.end()) << f.file << ": no batch of this kit is of '" << batch.kind << "'";
  try {
    if (const std::string kit = hash_of(context.executable.string()); kit != batch.kit)
      throw Lost{fmt::format("{} is another program here ({}) than where the work comes from ({})",
                             context.executable.string(), kit, batch.kit),
                 true};
    return {kind->measure(batch, f), f.node, "", false};
  } catch (const Lost& lost) {
    return {{}, f.node, lost.reason, lost.differs};
  } catch (const UserError& e) {
    throw UserError(f.file + ": " + e.what());
  } catch (const Json::exception& e) {
    throw UserError(f.file + ": is no batch of this kit: " + e.what());
  }
}

void run_batch(const BatchFlags& f, const Context& context) {
  const fleet::BatchResult result = result_of(f, context);
  fleet::write_result(f.result, result);
  context.report({{"result", f.result}, {"answers", result.answers.size()}, {"lost", result.lost}}, [&] {
    if (result.lost.empty())
      fmt::print("{}: {} answers\n", f.result, result.answers.size());
    else
      fmt::print("{}: no answers: {}\n", f.result, result.lost);
  });
}

fleet::SlurmOptions options_for(const std::string& fleet, const std::string& folder, const Context& context) {
  fleet::SlurmOptions options = fleet::slurm_options(fleet);
  options.folder = folder;
  options.vdla = context.executable;
  options.say = [&context](const std::string& note) { context.say({"--fleet: " + note}); };
  return options;
}

/// UserError where a file has another hash by now than the one that the work has of it.
void check_unchanged(const std::string& file, const std::string& hash) {
  std::string now;
  try {
    now = hash_of(file);
  } catch (const UserError&) {  // it is not there any more
  }
  VDLA_CHECK_USER(now == hash) << file << " has changed since this command began; start it again";
}

std::string full_path(const std::filesystem::path& file) {
  return absolute_path(file).lexically_normal().string();
}

}  // namespace

std::string about_slurm_fleet() {
  return "slurm:PARTITION[:TASKS]: measure on nodes of a Slurm cluster, in so many tasks at once (8); nodes "
         "see\n"
         "model, outputs and vdla under the same names";
}

CLI::Validator slurm_fleet(bool or_boards) {
  return {[or_boards](const std::string& text) -> std::string {
            if (!fleet::is_slurm(text))
              return or_boards ? "" : "'" + text + "' needs slurm:PARTITION or slurm:PARTITION:TASKS";
            try {
              fleet::slurm_options(text);
              return "";
            } catch (const UserError& e) {
              return e.what();
            }
          },
          ""};
}

CLI::Validator slurm_resource() {
  return {[](const std::string& text) -> std::string {
            constexpr std::string_view kNames =
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:";
            const bool good = text.size() > 2 && text.ends_with(":1") && text[0] != ':' &&
                              text.find_first_not_of(kNames) == std::string::npos;
            return good ? "" : "'" + text + "' needs NAME:1 or NAME:TYPE:1, as sbatch's --gres";
          },
          ""};
}

void tune_on_slurm(const TuningElsewhere& what, const Context& context, nlohmann::ordered_json& lost,
                   tune::NetworkTuning::Options& how) {
  fleet::SlurmOptions options = options_for(what.fleet, what.folder, context);
  options.least = kLeastTrials;
  options.limit_seconds =
      what.boards.empty() ? how.limit_seconds : tune::board_trial_seconds(how.limit_seconds);
  options.resources = what.resources;
  const auto slurm = std::make_shared<fleet::Slurm>(std::move(options));
  fleet::Batch work{std::string(kTrials),
                    how.kit,
                    {{"model", full_path(what.model)},
                     {"hash", how.network},
                     {"variant", isa::to_json(what.variant)},
                     {"limit", how.limit_seconds},
                     {"seed", what.seed}},
                    {}};
  if (!what.boards.empty()) {
    read_hosts(what.boards);  // UserError here and not on each node
    const std::string partition = fleet::slurm_options(what.fleet).partition, list = hash_of(what.boards);
    work.head["boards"] = full_path(what.boards);
    work.head["boards_hash"] = list;
    work.head["gres"] = what.resources;
    how.boards_elsewhere = fmt::format("{} {} {}", partition, what.resources, list);
  }
  how.elsewhere = [slurm, work, vdla = context.executable.string(), &lost](
                      const std::vector<std::string>& books, std::optional<double> check) {
    fleet::Batch batch = work;
    if (check) batch.head["check"] = *check;
    batch.items.assign(books.begin(), books.end());
    std::vector<tune::Outcome> outcomes(books.size());
    slurm->run(
        batch, [&](std::size_t item, const Json& answer) { outcomes[item] = answer; },
        [&] {
          check_unchanged(vdla, batch.kit);
          check_unchanged(batch.head.at("model"), batch.head.at("hash"));
        });
    lost = nlohmann::ordered_json::array();
    for (const fleet::Slurm::LostNode& node : slurm->lost())
      lost.push_back({{"node", node.node}, {"reason", node.reason}});
    return outcomes;
  };
}

void explore_on_slurm(const std::string& fleet, std::int64_t tune, const Context& context,
                      explore::ExploreOptions& options) {
  fleet::SlurmOptions how = options_for(fleet, (options.folder / "fleet").string(), context);
  how.limit_seconds = tune::point_seconds(tune);
  const auto slurm = std::make_shared<fleet::Slurm>(std::move(how));
  options.elsewhere = [slurm, tune, engine = options.engine, vdla = context.executable.string(),
                       kit = hash_of(context.executable.string())](
                          const std::vector<explore::OpenPoint>& points, const auto& arrived) {
    fleet::Batch work{std::string(kPoints), kit, {{"engine", engine}, {"tune", tune}}, {}};
    for (const explore::OpenPoint& p : points)
      work.items.push_back({{"model", full_path(p.network->file)},
                            {"hash", p.network->hash},
                            {"variant", isa::to_json(p.variant->variant)}});
    slurm->run(work, arrived, [&] {
      check_unchanged(vdla, work.kit);
      for (const Json& item : work.items) check_unchanged(item.at("model"), item.at("hash"));
    });
  };
}

void add_batch(CLI::App& app, Context& context) {
  auto f = std::make_shared<BatchFlags>();
  CLI::App* c =
      add_command(app, context, "batch", "Measure a batch file of a search or a sweep (used by --fleet)",
                  "What --fleet slurm:PARTITION of vdla tune and vdla explore runs on nodes. Each trial or "
                  "point is measured\n"
                  "in a process of its own; one that crashes or takes too long has a reason in place of a "
                  "cost. The result\n"
                  "takes its name when it is whole. A machine whose vdla, network or cycles differ from "
                  "those where the work\n"
                  "comes from says so in place of answers.\n"
                  "example: vdla batch fleet/0123456789abcdef.json -o fleet/0123456789abcdef.result.json",
                  [f, &context] { run_batch(*f, context); });
  c->add_option("batch", f->file, "Batch file (JSON)")->required();
  c->add_option("-o,--output", f->result, "File for the results (JSON)")->required();
  c->add_option("--node", f->node, "Name of this machine in the results")->capture_default_str();
  c->add_option("--jobs", f->jobs, "Processes in parallel")
      ->check(CLI::Range(1u, 4096u))
      ->capture_default_str();
}

}  // namespace vdla::tools
