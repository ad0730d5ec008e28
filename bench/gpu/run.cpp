// SPDX-License-Identifier: Apache-2.0
// Runs a package of kernels (bench_gpu_package) on a GPU: each program on the package's values, into poisoned
// outputs, against what has to come out; then the time that it takes, by the GPU's own clock.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>

#include "bench/gpu/package.h"
#include "bench/gpu/values.h"
#include "runtime/gpu/cuda.h"
#include "runtime/gpu/emulator.h"
#include "support/error.h"
#include "support/input_file.h"
#include "support/json_dump.h"

namespace vdla::bench::gpu {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

struct Flags {
  std::string package, output, device = vdla::gpu::kCuda;
  std::vector<std::string> only;
  double seconds = 240;
  std::size_t first = std::numeric_limits<std::size_t>::max();
  bool times = true;
};

/// Floats that no program computed: not a number.
constexpr std::byte kPoison{0xff};

class Runner {
 public:
  Runner(const Flags& flags, vdla::gpu::Device& device)
      : flags_(flags), device_(device), start_(Clock::now()) {}

  bool is_over() const { return elapsed() > flags_.seconds; }
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  Json run(Task task, const Json& json) {
    values_.clear();
    Json row{{"id", task.id}, {"flops", task.flops}, {"candidates", Json::array()}};
    if (json.contains("key")) row["key"] = json["key"];
    double best = INFINITY;
    if (task.candidates.size() > flags_.first) task.candidates.resize(flags_.first);
    for (Candidate& c : task.candidates) {
      if (is_over()) {
        row["unfinished"] = fmt::format("time was over after {:.0f} s", elapsed());
        break;
      }
      Json result{{"name", c.name}, {"knobs", c.point}};
      try {
        run(task, c, result);
      } catch (const UserError& error) {
        result["error"] = error.what();
      }
      if (result.contains("seconds") && result["right"] && result["seconds"] < best) {
        best = result["seconds"];
        row["best"] = c.name;
        row["seconds"] = best;
        row["gflops"] = task.flops / best * 1e-9;
      }
      row["candidates"].push_back(std::move(result));
    }
    return row;
  }

 private:
  void run(const Task& task, Candidate& c, Json& result) {
    for (const std::string& file : c.files) {
      const Bytes bytes = read_input(fs::path(flags_.package) / file);
      c.program.parts.push_back({{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, ""});
    }
    const auto begin = Clock::now();
    const auto loaded = device_.load(c.program);
    result["load_seconds"] = std::chrono::duration<double>(Clock::now() - begin).count();
    for (std::size_t i = 0; i < c.fills.size(); ++i)
      loaded->write(i, contents(c.fills[i], c.program.buffer_bytes[i]));
    loaded->run();
    check(task, c, *loaded, result);
    result["launches"] = c.program.launches.size();
    if (!task.is_timed || !flags_.times || !result["right"]) return;
    add_times(c, *loaded, result);
  }

  /// Values of a seed stay for the task's next candidates.
  const Bytes& contents(const Fill& fill, std::size_t bytes) {
    const auto key = std::tuple(fill.file, fill.seed.value_or(0), fill.rows, bytes);
    const auto [found, is_new] = values_.try_emplace(key);
    if (!is_new) return found->second;
    if (!fill.file.empty()) {
      found->second = read_input(fs::path(flags_.package) / fill.file);
    } else if (fill.seed) {
      const std::size_t width = *seeded_width(fill.type);
      found->second = seeded_values(fill.type, *fill.seed, fill.scale, bytes / width);
      if (fill.rows > 0) found->second = by_columns(found->second, fill.rows, width);
    } else {
      found->second.assign(bytes, kPoison);
    }
    VDLA_CHECK_USER(found->second.size() == bytes)
        << "the package has " << found->second.size() << " bytes for a buffer of " << bytes;
    return found->second;
  }

  void check(const Task& task, const Candidate& c, vdla::gpu::Loaded& loaded, Json& result) {
    bool is_right = task.expected.size() == c.outputs.size();
    double largest = 0;
    for (std::size_t o = 0; o < c.outputs.size() && is_right; ++o) {
      Bytes seen(c.program.buffer_bytes[c.outputs[o]]);
      loaded.read(c.outputs[o], seen);
      const Expected& e = task.expected[o];
      if (!e.file.empty()) {
        const Bytes want = read_input(fs::path(flags_.package) / e.file);
        is_right = want == seen;
        if (!is_right) result["different_bytes"] = different(want, seen);
        continue;
      }
      const double part = difference(e, seen, result);
      largest = std::max(largest, part);
      is_right = part <= task.tolerance;
    }
    result["right"] = is_right;
    result["difference"] = std::isfinite(largest) ? Json(largest) : Json("not a number");
  }

  static std::size_t different(const Bytes& want, const Bytes& seen) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < std::min(want.size(), seen.size()); ++i) count += want[i] != seen[i] ? 1 : 0;
    return count;
  }

  /// Norm of the difference over the norm of what is expected; infinite where an element was not written.
  static double difference(const Expected& e, const Bytes& seen, Json& result) {
    const auto at = [&](std::size_t i) {
      float value = 0;
      std::memcpy(&value, seen.data() + i * sizeof value, sizeof value);
      return static_cast<double>(value);
    };
    std::size_t unwritten = 0;
    for (std::size_t i = 0; i < seen.size() / sizeof(float); ++i) unwritten += std::isnan(at(i)) ? 1 : 0;
    if (unwritten > 0) return result["unwritten"] = unwritten, INFINITY;
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < e.elements.size(); ++i) {
      error += std::pow(at(e.elements[i]) - e.values[i], 2);
      norm += std::pow(e.values[i], 2);
    }
    return norm > 0 ? std::sqrt(error / norm) : std::sqrt(error);
  }

  static double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  }

  static void add_times(const Candidate& c, vdla::gpu::Loaded& loaded, Json& result) {
    const std::vector<double> times = loaded.time(0, c.program.launches.size(), {});
    result["seconds"] = median(times);
    result["least"] = std::ranges::min(times);
    result["most"] = std::ranges::max(times);
    if (c.functions.size() < 2) return;
    double sum = 0;
    result["functions"] = Json::array();
    for (const Function& f : c.functions) {
      const double seconds = median(loaded.time(f.first, f.last, {.samples = 7}));
      sum += seconds;
      result["functions"].push_back(
          {{"layer", f.layer}, {"template", f.by}, {"knobs", f.knobs}, {"key", f.key}, {"seconds", seconds}});
    }
    result["sum_of_functions"] = sum;
  }

  const Flags& flags_;
  vdla::gpu::Device& device_;
  Clock::time_point start_;
  std::map<std::tuple<std::string, std::uint64_t, std::size_t, std::size_t>, Bytes> values_;
};

void print(const Json& row) {
  std::size_t right = 0;
  for (const Json& c : row["candidates"]) right += c.value("right", false) ? 1 : 0;
  const std::size_t count = row["candidates"].size();
  fmt::print("{:<24} {:>3} of {:>3} right", row["id"].get<std::string>(), right, count);
  if (row.contains("seconds"))
    fmt::print(" {:>10.2f} us {:>9.1f} GFLOP/s, {}", row["seconds"].get<double>() * 1e6,
               row["gflops"].get<double>(), row["best"].get<std::string>());
  for (const Json& c : row["candidates"])
    if (!c.value("right", false)) {
      fmt::print("  [{}: {}]", c["name"].get<std::string>(),
                 c.contains("error") ? c["error"].get<std::string>() : c.dump());
      break;
    }
  fmt::print("\n");
  std::fflush(stdout);
}

int run(const Flags& flags) {
  std::ifstream file(fs::path(flags.package) / kPackageFile);
  VDLA_CHECK_USER(file.good()) << flags.package << " has no " << kPackageFile << ": is it a package?";
  const Json package = Json::parse(file);
  VDLA_CHECK_USER(package.value("format", 0) == kPackageFormat)
      << flags.package << " has format " << package.value("format", 0) << ", needs " << kPackageFormat
      << "; make it again with bench_gpu_package";
  const bool is_emulated = flags.device == vdla::gpu::kEmulator;
  const auto device = is_emulated ? vdla::gpu::open_emulator(1) : vdla::gpu::open_cuda(flags.device);
  Json out = Json::object();
  out["device"] = device->name();
  if (!is_emulated) out["driver"] = vdla::gpu::cuda_devices().at(0).driver;
  out["code"] = package["code"];
  out["machine"] = package["machine"];
  out["rows"] = Json::array();
  Runner runner(flags, *device);
  bool is_right = true;
  for (const Json& json : package["tasks"]) {
    const std::string id = json.value("id", "");
    if (!flags.only.empty() && std::ranges::count(flags.only, id) == 0) continue;
    if (runner.is_over()) break;
    Json row = runner.run(task_from(json), json);
    print(row);
    for (const Json& c : row["candidates"]) is_right &= c.value("right", false);
    out["rows"].push_back(std::move(row));
    // After each task, so that what is there stays when the time of the machine ends.
    std::ofstream(flags.output) << json_dump(out, 1) << "\n";
  }
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace vdla::bench::gpu

int main(int argc, char** argv) {
  using namespace vdla;
  bench::gpu::Flags flags;
  CLI::App app("Runs a package of kernels on a GPU: results against those of the package, and times");
  app.add_option("package", flags.package, "The package's folder")->required()->check(CLI::ExistingDirectory);
  app.add_option("-o,--output", flags.output, "Where results go, as JSON")->required();
  app.add_option("--device", flags.device, "cuda, cuda:N, or emulator for a package that was made for it")
      ->capture_default_str();
  app.add_option("--only", flags.only, "Only this task; may be given several times");
  app.add_option("--first", flags.first, "Only so many programs of each task, the one of default knobs first")
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", flags.seconds, "No candidate is begun after so long")->capture_default_str();
  app.add_flag("!--no-times", flags.times, "Only look at results");
  CLI11_PARSE(app, argc, argv);
  try {
    return bench::gpu::run(flags);
  } catch (const UserError& error) {
    fmt::print(stderr, "bench_gpu_run: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
