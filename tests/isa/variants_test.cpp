// SPDX-License-Identifier: Apache-2.0
#include "isa/variants/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/error.h"
#include "support/temporary.h"
#include "tests/isa/geometry_numbers.h"

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

/// A file may leave out keys that have their defaults.
TEST(Variants, EachRoundTripsThroughItsFile) {
  for (const BuiltinVariant& v : builtin_variants()) {
    const Variant variant = load_variant(std::string(v.name));
    EXPECT_EQ(variant.name, v.name);
    const auto text = nlohmann::ordered_json::parse(v.text);
    EXPECT_EQ(text.dump(2) + "\n", v.text);
    const auto whole = nlohmann::ordered_json::parse(to_json(variant));
    auto with_text = whole;
    with_text.merge_patch(text);
    EXPECT_EQ(with_text, whole);
    const Temporary folder(testing::TempDir(), Temporary::Kind::Folder, "variants");
    const std::filesystem::path path = folder.path() / "variant.json";
    save_variant(variant, path);
    EXPECT_EQ(to_json(load_variant(path.string())), to_json(variant));
  }
}

TEST(Variants, HashesTellGeometriesApart) {
  std::set<std::uint64_t> hashes;
  for (const BuiltinVariant& v : builtin_variants())
    hashes.insert(geometry_hash(load_variant(std::string(v.name)).geometry));
  EXPECT_EQ(hashes.size(), builtin_variants().size());
  EXPECT_EQ(builtin_with(geometry_hash(load_variant("tiny").geometry)).value().name, "tiny");
  EXPECT_FALSE(builtin_with(0).has_value());
  Variant slow = load_variant("paper");
  slow.timing.dram_latency = 500;
  EXPECT_EQ(geometry_hash(slow.geometry), geometry_hash(load_variant("paper").geometry));
}

/// A number of the geometry that one of its lists forgot: isa/spec/geometry.cpp checks and hashes them,
/// isa/variants/variants.cpp has their keys.
TEST(Variants, EveryNumberOfAGeometryIsCheckedHashedAndWritten) {
  std::set<std::uint64_t> hashes{geometry_hash(Geometry{})};
  std::size_t number = 0;
  for (const Geometry& g : geometries_with_one_changed([](unsigned n) { return 2 * n; })) {
    SCOPED_TRACE("number " + std::to_string(number++) + " of struct Geometry");
    EXPECT_NO_THROW(validate(g));
    EXPECT_TRUE(hashes.insert(geometry_hash(g)).second) << "geometry_hash() leaves it out";
    EXPECT_EQ(parse_variant(to_json({"mine", g, {}}), "x.json").geometry, g)
        << "visit_geometry() leaves it out";
  }
  for (const Geometry& g : geometries_with_one_changed([](unsigned) { return 0u; }))
    EXPECT_THROW(validate(g), UserError) << "validate() takes 0: " << to_json({"mine", g, {}});
}

TEST(Variants, KeysLeftOutKeepTheirDefaults) {
  const Variant v = parse_variant(R"({"name": "mine", "geometry": {"wgt_depth": 64}})", "x.json");
  EXPECT_EQ(v.geometry.wgt_depth, 64u);
  EXPECT_EQ(v.geometry.inp_depth, Geometry{}.inp_depth);
}

TEST(Variants, ErrorsNameKeyAndValue) {
  using testing::HasSubstr;
  EXPECT_EQ(error_of("[1]"), "x.json:1:1: is not a JSON object");
  EXPECT_THAT(error_of("{"), HasSubstr("x.json:1:2: is no JSON: "));
  EXPECT_EQ(error_of("{}"), "x.json:1:1: has no name, needs the key 'name'");
  EXPECT_EQ(error_of(R"({"name": "a", "colour": 1})"),
            "x.json:1:15: /colour is an unknown key; known are name, geometry, timing");
  EXPECT_EQ(error_of("{\"name\": \"a\",\n  \"geometry\": {\n    \"wgt_dept\": 1}}").substr(0, 76),
            "x.json:3:5: /geometry/wgt_dept is an unknown key, did you mean 'wgt_depth'? ");
  EXPECT_THAT(error_of(R"({"name": "a", "geometry": {"batch": -1}})"),
              HasSubstr("x.json:1:28: /geometry/batch is -1, needs a whole number"));
  EXPECT_THAT(error_of(R"({"name": "a", "geometry": {"batch": 3}})"),
              HasSubstr("x.json:1:28: /geometry/batch is 3, needs a power of two from 1 to 16"));
  EXPECT_THAT(error_of(R"({"name": "a", "timing": {"dram_bytes_per_cycle": 3}})"),
              HasSubstr("x.json:1:26: /timing/dram_bytes_per_cycle is 3, needs a power of two"));
  EXPECT_THAT(error_of(R"({"name": "a", "timing": {"clock_mhz": "fast"}})"),
              HasSubstr("/timing/clock_mhz is \"fast\", needs a number"));
  EXPECT_THAT(error_of(R"({"name": "a", "timing": 3})"), HasSubstr("/timing is 3, needs an object"));
}

TEST(Variants, AFileThatIsNoVariantIsNamedForWhatItIs) {
  EXPECT_THAT(error_of(std::string("\x1c\0\0\0TFL3", 8)),
              testing::StartsWith("x.json: is a TFLite model, needs "));
}

/// A copied file that was changed kept the name `paper` wherever results were shown.
TEST(Variants, OtherContentsUnderAKnownNameAreMarked) {
  Variant paper = load_variant("paper");
  EXPECT_EQ(label(paper), "paper");
  paper.timing.dram_latency = 500;
  const std::string slow = label(paper);
  EXPECT_THAT(slow, testing::MatchesRegex("paper\\* \\([0-9a-f]{8}\\)"));
  paper.geometry.wgt_depth = 64;
  EXPECT_NE(label(paper), slow);
  paper.name = "mine";
  EXPECT_EQ(label(paper), "mine");
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
  try {
    load_variant("papr");
    FAIL() << "accepted";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("did you mean 'paper'?"));
  }
  EXPECT_THROW(load_variant("/"), UserError);
}

}  // namespace
}  // namespace vdla::isa
