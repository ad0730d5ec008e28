// SPDX-License-Identifier: Apache-2.0
// vdla eval on a model with more than one output.
#include <onnx/onnx_pb.h>

#include <nlohmann/json.hpp>

#include "tests/tools/cli.h"
#include "tools/vdla/npy.h"

namespace vdla::tools {
namespace {

class EvalOutputs : public Cli {
 protected:
  /// The digits network with the sum in its middle as a second output.
  std::string two_outputs() const {
    onnx::ModelProto model;
    EXPECT_TRUE(model.ParseFromString(read_text(example("digits.onnx"))));
    onnx::GraphProto& graph = *model.mutable_graph();
    for (const onnx::NodeProto& node : graph.node()) {
      if (node.name() != "add.dequantize") continue;
      onnx::ValueInfoProto& output = *graph.add_output();
      output.set_name(node.output(0));
      output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    }
    EXPECT_EQ(graph.output_size(), 2);
    write_file(path("two.onnx"), model.SerializeAsString());
    const Outcome outcome = run("compile " + path("two.onnx") + " -o " + path("two.vdla"));
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    return path("two.vdla");
  }
};

TEST_F(EvalOutputs, EveryOutputIsComparedNotTheFirstAlone) {
  const std::string module = two_outputs();
  const std::string inputs = " --limit 1 --inputs " + example("images.npy");
  NpyArray images = read_npy(example("images.npy"));
  images.bytes.resize(64 * images.item_bytes());
  images.shape = {1, 1, 8, 8};
  write_npy(path("one.npy"), images);
  const Outcome ran = run("run " + module + " --json --input " + path("one.npy"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  std::vector<double> values;
  const auto object = nlohmann::json::parse(ran.out);
  for (const auto& output : object["outputs"])
    for (const auto& value : output["values"]) values.push_back(value.get<double>());
  const auto exact = [&](const std::vector<double>& recorded) {
    std::string row = "one";
    for (const double value : recorded) row += "," + nlohmann::json(value).dump();
    write_file(path("golden.csv"), row + "\n");
    const Outcome outcome = run("eval " + module + inputs + " --json --golden " + path("golden.csv"));
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    return nlohmann::json::parse(outcome.out)["golden_exact"].get<int>();
  };
  EXPECT_EQ(exact(values), 1);
  values.back() += 1;
  EXPECT_EQ(exact(values), 0) << "a difference in the last value of the last output is not seen";
  values.resize(10);
  write_file(path("golden.csv"), "one,0,1,2,3,4,5,6,7,8,9\n");
  expect_error("eval " + module + inputs + " --golden " + path("golden.csv"),
               {"10 values", "outputs 'dense'"});
  expect_error("eval " + module + inputs + " --output " + path("all.npy"),
               {"2 outputs", "--output takes one"});
}

}  // namespace
}  // namespace vdla::tools
