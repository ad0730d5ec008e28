// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/pool.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "tools/vdla/files.h"

namespace vdla::explore {
namespace {

using testing::HasSubstr;

std::map<std::size_t, std::string> run(std::size_t count, unsigned jobs,
                                       const std::function<void(std::size_t)>& child) {
  std::map<std::size_t, std::string> ended;
  run_in_processes(count, jobs, child, [&](std::size_t job, const std::string& fault) {
    EXPECT_TRUE(ended.emplace(job, fault).second) << "job " << job << " ended twice";
  });
  return ended;
}

TEST(Pool, EveryJobEndsOnceWhateverBecomesOfIt) {
  const auto ended = run(12, 3, [](std::size_t job) {
    if (job == 4) throw std::runtime_error("the fourth is bad");
    if (job == 7) raise(SIGKILL);
    if (job == 9) _exit(5);
  });
  ASSERT_EQ(ended.size(), 12u);
  for (const auto& [job, fault] : ended)
    if (job != 4 && job != 7 && job != 9) EXPECT_EQ(fault, "") << job;
  EXPECT_EQ(ended.at(4), "the fourth is bad");
  EXPECT_THAT(ended.at(7), HasSubstr("signal 9"));
  EXPECT_THAT(ended.at(9), HasSubstr("status 5"));
}

TEST(Pool, AChildsMemoryIsItsOwn) {
  int value = 1;
  run(2, 2, [&](std::size_t) { value = 2; });
  EXPECT_EQ(value, 1);
}

TEST(Pool, NoMoreRunAtOnceThanAskedFor) {
  const auto folder = std::filesystem::temp_directory_path() / ("vdla_pool_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto ended = run(8, 2, [&](std::size_t job) {
    const auto mine = folder / std::to_string(job);
    tools::write_file(mine.string(), "x");
    std::size_t there = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      there += entry.path().extension() != ".part";
    usleep(20'000);
    std::filesystem::remove(mine);
    if (there > 2) throw std::runtime_error("too many");
  });
  for (const auto& [job, fault] : ended) EXPECT_EQ(fault, "") << job;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace vdla::explore
