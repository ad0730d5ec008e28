// SPDX-License-Identifier: Apache-2.0
// One run of the device: its program, and what crosses to the host and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/knobs/task.h"
#include "compiler/targets/vdla/templates/ops.h"
#include "isa/program/program.h"

namespace vdla::pipeline {

/// A tensor's place in the windows of a device step; its bytes lie as device::to_device() puts them.
struct DeviceTensor {
  graph::TensorId tensor = graph::kNone;
  isa::Window window = isa::Window::Act;
  std::uint64_t offset = 0;
  device::Image image;           ///< image in bytes
  std::int64_t pixel_bytes = 0;  ///< channels of a pixel there, padding included
};

/// A tensor that does not leave the step. It is whole once its layers have run, until its last reader has.
struct InnerTensor {
  graph::TensorId tensor = graph::kNone;
  std::optional<isa::Window> window = {};  ///< nothing: it lies in inp
  std::uint64_t offset = 0;                ///< offset of its first element, in bytes
  device::Image image;                     ///< image in bytes
  /// Bytes from pixel to pixel, and from row to row.
  std::int64_t pixel_bytes = 0, row_bytes = 0;
  /// Channels, in bytes, that lie side by side, and bytes from the begin of these to that of the next.
  std::int64_t block = 0, block_bytes = 0;
  std::vector<std::uint32_t> layers;  ///< layers of the source map that write it
};

/// Destination of a layer's result.
struct WhereTo {
  std::string text;       ///< for people, with the reason
  bool by_shape = false;  ///< to DRAM, where a machine of one pixel an entry with K = N could keep it
};

/// Inputs come from the host (constants too), outputs go back to it.
struct DeviceStep {
  isa::Program program;
  std::vector<DeviceTensor> inputs, outputs;
  std::vector<InnerTensor> inner;    ///< tensors in between, in the order of its nodes
  std::vector<WhereTo> results;      ///< results of its nodes, in order
  std::vector<std::string> knobs;    ///< origins of their knobs; empty without a book
  std::vector<std::string> weights;  ///< costs of a zero point of their weights, or nothing
  /// Tasks of its activations on chip and its layers that have knobs; empty without a book.
  std::vector<KnobTask> tasks;
  double verify_seconds = 0;  ///< time that the proof of the program took
  /// Bytes of window act, if its tensors shared no space; with the plan it is as large as the program says.
  std::uint64_t unshared_act_bytes = 0;
};

}  // namespace vdla::pipeline
