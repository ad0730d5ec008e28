// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's C library, loaded when it is asked.
#pragma once

#include <string>
#include <vector>

#include "tests/compiler/import/random_graphs/oracle.h"
#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {

class Oracle {
 public:
  /// UserError where the file is no such library.
  explicit Oracle(const std::string& library);

  /// Outputs of the last of its runs, or why there are none.
  random_graphs::Answer ask(const Drawn& drawn) const;

 private:
  struct Functions;
  const Functions* f_;
};

}  // namespace vdla::random_tflite
