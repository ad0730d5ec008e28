// SPDX-License-Identifier: Apache-2.0
// Processes that work for this one: what becomes of a task that throws, crashes or hangs.
#include "support/workers.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <map>
#include <set>
#include <stdexcept>

#include "support/error.h"

namespace vdla {
namespace {

using Json = Workers::Json;

constexpr double kNoLimit = Workers::kNoLimit;

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

TEST(Workers, AreRenewedAfterAFailureWhereThatIsWanted) {
  const auto processes = [](Workers::Renew renew) {
    Workers workers(1, kNoLimit, answer, renew);
    const auto answers = workers.run(tasks({"work", "throw", "work", "work"}));
    EXPECT_EQ(reason(answers[1]), "no such thing");
    EXPECT_EQ(answers[2].at("process"), answers[3].at("process"));
    return std::set<int>{answers[0].at("process").get<int>(), answers[2].at("process").get<int>()}.size();
  };
  EXPECT_EQ(processes(Workers::Renew::AfterCrash), 1u);
  EXPECT_EQ(processes(Workers::Renew::AfterFailure), 2u);
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
  Workers workers(3, kNoLimit, answer, Workers::Renew::AfterCrash, [&](unsigned worker, const Json& last) {
    EXPECT_EQ(last.at("reason"), "it is even");
    lost.push_back(worker);
  });
  const auto answers = workers.run(tasks({"odd", "odd", "odd", "odd", "work"}));
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i].at("of"), i);
  EXPECT_THAT(lost, ::testing::UnorderedElementsAre(0u, 2u));
  EXPECT_EQ(workers.run(tasks({"odd", "odd"})).at(1).at("of"), 1);
  Workers one(1, kNoLimit, answer);
  EXPECT_THAT([&] { one.run(tasks({"work", "odd", "work"})); },
              ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("the last one was lost: it is even")));
}

TEST(Workers, LargeAnswersComeWhole) {
  Workers workers(2, kNoLimit, answer);
  for (const Json& a : workers.run(tasks({"large", "large", "large"})))
    EXPECT_EQ(a.get<std::string>().size(), 1'000'000u);
}

TEST(Workers, EachTaskHasAProcessOfItsOwnWhereThatIsWanted) {
  Workers workers(2, kNoLimit, answer, Workers::Renew::AfterTask);
  std::set<int> processes;
  for (const Json& a : workers.run(tasks({"work", "work", "work", "work"})))
    processes.insert(a.at("process").get<int>());
  EXPECT_EQ(processes.size(), 4u);
}

TEST(Workers, EachAnswerIsHandedOnOnceWhateverBecomesOfItsTask) {
  Workers workers(3, kNoLimit, answer, Workers::Renew::AfterTask);
  std::map<std::size_t, Json> done;
  const auto answers = workers.run(
      tasks({"work", "throw", "crash", "work", "exit", "work"}),
      [&](std::size_t task, const Json& a) { EXPECT_TRUE(done.emplace(task, a).second) << task; });
  ASSERT_EQ(done.size(), answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(done.at(i), answers[i]);
}

TEST(Workers, NoMoreWorkAtOnceThanAreAskedFor) {
  // Shared with the workers.
  auto* const working = static_cast<std::atomic<int>*>(
      mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(working, MAP_FAILED);
  Workers workers(
      2, kNoLimit,
      [&](const Json&, unsigned) -> Json {
        const int others = (*working)++;
        usleep(20'000);
        --*working;
        return others;
      },
      Workers::Renew::AfterTask);
  for (const Json& others : workers.run(std::vector<Json>(8))) EXPECT_LT(others, 2);
  munmap(working, sizeof *working);
}

TEST(Workers, MemoryOfAWorkerIsItsOwn) {
  int value = 1;
  Workers workers(2, kNoLimit, [&](const Json&, unsigned) -> Json { return value = 2; });
  EXPECT_EQ(workers.run({Json(0), Json(1)}), (std::vector<Json>{2, 2}));
  EXPECT_EQ(value, 1);
}

}  // namespace
}  // namespace vdla
