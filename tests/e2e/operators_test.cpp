// SPDX-License-Identifier: Apache-2.0
// Single operators from graph to engine: the published cases of CMSIS-NN, and the layers of four networks.
#include <fmt/core.h>

#include <map>

#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "tests/compiler/pipeline/cmsis_case.h"
#include "tests/e2e/kit.h"

namespace vdla::e2e {
namespace {

namespace fs = std::filesystem;

fs::path cmsis_folder() { return vdla::testing::data_folder() / "cmsis_nn/json"; }

class Operators : public ::testing::TestWithParam<std::string> {};

TEST_P(Operators, EveryLayerOfFourNetworksIsExact) {
  VDLA_NEED_DATA();
  const auto data = vdla::testing::data_folder() / "mlperf_tiny";
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(data / "layers_tum")) {
    const std::string stem = entry.path().stem().string();
    const auto golden = data / "layers_golden" / (stem + ".out.bin");
    if (entry.path().extension() != ".tflite" || !fs::exists(golden)) continue;
    const graph::Graph g = import::import_model(entry.path());
    std::vector<Bytes> inputs;
    for (std::size_t i = 0; i < g.inputs.size(); ++i)
      inputs.push_back(
          import::read_file(data / "layers_golden" / (stem + ".in" + std::to_string(i) + ".bin")));
    EXPECT_EQ(EngineSession(compile(g, GetParam()), "functional").run(inputs).at(0),
              import::read_file(golden))
        << stem;
    ++compared;
  }
  EXPECT_EQ(compared, 70);
}

INSTANTIATE_TEST_SUITE_P(For, Operators, ::testing::Values("tiny", "paper"), case_name);

/// One operator of the published cases.
struct Row {
  int cases = 0, supported = 0, on_device = 0, exact = 0;
};

class PublishedCases : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

// Prints a row for each operator. What the kit does not know is in the table by name.
TEST_P(PublishedCases, OfCmsisNnAreExact) {
  VDLA_NEED_DATA();
  const auto& [engine, variant] = GetParam();
  VDLA_NEED_ENGINE(engine);
  std::map<std::string, Row> rows;
  for (const auto& entry : fs::directory_iterator(cmsis_folder())) {
    SCOPED_TRACE(entry.path().stem().string());
    Row& row = rows[vdla::testing::cmsis_kind(entry.path())];
    ++row.cases;
    auto c = vdla::testing::cmsis_case(entry.path());
    if (!c) c = vdla::testing::cmsis_case16(entry.path());
    if (!c) c = vdla::testing::cmsis_recurrent(entry.path());
    if (!c) continue;
    ++row.supported;
    const runtime::Module module = compile(c->graph, variant);
    EngineSession session(module, runtime::needs_device(module) ? engine : "");
    for (const auto& inputs : c->before) session.run(inputs);
    const bool exact = session.run(c->inputs).at(0) == c->expected;
    EXPECT_TRUE(exact);
    row.exact += exact;
    // What is packed or broadcast has that in front, on the CPU.
    row.on_device += module.nodes.back().place == "vdla";
  }
  fmt::print("{:36} {:>5} {:>9} {:>5}\n", "operator, " + engine + " " + variant, "cases", "on device",
             "exact");
  for (const auto& [kind, row] : rows) {
    if (row.supported > 0)
      fmt::print("{:36} {:>5} {:>9} {:>5}\n", kind, row.cases, row.on_device, row.exact);
    else
      fmt::print("{:36} {:>5} unsupported\n", kind, row.cases);
    EXPECT_TRUE(row.supported == 0 || row.exact == row.cases) << kind;
  }
  for (const auto& [kind, least] : std::map<std::string, int>{{"conv", 24},
                                                              {"depthwise_conv", 9},
                                                              {"fully_connected", 6},
                                                              {"avg_pool", 3},
                                                              {"max_pool", 7},
                                                              {"add", 1},
                                                              {"maximum", 4},
                                                              {"minimum", 3},
                                                              {"transpose_conv", 8},
                                                              {"batch_matmul", 4}}) {
    EXPECT_GE(rows[kind].cases, least) << kind;
    EXPECT_EQ(rows[kind].on_device, rows[kind].cases) << kind;
  }
  for (const char* kind : {"transpose", "softmax"}) EXPECT_GT(rows[kind].exact, 0) << kind;
}

INSTANTIATE_TEST_SUITE_P(On, PublishedCases,
                         ::testing::Combine(::testing::ValuesIn(engines()),
                                            ::testing::Values("tiny", "paper")),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + std::get<1>(info.param);
                         });

}  // namespace
}  // namespace vdla::e2e
