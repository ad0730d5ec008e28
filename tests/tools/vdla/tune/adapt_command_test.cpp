// SPDX-License-Identifier: Apache-2.0
// vdla compile --adapt, and what runs choose, on the digit network.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "tests/tools/cli.h"
#include "tests/tools/tune/json_lines.h"

namespace vdla::tools {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// As if every turn of the race had given it.
void set_ratio(nlohmann::json& record, double ratio) {
  for (const char* key : {"ratio", "low", "high"}) record["outcome"][key] = ratio;
}

class AdaptCommandTest : public Cli {
 protected:
  void compile(const std::string& module, const std::string& flags) const {
    const Outcome outcome =
        run("compile " + example("digits.onnx") + " --target cpu -o " + path(module) + " " + flags);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  nlohmann::json eval(const std::string& module, const std::string& flags = "") const {
    const Outcome outcome = run("eval " + path(module) + " --inputs " + example("images.npy") + " --output " +
                                path("out.npy") + " --json " + flags);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
  std::vector<nlohmann::json> lines(const std::string& log) const { return json_lines(path(log)); }
};

TEST_F(AdaptCommandTest, FirstRunsChooseAndEveryOutputStays) {
  compile("plain.vdla", "");
  compile("adapts.vdla", "--adapt");
  EXPECT_FALSE(eval("plain.vdla").contains("kernel_use"));
  const std::string outputs = read_text(path("out.npy"));
  const nlohmann::json result = eval("adapts.vdla");
  EXPECT_EQ(read_text(path("out.npy")), outputs);
  ASSERT_FALSE(result.at("kernel_use").empty());
  for (const nlohmann::json& layer : result.at("kernel_use")) {
    EXPECT_FALSE(layer.at("chosen").is_null()) << "48 inferences: " << layer;
    EXPECT_GE(layer.at("kernels").size(), 2u);
    EXPECT_LE(layer.at("kernels").size(), 3u);
    EXPECT_TRUE(layer.contains("layer"));
  }
  EXPECT_FALSE(eval("adapts.vdla", "--no-adapt").contains("kernel_use"));
  EXPECT_EQ(read_text(path("out.npy")), outputs);
  EXPECT_FALSE(eval("adapts.vdla", "--interpret --limit 1").contains("kernel_use"))
      << "nothing is timed there";
  const Outcome explained = run("explain " + path("adapts.vdla"));
  EXPECT_THAT(explained.out, HasSubstr("kernels, of which its first runs choose"));
  const Outcome once = run("run " + path("adapts.vdla") + " --random-input 1");
  EXPECT_THAT(once.out, HasSubstr("; vdla eval --use-log lets them choose"));
}

TEST_F(AdaptCommandTest, ALogIsWhatLaterRunsAndSearchesKnow) {
  compile("m.vdla", "--adapt");
  const nlohmann::json first = eval("m.vdla", "--use-log " + path("use.jsonl"));
  const std::vector<nlohmann::json> records = lines("use.jsonl");
  ASSERT_FALSE(records.empty());
  for (const nlohmann::json& record : records) {
    EXPECT_EQ(record.at("stage"), "use");
    EXPECT_EQ(record.at("incumbent"), "by default");
    if (record.at("outcome").at("status") == "ok") {
      EXPECT_GT(record.at("outcome").at("ns"), 0);
    }
  }
  const nlohmann::json second = eval("m.vdla", "--use-log " + path("use.jsonl"));
  EXPECT_EQ(lines("use.jsonl").size(), records.size()) << "nothing was tried again";
  for (std::size_t i = 0; i < first.at("kernel_use").size(); ++i) {
    const nlohmann::json& layer = second.at("kernel_use")[i];
    EXPECT_EQ(layer.at("chosen"), first.at("kernel_use")[i].at("chosen")) << layer;
    EXPECT_EQ(layer.at("kernels")[0].at("runs"), 0);
  }
  const Outcome once =
      run("run " + path("m.vdla") + " --random-input 1 --json --use-log " + path("use.jsonl"));
  EXPECT_EQ(nlohmann::json::parse(once.out).at("kernel_use")[0].at("chosen"),
            first.at("kernel_use")[0].at("chosen"));
  // A search takes the records for its model.
  const Outcome tuned = run("tune " + example("digits.onnx") + " --target cpu --trials 6 --from " +
                            path("use.jsonl") + " --book " + path("book.json"));
  EXPECT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_THAT(tuned.err + tuned.out,
              ContainsRegex("--from: [1-9][0-9]* trials of [1-9][0-9]* tasks elsewhere"));
  EXPECT_THAT(tuned.err + tuned.out, Not(HasSubstr("an older kit")));
}

TEST_F(AdaptCommandTest, KnobsOfABookComeFirstAndDefaultOnesAreAmongTheOthers) {
  ASSERT_EQ(
      run("tune " + example("digits.onnx") + " --target cpu --trials 1 --book " + path("book.json")).status,
      0);
  compile("m.vdla", "--cpu-native --adapt");
  eval("m.vdla", "--use-log " + path("use.jsonl"));
  // Alternatives have kernels that default knobs do not make.
  nlohmann::json book = nlohmann::json::parse(read_text(path("book.json")));
  std::set<std::pair<std::string, std::string>> tasks;
  std::set<std::string> of_book;
  for (const nlohmann::json& record : lines("use.jsonl"))
    if (record.at("knobs") != "by default" && tasks.emplace(record.at("task"), record.at("context")).second) {
      book["records"].push_back({{"task", record.at("task")},
                                 {"context", record.at("context")},
                                 {"knobs", record.at("knobs")},
                                 {"record", of_book.size() + 1}});
      of_book.insert(record.at("knobs"));
    }
  ASSERT_FALSE(of_book.empty());
  write_file(path("book.json"), book.dump());
  compile("book.vdla", "--cpu-native --book " + path("book.json") + " --adapt");
  std::size_t seen = 0;
  const nlohmann::json with_book = eval("book.vdla");
  for (const nlohmann::json& layer : with_book.at("kernel_use")) {
    const nlohmann::json& kernels = layer.at("kernels");
    const std::string own = kernels[0].at("knobs");
    if (own == "by default") continue;
    ++seen;
    EXPECT_TRUE(of_book.contains(own)) << layer;
    EXPECT_EQ(kernels[1].at("knobs"), "by default") << layer;
  }
  EXPECT_GE(seen, tasks.size());
}

/// As a log has it: `ratio` of each of the knobs that the first module tried.
TEST_F(AdaptCommandTest, WhatWasFastElsewhereIsTakenAndWhatLostIsNot) {
  compile("m.vdla", "--adapt");
  eval("m.vdla", "--use-log " + path("use.jsonl"));
  const auto with_ratios = [&](double ratio) {
    std::string text;
    std::set<std::string> knobs;
    for (nlohmann::json record : lines("use.jsonl")) {
      if (record.at("outcome").at("status") != "ok") continue;
      set_ratio(record, ratio);
      knobs.insert(record.at("knobs").get<std::string>());
      text += record.dump() + "\n";
    }
    write_file(path("made.jsonl"), text);
    return knobs;
  };
  const auto knobs_in = [&](const std::string& module) {
    std::set<std::string> knobs;
    const nlohmann::json result = eval(module, "--limit 1");
    for (const nlohmann::json& layer : result.at("kernel_use"))
      for (std::size_t k = 1; k < layer.at("kernels").size(); ++k)
        knobs.insert(layer.at("kernels")[k].at("knobs").get<std::string>());
    return knobs;
  };
  const std::set<std::string> tried = with_ratios(0.5);
  ASSERT_FALSE(tried.empty());
  compile("won.vdla", "--adapt --adapt-from " + path("made.jsonl"));
  EXPECT_THAT(read_text(path("won.vdla")), Not(HasSubstr(path("")))) << "a place on this machine";
  const std::set<std::string> won = knobs_in("won.vdla");
  EXPECT_THAT(won, ::testing::IsSupersetOf(tried));
  with_ratios(1.5);
  compile("lost.vdla", "--adapt --adapt-from " + path("made.jsonl"));
  for (const std::string& knobs : knobs_in("lost.vdla")) EXPECT_FALSE(tried.contains(knobs)) << knobs;
}

/// Races are run against the best so far, so a small ratio to it can be the least time.
TEST_F(AdaptCommandTest, TheFastestOfALogComesFirstWhateverItRaced) {
  compile("m.vdla", "--adapt");
  eval("m.vdla", "--use-log " + path("use.jsonl"));
  std::map<std::string, std::vector<nlohmann::json>> of_task;  // each of its knobs once
  for (const nlohmann::json& record : lines("use.jsonl")) {
    if (record.at("outcome").at("status") != "ok") continue;
    auto& records = of_task[record.at("task").get<std::string>() + record.at("context").get<std::string>()];
    if (std::ranges::none_of(records, [&](const auto& r) { return r.at("knobs") == record.at("knobs"); }))
      records.push_back(record);
  }
  std::string text;
  std::set<std::string> fastest;
  for (auto& [task, records] : of_task) {
    if (records.size() < 2) continue;
    set_ratio(records[0], 0.5);
    set_ratio(records[1], 0.9);
    records[1]["incumbent"] = records[0].at("knobs");
    text += records[0].dump() + "\n" + records[1].dump() + "\n";
    fastest.insert(records[1].at("knobs").get<std::string>());
    // It ended badly elsewhere, which no race makes good.
    records[0]["outcome"] = {{"status", "unbuildable"}, {"reason", "it gives other results"}};
  }
  ASSERT_FALSE(fastest.empty());
  write_file(path("made.jsonl"), text);
  const auto kernels_of = [&](const std::string& module) {
    std::vector<std::vector<std::string>> all;
    const nlohmann::json result = eval(module, "--limit 1");
    for (const nlohmann::json& layer : result.at("kernel_use")) {
      all.emplace_back();
      for (const nlohmann::json& kernel : layer.at("kernels")) all.back().push_back(kernel.at("knobs"));
    }
    return all;
  };
  compile("n.vdla", "--adapt --adapt-from " + path("made.jsonl"));
  std::size_t first = 0;
  for (const auto& kernels : kernels_of("n.vdla"))
    first += kernels.size() > 1 && fastest.contains(kernels[1]);
  EXPECT_GE(first, fastest.size());
  std::string wrong;
  std::map<std::string, std::string> bad_beside;
  for (const auto& [task, records] : of_task) {
    if (records.size() < 2) continue;
    wrong += records[0].dump() + "\n";
    bad_beside[records[1].at("knobs")] = records[0].at("knobs");
  }
  write_file(path("wrong.jsonl"), wrong);
  compile("o.vdla", "--adapt --adapt-from " + path("wrong.jsonl") + " " + path("made.jsonl"));
  for (const auto& kernels : kernels_of("o.vdla"))
    if (kernels.size() > 1 && bad_beside.contains(kernels[1]))
      EXPECT_EQ(std::ranges::count(kernels, bad_beside.at(kernels[1])), 0) << kernels[1];
}

TEST_F(AdaptCommandTest, ALogOfSomethingElseIsSaid) {
  compile("m.vdla", "--adapt");
  const std::string inputs = " --inputs " + example("images.npy");
  EXPECT_EQ(run("eval " + path("m.vdla") + inputs + " --use-log " + path("use.jsonl")).status, 0);
  EXPECT_THAT(
      run("run " + path("m.vdla") + " --random-input 1 --threads 2 --use-log " + path("use.jsonl")).err,
      HasSubstr("use.jsonl has nothing of 'digits' on this machine with 2 threads"));
  EXPECT_THAT(run("run " + path("m.vdla") + " --random-input 1 --use-log " + path("typo.jsonl")).err,
              HasSubstr("typo.jsonl'; vdla eval --use-log makes it"));
  const Outcome outcome =
      run("eval " + path("m.vdla") + inputs + " --use-log " + std::string(300, 'x') + ".jsonl");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("give another --use-log"));
}

/// On zeros, whose sums are the same in every order.
TEST_F(AdaptCommandTest, AKernelThatAddsFloatsInAnotherOrderNeverRuns) {
  ASSERT_EQ(run("zoo resnet8 --float -o " + path("float.onnx")).status, 0);
  const std::string compiled =
      "compile " + path("float.onnx") + " --target cpu --cpu-native --adapt -o " + path("f.vdla");
  ASSERT_EQ(run(compiled).status, 0);
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (24, 3, 32, 32), }";
  header.resize(117, ' ');
  write_file(path("zeros.npy"), std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" +
                                    std::string(24 * 3 * 32 * 32 * 4, '\0'));
  const auto eval_zeros = [&](const std::string& flags) {
    const Outcome outcome =
        run("eval " + path("f.vdla") + " --inputs " + path("zeros.npy") + " --json " + flags);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  };
  eval_zeros("--use-log " + path("use.jsonl"));
  // Knobs as a search may have found them, which takes floats that are 1e-4 apart.
  std::string log;
  for (nlohmann::json record : lines("use.jsonl")) {
    std::string knobs = record.at("knobs");
    const std::string_view channels = "inside=channels";
    if (knobs.find(channels) == std::string::npos) continue;
    // Of three channels, one at a time with all its taps (step=1) is the order of taps inside of channels,
    // too.
    if (record.at("task").get<std::string>().find("1x3x32x32") != std::string::npos) continue;
    record["knobs"] = knobs.replace(knobs.find(channels), channels.size(), "inside=taps");
    set_ratio(record, 0.5);
    log += record.dump() + "\n";
  }
  write_file(path("taps.jsonl"), log);
  ASSERT_EQ(run(compiled + " --adapt-from " + path("taps.jsonl")).status, 0);
  const nlohmann::json result = eval_zeros("");
  int taps = 0;
  for (const nlohmann::json& layer : result.at("kernel_use"))
    for (const nlohmann::json& kernel : layer.at("kernels")) {
      if (kernel.at("knobs").get<std::string>().find("inside=taps") == std::string::npos) continue;
      EXPECT_EQ(kernel.at("runs"), 0);
      EXPECT_EQ(kernel.value("dropped", ""), "it is not proven to give the same results") << kernel;
      ++taps;
    }
  EXPECT_GT(taps, 3);
}

TEST_F(AdaptCommandTest, RecordsThatAreNoRacesAreRead) {
  compile("m.vdla", "--adapt");
  write_file(
      path("cycles.jsonl"),
      R"({"format":"vdla tuning record 1","key":"1","task":"x","context":"y","knobs":"a=1","outcome":{"status":"ok","cycles":7,"program":"p","ratio":"x"}})"
      "\n");
  EXPECT_EQ(eval("m.vdla", "--limit 1 --use-log " + path("cycles.jsonl")).at("count"), 1);
  compile("n.vdla", "--adapt --adapt-from " + path("cycles.jsonl"));
}

TEST_F(AdaptCommandTest, ALogThatCannotBeWrittenCostsNoResult) {
  compile("m.vdla", "--adapt");
  const Outcome outcome = run("eval " + path("m.vdla") + " --inputs " + example("images.npy") +
                              " --use-log " + path("no/such/folder.jsonl"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("--use-log gets nothing more: cannot open the log"));
  EXPECT_THAT(outcome.out, HasSubstr("48 inputs on cpu"));
}

TEST_F(AdaptCommandTest, WhatWouldDoNothingIsRefused) {
  compile("plain.vdla", "");
  const std::string inputs = " --inputs " + example("images.npy");
  EXPECT_THAT(run("eval " + path("plain.vdla") + inputs + " --no-adapt").err,
              HasSubstr("--no-adapt is for a module whose layers choose among kernels"));
  EXPECT_THAT(run("run " + path("plain.vdla") + " --random-input 1 --use-log " + path("u.jsonl")).err,
              HasSubstr("--use-log is for a module whose layers choose among kernels"));
  EXPECT_THAT(run("compile " + example("digits.onnx") + " --adapt -o " + path("m.vdla")).err,
              HasSubstr("--adapt gives layers of the CPU kernels to choose from: needs --target cpu"));
  EXPECT_NE(run("compile " + example("digits.onnx") + " --target cpu --adapt-from " + path("plain.vdla") +
                " -o " + path("m.vdla"))
                .status,
            0);
  compile("m.vdla", "--adapt");
  EXPECT_THAT(run("eval " + path("m.vdla") + inputs + " --use-log " + path("plain.vdla")).err,
              AllOf(HasSubstr("is no record of this kit"), HasSubstr("give another --use-log")));
  EXPECT_THAT(run("eval " + path("m.vdla") + inputs + " --interpret --no-adapt").err,
              HasSubstr("--no-adapt is for machine code that runs here, and with --interpret none does"));
}

}  // namespace
}  // namespace vdla::tools
