// SPDX-License-Identifier: Apache-2.0
// Weights and parameters of blocks of channels of a convolution and the depthwise one behind it, for pieces
// of both: in DRAM, where each piece loads them, or in wgt and par, where they are loaded for all pieces of a
// block.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/pipeline/device/kernel.h"
#include "compiler/pipeline/device/ops.h"
#include "compiler/pipeline/device/parts.h"
#include "compiler/pipeline/observe/observe.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline::device {

/// Entries that the constants of one block take on chip: weights of the convolution in wgt, the others in
/// par.
struct ConstantEntries {
  std::int64_t first_weights = 0;
  std::int64_t params = 0;  ///< of each of the two
  std::int64_t second_weights = 0;

  std::int64_t of(isa::Buffer buffer) const {
    return buffer == isa::Buffer::Wgt ? first_weights : params + second_weights + params;
  }
};
ConstantEntries constant_entries(const ConvDepthwise& op, const isa::Geometry& geometry);

/// Where the constants of a block lie.
struct Constants {
  /// A parameter of a part.
  struct Place {
    DeviceParam param;
    View view = {};
  };
  Place first_weights, first_params, second_weights, second_params;
};

class BlockConstants {
 public:
  /// Both layers with the channels of a block alone.
  using Block = std::function<ConvDepthwise(std::int64_t)>;

  /// In DRAM with no `places`; else in wgt and par, those of so many blocks, by turns. `entries`: of a block.
  /// Adds constants and parts that load them to `kernel`; `schedule` says the knobs of these.
  BlockConstants(Block block, std::int64_t places, const ConstantEntries& entries,
                 const isa::Geometry& geometry, DeviceKernel& kernel, const Watch& watch,
                 std::string schedule);

  /// Those that the next pieces read. `missing`: they are not there, load_first() and load_second() shall
  /// load them before the first piece of either layer.
  Constants of(std::int64_t block, bool& missing);
  void load_first(std::int64_t block, const Constants& constants);
  void load_second(std::int64_t block, const Constants& constants);

 private:
  /// Bytes from the start of the layer's constants.
  struct Packed {
    std::int64_t first_weights, first_params, second_weights, second_params;
  };
  std::int64_t place_for(std::int64_t block, bool& missing);
  Constants kept_at(std::int64_t place) const;
  Packed packed(std::int64_t block);
  void load(std::int64_t packed, const std::vector<std::int64_t>& shape, expr::DType type,
            const Constants::Place& kept);

  Block block_;
  ConstantEntries entries_;
  const isa::Geometry& g_;
  DeviceKernel& kernel_;
  const Watch& watch_;
  std::string schedule_;
  std::vector<std::optional<Packed>> packed_;  ///< by block
  std::vector<std::int64_t> kept_;             ///< by place: the block whose constants lie there, or -1
  std::size_t last_ = 0;                       ///< place that was used last
};

}  // namespace vdla::pipeline::device
