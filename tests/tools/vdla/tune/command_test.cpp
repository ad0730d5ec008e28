// SPDX-License-Identifier: Apache-2.0
// vdla tune as a user runs it, on the digit network.
#include <signal.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>
#include <sstream>
#include <thread>

#include "tests/tools/cli.h"
#include "tests/tools/tune/json_lines.h"

namespace vdla::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TuneCommandTest : public Cli {
 protected:
  std::string network() const { return example("digits.onnx"); }

  nlohmann::json tuned(const std::string& book, const std::string& flags = "", int trials = 60) const {
    const Outcome outcome = run("tune " + network() + " --variant tiny --json --trials " +
                                std::to_string(trials) + " --book " + path(book) + " " + flags);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
  }

  double cycles(const std::string& flags) const {
    const std::string module = digits("tiny", flags);
    const Outcome outcome = run("run " + module + " --random-input 1 --engine systemc --record " +
                                path("r.json") + " --output " + path("out.npy"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(read_text(path("r.json"))).at("cycles").get<double>();
  }

  std::vector<nlohmann::json> lines(const std::string& log) const { return json_lines(path(log)); }

  /// What a module makes of an input that is drawn.
  std::vector<float> floats_of(const std::string& module) const {
    const Outcome outcome =
        run("run " + path(module + ".vdla") + " --random-input 3 --output " + path(module + ".npy"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::string file = read_text(path(module + ".npy")), data = file.substr(file.find('\n') + 1);
    std::vector<float> values(data.size() / sizeof(float));
    std::memcpy(values.data(), data.data(), values.size() * sizeof(float));
    return values;
  }
};

TEST_F(TuneCommandTest, TheBookGivesTheCyclesThatItSays) {
  const nlohmann::json result = tuned("knobs.json");
  EXPECT_LT(result.at("cycles"), result.at("default_cycles"));
  EXPECT_EQ(result.at("trials"), 60);
  EXPECT_EQ(result.at("without_cost"), 0) << "a point that is legal has a program";
  EXPECT_EQ(cycles(""), result.at("default_cycles"));
  const std::string by_default = read_text(path("out.npy"));
  EXPECT_EQ(cycles("--book " + path("knobs.json")), result.at("cycles"));
  EXPECT_EQ(read_text(path("out.npy")), by_default) << "knobs change no byte";

  const Outcome explained = run("explain " + network() + " --variant tiny --book " + path("knobs.json"));
  EXPECT_THAT(explained.out, HasSubstr("tuned knobs, record "));
  const Outcome shown = run("tune --show --book " + path("knobs.json"));
  EXPECT_THAT(shown.out, HasSubstr(" fewer than the "));
  EXPECT_THAT(shown.out, HasSubstr("  record "));
}

TEST_F(TuneCommandTest, ACompileSaysHowManyLayersTheBookMisses) {
  tuned("knobs.json");
  nlohmann::ordered_json book = nlohmann::ordered_json::parse(read_text(path("knobs.json")));
  const std::string command =
      "compile " + network() + " --variant tiny -o " + path("m.vdla") + " --book " + path("knobs.json");
  for (nlohmann::ordered_json& record : book["records"]) record["context"] = "elsewhere";
  book["records"].push_back({{"task", "result 'gone'"},
                             {"context", "the graph's plan"},
                             {"knobs", "stays_in=dram"},
                             {"record", 7}});
  write_file(path("knobs.json"), book.dump());
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the knob book has a record for 0 of the "));
  EXPECT_THAT(outcome.err,
              HasSubstr("choices of the knob book that this network does not have here: record 7 "
                        "(result 'gone')"));
}

TEST_F(TuneCommandTest, ASeedGivesTheSameBookWhateverRunsAtOnce) {
  tuned("one.json", "--jobs 1");
  tuned("three.json", "--jobs 3");
  EXPECT_EQ(read_text(path("one.json")), read_text(path("three.json")));
}

TEST_F(TuneCommandTest, EverySearchEndsWithABookThatIsNoWorse) {
  for (const char* search : {"local", "genetic", "random"}) {
    const nlohmann::json result = tuned(std::string(search) + ".json", "--search " + std::string(search));
    EXPECT_LE(result.at("cycles"), result.at("default_cycles")) << search;
  }
}

TEST_F(TuneCommandTest, WithALogItGoesOnWhereItEnded) {
  const std::string log = " --log " + path("t.jsonl");
  const nlohmann::json first = tuned("a.json", log, 20);
  const std::string short_log = read_text(path("t.jsonl"));
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(first.at("measured"), lines(short_log));
  EXPECT_GE(lines(short_log), 16);  // a proposal may be a book that was measured already
  const nlohmann::json second = tuned("b.json", log);
  const std::string whole_log = read_text(path("t.jsonl"));
  EXPECT_TRUE(whole_log.starts_with(short_log));
  EXPECT_EQ(second.at("measured"), lines(whole_log) - lines(short_log));
  EXPECT_GE(lines(whole_log), 50);
  EXPECT_EQ(tuned("c.json", log).at("measured"), 0);
  EXPECT_EQ(read_text(path("b.json")), read_text(path("c.json")));
  tuned("alone.json");
  EXPECT_EQ(read_text(path("alone.json")), read_text(path("b.json")));
}

TEST_F(TuneCommandTest, KilledAtRandomMomentsItLosesNoRecordAndMakesTheSameBook) {
  tuned("quiet.json", "--jobs 2", 200);
  const std::string arguments = "tune " + network() + " --variant tiny --trials 200 --jobs 2 --book " +
                                path("k.json") + " --log " + path("k.jsonl");
  std::size_t records = 0, killed = 0;
  for (int i = 0; i < 12; ++i) {
    // Draws of the moments repeat themselves; what they hit does not.
    const int milliseconds = 60 + 37 * (i % 5);
    const Outcome outcome =
        run(arguments + " 2>" + path("err") + " & p=$!; sleep 0." + (milliseconds < 100 ? "0" : "") +
            std::to_string(milliseconds) + "; kill -9 $p; wait $p");
    killed += outcome.status == 137 ? 1 : 0;
    if (!std::filesystem::exists(path("k.jsonl"))) continue;
    const std::string text = read_text(path("k.jsonl"));
    std::set<std::string> keys;
    std::istringstream stream(text.substr(0, text.rfind('\n') + 1));
    for (std::string line; std::getline(stream, line);)
      EXPECT_TRUE(keys.insert(nlohmann::json::parse(line).at("key")).second) << "measured again: " << line;
    EXPECT_GE(keys.size(), records) << "records are lost";
    records = keys.size();
    if (std::filesystem::exists(path("k.json")))
      EXPECT_EQ(run("tune --show --book " + path("k.json")).status, 0) << "a torn book";
  }
  EXPECT_GT(killed, 0u);
  EXPECT_EQ(run(arguments).status, 0);
  EXPECT_EQ(read_text(path("k.json")), read_text(path("quiet.json")));
}

TEST_F(TuneCommandTest, AnInterruptKeepsBookAndLogAndSaysSo) {
  const Outcome outcome =
      run("tune " + network() + " --variant tiny --trials 100000 --book " + path("i.json") + " --log " +
          path("i.jsonl") + " 2>" + path("err") + " & p=$!; for i in $(seq 600); do [ -s " + path("i.json") +
          " ] && break; sleep 0.05; done; kill -TERM $p; wait $p");
  EXPECT_EQ(outcome.status, 143);
  EXPECT_THAT(read_text(path("err")),
              HasSubstr("vdla tune: interrupted by SIGTERM: kept " + path("i.json") + ", and " +
                        path("i.jsonl") + " is where the same command goes on from"));
  EXPECT_EQ(run("tune --show --book " + path("i.json")).status, 0);
}

TEST_F(TuneCommandTest, ABetterBookStays) {
  tuned("knobs.json");
  const std::string better = read_text(path("knobs.json"));
  const Outcome outcome =
      run("tune " + network() + " --variant tiny --search random --trials 1 --book " + path("knobs.json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("stays as it was: its "));
  EXPECT_EQ(read_text(path("knobs.json")), better);
}

TEST_F(TuneCommandTest, ABookThatCannotBeMeasuredStays) {
  tuned("good.json");
  const std::string good = read_text(path("good.json"));
  const std::string tune = "tune " + network() + " --variant tiny --trials 8 --book ";
  tuned("other.json", "--log " + path("l.jsonl"), 8);
  expect_error(tune + path("good.json") + " --log " + path("l.jsonl") + " --limit 0.001",
               {"good.json, which a search would replace by a better one, cannot be measured: it took more "
                "than 0.001 s"});
  EXPECT_EQ(read_text(path("good.json")), good);
  // The latest record, too, whose point the log would describe.
  for (std::size_t i = 0; i < nlohmann::json::parse(good).at("records").size(); ++i) {
    nlohmann::ordered_json book = nlohmann::ordered_json::parse(good);
    book["records"][i]["knobs"] = "x";
    write_file(path("bad.json"), book.dump());
    expect_error(tune + path("bad.json"),
                 {"bad.json, which", "cannot be measured: record ", "correct the record"});
    EXPECT_EQ(read_text(path("bad.json")), book.dump());
  }
  expect_error(tune + path("none.json") + " --limit 0.001",
               {"digits.onnx with default knobs cannot be measured: it took more"});
}

TEST_F(TuneCommandTest, ABookThatSomebodyElseWroteMeanwhileStays) {
  tuned("better.json", "", 150);
  const Outcome outcome =
      run("tune " + network() + " --variant tiny --trials 3000 --search random --seed 4 --book " +
          path("k.json") + " 2>" + path("err") + " & p=$!; sleep 0.5; cp " + path("better.json") + " " +
          path("k.json") + "; wait $p");
  EXPECT_EQ(read_text(path("k.json")), read_text(path("better.json")));
  if (outcome.status != 0) EXPECT_THAT(read_text(path("err")), HasSubstr("was written by somebody else"));
}

TEST_F(TuneCommandTest, ABookOfOtherLayersStays) {
  tuned("k.json");
  nlohmann::ordered_json book = nlohmann::ordered_json::parse(read_text(path("k.json")));
  book.erase("measured");
  for (auto& record : book["records"])
    record["task"] = "another network's " + record["task"].get<std::string>();
  write_file(path("k.json"), book.dump());
  expect_error("tune " + network() + " --variant tiny --book " + path("k.json"),
               {"none of them is for a layer of"});
  EXPECT_EQ(read_text(path("k.json")), book.dump());
}

TEST_F(TuneCommandTest, VerifyBuildsWhatTheBookSays) {
  const nlohmann::json result = tuned("knobs.json");
  const std::string verify = "tune " + network() + " --variant tiny --verify --book " + path("knobs.json");
  const Outcome good = run(verify + " --json");
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_EQ(nlohmann::json::parse(good.out).at("cycles"), result.at("cycles"));
  nlohmann::ordered_json book = nlohmann::ordered_json::parse(read_text(path("knobs.json")));
  book["measured"]["program"] = "0123456789abcdef";
  write_file(path("knobs.json"), book.dump());
  const Outcome other = run(verify);
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.out, HasSubstr("that is not what was tuned"));
  book.erase("measured");
  write_file(path("knobs.json"), book.dump());
  expect_error(verify, {"no search has measured this book"});
}

TEST_F(TuneCommandTest, TheResultRunsOnRtlInTheSameCycles) {
  const nlohmann::json result = tuned("knobs.json", "--rtl");
  EXPECT_EQ(result.at("rtl_cycles"), result.at("cycles"));
}

TEST_F(TuneCommandTest, AShortSearchCanBePartOfACompile) {
  const double by_default = cycles("");
  const Outcome compiled = run("compile " + network() + " -o " + path("o2.vdla") + " --variant tiny -O2");
  EXPECT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_THAT(compiled.err, HasSubstr("-O2: "));
  EXPECT_THAT(compiled.err, HasSubstr(" instead of " + std::to_string(static_cast<int>(by_default)) + " ("));
  const double searched = cycles("-O2");
  EXPECT_LT(searched, by_default);
  EXPECT_THAT(compiled.err, HasSubstr("-O2: " + std::to_string(static_cast<int>(searched)) + " cycles"));
  EXPECT_EQ(run("zoo resnet8 --float -o " + path("float.onnx")).status, 0);
  const Outcome nothing = run("compile " + path("float.onnx") + " -o " + path("float.vdla") + " -O2");
  EXPECT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_THAT(nothing.err, HasSubstr("nothing to search"));
  expect_error("tune " + path("float.onnx") + " --book " + path("none.json"),
               {"float.onnx: no layer that has knobs"});
  expect_error("compile " + network() + " -o " + path("o2.vdla") + " --target cpu -O2",
               {"leave --target cpu out"});
}

TEST_F(TuneCommandTest, ACpuIsTunedAndItsBookIsForItAlone) {
  const Outcome outcome = run("tune " + network() + " --target cpu --cpu portable --trials 8 --json --book " +
                              path("cpu.json") + " --log " + path("cpu.jsonl"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const nlohmann::json result = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(result.at("without_cost"), 0);
  EXPECT_GT(result.at("measured"), 8);
  // Whatever was faster here today: a book with a record of each layer.
  const std::string compile =
      "compile " + network() + " -o " + path("m.vdla") + " --target cpu --book " + path("cpu.json");
  nlohmann::ordered_json book = nlohmann::ordered_json::parse(read_text(path("cpu.json")));
  book.erase("measured");
  book["records"] = nlohmann::ordered_json::array();
  std::set<std::string> seen;
  for (const nlohmann::json& line : lines("cpu.jsonl"))
    if (line.at("stage") == "race" && line.at("knobs") != "by default" &&
        line.at("context") != "the graph's plan" &&
        seen.insert(line.at("task").get<std::string>() + line.at("context").get<std::string>()).second)
      book["records"].push_back({{"task", line.at("task")},
                                 {"context", line.at("context")},
                                 {"knobs", line.at("knobs")},
                                 {"record", seen.size()}});
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(run("compile " + network() + " -o " + path("plain.vdla") + " --target cpu").status, 0);
  write_file(path("cpu.json"), book.dump());
  const Outcome compiled = run(compile);
  EXPECT_EQ(compiled.status, 0) << compiled.err;
  for (const char* module : {"plain", "m"})
    EXPECT_EQ(run("run " + path(std::string(module) + ".vdla") + " --random-input 1 --output " +
                  path(std::string(module) + ".npy"))
                  .status,
              0);
  EXPECT_EQ(read_text(path("m.npy")), read_text(path("plain.npy")));
  const Outcome explained = run("explain " + network() + " --target cpu --book " + path("cpu.json"));
  EXPECT_THAT(explained.out, HasSubstr("tuned knobs, record 1: "));
  expect_error(compile + " --cpu avx2",
               {"the knob book is for cpu code=portable", "and this compile for cpu code=avx2"});
  expect_error(
      "compile " + network() + " -o " + path("m.vdla") + " --variant tiny --book " + path("cpu.json"),
      {"the knob book is for cpu code=portable", "and this compile for batch=1"});
  const std::string tune = "tune " + network() + " --book " + path("other.json");
  expect_error(tune + " --target cpu --variant tiny", {"--variant is a machine with the device"});
  expect_error(tune + " --target cpu --jobs 2", {"--jobs lets trials run beside each other"});
  expect_error(tune + " --cpu avx2", {"--cpu is for --target cpu"});
}

/// Whatever is faster here today: the search tries choices of the plan, and a book has them.
TEST_F(TuneCommandTest, ACpuHasChoicesOfThePlan) {
  ASSERT_EQ(run("zoo resnet8 --float -o " + path("float.onnx")).status, 0);
  const std::string of_cpu = path("float.onnx") + " --target cpu --cpu portable";
  const Outcome tuned =
      run("tune " + of_cpu + " --trials 8 --json --book " + path("cpu.json") + " --log " + path("cpu.jsonl"));
  ASSERT_EQ(tuned.status, 0) << tuned.err;
  EXPECT_EQ(nlohmann::json::parse(tuned.out).at("without_cost"), 0);
  std::set<std::string> raced;
  nlohmann::ordered_json records = nlohmann::ordered_json::array();
  for (const nlohmann::json& line : lines("cpu.jsonl"))
    if (line.at("context") == "the graph's plan" && line.at("stage") == "race") {
      raced.insert(line.at("outcome").at("raced"));
      if (records.empty() || line.at("task") != records.back().at("task"))
        records.push_back({{"task", line.at("task")},
                           {"context", line.at("context")},
                           {"knobs", line.at("knobs")},
                           {"record", records.size() + 1}});
    }
  ASSERT_FALSE(records.empty()) << "a quarter of the trials";
  nlohmann::ordered_json book = nlohmann::ordered_json::parse(read_text(path("cpu.json")));
  book.erase("measured");
  book["records"] = records;
  const auto choose = [&](const std::string& task, const std::string& knobs) {
    book["records"].push_back(
        {{"task", task}, {"context", "the graph's plan"}, {"knobs", knobs}, {"record", 77}});
    write_file(path("choices.json"), book.dump());
    book["records"].erase(book["records"].size() - 1);
  };
  choose("readers of 'nowhere'", "fused=no");
  const std::string with = " --book " + path("choices.json");
  const Outcome compiled = run("compile " + of_cpu + " -o " + path("m.vdla") + with);
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_THAT(compiled.err, HasSubstr("choices of the knob book that this network does not have here: record "
                                      "77 (readers of 'nowhere')"));
  EXPECT_THAT(run("explain " + of_cpu + with).out, HasSubstr(", as record 1 of the knob book wants it"));
  ASSERT_EQ(run("compile " + of_cpu + " -o " + path("plain.vdla")).status, 0);
  const std::vector<float> have = floats_of("m"), want = floats_of("plain");
  ASSERT_EQ(have.size(), want.size());
  ASSERT_FALSE(want.empty());
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(have[i], want[i], 1e-4) << i;
  book["records"] = nlohmann::ordered_json::array();
  choose("channels of float layers", "block=7");
  expect_error("compile " + of_cpu + " -o " + path("m.vdla") + with,
               {"record 77 of the knob book, for the channels of float layers", "needs one of plain, 4, 8"});
}

// A book of one number of threads was taken for any other without a word.
TEST_F(TuneCommandTest, ABookSaysForHowManyThreadsItIs) {
  const std::string tune = "tune " + network() + " --target cpu --cpu portable --trials 2 --book ";
  ASSERT_EQ(run(tune + path("cpu.json") + " --threads 2").status, 0);
  nlohmann::ordered_json book = nlohmann::ordered_json::parse(read_text(path("cpu.json")));
  EXPECT_EQ(book.at("threads"), 2);
  EXPECT_THAT(run("tune --show --book " + path("cpu.json")).out, HasSubstr(", tuned with --threads 2\n"));
  std::filesystem::copy(path("cpu.json"), path("other.json"));
  EXPECT_THAT(run(tune + path("other.json")).err,
              HasSubstr("other.json was tuned with --threads 2, and is timed with 1"));
  ASSERT_EQ(run("compile " + network() + " -o " + path("m.vdla") + " --target cpu --book " + path("cpu.json"))
                .status,
            0);
  EXPECT_EQ(
      nlohmann::json::parse(run("info " + path("m.vdla") + " --json").out)["provenance"]["tuned_threads"], 2);
  const std::string said = "were tuned with --threads 2, and this run has 1: ";
  const std::string of_run = "run " + path("m.vdla") + " --random-input 1";
  EXPECT_THAT(run(of_run).err, HasSubstr(said));
  EXPECT_THAT(run(of_run + " --threads 2").err, Not(HasSubstr("were tuned with")));
  EXPECT_THAT(run(of_run + " --interpret").err, Not(HasSubstr("were tuned with")));
  book["threads"] = 0;
  write_file(path("cpu.json"), book.dump());
  expect_error("tune --show --book " + path("cpu.json"), {"is 0, needs a whole number from 1 to 4096"});
}

// Only the search for the device looked whether the book was still its own.
TEST_F(TuneCommandTest, ABookThatSomebodyElseWroteDuringASearchOfACpuIsKept) {
  std::thread other([&] {
    // The search has begun, and its first look at the book is over.
    std::error_code none;
    for (int i = 0; i < 30000 && std::filesystem::file_size(path("cpu.jsonl"), none) + 1 < 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    write_file(path("cpu.json"), "mine");
  });
  const Outcome o = run("tune " + network() + " --target cpu --cpu portable --trials 60 --book " +
                        path("cpu.json") + " --log " + path("cpu.jsonl"));
  other.join();
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, HasSubstr("cpu.json was written by somebody else while the search ran"));
  EXPECT_EQ(read_text(path("cpu.json")), "mine");
}

TEST_F(TuneCommandTest, BestKnobsAreShownByLayerAndTheirSchedulesAreText) {
  tuned("knobs.json");
  const std::string best = "tune " + network() + " --variant tiny --book " + path("knobs.json") + " --best";
  const Outcome shown = run(best + " --as-schedule " + path("kept"));
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("layers that have knobs have a record"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("kept"))) {
    const std::string text = read_text(entry.path().string());
    EXPECT_THAT(text, HasSubstr("# schedule of "));
    EXPECT_THAT(text, HasSubstr("\nsplit "));
    ++files;
  }
  EXPECT_GT(files, 0u);
  const nlohmann::json rows = nlohmann::json::parse(run(best + " --json").out);
  EXPECT_FALSE(rows.at("layers").empty());
  expect_error("tune " + network() + " --best --book " + path("none.json"), {"--best: there is no book"});
}

// Layers whose names differ by a sign alone had one file, that of the last; the book could not lie beside
// them.
TEST_F(TuneCommandTest, EachLayerHasAFileOfItsOwnForItsSchedule) {
  write_file(path("net.graph"),
             "graph \"g\"\ninput %x: int8[1, 8, 8, 16]\nconst %w: int8[16, 3, 3, 16] = splat 1\n"
             "%a.b = conv2d(%x, %w) {pads = [1, 1, 1, 1]}\n"
             "%A_b = conv2d(%a.b, %w)\noutput %A_b\n");
  std::filesystem::create_directory(path("kept"));
  const std::string tune = "tune " + path("net.graph") + " --variant tiny --book " + path("kept/knobs.json");
  Outcome outcome = run(tune + " --trials 40");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  outcome = run(tune + " --best --as-schedule " + path("kept"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::vector<std::string> first_lines;
  for (const auto& entry : std::filesystem::directory_iterator(path("kept"))) {
    const std::string text = read_text(entry.path().string());
    if (entry.path().extension() == ".schedule") first_lines.push_back(text.substr(0, text.find('\n')));
  }
  EXPECT_THAT(first_lines, ::testing::UnorderedElementsAre("# a.b", "# A_b")) << outcome.out;
  write_file(path("taken"), "");
  expect_error(tune + " --best --as-schedule " + path("taken"), {"taken cannot be made"});
}

TEST_F(TuneCommandTest, LogsOfAnotherVariantAreForTheModel) {
  const Outcome other = run("tune " + network() + " --variant paper --trials 40 --book " + path("p.json") +
                            " --log " + path("p.jsonl"));
  ASSERT_EQ(other.status, 0) << other.err;
  const std::string from = "--from " + path("p.jsonl");
  const nlohmann::json first = tuned("a.json", from);
  EXPECT_LT(first.at("cycles"), first.at("default_cycles"));
  EXPECT_THAT(first.at("notes").at(0), HasSubstr(" tasks elsewhere")) << "JSON has the notes, too";
  tuned("b.json", from);
  EXPECT_EQ(read_text(path("a.json")), read_text(path("b.json"))) << "the same seed, the same trials";
  const std::string tune = "tune " + network() + " --variant tiny --book " + path("c.json") + " ";
  const Outcome again = run(tune + from + " --trials 8");
  EXPECT_THAT(again.err, HasSubstr(" tasks elsewhere"));
  EXPECT_THAT(read_text(path("p.jsonl")), HasSubstr("the graph's plan"));
  EXPECT_EQ(again.err.find("an older kit wrote them"), std::string::npos)
      << "choices of the plan, which have no ranges, were called that: " << again.err;
  expect_error(tune + from + " --search random", {"search 'random' asks none"});
  expect_error(tune + "--from " + network(), {"digits.onnx:1: is no record of this kit"});
}

TEST_F(TuneCommandTest, WhatCannotBeTunedIsRefused) {
  const std::string to = " --book " + path("k.json");
  expect_error("tune " + network() + to + " --variant none", {"none"});
  expect_error("tune " + to, {"vdla tune needs a network"});
  expect_error("tune --show" + to, {"there is no book"});
  expect_error("tune " + network() + to + " --search locl", {"locl", "local"}, 2);
  expect_error("tune " + network() + to + " --search random --cost-model rank",
               {"--cost-model rank", "search 'random' asks no cost model"});
  expect_error("tune " + network() + to + " --html " + path("none/page.html"),
               {"none/page.html: cannot be written: No such file", "there is no folder"});
  EXPECT_FALSE(std::filesystem::exists(path("k.json"))) << "refused before the search";
  expect_error("tune " + network() + to + " --trials 0", {"--trials"}, 2);
  expect_error("tune " + network() + to + " --seed 18446744073709551616", {"--seed", "2^64 - 1"}, 2);
  expect_error("tune " + network() + to + " --limit 1e10", {"--limit"}, 2);
  expect_error("tune " + network() + " --book " + std::string(300, 'a') + ".json", {"aaa"});
  expect_error("tune " + network() + " --book " + network(), {"digits.onnx"}, 2);
  tuned("k.json");
  expect_error("tune " + network() + to + " --variant paper", {"is a book for batch=1 block_in=4 block_out=4",
                                                               "and this search is for batch=1 block_in=16"});
  expect_error("compile " + network() + " -o " + path("m.vdla") + " --variant paper --book " + path("k.json"),
               {"the knob book is for batch=1 block_in=4", "tune for that variant"});
  expect_error("compile " + network() + " -o " + path("m.vdla") + " --target cpu --book " + path("k.json"),
               {"the knob book is for batch=1 block_in=4",
                "and this compile for cpu code=portable vector_bytes=16", "tune for that CPU"});
  EXPECT_FALSE(std::filesystem::exists(path("m.vdla")));
  EXPECT_EQ(run("zoo resnet8 -o " + path("other.onnx")).status, 0);
  expect_error("tune " + path("other.onnx") + to + " --variant tiny",
               {"was tuned for model", "give another --book"});
  // The parts of the book are looked at one by one.
  nlohmann::ordered_json book = nlohmann::ordered_json::parse(read_text(path("k.json")));
  const auto of_a_layer = std::ranges::find_if(book["records"], [](const auto& record) {
    return record.at("knobs").template get<std::string>().starts_with("tile_h=");
  });
  ASSERT_NE(of_a_layer, book["records"].end());
  (*of_a_layer)["knobs"] = "tile_h=1000";
  write_file(path("k.json"), book.dump());
  expect_error("compile " + network() + " -o " + path("m.vdla") + " --variant tiny --book " + path("k.json"),
               {"knob 'tile_h' is \"1000\", needs a number"});
  (*of_a_layer)["knobs"] = "tile_h=\x1b[2J" + std::string(200, '1');
  write_file(path("k.json"), book.dump());
  expect_error("compile " + network() + " -o " + path("m.vdla") + " --variant tiny --book " + path("k.json"),
               {"knob 'tile_h' is \"\\u001b[2J11", "1\"..., needs a number"});
}

}  // namespace
}  // namespace vdla::tools
