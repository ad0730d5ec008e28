// SPDX-License-Identifier: Apache-2.0
// ONNX files as exporters write them: constants beside the model, nodes in any order, branches whose
// condition is known, extents that are free.
#include <gmock/gmock.h>

#include <cstring>
#include <fstream>

#include "compiler/import/file.h"
#include "compiler/pipeline/reference.h"
#include "support/error.h"
#include "support/temporary.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::import {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr int kReal = onnx::TensorProto::FLOAT;

/// Elements of the graph's only output for inputs of floats.
std::vector<float> computed(const graph::Graph& g, const std::vector<std::vector<float>>& inputs) {
  std::vector<graph::Bytes> bytes;
  for (const auto& x : inputs) bytes.push_back(*graph::to_bytes(x));
  const graph::Bytes out = pipeline::Reference(g).run(bytes).at(0);
  std::vector<float> result(out.size() / sizeof(float));
  std::memcpy(result.data(), out.data(), out.size());
  return result;
}

class ExternalData : public ::testing::Test {
 protected:
  /// x + w, where w lies in a file.
  ExternalData() {
    model_.input("x", {2});
    onnx::TensorProto& w = model_.constant("w", kReal, {2}, {});
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    model_.node("Add", {"x", "w"}, "y");
    model_.output("y");
    write(weights_, {9, 9, 2, 3, 9});
  }

  void entry(const std::string& key, const std::string& value) {
    auto& e = *model_.proto().mutable_graph()->mutable_initializer(0)->add_external_data();
    e.set_key(key);
    e.set_value(value);
  }
  static void write(const std::filesystem::path& path, const std::vector<float>& values) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
  }
  graph::Graph imported() {
    std::ofstream(path_, std::ios::binary) << model_.proto().SerializeAsString();
    return import_model(path_);
  }

  Temporary folder_{::testing::TempDir(), Temporary::Kind::Folder, "model"};
  std::filesystem::path path_ = folder_.path() / "net.onnx", weights_ = folder_.path() / "net.onnx.data";
  testing::OnnxModel model_;
};

TEST_F(ExternalData, IsReadFromTheModelsFolder) {
  entry("location", "net.onnx.data");
  entry("offset", "8");
  entry("length", "8");
  EXPECT_THAT(computed(imported(), {{10, 20}}), ElementsAre(12, 23));
}

TEST_F(ExternalData, MayLieInAFolderBelow) {
  std::filesystem::create_directory(folder_.path() / "weights");
  write(folder_.path() / "weights/w", {5, 6});
  entry("location", "weights/w");
  EXPECT_THAT(computed(imported(), {{10, 20}}), ElementsAre(15, 26));
}

TEST_F(ExternalData, MayNotLieElsewhere) {
  const Temporary other(::testing::TempDir(), Temporary::Kind::Folder, "other");
  write(other.path() / "w", {1, 2});
  std::filesystem::create_symlink(other.path() / "w", folder_.path() / "link");
  const std::string up = "../" + other.path().filename().string() + "/w";
  for (const std::string& location :
       {(other.path() / "w").string(), up, std::string("link"), std::string(".."), std::string(".")}) {
    model_.proto().mutable_graph()->mutable_initializer(0)->clear_external_data();
    entry("location", location);
    EXPECT_THAT([&] { imported(); },
                ThrowsMessage<UserError>(
                    AllOf(HasSubstr("constant 'w'"), HasSubstr("needs a file in the model's folder"))))
        << location;
  }
}

TEST_F(ExternalData, ThatIsNotWholeIsRefused) {
  struct Case {
    const char *location, *offset, *length, *words;
  };
  for (const Case& c :
       {Case{"gone", "0", "8", "gone"}, Case{"net.onnx.data", "16", "8", "which has 20 bytes"},
        Case{"net.onnx.data", "99", "8", "which has 20 bytes"},
        Case{"net.onnx.data", "-4", "8", "offset '-4', needs a number"},
        Case{"net.onnx.data", "0", "4", "has 4 bytes, its shape needs 8"}}) {
    model_.proto().mutable_graph()->mutable_initializer(0)->clear_external_data();
    entry("location", c.location);
    entry("offset", c.offset);
    entry("length", c.length);
    EXPECT_THAT([&] { imported(); }, ThrowsMessage<UserError>(HasSubstr(c.words))) << c.words;
  }
}

TEST(OnnxFiles, NodesMayStandInAnyOrder) {
  testing::OnnxModel m;
  m.input("x", {2});
  m.node("Mul", {"b", "b"}, "y");
  m.node("Add", {"a", "x"}, "b");
  m.node("Neg", {"x"}, "a0");
  m.node("Relu", {"a0"}, "a");
  m.output("y");
  EXPECT_THAT(computed(testing::import(m), {{-3, 2}}), ElementsAre(0, 4));
}

TEST(OnnxFiles, ACircleIsNamed) {
  testing::OnnxModel m;
  m.input("x", {2});
  m.node("Add", {"x", "b"}, "a");
  m.node("Neg", {"a"}, "b");
  m.output("b");
  EXPECT_THAT([&] { testing::import(m); },
              ThrowsMessage<UserError>(HasSubstr("is read before any node writes it")));
}

/// `then` and `otherwise` are functions of x, which stands around them.
void add_if(testing::OnnxModel& m, const std::string& condition, const std::string& output, const char* then,
            const char* otherwise) {
  onnx::NodeProto& node = m.node("If", {condition}, output);
  for (const auto& [name, op] : {std::pair{"then_branch", then}, std::pair{"else_branch", otherwise}}) {
    auto& a = *node.add_attribute();
    a.set_name(name);
    a.set_type(onnx::AttributeProto::GRAPH);
    onnx::NodeProto& inner = *a.mutable_g()->add_node();
    inner.set_op_type(op);
    inner.add_input("x");
    inner.add_output(output + "_" + name);
    a.mutable_g()->add_output()->set_name(output + "_" + name);
  }
}

TEST(OnnxFiles, AnIfOfKnownConditionIsItsBranch) {
  for (const bool rank_is_one : {true, false}) {
    testing::OnnxModel m;
    m.input("x", {2});
    m.node("Shape", {"x"}, "shape");
    m.node("Size", {"shape"}, "rank");
    m.constant("wanted", onnx::TensorProto::INT64, {}, {rank_is_one ? 1.0 : 2.0});
    m.node("Equal", {"rank", "wanted"}, "condition");
    add_if(m, "condition", "y", "Neg", "Abs");
    m.output("y");
    EXPECT_THAT(computed(testing::import(m), {{-3, 2}}),
                rank_is_one ? ElementsAre(3, -2) : ElementsAre(3, 2));
  }
}

TEST(OnnxFiles, BranchesAreNested) {
  testing::OnnxModel m;
  m.input("x", {2});
  m.constant("yes", onnx::TensorProto::BOOL, {}, {1});
  add_if(m, "yes", "y", "Neg", "Abs");
  testing::OnnxModel inner;
  inner.constant("no", onnx::TensorProto::BOOL, {}, {0});
  add_if(inner, "no", "z", "Neg", "Abs");
  auto& branch = *m.proto().mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_g();
  branch = inner.proto().graph();
  branch.add_output()->set_name("z");
  m.output("y");
  EXPECT_THAT(computed(testing::import(m), {{-3, 2}}), ElementsAre(3, 2));
}

TEST(OnnxFiles, AConditionThatIsComputedIsNamedWithItsInput) {
  testing::OnnxModel m;
  m.input("x", {2});
  m.node("ReduceSum", {"x"}, "sum");
  m.constant("zero", kReal, {}, {0});
  m.node("Greater", {"sum", "zero"}, "condition");
  add_if(m, "condition", "y", "Neg", "Abs");
  m.output("y");
  EXPECT_THAT([&] { testing::import(m); },
              ThrowsMessage<NeedsConstant>(
                  AllOf(HasSubstr("If at node 'y_node'"), HasSubstr("condition"), HasSubstr("input x"))));
}

TEST(OnnxFiles, FreeExtentsAreGiven) {
  testing::OnnxModel m;
  auto& info = *m.proto().mutable_graph()->add_input();
  info.set_name("x");
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(kReal);
  type.mutable_shape()->add_dim()->set_dim_param("batch");
  type.mutable_shape()->add_dim()->set_dim_param("length");
  type.mutable_shape()->add_dim()->set_dim_value(2);
  m.node("Neg", {"x"}, "y");
  m.output("y");
  EXPECT_THAT([&] { testing::import(m); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("input 'x'"), HasSubstr("--shape"))));
  ImportOptions options;
  options.shapes["x"] = {1, 3, 2};
  EXPECT_EQ(testing::import(m, options).tensors[0].shape, (graph::Shape{1, 3, 2}));
  for (const graph::Shape& wrong : {graph::Shape{1, 3, 4}, graph::Shape{1, 3}}) {
    options.shapes["x"] = wrong;
    EXPECT_THAT([&] { testing::import(m, options); },
                ThrowsMessage<UserError>(HasSubstr("is declared batchxlengthx2")));
  }
  options.shapes = {{"x", {1, 3, 2}}, {"z", {1}}};
  EXPECT_THAT([&] { testing::import(m, options); },
              ThrowsMessage<UserError>(HasSubstr("has no input 'z' that could have a shape")));
}

}  // namespace
}  // namespace vdla::import
