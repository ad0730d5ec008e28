// SPDX-License-Identifier: Apache-2.0
// Tensors that are parts of a larger one in DRAM: a concatenation's inputs that its step makes are stored
// where the concatenation wants them, a selection is read where it lies in its input, and nothing is copied.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/knobs/task.h"
#include "compiler/pipeline/place/placement.h"
#include "compiler/targets/vdla/templates/lower.h"

namespace vdla::pipeline {

class Slices {
 public:
  /// Slices of the concatenations and selections in `group`. No slices are tensors that leave the step, those
  /// that a reshape shows in another shape, those that arrive, what a concatenation takes a second time,
  /// those that the last block of a part in front would be stored over, and what a book (or null) wants
  /// apart.
  Slices(const graph::Graph& graph, const Placement& nodes, const std::vector<graph::NodeId>& group,
         const std::vector<bool>& leaving, const isa::Geometry& geometry, const KnobBook* book);

  /// The tensor that a slice is directly part of; kNone for others.
  graph::TensorId whole_of(graph::TensorId id) const;
  /// Outermost tensor that `id` is part of (itself, where it is no slice).
  graph::TensorId root_of(graph::TensorId id) const;
  /// Offset of a slice in its outermost tensor, in bytes.
  std::int64_t offset_of(graph::TensorId id) const;
  /// Bytes from pixel to pixel of a tensor, or of its outermost one. More than its padded channels where the
  /// blocks of a concatenation's parts end behind these.
  std::int64_t pitch_of(graph::TensorId id) const { return own_pitch(root_of(id)); }

  /// Whether each input of the node is a slice of the node's output, so that a concatenation need not copy
  /// it; or the output one of the input, so that a selection need not.
  std::vector<bool> in_place(graph::NodeId n, const PlacedNode& node) const;

  /// A layer's function as if its activations had places of their own -> with pixels as far apart as they are
  /// in their outermost tensors. Offsets in params stay relative to the start of each activation.
  device::DeviceFunction placed(device::DeviceFunction function, const PlacedNode& node,
                                graph::TensorId output) const;

  /// Note of what the book wants of a concatenation's inputs, for people; empty where it says nothing.
  std::string note(graph::NodeId concat) const;
  /// Tasks that a book can choose otherwise. Empty without one.
  const std::vector<KnobTask>& tasks() const { return tasks_; }

 private:
  struct Slice {
    graph::TensorId whole;
    std::int64_t pixels, channels;  ///< numbers of these in front of it
  };

  /// Numbers in the group of the first and the last node that store parts of a tensor.
  struct Stored {
    std::size_t first, last;
  };

  void take(graph::NodeId concat, const Placement& nodes, const std::vector<graph::NodeId>& group,
            const std::vector<bool>& leaving, const KnobBook* book);
  /// Makes the result of a selection a slice of its input where that needs no copy.
  void read_in_place(graph::NodeId select, const Placement& nodes, const std::vector<graph::NodeId>& group,
                     const std::vector<bool>& leaving);
  /// Whether a reshape shows the tensor in another shape.
  bool is_shown(graph::TensorId id, const Placement& nodes, const std::vector<graph::NodeId>& group) const;
  /// Whether the input of a concatenation can be a slice of it but for the order of stores.
  bool is_possible(const std::vector<graph::TensorId>& inputs, std::size_t i, const Placement& nodes,
                   const std::vector<graph::NodeId>& group, const std::vector<bool>& leaving) const;
  /// Makes a possible slice of this concatenation one, unless the book (or null) wants it apart.
  void choose(graph::NodeId concat, graph::TensorId id, const Slice& slice, const KnobBook* book);
  std::int64_t padded_pitch(graph::TensorId id) const;
  /// Bytes from pixel to pixel of a tensor that is no slice.
  std::int64_t own_pitch(graph::TensorId id) const;

  const graph::Graph& graph_;
  const isa::Geometry& geometry_;
  std::map<graph::TensorId, Slice> slices_;
  std::map<graph::TensorId, std::int64_t> wide_;  ///< pitches that are more than the padded channels
  std::map<graph::TensorId, Stored> stored_;      ///< tensors that the group makes
  std::map<graph::NodeId, std::string> notes_;
  std::vector<KnobTask> tasks_;
};

}  // namespace vdla::pipeline
