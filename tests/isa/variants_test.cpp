// SPDX-License-Identifier: Apache-2.0
#include "isa/variants/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/error.h"

namespace vdla::isa {
namespace {

std::string error_of(std::string_view text) {
  try {
    parse_variant(text, "x.json");
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Variants, PaperIsTheDefault) {
  const Variant paper = load_variant("paper");
  EXPECT_EQ(paper.geometry, Geometry{});
  EXPECT_EQ(paper.timing, Timing{});
}

TEST(Variants, EachRoundTripsThroughItsFile) {
  for (const BuiltinVariant& v : builtin_variants()) {
    const Variant variant = load_variant(std::string(v.name));
    EXPECT_EQ(variant.name, v.name);
    EXPECT_EQ(to_json(variant), v.text);
    const std::filesystem::path path = testing::TempDir() + "variant.json";
    save_variant(variant, path);
    EXPECT_EQ(to_json(load_variant(path.string())), v.text);
  }
}

TEST(Variants, HashesTellGeometriesApart) {
  std::set<std::uint64_t> hashes;
  for (const BuiltinVariant& v : builtin_variants())
    hashes.insert(geometry_hash(load_variant(std::string(v.name)).geometry));
  EXPECT_EQ(hashes.size(), builtin_variants().size());
  Variant slow = load_variant("paper");
  slow.timing.dram_latency = 500;
  EXPECT_EQ(geometry_hash(slow.geometry), geometry_hash(load_variant("paper").geometry));
}

TEST(Variants, KeysLeftOutKeepTheirDefaults) {
  const Variant v = parse_variant(R"({"name": "mine", "geometry": {"wgt_depth": 64}})", "x.json");
  EXPECT_EQ(v.geometry.wgt_depth, 64u);
  EXPECT_EQ(v.geometry.inp_depth, Geometry{}.inp_depth);
}

TEST(Variants, ErrorsNameKeyAndValue) {
  using testing::HasSubstr;
  EXPECT_EQ(error_of("[1]"), "x.json is not a JSON object");
  EXPECT_EQ(error_of("{"), "x.json is not a JSON object");
  EXPECT_THAT(error_of("{}"), HasSubstr("has no name"));
  EXPECT_THAT(error_of(R"({"name": "a", "colour": 1})"), HasSubstr("unknown key 'colour'"));
  EXPECT_THAT(error_of(R"({"name": "a", "geometry": {"wgt_dept": 1}})"),
              HasSubstr("x.json: geometry has the unknown key 'wgt_dept'"));
  EXPECT_THAT(error_of(R"({"name": "a", "geometry": {"batch": -1}})"),
              HasSubstr("x.json: geometry.batch is -1, needs a whole number"));
  EXPECT_THAT(error_of(R"({"name": "a", "geometry": {"batch": 3}})"),
              HasSubstr("batch is 3, needs a power of two from 1 to 16"));
  EXPECT_THAT(error_of(R"({"name": "a", "timing": {"clock_mhz": "fast"}})"),
              HasSubstr("clock_mhz is \"fast\", needs a number"));
  EXPECT_THAT(error_of(R"({"name": "a", "timing": 3})"), HasSubstr("timing is 3, needs an object"));
}

TEST(Variants, UnknownNameListsTheKnownOnes) {
  try {
    load_variant("huge");
    FAIL() << "accepted";
  } catch (const UserError& e) {
    EXPECT_STREQ(
        e.what(),
        "variant 'huge' is neither one of the kit's (paper, tiny, vta, wide) nor a file that can be read");
  }
  EXPECT_THROW(load_variant("/"), UserError);
}

}  // namespace
}  // namespace vdla::isa
