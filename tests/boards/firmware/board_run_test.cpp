// SPDX-License-Identifier: Apache-2.0
// vdla board run, as users call it: firmware on QEMU's Zynq-7000 and Zynq UltraScale+ with engines behind it.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "boards/generate/generate.h"
#include "boards/spec/board.h"
#include "tests/boards/firmware/simulated_board.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;
using std::chrono::milliseconds;

/// The parameter is a board.
class BoardRun : public OnSimulatedBoard, public testing::WithParamInterface<std::string> {
 protected:
  static std::string elf(const std::string& program) {
    const bool example = program == "increment";
    return std::string(example ? VDLA_FIRMWARE_EXAMPLES : VDLA_FIRMWARE) + "/" + program + "-" + GetParam() +
           ".elf";
  }
  std::string arguments(const std::string& program, const std::string& flags = "") const {
    return "board run '" + elf(program) + "' --board " + GetParam() + " " + flags;
  }
  /// The path of a board of that machine that asks whether the fabric is configured.
  std::string board_that_asks() const {
    const std::string kits = VDLA_SOURCE_DIR "/boards/" + GetParam();
    Json facts = Json::parse(read_text(kits + "/board.json"));
    facts.at("qemu").erase("fabric_status");
    facts["sources"] = Json::array();
    const std::string folder = path(GetParam());
    std::filesystem::create_directories(folder + "/generated");
    std::ofstream(folder + "/board.json") << facts.dump(2);
    boards::Surroundings around;
    around.root = VDLA_SOURCE_DIR;
    around.out = folder + "/generated";
    for (const auto& file : boards::generate(boards::load_board(folder, around.root), around))
      std::ofstream(around.out / file.name) << file.text;
    return folder;
  }
  /// What such a board says.
  static std::string not_configured() {
    const std::string done =
        GetParam() == "qemu-zynq" ? "PCFG_DONE of devcfg's INT_STS" : "PL_DONE of the CSU's pcap_status";
    return "the fabric is not configured: " + done +
           " reads 0, needs 1; load the bitstream first, since reading registers that are not there can stop "
           "the CPU";
  }
  Json run_json(const std::string& program, const std::string& flags) const {
    const Outcome outcome = run(arguments(program, flags + " --json"));
    EXPECT_EQ(outcome.err, "");
    return Json::parse(outcome.out);
  }
};

TEST_P(BoardRun, NoneOfAThousandInterruptsIsLost) {
  const Json result = run_json("increment", "--engine " + kEngine);
  EXPECT_EQ(result.at("status"), 0) << result;
  EXPECT_THAT(result.at("output"), testing::StartsWith("1000 runs, "));
  EXPECT_THAT(result.at("output"), HasSubstr(" 0 lost, "));
  EXPECT_THAT(result.at("output"), HasSubstr("last values 127 127 127 80\n"));
  EXPECT_EQ(result.at("runs"), 1000);
  EXPECT_EQ(result.at("interrupts"), 1000);
  EXPECT_GE(result.at("writes"), 3000);
  EXPECT_GT(result.at("last_cycles"), 0);
  EXPECT_EQ(result.at("cycles"), 1000 * result.at("last_cycles").get<std::uint64_t>());
}

TEST_P(BoardRun, WithoutTheInterruptRunsEndByPollingAndSaySo) {
  const Outcome outcome = run(arguments("increment_100", "--no-interrupt"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("100 runs, 0 interrupts, "));
  EXPECT_THAT(outcome.out, HasSubstr("last values -28 99 100 -55\n"));
  EXPECT_THAT(outcome.out, HasSubstr("the interrupt is not wired"));
}

/// As real users met it: the line is wired, and nobody has enabled the interrupt controller.
TEST_P(BoardRun, WithTheInterruptControllerLeftOffRunsEndByPollingAndSaySo) {
  const Json off = run_json("controller_off", "--engine " + kEngine);
  EXPECT_EQ(off.at("status"), 0) << off;
  EXPECT_THAT(off.at("output"), testing::StartsWith("100 runs, 0 interrupts, "));
  EXPECT_THAT(off.at("output"), HasSubstr("last values -28 99 100 -55\n"));
  EXPECT_THAT(off.at("output"),
              HasSubstr("the interrupt is not wired, or its controller has it off: none came"));
  EXPECT_EQ(off.at("runs"), 100);
  EXPECT_EQ(off.at("interrupts"), 100) << "the device raised its line";
  const Json on = run_json("increment_100", "--engine " + kEngine);
  EXPECT_THAT(on.at("output"), HasSubstr(" 0 lost, "));
  EXPECT_EQ(on.at("last_cycles"), off.at("last_cycles"));
}

/// QEMU's machines lack the register that says so; for a board that does not know this they have one that
/// reads 0, which is what a fabric reads that is not configured.
TEST_P(BoardRun, AFabricThatIsNotConfiguredIsNamedBeforeARegisterIsTouched) {
  const std::string board = board_that_asks(), elf = path("increment.elf");
  const std::string build = "cd '" VDLA_FIRMWARE_EXAMPLES "' && '" VDLA_SOURCE_DIR
                            "/boards/firmware/build_firmware.sh' --board '" +
                            board + "' -o '" + elf +
                            "' '" VDLA_SOURCE_DIR "/examples/firmware/increment.c' '" VDLA_SOURCE_DIR
                            "/examples/firmware/increment_program.S'";
  ASSERT_EQ(std::system(build.c_str()), 0);
  const Json refused = Json::parse(run("board run '" + elf + "' --json --board '" + board + "'").out);
  EXPECT_EQ(refused.at("status"), 1);
  EXPECT_EQ(refused.at("output"), "transport: " + not_configured() + "\n");
  EXPECT_EQ(refused.at("reads"), 0);
  EXPECT_EQ(refused.at("writes"), 0);
  EXPECT_EQ(run(arguments("increment_100")).status, 0) << "and a good run on the board that knows";
}

TEST_P(BoardRun, AFabricThatIsNotConfiguredIsTheFirstStageOfTheSelfTest) {
  const std::string board = board_that_asks();
  const Outcome tested = run("board selftest --json --board '" + board + "'");
  EXPECT_EQ(tested.status, 1) << tested.err;
  const Json stages = Json::parse(tested.out).at("stages");
  ASSERT_EQ(stages.size(), 1U);
  EXPECT_EQ(stages[0].at("stage"), "fpga");
  EXPECT_EQ(stages[0].at("verdict"), "FAILED");
  EXPECT_EQ(stages[0].at("text"), not_configured());
  EXPECT_THAT(stages[0].at("look_at"), HasSubstr("the bitstream"));
}

/// The interrupt is the one stage whose way differs: in process none can get lost.
TEST_P(BoardRun, TheSelfTestSeesOnTheBoardWhatItSeesInProcess) {
  const auto stages = [&](const std::string& flags) {
    const Outcome outcome = run("board selftest --variant tiny --json --engine " + kEngine + flags);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    Json all = Json::parse(outcome.out);
    EXPECT_EQ(all.at("verdict"), "passed");
    all.at("/stages/7/text"_json_pointer) = "";
    return all.at("stages");
  };
  EXPECT_EQ(stages(" --board " + GetParam()), stages(""));
}

TEST_P(BoardRun, TheSelfTestNamesAnInterruptThatIsNotWired) {
  const Outcome outcome = run("board selftest --no-interrupt --board " + GetParam());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("interrupt  warning  a long program; the interrupt is not wired"));
  EXPECT_THAT(outcome.out, HasSubstr("look at the interrupt's line and number"));
  EXPECT_THAT(outcome.out, HasSubstr(": warning\n"));
}

TEST_P(BoardRun, EndsWithTheStatusOfTheFirmware) {
  const Outcome outcome = run(arguments("numbers", "--time-limit 1e300"));
  EXPECT_EQ(outcome.status, 42) << outcome.err;
  EXPECT_THAT(outcome.out,
              testing::StartsWith("0 18364758415 939755815 2 571428571 3 858 994 1000 36 144101280824997262 "
                                  "0xfedcba9876543210\n"));
  EXPECT_THAT(outcome.out, HasSubstr(GetParam() + ": exit status 42; 0 reads and 0 writes of registers"));
}

TEST_P(BoardRun, NamesWhatTheFirmwareCannotGoOnFrom) {
  const Outcome outcome = run(arguments("fault"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, testing::StartsWith("before\nfirmware: an "));
  EXPECT_THAT(outcome.out, HasSubstr(" at 0x10"));
}

TEST_P(BoardRun, RefusesAccessesThatTheBusHasNot) {
  expect_error(arguments("byte_access"), {"at 0x10", "accesses 1 bytes at 0x", "whole words of 4"});
}

TEST_P(BoardRun, FirmwareThatDoesNotEndIsStoppedAndSaysWhere) {
  const Outcome outcome = run(arguments("endless", "--time-limit 0.5"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "running\n");
  EXPECT_THAT(outcome.err, HasSubstr("did not end within 0.5 s: its processor is at 0x10"));
}

/// Processes whose command line has `text`.
std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string line((std::istreambuf_iterator<char>(file)), {});
    if (line.find(text) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

/// Whatever ends the command ends QEMU, too; nothing of either was in a folder.
TEST_P(BoardRun, LeavesNothingBehindWhenItIsEnded) {
  const std::string firmware = path("endless.elf");
  std::filesystem::copy_file(elf("endless"), firmware);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    SCOPED_TRACE(signal);
    sim::Companion command({VDLA_BINARY_DIR "/bin/vdla", "board", "run", firmware, "--board", GetParam()}, {},
                           "vdla");
    std::string printed;
    while (printed.find("running") == std::string::npos && !command.wait(milliseconds(5)))
      printed += command.take_output();
    ASSERT_EQ(printed, "running\n") << command.take_errors();
    ASSERT_EQ(processes_with(firmware).size(), 2u);  // the command and QEMU
    kill(command.pid(), signal);
    EXPECT_EQ(command.wait(milliseconds(20'000)), 128 + signal);
    for (int i = 0; i < 1000 && !processes_with(firmware).empty(); ++i) usleep(5000);
    EXPECT_TRUE(processes_with(firmware).empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Boards, BoardRun, testing::Values("qemu-zynq", "qemu-zynqmp"),
                         [](const auto& info) { return info.param == "qemu-zynq" ? "zynq" : "zynqmp"; });

/// docs/driver.md shows what the command prints, to the last letter.
TEST_F(OnSimulatedBoard, TheSelfTestPrintsWhatThePageShows) {
  const Outcome outcome = run("board selftest --board qemu-zynq --engine " + kEngine);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  std::string shown = "    $ vdla board selftest --board qemu-zynq --engine rtl\n";
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) shown += "    " + line + "\n";
  shown.replace(shown.find("with engine " + kEngine), ("with engine " + kEngine).size(), "with engine rtl");
  EXPECT_THAT(read_text(VDLA_SOURCE_DIR "/docs/driver.md"), HasSubstr(shown));
}

class BoardRunRefusal : public Cli {};

TEST_F(BoardRunRefusal, NamesBoardFirmwareAndQemuThatAreMissing) {
  const std::string elf = "'" VDLA_FIRMWARE "/numbers-qemu-zynq.elf'";
  expect_error("board run " + elf + " --board pynq-z2",
               {"board 'pynq-z2' runs no firmware here", "qemu-zynq"});
  expect_error("board run " + elf + " --board qemu-zinq", {"did you mean 'qemu-zynq'?"});
  expect_error("board run " + path("none.elf") + " --board qemu-zynq", {"none.elf"}, 2);
  std::ofstream(path("net.vdla")) << "no module";
  expect_error("board run " + path("net.vdla") + " --board qemu-zynq --random-input 1", {"net.vdla"});
  std::ofstream(path("notes.txt")) << "no program";
  expect_error("board run " + path("notes.txt") + " --board qemu-zynq",
               {"notes.txt' is text", "machine 40", "build_firmware.sh makes one"});
  expect_error("board run " + elf + " --board qemu-zynqmp",
               {"is an ELF file of machine 40", "board qemu-zynqmp needs one of machine 183"});
  const int status = std::system(("PATH=/nowhere '" VDLA_BINARY_DIR "/bin/vdla' board run " + elf +
                                  " --board qemu-zynq 2>" + path("stderr"))
                                     .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(read_text(path("stderr")),
            "vdla: error: qemu-system-arm is not installed; it comes with package qemu-system-arm\n");
}

}  // namespace
}  // namespace vdla::tools
