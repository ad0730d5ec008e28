// SPDX-License-Identifier: Apache-2.0
// vdla explore as a user runs it.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "isa/variants/variants.h"
#include "kit/rtl.h"
#include "tests/tools/vdla/explore/explore_fixture.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The command line of a sweep of 48 points.
constexpr const char* kMany =
    "--axis array=1x4x4,1x4x8,1x8x8,1x8x16 --axis wgt_kib=4,8 --axis dram_latency=10,48,100 "
    "--axis dram_bytes_per_cycle=4,8 --jobs 2 ";

TEST_F(Explore, ATunedPointRunsOnTheRtlWithItsKnobs) {
  const Outcome outcome = run("explore --network " + example("digits.onnx") +
                              " --base tiny --json --tune 40 --confirm-rtl 1 -o " + path("confirmed"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json point = json::parse(outcome.out).at("points").at(0);
  EXPECT_LT(point.at("cycles"), point.at("default_cycles"));
  EXPECT_EQ(point.at("rtl").at("cycles"), point.at("cycles"));
}

TEST_F(Explore, ANetworkMayBeGraphText) {
  std::ofstream(path("digits.graph")) << run("opt " + example("digits.onnx")).out;
  const auto cycles = [&](const std::string& file) {
    const Outcome outcome =
        run("explore --network " + file + " --base tiny --axis array=1x4x4 --json -o " + path("text"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out).at("points").at(0).at("cycles");
  };
  EXPECT_EQ(cycles(path("digits.graph")), cycles(example("digits.onnx")));
}

TEST_F(Explore, HalvingCountsOnlyWhatCanBeMeasured) {
  const Outcome outcome =
      run("explore" + network() +
          "--axis array=1x8x8,1x16x16 --axis wgt_kib=1,8 --axis par_kib=1,4 --json --jobs 2 "
          "--tune 32 --halving -o " +
          path("halved"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  std::size_t measured = 0;
  for (const json& point : result.at("points")) {
    measured += point.at("status") == "ok" ? 1 : 0;
    EXPECT_EQ(point.contains("tuned_trials"), point.at("status") == "ok");
  }
  ASSERT_LT(measured, result.at("points").size());
  EXPECT_EQ(result.at("halving").at("rounds").at(0).at("points"), measured);
  EXPECT_EQ(result.at("halving").at("trials_of_all"), 32 * measured);
}

TEST_F(Explore, HalvingGivesAllTrialsToThePointsNearTheFrontAlone) {
  const std::string sweep = "explore" + network() +
                            "--axis array=1x4x4,1x4x8,1x8x8,1x8x16 --axis wgt_kib=4,8 --axis "
                            "dram_bytes_per_cycle=4,8 --json --jobs 2 --tune ";
  const Outcome whole = run(sweep + "32 -o " + path("whole")),
                halved = run(sweep + "32 --halving -o " + path("halved"));
  ASSERT_EQ(halved.status, 0) << halved.err;
  const json all = json::parse(whole.out).at("points"), result = json::parse(halved.out);
  const json& points = result.at("points");
  EXPECT_LT(result.at("halving").at("trials").get<double>(),
            result.at("halving").at("trials_of_all").get<double>() / 4);
  std::map<int, int> of_trials;
  for (std::size_t p = 0; p < all.size(); ++p) {
    const int trials = points[p].at("tuned_trials");
    ++of_trials[trials];
    if (trials == 32) EXPECT_EQ(points[p].at("cycles"), all[p].at("cycles"));
    EXPECT_LE(points[p].at("cycles"), points[p].at("default_cycles"));
  }
  EXPECT_EQ(of_trials, (std::map<int, int>{{1, 8}, {4, 6}, {32, 2}}));
  expect_error("explore" + network() + "--axis wgt_kib=4 --halving -o " + path("none"),
               {"--halving shares out the trials of --tune, which is 0, needs 32"});
}

TEST_F(Explore, AKilledSweepGoesOnAndLosesNothing) {
  const Outcome whole = run("explore" + network() + kMany + "-o " + path("whole"));
  ASSERT_EQ(whole.status, 0) << whole.err;
  const std::string command = "exec '" VDLA_BINARY_DIR "/bin/vdla' explore" + network() + kMany + "-o " +
                              path("killed") + " >/dev/null 2>&1";
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  for (int i = 0; i < 3000 && kept("killed") < 6; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  const std::size_t before = kept("killed");
  EXPECT_GE(before, 6u);
  EXPECT_FALSE(std::filesystem::exists(path("killed/results.json")));
  const Outcome again = run("explore" + network() + kMany + "-o " + path("killed"));
  ASSERT_EQ(again.status, 0) << again.err;
  const auto known = again.out.find(" of them known before");
  ASSERT_NE(known, std::string::npos);
  const auto number = again.out.rfind(' ', known - 1) + 1;
  EXPECT_GE(std::stoul(again.out.substr(number)), before);
  EXPECT_LT(before, 48u) << "the sweep had ended before it could be killed";
  EXPECT_EQ(outcome(results("killed")), outcome(results("whole")));
}

/// Results of an earlier sweep, and those that the parent had not heard of, were not counted.
TEST_F(Explore, AnInterruptedSweepCountsWhatTheFolderKeeps) {
  ASSERT_EQ(
      run("explore" + network() +
          "--axis array=1x4x4,1x8x8 --axis wgt_kib=4,8 --axis dram_latency=10 --axis dram_bytes_per_cycle=4 "
          "-o " +
          path("x"))
          .status,
      0);
  ASSERT_EQ(kept("x"), 4u);
  const std::string command = "exec '" VDLA_BINARY_DIR "/bin/vdla' explore" + network() + kMany +
                              "--where 'cycles > 0' -o " + path("x") + " >" + path("said") + " 2>&1";
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    std::signal(SIGINT, SIG_DFL);
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  for (int i = 0; i < 3000 && kept("x") < 7; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(pid, SIGINT);
  waitpid(pid, nullptr, 0);
  const std::string said = read_text(path("said"));
  EXPECT_LT(kept("x"), 48u) << "the sweep had ended before it could be interrupted";
  EXPECT_THAT(said, HasSubstr("kept " + std::to_string(kept("x")) + " of 48 points in " + path("x")));
}

TEST_F(Explore, ARepeatedSweepRunsNothingAndADamagedResultIsMadeAgain) {
  const std::string command = "explore" + network() + "--axis array=1x4x4,1x8x8 -o " + path("x");
  ASSERT_EQ(run(command).status, 0);
  const json first = results("x");
  EXPECT_THAT(run(command).out, HasSubstr("2 points, 2 of them known before"));
  for (const auto& e : std::filesystem::directory_iterator(path("x/points"))) {
    write_file(e.path().string(), read_text(e.path().string()).substr(0, 100));
    break;
  }
  EXPECT_THAT(run(command).out, HasSubstr("2 points, 1 of them known before"));
  EXPECT_EQ(outcome(results("x")), outcome(first));
  // One that lacks something ended the sweep with an internal error; one with other numbers was believed.
  std::size_t n = 0;
  for (const auto& e : std::filesystem::directory_iterator(path("x/points"))) {
    json point = json::parse(read_text(e.path().string()));
    if (n++ == 0)
      point.erase("status");
    else
      point["record"]["cycles"] = 1;
    write_file(e.path().string(), point.dump());
  }
  EXPECT_THAT(run(command).out, HasSubstr("2 points, 0 of them known before"));
  EXPECT_EQ(outcome(results("x")), outcome(first));
}

TEST_F(Explore, TheClockNeedsNoRunOfItsOwn) {
  const Outcome o = run("explore" + network() + "--axis clock_mhz=50,100,200 -o " + path("x") + " --json");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(kept("x"), 1u);
  const json points = json::parse(o.out).at("points");
  EXPECT_EQ(points[0].at("cycles"), points[2].at("cycles"));
  EXPECT_DOUBLE_EQ(4 * points[0].at("fps").get<double>(), points[2].at("fps").get<double>());
}

TEST_F(Explore, PointsThatCannotBeBuiltAreReportedAndTheSweepGoesOn) {
  // Half an entry of weights; an input buffer without room for any tile; more bytes per cycle than the bus
  // has.
  const Outcome o = run("explore" + network() +
                        "--axis array=1x16x16 --axis wgt_depth=8,128 --axis acc_depth=16,2048 "
                        "--axis dram_bytes_per_cycle=8,16 -o " +
                        path("x"));
  ASSERT_EQ(o.status, 0) << o.err;
  const json all = outcome(results("x"));
  ASSERT_EQ(all.size(), 8u);
  EXPECT_THAT(all.at("wgt_depth=8 acc_depth=2048 dram_bytes_per_cycle=8").dump(),
              HasSubstr("wgt_depth is 8, needs a power of two from 16"));
  EXPECT_THAT(all.at("wgt_depth=128 acc_depth=2048 dram_bytes_per_cycle=16").dump(), HasSubstr("bus"));
  EXPECT_TRUE(all.at("wgt_depth=128 acc_depth=2048 dram_bytes_per_cycle=8").is_array());
  EXPECT_THAT(o.out, HasSubstr("unbuildable: "));
}

TEST_F(Explore, CyclesAreThoseOfVdlaRunAndEveryAccountAddsUp) {
  ASSERT_EQ(run("explore" + network() + "--base paper --axis dram_latency=48,100 -o " + path("x")).status, 0);
  const json sweep = results("x");
  const json& point = sweep.at("points").at(0);
  const json one = json::parse(run("run " + digits() + " --engine systemc --random-input 3 --json").out);
  EXPECT_EQ(point.at("cycles"), one.at("cycles"));
  for (const auto& p : sweep.at("points")) {
    for (const auto& [unit, account] : p.at("units").items()) {
      std::uint64_t sum = 0;
      for (const auto& [reason, cycles] : account.items()) sum += cycles.get<std::uint64_t>();
      EXPECT_EQ(sum, p.at("cycles")) << unit;
    }
    std::uint64_t bytes = 0;
    for (const auto& [window, t] : p.at("traffic").items())
      bytes += t.at("read").get<std::uint64_t>() + t.at("write").get<std::uint64_t>();
    EXPECT_EQ(bytes,
              p.at("dram").at("read").get<std::uint64_t>() + p.at("dram").at("write").get<std::uint64_t>());
  }
  EXPECT_GT(sweep.at("points").at(1).at("cycles"), point.at("cycles"));
}

TEST_F(Explore, APartMarksWhatDoesNotFit) {
  const Outcome o = run("explore" + network() + "--axis array=1x8x8,1x32x16 --part xc7z020 -o " + path("x") +
                        " --csv " + path("x.csv"));
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("1x32x16: does not fit xc7z020: "), HasSubstr("DSP 320 > 220")));
  const json points = results("x").at("points");
  EXPECT_EQ(points[0].at("fits"), true);
  EXPECT_EQ(points[0].at("front"), true);
  EXPECT_EQ(points[1].at("front"), false);
  const std::string csv = read_text(path("x.csv"));
  const auto columns = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  std::istringstream lines(csv);
  std::string head, row;
  std::getline(lines, head);
  int rows = 0;
  for (; std::getline(lines, row); ++rows) EXPECT_EQ(columns(row), columns(head)) << row;
  EXPECT_EQ(rows, 2);
}

TEST_F(Explore, TunedPointsAreNoWorseAndSayWhatDefaultKnobsGive) {
  const std::string sweep = "explore" + network() + "--axis array=1x4x4,1x4x8 --base tiny --json ";
  const Outcome plain = run(sweep + "-o " + path("plain")),
                tuned = run(sweep + "--tune 24 --jobs 2 -o " + path("tuned"));
  ASSERT_EQ(tuned.status, 0) << tuned.err;
  const json before = json::parse(plain.out).at("points"), after = json::parse(tuned.out).at("points");
  ASSERT_EQ(after.size(), before.size());
  bool better = false;
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].at("default_cycles"), before[i].at("cycles"));
    EXPECT_LE(after[i].at("cycles"), before[i].at("cycles"));
    better |= after[i].at("cycles") < before[i].at("cycles");
  }
  EXPECT_TRUE(better);
  EXPECT_THAT(run(sweep + "--tune 24 -o " + path("tuned")).err, Not(HasSubstr("points 1/"))) << "known";
}

TEST_F(Explore, ASweepWithoutAnyMeasuredPointFails) {
  const Outcome o =
      run("explore" + network() + "--axis wgt_depth=8 --axis dram_latency=48,100 -o " + path("x"));
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.out, HasSubstr("no point could be measured"));
  EXPECT_EQ(results("x").at("points").size(), 2u);
}

TEST_F(Explore, PointsArePickedByAConditionAndALeast) {
  const std::string command =
      "explore" + network() + "--axis array=1x4x4,1x8x8,1x16x16 --part xc7z020 -o " + path("x") + " ";
  const Outcome o = run(command + "--where 'cycles < 10000 and fits' --minimise lut");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out,
              HasSubstr("2 of 3 points pass cycles < 10000 and fits\n  1x8x8, digits.onnx: least lut"));
  EXPECT_THAT(o.out, HasSubstr("at an assumed 100 MHz"));
  const json selection = results("x").at("selection");
  EXPECT_EQ(selection.at("pass"), 2u);
  EXPECT_EQ(selection.at("points").at(0).at("point"), 1u);
  const Outcome none = run(command + "--where 'fps > 1e9'");
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, HasSubstr("0 of 3 points pass"));
  expect_error(command + "--where 'watt < 3'", {"no column 'watt'", "energy"});
  expect_error(command + "--minimise lut --maximise fps", {"excludes"}, 2);
}

TEST_F(Explore, WhatTheCompilerLosesToAShapeIsShown) {
  const Outcome o = run("explore" + network() + "--axis array=1x8x8,1x4x8,2x8x8 -o " + path("x"));
  ASSERT_EQ(o.status, 0) << o.err;
  const json points = results("x").at("points");
  EXPECT_TRUE(points[0].at("lost").empty());
  ASSERT_FALSE(points[1].at("lost").empty());
  EXPECT_THAT(points[1].at("lost").dump(),
              HasSubstr("vector writes and reads inp only where K equals N (rules 57 and 58 of the manual)"));
  EXPECT_THAT(points[2].at("lost").dump(),
              HasSubstr("its windows take other pixels together than the 2 of an entry"));
  EXPECT_THAT(points[2].at("lost").dump(), Not(HasSubstr("\"dense\"")))
      << "the network's result goes to DRAM anyway";
  EXPECT_THAT(o.out, HasSubstr("1x4x8, digits.onnx: the compiler lost"));
}

TEST_F(Explore, WrongSweepsAreRefused) {
  expect_error("explore" + network() + "--axis array=1x8", {"array needs BxKxN", "got 1x8"});
  expect_error("explore", {"needs a network"});
  expect_error("explore" + network(), {"needs variants", "--axis"});
  expect_error("explore --network lenet5000 --axis array=1x4x4 -o " + path("x"),
               {"'lenet5000'", "neither a file"});
  expect_error("explore" + network() + "--axis colour=1", {"no axis 'colour'", "wgt_kib"});
  expect_error("explore" + network() + "--axis array=1x4x4 --part z80", {"part 'z80'", "xc7z020"});
  expect_error("report " + example("digits.onnx"), {"digits.onnx", "vdla run --record"});
}

}  // namespace
}  // namespace vdla::tools
