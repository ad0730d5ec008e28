// SPDX-License-Identifier: Apache-2.0
// The knob book: its text, what compile() takes of it and says of it, and books that are refused.
#include "compiler/knobs/book.h"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/knobs/choice.h"
#include "compiler/pipeline/compile.h"
#include "compiler/targets/vdla/segment/layer_cache.h"
#include "isa/program/program.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "tests/compiler/import/data.h"

namespace vdla::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

KnobBook two_records() {
  return {"1x16x16",
          {{"conv2d", "512 entries of inp", "tile_h=1", 3}, {"add", "output on chip", "tile_h=2", 4}},
          BookMeasurement{"0123", "systemc", 1200, 1000.5, "4567"}};
}

TEST(KnobBook, IsReadAsItWasWritten) {
  const KnobBook book = two_records();
  EXPECT_EQ(read_knob_book(to_json(book), "book.json"), book);
  ASSERT_NE(book.find("add", "output on chip"), nullptr);
  EXPECT_EQ(book.find("add", "output on chip")->record, 4);
  EXPECT_EQ(book.find("add", "512 entries of inp"), nullptr);
}

TEST(KnobBook, PutsARecordInThePlaceOfTheOneOfItsTaskAndContext) {
  KnobBook book = two_records();
  book.put({"conv2d", "512 entries of inp", "tile_h=5", 9});
  ASSERT_EQ(book.records.size(), 2u);
  EXPECT_EQ(book.records[0].knobs, "tile_h=5");
  book.put({"conv2d", "511 entries of inp", "tile_h=6", 10});
  EXPECT_EQ(book.records.size(), 3u);
}

std::string refusal(const std::string& text) {
  try {
    read_knob_book(text, "book.json");
  } catch (const UserError& e) {
    return e.what();
  }
  return "taken";
}

TEST(KnobBook, OfAnotherFormatIsRefusedWithItsPlace) {
  std::string other = to_json(two_records());
  other.replace(other.find("book 1"), 6, "book 0");
  EXPECT_THAT(refusal(other), HasSubstr("book.json:2:3: /format is 'vdla knob book 0', this kit reads 'vdla "
                                        "knob book 1'; tune again"));
  EXPECT_THAT(refusal("{}"), HasSubstr("has no 'format'"));
  EXPECT_THAT(refusal("[1"), HasSubstr("is no JSON"));
  KnobBook twice = two_records();
  twice.records.push_back(twice.records[0]);
  EXPECT_THAT(refusal(to_json(twice)), HasSubstr("/records/2 is the second record of task 'conv2d'"));
  std::string number = to_json(two_records());
  number.replace(number.find("\"tile_h=1\""), 10, "1");
  EXPECT_THAT(refusal(number), HasSubstr("/records/0/knobs is 1, needs a text"));
}

class KnobBookOfResnet8 : public ::testing::Test {
 protected:
  void SetUp() override {
    VDLA_NEED_DATA();
    graph_ =
        import::import_model(testing::data_folder() / "mlperf_tiny/models/pretrainedResnet_quant.tflite");
    options_.variant = isa::load_variant("paper");
    options_.machine_code = false;
    options_.book = KnobBook{target_of(options_.variant), {}, {}};
  }

  /// What the report says of a node.
  std::string reason(const std::string& node) const {
    for (const NodeReport& report : compile(graph_, options_).nodes)
      if (report.name == node) return report.reason;
    return "no such node";
  }

  void tune(const std::string& node, const std::string& knobs) {
    std::smatch found;
    const std::string told = reason(node);
    ASSERT_TRUE(std::regex_search(told, found, std::regex("no record of '(.*)' with (.* entries of inp)")))
        << told;
    options_.book->records.push_back({found[1], found[2], knobs, 7});
  }

  void choose(const std::string& task, const std::string& knobs, std::int64_t record) {
    options_.book->records.push_back({task, kPlanContext, knobs, record});
  }

  /// The name of the tensor that a node makes.
  std::string output_of(const std::string& node) const {
    const graph::Graph graph = compile(graph_, options_).graph;
    for (const graph::Node& n : graph.nodes)
      if (n.name == node) return graph.tensor(n.output).name;
    return "no such node";
  }

  std::size_t instructions() const {
    std::size_t count = 0;
    for (const Step& step : compile(graph_, options_).steps)
      if (const auto* device = std::get_if<DeviceStep>(&step)) count += device->program.insns.size();
    return count;
  }

  graph::Graph graph_;
  CompileOptions options_;
};

constexpr const char* kSmallest =
    "tile_h=1 tile_w=1 tile_n=1 tile_c=1 tile_kh=1 load_n=1 store_n=1 reuse=stream vthreads=1";

TEST_F(KnobBookOfResnet8, GivesALayerItsKnobs) {
  const std::size_t before = instructions();
  tune("conv_2d_6", kSmallest);
  EXPECT_THAT(reason("conv_2d_6"), HasSubstr("tuned knobs, record 7: tile_h=1"));
  EXPECT_THAT(reason("conv_2d_1"), HasSubstr("default knobs: the book has no record of 'conv2d 32x32x16"));
  EXPECT_GT(instructions(), before) << "a pixel at a time";
}

TEST_F(KnobBookOfResnet8, GivesTheSameProgramWhereLayersAreCached) {
  const auto program = [&] {
    for (const Step& step : compile(graph_, options_).steps)
      if (const auto* device = std::get_if<DeviceStep>(&step)) return device->program;
    return isa::Program{};
  };
  const std::vector<std::string> knobs{"", kSmallest, "",
                                       "tile_h=2 tile_w=4 tile_n=1 tile_c=1 tile_kh=1 load_n=1 store_n=1 "
                                       "reuse=stream vthreads=1",
                                       kSmallest};
  std::vector<isa::Program> alone, cached;
  for (std::vector<isa::Program>* programs : {&alone, &cached}) {
    if (programs == &cached) options_.layers = std::make_shared<LayerCache>();
    for (const std::string& k : knobs) {
      options_.book->records.clear();
      if (!k.empty()) tune("conv_2d_6", k);
      programs->push_back(program());
    }
  }
  EXPECT_EQ(alone, cached);
  EXPECT_NE(alone[0], alone[1]);
  EXPECT_EQ(alone[1], alone[4]);
}

/// A search of thousands of trials held each of its layers: gigabytes.
TEST(LayerCache, ForgetsWhatNobodyAsksFor) {
  LayerCache cache;
  int made = 0;
  const auto get = [&](int knobs) {
    return cache
        .get(0, std::to_string(knobs),
             [&] {
               ++made;
               return LoweredLayer{{static_cast<std::uint8_t>(knobs)}, std::nullopt};
             })
        .constants.at(0);
  };
  for (int knobs = 0; knobs < 100; ++knobs) {
    EXPECT_EQ(get(knobs), knobs);
    EXPECT_EQ(get(7), 7) << "asked for again and again";
  }
  EXPECT_EQ(made, 100);
  EXPECT_EQ(get(99), 99);
  EXPECT_EQ(made, 100);
  EXPECT_EQ(get(0), 0);
  EXPECT_EQ(made, 101);
}

TEST_F(KnobBookOfResnet8, GivesTheSameProgramWhereLayersOfOtherPlansAreCached) {
  std::vector<isa::Program> alone, cached;
  const std::string result = "result '" + output_of("add_3") + "'";
  for (std::vector<isa::Program>* programs : {&alone, &cached}) {
    if (programs == &cached) options_.layers = std::make_shared<LayerCache>();
    for (const auto& [task, knobs] : std::vector<std::pair<std::string, std::string>>{
             {"", ""}, {"sum 'add_3'", "joined_with=apart"}, {result, "stays_in=dram"}, {"", ""}}) {
      options_.book->records.clear();
      if (!task.empty()) choose(task, knobs, 1);
      for (const Step& step : compile(graph_, options_).steps)
        if (const auto* device = std::get_if<DeviceStep>(&step)) programs->push_back(device->program);
    }
  }
  EXPECT_EQ(alone, cached);
  EXPECT_NE(alone[0], alone[1]);
  EXPECT_NE(alone[0], alone[2]);
}

TEST_F(KnobBookOfResnet8, MakesChoicesOfThePlanOtherwise) {
  EXPECT_THAT(reason("add_3"), HasSubstr("added on the way out of conv_2d_2; "));
  EXPECT_THAT(reason("add_7"), HasSubstr("; its result stays on chip; "));
  choose("sum 'add_3'", "joined_with=apart", 5);
  choose("result '" + output_of("add_7") + "'", "stays_in=dram", 6);
  EXPECT_THAT(reason("add_3"), HasSubstr("not added on the way out of a convolution, as record 5 of the knob "
                                         "book wants it"));
  EXPECT_THAT(reason("conv_2d_2"), HasSubstr("int8 layer that the device computes"));
  EXPECT_THAT(
      reason("add_7"),
      HasSubstr("its result goes to DRAM: it could stay on chip, as record 6 of the knob book wants"));
}

TEST_F(KnobBookOfResnet8, PacksTapsOtherwise) {
  const auto packings = [&] {
    for (const KnobTask& t : knob_tasks(compile(graph_, options_)))
      if (t.task == "taps of 'conv_2d_0'") return t.space.knobs()[0].names;
    return std::vector<std::string>();
  };
  EXPECT_THAT(packings(), ElementsAre("none", "windows", "rows"));
  const std::string by_default = reason("conv_2d_0");
  EXPECT_THAT(by_default, HasSubstr("its taps packed into the lanes"));
  const auto program = [&] {
    for (const Step& step : compile(graph_, options_).steps)
      if (const auto* device = std::get_if<DeviceStep>(&step)) return isa::content_hash(device->program);
    return std::uint64_t{0};
  };
  std::set<std::uint64_t> programs{program()};
  for (const auto& [knob, said] : std::vector<std::pair<std::string, std::string>>{
           {"packed=none", "; its taps are not packed, as record 9 of the knob book wants it"},
           {"packed=windows", "; its taps are packed by windows, as record 9 of the knob book wants it"},
           {"packed=rows", "; its taps are packed by rows, as record 9 of the knob book wants it"}}) {
    options_.book->records.clear();
    choose("taps of 'conv_2d_0'", knob, 9);
    EXPECT_THAT(reason("conv_2d_0"), HasSubstr(said));
    programs.insert(program());
  }
  EXPECT_EQ(programs.size(), 3u) << "one of them is the default";
  EXPECT_THAT(packings(), ElementsAre("none", "windows", "rows"));
  choose("taps of 'conv_2d_0'", "packed=blocks", 8);
  options_.book->records.erase(options_.book->records.begin());
  EXPECT_THAT([&] { compile(graph_, options_); },
              ThrowsMessage<UserError>(HasSubstr("record 8 of the knob book, for the taps of 'conv_2d_0': "
                                                 "knob 'packed' is \"blocks\", needs one of none, ")));
}

TEST_F(KnobBookOfResnet8, NamesTheChoicesThatItCanMake) {
  std::map<std::string, bool> named;  // and whether the compiler's own choice is another point of the space
  for (const KnobTask& t : knob_tasks(compile(graph_, options_)))
    if (t.plan) {
      EXPECT_EQ(t.context, kPlanContext);
      const bool dram = t.space.knobs()[0].name == "stays_in";
      if (!dram && t.space.knobs()[0].name != "joined_with") continue;
      named[t.task] = t.space.legal(t.space.parse(dram ? "stays_in=dram" : "joined_with=apart"));
    }
  EXPECT_EQ(named.count("sum 'add_3'"), 1u);
  EXPECT_EQ(named.count("sum 'add_11'"), 1u);
  EXPECT_TRUE(named.at("sum 'add_7'")) << "it is joined";
  EXPECT_TRUE(named.at("result '" + output_of("add_3") + "'")) << "it stays on chip";
  choose("sum 'add_7'", "joined_with=apart", 1);
  for (const KnobTask& t : knob_tasks(compile(graph_, options_)))
    if (t.task == "sum 'add_7'") EXPECT_FALSE(t.space.legal(t.space.parse("joined_with=apart")));
  options_.book.reset();
  EXPECT_TRUE(knob_tasks(compile(graph_, options_)).empty());
}

TEST_F(KnobBookOfResnet8, IsRefusedWhereAChoiceCannotBeHad) {
  choose("sum 'add_3'", "joined_with=third", 5);
  EXPECT_THAT([&] { compile(graph_, options_); },
              ThrowsMessage<UserError>(HasSubstr("record 5 of the knob book, for the sum 'add_3': knob "
                                                 "'joined_with' is \"third\", needs one of apart, ")));
  // Three activations that are alive at the same time, of half of inp each.
  options_.book->records.clear();
  choose("sum 'add_3'", "joined_with=apart", 7);
  std::vector<std::string> results;
  for (const char* node : {"conv_2d_0", "conv_2d_1", "conv_2d_2"}) results.push_back(output_of(node));
  for (const std::string& result : results) choose("result '" + result + "'", "stays_in=inp", 8);
  EXPECT_THAT([&] { compile(graph_, options_); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("record 8 of the knob book, for the result '"),
                                             HasSubstr("find no room beside the tiles of"))));
}

TEST_F(KnobBookOfResnet8, IsRefusedForAnotherVariant) {
  options_.variant = isa::load_variant("wide");
  EXPECT_THAT([&] { compile(graph_, options_); },
              ThrowsMessage<UserError>(
                  HasSubstr("the knob book is for batch=1 block_in=16 block_out=16 inp_depth=2048")));
}

TEST_F(KnobBookOfResnet8, IsRefusedWhereItsKnobsFindNoRoom) {
  tune("conv_2d_6",
       "tile_h=16 tile_w=16 tile_n=2 tile_c=1 tile_kh=1 load_n=2 store_n=2 reuse=keep-weights vthreads=4");
  EXPECT_THAT([&] { compile(graph_, options_); },
              ThrowsMessage<UserError>(HasSubstr("record 7 of the knob book, for conv_2d_6: tile_h=16")));
  options_.book->records[0].knobs = "tile_h=99";
  EXPECT_THAT([&] { compile(graph_, options_); },
              ThrowsMessage<UserError>(
                  HasSubstr("record 7 of the knob book, for conv_2d_6: knob 'tile_h' is \"99\"")));
}

}  // namespace
}  // namespace vdla::pipeline
