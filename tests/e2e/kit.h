// SPDX-License-Identifier: Apache-2.0
// The kit as one tool for end-to-end tests: a graph compiled for the device or the CPU, run on an engine by
// name, or on the loop IR interpreter.
#pragma once

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/compile.h"
#include "kit/session.h"
#include "runtime/module/module.h"
#include "tests/compiler/import/data.h"
#include "tools/data/input.h"

namespace vdla::e2e {

using runtime::Bytes;

/// The engines, each with the sentence that says why this build does not have it; empty: it has.
std::string absent(const std::string& engine);
std::vector<std::string> engines();          ///< all names
std::vector<std::string> present_engines();  ///< those that this build has

#define VDLA_NEED_ENGINE(name) \
  if (const std::string why = ::vdla::e2e::absent(name); !why.empty()) GTEST_SKIP() << why

graph::Graph import_data(const std::string& path_in_data);

/// Compiled, written as a module file and read back. `variant` "cpu": for the CPU alone.
runtime::Module compile(const graph::Graph& graph, const std::string& variant = "paper",
                        const std::set<std::string>& on_cpu = {});
runtime::Module compile(const graph::Graph& graph, const isa::Variant& variant);
runtime::Module compile_with(const graph::Graph& graph, const pipeline::CompileOptions& options);

/// A module on an engine ("" for one without device steps).
class EngineSession {
 public:
  EngineSession(const runtime::Module& module, const std::string& engine,
                const kit::SessionOptions& options = {});

  /// The outputs in the graph's own form (int8, NHWC).
  std::vector<Bytes> run(const std::vector<Bytes>& inputs) { return session_.run(inputs).outputs; }
  /// The first output in the model file's own form.
  Bytes run_model(const Bytes& input) { return session_.run_model({input}).outputs.at(0); }
  kit::Session& session() { return session_; }

 private:
  kit::Session session_;
};

/// Inputs of a file or folder in the model's own form, at most `limit`.
std::vector<tools::Sample> samples(const runtime::Module& module, const std::filesystem::path& path,
                                   std::size_t limit = SIZE_MAX);
/// Seeded random inputs.
std::vector<tools::Sample> random_samples(const runtime::Module& module, std::size_t count);

/// Sample by sample: the interpreter, the CPU target and every engine that this build has give the same
/// bytes. Returns how many runs were compared.
std::size_t expect_same_everywhere(const graph::Graph& graph, const std::vector<tools::Sample>& samples,
                                   const std::vector<std::string>& on, const std::string& variant = "paper");

/// The name of a parametrised case.
std::string case_name(const ::testing::TestParamInfo<std::string>& info);

}  // namespace vdla::e2e
