// SPDX-License-Identifier: Apache-2.0
// The commands of vdla board that a bring-up goes by, as users call them.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "isa/spec/registers.h"
#include "kit/bring_up/registers.h"
#include "kit/systemc.h"
#include "tests/tools/cli.h"
#include "tests/tools/hanging_module.h"

namespace vdla::tools {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::json;

class BringUpCommand : public Cli {
 protected:
  /// A row of `vdla board regs --json`.
  static Json row(const Json& shown, const std::string& name) {
    for (const Json& one : shown.at("registers"))
      if (one.at("name") == name) return one;
    return {};
  }
};

TEST_F(BringUpCommand, RegsShowsAllRegistersByTheirNames) {
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  const Outcome outcome = run("board regs --engine systemc --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json shown = Json::parse(outcome.out);
  EXPECT_EQ(shown.at("registers").size(), runtime::register_places().size());
  EXPECT_EQ(row(shown, "MAGIC").at("value"), isa::kMagic);
  EXPECT_EQ(row(shown, "GEOMETRY_HASH_LO").at("meaning"), "0xaccf8afc3798df6c, variant tiny");
  EXPECT_EQ(row(shown, "STATUS").at("meaning"), "idle");
  EXPECT_EQ(row(shown, "WINDOW7_SIZE_HI").at("offset"), 0x17c);
  EXPECT_THAT(run("board regs STATUS --engine systemc").out,
              StartsWith("at     name                 value       meaning\n"
                         "0x014  STATUS               0x00000001  idle\n"));
}

TEST_F(BringUpCommand, RegsWritesWhatItIsAskedToAndSaysWhatWasThere) {
  const Outcome outcome = run("board regs stall --write stall_limit=0x80 --write WINDOW3_BASE_LO=4096");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("STALL_LIMIT: was 0x00000000, written 0x00000080, reads 0x00000080\n"),
                    HasSubstr("WINDOW3_BASE_LO: was 0x00000000, written 0x00001000"),
                    HasSubstr("STALL_LIMIT          0x00000080  128 cycles")));
  expect_error("board regs --uio ''", {"--uio: is empty, needs a device"}, 2);
  expect_error("board regs STATSU", {"there is no register 'STATSU'", "did you mean 'STATUS'?"});
  expect_error("board regs --write STATUS=1", {"register STATUS is read only"});
  expect_error("board regs --write CONTROL", {"needs REGISTER=VALUE"});
  expect_error("board regs --write CONTROL=two", {"'two' is no value of a register"});
  expect_error("board regs --write CONTROL=0x100000000", {"needs a number below 2^32"});
}

TEST_F(BringUpCommand, MemShowsTestsAndChangesMemory) {
  EXPECT_THAT(run("board mem").out,
              HasSubstr("0x10000000 to 0x1fffffff, 268435456 bytes (256.0 MiB) in one piece"));
  const std::string part = " --at 0x10001004 --bytes 0x2003";
  const Outcome tested = run("board mem --test --rounds 2 --json" + part);
  ASSERT_EQ(tested.status, 0) << tested.err;
  const Json result = Json::parse(tested.out);
  EXPECT_EQ(result.at("verdict"), "passed");
  EXPECT_EQ(result.at("patterns").size(), 10u);
  EXPECT_EQ(Json::parse(run("board mem --test --pattern checker --json" + part).out).at("patterns").size(),
            1u);
  write_file(path("file"), "VDLA");
  EXPECT_EQ(run("board mem --write " + path("file")).status, 0);
  EXPECT_EQ(run("board mem --fill 7" + part).status, 0);
  const Outcome different = run("board mem --compare " + path("file") + " --at 0x10000002");
  EXPECT_EQ(different.status, 1);
  EXPECT_THAT(different.out,
              AllOf(HasSubstr("4 bytes are wrong, the first at 0x10000002, the last at 0x10000005"),
                    HasSubstr("needed  00 00 56 44 4c 41 00 00")));
  EXPECT_EQ(run("board mem --dump " + path("dump") + part).status, 0);
  EXPECT_EQ(read_text(path("dump")), std::string(0x2003, '\0'));
  EXPECT_THAT(run("board mem --hex --bytes 17").out, HasSubstr("0x10000010  00"));
  expect_error("board mem --hex --at 3",
               {"--at 0x3 is outside of the device's memory, 0x10000000 to 0x1fffffff"});
  expect_error("board mem --hex --bytes 0x10000001",
               {"268435457 bytes from 0x10000000 on", "1 to 268435456"});
  expect_error("board mem --at 0x10000000", {"name one"});
  expect_error("board mem --test --pattern walk", {"'walk'", "walking-ones"}, 2);
}

TEST_F(BringUpCommand, AFailedRunLeavesAFolderThatIsReadWithoutTheDevice) {
  write_file(
      path("hangs.s"),
      "load out[0] = input[0] run 16 push store\nstore output[0] = out[0] run 16 pop gemm\nfinish 7\n");
  const std::string stuck = path("stuck"),
                    run_it = "run " + path("hangs.s") + " --variant tiny --post-mortem " + stuck;
  EXPECT_EQ(run(run_it).status, 1);
  const Outcome explained = run("explain " + stuck);
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_THAT(explained.out, AllOf(HasSubstr("the program hangs"), HasSubstr("for a token from gemm\n"),
                                   HasSubstr("            store output[0] = out[0] run 16 pop gemm\n")));
  EXPECT_EQ(Json::parse(run("explain " + stuck + " --json").out)
                .at("/post_mortem/units/3/instruction/index"_json_pointer),
            1);
  EXPECT_EQ(Json::parse(run("board counters --json --recorded " + stuck).out).at("program"), "failed");
  const std::string regs = run("board regs ERROR STATUS --recorded " + stuck).out;
  EXPECT_THAT(regs, AllOf(HasSubstr("idle, error"), HasSubstr("stall: no unit made progress")));
  expect_error(run_it, {"is not empty", "name a new folder"});
  expect_error("board regs --write CONTROL=2 --recorded " + stuck, {"--recorded", "is none"});
  // A folder that cannot be made takes nothing of the run's own error.
  const Outcome kept = run("run " + path("hangs.s") + " --variant tiny --stall-limit 1000 --post-mortem " +
                           path(std::string(300, 'a')));
  EXPECT_EQ(kept.status, 1);
  EXPECT_THAT(kept.err, AllOf(HasSubstr("note: there is no post-mortem: folder "),
                              HasSubstr("File name too long\nvdla: error: the program hangs")));
  expect_error("explain " + stuck + " --loops x", {"--loops", "is a folder with a post-mortem"});
  expect_error("explain '" VDLA_SOURCE_DIR "'", {"has no post_mortem.json"});
  expect_error("explain " + path("hangs.s") + " --module " + path("hangs.s"),
               {"--module is for a post-mortem"});
  std::string text = read_text(stuck + "/post_mortem.json");
  text.replace(text.find("\"STATUS\": 9"), 11, "\"STATUS\": -");
  write_file(stuck + "/post_mortem.json", text);
  expect_error("explain " + stuck, {"post_mortem.json:", "is no JSON"});
}

/// The text on the screen, report.txt and vdla explain came from three readings, and two of them named no
/// layer.
TEST_F(BringUpCommand, AFailureHasOnePicture) {
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc";
  write_file(path("hangs.s"), "store output[0] = out[0] run 16 pop gemm\nfinish 7\n");
  write_file(path("fails.s"),
             "load out[0] = input[0] run 16 push store\n"
             "store output[65530] = out[0] run 16 pop load\nfinish 7\n");
  for (const std::string& what :
       {path("hangs.s") + " --variant tiny --stall-limit 1000",
        path("hangs.s") + " --variant tiny --stall-limit 0", path("fails.s") + " --variant tiny",
        digits("tiny") + " --random-input 1 --timeout 1000"}) {
    const std::string folder = path("stuck" + std::to_string(what.size()));
    const std::string run_it = "run " + what + " --engine systemc";
    const std::string screen = run(run_it + " --post-mortem " + folder).err;
    ASSERT_THAT(screen, StartsWith("vdla: error: ")) << what;
    const std::string text = screen.substr(std::string("vdla: error: ").size());
    EXPECT_THAT(text, testing::ContainsRegex("\n +of ")) << "no line or layer: " << what;
    EXPECT_EQ(read_text(folder + "/report.txt"), "engine systemc: " + text);
    EXPECT_EQ(run("explain " + folder).out, "engine systemc\n" + text);
    const Json machine = Json::parse(run(run_it + " --json").out).at("post_mortem");
    EXPECT_EQ(Json::parse(run("explain " + folder + " --json").out).at("post_mortem"), machine) << what;
  }
}

TEST_F(BringUpCommand, IrqCountsInterrupts) {
  const Outcome outcome = run("board irq --programs 100 --variant paper --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out).at("told"), 100);
  expect_error("board irq --programs 0", {"--programs"}, 2);
}

/// The page shows what the command prints.
TEST_F(BringUpCommand, BandwidthIsThatOfTheModel) {
  expect_error("board bandwidth", {"counts no cycles", "--engine systemc"});
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  const Outcome outcome = run("board bandwidth --engine systemc --variant paper");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string page = read_text(VDLA_SOURCE_DIR "/docs/driver.md");
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_THAT(page, HasSubstr("    " + line + "\n"));
}

/// Each port that changes has a probe, whose net is that of the port.
TEST_F(BringUpCommand, IlaProbesThePortsOfTheRtl) {
  const Outcome outcome = run("board ila pynq-z2 --depth 8192 --json -o " + path("ila.tcl"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto ports = Json::parse(outcome.out).at("ports").get<std::vector<std::string>>();
  const std::string top = read_text(VDLA_SOURCE_DIR "/hw/rtl/top/vdla_axi.v");
  for (const std::string& port : ports) EXPECT_THAT(top, testing::ContainsRegex(port + "[,\n]"));
  EXPECT_EQ(std::ranges::count(ports, "m_axi_gmem_rlast"), 1) << "the last one";
  EXPECT_EQ(Json::parse(run("board ila pynq-z2 --group interrupt --json -o " + path("one.tcl")).out)
                .at("ports")
                .size(),
            1u);
  expect_error("board ila qemu-zynq -o " + path("x"), {"is simulated", "vdla run --waves"});
  expect_error("board ila alveo-u50 -o " + path("x"), {"is built by Vitis"});
  if (std::system("command -v tclsh >/dev/null") != 0) GTEST_SKIP() << "tclsh is missing: install tcl";
  const std::string record = "tclsh '" VDLA_SOURCE_DIR "/tests/boards/generate/recording.tcl' " +
                             path("ila.tcl") + " " + path("record") +
                             " VDLA=1 'CONSTANT=*gmem_ar[sbclpq]*' >" + path("said") + " 2>&1";
  ASSERT_EQ(std::system(record.c_str()), 0) << read_text(path("said"));
  std::istringstream calls(read_text(path("record")));
  std::vector<std::string> probed;
  for (std::string line; std::getline(calls, line);) {
    const Json call = Json::parse(line);
    if (call[0] == "connect_debug_port" && call[1] != "vdla_ila/clk") {
      EXPECT_EQ(call[1], "vdla_ila/probe" + std::to_string(probed.size()));
      probed.push_back(call[2].get<std::string>().substr(std::string("net_of_").size()));
    }
  }
  std::vector<std::string> changing;
  for (const std::string& port : ports)
    if (!port.starts_with("m_axi_gmem_ar") || std::string("sbclpq").find(port[13]) == std::string::npos)
      changing.push_back(port);
  EXPECT_EQ(probed, changing);
  EXPECT_LT(changing.size(), ports.size());
  const std::string all = read_text(path("record"));
  EXPECT_THAT(all, AllOf(HasSubstr(R"(["set_property", "C_DATA_DEPTH", "8192", "vdla_ila"])"),
                         HasSubstr(R"(["connect_debug_port", "vdla_ila/clk", "net_of_aclk"])"),
                         HasSubstr("save_constraints")));
}

/// Of a program that failed behind its first load, on a machine with time.
TEST_F(BringUpCommand, CountersAreThoseOfTheLastProgram) {
  EXPECT_THAT(run("board counters --engine functional").out, HasSubstr("program: none since the reset"));
  expect_error("board counters", {"no device is named", "--uio vdla"});
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  write_file(path("fails.s"),
             "load out[0] = input[0] run 16\n.insn " + std::string(128, '0') + "\nfinish 7\n");
  const std::string failed = path("failed");
  EXPECT_EQ(run("run " + path("fails.s") + " --variant tiny --engine systemc --post-mortem " + failed).status,
            1);
  const Json counters = Json::parse(run("board counters --json --recorded " + failed).out);
  EXPECT_EQ(counters.at("program"), "failed");
  EXPECT_EQ(counters.at("insns"), 3);
  EXPECT_GT(counters.at("cycles"), 0);
  EXPECT_EQ(counters.at("units").size(), 4u);
  EXPECT_THAT(run("board counters --recorded " + failed).out, HasSubstr(" cycles busy ("));
}

TEST_F(BringUpCommand, PostmortemOfADeviceThatIsWell) {
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  const Outcome outcome = run("board postmortem --engine systemc -o " + path("well"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("nothing is wrong"));
  EXPECT_THAT(read_text(path("well") + "/report.txt"), StartsWith("engine systemc, tiny: nothing is wrong"));
  expect_error("board postmortem --engine systemc -o " + path("well"), {"is not empty"});
  expect_error("board postmortem -o " + path("new"), {"no device is named", "vdla run --post-mortem"});
}

/// The folder and the module name layer and loop, and instructions in memory that are not the module's.
TEST_F(BringUpCommand, GivenTheModuleThePostMortemNamesLayersAndLoops) {
  const std::string good = digits("tiny");
  ASSERT_TRUE(write_hanging(good, path("hangs.vdla")));
  EXPECT_EQ(run("run " + path("hangs.vdla") + " --random-input 1 --post-mortem " + path("stuck")).status, 1);
  const Outcome same = run("explain " + path("stuck") + " --module " + path("hangs.vdla"));
  EXPECT_THAT(same.out, testing::ContainsRegex("for a token from gemm\n.*\n +of layer '.*' .*, loop "));
  EXPECT_THAT(same.out, testing::Not(HasSubstr("something wrote over them")));
  const Outcome other = run("explain " + path("stuck") + " --module " + good);
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_THAT(other.out, AllOf(HasSubstr("1 of "), HasSubstr("in memory were not those of the module"),
                               HasSubstr("something wrote over them")));
  write_file(path("p.s"), "finish 1\n.insn " + std::string(128, '0') + "\n");
  EXPECT_EQ(run("run " + path("p.s") + " --variant tiny --post-mortem " + path("another")).status, 1);
  expect_error("explain " + path("another") + " --module " + good,
               {"has a program of 2 instructions", "give the module"});
}

/// As boards/firmware/without_texts.c prints it, from the registers.
std::string words_of(const Json& registers) {
  std::ostringstream words;
  words << std::hex << ' ' << registers.at("STALL_LIMIT").get<std::uint32_t>();
  for (const char* unit : {"LOAD", "GEMM", "VECTOR", "STORE", "FETCH"})
    for (const char* part : {"_INSN", "_SINCE", "_STATE"})
      words << ' ' << registers.at(std::string(unit) + part).get<std::uint32_t>();
  return words.str();
}

TEST_F(BringUpCommand, WordsOfFirmwareWithoutTextsAreThePictureOfTheRun) {
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc";
  ASSERT_TRUE(write_hanging(digits("tiny"), path("hangs.vdla")));
  const std::string stuck = path("stuck"), module = path("hangs.vdla");
  const std::string screen =
      run("run " + module + " --random-input 1 --engine systemc --post-mortem " + stuck).err;
  const std::string text = screen.substr(screen.find("the program hangs"));
  const std::string words = words_of(Json::parse(read_text(stuck + "/post_mortem.json")).at("registers"));
  const Outcome told = run("explain " + module + " --failure 'status 9 of run:" + words + "'");
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_EQ(told.out.substr(told.out.find('\n') + 1), text);
  EXPECT_THAT(run("explain " + module + " --failure '" + words + "'").out,
              AllOf(HasSubstr("for 100000 cycles (where the status was 9), or the program did not finish"),
                    HasSubstr(text.substr(text.find('\n')))));
  EXPECT_THAT(run("explain " + module + " --failure '3 11 1 1000'").out,
              AllOf(HasSubstr("the device stopped with an error: store at instruction 17: error 1, "),
                    HasSubstr("            of layer '")));
  EXPECT_THAT(run("explain " + module + " --failure 'status 4 of load: 1 10 4'").out,
              HasSubstr("another geometry: block_in is 16, needs 4\n"));
  expect_error("explain " + module + " --failure '3 11 zz 1'", {"'zz' is no number"});
  expect_error("explain " + module + " --failure '1 2 3 4 5'", {"5 numbers", "needs 15 or 16 for units"});
  expect_error("explain " + module + " --failure '3 fffff 1 0'", {"no step of module", "give the module"});
  expect_error("explain " + stuck + " --failure '3 11 1 0'", {"--failure", "is a folder with a post-mortem"});
}

/// Each register of a device that stopped with an error in the middle.
TEST(RegisterMeanings, AreOfTheValuesAndOfEachOther) {
  runtime::Recording recording;
  const auto& places = runtime::register_places();
  recording.registers.assign(places.size(), 0);
  const auto at = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(places, name, &runtime::RegisterPlace::name) -
                                    places.begin());
  };
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::uint32_t>>{
           {"MAGIC", 0x12345678}, {"ISA_VERSION", 99},     {"STATUS", 9},
           {"IRQ_STATUS", 2},     {"INSN_OFFSET", 640},    {"ERROR_CODE", 1},
           {"ERROR_UNIT", 4},     {"ERROR_INSN", 2},       {"ERROR_ADDR_LO", 1},
           {"LOAD_STATE", 0x21},  {"LOAD_INSN", 5},        {"LOAD_SINCE", 88},
           {"CYCLES_LO", 200},    {"CYCLES_HI", 0},        {"GEMM_BUSY", 50},
           {"READ_BYTES_HI", 1},  {"WINDOW5_BASE_HI", 16}, {"WINDOW5_BASE_LO", 0x1000},
           {"STALL_LIMIT", 1},    {"CONTROL", 12},         {"CLOCK_KHZ", 66667},
           {"BUILD_ID", 0x1234},  {"ADDRESS_BITS", 49},    {"GEOMETRY_UOP_DEPTH", 512}})
    recording.registers[at(name)] = value;
  const auto texts = kit::meanings(recording);
  EXPECT_EQ(texts[at("MAGIC")], "no VDLA device: needs 0x414c4456");
  EXPECT_EQ(texts[at("ISA_VERSION")], "99, this kit has 3");
  EXPECT_EQ(texts[at("STATUS")], "idle, error");
  EXPECT_EQ(texts[at("CONTROL")], "irq enable, unknown bits 0x8");
  EXPECT_EQ(texts[at("STALL_LIMIT")], "128 cycles");
  EXPECT_EQ(texts[at("CLOCK_KHZ")], "66.667 MHz");
  EXPECT_EQ(texts[at("BUILD_ID")], "00001234");
  EXPECT_EQ(texts[at("ADDRESS_BITS")], "49 bits");
  EXPECT_EQ(texts[at("GEOMETRY_UOP_DEPTH")], "512");
  EXPECT_EQ(texts[at("ERROR_UNIT")], "fetch");
  EXPECT_EQ(texts[at("ERROR_INSN")], "instruction 12 of window insn");
  EXPECT_THAT(texts[at("ERROR_CODE")], StartsWith("illegal_insn: an instruction breaks a rule"));
  EXPECT_THAT(texts[at("ERROR_ADDR_LO")], StartsWith("rule 1 ("));
  EXPECT_EQ(texts[at("LOAD_STATE")], "waits at instruction 15 since cycle 88 for a token from gemm");
  EXPECT_EQ(texts[at("GEMM_BUSY")], "50, 25.0 % of the cycles");
  EXPECT_EQ(texts[at("READ_BYTES_LO")], "4294967296");
  EXPECT_EQ(texts[at("WINDOW5_BASE_LO")], "window output at 0x1000001000");
}

}  // namespace
}  // namespace vdla::tools
