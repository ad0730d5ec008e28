// SPDX-License-Identifier: Apache-2.0
// What commands refuse, and how: mistyped names, files of the wrong kind, options that contradict each other
// or would do nothing, names of outputs that promise another format; and that what changed is shown as
// changed.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "isa/variants/variants.h"
#include "kit/systemc.h"
#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;

class Refusals : public Cli {
 protected:
  std::string compile() const { return "compile " + example("digits.onnx") + " -o " + path("x.vdla") + " "; }
  /// The variant tiny with another memory, under its old name.
  std::string slow_tiny() const {
    isa::Variant tiny = isa::load_variant("tiny");
    tiny.timing.dram_latency = 77;
    write_file(path("mine.json"), isa::to_json(tiny));
    return path("mine.json");
  }
};

TEST_F(Refusals, AMistypedNameIsUnderstood) {
  expect_error("complie x", {"no command 'complie'", "did you mean 'compile'?"}, 2);
  expect_error(compile() + "--varaint paper", {"--varaint", "did you mean '--variant'?"}, 2);
  expect_error(compile() + "--partition=cots", {"'cots'", "{cost,capable}", "did you mean 'cost'?"}, 2);
  expect_error(compile() + "--variant papr", {"'papr'", "did you mean 'paper'?"});
  expect_error(compile() + "--place conv1.cnov=cpu", {"no node 'conv1.cnov'", "did you mean 'conv1.conv'?"});
  expect_error("run x.vdla --engine sytemc", {"'sytemc'", "did you mean 'systemc'?"}, 2);
  expect_error("opt --passes=unrol x", {"no pass 'unrol'", "did you mean 'unroll'?"});
  expect_error("zoo resnet19 -o x.onnx", {"'resnet19'", "did you mean 'resnet1"});
  expect_error("check-intrinsic gem", {"'gem'", "did you mean 'gemm'?"});
  expect_error("explore --network x.onnx --axis aray=1x8x8", {"'aray'", "did you mean 'array'?"});
  expect_error("explore --network resnet81 --axis array=1x8x8 -o " + path("f"),
               {"'resnet81'", "did you mean 'resnet"});
  expect_error("explore --network x.onnx --axis array=1x8x8 --part xc7z02", {"did you mean 'xc7z020'?"});
  expect_error("frobnicate", {"'frobnicate'", "check-intrinsic check-kernel info"}, 2);
  EXPECT_EQ(run("frobnicate").err.find("did you mean"), std::string::npos);
}

TEST_F(Refusals, FilesOfTheWrongKindAreNamedForWhatTheyAre) {
  const std::string npy = example("images.npy"), module = digits();
  write_file(path("page.onnx"), "<!DOCTYPE html><html><body>404</body></html>");
  write_file(path("net.zip"), std::string("PK\3\4\0\0", 6));
  write_file(path("net.tflite"), std::string("\x1c\0\0\0TFL3\0\0", 10));
  write_file(path("lfs.onnx"), "version https://git-lfs.example/spec/v1\noid sha256:0\n");
  const std::string out = " -o " + path("x.vdla");
  expect_error("compile " + npy + out, {"images.npy", "is a NumPy array, needs a TFLite or ONNX model"});
  expect_error("compile " + module + out, {"is a compiled module, needs a TFLite or ONNX model", "vdla run"});
  expect_error("compile " + path("page.onnx") + out, {"page.onnx", "is an HTML page"});
  expect_error("compile " + path("net.zip") + out, {"net.zip", "is a ZIP archive"});
  expect_error("compile " + path("lfs.onnx") + out, {"lfs.onnx", "is a pointer of Git LFS", "git lfs pull"});
  expect_error("run " + module + " --input " + path("net.zip"), {"net.zip", "'.zip'", "is a ZIP archive"});
  expect_error("run " + path("net.tflite") + " --random-input 1", {"net.tflite", "truncated or corrupt"});
  expect_error("info " + path("net.tflite"),
               {"is a TFLite model, needs a compiled module", "vdla compile MODEL -o OUT.vdla"});
  expect_error("explain " + path("page.onnx"), {"is an HTML page, needs a compiled module"});
  write_file(path("wrong.npy"), std::string("PK\3\4\0\0", 6));
  expect_error("run " + module + " --input " + path("wrong.npy"), {"not a .npy file", "is a ZIP archive"});
  expect_error("verify " + path("net.tflite"), {"is a TFLite model, needs a compiled module (.vdla) or"}, 2);
  expect_error("asm " + module + " -o " + path("x.bin"), {"is a compiled module, needs assembler text"});
  expect_error("opt " + npy, {"is a NumPy array, needs loop IR text"});
  expect_error("check-intrinsic " + npy, {"is a NumPy array, needs the declaration of an intrinsic"});
  expect_error("eval " + module + " --inputs " + npy + " --labels " + npy,
               {"is a NumPy array, needs a table"});
  expect_error("report " + module, {"is a compiled module, needs JSON text"});
  expect_error(compile() + "--variant " + npy, {"is a NumPy array, needs JSON text"});
}

TEST_F(Refusals, OptionsThatContradictEachOther) {
  const std::string module = digits("tiny"), run_it = "run " + module + " --random-input 1 ";
  expect_error("onnx-suite '" VDLA_SOURCE_DIR "' --between-qdq --on cuda",  // before the device is opened
               {"--between-qdq with --on cuda: needs cpu or interpreter"});
  expect_error(compile() + "--target cpu --partition capable", {"--partition", "--target cpu"});
  expect_error(compile() + "--target cpu --no-on-chip", {"--no-on-chip", "--target cpu"});
  expect_error(compile() + "--target vdla,emulator,cpu --place n=gpu --place n=cpu",
               {"--place: 'n' is wanted on both gpu and cpu"});
  expect_error("compare " + module + " tiny --network " + example("digits.onnx"),
               {"is a compiled module, and --network compares variants"});
  expect_error("explore s.json --minimise ''", {"--minimise: is empty, needs a value"}, 2);
  expect_error("tune " + example("digits.onnx") + " --variant tiny --book " + path("b.json") + " --log " +
                   path("l.jsonl") + " --from " + module,
               {"is no record of this kit", "give another --from"});
  expect_error(compile() + "-O2 --target cuda", {"-O2", "leave --target cuda out"});
  for (const std::string instead : {"--show", "--verify", "--best"})
    for (const std::string option : {"--trials 3", "--log l.jsonl", "--search random"})
      expect_error("tune " + instead + " --book b.json " + (instead == "--show" ? "" : "x.onnx ") + option,
                   {option.substr(0, option.find(' ')) + " is for a search, and " + instead});
  expect_error("tune --show --book b.json x.onnx", {"--show prints the book alone", "x.onnx"});
  expect_error(compile() + "--partition capable --host-gops 2", {"--host-gops", "--partition cost"});
  expect_error(run_it + "--limit-total 3", {"--limit-total", "--compare"}, 2);
  expect_error(run_it + "--engine systemc --compare systemc", {"--compare systemc is --engine already"});
  expect_error(run_it + "--rtl-build check", {"--rtl-build check", "--engine rtl"});
  expect_error("verify " + module + " --orders 3", {"--orders", "--dynamic"}, 2);
  expect_error("verify " + module + " --variant tiny", {"--variant is for assembler text"}, 2);
  expect_error("opt --list-passes --passes=unroll", {"--list-passes", "--passes"}, 2);
  expect_error("opt x.loop --print-after-all", {"--print-after-all", "--passes"}, 2);
  expect_error("zoo resnet8 --list", {"--list", "network"}, 2);
  expect_error("check-intrinsic gemm --list", {"--list", "intrinsic"}, 2);
  expect_error("fuzz --case " + module + " --count 3", {"--count", "--case"}, 2);
  expect_error("fuzz --shrink-runs 3", {"--shrink-runs", "--keep"}, 2);
  expect_error("coverage --directed --seed 3", {"--seed", "--random"}, 2);
  expect_error("build-rtl --variant tiny --source '" VDLA_SOURCE_DIR "'", {"--source", "--out"}, 2);
  expect_error("build-rtl --variant tiny --export rtl --build check", {"--export", "--build"}, 2);
  const std::string quantize = "quantize " + example("digits.onnx") + " --calibration " +
                               example("images.npy") + " -o " + path("q.onnx");
  expect_error(quantize + " --percentile 99", {"--percentile", "--range percentile"});
  expect_error("eval " + module + " --inputs " + example("images.npy") + " --subset",
               {"--subset", "--labels"});
  write_file(path("c.txt"), "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
  expect_error(run_it + "--engine systemc --timing-only --classes " + path("c.txt"),
               {"--timing-only", "--classes"});
  write_file(path("p.s"), "finish 1\n");
  for (const std::string option :
       {"--record r.json", "--threads 2", "--waves w.fst", "--bgr", "--classes c.txt"})
    expect_error("run " + path("p.s") + " --variant tiny " + option,
                 {option.substr(0, option.find(' ')), "are for networks", "--window"});
}

/// What a variable of a script is that nobody has set: an empty --trust switched the check of signatures off.
TEST_F(Refusals, AnOptionThatIsGivenAsNothing) {
  const std::string module = digits("tiny"), inputs = " --inputs " + example("images.npy");
  const std::vector<std::string> commands{"run " + module + " --random-input 1 --trust ''",
                                          "eval " + module + inputs + " --trust ''",
                                          "eval " + module + inputs + " --labels ''",
                                          "eval " + module + inputs + " --golden ''",
                                          "tune x.onnx --book b.json --fleet ''",
                                          "explore s.json --where ''",
                                          "run '' --random-input 1",
                                          compile() + "--normalise ''"};
  for (const std::string& command : commands) expect_error(command, {"is empty, needs"}, 2);
}

TEST_F(Refusals, NumbersThat64BitsDoNotHold) {
  for (const std::string number : {"18446744073709551616", "99999999999999999999"})
    expect_error("run x.vdla --random-input " + number,
                 {"'" + number + "' is too large, needs a whole number from 0 to 18446744073709551615"}, 2);
  expect_error("zoo resnet8 -o x.onnx --seed 18446744073709551616", {"--seed", "is too large"}, 2);
}

TEST_F(Refusals, AModuleIsWhatItHoldsNotWhatItIsCalled) {
  const std::string plain = path("plain");
  ASSERT_EQ(run("compile " + example("digits.onnx") + " --variant tiny -o " + plain).status, 0);
  EXPECT_EQ(run("disasm " + plain).out, run("disasm " + digits("tiny")).out);
  EXPECT_EQ(run("verify " + plain).status, 0);
  expect_error("board run " + plain + " --board qemu-zynq",
               {"a module takes --input FILE or --random-input"});
}

TEST_F(Refusals, OfTheDeviceWhereTheModuleHasNothingOnIt) {
  ASSERT_EQ(run(compile() + "--target cpu").status, 0);
  const std::string module = path("x.vdla");
  for (const std::string option : {"--engine systemc", "--timing-only", "--timeout 5", "--record r.json"})
    expect_error("run " + module + " --random-input 1 " + option,
                 {"is about the device, but", "has nothing on the device; vdla explain says why"});
  expect_error("eval " + module + " --inputs " + example("images.npy") + " --engine systemc",
               {"--engine is about the device"});
  ASSERT_EQ(run("compile " + example("digits.onnx") + " --target emulator -o " + path("g.vdla")).status, 0);
  expect_error("board run " + path("g.vdla") + " --board qemu-zynq --random-input 1",
               {"has kernels of a GPU, and board qemu-zynq has none"});
}

TEST_F(Refusals, OfTheSelfTestAndOfRegistersWhatDoesNothingThere) {
  expect_error("board selftest --board nowhere.example --no-interrupt",
               {"--no-interrupt is for a simulated board"});
  expect_error("board selftest --board qemu-zynq --lease 5", {"--lease is for a board elsewhere"});
  for (const std::string command : {"regs", "mem --hex"})
    expect_error("board " + command + " --uio vdla --variant tiny",
                 {"--variant tiny says which engine is made, and here a device is named"});
}

/// A sweep wrote over reports of others.
TEST_F(Refusals, ASweepsFolderKeepsFilesOfOthers) {
  const std::string sweep =
      "explore --network " + example("digits.onnx") + " --axis array=1x4x4 -o " + path("swept");
  std::filesystem::create_directory(path("swept"));
  write_file(path("swept/report.html"), "mine");
  expect_error(sweep, {"report.html: would be written over", "give another folder"});
  EXPECT_EQ(read_text(path("swept/report.html")), "mine");
  std::filesystem::remove(path("swept/report.html"));
  EXPECT_EQ(run(sweep).status, 0);
  EXPECT_EQ(run(sweep).status, 0) << "its own it replaces";
}

TEST_F(Refusals, AVariantThatNothingRunsOnIsSaid) {
  EXPECT_THAT(run(compile() + "--target cpu --variant tiny").err,
              HasSubstr("note: --variant says what the device is, and --target cpu leaves nothing to it"));
}

TEST_F(Refusals, APassThatDidNotRunIsSaid) {
  const std::string note = "--print-after: nothing of this network went through";
  const auto on_cpu = run(compile() + "--target cpu --print-after=insert-tokens,vectorize");
  EXPECT_EQ(on_cpu.status, 0);
  EXPECT_THAT(on_cpu.err, HasSubstr(note + " insert-tokens (--target cpu)"));
  EXPECT_EQ(run(compile() + "--variant tiny --print-after=insert-tokens").err.find(note), std::string::npos);
  EXPECT_EQ(run(compile() + "--target cpu --print-after=all").err.find(note), std::string::npos);
}

/// A search of hours ended with it.
TEST_F(Refusals, AFolderThatTakesNoFilesIsSaidBeforeTheWork) {
  const std::string folder = path("closed");
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder, std::filesystem::perms(0555));
  const auto result = run("tune " + example("digits.onnx") + " --variant tiny --trials 1 --book " +
                          path("b.json") + " --log " + path("l.jsonl") + " --html " + folder + "/page.html");
  std::filesystem::permissions(folder, std::filesystem::perms(0755));
  if (geteuid() == 0) {  // whom no folder refuses
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(std::filesystem::exists(folder + "/page.html"));
    return;
  }
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("page.html: cannot be written: Permission denied"));
  EXPECT_FALSE(std::filesystem::exists(path("l.jsonl"))) << "no trial was measured";
}

TEST_F(Refusals, OutputsAreWhatTheirNamesSay) {
  const std::string module = digits("tiny"), run_it = "run " + module + " --random-input 1 ";
  const std::string quantize =
      "quantize " + example("digits.onnx") + " --calibration " + example("images.npy");
  expect_error(quantize + " -o " + path("q.tflite"), {"q.tflite", "an ONNX model", "ends in .onnx"}, 2);
  expect_error("zoo resnet8 -o " + path("r.tflite"), {"r.tflite", "ends in .onnx"}, 2);
  expect_error("compile " + example("digits.onnx") + " -o " + path("m.tflite"), {"ends in .vdla"}, 2);
  expect_error(run_it + "--output " + path("o.csv"),
               {"o.csv", "a NumPy array or a folder of them", "ends in .npy or .npz"}, 2);
  expect_error(run_it + "--engine systemc --record " + path("r.html"), {"r.html", "ends in .json"}, 2);
  expect_error("report " + path("r.json") + " -o " + path("r.pdf"), {"r.pdf", "ends in .html"}, 2);
  expect_error("compare " + module + " " + module + " --html " + module, {"ends in .html"}, 2);
  EXPECT_EQ(run(run_it + "--output " + path("o.NPY")).status, 0);
  EXPECT_EQ(run(run_it + "--output " + path("o")).status, 0) << "a name without an ending promises nothing";
  for (const char* name : {"q.tflite", "r.tflite", "m.tflite", "o.csv"})
    EXPECT_FALSE(std::filesystem::exists(path(name))) << name;
}

TEST_F(Refusals, JsonErrorsHaveLineColumnAndKey) {
  write_file(path("v.json"), "{\"name\": \"x\",\n \"geometry\": {\n  \"batch\": 3}}");
  expect_error(compile() + "--variant " + path("v.json"),
               {"v.json:3:3: /geometry/batch is 3, needs a power of"});
  write_file(path("v.json"), "{\"name\": \"x\",\n");
  expect_error(compile() + "--variant " + path("v.json"), {"v.json:2:1: is no JSON: "});
  write_file(path("s.json"), "{\"networks\": [\"resnet8\"],\n \"axes\": {\"wgt_kib\": 3}}");
  expect_error("explore " + path("s.json"), {"s.json:2:11: /axes/wgt_kib is 3, needs a list"});
  write_file(path("p.json"), "{\"lut\": 1,\n \"ff\": \"many\"}");
  expect_error("explore --network x.onnx --axis array=1x8x8 --part " + path("p.json"),
               {"p.json:2:2: /ff is \"many\", needs a positive number"});
}

TEST_F(Refusals, AChangedVariantUnderAKnownNameIsMarked) {
  const std::string variant = slow_tiny(), out = path("m.vdla"), marked = "tiny\\* \\([0-9a-f]{8}\\)";
  const std::string compile = "compile " + example("digits.onnx") + " -o " + out + " --variant " + variant;
  EXPECT_THAT(run(compile).out, testing::ContainsRegex(marked));
  for (const std::string& command :
       {compile + " --json", "explain " + out + " --json", "run " + out + " --random-input 1 --json"}) {
    const Outcome outcome = run(command);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(nlohmann::json::parse(outcome.out)["variant"].get<std::string>(),
                testing::MatchesRegex(marked))
        << command;
  }
  EXPECT_THAT(run("explain " + out).out, testing::ContainsRegex(marked));
  EXPECT_THAT(run("explain " + digits("tiny")).out, HasSubstr("variant tiny\n"));
  if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  const std::string record = " --engine systemc --random-input 1 --record " + path("r.json");
  EXPECT_THAT(run("run " + out + record).out, testing::ContainsRegex("variant " + marked));
  ASSERT_EQ(run("report " + path("r.json")).status, 0);
  EXPECT_THAT(read_text(path("r.html")), testing::ContainsRegex(marked));
}

}  // namespace
}  // namespace vdla::tools
