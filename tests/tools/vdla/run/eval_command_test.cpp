// SPDX-License-Identifier: Apache-2.0
// vdla eval: every output is compared; labels and recorded outputs belong to the inputs of their names.
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/tools/cli.h"
#include "tools/data/npy.h"

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
  NpyArray images = read_npy(example("images.npy"));
  images.bytes.resize(64 * images.item_bytes());
  images.shape = {1, 1, 8, 8};
  write_npy(path("one.npy"), images);
  const std::string inputs = " --inputs " + path("one.npy");
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
    const int equal = nlohmann::json::parse(outcome.out)["golden_exact"].get<int>();
    EXPECT_EQ(outcome.status, equal == 1 ? 0 : 1) << outcome.out << outcome.err;
    return equal;
  };
  EXPECT_EQ(exact(values), 1);
  values.back() += 1;
  EXPECT_EQ(exact(values), 0) << "a difference in the last value of the last output is not seen";
  values.resize(10);
  write_file(path("golden.csv"), "one,0,1,2,3,4,5,6,7,8,9\n");
  expect_error("eval " + module + inputs + " --golden " + path("golden.csv"),
               {"10 values", "outputs 'dense.dq'"});
  expect_error("eval " + module + inputs + " --output " + path("all.npy"),
               {"2 outputs", "is one array, and model"});
}

/// A network that adds its input to what it kept.
class EvalStates : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    write_file(path("total.graph"),
               "graph \"total\"\n"
               "input %0 \"x\": float32[1, 2]\n"
               "state %1 \"kept\": float32[1, 2] = [10, 20]\n"
               "%2 \"sum\": float32[1, 2] = map \"add\"(%0, %1) {function = \"Add\", body = \"x0 + x1\"}\n"
               "output %2\n"
               "next %1 = %2\n");
    std::vector<std::byte> bytes(6 * sizeof(float));
    const float values[] = {1, 2, 3, 4, 5, 6};
    std::memcpy(bytes.data(), values, sizeof values);
    write_npy(path("x.npy"), {"<f4", {3, 2}, bytes});
  }

  std::vector<float> sums(const std::string& flags) {
    const Outcome outcome = run("eval " + path("total.graph") + " --target cpu --inputs " + path("x.npy") +
                                " --output " + path("y.npy") + flags);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const NpyArray y = read_npy(path("y.npy"));
    std::vector<float> values(6);
    std::memcpy(values.data(), y.bytes.data(), y.bytes.size());
    return values;
  }
};

TEST_F(EvalStates, AnInputGoesOnFromTheOneBefore) {
  EXPECT_EQ(sums(""), (std::vector<float>{11, 22, 14, 26, 19, 32}));
}

TEST_F(EvalStates, EachInputBeginsAnewWhereThatIsWanted) {
  EXPECT_EQ(sums(" --reset-state"), (std::vector<float>{11, 22, 13, 24, 15, 26}));
}

TEST_F(EvalStates, AModuleKeepsThemAndExplainNamesThem) {
  ASSERT_EQ(run("compile " + path("total.graph") + " --target cpu -o " + path("total.vdla")).status, 0);
  const auto explained = nlohmann::json::parse(run("explain --json " + path("total.vdla")).out);
  ASSERT_EQ(explained["states"].size(), 1u);
  EXPECT_EQ(explained["states"][0]["name"], "kept");
  EXPECT_THAT(run("explain " + path("total.vdla")).out,
              ::testing::HasSubstr("values kept from one run to the next: 1"));
}

/// Six pictures of digits in files of their own, labels and outputs as the network gives them.
class EvalTables : public Cli {
 protected:
  static constexpr int kImages = 6;

  void SetUp() override {
    Cli::SetUp();
    module_ = digits();
    std::filesystem::create_directories(path("in"));
    const NpyArray images = read_npy(example("images.npy"));
    const std::size_t bytes = 64 * images.item_bytes();
    for (int i = 0; i < kImages; ++i) {
      const auto begin =
          images.bytes.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * bytes);
      write_npy(path("in/d" + std::to_string(i) + ".npy"),
                {images.type, {1, 1, 8, 8}, {begin, begin + static_cast<std::ptrdiff_t>(bytes)}});
      const auto ran = json("run " + module_ + " --input " + path("in/d" + std::to_string(i) + ".npy"));
      const auto& output = ran["outputs"][0];
      labels_.push_back("d" + std::to_string(i) + "," + output["top"][0]["class"].dump() + "\n");
      std::string row = "d" + std::to_string(i) + ".npy";
      for (const auto& value : output["values"]) row += "," + value.dump();
      goldens_.push_back(row + "\n");
    }
  }

  nlohmann::json json(const std::string& arguments, int status = 0) const {
    const Outcome outcome = run(arguments + " --json");
    EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
  /// A table of these rows of the others, in this order.
  std::string table(const std::vector<std::string>& rows, const std::vector<std::size_t>& order) const {
    std::string text;
    for (const std::size_t i : order) text += rows.at(i);
    write_file(path("t.csv"), text);
    return path("t.csv");
  }
  std::string eval() const { return "eval " + module_ + " --inputs " + path("in") + " "; }

  std::string module_;
  std::vector<std::string> labels_, goldens_;
};

TEST_F(EvalTables, SwappedRowsOfLabelsAndRecordedOutputsChangeNothing) {
  for (const std::vector<std::size_t>& order :
       {std::vector<std::size_t>{0, 1, 2, 3, 4, 5}, {5, 3, 1, 0, 2, 4}}) {
    EXPECT_EQ(json(eval() + "--labels " + table(labels_, order))["correct"], kImages);
    const auto out = json(eval() + "--golden " + table(goldens_, order));
    EXPECT_EQ(out["golden_exact"], kImages);
    EXPECT_EQ(out["matched"]["recorded outputs"]["by"], "name");
  }
}

TEST_F(EvalTables, SaysWhatItMatched) {
  const std::string labels = table(labels_, {5, 4, 3, 2, 1, 0});
  EXPECT_THAT(run(eval() + "--labels " + labels).out,
              ::testing::HasSubstr("labels: 6 of 6 matched by name\n"));
  const Outcome batch =
      run("eval " + module_ + " --inputs " + example("images.npy") + " --labels " + example("labels.csv"));
  EXPECT_EQ(batch.status, 0);
  EXPECT_THAT(batch.out,
              ::testing::HasSubstr("labels: 48 of 48 matched by order, since no row names an input"));
}

TEST_F(EvalTables, RecordedOutputsThatDifferEndWithStatusOne) {
  goldens_[2] = "d2.npy,0,0,0,0,0,0,0,0,0,0\n";
  const auto out = json(eval() + "--golden " + table(goldens_, {0, 1, 2, 3, 4, 5}), 1);
  EXPECT_EQ(out["golden_exact"], kImages - 1);
  EXPECT_EQ(out["first_difference"], "d2");
}

TEST_F(EvalTables, ALabelThatTheNetworkHasNoClassForIsRefused) {
  labels_[1] = "d1,10\n";
  expect_error(eval() + "--labels " + table(labels_, {0, 1, 2, 3, 4, 5}),
               {"t.csv:2", "label 10", "'dense.dq' has 10, 0 to 9"});
}

TEST_F(EvalTables, RowsOfNoInputNeedAFlag) {
  expect_error(eval() + "--limit 2 --labels " + table({labels_[0], labels_[1], "x,1\n"}, {0, 1, 2}),
               {"t.csv:3", "'x'", "--subset"});
  expect_error(eval() + "--labels " + table(labels_, {0, 1, 2, 3, 5}), {"input 'd4' has no row"});
  expect_error(eval() + "--labels " + table(labels_, {0, 1, 2, 3, 4, 5, 0}), {"t.csv:7", "'d0'", "line 1"});
  labels_.push_back("x,1\n");
  EXPECT_EQ(json(eval() + "--subset --labels " + table(labels_, {6, 5, 4, 3, 2, 1, 0}))["correct"], kImages);
}

TEST_F(EvalTables, NamesOfABatchComeFromAFile) {
  std::string names;
  for (int i = 0; i < 48; ++i) names += "n" + std::to_string(i) + "\n";
  write_file(path("names.txt"), names);
  const std::string batch =
      "eval " + module_ + " --limit 6 --inputs " + example("images.npy") + " --names " + path("names.txt");
  for (std::string& row : labels_) row[0] = 'n';
  EXPECT_EQ(json(batch + " --labels " + table(labels_, {5, 3, 1, 0, 2, 4}))["correct"], kImages);
}

/// Labels 0 to 999 of a network of 1001 classes, the first of them the background, were each one too small.
TEST_F(EvalTables, LabelsThatLeaveOutTheLastClassAreSaid) {
  std::string all, low;
  for (std::size_t i = 0; i < kImages; ++i) {
    all += "d" + std::to_string(i) + "," + std::to_string(i == 0 ? 9 : 0) + "\n";
    low += "d" + std::to_string(i) + "," + std::to_string(i == 0 ? 8 : 0) + "\n";
  }
  write_file(path("all.csv"), all);
  write_file(path("low.csv"), low);
  EXPECT_THAT(run(eval() + "--labels " + path("all.csv")).out,
              ::testing::Not(::testing::HasSubstr("of the network's")));
  EXPECT_THAT(
      run(eval() + "--labels " + path("low.csv")).out,
      ::testing::HasSubstr("labels: 0 to 8, 2 of the network's 10 classes; if class 0 is the background, "
                           "labels of a list without it are one too small, add 1 to each\n"));
  const auto used = json(eval() + "--labels " + path("low.csv"))["matched"]["labels"]["classes"];
  EXPECT_EQ(used, nlohmann::json::parse(R"({"lowest": 0, "highest": 8, "used": 2, "of": 10})"));
  write_file(path("classes.txt"), "background\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n");
  write_file(path("low.csv"), "d0,1\nd1,0\nd2,0\nd3,0\nd4,0\nd5,0\n");
  EXPECT_THAT(
      run(eval() + "--labels " + path("low.csv") + " --classes " + path("classes.txt")).out,
      ::testing::HasSubstr("labels: 0 to 1, 2 of the network's 10 classes; class 0 is 'background': labels "
                           "of a list without it are one too small, add 1 to each\n"));
}

TEST_F(EvalTables, ResultsOfEachClass) {
  write_file(path("classes.txt"), "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n");
  const int truth = labels_[0][3] - '0', wrong = (truth + 1) % 10;
  labels_[0] = "d0," + std::to_string(wrong) + "\n";
  const std::string command =
      eval() + "--classes " + path("classes.txt") + " --labels " + table(labels_, {0, 1, 2, 3, 4, 5});
  const auto out = json(command);
  EXPECT_EQ(out["correct"], kImages - 1);
  std::size_t count = 0;
  for (const auto& row : out["classes"]) {
    count += row["count"].get<std::size_t>();
    if (row["class"] != wrong) continue;
    EXPECT_EQ(row["most_confused_with"]["class"], truth);
    EXPECT_EQ(row["most_confused_with"]["count"], 1);
    EXPECT_TRUE(row["most_confused_with"].contains("name"));
  }
  EXPECT_EQ(count, kImages);
  EXPECT_THAT(run(command + " --per-class").out, ::testing::HasSubstr("most often taken for"));
  expect_error(eval() + "--per-class", {"--per-class", "--labels"});
  write_file(path("classes.txt"), "zero\none\n");
  expect_error(command, {"classes.txt", "2 names", "10 classes"});
}

TEST_F(EvalTables, RunPrintsTheFiveHighestScoresWithNames) {
  write_file(path("classes.txt"), "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n");
  const std::string command =
      "run " + module_ + " --input " + path("in/d0.npy") + " --classes " + path("classes.txt");
  const auto output = json(command)["outputs"][0];
  ASSERT_EQ(output["top"].size(), 5u);
  std::vector<double> values = output["values"];
  for (const auto& top : output["top"]) {
    const auto best = std::ranges::max_element(values);
    EXPECT_EQ(top["class"], best - values.begin());
    EXPECT_EQ(top["value"], *best);
    EXPECT_EQ(top["score"], *best) << "the model's output is real already";
    *best = -1e9;
  }
  EXPECT_THAT(run(command).out, ::testing::ContainsRegex("class +score\n  [0-9] '[a-z]+' "));
}

}  // namespace
}  // namespace vdla::tools
