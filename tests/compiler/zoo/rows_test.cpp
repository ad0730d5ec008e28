// SPDX-License-Identifier: Apache-2.0
// The table of lowering of CPUs over the functions of whole networks: who watches a compile has each row
// verified, and the rules of all rows so far with it.
#include <gtest/gtest.h>

#include <set>

#include "compiler/import/import.h"
#include "compiler/observe/pass_list.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/compile.h"
#include "compiler/zoo/zoo.h"

namespace vdla {
namespace {

class RowsOfNetworks : public testing::TestWithParam<std::tuple<const char*, zoo::Form>> {};

TEST_P(RowsOfNetworks, KeepTheirRulesInEachFunction) {
  const auto& [name, form] = GetParam();
  const std::string bytes = zoo::make_onnx(name, 1, form);
  pipeline::CompileOptions options;
  options.use_device = false;
  options.machine_code = false;
  std::set<std::string> functions;
  unsigned rows = 0;
  options.observer = [&](const pipeline::PassResult& result) {
    if (result.pass < pipeline::Pass::Tensorize || result.pass > pipeline::Pass::Unroll) return;
    functions.emplace(result.function);
    ++rows;
  };
  const pipeline::CompiledModel model =
      compile(import::import_onnx(std::as_bytes(std::span(bytes)), name), options);
  EXPECT_GE(functions.size(), 8u);
  EXPECT_EQ(rows, model.steps.size() * passes::cpu_target().rows.size());
}
INSTANTIATE_TEST_SUITE_P(Zoo, RowsOfNetworks,
                         testing::Combine(testing::Values("resnet8", "mobilenet_v1"),
                                          testing::Values(zoo::Form::Qdq, zoo::Form::Float)),
                         [](const auto& info) {
                           return std::get<0>(info.param) +
                                  std::string(std::get<1>(info.param) == zoo::Form::Qdq ? "_int8" : "_float");
                         });

}  // namespace
}  // namespace vdla
