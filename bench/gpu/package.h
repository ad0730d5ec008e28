// SPDX-License-Identifier: Apache-2.0
// A package of kernels: programs that were compiled on one machine and run on another one, which has a GPU
// and no compiler. It is a folder: package.json says what there is, kernels/ and data/ hold the rest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/grid/device.h"

namespace vdla::bench::gpu {

using Json = nlohmann::ordered_json;

inline constexpr int kPackageFormat = 2;
inline constexpr const char* kPackageFile = "package.json";

/// Source of a buffer's bytes: a file, or a seed. Neither: it is written by the program.
struct Fill {
  std::string file = {};  ///< file in the package
  std::optional<std::uint64_t> seed = {};
  double scale = 0;              ///< scale of the values of a seed
  std::string type = "float32";  ///< type of these
  /// Not 0: the values are a matrix of this number of rows, and the buffer has it column by column.
  std::size_t rows = 0;
};

struct Function {
  std::string layer, by, knobs;
  std::string key;                  ///< key of its work, whatever its names are
  std::size_t first = 0, last = 0;  ///< launches
};

/// One way to compute a task.
struct Candidate {
  std::string name;
  std::string point;  ///< knobs of a task of one function, as text of its space
  vdla::gpu::Program program;
  std::vector<std::string> files;  ///< files of the program's parts, in the package
  std::vector<Fill> fills;         ///< fills by buffer
  std::vector<Function> functions;
  std::vector<std::size_t> outputs;  ///< buffers
};

/// Values that an output must have.
struct Expected {
  std::string type;  ///< type of its elements: float32, or a type that is compared byte for byte
  std::string file;  ///< all of it, in the package
  std::vector<std::size_t> elements;
  std::vector<double> values;  ///< or that of some elements
};

struct Task {
  std::string id;
  Json about;  ///< its shape, for people and for those who compute the same by other means
  double flops = 0;
  bool is_timed = true;
  double tolerance = 0;            ///< tolerance of floats: norm of the difference over the norm
  std::vector<Expected> expected;  ///< values by output
  std::vector<Candidate> candidates;
};

Json to_json(const Task& task);
/// Texts of parts and contents of files are left out. UserError names what is missing.
Task task_from(const Json& json);

}  // namespace vdla::bench::gpu
