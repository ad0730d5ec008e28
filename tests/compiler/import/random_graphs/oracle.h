// SPDX-License-Identifier: Apache-2.0
// Another implementation of ONNX in a process of its own (bench/onnxruntime/random_graphs.mjs).
#pragma once

#include <string>
#include <vector>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {

struct Answer {
  std::vector<std::pair<std::string, import::Array>> outputs;
  std::string refused;  ///< not empty: why there are no outputs
};

class Oracle {
 public:
  /// Started by the shell.
  explicit Oracle(std::string command) : command_(std::move(command)) {}
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;
  ~Oracle() { stop(); }

  /// Starts the process again where it has ended; the answer says so.
  Answer ask(const Drawn& drawn);

 private:
  void start();
  void stop();
  bool send(const std::string& bytes);
  bool receive(void* to, std::size_t count);

  std::string command_;
  int process_ = -1, to_ = -1, from_ = -1;
};

}  // namespace vdla::random_graphs
