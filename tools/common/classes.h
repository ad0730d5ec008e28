// SPDX-License-Identifier: Apache-2.0
// Outputs of a classifier: the classes with the highest scores, their names, and how well each class is told
// from the others.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

#include "runtime/module/module.h"
#include "tools/data/output_values.h"

namespace vdla::tools {

/// A text with the name of a class in each line, of as many classes as the first output has values; UserError
/// with both numbers otherwise. No path: the names that the module has, if any.
ClassNames read_class_names(const std::string& path, const runtime::Module& module);

nlohmann::ordered_json scores_json(const std::vector<Scored>& scores, const ClassNames& names);

/// Results of inputs whose class is known.
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
