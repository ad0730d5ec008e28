// SPDX-License-Identifier: Apache-2.0
// Output that cannot be written: no command ends as if it could.
#include <nlohmann/json.hpp>

#include "kit/systemc.h"
#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

class Output : public Cli {
 protected:
  /// What a line of the shell in which vdla() is the command prints on stderr, then its exit status.
  std::string shell(const std::string& line) const {
    write_file(path("line.sh"), "vdla() { \"" + std::string(VDLA_BINARY_DIR) + "/bin/vdla\" \"$@\"; }\n(" +
                                    line + ")\necho status $? >&2\n");
    // Through a pipe, which no limit on files ends.
    EXPECT_EQ(std::system(("sh " + path("line.sh") + " 2>&1 | cat >" + path("said")).c_str()), 0);
    return read_text(path("said"));
  }
  /// No file can grow beyond so many blocks of the shell.
  static std::string limited(int blocks, const std::string& command) {
    return "ulimit -f " + std::to_string(blocks) + "; " + command;
  }
};

TEST_F(Output, AFullStandardOutputIsAnError) {
  const std::string module = digits("tiny");
  for (const std::string& command :
       {std::string("--help"), std::string("run --help"), std::string("info"), std::string("info --json"),
        std::string("opt --list-passes"), "explain " + module, "disasm " + module,
        "run " + module + " --random-input 1", "run " + module + " --random-input 1 --json",
        std::string("run none.vdla --random-input 1 --json")}) {
    SCOPED_TRACE(command);
    EXPECT_EQ(shell(limited(0, "vdla " + command + " >" + path("out"))),
              "vdla: error: cannot write to standard output: File too large\nstatus 1\n");
  }
}

TEST_F(Output, AClosedStandardOutputIsAnError) {
  EXPECT_EQ(shell("vdla info >&-"),
            "vdla: error: cannot write to standard output: Bad file descriptor\nstatus 1\n");
  EXPECT_EQ(shell("vdla info >/dev/null"), "status 0\n");
}

TEST_F(Output, AReaderThatGoesEndsACommandWithoutAWord) {
  // The reader is gone before: a pipe would hold all of it.
  const std::string command = "sleep 1; vdla disasm " + digits("tiny") + "; echo status $? >&2) | true";
  EXPECT_EQ(shell("(" + command), "status 141\nstatus 0\n");
  EXPECT_EQ(shell("(trap '' PIPE; " + command),
            "vdla: error: cannot write to standard output: Broken pipe\nstatus 1\nstatus 0\n");
}

/// Module and report stood in one file.
TEST_F(Output, AReportGoesToStandardErrorWhereTheOutputIsStandardOutput) {
  const std::string compile = "compile " + example("digits.onnx") + " --variant tiny -o ";
  for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    SCOPED_TRACE(name);
    const Outcome o = run(compile + name);
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.err, HasSubstr(name));
    write_file(path("copy.vdla"), o.out);
    EXPECT_EQ(run("info " + path("copy.vdla")).status, 0) << "the module and nothing else";
  }
  const Outcome json = run(compile + "/dev/stdout --json");
  EXPECT_TRUE(nlohmann::json::accept(json.err));
  EXPECT_EQ(run(compile + path("m.vdla")).err, "") << "a file has its report on standard output";
}

/// `compile M -o M` destroyed the model, exit status 0.
TEST_F(Output, WhatTheCommandReadsIsNotWrittenOver) {
  const std::string model = path("m.onnx"), source = path("p.s"), record = path("r.html"),
                    loop = path("k.o.loop");
  std::filesystem::copy_file(example("digits.onnx"), model);
  write_file(source, "finish 0\n");
  write_file(record, "{}");
  write_file(loop, "func f(out B: f32[1]) { B[0] = 1f32 }\n");
  std::filesystem::create_symlink("m.onnx", path("link"));
  std::filesystem::create_hard_link(source, path("hard.s"));
  const std::string folder = std::filesystem::path(model).parent_path().string();
  const std::string module = digits("tiny"), before = read_text(module);
  std::filesystem::create_symlink(module, path("module"));
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"compile " + model + " -o " + path("link"), "m.onnx"},
      {"quantize " + model + " --calibration x.npy -o " + model, "m.onnx"},
      {"quantize x.onnx --calibration " + folder + " -o " + model, "m.onnx"},
      {"asm " + source + " -o " + path("hard.s"), "p.s"},
      {"asm " + source + " -o " + path("p.bin") + " --uops " + source, "p.s"},
      {"compile " + model + " --schedule a=b=" + module + " -o " + module, "digits_tiny.vdla"},
      {"report " + record, "r.html"},
      {"opt " + loop + " --object " + path("k.o"), "k.o.loop"},
      {"opt -o " + loop + " <" + loop, "standard input"},
      {"run " + module + " --random-input 1 --output " + path("module"), "digits_tiny.vdla"},
      {"run " + source + " --window input=" + model + " --dump output=" + model, "m.onnx"},
  };
  for (const auto& [command, input] : refused)
    expect_error(command, {"would write over ", input, "give the output another name"});
  EXPECT_EQ(read_text(model), read_text(example("digits.onnx")));
  EXPECT_EQ(read_text(source), "finish 0\n");
  EXPECT_EQ(read_text(record), "{}");
  EXPECT_EQ(read_text(module), before);
  EXPECT_FALSE(std::filesystem::exists(path("p.bin")));
  EXPECT_EQ(run("compile " + model + " -o " + module + " --variant tiny").status, 0)
      << "an output that is there";
}

TEST_F(Output, TwoOutputsAreNotOneFile) {
  write_file(path("p.s"), ".uop 0 0 0\nfinish 0\n");
  expect_error("asm " + path("p.s") + " -o " + path("x") + " --uops " + path("./x"),
               {"--uops", "is the file of --output too"});
  EXPECT_FALSE(std::filesystem::exists(path("x")));
  // The kernels were lost: the loops were written over them.
  write_file(path("f.loop"), "func f(out B: f32[1]) { B[0] = 1f32 }\n");
  const std::pair<std::string, std::string> generated[] = {
      {"--ptx", "x.ptx"}, {"--opencl", "x.cl"}, {"--llvm-ir", "x.ll"}};
  for (const auto& [option, name] : generated) {
    expect_error("opt " + path("f.loop") + " " + option + " " + path(name) + " -o " + path("./" + name),
                 {option, "is the file of --", " too"});
    EXPECT_FALSE(std::filesystem::exists(path(name)));
  }
}

TEST_F(Output, ATimelineThatDoesNotFitKeepsTheOldFile) {
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  const std::string run_it = "vdla run " + digits("tiny") + " --engine systemc --random-input 1 --timeline " +
                             path("tl.json") + " >/dev/null";
  EXPECT_EQ(shell(run_it), "status 0\n");
  const std::string whole = read_text(path("tl.json"));
  EXPECT_THAT(whole, testing::EndsWith("]}\n"));
  ASSERT_GT(whole.size(), 64u << 10) << "fits the limit of the next run";
  const std::string said = shell(limited(10, run_it));
  EXPECT_THAT(said, HasSubstr("tl.json: cannot be written: File too large"));
  EXPECT_THAT(said, testing::EndsWith("status 1\n"));
  EXPECT_EQ(read_text(path("tl.json")), whole);
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(path("tl.json")).parent_path()))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr(".part")));
}

TEST_F(Output, AFolderThatCannotBeMadeIsNamed) {
  write_file(path("file"), "x");
  for (const std::string& folder : {path("file"), std::string("/proc/none")})
    expect_error("explore --network " + example("digits.onnx") + " --axis array=1x4x4 -o " + folder,
                 {"folder " + folder, "cannot be made: "});
}

/// A folder without a file was left where a command had made it and could not go on.
TEST_F(Output, ACommandThatFailsLeavesNoEmptyFolder) {
  const std::string digits = example("digits.onnx"), out = path("new/a/b");
  for (const std::string& command :
       {"explore --network " + digits + " --network none.onnx --axis array=1x4x4 -o " + out,
        limited(0, "vdla explore --network resnet8 --axis array=1x4x4 -o " + out),
        limited(2, "vdla compile " + digits + " --variant tiny --emit c --cpu-target x86-64 -o " + out),
        "fuzz --engines functional,systemc --variant none --keep " + out}) {
    EXPECT_THAT(shell(command.starts_with("ulimit") ? command : "vdla " + command),
                testing::EndsWith("status 1\n"))
        << command;
    EXPECT_FALSE(std::filesystem::exists(path("new"))) << command;
  }
}

// A README of the user's was replaced, and what board.json names as its variant.
TEST_F(Output, AFolderThatTheCommandHasNotMadeKeepsItsFiles) {
  const auto keeps = [&](const std::string& command, const std::string& file) {
    SCOPED_TRACE(command);
    expect_error(command, {file, "would be written over", "give another folder"});
    EXPECT_EQ(read_text(file), "mine");
  };
  const std::string emit =
      "compile " + example("digits.onnx") + " --variant tiny --emit c --cpu-target x86-64 -o ";
  std::filesystem::create_directory(path("project"));
  write_file(path("project/README.md"), "mine");
  keeps(emit + path("project"), path("project/README.md"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("project")), {}), 1);
  EXPECT_EQ(run(emit + path("bundle")).status, 0);
  EXPECT_EQ(run(emit + path("bundle") + " --name other").status, 0) << "its own output is made again";
  std::filesystem::copy(VDLA_SOURCE_DIR "/boards/pynq-z2", path("pynq-z2"));
  write_file(path("pynq-z2/README.md"), "mine");
  keeps("board generate " + path("pynq-z2/board.json") + " -o " + path("pynq-z2"), path("pynq-z2/README.md"));
}

/// Paths that may not be looked at were internal errors.
TEST_F(Output, AClosedFolderIsNoFaultOfTheKit) {
  const std::string other = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  const std::string vdla = other + "'" VDLA_BINARY_DIR "/bin/vdla' ";
  if (std::system((vdla + "--version >/dev/null 2>&1").c_str()) != 0)
    GTEST_SKIP() << "another user cannot run vdla here";
  std::filesystem::create_directories(path("closed"));
  std::filesystem::copy_file(example("digits.onnx"), path("m.onnx"));
  if (std::system((other + "test -r '" + path("m.onnx") + "'").c_str()) != 0)
    GTEST_SKIP() << "another user cannot read files in the test's folder " << path("");
  std::filesystem::permissions(path("closed"), std::filesystem::perms::none);
  const std::string inside = path("closed/x/file");
  for (const std::string& command :
       {"compile " + path("m.onnx") + " -o " + inside, "compile " + inside + " -o m.vdla",
        "compile " + path("m.onnx") + " --emit c --cpu-target x86-64 -o " + inside,
        "zoo resnet8 -o " + inside,
        "quantize " + path("m.onnx") + " --calibration " + inside + ".npy -o q.onnx",
        "explore --network " + inside + " --axis array=1x4x4", "run " + inside + " --random-input 1",
        "board info " + inside, "report " + inside, "asm " + inside + " -o x"}) {
    EXPECT_EQ(shell("cd " + path("") + "; " + vdla + command + " >/dev/null 2>" + path("why")), "status 1\n")
        << command;
    EXPECT_THAT(read_text(path("why")), testing::StartsWith("vdla: error: ")) << command;
    EXPECT_THAT(read_text(path("why")), testing::EndsWith("\n")) << command;
  }
  std::filesystem::permissions(path("closed"), std::filesystem::perms::owner_all);
}

TEST_F(Output, ANameThatIsTooLongIsNoFaultOfTheKit) {
  const std::string name(300, 'a');
  for (const std::string& command : {"compile " + name + ".onnx -o x", "board info " + name,
                                     "compile " + example("digits.onnx") + " --variant " + name + " -o x"})
    expect_error(command, {name.substr(0, 100)});
}

TEST_F(Output, AFolderNeedsAName) {
  const std::string model = example("digits.onnx");
  for (const std::string& command :
       {"explore --network " + model + " --axis array=1x4x4 -o ''",
        std::string("board generate pynq-z2 -o ''"), "compile " + model + " --emit c -o ''"})
    expect_error(command, {"--output: is empty, needs a value"}, 2);
}

TEST_F(Output, ATextBesideTheModuleNeedsAFile) {
  expect_error("compile " + example("digits.onnx") + " --target cpu --kernel-lines -o /dev/null",
               {"--kernel-lines", "/dev/null is no file"});
  write_file(path("f.loop"), "func f(out x: f32[4]) { for i in 0..4 { x[i] = 1f32 } }\n");
  EXPECT_EQ(run("opt " + path("f.loop") + " --object /dev/null").status, 0);
  EXPECT_FALSE(std::filesystem::exists("/dev/null.loop"));
}

/// Timelines were read and parsed whole before they were refused, which took minutes for large ones.
TEST_F(Output, AReportOfATimelineIsRefusedByItsFirstKeys) {
  write_file(path("t.json"), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\nnot read any further");
  expect_error("report " + path("t.json"),
               {"t.json: is no record of a run but a timeline", "vdla run --record wrote"});
}

TEST_F(Output, ATimeOutSaysWhatGivesMore) {
  const std::string run_it = "run " + digits("tiny") + " --engine functional --random-input 1 --timeout 1";
  const Outcome outcome = run(run_it);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              testing::HasSubstr("did not finish within 1 cycles; vdla run --timeout gives it more\n"));
  EXPECT_THAT(run(run_it + " --json").out, testing::HasSubstr("; vdla run --timeout gives it more\""));
}

TEST_F(Output, AReportNamesTheMemberThatIsWrong) {
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  ASSERT_EQ(
      run("run " + digits("tiny") + " --engine systemc --random-input 1 --record " + path("r.json")).status,
      0);
  const auto record = nlohmann::json::parse(read_text(path("r.json")));
  ASSERT_EQ(run("report " + path("r.json")).status, 0);
  for (const std::string member : {"/model", "/cycles", "/layers", "/units", "/dram/read", "/variant",
                                   "/operations/sram/inp/read", "/buffers/acc", "/format"}) {
    auto wrong = record;
    wrong[nlohmann::json::json_pointer(member)] = true;
    write_file(path("w.json"), wrong.dump());
    expect_error("report " + path("w.json"), {"w.json:", member == "/format" ? "no record" : member});
  }
  auto damaged = record;  // one without it was an internal error
  damaged["layers"][0].erase("cycles");
  write_file(path("d.json"), damaged.dump());
  expect_error("report " + path("d.json"), {"record ", "d.json is damaged: key ", "'cycles'"});
  EXPECT_FALSE(std::filesystem::exists(path("d.html")));
}

TEST_F(Output, ThreadsThatCannotRunAreTheUsersError) {
  if (shell("ulimit -v 4000000; vdla info >/dev/null") != "status 0\n")
    GTEST_SKIP() << "a sanitizer needs more address space than the test leaves";
  const std::string run_it = "vdla run " + digits("tiny") + " --random-input 1 >/dev/null --threads ";
  EXPECT_THAT(shell("ulimit -v 4000000; " + run_it + "1000"),
              testing::AllOf(HasSubstr("1000 threads are wanted, and only "),
                             HasSubstr("take fewer (--threads)"), testing::EndsWith("status 1\n")));
}

}  // namespace
}  // namespace vdla::tools
