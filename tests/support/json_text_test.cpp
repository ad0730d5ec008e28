// SPDX-License-Identifier: Apache-2.0
#include "support/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/error.h"

namespace vdla {
namespace {

std::string error_of(const std::string& text) {
  try {
    const JsonText json(text, "x.json");
  } catch (const UserError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(JsonText, ASyntaxErrorHasLineAndColumn) {
  EXPECT_EQ(error_of("{\n  \"a\": 1,\n}"),
            "x.json:3:1: is no JSON: syntax error while parsing object key - unexpected '}'; expected string "
            "literal");
  EXPECT_EQ(error_of("{\"a\" 1}").substr(0, 24), "x.json:1:6: is no JSON: ");
  EXPECT_EQ(error_of("{").substr(0, 24), "x.json:1:2: is no JSON: ");
}

TEST(JsonText, AFileOfAnotherKindIsNamed) {
  EXPECT_EQ(error_of(""), "x.json: is empty, needs JSON text");
  EXPECT_EQ(error_of("PK\3\4"),
            "x.json: is a ZIP archive, needs JSON text; unpack it first (a .npz or a "
            "PyTorch .pt file is one, too)");
  EXPECT_EQ(error_of(std::string("\x93NUMPY\1\0", 8)).substr(0, 32), "x.json: is a NumPy array, needs ");
}

TEST(JsonText, AKeyThatStandsTwiceIsRefused) {
  EXPECT_EQ(error_of("{\"a\": {\n \"b\": 1,\n \"b\": 2}}"),
            "x.json:3:2: /a/b stands twice in its object, needs to stand once");
}

TEST(JsonText, DeepNestingIsRefusedAtOnce) {
  EXPECT_EQ(error_of(std::string(200'000, '[') + std::string(200'000, ']')),
            "x.json: is nested deeper than 64 levels, which no file of the kit is");
}

TEST(JsonText, TheFirstKeyIsFoundWithoutTheRest) {
  EXPECT_EQ(first_key("{\"a\": {\"c\": 1}, \"b\": [{\"c\": 2}, 3], \"c\": 4, \"a", {"c", "d"}), "c");
  EXPECT_EQ(first_key("{\"d\": [1, 2, nonsense", {"c", "d"}), "d");
  EXPECT_EQ(first_key("\xef\xbb\xbf{\"c\": 1}", {"c"}), "c");
  for (const char* none : {"", "{}", "[{\"c\": 1}]", "1", "{\"a\": 1} {\"c\": 1}", "{\"a\" 1, \"c\": 2}"})
    EXPECT_EQ(first_key(none, {"c"}), "") << none;
  EXPECT_EQ(first_key(std::string(200'000, '['), {"c"}), "");
}

TEST(JsonText, PlacesOfKeysAndElements) {
  const JsonText json(
      "{ // a comment\n"
      "  \"geometry\": {\"batch\": 1, \"a\\\"b/c\": [\n"
      "    10, {\"deep\": true},\n"
      "    \"te\\\"xt\", -2.5e3, null]}\n"
      "}",
      "x.json");
  EXPECT_EQ(json.root()["geometry"]["batch"], 1);
  EXPECT_EQ(json.at("/geometry"), "x.json:2:3: /geometry");
  EXPECT_EQ(json.at("/geometry/batch"), "x.json:2:16: /geometry/batch");
  EXPECT_EQ(json.at("/geometry/a\"b~1c"), "x.json:2:28: /geometry/a\"b~1c");
  EXPECT_EQ(json.at("/geometry/a\"b~1c/0"), "x.json:3:5: /geometry/a\"b~1c/0");
  EXPECT_EQ(json.at("/geometry/a\"b~1c/1/deep"), "x.json:3:10: /geometry/a\"b~1c/1/deep");
  EXPECT_EQ(json.at("/geometry/a\"b~1c/2"), "x.json:4:5: /geometry/a\"b~1c/2");
  EXPECT_EQ(json.at("/geometry/a\"b~1c/3"), "x.json:4:15: /geometry/a\"b~1c/3");
  EXPECT_EQ(json.at("/geometry/a\"b~1c/4"), "x.json:4:23: /geometry/a\"b~1c/4");
  EXPECT_EQ(json.at("/geometry/none/of/this"), "x.json:2:3: /geometry/none/of/this");
  EXPECT_EQ(json.at(""), "x.json:1:1:");
}

}  // namespace
}  // namespace vdla
