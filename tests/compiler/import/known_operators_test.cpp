// SPDX-License-Identifier: Apache-2.0
// The list of operators is that of what the importers take.
#include "compiler/import/known_operators.h"

#include <gmock/gmock.h>
#include <onnx/defs/schema.h>

#include <set>

#include "compiler/import/tflite/model.h"
#include "support/error.h"
#include "tests/compiler/import/onnx_builder.h"
#include "tests/compiler/import/tflite/chain.h"

namespace vdla::import {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::set<std::string> listed(std::initializer_list<OperatorFormat> formats) {
  std::set<std::string> names;
  for (const KnownOperator& o : known_operators())
    if (std::ranges::find(formats, o.format) != formats.end()) names.insert(o.name);
  return names;
}

/// Message of the refusal; empty: the model is taken.
template <class Import>
std::string refusal(const Import& import) {
  try {
    import();
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

TEST(KnownOperators, OfTfliteAreThoseThatTheImporterKnows) {
  const std::set<std::string> names = listed({OperatorFormat::TfLite});
  std::size_t built_in = 0;
  for (int code = 0; code < 220; ++code) {
    if (code == tflite::kCustom) continue;
    const std::string name = tflite::operator_name(code);
    const auto file = testing::chain({{"x"}, {"y"}}, {{code, {0}, {1}}});
    const std::string message = refusal([&] { import_tflite(file, "built.tflite"); });
    built_in += names.contains(name) ? 1 : 0;
    if (names.contains(name))
      EXPECT_THAT(message, Not(HasSubstr("is not known to this kit"))) << name;
    else
      EXPECT_THAT(message, HasSubstr("is not known to this kit")) << name;
  }
  EXPECT_GT(built_in, 100u);
}

TEST(KnownOperators, OfOnnxAreThoseThatTheImporterKnows) {
  const std::set<std::string> names = listed({OperatorFormat::Onnx, OperatorFormat::QOperator});
  std::size_t looked_at = 0;
  for (const auto& schema : onnx::OpSchemaRegistry::get_all_schemas()) {
    if (!schema.domain().empty() || schema.deprecated()) continue;
    ++looked_at;
    testing::OnnxModel m;
    m.input("x", {2});
    m.node(schema.Name(), {"x"}, "y");
    m.output("y");
    const std::string message = refusal([&] { testing::import(m); });
    const bool refused = message.find("does not know the operator") != std::string::npos ||
                         message.find("is out of scope") != std::string::npos;
    // What a set lacks, and what has other inputs, is refused for that before.
    if (refused) EXPECT_FALSE(names.contains(schema.Name())) << message;
    if (message.empty()) EXPECT_TRUE(names.contains(schema.Name())) << schema.Name();
  }
  EXPECT_GT(looked_at, 100u);
}

TEST(KnownOperators, EachIsListedOnceInItsFormat) {
  std::set<std::pair<OperatorFormat, std::string>> seen;
  for (const KnownOperator& o : known_operators())
    EXPECT_TRUE(seen.emplace(o.format, o.name).second) << o.name << " is listed twice";
  EXPECT_TRUE(seen.contains({OperatorFormat::QOperator, "QLinearConv"}));
  EXPECT_TRUE(seen.contains({OperatorFormat::Qonnx, "Quant"}));
  EXPECT_TRUE(seen.contains({OperatorFormat::Microsoft, "FusedConv"}));
}

}  // namespace
}  // namespace vdla::import
