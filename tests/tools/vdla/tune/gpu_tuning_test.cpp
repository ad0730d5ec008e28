// SPDX-License-Identifier: Apache-2.0
// Tuning functions on a device of OpenCL, under a stopwatch that makes times up of knobs and by the device's
// own; then vdla tune as a user runs it. Skipped where there is no device.
#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "compiler/targets/target.h"
#include "kit/files.h"
#include "tests/tools/cli.h"
#include "tests/tools/tune/json_lines.h"
#include "tools/tune/gpu_trials.h"
#include "tools/tune/layer_tuning.h"

namespace vdla::tune {
namespace {

using ::testing::HasSubstr;

/// A product of floats with a sum behind it, and a softmax.
graph::Graph two_functions() {
  graph::Graph g;
  g.name = "two";
  std::vector<float> values(std::size_t{48} * 16);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17) / 16 - 0.5f;
  const auto x = g.add_tensor({"x", graph::DataType::Float32, {32, 48}, {}, nullptr});
  g.add_input(x);
  const auto b = g.add_constant("b", graph::DataType::Float32, {48, 16}, graph::to_bytes(values));
  const auto y = g.add_node("product", graph::MatMul{}, {x, b});
  g.add_output(g.add_node("softmax", graph::SoftmaxFloat{}, {y}));
  return g;
}

pipeline::CompileOptions for_a_gpu() {
  pipeline::CompileOptions options;
  options.use_device = false;
  options.machine_code = false;
  options.gpu = targets::gpu_options("opencl", "");
  return options;
}

/// Seconds by the words of knobs alone.
double by_text(const std::string& knobs) {
  if (knobs == kByDefault) return 1e-3;
  return 1e-3 * (0.5 + static_cast<double>(std::hash<std::string>()(knobs) % 1000) / 1000);
}
double made_up(gpu::Loaded&, std::size_t, const std::string& knobs) { return by_text(knobs); }

class GpuTuningTest : public ::testing::Test {
 protected:
  GpuTuningTest() : folder_(::testing::TempDir() + "gpu_tuning_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~GpuTuningTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  bool first(const std::string& marker) const { return std::filesystem::create_directory(path(marker)); }

  LayerTrials trials(const GpuStopwatch& stopwatch) const {
    return gpu_trials(graph_, for_a_gpu(), {.limit_seconds = 20, .stopwatch = stopwatch});
  }

  struct Result {
    Tuned tuned;
    std::int64_t measured, failed;
  };
  Result tuned(const GpuStopwatch& stopwatch, std::int64_t count = 12) const {
    LayerTuning tuning(trials(stopwatch), {.kit = "test", .limit_seconds = 20, .log = path("log")});
    EXPECT_EQ(tuning.tasks().size(), 2u);
    TuneOptions how;
    how.trials = count;
    how.search = &search_named("random");
    Tuned result = tuning.run(how);
    return {std::move(result), tuning.measured(), tuning.failed()};
  }

  const graph::Graph graph_ = two_functions();
  const std::string folder_;
};

#define VDLA_SKIP_WITHOUT_OPENCL()   \
  try {                              \
    trials(made_up);                 \
  } catch (const UserError& error) { \
    GTEST_SKIP() << error.what();    \
  }

TEST_F(GpuTuningTest, TakesWhatIsFasterAndGoesOnFromItsLog) {
  VDLA_SKIP_WITHOUT_OPENCL();
  const Result result = tuned(made_up), again = tuned(made_up);
  EXPECT_LT(result.tuned.best, result.tuned.first);
  EXPECT_EQ(result.failed, 0) << "a point that is legal has a kernel, and computes the same";
  EXPECT_FALSE(result.tuned.book.records.empty());
  EXPECT_EQ(result.tuned.book.target, "gpu kind=opencl machine=desktop");
  EXPECT_EQ(again.measured, 0);
  EXPECT_EQ(again.tuned.book, result.tuned.book);
  const std::string log = kit::read_text(path("log"));
  EXPECT_THAT(log, HasSubstr("\"engine\":\"gpu\",\"device\":\""));
}

TEST_F(GpuTuningTest, CandidatesThatHangBreakOrComputeSomethingElseAreRecordsAndNoEnd) {
  VDLA_SKIP_WITHOUT_OPENCL();
  const Result result = tuned([this](gpu::Loaded&, std::size_t, const std::string& knobs) {
    if (knobs != kByDefault && first("crash")) std::abort();
    if (knobs != kByDefault && first("fault")) throw UserError("an illegal address");
    if (knobs != kByDefault && first("hang"))
      for (;;) pause();
    return by_text(knobs);
  });
  EXPECT_EQ(result.failed, 3);
  EXPECT_LT(result.tuned.best, result.tuned.first);
  const std::string log = kit::read_text(path("log"));
  EXPECT_THAT(log, HasSubstr("its process was ended by signal 6"));
  EXPECT_THAT(log, HasSubstr("an illegal address"));
  EXPECT_THAT(log, HasSubstr("it took more than 20 s"));
}

TEST_F(GpuTuningTest, TheDeviceSaysHowLongARunTakes) {
  VDLA_SKIP_WITHOUT_OPENCL();
  LayerTuning tuning(trials(device_seconds), {.kit = "test"});
  const pipeline::KnobBook none{tuning.machine().target, {}, {}};
  const Outcome duel = tuning.duel(none, none);
  ASSERT_EQ(duel.at("status"), "ok") << duel.dump();
  EXPECT_GT(duel.at("ns"), 0);
  EXPECT_LE(duel.at("low"), duel.at("ratio"));
  EXPECT_EQ(duel.at("turns"), 41);
}

TEST_F(GpuTuningTest, ABookWithKnobsOfAnotherSpaceHasNoProgram) {
  VDLA_SKIP_WITHOUT_OPENCL();
  LayerTuning tuning(trials(made_up), {.kit = "test"});
  pipeline::KnobBook book{tuning.machine().target, {}, {}};
  book.put({tuning.tasks()[0].task, tuning.tasks()[0].context, "no=knob", 1});
  const Outcome duel = tuning.duel(book, {tuning.machine().target, {}, {}});
  EXPECT_EQ(duel.at("status"), "unbuildable");
  EXPECT_THAT(duel.at("reason"), HasSubstr("record 1 of the knob book"));
}

}  // namespace
}  // namespace vdla::tune

namespace vdla::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ordered_json = nlohmann::ordered_json;

class GpuTuneCommandTest : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    write_file(network(), R"(graph "two"
input %x: int8[1, 16, 16, 4]
const %w: int8[8, 3, 3, 4] = splat 3
%conv = conv2d "conv"(%x, %w) {pads = [1, 1, 1, 1], out = {multiplier = [[1200000000, -5]]}}
%pool = max_pool2d "pool"(%conv) {kernel = [2, 2], stride = [2, 2]}
output %pool
)");
  }

  std::string network() const { return path("two.graph"); }
  std::string tune(const std::string& book, int trials) const {
    return "tune " + network() + " --target opencl --search random --batch 1 --trials " +
           std::to_string(trials) + " --book " + path(book) + " --log " + path("t.jsonl");
  }
  /// Bytes that the network gives on the GPU.
  std::string outputs(const std::string& flags) const {
    const Outcome compiled =
        run("compile " + network() + " -o " + path("m.vdla") + " --target opencl " + flags);
    EXPECT_EQ(compiled.status, 0) << compiled.err;
    const Outcome ran = run("run " + path("m.vdla") + " --random-input 1 --output " + path("out.npy"));
    EXPECT_EQ(ran.status, 0) << ran.err;
    said_ = ran.err;
    return ran.status == 0 ? read_text(path("out.npy")) : "";
  }

  mutable std::string said_;
};

TEST_F(GpuTuneCommandTest, ASearchWritesABookWhoseKnobsChangeNoByte) {
  const Outcome searched = run(tune("gpu.json", 4) + " --json");
  if (searched.err.find("there is no GPU to measure on") != std::string::npos) GTEST_SKIP() << searched.err;
  ASSERT_EQ(searched.status, 0) << searched.err;
  const ordered_json result = ordered_json::parse(searched.out);
  EXPECT_EQ(result.at("trials"), 4);
  EXPECT_EQ(result.at("without_cost"), 0) << read_text(path("t.jsonl"));
  const ordered_json book = ordered_json::parse(read_text(path("gpu.json")));
  EXPECT_EQ(book.at("target"), "gpu kind=opencl machine=desktop");
  EXPECT_FALSE(book.at("device").get<std::string>().empty());
  const std::string by_default = outputs("");
  EXPECT_EQ(outputs("--book " + path("gpu.json")), by_default);
  EXPECT_THAT(said_, Not(HasSubstr("were tuned on")));

  // Whatever was fast here: each function gets knobs that were tried.
  ordered_json tried = book;
  tried.erase("measured");
  tried["device"] = "Another GPU";
  tried["records"] = ordered_json::array();
  std::set<std::string> tasks;
  for (const nlohmann::json& line : json_lines(path("t.jsonl")))
    if (line.at("knobs") != "by default" &&
        tasks.insert(line.at("task").get<std::string>() + line.at("context").get<std::string>()).second)
      tried["records"].push_back({{"task", line.at("task")},
                                  {"context", line.at("context")},
                                  {"knobs", line.at("knobs")},
                                  {"record", tasks.size()}});
  ASSERT_FALSE(tasks.empty());
  write_file(path("tried.json"), tried.dump());
  EXPECT_EQ(outputs("--book " + path("tried.json")), by_default);
  EXPECT_THAT(said_, HasSubstr("were tuned on Another GPU, and this run is on "));
  expect_error(tune("tried.json", 1), {"tried.json was tuned on Another GPU, and this search is on "});
}

TEST_F(GpuTuneCommandTest, AnInterruptedSearchGoesOn) {
  const std::string command = tune("i.json", 100000);
  const Outcome outcome = run(command + " 2>" + path("err") + " & p=$!; touch " + path("t.jsonl") +
                              "; for i in $(seq 600); do [ $(wc -l <" + path("t.jsonl") +
                              ") -gt 5 ] && break; sleep 0.05; done; kill -TERM $p; wait $p");
  const std::string said = read_text(path("err"));
  if (said.find("there is no GPU to measure on") != std::string::npos) GTEST_SKIP() << said;
  EXPECT_THAT(said, HasSubstr("t.jsonl is where the same command goes on from"));
  const std::size_t known = json_lines(path("t.jsonl")).size();
  const Outcome again = run(tune("i.json", 1) + " --json");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(ordered_json::parse(again.out).at("measured"), 0) << "all of it was known";
  EXPECT_EQ(json_lines(path("t.jsonl")).size(), known);
}

TEST_F(GpuTuneCommandTest, WhereThereIsNoSuchDeviceOneSentenceSaysSo) {
  const std::string by_name =
      "tune " + network() + " --target opencl --device no-such-gpu --book " + path("gpu.json");
  expect_error(by_name, {"there is no GPU to measure on: "});
  EXPECT_FALSE(std::filesystem::exists(path("gpu.json")));
}

}  // namespace
}  // namespace vdla::tools
