// SPDX-License-Identifier: Apache-2.0
// vdla explore and vdla report as a user runs them, and their pages in a browser without a head.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "isa/variants/variants.h"
#include "kit/rtl.h"
#include "kit/systemc.h"
#include "support/inert.h"
#include "tests/readers/hostile.h"
#include "tests/readers/readers.h"
#include "tests/tools/cli.h"
#include "tests/tools/hostile_network.h"

namespace vdla::tools {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Explore : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  }

  std::string network() const { return " --network " + example("digits.onnx") + " "; }
  json results(const std::string& folder) const {
    return json::parse(read_text(path(folder + "/results.json")));
  }

  /// Cycles, or the reason why there are none, of each point; what a sweep is about, without times.
  static json outcome(const json& results) {
    json all;
    for (const auto& p : results.at("points"))
      all[results.at("variants").at(p.at("variant").get<std::size_t>()).at("name").get<std::string>()] =
          p.at("status") == "ok" ? json{p.at("cycles"), p.at("dram"), p.at("units"), p.at("layers")}
                                 : p.at("reason");
    return all;
  }

  std::size_t kept(const std::string& folder) const {
    std::error_code error;
    std::size_t count = 0;
    for (const auto& e : std::filesystem::directory_iterator(path(folder + "/points"), error))
      count += e.path().extension() == ".json";
    return count;
  }
};

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
  const Outcome o = run("explore" + network() + "--axis array=1x8x8,1x16x16 --part xc7z020 -o " + path("x") +
                        " --csv " + path("x.csv"));
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("1x16x16: does not fit xc7z020: DSP 320 > 220"));
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
              HasSubstr("1 of 3 points pass cycles < 10000 and fits\n  1x8x8, digits.onnx: least lut"));
  EXPECT_THAT(o.out, HasSubstr("at an assumed 100 MHz"));
  const json selection = results("x").at("selection");
  EXPECT_EQ(selection.at("pass"), 1u);
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

class Compare : public Explore {};

TEST_F(Compare, ModulesRecordsAndVariants) {
  const std::string a = digits("tiny"), b = digits("paper");
  const Outcome modules = run("compare " + a + " " + b + " --json");
  ASSERT_EQ(modules.status, 0) << modules.err;
  const json both = json::parse(modules.out);
  EXPECT_LT(both.at("total").at("difference"), 0);
  ASSERT_EQ(run("run " + a + " --engine systemc --random-input 1 --record " + path("a.json")).status, 0);
  const json mixed = json::parse(run("compare " + path("a.json") + " " + b + " --json").out);
  EXPECT_EQ(mixed.at("layers"), both.at("layers"));
  const json variants =
      json::parse(run("compare tiny paper --network " + example("digits.onnx") + " --json").out);
  EXPECT_EQ(variants.at("total"), both.at("total"));
  const Outcome text = run("compare " + a + " " + b);
  EXPECT_THAT(text.out, HasSubstr("conv3.conv"));
  EXPECT_THAT(text.out, HasSubstr("at an assumed 100 MHz"));
}

TEST_F(Compare, WhatCannotBeComparedIsNamed) {
  const std::string a = digits("tiny");
  expect_error("compare tiny paper", {"'tiny' is a variant", "--network"});
  expect_error("compare " + a + " " + example("digits.onnx"), {"digits.onnx", "is not a compiled module"});
  expect_error("compare " + a + " " + path("none.vdla"), {"none.vdla"});
  expect_error("compare tiny nothing --network " + example("digits.onnx"), {"nothing"});
  write_file(path("other.json"), "{\"x\": 1}");
  expect_error("compare " + a + " " + path("other.json"), {"other.json", "no record of a run"});
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

/// A browser without a head, in a folder of its own and without the network.
class Browser : public Explore {
 protected:
  void SetUp() override {
    Explore::SetUp();
    if (IsSkipped()) return;
    if (std::system("command -v chromium >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "there is no chromium (Debian package chromium)";
  }

  /// The page's elements after its scripts have run; fails on any script error, and where a text leaves its
  /// picture or an element the page. Where extensions are allowed,
  /// a browser of root makes a folder for them beside itself.
  std::string open(const std::string& file) const {
    readers::read_by_others("html", file);
    std::string page = read_text(file);
    page.insert(page.rfind("</body>"), kOutside);
    write_file(path("page.html"), page);
    const std::string command =
        "timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-extensions "
        "--disable-background-networking "
        "--disable-component-update --disable-sync --no-first-run --enable-logging=stderr --user-data-dir=" +
        path("profile") + "  --dump-dom file://" + path("page.html") + " >" + path("dom") + " 2>" +
        path("log");
    EXPECT_EQ(std::system(command.c_str()), 0) << read_text(path("log"));
    for (const char* bad : {"Uncaught", "CONSOLE"}) EXPECT_THAT(read_text(path("log")), Not(HasSubstr(bad)));
    const std::string dom = read_text(path("dom"));
    EXPECT_EQ(count(dom, "data-drawn=\"yes\""), 1u);
    EXPECT_THAT(dom, HasSubstr("data-outside=\"\""));
    const std::string head = dom.substr(0, dom.find("<main>"));
    for (const char* outside : {"src=", "<link", "@import", "url("})
      EXPECT_EQ(count(head, outside), 0u) << outside;
    for (const char* wrong : {"NaN", "undefined", "Infinity"})
      EXPECT_EQ(count(body(dom), wrong), 0u) << wrong;
    return body(dom);
  }

  /// Texts of pictures that the picture does not hold, and elements that the window does not.
  static constexpr const char* kOutside = R"(<script>
const leaves = (e, box) => {
  const a = e.getBoundingClientRect();
  return a.left < box.left - 1 || a.right > box.right + 1 || a.top < box.top - 1 || a.bottom > box.bottom + 1;
};
const page = {left: 0, right: innerWidth, top: 0, bottom: document.documentElement.scrollHeight};
document.body.dataset.outside = [
  ...[...document.querySelectorAll('svg text')].filter((t) => leaves(t, t.ownerSVGElement.getBoundingClientRect())),
  ...[...document.querySelectorAll('h1, h2, p, svg, .fact, .legend')].filter((e) => leaves(e, page)),
].map((e) => e.textContent).join('|');
</script>)";

  /// What was drawn: without the scripts and the data.
  static std::string body(const std::string& dom) {
    return dom.substr(dom.find("<main>"), dom.find("</main>") - dom.find("<main>"));
  }

  static std::size_t count(const std::string& text, const std::string& piece) {
    std::size_t found = 0;
    for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++found;
    return found;
  }
};

TEST_F(Browser, TheExploreReportShowsEveryPoint) {
  write_file(path("sweep.json"),
             json{{"networks", {example("digits.onnx")}},
                  {"axes", {{"array", {"1x4x4", "1x8x8", "1x16x16"}}, {"wgt_depth", {4, 64}}}},
                  {"points",
                   {{{"name", "<img src=x onerror=alert(1)></script>"}, {"geometry", {{"block_in", 32}}}}}}}
                 .dump());
  const Outcome o = run("explore " + path("sweep.json") + " --part xc7z020 -o " + path("x"));
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string page = open(path("x/report.html"));
  EXPECT_EQ(count(page, "class=\"hit point\""), 4u);
  EXPECT_EQ(count(page, "&lt;img src=x onerror"), 1u + count(page, "Chosen: &lt;img"));
  EXPECT_EQ(count(page, "<img"), 0u);
  for (const char* id :
       {"pareto", "roofline", "layers", "points", "absent", "models", "area-errors", "energy-table"})
    EXPECT_EQ(count(page, std::string("id=\"") + id + "\""), 1u) << id;
  EXPECT_EQ(count(page, "needs a power of two from 16"), 3u);
  EXPECT_THAT(page, HasSubstr("no: DSP"));
  EXPECT_THAT(page, HasSubstr("conv1.conv"));
}

TEST_F(Browser, TheReportOfARunShowsUnitsLayersAndLosses) {
  const std::string module = digits();
  ASSERT_EQ(run("run " + module + " --engine systemc --random-input 1 --record " + path("r.json")).status, 0);
  ASSERT_EQ(run("report " + path("r.json")).status, 0);
  const std::string page = open(path("r.html"));
  for (const char* id : {"next", "advice", "no-advice", "bounds", "roofline", "memory", "layers", "timeline",
                         "stalls", "waits", "sram", "table", "models"})
    EXPECT_EQ(count(page, std::string("id=\"") + id + "\""), 1u) << id;
  const json record = json::parse(read_text(path("r.json")));
  std::string cycles = std::to_string(record.at("cycles").get<std::uint64_t>());
  for (std::size_t i = cycles.size(); i > 3;) cycles.insert(i -= 3, ",");
  EXPECT_THAT(page, HasSubstr("account adds up to the " + cycles + " cycles"));
  for (const auto& layer : record.at("layers"))
    EXPECT_THAT(page, HasSubstr(layer.at("name").get<std::string>()));
  EXPECT_THAT(page, HasSubstr("window const"));
}

/// A network whose names are hostile, compiled for a small machine and run, with a record.
TEST_F(Browser, PagesOfAnyNamesShowThem) {
  std::vector<std::string> names = readers::hostile_names();
  std::erase(names, "Infinity");          // a number that a script made nothing of looks so
  names.push_back(std::string(60, 'W'));  // the widest letter
  write_file(path("h.graph"), hostile_network(names));
  ASSERT_EQ(run("compile " + path("h.graph") + " --variant tiny -o " + path("h.vdla")).status, 0);
  ASSERT_EQ(run("run " + path("h.vdla") + " --engine systemc --timing-only --random-input 1 --record " +
                path("r.json"))
                .status,
            0);
  ASSERT_EQ(run("report " + path("r.json") + " -o " + path("r.html")).status, 0);
  ASSERT_EQ(run("compare " + path("h.vdla") + " " + path("h.vdla") + " --html " + path("c.html")).status, 0);
  for (const char* file : {"r.html", "c.html"}) {
    const std::string page = open(path(file));
    EXPECT_EQ(count(page, "<img"), 0u);
    for (const std::string& name : names) {
      std::string shown = markup_text(visible(name, "\n").substr(0, 200));
      for (std::size_t at; (at = shown.find("&quot;")) != std::string::npos;) shown.replace(at, 6, "\"");
      for (std::size_t at; (at = shown.find("\\u000a")) != std::string::npos;) shown.replace(at, 6, "\n");
      EXPECT_EQ(count(page, shown) > 0, true) << shown;
    }
  }
}

// The page of a sweep said it, the report of a run did not.
TEST_F(Browser, TheReportOfARunSaysWhatWasLostToTheVariant) {
  write_file(path("net.graph"),
             "graph \"g\"\ninput %x: int8[1, 8, 8, 16]\nconst %w: int8[16, 3, 3, 16] = splat 1\n"
             "%first = conv2d(%x, %w) {pads = [1, 1, 1, 1]}\n%second = conv2d(%first, %w)\noutput %second\n");
  auto variant = nlohmann::ordered_json::parse(read_text(VDLA_SOURCE_DIR "/isa/variants/tiny.json"));
  variant["name"] = "wide-out";
  variant["geometry"]["block_out"] = 8;
  write_file(path("wide-out.json"), variant.dump());
  Outcome o =
      run("compile " + path("net.graph") + " --variant " + path("wide-out.json") + " -o " + path("n.vdla"));
  ASSERT_EQ(o.status, 0) << o.err;
  o = run("run " + path("n.vdla") + " --engine systemc --random-input 1 --record " + path("r.json"));
  ASSERT_EQ(o.status, 0) << o.err;
  ASSERT_EQ(run("report " + path("r.json")).status, 0);
  const std::string page = open(path("r.html"));
  EXPECT_EQ(count(page, "id=\"made\""), 1u);
  EXPECT_THAT(page, HasSubstr("its result goes to DRAM: "));
}

TEST_F(Browser, ASearchShowsItsTrialsLayersAndTasks) {
  const Outcome o = run("tune " + example("digits.onnx") + " --variant tiny --trials 60 --json --book " +
                        path("k.json") + " --html " + path("t.html"));
  ASSERT_EQ(o.status, 0) << o.err;
  const json result = json::parse(o.out);
  const std::string page = open(path("t.html"));
  for (const char* id : {"curve", "layers", "tasks"})
    EXPECT_EQ(count(page, std::string("id=\"") + id + "\""), 1u) << id;
  EXPECT_GT(count(page, "class=\"hit trial\""), 20u);
  // Each layer of the device with its cycles before and after.
  ASSERT_EQ(
      run("run " + digits("tiny") + " --engine systemc --random-input 1 --record " + path("r.json")).status,
      0);
  const json record = json::parse(read_text(path("r.json")));
  for (const auto& layer : record.at("layers"))
    EXPECT_THAT(page, HasSubstr(">" + layer.at("name").get<std::string>() + "</td>"));
  for (const char* key : {"default_cycles", "cycles"}) {
    std::string cycles = std::to_string(static_cast<std::int64_t>(result.at(key).get<double>()));
    for (std::size_t i = cycles.size(); i > 3;) cycles.insert(i -= 3, ",");
    EXPECT_THAT(page, HasSubstr(cycles)) << key;
  }
}

TEST_F(Browser, AComparisonShowsBothSidesOfEachLayer) {
  const Outcome o = run("compare " + digits("tiny") + " " + digits("paper") + " --html " + path("c.html"));
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string page = open(path("c.html"));
  for (const char* id : {"total", "totals", "layers", "table"})
    EXPECT_EQ(count(page, std::string("id=\"") + id + "\""), 1u) << id;
  EXPECT_THAT(page, HasSubstr("conv3.conv"));
  EXPECT_THAT(page, HasSubstr("assumed MHz"));
}

TEST_F(Browser, AReportWithAModelProposesWhatARunConfirmed) {
  const std::string module = digits("tiny");
  ASSERT_EQ(
      run("run " + module + " --engine systemc --timing-only --random-input 1 --record " + path("r.json"))
          .status,
      0);
  const Outcome o = run("report " + path("r.json") + " --model " + example("digits.onnx"));
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("array 1x8x8"));
  EXPECT_THAT(o.out, HasSubstr("cannot be tried: DRAM bytes per cycle x2"));
  const std::string page = open(path("r.html"));
  EXPECT_EQ(count(page, "id=\"no-advice\""), 0u);
  EXPECT_THAT(page, HasSubstr("confirmed to help"));
  EXPECT_THAT(page, HasSubstr("array 1x8x8"));
  EXPECT_THAT(page, HasSubstr("at an assumed 100 MHz"));
}

TEST_F(Explore, ARunRecordsItsAdvice) {
  const std::string module = digits("tiny");
  const std::string command = "run " + module + " --engine systemc --timing-only --random-input 1 ";
  const Outcome o =
      run(command + "--record " + path("r.json") + " --advise " + example("digits.onnx") + " --json");
  ASSERT_EQ(o.status, 0) << o.err;
  const json record = json::parse(read_text(path("r.json")));
  EXPECT_EQ(record.at("advice"), json::parse(o.out).at("advice"));
  for (const auto& layer : record.at("layers")) {
    const auto& bound = layer.at("bound");
    std::uint64_t sum = bound.at("works").at(bound.at("busiest").get<std::string>()).get<std::uint64_t>();
    for (const auto& [loss, cycles] : bound.at("lost").items()) sum += cycles.get<std::uint64_t>();
    EXPECT_EQ(sum, layer.at("cycles")) << layer.at("name");
  }
  EXPECT_EQ(json::parse(run("report " + path("r.json") + " --json").out).at("advice"), record.at("advice"));
  expect_error(command + "--advise " + example("digits.onnx"), {"--record"}, 2);
  expect_error(command + "--record " + path("r.json") + " --advise " + path("none.onnx"), {"none.onnx"});
}

TEST_F(Explore, AReportForAPartProposesOnlyWhatFits) {
  ASSERT_EQ(run("run " + digits("tiny") + " --engine systemc --timing-only --random-input 1 --record " +
                path("r.json"))
                .status,
            0);
  std::ofstream(path("part.json"))
      << R"({"name": "mine", "lut": 53200, "ff": 106400, "dsp": 1, "bram36": 140})";
  const std::string command = "report " + path("r.json") + " --part " + path("part.json");
  const Outcome o = run(command + " --model " + example("digits.onnx") + " --json");
  ASSERT_EQ(o.status, 0) << o.err;
  for (const auto& t : json::parse(o.out).at("advice").at("tried"))
    EXPECT_THAT(t.value("reason", ""), HasSubstr("does not fit mine: DSP")) << t;
  expect_error(command, {"--model"}, 2);
}

TEST_F(Explore, AdviceForAModuleOfOtherFlagsIsRefused) {
  const std::string module = digits("tiny", "--no-latency-hiding");
  expect_error("run " + module + " --engine systemc --timing-only --random-input 1 --record " +
                   path("r.json") + " --advise " + example("digits.onnx"),
               {"its record has", "--no-latency-hiding"});
}

TEST_F(Explore, ATimelineTellsEveryInstructionWithItsLayerAndLoop) {
  const std::string module = digits();
  ASSERT_EQ(run("run " + module + " --engine systemc --random-input 1 --timeline " + path("t.json")).status,
            0);
  const json events = json::parse(read_text(path("t.json"))).at("traceEvents");
  std::set<std::uint64_t> insns;
  std::set<std::string> layers;
  for (const auto& e : events) {
    if (e.at("ph") != "X") continue;
    if (!e.at("args").contains("layer")) continue;
    EXPECT_TRUE(e["args"].contains("insn"));
    insns.insert(e["args"]["insn"].get<std::uint64_t>());
    layers.insert(e["args"]["layer"].get<std::string>());
  }
  EXPECT_EQ(layers.size(), 6u);
  EXPECT_GE(insns.size(), 70u);  // of 73: all that a unit retires
  EXPECT_THAT(layers, testing::Contains("conv1.conv"));
}

TEST_F(Explore, ATimelineOfALayerHasItsInstructionsAndIsSmaller) {
  const std::string command =
      "run " + digits() + " --engine systemc --timing-only --random-input 1 --timeline ";
  ASSERT_EQ(run(command + path("all.json")).status, 0);
  ASSERT_EQ(run(command + path("one.json") + " --timeline-layers conv3.conv").status, 0);
  ASSERT_EQ(run(command + path("two.json") + " --timeline-layers pool..conv3.conv").status, 0);
  const auto insns_of = [&](const std::string& file, const std::string& layer) {
    std::set<std::uint64_t> insns;
    const json events = json::parse(read_text(path(file))).at("traceEvents");
    for (const auto& e : events)
      if (e.at("ph") == "X" && e.at("args").value("layer", "") == layer)
        insns.insert(e["args"]["insn"].get<std::uint64_t>());
    return insns;
  };
  EXPECT_EQ(insns_of("one.json", "conv3.conv"), insns_of("all.json", "conv3.conv"));
  EXPECT_EQ(insns_of("two.json", "pool"), insns_of("all.json", "pool"));
  EXPECT_FALSE(insns_of("one.json", "conv3.conv").empty());
  EXPECT_LT(read_text(path("one.json")).size(), read_text(path("all.json")).size());
  expect_error(command + path("x.json") + " --timeline-layers conv3",
               {"no layer 'conv3'", "conv3.conv", "dense"});
  expect_error(command + path("x.json") + " --timeline-layers conv3.conv..pool", {"'pool' comes before"});
  expect_error("run " + digits() + " --engine systemc --random-input 1 --timeline-layers pool",
               {"--timeline"}, 2);
}

TEST_F(Explore, CountersOfATimelineEndAtNothingInFlight) {
  ASSERT_EQ(
      run("run " + digits() + " --engine systemc --timing-only --random-input 1 --timeline " + path("t.json"))
          .status,
      0);
  std::map<std::string, json> last;
  std::map<std::string, double> most;
  const json events = json::parse(read_text(path("t.json"))).at("traceEvents");
  for (const auto& e : events) {
    if (e.at("ph") != "C") continue;
    const std::string track = e.at("name");
    last[track] = e.at("args");
    for (const auto& [name, value] : e.at("args").items()) {
      EXPECT_GE(value.get<double>(), 0) << track << ", " << name;
      most[track] = std::max(most[track], value.get<double>());
    }
  }
  ASSERT_EQ(last.size(), 3u);
  for (const char* track : {"DRAM bytes in flight", "instructions in queues"})
    for (const auto& [name, value] : last.at(track).items()) EXPECT_EQ(value, 0) << track << ", " << name;
  EXPECT_GE(most.at("DRAM bytes in flight"), 256);
  EXPECT_LE(most.at("DRAM bytes in flight"), 65 * 256);
  EXPECT_GE(most.at("instructions in queues"), 1);
  EXPECT_LE(most.at("instructions in queues"), 17);
  EXPECT_LE(most.at("works, %"), 100);
}

/// The slices of a timeline, counted from its first, in an order that does not depend on the engine.
std::vector<std::string> slices(const std::string& file) {
  const json events = json::parse(read_text(file)).at("traceEvents");
  std::uint64_t origin = UINT64_MAX;
  for (const auto& e : events)
    if (e.contains("ts")) origin = std::min(origin, e.at("ts").get<std::uint64_t>());
  std::vector<std::string> all;
  for (json e : events) {
    if (e.contains("ts")) e["ts"] = e.at("ts").get<std::uint64_t>() - origin;
    e.erase("id");  // any that is unique
    all.push_back(e.dump());
  }
  std::ranges::sort(all);
  return all;
}

TEST_F(Explore, SystemCAndRtlTellTheSameTimelineAndTheSameAccounts) {
  if (!kit::rtl_engine_built(isa::load_variant("tiny"))) GTEST_SKIP() << "the RTL of tiny is not built";
  const std::string module = digits();
  json records[2];
  std::vector<std::string> timelines[2];
  for (const int i : {0, 1}) {
    const std::string engine = i == 0 ? "systemc" : "rtl";
    const Outcome o = run("run " + module + " --engine " + engine + " --random-input 1 --record " +
                          path(engine + ".json") + " --timeline " + path(engine + "_t.json"));
    ASSERT_EQ(o.status, 0) << o.err;
    records[i] = json::parse(read_text(path(engine + ".json")));
    records[i].erase("engine");
    timelines[i] = slices(path(engine + "_t.json"));
    for (const auto& [unit, account] : records[i].at("units").items()) {
      std::uint64_t sum = 0;
      for (const auto& [reason, cycles] : account.items()) sum += cycles.get<std::uint64_t>();
      EXPECT_EQ(sum, records[i].at("cycles")) << engine << ", " << unit;
    }
  }
  EXPECT_EQ(records[0], records[1]);
  EXPECT_EQ(timelines[0], timelines[1]);
  EXPECT_GT(timelines[0].size(), 500u);
}

TEST_F(Explore, ARecordNeedsAnEngineWithTime) {
  expect_error("run " + digits() + " --engine functional --random-input 1 --record " + path("r.json"),
               {"--record", "systemc"});
}

}  // namespace
}  // namespace vdla::tools
