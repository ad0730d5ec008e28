// SPDX-License-Identifier: Apache-2.0
// The knob book: its text, what compile() takes of it and says of it, and books that are refused.
#include "compiler/pipeline/knobs/book.h"

#include <gmock/gmock.h>

#include <memory>
#include <regex>
#include <string>

#include "compiler/import/import.h"
#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/segment/layer_cache.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "tests/compiler/import/data.h"

namespace vdla::pipeline {
namespace {

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
