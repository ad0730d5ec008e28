// SPDX-License-Identifier: Apache-2.0
// Compiles kernels for a GPU that is elsewhere: what each task is to compute, with which values, what has to
// come out, and programs for it with several choices of knobs. bench_gpu_run runs the package there.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>
#include <random>

#include "bench/gpu/best.h"
#include "bench/gpu/package.h"
#include "bench/gpu/tasks.h"
#include "bench/gpu/values.h"
#include "bench/gpu/whole_network.h"
#include "compiler/pipeline/reference.h"
#include "compiler/targets/gpu/templates/grid_kernel.h"
#include "runtime/container/signature.h"
#include "support/child_process.h"
#include "support/error.h"
#include "support/float16.h"
#include "support/json_dump.h"
#include "support/workers.h"

namespace vdla::bench::gpu {
namespace {

namespace fs = std::filesystem;
using graph::Bytes;
using pipeline::Point;

struct Flags {
  std::string folder, machine = "desktop", ptxas, arch = "sm_90", best, earlier;
  std::vector<std::string> networks, only, tries;
  unsigned candidates = 1, network_candidates = 1, jobs = 1;
  bool is_emulated = false;
  std::uint64_t seed = 1;
};

constexpr double kInterpretedFlops = 1e10;  ///< more take too long there
constexpr std::size_t kSamples = 1024;
constexpr unsigned kMostDrawn = 8000, kDrawnEach = 100;  ///< points of which the candidates are chosen

std::uint64_t seed_of(graph::TensorId tensor) { return static_cast<std::uint64_t>(tensor) + 1; }

/// As a trained network has them: what is summed up stays about as large as it was.
double scale_of(const graph::Tensor& t) {
  const auto count = static_cast<double>(graph::element_count(t.shape));
  return t.shape.size() < 2 ? 0.1 : std::sqrt(6 * static_cast<double>(t.shape[0]) / count);
}

bool is_seeded(const Workload& w, const graph::Tensor& t) {
  return w.has_seeded_constants && t.type == graph::DataType::Float32;
}

void seed_constants(Workload& w) {
  for (std::size_t i = 0; i < w.graph.tensors.size(); ++i) {
    graph::Tensor& t = w.graph.tensors[i];
    if (!t.constant() || !is_seeded(w, t)) continue;
    const auto id = static_cast<graph::TensorId>(i);
    t.data = std::make_shared<const Bytes>(
        seeded_values("float32", seed_of(id), scale_of(t), t.bytes() / sizeof(float)));
  }
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  VDLA_CHECK_USER(file.good()) << path.string() << " cannot be written";
}
std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Everything that is done for a task. Work on it is shared among processes by item.
// Long: candidates, parts and expected results are all of one workload and its constants.
class Maker {
 public:
  Maker(Workload workload, const Flags& flags)
      : flags_(flags), work_(std::move(workload)), groups_(pipeline::functions_of(work_.graph)) {
    seed_constants(work_);
  }

  const Workload& workload() const { return work_; }
  bool is_one_function() const { return groups_.size() == 1; }
  /// Key of one function.
  std::string key() const { return key_of(work_.graph, groups_[0]); }

  /// Candidates: of one function its knobs, the default ones ("") first; of a network, whose functions all
  /// have knobs of their own, the number of each function's choice.
  std::vector<std::string> choose(const BestKnobs& best) const {
    if (is_one_function()) return choices(groups_[0], best);
    std::vector<std::string> chosen{""};
    for (unsigned i = 1; i < (work_.is_timed ? flags_.network_candidates : 1); ++i)
      chosen.push_back(std::to_string(i));
    return chosen;
  }

  Json candidate(const std::string& name, const std::string& knobs, const BestKnobs& best) {
    std::map<std::string, std::string> keys;  // keys by layer
    for (const auto& group : groups_) keys[work_.graph.node(group.back()).name] = key_of(work_.graph, group);
    const auto choose = [&](std::span<const graph::NodeId> group) -> std::string {
      if (is_one_function()) return knobs;
      const std::string& key = keys.at(work_.graph.node(group.back()).name);
      const auto known = best.find(key);
      const std::string otherwise = known == best.end() ? "" : known->second.second;
      if (knobs.empty()) return otherwise;
      const auto [list, is_new] = choices_.try_emplace(key);
      if (is_new) list->second = choices(group, best);
      const std::size_t number = std::stoul(knobs);
      return number < list->second.size() ? list->second[number] : otherwise;
    };
    WholeNetwork whole =
        whole_network(work_.graph, targets::gpu_target(flags_.is_emulated ? "emulator" : "cuda"),
                      pipeline::gpu::profile_named(flags_.machine), choose);
    targets::GridNetwork& made = whole.network;
    Candidate c{name, knobs, std::move(made.program), {}, {}, {}, whole.outputs};
    for (std::size_t i = 0; i < c.program.parts.size(); ++i) c.files.push_back(write_part(name, i, c));
    c.fills.resize(c.program.buffer_bytes.size());
    for (std::size_t i = 0; i < whole.inputs.size(); ++i)
      c.fills[whole.inputs[i]] = input_fill(work_.graph.inputs[i].tensor);
    for (std::size_t i = 0; i < made.constants.size(); ++i)
      c.fills[made.constants[i].buffer] = constant_fill(made.constants[i].data);
    for (const targets::GridFunction& f : made.functions)
      c.functions.push_back({f.layer, f.by, f.knobs, keys.at(f.layer), f.first, f.last});
    Task only{work_.id, {}, 0, true, 0, {}, {std::move(c)}};
    return to_json(only).at("candidates").at(0);
  }

  Json expected() const {
    if (!flags_.earlier.empty())
      if (std::optional<Json> known = expected_before()) return *std::move(known);
    Task only{work_.id, {}, 0, true, 0, {}, {}};
    if (work_.flops > kInterpretedFlops) {
      only.expected.push_back(expected_product());
    } else {
      pipeline::Reference reference(work_.graph);
      std::vector<Bytes> inputs;
      for (const graph::Port& port : work_.graph.inputs) inputs.push_back(input_bytes(port.tensor));
      const std::vector<Bytes> outputs = reference.run(inputs);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        only.expected.push_back(
            expected_of(work_.graph.tensor(work_.graph.outputs[i].tensor), outputs[i], i));
    }
    return to_json(only).at("expected");
  }

 private:
  /// Results that an earlier package expects of the task.
  std::optional<Json> expected_before() const {
    const fs::path earlier = flags_.earlier;
    std::ifstream file(earlier / kPackageFile);
    VDLA_CHECK_USER(file.good()) << earlier.string() << " has no " << kPackageFile << ": is it a package?";
    for (const Json& task : Json::parse(file).at("tasks")) {
      if (task.at("id") != work_.id) continue;
      const Json& known = task.at("expected");
      for (const Expected& e : task_from(task).expected)
        if (!e.file.empty())
          fs::copy_file(earlier / e.file, fs::path(flags_.folder) / e.file,
                        fs::copy_options::overwrite_existing);
      return known;
    }
    return std::nullopt;
  }

  /// Knobs for a function; the default first, then what earlier runs found best and what lies beside it, then
  /// drawn ones.
  std::vector<std::string> choices(std::span<const graph::NodeId> group, const BestKnobs& best) const {
    std::vector<std::string> chosen{""};
    for (const std::string& text : flags_.tries)
      if (is_one_function() && text.starts_with(work_.id + ":"))
        chosen.push_back(text.substr(work_.id.size() + 1));
    const auto& profile = pipeline::gpu::profile_named(flags_.machine);
    const pipeline::GridKernel kernel = pipeline::grid_kernel(work_.graph, group, profile);
    if (!kernel.by.space) return chosen;
    const pipeline::KnobSpace& space = *kernel.by.space;
    const std::size_t tried = chosen.size();
    const unsigned candidates = is_one_function() ? flags_.candidates : flags_.network_candidates;
    const auto add = [&](const std::string& text) {
      if (std::ranges::find(chosen, text) == chosen.end()) chosen.push_back(text);
    };
    std::mt19937_64 random(flags_.seed);
    if (const auto known = best.find(key_of(work_.graph, group)); known != best.end()) {
      const std::string& text = known->second.second;
      add(text);
      std::vector<Point> beside = space.neighbours(space.parse(text));
      std::ranges::shuffle(beside, random);
      for (const Point& point : beside)
        if (chosen.size() < tried + candidates * 2 / 3) add(space.text(point));
    }
    if (candidates < 2) return chosen;
    std::vector<std::pair<double, std::string>> drawn;  // drawn knobs by estimate
    for (unsigned i = 0; i < std::min(kMostDrawn, kDrawnEach * candidates); ++i)
      if (const auto point = space.sample(random))
        drawn.emplace_back(space.estimate(*point), space.text(*point));
    std::ranges::stable_sort(drawn, {}, &std::pair<double, std::string>::first);
    // Dense among the best by estimate, which is wrong at times, and further apart behind them.
    const double reach = 0.5 * static_cast<double>(drawn.size());
    for (unsigned i = 0; i < candidates && chosen.size() < tried + candidates; ++i) {
      const double part = static_cast<double>(i) / candidates;
      const auto rank = std::max<std::size_t>(i, static_cast<std::size_t>(reach * part * part * part));
      if (rank < drawn.size()) add(drawn[rank].second);
    }
    return chosen;
  }

  Bytes input_bytes(graph::TensorId id) const {
    const graph::Tensor& t = work_.graph.tensor(id);
    const std::string_view type = graph::name_of(t.type);
    if (const auto width = seeded_width(type)) return seeded_values(type, seed_of(id), 1, t.bytes() / *width);
    std::mt19937_64 random(seed_of(id));
    Bytes bytes(t.bytes());
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    return bytes;
  }

  std::string file_name(const std::string& what) const { return "data/" + work_.id + "-" + what; }

  Fill input_fill(graph::TensorId id) const {
    const graph::Tensor& t = work_.graph.tensor(id);
    if (const std::string type(graph::name_of(t.type)); seeded_width(type))
      return {.seed = seed_of(id), .scale = 1, .type = type};
    const std::string name = file_name(fmt::format("input-{}", id));
    write_file(fs::path(flags_.folder) / name, text_of(input_bytes(id)));
    return {.file = name};
  }

  Fill constant_fill(const graph::SharedBytes& data) const {
    for (std::size_t i = 0; i < work_.graph.tensors.size(); ++i) {
      const graph::Tensor& t = work_.graph.tensors[i];
      if (!t.constant() || t.data->size() != data->size() || !is_seeded(work_, t)) continue;
      Fill fill{.seed = seed_of(static_cast<graph::TensorId>(i)), .scale = scale_of(t)};
      if (*t.data == *data) return fill;
      fill.rows = static_cast<std::size_t>(t.shape[0]);
      if (by_columns(*t.data, fill.rows, sizeof(float)) == *data) return fill;
    }
    // One file for all candidates that have the same.
    const std::string name = file_name("constant-" + runtime::to_string(runtime::Hash().add(*data).finish()));
    write_file(fs::path(flags_.folder) / name, text_of(*data));
    return {.file = name};
  }

  std::string write_part(const std::string& candidate, std::size_t index, const Candidate& c) const {
    const std::string stem = fmt::format("kernels/{}-{}-{}", work_.id, candidate, index);
    if (flags_.is_emulated) {
      write_file(fs::path(flags_.folder) / (stem + ".o"), c.program.parts[index].text);
      return stem + ".o";
    }
    const fs::path ptx = fs::path(flags_.folder) / (stem + ".ptx");
    write_file(ptx, c.program.parts[index].text);
    if (flags_.ptxas.empty()) return stem + ".ptx";
    const std::string cubin = (fs::path(flags_.folder) / (stem + ".cubin")).string();
    const CommandOutcome outcome =
        run_command({flags_.ptxas, "-O3", "-arch=" + flags_.arch, ptx.string(), "-o", cubin}, {}, 120);
    VDLA_CHECK_USER(outcome.status == 0) << "ptxas does not take " << ptx.string() << ": " << outcome.tail;
    fs::remove(ptx);
    return stem + ".cubin";
  }

  Expected expected_of(const graph::Tensor& t, const Bytes& bytes, std::size_t index) const {
    Expected e{std::string(graph::name_of(t.type)), "", {}, {}};
    if (t.type != graph::DataType::Float32) {
      e.file = file_name(fmt::format("output-{}", index));
      write_file(fs::path(flags_.folder) / e.file, text_of(bytes));
      return e;
    }
    const auto* values = reinterpret_cast<const float*>(bytes.data());
    for (const std::size_t i : sampled(bytes.size() / sizeof(float))) {
      e.elements.push_back(i);
      e.values.push_back(static_cast<double>(values[i]));
    }
    return e;
  }

  std::vector<std::size_t> sampled(std::size_t count) const {
    std::vector<std::size_t> elements;
    std::mt19937_64 random(flags_.seed);
    for (std::size_t i = 0; i < std::min(count, kSamples); ++i)
      elements.push_back(count <= kSamples ? i : random() % count);
    return elements;
  }

  /// Elements of an operand of a product as numbers.
  std::vector<double> numbers(graph::TensorId id) const {
    const graph::Tensor& t = work_.graph.tensor(id);
    const auto count = static_cast<std::size_t>(graph::element_count(t.shape));
    const Bytes bytes = input_bytes(id);
    std::vector<double> result(count);
    const auto fill = [&]<class T>(T, const auto& number) {
      for (std::size_t i = 0; i < count; ++i) {
        T value{};
        std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
        result[i] = static_cast<double>(number(value));
      }
    };
    if (t.type == graph::DataType::Float16)
      fill(std::uint16_t{}, [](std::uint16_t half) { return half_value(half); });
    else if (t.type == graph::DataType::Int8)
      fill(std::int8_t{}, [](std::int8_t byte) { return byte; });
    else
      fill(float{}, [](float value) { return value; });
    return result;
  }

  /// Expected elements of a product that is too large for the interpreter: in double precision, of int8
  /// exact.
  Expected expected_product() const {
    const graph::Node& node = work_.graph.nodes.at(0);
    const auto* op = std::get_if<graph::MatMul>(&node.op);
    VDLA_CHECK(op && work_.graph.nodes.size() <= 2) << "'" << work_.id << "' is no product";
    const graph::Tensor &a = work_.graph.tensor(node.inputs[0]), &b = work_.graph.tensor(node.inputs[1]);
    const std::vector<double> left = numbers(node.inputs[0]), right = numbers(node.inputs[1]);
    const auto size = [](const graph::Tensor& t, bool last) {
      return static_cast<std::size_t>(t.shape[last ? 1 : 0]);
    };
    const std::size_t rows = size(a, op->transpose_a), terms = size(a, !op->transpose_a),
                      columns = size(b, !op->transpose_b);
    Expected e{"float32", "", {}, {}};
    for (const std::size_t i : sampled(rows * columns)) {
      const std::size_t row = i / columns, column = i % columns;
      double sum = 0;
      for (std::size_t k = 0; k < terms; ++k)
        sum += left[op->transpose_a ? k * rows + row : row * terms + k] *
               right[op->transpose_b ? column * terms + k : k * columns + column];
      e.elements.push_back(i);
      e.values.push_back(sum);
    }
    return e;
  }

  const Flags& flags_;
  Workload work_;
  const std::vector<std::vector<graph::NodeId>> groups_;     ///< groups of each function
  std::map<std::string, std::vector<std::string>> choices_;  ///< choices of a network's functions, by key
};

struct Item {
  std::size_t task;
  int candidate;  ///< -1: what is expected
  std::string knobs;
};

/// {"value": ...}, or {"error": ...} where the item is refused.
Json made_of(const Item& item, Maker& maker, const BestKnobs& best) {
  try {
    return {{"value", item.candidate < 0
                          ? maker.expected()
                          : maker.candidate(fmt::format("c{}", item.candidate), item.knobs, best)}};
  } catch (const UserError& error) {
    return {{"error", error.what()}};
  }
}

/// Returns what became of each item, in the order of the items.
std::vector<Json> make_all(const std::vector<Item>& items, std::vector<Maker>& makers, const BestKnobs& best,
                           unsigned jobs) {
  Workers workers(jobs, Workers::kNoLimit, [&](const Json& index, unsigned) -> Json {
    const Item& item = items[index.get<std::size_t>()];
    return made_of(item, makers[item.task], best);
  });
  std::vector<Json> tasks(items.size());
  std::iota(tasks.begin(), tasks.end(), 0);
  std::vector<Json> made;
  for (const Json& answer : workers.run(tasks)) {
    VDLA_CHECK_USER(!answer.contains("reason"))
        << items[made.size()].knobs << ": " << answer["reason"].get<std::string>();
    made.emplace_back(answer);
  }
  return made;
}

/// Adds the programs that run the package elsewhere.
void add_programs(const fs::path& folder) {
  const auto add = [&](const fs::path& from) {
    VDLA_CHECK_USER(fs::exists(from)) << from.string() << " is not there: build all of the kit";
    fs::copy_file(from, folder / from.filename(), fs::copy_options::overwrite_existing);
  };
  add(fs::read_symlink("/proc/self/exe").parent_path() / "bench_gpu_run");
  for (const char* script : {"measure.py", "rivals.py"}) add(fs::path(VDLA_GPU_SCRIPTS) / script);
}

void make(const Flags& flags) {
  targets::gpu_target("cuda");  // UserError before anything is written
  for (const char* part : {"kernels", "data"}) fs::create_directories(fs::path(flags.folder) / part);
  BestKnobs best;
  if (!flags.best.empty()) best = best_of(read_result(flags.best));
  std::vector<Maker> makers;
  const auto is_wanted = [&](const std::string& id) {
    return flags.only.empty() || std::ranges::count(flags.only, id) > 0;
  };
  for (const std::string& path : flags.networks) makers.emplace_back(network_workload(path), flags);
  for (Workload& w : measured_workloads(pipeline::gpu::profile_named(flags.machine)))
    if (is_wanted(w.id)) makers.emplace_back(std::move(w), flags);
  std::vector<Item> items;
  for (std::size_t t = 0; t < makers.size(); ++t) {
    items.push_back({t, -1, ""});
    int number = 0;
    for (const std::string& knobs : makers[t].choose(best)) items.push_back({t, number++, knobs});
  }
  fmt::print(stderr, "{} tasks, {} programs\n", makers.size(), items.size() - makers.size());
  const std::vector<Json> made = make_all(items, makers, best, flags.jobs);
  Json package{{"format", kPackageFormat}, {"machine", flags.machine}, {"tasks", Json::array()}};
  package["code"] = flags.is_emulated     ? "for the emulator"
                    : flags.ptxas.empty() ? "PTX for sm_80"
                                          : "machine code for " + flags.arch;
  for (std::size_t t = 0; t < makers.size(); ++t) {
    const Workload& w = makers[t].workload();
    Json task = to_json(Task{w.id, w.about, w.flops, w.is_timed, w.tolerance, {}, {}});
    if (makers[t].is_one_function()) task["key"] = makers[t].key();
    Json refused = Json::array();
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].task != t) continue;
      if (made[i].contains("error")) {
        fmt::print(stderr, "{}, {}: {}\n", w.id, items[i].knobs, made[i]["error"].get<std::string>());
        refused.push_back({{"knobs", items[i].knobs}, {"why", made[i]["error"]}});
      } else if (items[i].candidate < 0) {
        task["expected"] = made[i]["value"];
      } else {
        task["candidates"].push_back(made[i]["value"]);
      }
    }
    if (!refused.empty()) task["refused"] = refused;
    package["tasks"].push_back(task);
  }
  write_file(fs::path(flags.folder) / kPackageFile, json_dump(package, 1));
  add_programs(flags.folder);
}

}  // namespace
}  // namespace vdla::bench::gpu

int main(int argc, char** argv) {
  using namespace vdla;
  bench::gpu::Flags flags;
  CLI::App app("Makes a package of kernels for a GPU elsewhere; bench_gpu_run runs it there");
  app.add_option("folder", flags.folder, "Where the package goes; a folder")->required();
  app.add_option("--candidates", flags.candidates, "So many choices of knobs for each task that has knobs")
      ->capture_default_str();
  app.add_option("--network-candidates", flags.network_candidates,
                 "So many for each timed network, of which each function has a choice of its own")
      ->capture_default_str();
  app.add_option("--best", flags.best,
                 "What bench_gpu_run wrote: networks, and one more candidate, have its best knobs")
      ->check(CLI::ExistingFile);
  app.add_option("--expected", flags.earlier,
                 "An earlier package: what has to come out of its tasks need not be computed again")
      ->check(CLI::ExistingDirectory);
  app.add_option("--machine", flags.machine, "The templates are for such a machine")->capture_default_str();
  app.add_option("--ptxas", flags.ptxas, "NVIDIA's assembler: machine code in the place of PTX");
  app.add_flag("--emulator", flags.is_emulated, "Programs for the emulator, to try a package without a GPU");
  app.add_option("--arch", flags.arch, "For that machine code")->capture_default_str();
  app.add_option("--network", flags.networks,
                 "A network that is checked besides; may be given several times");
  app.add_option("--try", flags.tries,
                 "TASK:KNOBS, one more candidate of a task; may be given several times");
  app.add_option("--only", flags.only, "Of what is timed only this task; may be given several times");
  app.add_option("--jobs", flags.jobs, "Processes")->check(CLI::Range(1u, 256u))->capture_default_str();
  app.add_option("--seed", flags.seed, "Of the knobs that are drawn")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    bench::gpu::make(flags);
  } catch (const UserError& error) {
    fmt::print(stderr, "bench_gpu_package: {}\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
