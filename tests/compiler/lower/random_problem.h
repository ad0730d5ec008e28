// SPDX-License-Identifier: Apache-2.0
// Small operators with inputs and the results of plain loops in C++, for tests with random schedules.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/expr/tensor.h"

namespace vdla::lower {

using Bytes = std::vector<std::byte>;

struct Problem {
  std::string name;
  std::vector<expr::Tensor> inputs, outputs;
  std::vector<Bytes> data, expected;  ///< of inputs and of outputs
  int legal_in = 4;                   ///< at least one of so many random schedules is legal
};

/// Integer sums, declared reductions with two parts, computes with two results, a recurrence, 16-bit floats.
/// All results are the same in any order of evaluation.
std::vector<Problem> random_problems();
Problem random_problem(std::size_t index);
/// Names as those of tests; makes no problem.
std::vector<std::string> random_problem_names();

}  // namespace vdla::lower
