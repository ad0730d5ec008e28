// SPDX-License-Identifier: Apache-2.0
// One case of ONNX's suite: its recorded tensors, a run, the comparison, and what is thrown as a verdict.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "kit/kernels/kernel_device.h"
#include "support/error.h"

namespace vdla::tools {

enum class Verdict : std::uint8_t { Pass, Unsupported, OutOfScope, Fail };
std::string_view name_of(Verdict verdict);

struct SuiteCase {
  /// Name of the folder less "test_"; operator of the node, or of the nodes' common origin.
  std::string name, op;
  Verdict verdict = Verdict::Fail;
  std::string message;             ///< why it is no pass
  std::vector<std::string> bound;  ///< inputs that became constants
  /// Steps that a run computes; none where the outputs are constants or inputs.
  std::size_t steps = 0;
};

struct SuiteOptions {
  bool interpret = false;                     ///< the loop IR interpreter instead of machine code
  const kit::KernelDevice* device = nullptr;  ///< kernels on this one instead of machine code
  std::string only;                           ///< cases whose name holds this; empty: all
  /// Float inputs and outputs pass through quantisation, once to int8 and once to uint8.
  bool between_qdq = false;
  std::size_t draw = 0;  ///< number of the cases, drawn by `seed`; 0: all
  std::uint64_t seed = 0;
  /// Tolerances of ONNX's own runner for floats: |have - want| <= atol + rtol * |want|. Integers are equal.
  double rtol = 1e-3, atol = 1e-7;
};

/// A file of a case is missing or corrupt, which says nothing of this kit.
struct BadCase : UserError {
  using UserError::UserError;
};

/// Recorded inputs of a case.
struct DataSet {
  std::map<std::string, import::Array> inputs;
  std::map<std::string, std::string> unread;  ///< inputs whose file is missing or corrupt, and why
};
DataSet read_data_set(const graph::Bytes& model, const std::string& name,
                      const std::filesystem::path& folder);
/// The files KIND_0.pb, KIND_1.pb ... of a folder.
std::vector<import::Array> read_tensors(const std::filesystem::path& folder, const char* kind);

/// Imports; inputs that an operator needs to know are bound to this data set's, and `bound` names them.
graph::Graph import_case(const graph::Bytes& model, const std::string& name, const DataSet& data,
                         std::vector<std::string>& bound);
/// Values for the inputs of a graph, in order.
std::vector<graph::Bytes> inputs_of(const graph::Graph& graph, const DataSet& data);

struct Ran {
  std::vector<graph::Bytes> outputs;  ///< outputs in the model's types, cut to the extents of the run
  std::vector<graph::Shape> shapes;   ///< their shapes
  std::size_t steps = 0;
};
Ran run_case(const graph::Graph& graph, const std::vector<graph::Bytes>& inputs, const SuiteOptions& options);

/// Says what differs between results of a graph and recorded ones; empty where nothing does.
std::string compare_case(const graph::Graph& graph, const Ran& ran, const std::vector<import::Array>& want,
                         const SuiteOptions& options);

/// Calls `work` and turns what it throws into a verdict.
void judge_case(SuiteCase& result, const std::function<void()>& work);

}  // namespace vdla::tools
