// SPDX-License-Identifier: Apache-2.0
// One stage of a schedule: the loops that compute one tensor, and where they stand.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/expr/for_kind.h"
#include "compiler/expr/tensor.h"

namespace vdla::schedule {

using expr::Compute;
using expr::ForKind;
using expr::IterVar;
using expr::Tensor;

/// parent = outer * factor + inner. `inner` has the smaller of factor and parent's extent; where the factor
/// does not divide, the iterations beyond the parent's end do nothing.
struct Split {
  IterVar parent, outer, inner;
  std::int64_t factor;
};
/// fused = outer * (extent of inner) + inner.
struct Fuse {
  IterVar outer, inner, fused;
};
/// Relations in the order in which they were asked for. Extents of IterVars here are those of the whole
/// tensor; a stage that is computed at another one runs over the region that it needs there.
using Relation = std::variant<Split, Fuse>;

/// Every primitive that was applied to a schedule, in order, as a line of compiler/schedule/script.h.
using Log = std::shared_ptr<std::vector<std::string>>;

class Stage;

enum class Placement : std::uint8_t { Root, Inline, At };
struct Attachment {
  Placement placement = Placement::Root;
  const Stage* consumer = nullptr;  ///< stage of the placement At
  IterVar axis;                     ///< a leaf of the consumer
};

/// Place where the sums of a tensorized stage become the identity.
enum class Reset : std::uint8_t {
  InStep,  ///< reset in the first step of the reduction, by the intrinsic itself
  Before,  ///< reset in stores of their own, before the reduction: for intrinsics of a CPU
};

struct Tensorization {
  IterVar axis;
  std::string intrinsic;
  Reset reset = Reset::InStep;
};

// Long: a method for each primitive, each of which edits the stage's one list of loops.
class Stage {
 public:
  Stage(Tensor tensor, Compute compute, bool is_output, std::string label, Log log);

  /// Splits loop `axis` into (outer, inner), in its place; inner runs `factor` iterations.
  std::pair<IterVar, IterVar> split(const IterVar& axis, std::int64_t factor);
  /// Splits so that the outer loop has at most `parts` iterations: of 9 in 6 parts it has 5, each of 2.
  std::pair<IterVar, IterVar> split_into(const IterVar& axis, std::int64_t parts);
  /// Splits y and x and orders them (y outer, x outer, y inner, x inner), from the place of the first of the
  /// two.
  std::array<IterVar, 4> tile(const IterVar& y, const IterVar& x, std::int64_t y_factor,
                              std::int64_t x_factor);
  /// One loop over two that follow each other.
  IterVar fuse(const IterVar& outer, const IterVar& inner);
  /// Puts the named loops in this order, in the places that they have now; others stay.
  Stage& reorder(const std::vector<IterVar>& order);
  Stage& unroll(const IterVar& axis);
  Stage& vectorize(const IterVar& axis);
  Stage& parallel(const IterVar& axis);
  /// Spreads the loop over the blocks or threads of a grid, or makes its iterations virtual threads. Each
  /// block or thread axis once in a stage; not reduce axes. Where no grid is, such a loop runs in order.
  Stage& bind(const IterVar& axis, ForKind grid_axis);

  /// Computes, inside loop `axis` of `consumer`, the region that is needed there.
  Stage& compute_at(const Stage& consumer, const IterVar& axis);
  /// Puts the expression into its readers; for stages without a reduction.
  Stage& compute_inline();
  Stage& compute_root();
  /// Wherever it is computed, dimension `axis` is computed in full, also where readers need a part of it:
  /// an intrinsic that writes whole entries of a memory needs that. Before the axis is split.
  Stage& compute_whole(const IterVar& axis);
  /// Leaves `elements` of storage free behind each index of dimension `axis`, so that neighbours along it lie
  /// further apart: in different banks of a memory.
  Stage& pad_stride(const IterVar& axis, std::int64_t elements);
  /// Two halves for the region that is computed at a loop: one is filled while its partner is read. Or more
  /// parts, which are filled as many iterations early. Only for stages that are computed at a loop.
  Stage& double_buffer(std::int64_t parts = 2);
  /// Holds the values that are to fill a part of such a stage: they are read before the other part is, wait
  /// in registers, and are stored after it. For machines whose copies do not go on in the background.
  Stage& hold();
  /// The memory in which the tensor lives.
  Stage& set_scope(const std::string& scope);
  /// The tensor lies where `earlier`, of the same shape and type, lay: element i in the place of element i.
  /// Its storage is allocated where `earlier` is computed. Lowering refuses it where an element of `earlier`
  /// could be read after its place was taken.
  Stage& share_storage(const Stage& earlier);
  /// The storage of a stage that is computed at a loop is allocated once, outside of all loops: `places`
  /// regions, which the iterations of the loops around the stage take by turns. Padding in place stays there
  /// from one turn to the next. Not where iterations of those loops run at the same time.
  Stage& rolling_buffer(std::int64_t places);
  /// This stage is `inner` with constant padding around it: select(inside, inner(i - offset), constant), or
  /// `inner` alone where nothing is outside. `inner` stores its elements where this stage has them, and this
  /// stage stores the padding alone, a nest of loops for each side. Lowering refuses it where that would be
  /// wrong.
  Stage& pad_in_place(const Stage& inner);
  /// Everything from loop `axis` inwards becomes one call of `intrinsic`; compiler/tensorize matches and
  /// replaces it. By default the reduction of such a stage is lowered to one update that resets in its
  /// first step, not to an initialisation and an update.
  Stage& tensorize(const IterVar& axis, const std::string& intrinsic, Reset reset = Reset::InStep);

  /// The first of the tensors that the stage computes.
  const Tensor& tensor() const { return tensor_; }
  const std::string& name() const { return tensor_.name(); }
  /// The name in scripts, which no other stage has: name(), or "out@2" for the second stage of that name.
  const std::string& label() const { return label_; }
  /// Computation with the changes that caching made to it.
  const Compute& compute() const { return compute_; }
  bool has_reduction() const { return compute_.reduction() != nullptr; }
  /// Original axes, one per dimension.
  const IterVar& axis(std::size_t dimension) const;
  const IterVar& reduce_axis(std::size_t index) const;
  /// The loops, outermost first.
  const std::vector<IterVar>& leaves() const { return leaves_; }
  const std::vector<Relation>& relations() const { return relations_; }
  ForKind annotation(const IterVar& leaf) const;
  const Attachment& attachment() const { return attachment_; }
  bool is_whole(std::size_t dimension) const;
  const std::string& scope() const { return scope_; }
  /// Elements that pad_stride() leaves free behind each index of the dimension.
  std::int64_t free_behind(std::size_t dimension) const;
  bool is_double_buffered() const { return buffer_parts_ > 1; }
  /// Parts of its storage; 1 where it is not double buffered.
  std::int64_t buffer_parts() const { return buffer_parts_; }
  bool is_held() const { return is_held_; }
  /// The stage whose storage it takes over, or null.
  const Stage* shares_with() const { return shares_with_; }
  /// Places of its rolling buffer; 0 where it has none.
  std::int64_t places() const { return places_; }
  /// The stage around which it stores padding, or null.
  const Stage* pads() const { return pads_; }
  const std::optional<Tensorization>& tensorization() const { return tensorization_; }
  bool is_output() const { return is_output_; }
  /// No primitive has changed the loops yet.
  bool is_pristine() const;

 private:
  friend class Schedule;
  void reset(Compute compute);
  std::size_t leaf_index(const IterVar& axis, const char* request) const;
  /// Time of a recurrence runs in order, outermost.
  void require_not_time(const IterVar& axis, const char* request) const;
  void log(const std::string& line) const;
  std::string label(const IterVar& axis) const;
  void require_not_tensorized(const IterVar& axis, const char* request) const;
  /// This stage and `other` each store one tensor of their own, once.
  void require_storage_with(const Stage& other, const char* request) const;
  Stage& annotate(const IterVar& axis, ForKind kind, const char* request);
  std::pair<IterVar, IterVar> replace_by_split(const IterVar& axis, std::int64_t factor);

  Tensor tensor_;
  Compute compute_;
  bool is_output_;
  std::string label_;
  std::vector<IterVar> leaves_;
  std::vector<Relation> relations_;
  std::vector<std::pair<IterVar, ForKind>> annotations_;
  std::vector<IterVar> whole_;
  std::vector<std::pair<IterVar, std::int64_t>> free_behind_;
  Attachment attachment_;
  std::string scope_;
  std::optional<Tensorization> tensorization_;
  const Stage* shares_with_ = nullptr;
  const Stage* pads_ = nullptr;
  std::int64_t places_ = 0;
  std::int64_t buffer_parts_ = 1;
  bool is_held_ = false;
  Log log_;
};

}  // namespace vdla::schedule
