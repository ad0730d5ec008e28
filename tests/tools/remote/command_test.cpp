// SPDX-License-Identifier: Apache-2.0
// vdla board serve and what desks do with it, as users have them.
#include "remote_command.h"

namespace vdla::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

/// Under one lease: each value in memory is a run of a program that ends earlier.
TEST_F(RemoteCommand, TensorsOfABoardAreThoseOfTheEngine) {
  const std::string arguments = digits("tiny") + " --json --random-input 3 --model " + example("digits.onnx");
  serve("--variant tiny --engine functional");
  const Outcome here = run("run " + arguments + " --tensors " + path("here")),
                there = run("run " + arguments + " --tensors " + path("there") + at_board());
  ASSERT_EQ(here.status, 0) << here.err;
  ASSERT_EQ(there.status, 0) << there.err;
  EXPECT_EQ(leases(), 1u);
  const Json report = Json::parse(there.out).at("tensors");
  EXPECT_EQ(report.at("count"), Json::parse(here.out).at("tensors").at("count"));
  EXPECT_LT(report.at("recomputed").get<std::size_t>(), report.at("count").get<std::size_t>() / 2);
  for (const Json& row : report.at("tensors")) {
    const std::string file = row.at("file");
    EXPECT_EQ(read_text(path("there/" + file)), read_text(path("here/" + file))) << file;
  }
  const Outcome diff = run("diff " + arguments + " --against interpreter" + at_board());
  EXPECT_EQ(diff.status, 0) << diff.err;
  EXPECT_EQ(Json::parse(diff.out).at("left"), "board " + board_);
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
  ASSERT_EQ(
      run("run " + module + " --random-input 1 --timeline " + path("there.pftrace.gz") + at_board()).status,
      0);
  ASSERT_EQ(run("run " + module + " --random-input 1 --engine systemc --timeline " + path("here.pftrace.gz"))
                .status,
            0);
  EXPECT_EQ(read_text(path("there.pftrace.gz")), read_text(path("here.pftrace.gz"))) << "bytes, not text";
}

TEST_F(RemoteCommand, ARawProgramRunsOnABoard) {
  serve("--variant tiny --engine systemc");
  write_file(path("in.bin"), std::string(64, 'x'));
  write_file(path("copy.s"),
             "load out[0] = input[0] run 16 push store\n"
             "store output[100] = out[0] run 16 pop load\nfinish 7\n");
  const std::string copy = "run " + path("copy.s") + " --window input=" + path("in.bin") +
                           " --window output=256 --json --dump output=" + path("out.bin");
  const Outcome there = run(copy + at_board()), here = run(copy + " --variant tiny --engine systemc");
  ASSERT_EQ(there.status, 0) << there.err;
  EXPECT_EQ(read_text(path("out.bin")),
            std::string(100, '\0') + std::string(64, 'x') + std::string(92, '\0'));
  EXPECT_EQ(Json::parse(there.out).at("cycles"), Json::parse(here.out).at("cycles"));
  EXPECT_THAT(Json::parse(there.out).at("device").get<std::string>(), HasSubstr("of board "));
  expect_error("run " + path("copy.s") + " --variant paper" + at_board(), {"copy.s: the device has another"});
  write_file(path("hangs.s"), "store output[0] = out[0] run 16 pop gemm\nfinish 7\n");
  const std::string hangs = "run " + path("hangs.s") + " --stall-limit 1000";
  EXPECT_EQ(run(hangs + at_board() + " --post-mortem " + path("there")).err,
            run(hangs + " --variant tiny --engine systemc").err);
  EXPECT_THAT(read_text(path("there") + "/report.txt"), testing::StartsWith("board "));
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
  // The board's text, its log, the folder and what explain makes of it are of one reading.
  const Json failed = Json::parse(there.out).at("post_mortem");
  EXPECT_THAT(log(), HasSubstr("a run failed: " + failed.at("cause").get<std::string>() + ": load "));
  for (const Json& unit : failed.at("units"))
    EXPECT_THAT(log(),
                HasSubstr(unit.at("unit").get<std::string>() + " " + unit.at("doing").get<std::string>()));
  const std::string text = run("run " + module + " --random-input 1 --timeout 1000" + at_board()).err;
  std::string report = read_text(path("pm") + "/report.txt");
  EXPECT_EQ(report, text.substr(std::string("vdla: error: ").size()));
  EXPECT_EQ(run("explain " + path("pm")).out, report.replace(report.find(": the"), 2, "\n"));
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

/// Each command of bring-up says of a device elsewhere what it says of one here.
TEST_F(RemoteCommand, BringUpFromTheDesk) {
  serve("--variant tiny --engine systemc");
  const std::string name = "systemc of board " + board_, engine = " --engine systemc";
  for (const std::string command :
       {"regs", "regs --write STALL_LIMIT=77 STALL", "irq --programs 5", "counters", "bandwidth"}) {
    Json here = Json::parse(run("board " + command + " --json" + engine).out);
    const Outcome outcome = run("board " + command + " --json" + at_board());
    ASSERT_EQ(outcome.status, 0) << command << ": " << outcome.err;
    Json there = Json::parse(outcome.out);
    EXPECT_EQ(there.at("device"), name) << command;
    here.erase("device");
    there.erase("device");
    EXPECT_EQ(there, here) << command;
  }
  const Outcome taken = run("board postmortem -o " + path("pm") + at_board());
  EXPECT_THAT(taken.out, HasSubstr(name)) << taken.err;
  EXPECT_THAT(run("board counters --recorded " + path("pm")).out, HasSubstr("none since the reset"));
  expect_error("board regs --recorded " + path("pm") + at_board(), {"--board"}, 2);
  expect_error("board irq --uio vdla" + at_board(), {"--uio"}, 2);
  EXPECT_EQ(leases(), 6u) << log();
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
  const std::string at_lab = " --random-input 1 --json --board " + path("lab.json");
  EXPECT_EQ(Json::parse(run("run " + digits("tiny") + at_lab).out).at("board"), board_);
  EXPECT_EQ(
      run("eval " + digits("tiny") + " --inputs " + example("images.npy") + " --board " + path("lab.json"))
          .status,
      0);
  const Outcome none = run("run " + digits("paper") + " --random-input 1 --board " + path("lab.json"));
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(
      none.err,
      AllOf(HasSubstr("lab.json can run 'digits'; board " + board_ + ": the device has another "),
            HasSubstr("block_in is 4, needs 16"), HasSubstr("; board 127.0.0.1:1: failed to connect")));
  expect_error("run " + digits("tiny") + " --random-input 1 --certificates x --board " + path("lab.json"),
               {"--certificates is for --board HOST"});
  write_file(path("bad.json"), R"({"boards": [{"host": 7}]})");
  expect_error("run " + digits("tiny") + " --random-input 1 --board " + path("bad.json"), {"needs a text"});
  expect_error("board hosts " + path("bad.json"), {"bad.json:1:", "/boards/0/host needs a text"});
}

/// A variant that is none of the kit's: the device says it.
TEST_F(RemoteCommand, ABoardSaysWhatToCompileFor) {
  write_file(path("odd.json"), R"({"name": "odd", "geometry": {"block_in": 8, "block_out": 8}})");
  serve("--variant " + path("odd.json") + " --engine functional");
  const std::string device = "--variant device:" + board_;
  expect_error("run " + digits("paper") + " --random-input 1" + at_board(),
               {"block_in is 8, needs 16; block_out is 8, needs 16; compile it again: vdla compile NETWORK " +
                device});
  const std::string network = "'" VDLA_SOURCE_DIR "/examples/digits/digits.onnx' ";
  ASSERT_EQ(run("compile " + network + device + " -o " + path("fits.vdla")).status, 0);
  EXPECT_EQ(run("run " + path("fits.vdla") + " --random-input 1" + at_board()).status, 0);
  const Json said = Json::parse(run("info --device --json -o " + path("d.json") + at_board()).out);
  EXPECT_EQ(said.at("geometry").at("block_in"), 8);
  EXPECT_EQ(said.at("command"), "vdla compile NETWORK " + device);
  EXPECT_EQ(Json::parse(read_text(path("d.json"))).at("geometry"), said.at("geometry"));
  EXPECT_EQ(leases(), 1u) << "of the run; whoever asks what a board is needs none";
  expect_error("compile " + network + "--variant device:127.0.0.1:1 -o " + path("x.vdla"),
               {"is vdla board serve running there"});
  expect_error("compile " + network + "--certificates x -o " + path("x.vdla"),
               {"is for --variant device:HOST"});
}

TEST_F(RemoteCommand, RefusalsAreSentences) {
  const std::string module = digits("paper"), arguments = "run " + module + " --random-input 1";
  serve("--variant tiny --engine functional --max-lease 100");
  expect_error(arguments + at_board(), {"compiled for variant paper, cannot run on board",
                                        "block_in is 4, needs 16; block_out is 4, needs 16",
                                        "compile it again: vdla compile NETWORK --variant tiny"});
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
