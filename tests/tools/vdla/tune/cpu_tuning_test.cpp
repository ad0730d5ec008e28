// SPDX-License-Identifier: Apache-2.0
// Tuning layers of the CPU under a stopwatch that makes times up of knobs: what is taken as better,
// candidates that hang, crash or are slow, and logs. Nothing here depends on how fast this machine is.
#include "tools/tune/cpu_trials.h"
#include "tools/tune/layer_tuning.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/knobs/choice.h"
#include "kit/files.h"
#include "tools/tune/trial_values.h"

namespace vdla::tune {
namespace {

using ::testing::HasSubstr;

/// A convolution of floats and a product, whose tasks are two.
graph::Graph two_layers() {
  graph::Graph g;
  g.name = "two";
  const auto values = [&](std::int64_t count) {
    std::vector<float> all;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<float>(i % 17) / 16 - 0.5f);
    return graph::to_bytes(all);
  };
  const auto x = g.add_tensor({"x", graph::DataType::Float32, {1, 8, 6, 8}, {}, nullptr});
  g.add_input(x);
  const auto w = g.add_constant("w", graph::DataType::Float32, {8, 8, 3, 3}, values(8 * 8 * 9));
  const auto y = g.add_node("conv", graph::Convolve{{1, 1}, {1, 1}, {1, 1}, {1, 1}, 1}, {x, w});
  const auto flat = g.add_node("flat", graph::Reshape{{8, 48}}, {y});
  const auto b = g.add_constant("b", graph::DataType::Float32, {48, 16}, values(48 * 16));
  g.add_output(g.add_node("product", graph::MatMul{}, {flat, b}));
  return g;
}

pipeline::CompileOptions for_the_cpu() {
  pipeline::CompileOptions options;
  options.use_device = false;
  return options;
}

double number_after(const std::string& text, const std::string& key) {
  const auto at = text.find(key);
  return at == std::string::npos ? 0 : std::atof(text.c_str() + at + key.size());
}

/// Seconds of a convolution are the fewer the more columns a tile has, up to four.
double made_up(const std::function<void()>&, const std::string& knobs) {
  if (knobs.find("col_tile=") == std::string::npos) return 1e-3;
  return 1e-3 * (1 + 0.1 * std::abs(number_after(knobs, "col_tile=") - 4)) - 2e-4;
}

class CpuTuningTest : public ::testing::Test {
 protected:
  CpuTuningTest() : folder_(::testing::TempDir() + "cpu_tuning_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~CpuTuningTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  /// True once: of the first process that asks.
  bool first(const std::string& marker) const {
    if (std::filesystem::exists(path(marker))) return false;
    std::ofstream(path(marker)) << "seen";
    return true;
  }

  struct Result {
    Tuned tuned;
    std::int64_t measured, failed;
  };
  Result tuned(const Stopwatch& stopwatch, std::int64_t trials = 24) const {
    const graph::Graph graph = two_layers();
    LayerTuning tuning(cpu_trials(graph, for_the_cpu(), 1, stopwatch),
                       {.kit = "test", .limit_seconds = 5, .log = path("log")});
    EXPECT_EQ(std::ranges::count(tuning.tasks(), false, &Task::plan), 2);
    TuneOptions how;
    how.trials = trials;
    how.search = &search_named("random");
    Tuned result = tuning.run(how);
    return {std::move(result), tuning.measured(), tuning.failed()};
  }

  const std::string folder_;
};

TEST_F(CpuTuningTest, TakesWhatIsFaster) {
  const Result result = tuned(made_up);
  EXPECT_LT(result.tuned.best, result.tuned.first);
  EXPECT_EQ(result.failed, 0) << "a point that is legal has code, and computes the same";
  ASSERT_EQ(result.tuned.book.records.size(), 1u) << "the product is as fast with any knobs";
  EXPECT_THAT(result.tuned.book.records[0].knobs, HasSubstr("col_tile="));
}

/// Blocks of another size are a fifth faster, and what is one function by default is a tenth faster as two.
TEST_F(CpuTuningTest, TakesAPlanThatIsFasterAndTunesTheLayersThatItHas) {
  const auto plans = [](const std::function<void()>& run, const std::string& knobs) {
    return made_up(run, knobs) * (knobs.find("block=8") != std::string::npos ? 0.8 : 1) *
           (knobs.find("fused=no") != std::string::npos ? 0.9 : 1);
  };
  const Result result = tuned(plans, 60);
  EXPECT_EQ(result.failed, 0) << "a plan that is legal has code, and computes the same";
  const auto has = [&](const std::string& knobs, const std::string& context) {
    return std::ranges::any_of(result.tuned.book.records, [&](const pipeline::KnobRecord& r) {
      return r.knobs.starts_with(knobs) && r.context == context;
    });
  };
  EXPECT_TRUE(has("block=8", pipeline::kPlanContext));
  EXPECT_TRUE(has("fused=no", pipeline::kPlanContext));
  EXPECT_TRUE(has("out_tile=", "in blocks of 8, alone")) << pipeline::to_json(result.tuned.book);
  const std::string log = kit::read_text(path("log"));
  EXPECT_THAT(log, HasSubstr("\"raced\":\"network\"")) << "blocks are of all layers";
  EXPECT_THAT(log, HasSubstr("\"raced\":\"functions\"")) << "fusion is of those that it changes";
  EXPECT_EQ(tuned(plans, 60).measured, 0) << "the log knows plans, too";
}

TEST_F(CpuTuningTest, NoiseAloneIsNoGain) {
  std::uint64_t state = 1;
  const Result result = tuned([state](const std::function<void()>&, const std::string&) mutable {
    state = state * 6364136223846793005 + 1442695040888963407;
    return 1e-3 * (1 + static_cast<double>(state >> 40) / (1 << 24));
  });
  EXPECT_TRUE(result.tuned.book.records.empty());
  EXPECT_EQ(result.tuned.best, result.tuned.first);
}

TEST_F(CpuTuningTest, CandidatesThatHangCrashOrAreSlowAreRecordsAndNoEnd) {
  const Result result = tuned([this](const std::function<void()>& run, const std::string& knobs) {
    if (knobs != "by default" && first("crash")) std::abort();
    if (knobs != "by default" && first("hang"))
      for (;;) pause();
    if (number_after(knobs, "row_tile=") == 1) return 1e6;
    return made_up(run, knobs);
  });
  EXPECT_EQ(result.failed, 2);
  EXPECT_LT(result.tuned.best, result.tuned.first);
  const std::string log = kit::read_text(path("log"));
  EXPECT_THAT(log, HasSubstr("its process was ended by signal 6"));
  EXPECT_THAT(log, HasSubstr("it took more than 5 s"));
  EXPECT_THAT(log, HasSubstr("\"turns\":3,")) << "given up at once";
  EXPECT_THAT(log, HasSubstr("\"stage\":\"duel\""));
}

TEST_F(CpuTuningTest, WithALogItGoesOnWhereItEnded) {
  const Result begun = tuned(made_up, 8), whole = tuned(made_up), again = tuned(made_up);
  EXPECT_GT(whole.measured, 0);
  EXPECT_EQ(again.measured, 0);
  EXPECT_EQ(again.tuned.book, whole.tuned.book);
  EXPECT_GE(begun.tuned.best, whole.tuned.best);
}

/// Found where noise let knobs win twice that make the kernel of the default ones.
TEST(Race, AProgramIsAsFastAsItself) {
  const RaceResult result{.ratio = {0.9, 0.8, 0.95}, .candidate_ns = 9, .incumbent_ns = 10, .turns = 41};
  EXPECT_FALSE(is_faster(outcome_of(result, "one", "one")));
  EXPECT_EQ(outcome_of(result, "one", "one").at("ratio"), 1);
  EXPECT_TRUE(is_faster(outcome_of(result, "one", "another")));
}

TEST(Race, KnowsAnIntervalOfTheMedianRatio) {
  std::vector<double> a, b;
  for (int i = 0; i < 21; ++i) {
    a.push_back(9 + i % 3 * 0.1);
    b.push_back(10);
  }
  const Ratio ratio = ratio_of(a, b);
  EXPECT_NEAR(ratio.median, 0.91, 1e-9);
  EXPECT_LE(ratio.low, ratio.median);
  EXPECT_GE(ratio.high, ratio.median);
  EXPECT_LT(ratio.high, 1);
}

TEST(Race, EndsWhenItIsKnownWhoIsFaster) {
  const auto with = [](double candidate) {
    return race({"candidate", [] {}}, {"incumbent", [] {}}, 7, 41,
                [&](const std::function<void()>&, const std::string& what) {
                  return what == "candidate" ? candidate : 1.0;
                });
  };
  EXPECT_EQ(with(2).turns, 3u) << "given up";
  EXPECT_EQ(with(1.1).turns, 7u);
  EXPECT_EQ(with(0.9).turns, 7u);
  EXPECT_EQ(with(1).turns, 41u);
}

}  // namespace
}  // namespace vdla::tune
