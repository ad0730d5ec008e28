// SPDX-License-Identifier: Apache-2.0
// Processes that measure: what becomes of a task that throws, crashes or hangs.
#include "tools/tune/workers.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <stdexcept>

#include "support/error.h"
#include "tools/tune/tuned_points.h"

namespace vdla::tune {
namespace {

using explore::Json;

constexpr double kNoLimit = 600;

Json answer(const Json& task, unsigned worker) {
  const std::string what = task.at("what");
  if (what == "throw") throw std::runtime_error("no such thing");
  if (what == "exit") _exit(7);
  if (what == "crash") raise(SIGKILL);
  if (what == "hang") pause();
  if (what == "odd" && worker % 2 == 0) return {{"status", "lost"}, {"reason", "it is even"}};
  if (what == "large") return std::string(1'000'000, 'x');
  return {{"of", task.at("number")}, {"process", getpid()}};
}

std::vector<Json> tasks(const std::vector<std::string>& what) {
  std::vector<Json> all;
  for (const std::string& w : what) all.push_back({{"what", w}, {"number", all.size()}});
  return all;
}

std::string reason(const Json& answer) {
  EXPECT_EQ(answer.value("status", ""), "failed") << answer.dump();
  return answer.value("reason", "");
}

TEST(Workers, AnswerInTheOrderOfTheTasks) {
  Workers workers(3, kNoLimit, answer);
  const auto answers = workers.run(tasks(std::vector<std::string>(50, "work")));
  std::set<int> processes;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].at("of"), i);
    processes.insert(answers[i].at("process").get<int>());
  }
  EXPECT_LE(processes.size(), 3u);
  EXPECT_FALSE(processes.contains(getpid()));
  EXPECT_TRUE(workers.run({}).empty());
}

TEST(Workers, AreRenewedBehindAFailureWhereThatIsWanted) {
  const auto processes = [](Workers::AfterFailure after_failure) {
    Workers workers(1, kNoLimit, answer, {}, after_failure);
    const auto answers = workers.run(tasks({"work", "throw", "work", "work"}));
    EXPECT_EQ(reason(answers[1]), "no such thing");
    EXPECT_EQ(answers[2].at("process"), answers[3].at("process"));
    return std::set<int>{answers[0].at("process").get<int>(), answers[2].at("process").get<int>()}.size();
  };
  EXPECT_EQ(processes(Workers::AfterFailure::Keep), 1u);
  EXPECT_EQ(processes(Workers::AfterFailure::Renew), 2u);
}

TEST(Workers, LiveOnFromRunToRun) {
  Workers workers(1, kNoLimit, answer);
  const Json first = workers.run(tasks({"work"})).at(0), second = workers.run(tasks({"work"})).at(0);
  EXPECT_EQ(first.at("process"), second.at("process"));
}

TEST(Workers, ATaskThatThrowsIsNamedAndItsProcessGoesOn) {
  Workers workers(1, kNoLimit, answer);
  const auto answers = workers.run(tasks({"work", "throw", "work"}));
  EXPECT_EQ(reason(answers[1]), "no such thing");
  EXPECT_EQ(answers[0].at("process"), answers[2].at("process"));
}

TEST(Workers, AProcessThatDiesIsReplaced) {
  Workers workers(1, kNoLimit, answer);
  const auto answers = workers.run(tasks({"exit", "crash", "work", "crash", "work"}));
  EXPECT_EQ(reason(answers[0]), "its process ended with status 7");
  EXPECT_EQ(reason(answers[1]), "its process was ended by signal 9 (Killed)");
  EXPECT_EQ(answers[2].at("of"), 2);
  EXPECT_EQ(answers[4].at("of"), 4);
}

TEST(Workers, AnIdleProcessThatWasKilledFailsOneTaskOnly) {
  Workers workers(1, kNoLimit, answer);
  kill(workers.run(tasks({"work"})).at(0).at("process").get<int>(), SIGKILL);
  const auto answers = workers.run(tasks({"work", "work"}));
  EXPECT_EQ(reason(answers[0]), "its process was ended by signal 9 (Killed)");
  EXPECT_EQ(answers[1].at("of"), 1);
}

TEST(Workers, ATaskThatHangsEndsAtTheLimit) {
  Workers workers(2, 0.2, answer);
  const auto answers = workers.run(tasks({"hang", "work", "work", "hang", "work"}));
  EXPECT_EQ(reason(answers[0]), "it took more than 0.2 s");
  EXPECT_EQ(reason(answers[3]), "it took more than 0.2 s");
  for (const std::size_t i : {1u, 2u, 4u}) EXPECT_EQ(answers[i].at("of"), i);
}

TEST(Workers, ALostOneGetsNoMoreTasksAndLosesNone) {
  std::vector<unsigned> lost;
  Workers workers(3, kNoLimit, answer, [&](unsigned worker, const Json& last) {
    EXPECT_EQ(last.at("reason"), "it is even");
    lost.push_back(worker);
  });
  const auto answers = workers.run(tasks({"odd", "odd", "odd", "odd", "work"}));
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i].at("of"), i);
  EXPECT_THAT(lost, ::testing::UnorderedElementsAre(0u, 2u));
  EXPECT_EQ(workers.run(tasks({"odd", "odd"})).at(1).at("of"), 1);
  Workers one(1, kNoLimit, answer);
  EXPECT_THAT(
      [&] {
        one.run(tasks({"work", "odd", "work"}));
      },
      ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("the last one was lost: it is even")));
}

TEST(Workers, LargeAnswersComeWhole) {
  Workers workers(2, kNoLimit, answer);
  for (const Json& a : workers.run(tasks({"large", "large", "large"})))
    EXPECT_EQ(a.get<std::string>().size(), 1'000'000u);
}

// One hour for a point with any number of trials ended long searches.
TEST(PointSeconds, LeavesEachTrialOfAPointItsOwnLimit) {
  constexpr double kTrialLimit = 600;
  EXPECT_EQ(point_seconds(0), 3600);
  EXPECT_GE(point_seconds(200) - point_seconds(0), 200 * kTrialLimit);
}

}  // namespace
}  // namespace vdla::tune
