// SPDX-License-Identifier: Apache-2.0
// vdla board serve and what desks do with it, as users have them.
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class RemoteCommand : public Cli {
 protected:
  void TearDown() override {
    if (server_ > 0) stop();
    Cli::TearDown();
  }

  /// In the background; `arguments` are words of the shell.
  static pid_t start(const std::string& arguments) {
    const std::string command = "exec '" VDLA_BINARY_DIR "/bin/vdla' " + arguments;
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }

  /// On a free port of the loopback address, in a cache of its own.
  void serve(const std::string& flags) {
    server_ = start("board serve --json --listen 127.0.0.1:0 --cache '" + path("cache") + "' " + flags +
                    " >" + path("serve.json") + " 2>" + path("serve.log"));
    for (int i = 0; i < 1000 && board_.empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const Json said = Json::parse(std::ifstream(path("serve.json")), nullptr, false);
      if (!said.is_discarded()) board_ = said.value("address", said.value("error", ""));
    }
    ASSERT_THAT(board_, HasSubstr("127.0.0.1:")) << read_text(path("serve.log"));
  }
  int stop(int signal = SIGTERM) {
    kill(server_, signal);
    int status = 0;
    waitpid(std::exchange(server_, -1), &status, 0);
    return status;
  }
  std::string at_board() const { return " --board " + board_ + " "; }
  std::string log() const { return read_text(path("serve.log")); }
  /// That the server has given so far.
  std::size_t leases() const {
    const std::string text = log();
    std::size_t count = 0;
    for (std::size_t at = text.find("leased to"); at != std::string::npos;
         at = text.find("leased to", at + 1))
      ++count;
    return count;
  }
  /// Of what a run prints, all that does not depend on the clock and the place.
  static Json facts(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    Json json = Json::parse(outcome.out);
    json.erase("board");
    for (Json& step : json["host_steps"]) step.erase("seconds");
    return json;
  }
  std::size_t cached() const {
    const std::filesystem::directory_iterator begin(path("cache"));
    return static_cast<std::size_t>(std::distance(begin, {}));
  }

  std::string board_;
  pid_t server_ = -1;
};

/// Which would double the time in which any command starts.
TEST_F(RemoteCommand, GrpcIsNotLinkedIntoTheCommand) {
  ASSERT_EQ(std::system(("ldd '" VDLA_BINARY_DIR "/bin/vdla' >" + path("ldd")).c_str()), 0);
  EXPECT_THAT(read_text(path("ldd")), AllOf(HasSubstr("libc.so"), ::testing::Not(HasSubstr("libgrpc"))));
}

TEST_F(RemoteCommand, RunEqualsTheRunInProcess) {
  const std::string module = digits("tiny");
  for (const std::string engine : {"rtl", "systemc", "functional"}) {
    board_.clear();
    serve("--variant tiny --engine " + engine);
    const Json here = facts(run("run " + module + " --json --random-input 3 --engine " + engine));
    const Json there = facts(run("run " + module + " --json --random-input 3" + at_board()));
    EXPECT_EQ(here, there) << engine;
    EXPECT_EQ(there.at("engine"), engine);
    stop();
  }
  EXPECT_EQ(cached(), 1u);
  EXPECT_EQ(log().find("took module"), std::string::npos)
      << "the second server has it from the first: " << log();
}

TEST_F(RemoteCommand, ResNetEqualsTheRunInProcess) {
  ASSERT_EQ(run("zoo resnet8 --seed 1 -o " + path("r.onnx")).status, 0);
  ASSERT_EQ(run("compile " + path("r.onnx") + " --variant tiny -o " + path("r.vdla")).status, 0);
  serve("--variant tiny --engine rtl");
  const std::string arguments = "run " + path("r.vdla") + " --json --random-input 1";
  EXPECT_EQ(facts(run(arguments + " --engine rtl")), facts(run(arguments + at_board())));

  // In the middle of a run that takes a second: a limit, and Ctrl-C.
  expect_error("run " + path("r.vdla") + " --random-input 1 --time-limit 0.1" + at_board(),
               {"within the --time-limit of 0.1 s"});
  const pid_t desk = start("run " + path("r.vdla") + " --random-input 1 --repeat 100000" + at_board() + " >" +
                           path("out") + " 2>" + path("err"));
  for (int i = 0; i < 3000 && leases() < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(leases(), 3u) << log();
  kill(desk, SIGINT);
  int status = 0;
  waitpid(desk, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  EXPECT_THAT(read_text(path("err")),
              HasSubstr("vdla run: interrupted by SIGINT: told board " + board_ + " to stop"));
  EXPECT_EQ(run(arguments + at_board()).status, 0);
  EXPECT_EQ(cached(), 1u);
}

TEST_F(RemoteCommand, EvalRepeatAndTimeline) {
  const std::string module = digits("tiny");
  serve("--variant tiny --engine systemc");
  const std::string arguments = "eval " + module + " --json --limit 5 --inputs " + example("images.npy");
  Json here = Json::parse(run(arguments + " --engine systemc").out),
       there = Json::parse(run(arguments + at_board()).out);
  EXPECT_EQ(there.at("cycles_per_input"), here.at("cycles_per_input"));
  EXPECT_EQ(there.at("count"), 5);
  const Outcome repeated = run("run " + module + " --json --random-input 1 --repeat 3" + at_board());
  ASSERT_EQ(repeated.status, 0) << repeated.err;
  EXPECT_EQ(Json::parse(repeated.out).at("runs").size(), 3u);
  ASSERT_EQ(run("run " + module + " --random-input 1 --timeline " + path("there.json") + at_board()).status,
            0);
  ASSERT_EQ(
      run("run " + module + " --random-input 1 --engine systemc --timeline " + path("here.json")).status, 0);
  EXPECT_EQ(read_text(path("there.json")), read_text(path("here.json")));
}

TEST_F(RemoteCommand, FailedRunComesWithItsPostMortem) {
  const std::string module = digits("tiny");
  serve("--variant tiny --engine systemc");
  const std::string arguments = "run " + module + " --json --random-input 1 --timeout 1000";
  const Outcome here = run(arguments + " --engine systemc"), there = run(arguments + at_board());
  EXPECT_EQ(there.status, 1);
  EXPECT_EQ(Json::parse(there.out).at("kind"), "device");
  EXPECT_EQ(Json::parse(there.out), Json::parse(here.out));
  EXPECT_THAT(run("run " + module + " --random-input 1 --timeout 1000" + at_board()).err,
              HasSubstr("\n  gemm "));
  EXPECT_EQ(run(arguments + " --post-mortem " + path("pm") + at_board()).status, 1);
  const Outcome explained = run("explain " + path("pm") + " --module " + module);
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("gemm"));
  EXPECT_EQ(run("run " + module + " --random-input 1" + at_board()).status, 0);
}

TEST_F(RemoteCommand, CertificatesForOtherMachines) {
  EXPECT_EQ(run("board certificates " + path("lab") + " --host board.lab --client ann").status, 0);
  expect_error("board certificates " + path("lab"), {"is there already"});
  EXPECT_EQ(std::filesystem::status(path("lab/server.key")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(run("board certificates " + path("other")).status, 0);
  const std::string module = digits("tiny"), arguments = "run " + module + " --random-input 1";
  serve("--variant tiny --certificates " + path("lab"));
  EXPECT_EQ(run(arguments + at_board() + "--certificates " + path("lab")).status, 0);
  EXPECT_THAT(log(), HasSubstr("leased to 'ann' ("));
  expect_error(arguments + at_board(), {board_, "--certificates"});
  expect_error(arguments + at_board() + "--certificates " + path("other"),
               {board_, "certificates of one authority"});
  expect_error(arguments + at_board() + "--certificates " + path("cache"),
               {"ca.pem", "vdla board certificates"});
  expect_error(arguments + " --board board.lab", {"board.lab:50551", "another machine", "--certificates"});
  expect_error("board serve --engine functional --listen 0.0.0.0:0",
               {"reaches other machines", "--certificates"});
}

TEST_F(RemoteCommand, SelfTestFromTheDesk) {
  serve("--variant tiny --engine functional");
  const Outcome here = run("board selftest --json --engine functional"),
                there = run("board selftest --json" + at_board());
  EXPECT_EQ(there.status, 0) << there.out << there.err;
  const Json stages = Json::parse(there.out).at("stages");
  EXPECT_EQ(stages.size(), Json::parse(here.out).at("stages").size());
  for (const Json& stage : stages) EXPECT_NE(stage.at("verdict"), "FAILED") << stage;
  expect_error("board selftest --engine rtl" + at_board(), {"--engine", "a machine of its own"});
  Json memory_here = Json::parse(run("board mem --json --engine functional").out),
       memory_there = Json::parse(run("board mem --json" + at_board()).out);
  EXPECT_EQ(memory_there.at("memory"), memory_here.at("memory")) << memory_there;
  const std::string module = digits("tiny");
  EXPECT_EQ(run("run " + module + " --random-input 1" + at_board()).status, 0);
  stop();
  board_.clear();
  ASSERT_EQ(run("keygen " + path("k")).status, 0);
  serve("--variant tiny --engine functional --trust " + path("k.pub"));
  expect_error("board mem" + at_board(), {"signed modules alone"});
  expect_error("run " + module + " --random-input 1" + at_board(), {"sign"});
  ASSERT_EQ(run("sign " + module + " --key " + path("k.key")).status, 0);
  EXPECT_EQ(run("run " + module + " --random-input 1" + at_board()).status, 0);
}

TEST_F(RemoteCommand, HooksAndHosts) {
  serve("--variant tiny --engine functional --flash-command 'echo done >" + path("flashed") + "'");
  EXPECT_THAT(run("board flash " + board_).out, HasSubstr("has run; the device answers"));
  EXPECT_EQ(read_text(path("flashed")), "done\n");
  EXPECT_THAT(run("board reset " + board_).out, HasSubstr(": the device answers and was reset"));
  write_file(path("lab.json"), R"({"boards": [{"host": ")" + board_ + R"("}, {"host": "127.0.0.1:1"}]})");
  const Json boards = Json::parse(run("board hosts --json " + path("lab.json")).out).at("boards");
  EXPECT_EQ(boards.at(0).at("variant"), "tiny");
  EXPECT_EQ(boards.at(0).at("holder"), "");
  EXPECT_TRUE(boards.at(0).at("can_flash").get<bool>());
  EXPECT_THAT(boards.at(1).at("error").get<std::string>(), HasSubstr("is vdla board serve running there"));
  write_file(path("bad.json"), R"({"boards": [{"host": 7}]})");
  expect_error("board hosts " + path("bad.json"), {"bad.json:1:", "/boards/0/host needs a text"});
}

TEST_F(RemoteCommand, RefusalsAreSentences) {
  const std::string module = digits("paper"), arguments = "run " + module + " --random-input 1";
  serve("--variant tiny --engine functional --max-lease 100");
  expect_error(arguments + at_board(), {"is for variant paper", "has variant tiny"});
  expect_error("run " + digits("tiny") + " --random-input 1" + at_board(),
               {"600 s", "this board gives 1 to 100"});
  expect_error(arguments + " --board 127.0.0.1:1", {"is vdla board serve running there"});
  expect_error(arguments + " --board qemu-zynq", {"a board's description", "HOST[:PORT]"});
  expect_error(arguments + " --board a/b", {"a board's description"});
  expect_error(arguments + " --board 'a b'", {"names no machine"});
  expect_error(arguments + at_board() + "--engine rtl", {"--engine"}, 2);
  expect_error(arguments + " --certificates x --engine rtl", {"--board"}, 2);
  EXPECT_EQ(cached(), 0u);
  EXPECT_EQ(WTERMSIG(stop()), SIGTERM);
  EXPECT_THAT(log(), HasSubstr("interrupted by SIGTERM"));
}

}  // namespace
}  // namespace vdla::tools
