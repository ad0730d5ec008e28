// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/log.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "kit/files.h"
#include "support/error.h"
#include "tools/data/files.h"
#include "tools/tune/transfer_logs.h"

namespace vdla::tune {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const Outcome kCost{{"status", "ok"}, {"cycles", 100.0}, {"program", "0123"}};
const Outcome kFailed{{"status", "failed"}, {"reason", "it took more than 1 s"}};

class Log : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("vdla_tune_log_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / "tune.jsonl").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(Log, KnowsWhatWasWritten) {
  {
    TuneLog log(path_);
    log.add("a", {{"task", "conv2d"}}, kCost);
    log.add("b", {{"task", "conv2d"}}, kFailed);
    EXPECT_EQ(*log.find("a"), kCost);
  }
  TuneLog log(path_);
  EXPECT_EQ(log.size(), 2u);
  ASSERT_NE(log.find("a"), nullptr);
  EXPECT_EQ(*log.find("a"), kCost);
  EXPECT_EQ(log.find("b"), nullptr) << "what failed is tried again";
  EXPECT_EQ(log.find("c"), nullptr);
}

TEST_F(Log, ATornLastLineIsDropped) {
  {
    TuneLog log(path_);
    log.add("a", explore::Json::object(), kCost);
    log.add("b", explore::Json::object(), kCost);
  }
  const std::string whole = kit::read_text(path_);
  tools::write_file(path_, whole.substr(0, whole.size() - 5));
  {
    TuneLog log(path_);
    EXPECT_EQ(log.size(), 1u);
    log.add("b", explore::Json::object(), kCost);
  }
  EXPECT_EQ(kit::read_text(path_), whole);
}

TEST_F(Log, ALineOfSomethingElseIsRefusedAndTheFileStays) {
  const std::string text = "{\"format\": \"vdla tuning record 0\", \"key\": \"a\"}\nhalf a line";
  tools::write_file(path_, text);
  EXPECT_THAT(
      [&] { TuneLog{path_}; },
      ThrowsMessage<UserError>(HasSubstr("tune.jsonl:1: is no record of this kit ('vdla tuning record 1')")));
  EXPECT_EQ(kit::read_text(path_), text);
}

TEST_F(Log, AFileOfTheUsersIsRefusedAndStays) {
  for (const std::string text : {"{\"precious\": \"one-line json\"}", "a key", "x\n", "{}\n", "\n"}) {
    tools::write_file(path_, text);
    EXPECT_THAT([&] { TuneLog{path_}; }, ThrowsMessage<UserError>(HasSubstr("is no record of this kit")))
        << text;
    EXPECT_EQ(kit::read_text(path_), text);
  }
}

/// It was taken for a torn line, and the log for an empty one.
TEST_F(Log, AReaderRefusesAFileOfTheUsers) {
  for (const std::string text : {"{\"precious\": \"one-line json\"}", "a key"}) {
    tools::write_file(path_, text);
    EXPECT_THAT([&] { records_of(path_, "--from"); },
                ThrowsMessage<UserError>(HasSubstr("is no record of this kit ('vdla tuning record 1'); give "
                                                   "another --from")));
  }
}

TEST_F(Log, ZerosThatAPowerCutLeavesAreCutOff) {
  TuneLog(path_).add("a", explore::Json::object(), kCost);
  const std::string whole = kit::read_text(path_);
  tools::write_file(path_, whole + std::string(4, '\0'));
  EXPECT_EQ(records_of(path_).size(), 1u);
  TuneLog(path_).add("b", explore::Json::object(), kCost);
  EXPECT_EQ(kit::read_text(path_).substr(0, whole.size()), whole);
  EXPECT_EQ(records_of(path_).size(), 2u);
}

TEST_F(Log, RecordsWithOtherTypesAreRefused) {
  const auto line = [](const std::string& format, const std::string& outcome) {
    return "{\"format\": " + format + ", \"key\": \"a\", \"outcome\": " + outcome + "}\n";
  };
  const std::string good = "\"vdla tuning record 1\"";
  for (const std::string& text :
       {line("5", "{}"), line(good, "{\"status\": \"ok\", \"cycles\": 7}"), line(good, "{\"status\": 7}"),
        line(good, "{\"status\": \"ok\", \"cycles\": 7, \"program\": 7}"),
        line(good, "{\"status\": \"ok\", \"cycles\": 0, \"program\": \"x\"}"),
        line(good, "{\"status\": \"ok\", \"cycles\": 1e308, \"program\": \"x\"}"),
        line(good, "{\"status\": \"foo\", \"reason\": \"x\"}"),
        line(good, "{\"status\": \"ok\", \"cycles\": 7, \"program\": \"x\", \"more\": " +
                       std::string(100000, '[') + std::string(100000, ']') + "}")}) {
    tools::write_file(path_, text);
    EXPECT_THAT([&] { TuneLog{path_}; }, ThrowsMessage<UserError>(HasSubstr("tune.jsonl:1: is no record")));
  }
}

/// `vdla tune --from` took a number under "context" for a fault of the kit.
TEST_F(Log, AContextThatIsNoTextSaysNothing) {
  const explore::Json whole{{"format", "vdla tuning record 1"},
                            {"key", "a"},
                            {"task", "t"},
                            {"stage", "s"},
                            {"context", "c"},
                            {"outcome", kCost},
                            {"knobs", "k=1"}};
  for (const std::string key : {"task", "stage", "context", "knobs", "space", "layers", "estimate", "target"})
    for (const explore::Json& other : {explore::Json(22), explore::Json(), explore::Json::array({1}),
                                       explore::Json{{"k", -1}}, explore::Json("text")}) {
      explore::Json record = whole;
      record[key] = other;
      tools::write_file(path_, record.dump() + "\n");
      EXPECT_EQ(read_logs({path_}).trials, 0u) << record;
    }
}

TEST_F(Log, ARatioOutsideOfItsIntervalIsNamed) {
  const Outcome race{{"status", "ok"}, {"ns", 5.0},     {"incumbent_ns", 10.0}, {"ratio", 0.5},
                     {"low", 0.9},     {"high", 1.125}, {"program", "0123"}};
  TuneLog(path_).add("a", explore::Json::object(), race);
  EXPECT_THAT([&] { TuneLog{path_}; },
              ThrowsMessage<UserError>(
                  HasSubstr("tune.jsonl:1: has a ratio of 0.5 outside of its interval 0.9 to 1.125")));
  EXPECT_THAT([&] { records_of(path_); }, ThrowsMessage<UserError>(HasSubstr("remove it")));
}

TEST_F(Log, HasOneWriter) {
  TuneLog log(path_);
  EXPECT_THAT([&] { TuneLog{path_}; }, ThrowsMessage<UserError>(HasSubstr("another search writes into")));
}

TEST_F(Log, WhatIsNoFileIsRefused) {
  EXPECT_THAT([&] { TuneLog("/dev/null"); }, ThrowsMessage<UserError>(HasSubstr("is no regular file")));
  EXPECT_THAT([&] { TuneLog((folder_ / "none/x").string()); },
              ThrowsMessage<UserError>(HasSubstr("No such file or directory")));
}

}  // namespace
}  // namespace vdla::tune
