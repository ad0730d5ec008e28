// SPDX-License-Identifier: Apache-2.0
// A module's outputs as numbers and as text for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/module/module.h"

namespace vdla::tools {

/// Classes of an output that are printed.
inline constexpr std::size_t kTopClasses = 5;

/// The model's output values as numbers, in its own type.
std::vector<double> output_values(const runtime::Port& port, const runtime::Bytes& bytes);

/// Index of the largest value, the first of equals.
std::size_t argmax(const std::vector<double>& values);

/// NumPy's name of a port's type.
std::string npy_type(runtime::DataType type);

/// Names of classes, by index; empty: not known.
using ClassNames = std::vector<std::string>;

/// "3 'cat'", or "3".
std::string class_text(const ClassNames& names, std::size_t index);

/// One value for each class: a vector, whatever extents of 1 stand around it.
bool is_vector(const runtime::Port& output);

struct Scored {
  std::size_t index = 0;
  double value = 0;  ///< value in the model's type
  double score = 0;  ///< the real number that the value stands for
};

/// The `count` largest, the first of equals first.
std::vector<Scored> largest(const runtime::Module& module, const runtime::Port& output,
                            const std::vector<double>& values, std::size_t count);

void print_scores(const std::vector<Scored>& scores, const ClassNames& names);

/// The first values of each output, and the classes with the highest scores; the names are of the first
/// output's classes.
void print_outputs(const runtime::Module& module, const std::vector<runtime::Bytes>& outputs,
                   const ClassNames& names);

}  // namespace vdla::tools
