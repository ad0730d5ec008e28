// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/known_operators.h"

#include <algorithm>
#include <tuple>

#include "compiler/import/onnx_operators.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import {

std::vector<KnownOperator> known_operators() {
  std::vector<KnownOperator> all = tflite::known_operators();
  std::ranges::move(onnx_operators(), std::back_inserter(all));
  std::ranges::sort(all, {}, [](const KnownOperator& o) { return std::tie(o.format, o.name); });
  return all;
}

}  // namespace vdla::import
