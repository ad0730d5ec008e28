// SPDX-License-Identifier: Apache-2.0
// vdla run --tensors: a folder or an archive with the values of the model's tensors.
#include <nlohmann/json.hpp>

#include "tests/tools/cli.h"
#include "tools/data/npy.h"

namespace vdla::tools {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class TensorFiles : public Cli {
 protected:
  std::string run_digits(const std::string& rest) const {
    return "run " + example("digits.onnx") + " --variant tiny --random-input 3 " + rest;
  }
};

TEST_F(TensorFiles, AreIntegersAndTheRealNumbersThatTheyMean) {
  const Outcome o = run(run_digits("--tensors " + path("t") + " --output " + path("out.npy") + " --json"));
  ASSERT_EQ(o.status, 0) << o.err;
  const json report = json::parse(o.out).at("tensors");
  const json rows = json::parse(read_text(path("t/tensors.json")));
  EXPECT_EQ(report.at("tensors"), rows);
  EXPECT_EQ(report.at("count"), rows.size());
  EXPECT_GT(rows.size(), 20u);
  EXPECT_LT(report.at("recomputed").get<std::size_t>(), rows.size() / 2);
  for (const json& row : rows) {
    const NpyArray integers = read_npy(path("t/" + row.at("file").get<std::string>()));
    EXPECT_EQ(integers.shape, row.at("shape").get<std::vector<std::int64_t>>());
    if (!row.contains("reals")) continue;
    const std::vector<double> values = to_real(integers),
                              reals = to_real(read_npy(path("t/" + row.at("reals").get<std::string>())));
    ASSERT_EQ(values.size(), reals.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_FLOAT_EQ(reals[i],
                      row.at("scale")[0].get<double>() * (values[i] - row.at("zero_point")[0].get<int>()));
  }
  const json& input = rows.front();
  EXPECT_EQ(input.at("name"), "input");
  EXPECT_EQ(input.at("shape"), json({1, 1, 8, 8})) << "channels first, as the model has them";
  EXPECT_EQ(rows.back().at("name"), "dense.dq");
  EXPECT_EQ(read_npy(path("t/dense.dq.real.npy")).bytes, read_npy(path("out.npy")).bytes);
}

TEST_F(TensorFiles, OfAModuleNeedTheNetworkThatItWasCompiledOf) {
  const std::string module = digits("tiny");
  expect_error("run " + module + " --random-input 3 --tensors " + path("t"), {"--model FILE"});
  ASSERT_EQ(run("opt " + example("digits.onnx") + " -o " + path("other.graph")).status, 0);
  expect_error(
      "run " + module + " --random-input 3 --tensors " + path("t") + " --model " + path("other.graph"),
      {"was compiled of another file", "digits.onnx"});
  const Outcome o = run("run " + module + " --random-input 3 --tensors " + path("t.npz") + " --model " +
                        example("digits.onnx"));
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("tensors of the model"));
  ASSERT_EQ(run(run_digits("--tensors " + path("n.npz"))).status, 0);
  EXPECT_EQ(read_text(path("t.npz")), read_text(path("n.npz"))) << "the same bytes for the same values";
}

TEST_F(TensorFiles, AreWrittenOverNothing) {
  ASSERT_EQ(run(run_digits("--tensors " + path("t"))).status, 0);
  expect_error(run_digits("--tensors " + path("t")), {"is no empty folder"});
}

TEST_F(TensorFiles, AreRefusedBesideWhatNeedsTheOtherTrace) {
  for (const char* flag :
       {"--timing-only --engine systemc", "--timeline t.json --engine systemc", "--record r.json"})
    EXPECT_NE(run(run_digits("--tensors " + path("t") + " " + flag)).status, 0) << flag;
}

}  // namespace
}  // namespace vdla::tools
