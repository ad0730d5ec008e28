// SPDX-License-Identifier: Apache-2.0
// Well-known networks as ONNX models with seeded random weights: shapes to compile, measure and test where
// trained weights are not to be had. The same name, seed and form give the same bytes on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/zoo/form.h"

namespace vdla::zoo {

struct Entry {
  std::string name, summary;
  std::int64_t macs = 0;        ///< multiply-accumulates of one inference
  std::int64_t parameters = 0;  ///< weights and biases
  std::int64_t layers = 0;
};

/// Entries of the zoo, in alphabetical order.
std::vector<Entry> entries();

/// The entry of that name; UserError lists the known ones.
Entry entry(std::string_view name);

/// The bytes of an ONNX file (opset 13). Batch norm is folded: each convolution's channels have the spread
/// and the mean that a batch norm would give them. Scales are calibrated on seeded images, so that each
/// layer's output uses much of its int8 range. UserError for an unknown name, or where the kit was built
/// without ONNX.
std::string make_onnx(std::string_view name, std::uint64_t seed, Form form);

}  // namespace vdla::zoo
