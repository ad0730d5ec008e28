// SPDX-License-Identifier: Apache-2.0
// The output - of every option of every command that writes something: what would be in the file stands on
// standard output, alone. The options come from the help pages and tools/vdla/common/output_options.h.
#include <nlohmann/json.hpp>

#include <regex>
#include <set>
#include <sstream>

#include "isa/variants/variants.h"
#include "kit/rtl.h"
#include "kit/systemc.h"
#include "tests/tools/cli.h"
#include "tools/data/npy.h"
#include "tools/vdla/common/output_options.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;

/// Prefix and name of a command line that writes {} by the option.
struct Use {
  const char *command, *option, *line;
  bool timed = false;   ///< needs engine systemc
  bool varies = false;  ///< from run to run, or by the name of the output
};

const Use kUses[] = {
    {"asm", "--output", "program.s -o {}"},
    {"asm", "--uops", "uops.s -o program.bin --uops {}"},
    {"batch", "--output", "batch.json -o {}"},
    {"board generate", "--output", "pynq-z2 -o {}"},
    {"board ila", "--output", "pynq-z2 -o {}"},
    {"board install", "--output", "release -o {}"},
    {"board mem", "--dump", "--engine functional --at 0x10000000 --bytes 16 --dump {}"},
    {"board postmortem", "--output", "--engine functional -o {}"},
    {"build-rtl", "--export", "--variant tiny --export {}"},
    {"build-rtl", "--out", "--variant tiny --out {}"},
    {"compare", "--html", "net.vdla net.vdla --html {}"},
    {"compile", "--output", "net.onnx --variant tiny -o {}"},
    {"eval", "--output", "net.vdla --inputs images.npy --limit 1 --output {}"},
    {"explore", "--csv", "--network net.onnx --axis array=1x4x4 -o points --csv {}", true},
    {"explore", "--html", "--network net.onnx --axis array=1x4x4 -o points --html {}", true, true},
    {"explore", "--output", "--network net.onnx --axis array=1x4x4 -o {}"},
    {"fuzz", "--keep", "--keep {}"},
    {"info", "--output", "--device --engine functional -o {}"},
    {"opt", "--llvm-ir", "f.loop --llvm-ir {}"},
    {"opt", "--object", "f.loop --object {}", false, true},
    {"opt", "--opencl", "grid.loop --opencl {}"},
    {"opt", "--output", "f.loop -o {}"},
    {"opt", "--ptx", "grid.loop --ptx {}"},
    {"quantize", "--output", "float.onnx --calibration sample.npy -o {}"},
    {"quantize", "--report", "float.onnx --calibration sample.npy -o quantized.onnx --report {}"},
    {"report", "--html", "run.json -o {}", true},
    {"run", "--dump", "program.s --variant tiny --window input=64 --dump input={}"},
    {"run", "--output", "net.vdla --random-input 1 --output {}"},
    {"run", "--post-mortem", "net.vdla --random-input 1 --post-mortem {}"},
    {"run", "--record", "net.vdla --random-input 1 --engine systemc --record {}", true},
    {"run", "--timeline", "net.vdla --random-input 1 --engine systemc --timeline {}", true},
    {"run", "--waves", "net.vdla --random-input 1 --engine rtl --waves {}", false, true},
    {"sign", "--output", "net.vdla --key key.key -o {}"},
    {"tune", "--as-schedule", "net.onnx --variant tiny --book book.json --best --as-schedule {}"},
    {"tune", "--book", "net.onnx --variant tiny --trials 1 --book {}"},
    {"tune", "--html", "net.onnx --variant tiny --trials 1 --book new.json --html {}", false, true},
    {"tune", "--log", "net.onnx --variant tiny --trials 1 --book new.json --log {}"},
    {"waves", "--output", "net.vdla --at 100 --cycles 20 -o {}", false, true},
    {"zoo", "--output", "resnet8 -o {}"},
};

/// Name of the command within its group.
std::string last_word(const std::string& command) { return command.substr(command.rfind(' ') + 1); }

/// Returns the first row of the table for the option of a command.
const OutputOption* row_of(const std::string& command, const std::string& option) {
  for (const OutputOption& row : kOutputOptions)
    if ((row.command.empty() || row.command == last_word(command)) && row.option == option &&
        row.with.option.empty())
      return &row;
  return nullptr;
}

class StandardOutputFlags : public Cli {
 protected:
  /// All commands: those of groups with the group's name.
  std::vector<std::string> commands(const std::string& group = "") const {
    std::istringstream help(run(group + "--help").out);
    std::vector<std::string> found;
    bool listed = false;
    for (std::string line; std::getline(help, line);) {
      listed = (listed && !line.empty()) || line == "Subcommands:";
      std::smatch name;
      if (!listed || !std::regex_search(line, name, std::regex("^  ([a-z][a-z-]*) "))) continue;
      const std::string command = group + name[1].str();
      const auto inner = commands_of_group(command);
      if (inner.empty()) found.push_back(command);
      found.insert(found.end(), inner.begin(), inner.end());
    }
    return found;
  }

  /// Pairs of a command and one of its options that the table of outputs knows.
  std::set<std::pair<std::string, std::string>> outputs() const {
    std::set<std::pair<std::string, std::string>> found;
    for (const std::string& command : commands()) {
      const std::string help = run(command + " --help").out;
      const std::regex options("(?:^|\\n) +(?:-[a-z],)?(--[a-z-]+)");
      for (std::sregex_iterator at(help.begin(), help.end(), options), end; at != end; ++at)
        if (row_of(command, (*at)[1].str())) found.emplace(command, (*at)[1].str());
    }
    return found;
  }

  /// Makes what the lines of kUses read, in a folder that they run in.
  void make_inputs() const {
    std::filesystem::copy_file(example("digits.onnx"), path("net.onnx"));
    std::filesystem::copy_file(example("images.npy"), path("images.npy"));
    write_file(path("program.s"), "load inp[0] = input[0] run 1\nfinish 0\n");
    write_file(path("uops.s"), ".uop 0, 0, 0\nfinish 0\n");
    write_file(path("f.loop"), "func f(out x: f32[4]) { for i in 0..4 { x[i] = 1f32 } }\n");
    write_file(path("grid.loop"), "func f(out x: f32[4]) { for i in 0..4 block.x { x[i] = 1f32 } }\n");
    write_file(path("batch.json"),
               R"({"format": "vdla batch 1", "kind": "points", "kit": "another", "head": {}, "items": []})");
    write_file(path("book.json"), "{}");
    std::filesystem::create_directory(path("release"));
    EXPECT_EQ(run("compile " + path("net.onnx") + " --variant tiny -o " + path("net.vdla")).status, 0);
    EXPECT_EQ(run("zoo resnet8 --float -o " + path("float.onnx")).status, 0);
    write_npy(path("sample.npy"), {"<f4", {1, 3, 32, 32}, std::vector<std::byte>(4 * 3 * 32 * 32)});
    EXPECT_EQ(run("keygen " + path("key")).status, 0);
    if (kit::have_systemc())
      EXPECT_EQ(
          run("run " + path("net.vdla") + " --random-input 1 --engine systemc --record " + path("run.json"))
              .status,
          0);
  }

  Outcome run_use(const Use& use, const std::string& target, const std::string& more) const {
    std::string line = use.line;
    line.replace(line.find("{}"), 2, target);
    const std::string command = "cd " + path("") + " && '" VDLA_BINARY_DIR "/bin/vdla' " + use.command + " " +
                                line + more + " >" + path("out") + " 2>" + path("err");
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), read_text(path("out")), read_text(path("err"))};
  }

 private:
  std::vector<std::string> commands_of_group(const std::string& command) const {
    return command == "board" ? commands("board ") : std::vector<std::string>();
  }
};

TEST_F(StandardOutputFlags, EachOptionThatWritesHasALineHere) {
  std::set<std::pair<std::string, std::string>> tried;
  for (const Use& use : kUses) tried.emplace(use.command, use.option);
  const auto known = outputs();
  for (const auto& [command, option] : known)
    EXPECT_TRUE(tried.contains({command, option}))
        << "vdla " << command << " " << option << " writes: give kUses a line for it";
  for (const auto& [command, option] : tried)
    EXPECT_TRUE(known.contains({command, option})) << "vdla " << command << " has no " << option;
}

/// `vdla opt FILE -o -` wrote a file that was called -.
TEST_F(StandardOutputFlags, OfEachOptionStandAloneOnStandardOutput) {
  make_inputs();
  for (const Use& use : kUses) {
    SCOPED_TRACE(std::string(use.command) + " " + use.option);
    if (use.timed && !kit::have_systemc()) continue;
    if (std::string_view(use.option) == "--waves" && !kit::rtl_engine_built(isa::load_variant("tiny")))
      continue;
    const OutputOption* row = row_of(use.command, use.option);
    ASSERT_NE(row, nullptr);
    const Outcome shown = run_use(use, "-", " --json");
    EXPECT_FALSE(std::filesystem::exists(path("-")));
    if (row->writes == Writes::Folder || row->writes == Writes::Kept) {
      EXPECT_EQ(shown.status, 1);
      EXPECT_THAT(shown.out, HasSubstr("'-': is standard output, and the option names a "));
      continue;
    }
    EXPECT_EQ(shown.status, 0) << shown.err;
    const std::size_t report =
        std::min(shown.err.find("{\n"), shown.err.size());  // lines of progress before it
    EXPECT_TRUE(nlohmann::json::accept(shown.err.substr(report))) << shown.err;
    const std::string name = row->writes == Writes::Arrays ? "file.npy" : "file";
    const Outcome filed = run_use(use, name, "");
    EXPECT_EQ(filed.status, 0) << filed.err;
    const std::string file = std::filesystem::exists(path(name)) ? read_text(path(name)) : "";
    EXPECT_TRUE(use.varies ? shown.out.substr(0, 16) == file.substr(0, 16) : shown.out == file)
        << shown.out.substr(0, 300);
    EXPECT_NE(file, "");
    std::filesystem::remove(path(name));
  }
}

TEST_F(StandardOutputFlags, TakeOneOutput) {
  make_inputs();
  expect_error("asm " + path("program.s") + " -o - --uops -",
               {"--uops '-': is standard output, as an output before it is; give each output its own"});
  expect_error("compile " + path("net.onnx") + " --target cpu --kernel-lines -o -",
               {"--kernel-lines", "- is no file"});
}

}  // namespace
}  // namespace vdla::tools
