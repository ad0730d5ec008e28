// SPDX-License-Identifier: Apache-2.0
// Knobs of functions on a GPU from a book, as vdla compile, explain and tune --best take them. Needs no GPU.
#include <nlohmann/json.hpp>

#include <string>

#include "tests/tools/cli.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

class GpuBookTest : public Cli {
 protected:
  std::string network() const { return example("digits.onnx"); }
  std::string book() const { return path("gpu.json"); }

  ordered_json written(const ordered_json& records, const std::string& target) const {
    ordered_json book{{"format", "vdla knob book 1"}, {"target", target}, {"records", records}};
    write_file(path("gpu.json"), book.dump());
    return book;
  }

  /// A record of other knobs than the default ones for the first function of a template.
  ordered_json record_for(const std::string& by, const std::string& knobs) const {
    written(ordered_json::array(), "gpu kind=opencl machine=desktop");
    const Outcome best = run("tune " + network() + " --target opencl --best --json --book " + book());
    EXPECT_EQ(best.status, 0) << best.err;
    const ordered_json said = ordered_json::parse(best.out);
    for (const ordered_json& layer : said.at("layers"))
      if (layer.at("task").get<std::string>().starts_with(by + ": "))
        return {
            {"task", layer.at("task")}, {"context", layer.at("context")}, {"knobs", knobs}, {"record", 7}};
    ADD_FAILURE() << "no layer by template " << by << ": " << best.out;
    return {};
  }

  std::string compile(const std::string& target) const {
    return "compile " + network() + " -o " + path("m.vdla") + " --target " + target + " --book " + book();
  }
};

constexpr const char* kKnobs = "threads=32 elements=2 vector=1";

TEST_F(GpuBookTest, ACompileTakesTheKnobsThatItFindsAndSaysHowManyItMisses) {
  const ordered_json record = record_for("elementwise", kKnobs);
  written(ordered_json::array({record}), "gpu kind=opencl machine=desktop");
  for (const char* target : {"opencl", "opencl,cpu --gpu-start-us 0 --host-gops 0.001"}) {
    const Outcome compiled = run(compile(target));
    EXPECT_EQ(compiled.status, 0) << compiled.err;
    EXPECT_THAT(compiled.err, HasSubstr("the knob book has a record for 1 of the "));
    const Outcome explained =
        run("explain " + network() + " --target " + std::string(target) + " --book " + book());
    EXPECT_THAT(explained.out,
                HasSubstr("by template 'elementwise', tuned knobs, record 7: " + std::string(kKnobs)));
    EXPECT_THAT(explained.out, HasSubstr(", default knobs: the book has no record of '"));
  }
  EXPECT_THAT(run("explain " + path("m.vdla")).out, HasSubstr("tuned knobs, record 7: "))
      << "the module keeps it";
  const Outcome best = run("tune " + network() + " --target opencl --best --book " + book());
  EXPECT_THAT(best.out, HasSubstr("    " + std::string(kKnobs)));
  EXPECT_THAT(best.out, HasSubstr("1 of "));
}

TEST_F(GpuBookTest, TheLoopsOfALayerAreThoseOfTheBook) {
  const ordered_json record = record_for("elementwise", kKnobs);
  const auto explained = [&] {
    const Outcome outcome =
        run("explain " + network() + " --target opencl --loops dense/rows --json --book " + book());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return ordered_json::parse(outcome.out).at("layers")[0];
  };
  const ordered_json plain = explained();  // the book is empty
  written(ordered_json::array({record}), "gpu kind=opencl machine=desktop");
  const ordered_json tuned = explained();
  EXPECT_THAT(plain.at("reason"), HasSubstr("default knobs: the book has no record of "));
  EXPECT_THAT(tuned.at("reason"), HasSubstr("tuned knobs, record 7: " + std::string(kKnobs)));
  EXPECT_NE(tuned.at("loops")[0].at("lowered"), plain.at("loops")[0].at("lowered"));
}

TEST_F(GpuBookTest, ABookOfAnotherTargetIsRefusedByName) {
  const ordered_json record = record_for("elementwise", kKnobs);
  written(ordered_json::array({record}), "gpu kind=opencl machine=desktop");
  expect_error(compile("opencl --gpu-machine embedded"),
               {"the knob book is for gpu kind=opencl machine=desktop, and this compile for gpu kind=opencl "
                "machine=embedded; tune for that GPU, or leave the book out"});
  expect_error(compile("emulator"), {"the knob book is for gpu kind=opencl machine=desktop",
                                     "this compile for gpu kind=emulator machine=desktop"});
  expect_error(compile("cpu"), {"the knob book is for gpu kind=opencl", "and this compile for cpu code="});
  expect_error(
      "explain " + network() + " --target opencl --gpu-machine server --loops conv1.conv --book " + book(),
      {"the knob book is for gpu kind=opencl machine=desktop"});
  written(ordered_json::array({record}), "cpu code=portable");
  expect_error(compile("opencl"), {"the knob book is for cpu code=portable, and this compile for gpu kind="});
}

TEST_F(GpuBookTest, ARecordThatIsNoneOfItsFunctionIsRefusedAndNoFunctionGoesToTheCpu) {
  for (const auto& [knobs, fault] :
       {std::pair("threads=33 elements=1 vector=1", "threads"), std::pair("tile=4", "tile"),
        std::pair("threads=32 elements=1 vector=8", "vector=8 finds no room on this machine")}) {
    written(ordered_json::array({record_for("sums", knobs)}), "gpu kind=opencl machine=desktop");
    expect_error(compile("opencl"), {"record 7 of the knob book, for ", fault});
  }
}

TEST_F(GpuBookTest, TheModuleSaysOnWhichGpuItsKnobsWereTuned) {
  ordered_json made =
      written(ordered_json::array({record_for("elementwise", kKnobs)}), "gpu kind=opencl machine=desktop");
  made["device"] = "Some GPU (Some driver)";
  write_file(book(), made.dump());
  EXPECT_EQ(run(compile("opencl")).status, 0);
  const auto info = ordered_json::parse(run("info " + path("m.vdla") + " --json").out);
  EXPECT_EQ(info["provenance"]["tuned_device"], "Some GPU (Some driver)");
  EXPECT_THAT(run("tune --show --book " + book()).out, HasSubstr(", tuned on Some GPU (Some driver)\n"));
}

TEST_F(GpuBookTest, TuneRefusesWhatMeansNothingForAGpu) {
  const std::string tune = "tune " + network() + " --book " + book();
  expect_error(tune + " --target opencl --variant tiny", {"--variant is a machine with the device"});
  expect_error(tune + " --target opencl --jobs 2", {"--jobs lets trials run beside each other"});
  expect_error(tune + " --target opencl --threads 2", {"--threads is for --target cpu"});
  expect_error(tune + " --target cpu --gpu-machine server",
               {"--gpu-machine is for --target cuda and opencl"});
  expect_error(tune + " --target opencl --device cuda:0",
               {"--device cuda:0 is a device of 'cuda', and --target is opencl"});
}

}  // namespace
}  // namespace vdla::tools
