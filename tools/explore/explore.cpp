// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/explore.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <numeric>

#include "compiler/zoo/zoo.h"
#include "isa/variants/variants.h"
#include "kit/files.h"
#include "kit/network.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/nearest.h"
#include "support/output_file.h"
#include "support/output_folder.h"
#include "support/path.h"
#include "support/temporary.h"
#include "support/workers.h"
#include "tools/explore/hash.h"

namespace vdla::explore {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> zoo_names() {
  std::vector<std::string> names;
  for (const zoo::Entry& e : zoo::entries()) names.push_back(e.name);
  return names;
}

bool in_zoo(const std::string& name) { return std::ranges::count(zoo_names(), name) != 0; }

/// Whatever decides a point's cycles.
std::string key_of(const SweepVariant& variant, const Network& network, const ExploreOptions& options,
                   const std::string& kit) {
  return content_hash(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", kPointFormat, kit, options.engine,
                                  options.measure ? options.measure->name : "", network.hash,
                                  pipeline::target_of(variant.variant)));
}

fs::path file_of(const ExploreOptions& options, const std::string& key) {
  return options.folder / "points" / (key + ".json");
}

/// With a hash of what the result says: a file that was damaged or edited is none.
std::string text_of_result(const Json& result) {
  Json whole = result;
  whole["hash"] = content_hash(json_dump(result));
  return json_dump(whole);
}

/// A result that is there and as it was written; null otherwise.
Json kept_result(const fs::path& file) {
  if (!is_there(file)) return {};
  const std::string text = kit::read_text(file);
  Json point = Json::parse(text, nullptr, false);
  if (!point.is_object()) return {};
  point.erase("hash");
  return text_of_result(point) == text && point.value("format", Json()) == Json(kPointFormat) ? point
                                                                                              : Json{};
}

Json fault(const std::string& status, const std::string& reason) {
  return {{"format", kPointFormat}, {"status", status}, {"reason", reason}};
}

/// The networks' graphs, each read once and only when a point needs it.
class Graphs {
 public:
  explicit Graphs(const std::vector<Network>& networks) : networks_(networks) {}
  const graph::Graph& operator[](std::size_t network) {
    const auto found = graphs_.find(network);
    if (found != graphs_.end()) return found->second;
    return graphs_[network] = kit::read_network(networks_[network].file);
  }

 private:
  const std::vector<Network>& networks_;
  std::map<std::size_t, graph::Graph> graphs_;
};

void count(Progress& progress, const Json& result) {
  ++progress.done;
  if (result.at("status") == "unbuildable") ++progress.unbuildable;
  if (result.at("status") == "failed") ++progress.failed;
}

}  // namespace

std::vector<Network> resolve_networks(const std::vector<std::string>& names, const fs::path& folder) {
  std::vector<Network> networks;
  for (const std::string& name : names) {
    Network network{name, name, {}};
    if (in_zoo(name)) {
      network.file = folder / "networks" / (name + ".onnx");
      const NewFolder made(network.file.parent_path());
      if (!is_there(network.file))
        write_output(network.file.string(), zoo::make_onnx(name, 1, zoo::Form::Qdq));
    } else {
      VDLA_CHECK_USER(is_file(name)) << "network '" << name
                                     << "' is neither a file nor a name of the zoo (vdla zoo --list)"
                                     << did_you_mean(name, zoo_names());
    }
    if (network.file == fs::path(name)) network.name = network.file.filename().string();
    network.hash = content_hash(kit::read_text(network.file));
    networks.push_back(std::move(network));
  }
  return networks;
}

std::vector<Point> run_sweep(const std::vector<SweepVariant>& variants, const std::vector<Network>& networks,
                             const ExploreOptions& options) {
  const std::string kit = content_hash(kit::read_text(options.executable));
  const NewFolder made(options.folder / "points");
  std::vector<Point> points;
  std::map<std::string, std::vector<std::size_t>> same;  // points of a key
  std::vector<std::size_t> to_run;                       // the first of each key without a result
  for (std::size_t v = 0; v < variants.size(); ++v)
    for (std::size_t n = 0; n < networks.size(); ++n) {
      Point point{v, n, key_of(variants[v], networks[n], options, kit), {}, false};
      if (!variants[v].fault.empty()) {
        point.result = fault("unbuildable", variants[v].fault);
      } else {
        point.result = kept_result(file_of(options, point.key));
        point.cached = !point.result.is_null();
        auto& points_of_key = same[point.key];
        points_of_key.push_back(points.size());
        if (!point.cached && points_of_key.size() == 1) to_run.push_back(points.size());
      }
      points.push_back(std::move(point));
    }
  Graphs graphs(networks);
  for (const std::size_t p : to_run)
    graphs[points[p].network];  // before the children are made: they share them
  Progress progress;
  progress.points = to_run.size();
  // Runs after the processes of the sweep have been killed. Kept points are those of the folder: results that
  // were there before, those of points that are the same, and those whose process was not waited for yet.
  const OnInterrupt tidy(Uninterrupted(), [&](const Uninterrupted&) {
    remove_dead_temporaries(options.folder / "points");
    std::size_t kept = 0, all = 0;
    for (const Point& p : points) {
      if (!variants[p.variant].fault.empty()) continue;  // nothing to run
      ++all;
      std::error_code none;
      kept += fs::exists(file_of(options, p.key), none) ? 1 : 0;
    }
    return fmt::format("kept {} of {} points in {}, from where the same command goes on", kept, all,
                       options.folder.string());
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto run = [&](const Json& task, unsigned) {
    const Point& point = points[to_run[task.get<std::size_t>()]];
    const graph::Graph& graph = graphs[point.network];
    const isa::Variant& variant = variants[point.variant].variant;
    const Json result = options.measure ? options.measure->run(graph, variant, options.engine)
                                        : measure(graph, variant, options.engine);
    write_output(file_of(options, point.key).string(), text_of_result(result));
    return Json::object();
  };
  const auto done = [&](std::size_t job, const std::string& message) {
    const Point& first = points[to_run[job]];
    Json result = message.empty() ? kept_result(file_of(options, first.key)) : fault("failed", message);
    if (result.is_null()) result = fault("failed", "its result file cannot be read");
    count(progress, result);
    progress.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    progress.last = variants[first.variant].name + ", " + networks[first.network].name;
    for (const std::size_t p : same.at(first.key)) points[p].result = result;
    if (options.progress) options.progress(progress);
  };
  if (options.elsewhere) {
    std::vector<OpenPoint> open;
    for (const std::size_t p : to_run)
      open.push_back({&variants[points[p].variant], &networks[points[p].network]});
    options.elsewhere(open, [&](std::size_t job, const Json& result) {
      const bool failed = result.at("status") == "failed";
      if (!failed) write_output(file_of(options, points[to_run[job]].key).string(), text_of_result(result));
      done(job, failed ? result.at("reason").get<std::string>() : "");
    });
  } else {
    std::vector<Json> tasks(to_run.size());
    std::iota(tasks.begin(), tasks.end(), 0);
    Workers workers(options.jobs, Workers::kNoLimit, run, Workers::Renew::AfterTask);
    workers.run(tasks, [&](std::size_t job, const Json& answer) { done(job, answer.value("reason", "")); });
  }
  return points;
}

}  // namespace vdla::explore
