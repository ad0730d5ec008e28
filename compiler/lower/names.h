// SPDX-License-Identifier: Apache-2.0
// Names that are legal in loop IR text and used once in a function.
#pragma once

#include <string>
#include <unordered_set>

namespace vdla::lower {

class UniqueNames {
 public:
  /// `wanted`, with characters that the text form does not allow replaced, and a number appended where it is
  /// taken.
  std::string operator()(const std::string& wanted);

 private:
  /// Words of the text form are taken from the start.
  std::unordered_set<std::string> taken_{"alloc",   "else",      "false",   "for",       "func",    "if",
                                         "inf_f32", "intrinsic", "nan_f32", "tensorize", "true",    "inf_f64",
                                         "inf_f16", "inf_bf16",  "nan_f64", "nan_f16",   "nan_bf16"};
};

}  // namespace vdla::lower
