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

  /// Outputs, or why there are none.
  random_graphs::Answer ask(std::span<const std::byte> model, const std::vector<import::Array>& inputs) const;

 private:
  struct Functions;
  const Functions* f_;
};

}  // namespace vdla::random_tflite
