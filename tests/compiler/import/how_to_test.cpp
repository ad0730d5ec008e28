// SPDX-License-Identifier: Apache-2.0
// docs/how-to/add-an-operator.md: its example is the operator as the importer has it, which does what ONNX
// says; the files that it names exist, and are those that an operator of the graph is in.
#include <gtest/gtest.h>

#include "compiler/evaluate/evaluate.h"
#include "tests/compiler/how_to_page.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::import {
namespace {

constexpr const char* kPage = "add-an-operator.md";

TEST(HowTo, AnOperatorIsAddedAsItsPageSays) {
  const std::string table = "compiler/import/tensor/elementwise.cpp";
  testing::expect_shows(kPage, "\n" + testing::cut(table, "void softsign(", "void elu_value("));
  testing::expect_shows(kPage, testing::cut(table, "{\"Softsign\"", "\n"));
  testing::expect_files_exist(kPage, 8);

  testing::OnnxModel m;
  m.constant("x", onnx::TensorProto::FLOAT, {3}, {-3, 0, 1});
  m.input("unused", {1});
  m.node("Softsign", {"x"}, "y");
  m.output("y");
  const graph::Graph g = testing::import(m);
  const graph::Tensor& y = g.tensor(g.outputs[0].tensor);
  ASSERT_TRUE(y.data);
  const std::vector<float> needed = {-0.75f, 0.f, 0.5f};
  EXPECT_EQ(*y.data, *graph::to_bytes(needed));
}

/// The places that the compiler or a table asks for when an operator is added to the graph: one that all
/// know.
TEST(HowTo, AnOperatorOfTheGraphIsWhereItsPageSays) {
  for (const char* file : {"compiler/graph/tensor_op.h", "compiler/graph/shape_tensor.cpp",
                           "compiler/graph/ops_tensor_index.cpp", "compiler/graph/text/fields.h"}) {
    EXPECT_NE(testing::read_source(file).find("Cumulate"), std::string::npos) << file;
  }
}

}  // namespace
}  // namespace vdla::import
