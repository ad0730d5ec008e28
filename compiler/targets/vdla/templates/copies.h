// SPDX-License-Identifier: Apache-2.0
// Layers that only move: copies of parts of their inputs and parts of one value, stored in this order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/targets/vdla/templates/lowering.h"
#include "compiler/targets/vdla/templates/templates.h"

namespace vdla::pipeline::device {

/// Why an image cannot be copied, or nothing.
std::optional<std::string> why_no_copy(const Image& image, const isa::Geometry& geometry);
/// Cycles of a copy; nothing where no tile fits.
std::optional<double> copy_cycles(const Image& image, const isa::Geometry& geometry,
                                  const isa::Timing& timing);

/// Outputs of one schedule, each with tiles of its own.
class Copies {
 public:
  Copies(std::string layer, Lowering& lowering);

  void copy(const Image& image, std::size_t input, const View& from, const View& to);
  void fill(const Image& image, std::int32_t value, const View& to);
  /// Gives the layer its function, where there are copies.
  void finish(const std::string& name);

 private:
  struct Made {
    std::variant<Moved, Filled> tensors;
    TileKnobs knobs;
    std::int64_t pixels;
  };

  TileKnobs knobs_of(const Image& image) const;
  std::string suffix() const;
  void add(Made made, const expr::Tensor& out, const View& to);

  std::string layer_;
  Lowering& lowering_;
  std::vector<Made> made_;
  std::vector<expr::Tensor> outputs_, args_;
  std::vector<DeviceParam> params_;
  std::vector<View> views_;
};

}  // namespace vdla::pipeline::device
