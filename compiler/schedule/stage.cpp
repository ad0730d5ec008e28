// SPDX-License-Identifier: Apache-2.0
// Primitives on one stage, with their rules.
#include "compiler/schedule/stage.h"

#include <algorithm>

#include "compiler/expr/buffer.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::schedule {
namespace {

std::string list(const std::vector<IterVar>& axes) {
  std::string names;
  for (const IterVar& axis : axes) names += (names.empty() ? "" : ", ") + axis.name();
  return names;
}

void require_loops(const Stage& stage, const char* request) {
  VDLA_CHECK_USER(stage.attachment().placement != Placement::Inline)
      << request << ": stage '" << stage.name()
      << "' is computed inline, so it has no loops and no storage; compute_root it first";
}

}  // namespace

Stage::Stage(Tensor tensor, Compute compute, bool is_output, std::string label, Log log)
    : tensor_(std::move(tensor)),
      is_output_(is_output),
      label_(std::move(label)),
      scope_(expr::kGlobalScope),
      log_(std::move(log)) {
  reset(std::move(compute));
}

void Stage::reset(Compute compute) {
  compute_ = std::move(compute);
  leaves_ = compute_.axes;
  for (const IterVar& axis : compute_.reduce_axes()) leaves_.push_back(axis);
}

bool Stage::is_pristine() const {
  std::vector<IterVar> all = compute_.axes;
  for (const IterVar& axis : compute_.reduce_axes()) all.push_back(axis);
  return leaves_ == all && annotations_.empty() && attachment_.placement == Placement::Root &&
         !tensorization_ && !shares_with_ && !pads_ && places_ == 0;
}

std::size_t Stage::leaf_index(const IterVar& axis, const char* request) const {
  VDLA_CHECK_USER(axis.defined()) << request << " on stage '" << name() << "' needs an axis, got none";
  auto found = std::find(leaves_.begin(), leaves_.end(), axis);
  VDLA_CHECK_USER(found != leaves_.end())
      << request << ": axis '" << axis.name() << "' is not a loop of stage '" << name()
      << "', whose loops are " << list(leaves_);
  return found - leaves_.begin();
}

void Stage::require_not_tensorized(const IterVar& axis, const char* request) const {
  VDLA_CHECK_USER(!tensorization_ || !(tensorization_->axis == axis))
      << request << ": axis '" << axis.name() << "' of stage '" << name() << "' is tensorized already; "
      << request << " first";
}

void Stage::require_not_time(const IterVar& axis, const char* request) const {
  VDLA_CHECK_USER(!compute_.recurrence || !(axis == compute_.axes[0]))
      << request << ": axis '" << axis.name() << "' of scan '" << name()
      << "' is time, whose steps depend on each other; choose another axis";
}

void Stage::log(const std::string& line) const { log_->push_back(line); }

/// The name of a loop, or its place where two loops have that name.
std::string Stage::label(const IterVar& axis) const {
  auto same = [&](const IterVar& other) { return other.name() == axis.name(); };
  if (std::count_if(leaves_.begin(), leaves_.end(), same) == 1) return axis.name();
  return "@" + std::to_string(std::find(leaves_.begin(), leaves_.end(), axis) - leaves_.begin());
}

std::pair<IterVar, IterVar> Stage::replace_by_split(const IterVar& axis, std::int64_t factor) {
  require_loops(*this, "split");
  std::size_t index = leaf_index(axis, "split");
  VDLA_CHECK_USER(annotation(axis) == ForKind::Serial)
      << "split: axis '" << axis.name() << "' of stage '" << name() << "' is already "
      << expr::name(annotation(axis)) << "; split first";
  require_not_tensorized(axis, "split");
  require_not_time(axis, "split");
  log("split " + label() + " " + label(axis) + " " + std::to_string(factor));
  std::int64_t inner_extent = std::min(factor, axis.extent());
  std::int64_t outer_extent = ceil_div(axis.extent(), inner_extent);
  IterVar outer(axis.name() + ".o", outer_extent, axis.kind()),
      inner(axis.name() + ".i", inner_extent, axis.kind());
  relations_.push_back(Split{axis, outer, inner, factor});
  leaves_[index] = outer;
  leaves_.insert(leaves_.begin() + index + 1, inner);
  return {outer, inner};
}

std::pair<IterVar, IterVar> Stage::split(const IterVar& axis, std::int64_t factor) {
  leaf_index(axis, "split");
  VDLA_CHECK_USER(factor > 0) << "split of '" << axis.name() << "' in stage '" << name()
                              << "' needs a positive factor, got " << factor;
  return replace_by_split(axis, factor);
}

std::pair<IterVar, IterVar> Stage::split_into(const IterVar& axis, std::int64_t parts) {
  leaf_index(axis, "split_into");
  VDLA_CHECK_USER(parts > 0) << "split of '" << axis.name() << "' in stage '" << name()
                             << "' needs a positive number of parts, got " << parts;
  return replace_by_split(axis, ceil_div(axis.extent(), parts));
}

std::array<IterVar, 4> Stage::tile(const IterVar& y, const IterVar& x, std::int64_t y_factor,
                                   std::int64_t x_factor) {
  VDLA_CHECK_USER(leaf_index(y, "tile") < leaf_index(x, "tile"))
      << "tile of stage '" << name() << "' needs '" << y.name() << "' outside '" << x.name()
      << "'; reorder them first";
  auto [y_outer, y_inner] = split(y, y_factor);
  auto [x_outer, x_inner] = split(x, x_factor);
  reorder({y_outer, x_outer, y_inner, x_inner});
  return {y_outer, x_outer, y_inner, x_inner};
}

IterVar Stage::fuse(const IterVar& outer, const IterVar& inner) {
  require_loops(*this, "fuse");
  std::size_t index = leaf_index(outer, "fuse");
  VDLA_CHECK_USER(leaf_index(inner, "fuse") == index + 1)
      << "fuse in stage '" << name() << "' needs '" << inner.name() << "' directly inside '" << outer.name()
      << "', the loops are " << list(leaves_) << "; reorder them first";
  VDLA_CHECK_USER(outer.kind() == inner.kind())
      << "fuse in stage '" << name() << "' cannot mix a spatial axis and a "
      << "reduce axis: '" << outer.name() << "', '" << inner.name() << "'";
  VDLA_CHECK_USER(annotation(outer) == ForKind::Serial && annotation(inner) == ForKind::Serial)
      << "fuse in stage '" << name() << "': '" << outer.name() << "' is " << expr::name(annotation(outer))
      << " and '" << inner.name() << "' is " << expr::name(annotation(inner)) << "; fuse first";
  require_not_tensorized(outer, "fuse");
  require_not_tensorized(inner, "fuse");
  require_not_time(outer, "fuse");
  log("fuse " + label() + " " + label(outer) + " " + label(inner));
  IterVar fused(outer.name() + "." + inner.name(), outer.extent() * inner.extent(), outer.kind());
  relations_.push_back(Fuse{outer, inner, fused});
  leaves_[index] = fused;
  leaves_.erase(leaves_.begin() + index + 1);
  return fused;
}

Stage& Stage::reorder(const std::vector<IterVar>& order) {
  require_loops(*this, "reorder");
  std::vector<std::size_t> places;
  for (const IterVar& axis : order) {
    std::size_t place = leaf_index(axis, "reorder");
    VDLA_CHECK_USER(std::find(places.begin(), places.end(), place) == places.end())
        << "reorder of stage '" << name() << "' names axis '" << axis.name() << "' twice";
    places.push_back(place);
  }
  std::sort(places.begin(), places.end());
  std::vector<IterVar> result = leaves_;
  for (std::size_t i = 0; i < order.size(); ++i) result[places[i]] = order[i];
  VDLA_CHECK_USER(!compute_.recurrence || result[0] == compute_.axes[0])
      << "reorder: axis '" << compute_.axes[0].name() << "' of scan '" << name()
      << "' is time and stays outermost, got '" << result[0].name() << "' outside of it";
  std::string line = "reorder " + label();
  for (const IterVar& axis : order) line += " " + label(axis);
  log(line);
  leaves_ = std::move(result);
  return *this;
}

Stage& Stage::annotate(const IterVar& axis, ForKind kind, const char* request) {
  require_loops(*this, request);
  leaf_index(axis, request);
  VDLA_CHECK_USER(annotation(axis) == ForKind::Serial)
      << request << ": axis '" << axis.name() << "' of stage '" << name() << "' is already "
      << expr::name(annotation(axis));
  VDLA_CHECK_USER(kind == ForKind::Unrolled || !axis.is_reduce())
      << request << ": axis '" << axis.name() << "' of stage '" << name()
      << "' is a reduce axis, whose iterations depend on each other; choose a spatial axis";
  if (kind != ForKind::Unrolled) require_not_time(axis, request);
  std::string line = std::string(request) + " " + label() + " " + label(axis);
  log(is_grid(kind) ? line + " " + std::string(expr::name(kind)) : line);
  annotations_.emplace_back(axis, kind);
  return *this;
}

Stage& Stage::bind(const IterVar& axis, ForKind grid_axis) {
  leaf_index(axis, "bind");
  VDLA_CHECK_USER(is_grid(grid_axis)) << "bind: axis '" << axis.name() << "' of stage '" << name()
                                      << "' needs an axis of a grid, got '" << expr::name(grid_axis) << "'";
  for (const auto& [other, kind] : annotations_) {
    VDLA_CHECK_USER(kind != grid_axis || grid_axis == ForKind::VThread)
        << "bind: " << expr::name(grid_axis) << " of stage '" << name() << "' is axis '" << other.name()
        << "' already, got '" << axis.name() << "'; fuse the two first";
  }
  return annotate(axis, grid_axis, "bind");
}

Stage& Stage::double_buffer(std::int64_t parts) {
  require_loops(*this, "double_buffer");
  VDLA_CHECK_USER(!is_output_) << "double_buffer: stage '" << name()
                               << "' is an output, which the caller stores; cache_write it";
  VDLA_CHECK_USER(parts >= 2 && parts <= expr::kMostBufferParts)
      << "double_buffer: stage '" << name() << "' is to have " << parts << " parts, needs 2 to "
      << expr::kMostBufferParts;
  log("double_buffer " + label() + (parts == 2 ? "" : " " + std::to_string(parts)));
  buffer_parts_ = parts;
  return *this;
}

Stage& Stage::hold() {
  VDLA_CHECK_USER(is_double_buffered())
      << "hold: stage '" << name() << "' is not double buffered, so nothing waits; double_buffer it first";
  log("hold " + label());
  is_held_ = true;
  return *this;
}

Stage& Stage::unroll(const IterVar& axis) { return annotate(axis, ForKind::Unrolled, "unroll"); }
Stage& Stage::vectorize(const IterVar& axis) { return annotate(axis, ForKind::Vectorized, "vectorize"); }
Stage& Stage::parallel(const IterVar& axis) { return annotate(axis, ForKind::Parallel, "parallel"); }

Stage& Stage::compute_at(const Stage& consumer, const IterVar& axis) {
  VDLA_CHECK_USER(!is_output_) << "compute_at: stage '" << name() << "' is an output and stays at the root";
  VDLA_CHECK_USER(&consumer != this) << "compute_at: stage '" << name() << "' cannot be computed at itself";
  VDLA_CHECK_USER(!compute_.recurrence)
      << "compute_at: stage '" << name() << "' is a scan, whose steps need all of it; it stays at the root";
  consumer.leaf_index(axis, "compute_at");
  log("compute_at " + label() + " " + consumer.label() + " " + consumer.label(axis));
  attachment_ = {Placement::At, &consumer, axis};
  return *this;
}

Stage& Stage::compute_inline() {
  VDLA_CHECK_USER(!is_output_) << "compute_inline: stage '" << name() << "' is an output and must be stored";
  VDLA_CHECK_USER(!has_reduction())
      << "compute_inline: stage '" << name()
      << "' is a reduction, which needs storage; compute it at a loop of its reader";
  VDLA_CHECK_USER(relations_.empty() && annotations_.empty() && !tensorization_)
      << "compute_inline: the loops of stage '" << name() << "' were changed already, and it would have none";
  VDLA_CHECK_USER(!compute_.recurrence)
      << "compute_inline: stage '" << name() << "' is a scan, which needs storage; it stays at the root";
  VDLA_CHECK_USER(!shares_with_) << "compute_inline: stage '" << name() << "' shares the storage of '"
                                 << shares_with_->name() << "', and would have none";
  VDLA_CHECK_USER(places_ == 0) << "compute_inline: stage '" << name()
                                << "' has a rolling buffer, and would have no storage";
  VDLA_CHECK_USER(free_behind_.empty())
      << "compute_inline: the strides of stage '" << name() << "' are padded, and it would have no storage";
  VDLA_CHECK_USER(!pads_) << "compute_inline: stage '" << name() << "' stores padding around '"
                          << pads_->name() << "', and would have no storage";
  log("compute_inline " + label());
  attachment_ = {Placement::Inline, nullptr, {}};
  return *this;
}

Stage& Stage::compute_root() {
  log("compute_root " + label());
  attachment_ = {};
  return *this;
}

Stage& Stage::compute_whole(const IterVar& axis) {
  VDLA_CHECK_USER(std::find(compute_.axes.begin(), compute_.axes.end(), axis) != compute_.axes.end())
      << "compute_whole: axis '" << axis.name() << "' is no dimension of stage '" << name() << "'";
  auto dimension = std::find(compute_.axes.begin(), compute_.axes.end(), axis) - compute_.axes.begin();
  log("compute_whole " + label() + " " + std::to_string(dimension));
  whole_.push_back(axis);
  return *this;
}

bool Stage::is_whole(std::size_t dimension) const {
  return std::find(whole_.begin(), whole_.end(), axis(dimension)) != whole_.end();
}

Stage& Stage::pad_stride(const IterVar& axis, std::int64_t elements) {
  require_loops(*this, "pad_stride");
  VDLA_CHECK_USER(!is_output_) << "pad_stride: stage '" << name()
                               << "' is an output, whose storage is the caller's; cache_write it";
  const auto& axes = compute_.axes;
  const auto found = std::find(axes.begin(), axes.end(), axis);
  VDLA_CHECK_USER(found != axes.end())
      << "pad_stride: axis '" << axis.name() << "' is no dimension of stage '" << name() << "'";
  VDLA_CHECK_USER(elements > 0) << "pad_stride: dimension '" << axis.name() << "' of stage '" << name()
                                << "' needs at least one element, got " << elements;
  VDLA_CHECK_USER(free_behind(static_cast<std::size_t>(found - axes.begin())) == 0)
      << "pad_stride: dimension '" << axis.name() << "' of stage '" << name() << "' is padded already";
  log("pad_stride " + label() + " " + std::to_string(found - axes.begin()) + " " + std::to_string(elements));
  free_behind_.emplace_back(axis, elements);
  return *this;
}

std::int64_t Stage::free_behind(std::size_t dimension) const {
  for (const auto& [axis, elements] : free_behind_)
    if (axis == compute_.axes[dimension]) return elements;
  return 0;
}

Stage& Stage::set_scope(const std::string& scope) {
  VDLA_CHECK_USER(!scope.empty()) << "set_scope: stage '" << name()
                                  << "' needs the name of a memory, got none";
  VDLA_CHECK_USER(!is_output_ || scope == expr::kGlobalScope)
      << "set_scope: stage '" << name() << "' is an output and lives in '" << expr::kGlobalScope << "', got '"
      << scope << "'; cache_write it";
  log("set_scope " + label() + " " + scope);
  scope_ = scope;
  return *this;
}

void Stage::require_storage_with(const Stage& other, const char* request) const {
  for (const Stage* stage : {this, &other}) require_loops(*stage, request);
  for (const Stage* stage : {this, &other}) {
    VDLA_CHECK_USER(!stage->is_output_) << request << ": stage '" << stage->name()
                                        << "' is an output, whose storage is the caller's; cache_write it";
    VDLA_CHECK_USER(stage->tensor_.part_count() == 1 && !stage->compute_.recurrence)
        << request << ": stage '" << stage->name() << "' is "
        << (stage->compute_.recurrence ? "a scan" : "computed with other tensors")
        << ", needs one tensor that is computed once";
  }
}

Stage& Stage::share_storage(const Stage& earlier) {
  require_storage_with(earlier, "share_storage");
  VDLA_CHECK_USER(!shares_with_) << "share_storage: stage '" << name() << "' shares the storage of '"
                                 << shares_with_->name() << "' already, got '" << earlier.name() << "'";
  for (const Stage* other = &earlier; other; other = other->shares_with_) {
    VDLA_CHECK_USER(other != this) << "share_storage: stage '" << name() << "' cannot take its own place"
                                   << (other == &earlier ? ""
                                                         : ", which '" + earlier.name() + "' takes over");
  }
  VDLA_CHECK_USER(tensor_.shape() == earlier.tensor_.shape() && tensor_.dtype() == earlier.tensor_.dtype())
      << "share_storage: stage '" << name() << "' and '" << earlier.name()
      << "' differ in shape or type of elements; an element lies in the place of the same element";
  log("share_storage " + label() + " " + earlier.label());
  shares_with_ = &earlier;
  return *this;
}

Stage& Stage::rolling_buffer(std::int64_t places) {
  require_storage_with(*this, "rolling_buffer");
  VDLA_CHECK_USER(places > 0) << "rolling_buffer: stage '" << name() << "' needs at least one place, got "
                              << places;
  log("rolling_buffer " + label() + " " + std::to_string(places));
  places_ = places;
  return *this;
}

Stage& Stage::pad_in_place(const Stage& inner) {
  require_storage_with(inner, "pad_in_place");
  VDLA_CHECK_USER(&inner != this) << "pad_in_place: stage '" << name() << "' cannot lie around itself";
  VDLA_CHECK_USER(!pads_) << "pad_in_place: stage '" << name() << "' lies around '" << pads_->name()
                          << "' already, got '" << inner.name() << "'";
  log("pad_in_place " + label() + " " + inner.label());
  pads_ = &inner;
  return *this;
}

Stage& Stage::tensorize(const IterVar& axis, const std::string& intrinsic, Reset reset) {
  require_loops(*this, "tensorize");
  leaf_index(axis, "tensorize");
  VDLA_CHECK_USER(!intrinsic.empty()) << "tensorize: axis '" << axis.name() << "' of stage '" << name()
                                      << "' needs the name of an intrinsic, got none";
  VDLA_CHECK_USER(!tensorization_) << "tensorize: stage '" << name() << "' is already tensorized at axis '"
                                   << tensorization_->axis.name() << "'";
  require_not_time(axis, "tensorize");
  log("tensorize " + label() + " " + label(axis) + " " + intrinsic +
      (reset == Reset::Before ? " reset_before" : ""));
  tensorization_ = Tensorization{axis, intrinsic, reset};
  return *this;
}

const IterVar& Stage::axis(std::size_t dimension) const {
  VDLA_CHECK_USER(dimension < compute_.axes.size())
      << "stage '" << name() << "' has " << compute_.axes.size() << " axes, got index " << dimension;
  return compute_.axes[dimension];
}

const IterVar& Stage::reduce_axis(std::size_t index) const {
  std::size_t count = has_reduction() ? compute_.reduction()->axes.size() : 0;
  VDLA_CHECK_USER(index < count) << "stage '" << name() << "' has " << count << " reduce axes, got index "
                                 << index;
  return compute_.reduction()->axes[index];
}

ForKind Stage::annotation(const IterVar& leaf) const {
  for (const auto& [axis, kind] : annotations_) {
    if (axis == leaf) return kind;
  }
  return ForKind::Serial;
}

}  // namespace vdla::schedule
