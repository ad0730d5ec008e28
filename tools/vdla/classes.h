// SPDX-License-Identifier: Apache-2.0
// Outputs of a classifier: the classes with the highest scores, their names, and how well each class is told
// from the others.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

#include "runtime/module.h"

namespace vdla::tools {

/// Names of classes, by index; empty: not known.
using ClassNames = std::vector<std::string>;

/// A text with the name of a class in each line, of as many classes as the first output has values; UserError
/// with both numbers otherwise. No path: the names that the module has, if any.
ClassNames read_class_names(const std::string& path, const runtime::Module& module);

/// "3 'cat'", or "3".
std::string class_text(const ClassNames& names, std::size_t index);

/// One value for each class: a vector, whatever extents of 1 stand around it.
bool is_vector(const runtime::Port& output);

struct Scored {
  std::size_t index = 0;
  double value = 0;  ///< in the model's type
  double score = 0;  ///< the real number that the value stands for
};

/// The `count` largest, the first of equals first.
std::vector<Scored> largest(const runtime::Module& module, const runtime::Port& output,
                            const std::vector<double>& values, std::size_t count);

nlohmann::ordered_json scores_json(const std::vector<Scored>& scores, const ClassNames& names);
void print_scores(const std::vector<Scored>& scores, const ClassNames& names);

/// What became of inputs whose class is known.
class ClassResults {
 public:
  void add(std::size_t label, std::size_t seen);
  nlohmann::ordered_json json(const ClassNames& names) const;
  void print(const ClassNames& names) const;

 private:
  struct Row {
    std::size_t label = 0, count = 0, correct = 0;
    std::size_t taken_for = 0, mistakes = 0;  ///< the class that it is taken for most often otherwise
  };
  std::vector<Row> rows() const;
  std::map<std::size_t, std::map<std::size_t, std::size_t>> seen_;  ///< label to what was seen how often
};

}  // namespace vdla::tools
