// SPDX-License-Identifier: Apache-2.0
// vdla tune --fleet: the book of a search on boards is that of one in process, whatever becomes of the
// boards.
#include <thread>

#include "tests/tools/remote/remote_command.h"

namespace vdla::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TuneFleet : public RemoteCommand {
 protected:
  void TearDown() override {
    for (const pid_t board : boards_) {
      kill(board, SIGKILL);
      waitpid(board, nullptr, 0);
    }
    RemoteCommand::TearDown();
  }
  /// The address of one more board.
  std::string add_board(const std::string& flags = "--variant tiny --engine systemc") {
    board_.clear();
    serve(flags);
    boards_.push_back(std::exchange(server_, -1));
    return board_;
  }
  Outcome tune(const std::string& book, const std::string& flags, int trials = 40) const {
    return run("tune " + example("digits.onnx") + " --variant tiny --json --trials " +
               std::to_string(trials) + " --book " + path(book) + " " + flags);
  }

  std::vector<pid_t> boards_;
};

TEST_F(TuneFleet, BookIsThatOfASearchInProcess) {
  const std::string fleet = add_board() + "," + add_board();
  const Outcome here = tune("here.json", "--jobs 1"), there = tune("there.json", "--fleet " + fleet);
  ASSERT_EQ(there.status, 0) << there.err << there.out;
  EXPECT_EQ(read_text(path("there.json")), read_text(path("here.json")));
  const Json report = Json::parse(there.out);
  EXPECT_EQ(report.at("cycles"), Json::parse(here.out).at("cycles"));
  EXPECT_EQ(report.at("without_cost"), 0);
  EXPECT_EQ(report.at("lost_boards"), Json::array());
}

TEST_F(TuneFleet, BoardThatDiesInTheMiddleLosesNoTrial) {
  const std::string first = add_board(), second = add_board();
  EXPECT_EQ(tune("here.json", "--jobs 1").status, 0);
  std::thread killer([&] {  // when it has measured a few
    for (int i = 0; i < 2000; ++i) {
      const std::string said = read_text(path("serve.log"));
      if (std::count(said.begin(), said.end(), '\n') > 5) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kill(boards_.back(), SIGKILL);
  });
  const Outcome there = tune("there.json", "--fleet " + first + "," + second);
  killer.join();
  ASSERT_EQ(there.status, 0) << there.err << there.out;
  EXPECT_EQ(read_text(path("there.json")), read_text(path("here.json")));
  const Json report = Json::parse(there.out);
  EXPECT_EQ(report.at("without_cost"), 0) << "its trial was repeated elsewhere";
  ASSERT_EQ(report.at("lost_boards").size(), 1u) << there.out;
  EXPECT_EQ(report.at("lost_boards")[0].at("board"), second);
  EXPECT_THAT(report.at("lost_boards")[0].at("reason").get<std::string>(), HasSubstr(second));
}

TEST_F(TuneFleet, RefusalsNameTheBoard) {
  const std::string other = add_board("--variant paper --engine systemc"),
                    untimed = add_board("--variant tiny --engine functional");
  EXPECT_THAT(tune("b.json", "--fleet " + other).out, AllOf(HasSubstr(other), HasSubstr("geometry")));
  EXPECT_THAT(tune("b.json", "--fleet " + untimed).out,
              AllOf(HasSubstr(untimed), HasSubstr("has no cycles")));
  EXPECT_THAT(tune("b.json", "--fleet 127.0.0.1:1").out, HasSubstr("nothing is left to measure on"));
  EXPECT_THAT(tune("b.json", "--fleet " + other + "," + other).out, HasSubstr("twice"));
  EXPECT_EQ(tune("b.json", "--jobs 2 --fleet " + other).status, 2);
  write_file(path("none.json"), R"({"boards": []})");
  EXPECT_THAT(tune("b.json", "--fleet " + path("none.json")).out, HasSubstr("has no boards"));
}

}  // namespace
}  // namespace vdla::tools
