// SPDX-License-Identifier: Apache-2.0
// Activations of a device step that stay in inp between their layers: those that only layers of the step
// read, that fit beside each other and beside the tiles of all layers meanwhile, and that save time by the
// closed-form estimate. Each has fixed entries, from the end of inp downwards; tiles have what is left below.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/knobs/task.h"
#include "compiler/pipeline/place/placement.h"
#include "compiler/targets/vdla/segment/device_step.h"
#include "compiler/targets/vdla/segment/roots.h"
#include "compiler/targets/vdla/templates/on_chip.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline {

struct Resident {
  device::Image image;
  device::Border border;
  std::int32_t pad = 0;
  std::int64_t base = 0, entries = 0;  ///< entries in inp, with the border
  int first = 0, last = 0;             ///< layers: its maker, its last reader
};

class OnChipPlan {
 public:
  /// Nothing stays on chip.
  explicit OnChipPlan(const isa::Geometry& geometry) : depth_(geometry.inp_depth) {}

  /// Layers are the indices of `group`. A book (or null) can choose otherwise; UserError where what it wants
  /// finds no room.
  OnChipPlan(const graph::Graph& graph, const Placement& nodes, const std::vector<graph::NodeId>& group,
             const std::vector<bool>& leaving, const Roots& roots, const isa::Variant& variant,
             const KnobBook* book);

  const Resident* find(graph::TensorId root) const;
  const std::map<graph::TensorId, Resident>& residents() const { return residents_; }
  /// Entries of inp for the tiles of a layer.
  std::int64_t room(int layer) const;
  /// Destination of each layer's result. Empty texts for reshapes; nothing where nothing was planned.
  const std::vector<WhereTo>& notes() const { return notes_; }
  /// Tasks that a book can choose otherwise. Empty without one.
  const std::vector<KnobTask>& tasks() const { return tasks_; }

 private:
  std::int64_t depth_;
  std::map<graph::TensorId, Resident> residents_;  ///< residents by root
  std::vector<WhereTo> notes_;
  std::vector<KnobTask> tasks_;
  std::vector<std::int64_t> rooms_;  ///< room by layer; empty where nothing was planned
};

}  // namespace vdla::pipeline
