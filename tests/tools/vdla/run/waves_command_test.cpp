// SPDX-License-Identifier: Apache-2.0
// vdla run --waves on `tiny`, whose library with waveforms comes with the kit.
#include <fcntl.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/sim/wave_cycles.h"
#include "tests/tools/cli.h"
#include "tests/tools/hanging_module.h"

namespace vdla::tools {
namespace {

using nlohmann::json;

class Waves : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    ASSERT_EQ(run("compile " + example("digits.onnx") + " -o " + path("d.vdla") + " --variant tiny").status,
              0);
  }
};

TEST_F(Waves, OfALayerCoverItsInstructionsAndLittleElse) {
  const Outcome o = run("run " + path("d.vdla") + " --engine rtl --random-input 1 --waves " + path("w.fst") +
                        " --waves-layer conv3.conv --timeline " + path("t.json") + " --json");
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(json::parse(o.out).at("waves"), path("w.fst"));
  std::uint64_t begin = UINT64_MAX, end = 0, run_begin = UINT64_MAX, run_end = 0;
  const json timeline = json::parse(read_text(path("t.json")));
  for (const json& e : timeline.at("traceEvents")) {
    if (e.at("ph") != "X" || !e.at("args").contains("insn")) continue;
    const std::uint64_t from = e.at("ts"), until = from + e.at("dur").get<std::uint64_t>();
    run_begin = std::min(run_begin, from);
    run_end = std::max(run_end, until);
    if (e.at("args").value("layer", "") != "conv3.conv") continue;
    begin = std::min(begin, from);
    end = std::max(end, until);
  }
  ASSERT_LT(begin, end);
  const auto [first, last] = sim::wave_cycles(path("w.fst"));
  EXPECT_LE(first, begin);
  EXPECT_GE(last + 1, end);
  EXPECT_LT(last - first, (run_end - run_begin) / 2);
  EXPECT_GT(std::filesystem::file_size(path("w.fst")), 10'000u);
  if (std::system("command -v fst2vcd >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "what the waves say needs fst2vcd (Debian package gtkwave)";
  ASSERT_EQ(std::system(("fst2vcd " + path("w.fst") + " >" + path("w.vcd")).c_str()), 0);
  const std::string vcd = read_text(path("w.vcd"));
  EXPECT_THAT(vcd, testing::HasSubstr("$scope module u_gemm $end"));
  const std::size_t at = vcd.find("\n#");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(std::stoull(vcd.substr(at + 2)) / 2, first);
}

/// The file was truncated, and the exit status 0; in a full temporary folder it was SIGBUS.
TEST_F(Waves, ThatDoNotFitAreAnErrorAndLeaveTheOldFile) {
  write_file(path("w.fst"), "old");
  const std::string command =
      "'" VDLA_BINARY_DIR "/bin/vdla' run " + path("d.vdla") + " --engine rtl --random-input 1 --waves ";
  const auto said = [&](const std::string& line) {
    const int status = std::system(("{ " + line + "; } >" + path("out") + " 2>&1").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << line;
    return read_text(path("out"));
  };
  EXPECT_EQ(said("ulimit -f 64; " + command + path("w.fst")),
            "vdla: error: " + path("w.fst") + ": cannot be written: File too large\n");
  EXPECT_EQ(read_text(path("w.fst")), "old");
  if (std::system("unshare --mount true 2>/dev/null") != 0)
    GTEST_SKIP() << "a full disk is a small one, and mounting it needs root";
  std::filesystem::create_directory(path("disk"));
  write_file(path("full.sh"), "mount -t tmpfs -o size=256k none " + path("disk") +
                                  " && TMPDIR=" + path("disk") + " " + command + path("disk/w.fst") +
                                  "; status=$?; ls -A " + path("disk") + "; exit $status\n");
  EXPECT_EQ(said("unshare --mount sh " + path("full.sh")),
            "vdla: error: " + path("disk/w.fst") + ": cannot be written: No space left on device\n");
}

TEST_F(Waves, OfAnInterruptedRunEndWhereTheMessageSays) {
  const std::string module = path("d.vdla"), waves = path("w.fst"), timeline = path("t.json");
  for (int attempt = 0; attempt < 20; ++attempt) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      std::signal(SIGINT, SIG_DFL);
      const int said = open(path("said").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(said, STDERR_FILENO);
      dup2(said, STDOUT_FILENO);
      const std::string vdla = std::string(VDLA_BINARY_DIR) + "/bin/vdla";
      execl(vdla.c_str(), "vdla", "run", module.c_str(), "--engine", "rtl", "--random-input", "1", "--waves",
            waves.c_str(), "--timeline", timeline.c_str(), nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 40 * attempt));
    kill(pid, SIGINT);
    int status = 0;
    waitpid(pid, &status, 0);
    const std::string said = read_text(path("said"));
    const std::string kept = "kept " + waves + ", which ends at cycle ";
    const std::size_t at = said.find(kept);
    if (at == std::string::npos) continue;  // too early, or too late
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << "status 130 of a shell";
    EXPECT_THAT(said, testing::StartsWith("vdla run: interrupted by SIGINT: kept "));
    EXPECT_THAT(said, testing::EndsWith("; removed the unfinished " + timeline + "\n"));
    EXPECT_EQ(sim::wave_cycles(waves).second, std::stoull(said.substr(at + kept.size())));
    EXPECT_FALSE(std::filesystem::exists(timeline));
    return;
  }
  FAIL() << "no signal reached the run while it wrote waves";
}

/// Neither a word nor a file said so.
TEST_F(Waves, OfAWindowThatTheRunNeverReachesAreMissedAloud) {
  const std::string command =
      "run " + path("d.vdla") + " --engine rtl --random-input 1 --timeout 20 --waves " + path("w.fst");
  Outcome o = run(command + " --waves-layer conv3.conv");
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, testing::StartsWith("vdla: note: " + path("w.fst") +
                                         ": no waveforms were written, the run ended before it reached layer "
                                         "'conv3.conv'; there is no file\nvdla: error: "));
  EXPECT_FALSE(std::filesystem::exists(path("w.fst")));
  write_file(path("w.fst"), "old");
  o = run(command + " --waves-insns 40:41");
  EXPECT_THAT(o.err, testing::StartsWith("vdla: note: " + path("w.fst") +
                                         ": no waveforms were written, the run ended before it reached "
                                         "instructions 40:41; the file is what it was before\n"));
  EXPECT_EQ(read_text(path("w.fst")), "old");
  o = run(command);
  EXPECT_THAT(o.err, testing::StartsWith("vdla: error: ")) << "waves of what ran";
  EXPECT_GT(std::filesystem::file_size(path("w.fst")), 100u);
}

TEST_F(Waves, AroundACycleLeadFromASliceToWhatTheHardwareDoes) {
  Outcome o = run("waves " + path("d.vdla") + " --at 3000 --cycles 200 -o " + path("w.fst"));
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, path("w.fst") +
                       ": cycles 2900 to 3100; cycle 3000 stands at time 6000, two steps for each cycle\n");
  EXPECT_EQ(sim::wave_cycles(path("w.fst")), std::pair(std::uint64_t{2900}, std::uint64_t{3099}));
  o = run("waves " + path("d.vdla") + " --at 10 --cycles 200 --json -o " + path("b.fst"));
  EXPECT_EQ(json::parse(o.out).at("begin"), 0);
  expect_error("waves " + path("d.vdla") + " --at 90000000 -o " + path("none.fst"),
               {"--at 90000000: the run ended before cycle 89999500"});
  EXPECT_FALSE(std::filesystem::exists(path("none.fst")));
}

/// A hang of a long run left its waves in hundreds of megabytes, or in none.
TEST_F(Waves, OfTheLastCyclesBeforeAFailureHaveItsCause) {
  ASSERT_TRUE(write_hanging(path("d.vdla"), path("hangs.vdla")));
  const std::string command = "run " + path("hangs.vdla") +
                              " --engine rtl --random-input 1 --stall-limit 1000 --json --waves " +
                              path("w.fst") + " --waves-last 1500";
  const Outcome o = run(command);
  EXPECT_EQ(o.status, 1) << o.err;
  std::uint64_t since = 0;
  const json failed = json::parse(o.out);
  for (const json& unit : failed.at("post_mortem").at("units"))
    since = std::max<std::uint64_t>(since, unit.value("since_cycle", 0));
  const auto [first, last] = sim::wave_cycles(path("w.fst"));
  EXPECT_EQ(last - first + 1, 1500u);
  EXPECT_LT(first, since) << "the cycle of the cause is there";
  EXPECT_GE(last, since + 1000);
  EXPECT_LE(std::filesystem::file_size(path("w.fst")), 5'000'000u);
  const Outcome late =
      run("run " + path("d.vdla") + " --engine rtl --random-input 1 --timeout 3000 --waves " +
          path("late.fst") + " --waves-last 100");
  EXPECT_EQ(late.status, 1);
  EXPECT_GE(sim::wave_cycles(path("late.fst")).second, 2999u);
  const Outcome good = run("run " + path("d.vdla") + " --engine rtl --random-input 1 --waves " +
                           path("good.fst") + " --waves-last 100");
  EXPECT_EQ(good.status, 0);
  EXPECT_THAT(good.err, testing::HasSubstr("good.fst: no waveforms were written: the run did not fail"));
  expect_error("run " + path("d.vdla") + " --random-input 1 --engine systemc --waves w.fst --waves-last 100",
               {"--waves writes what the RTL does"});
}

TEST_F(Waves, OfAModuleWithoutDeviceStepsAreRefused) {
  ASSERT_EQ(run("compile " + example("digits.onnx") + " -o " + path("cpu.vdla") + " --target cpu").status, 0);
  expect_error("run " + path("cpu.vdla") + " --engine rtl --random-input 1 --waves " + path("w.fst"),
               {"--engine is about the device", "cpu.vdla' has nothing on the device"});
}

TEST_F(Waves, WhatIsNotThereIsRefused) {
  const std::string rtl = "run " + path("d.vdla") + " --engine rtl --random-input 1 --waves " + path("w.fst");
  expect_error(rtl + " --waves-layer conv9", {"'conv9'", "needs one of", "conv1.conv"});
  expect_error(rtl + " --waves-insns 7", {"'7'", "FIRST:END"});
  expect_error(rtl + " --waves-insns 5:4", {"'5:4'", "FIRST below END"});
  expect_error(rtl + " --waves-insns 0:100000", {"END at most"});
  expect_error("run " + path("d.vdla") + " --engine rtl --random-input 1 --waves " + path("w.vcd"),
               {"w.vcd': what is written is waveforms as FST, needs a name that ends in .fst"}, 2);
  expect_error("run " + path("d.vdla") + " --engine systemc --random-input 1 --waves " + path("w.fst"),
               {"systemc", "--engine rtl"});
}

}  // namespace
}  // namespace vdla::tools
