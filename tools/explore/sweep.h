// SPDX-License-Identifier: Apache-2.0
// A sweep: which variants, on which networks. From a JSON file, from flags, or both.
//
//   {"networks": ["resnet18", "net.tflite"],
//    "base": ["paper"],                                     // a cartesian product over these and the axes
//    "axes": {"array": ["1x8x8", "1x16x16"], "wgt_kib": [16, 32], "dram_bytes_per_cycle": [4, 8]},
//    "points": ["vta", "my_variant.json", {"name": "x", "geometry": {"block_in": 32}}]}   // and single
//    variants
//
// An axis is any key of a variant's geometry or timing, or `array` (BxKxN), or a buffer's size in KiB:
// inp_kib, wgt_kib, acc_kib, out_kib, par_kib, uop_kib, which become the depth that gives this size with the
// point's array.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "isa/spec/geometry.h"
#include "tools/explore/record.h"

namespace vdla::explore {

struct Axis {
  std::string name;
  std::vector<Json> values;
};

struct Sweep {
  std::vector<std::string> networks;  ///< model files, or names of the zoo
  std::vector<std::string> bases;     ///< variants by name or file; empty: paper, when there are axes
  std::vector<Axis> axes;
  std::vector<Json> points;  ///< variants: a name, a file, or an object as in a variant's file
};

/// A variant of the sweep; `fault` says why there is none (a value that no variant can have).
struct SweepVariant {
  std::string name;
  isa::Variant variant;
  std::string fault;
};

/// UserError names file, key and what is needed. Paths in the file are relative to it.
Sweep read_sweep(const std::filesystem::path& path);

/// "wgt_kib=16,32"; UserError when it is not of that form.
Axis parse_axis(const std::string& text);
/// With what the sweep has of that axis already. UserError for an axis that does not exist, and an array that
/// is none.
void add_axis(Sweep& sweep, const Axis& axis);

/// All variants, each once by what it is (not by its name). UserError for an axis that does not exist.
std::vector<SweepVariant> variants_of(const Sweep& sweep);

}  // namespace vdla::explore
