// SPDX-License-Identifier: Apache-2.0
// Views as the operators of ONNX that move elements. A view of no such form is a Gather by the places of its
// elements.
#include <algorithm>
#include <optional>

#include "compiler/graph/element_read.h"
#include "compiler/import/tensor/network.h"
#include "compiler/onnx_writer/writers.h"

namespace vdla::onnx_writer {
namespace {

using graph::Outside;
using graph::View;

/// Elements of a view whose places are written into the file.
constexpr std::int64_t kMostPlaces = std::int64_t{1} << 22;

const char* mode_of(Outside outside) {
  switch (outside) {
    case Outside::Edge:
      return "edge";
    case Outside::Reflect:
      return "reflect";
    case Outside::Never:
    case Outside::Fill:
      break;
  }
  return "constant";
}

/// Writes one view step by step over a value that gets new names.
class Moves {
 public:
  Moves(Model& m, const graph::Node& node, const View& op)
      : m_(m),
        node_(node),
        op_(op),
        in_(m.tensor(node.inputs[0])),
        value_(m.name(node.inputs[0])),
        shape_(in_.shape) {}

  void write() {
    if (!is_broadcast()) {
      if (is_by_dimension() && op_.outside == Outside::Never)
        slice();
      else if (is_by_dimension() && pads_only())
        pad();
      else
        gather();
    }
    if (shape_ != op_.shape) step("Expand", {value_, m_.integers(op_.shape)}, op_.shape);
    if (value_ == m_.name(node_.inputs[0]))
      m_.add("Identity", {value_}, m_.output());
    else
      m_.give_last_output();
  }

 private:
  void step(const char* op, const Names& inputs, Shape shape) {
    value_ = m_.step(op, inputs);
    shape_ = std::move(shape);
  }

  /// The one output dimension that dimension d of the input moves along; nothing: there are several.
  std::optional<std::size_t> along(std::size_t d) const {
    std::optional<std::size_t> result;
    for (std::size_t k = 0; k < op_.shape.size(); ++k) {
      if (op_.source[d].step[k] == 0 || op_.shape[k] == 1) continue;
      if (result) return std::nullopt;
      result = k;
    }
    return result ? result : d;
  }

  /// Every dimension as it is, or its one element.
  bool is_broadcast() const {
    const std::size_t rank = in_.shape.size(), lead = op_.shape.size() - std::min(rank, op_.shape.size());
    if (rank > op_.shape.size() || op_.outside != Outside::Never) return false;
    for (std::size_t d = 0; d < rank; ++d) {
      const graph::Source& s = op_.source[d];
      const bool stays = in_.shape[d] == op_.shape[lead + d];
      if (s.offset != 0 || s.spread != 1) return false;
      for (std::size_t k = 0; k < op_.shape.size(); ++k) {
        const bool moves = s.step[k] != 0 && op_.shape[k] > 1;
        if (moves && (k != lead + d || s.step[k] != 1)) return false;
        if (!moves && k == lead + d && op_.shape[k] > 1 && in_.shape[d] != 1) return false;
      }
      if (!stays && in_.shape[d] != 1) return false;
    }
    return true;
  }

  bool is_by_dimension() const {
    if (in_.shape.size() != op_.shape.size()) return false;
    for (std::size_t d = 0; d < in_.shape.size(); ++d)
      if (along(d) != d || (op_.outside == Outside::Never && op_.source[d].spread != 1)) return false;
    return true;
  }

  std::int64_t step_of(std::size_t d) const { return op_.source[d].step[d]; }

  bool pads_only() const {
    for (std::size_t d = 0; d < in_.shape.size(); ++d)
      if (step_of(d) != 1 || (op_.source[d].spread != 1 && op_.outside != Outside::Fill)) return false;
    return op_.outside != Outside::Never;
  }

  void slice() {
    Extents starts, ends, axes, steps;
    Shape shape = shape_;
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      const std::int64_t s = step_of(d), offset = op_.source[d].offset;
      const bool one = s == 0 || op_.shape[d] == 1;
      const std::int64_t count = one ? 1 : op_.shape[d];
      if (offset == 0 && count == shape_[d] && (one || s == 1)) continue;
      const std::int64_t by = one ? 1 : s, last = offset + (count - 1) * by;
      starts.push_back(offset);
      // An end before the first element counts from the end; the least number is limited to it.
      ends.push_back(by > 0 ? last + 1 : last > 0 ? last - 1 : INT64_MIN);
      axes.push_back(static_cast<std::int64_t>(d));
      steps.push_back(by);
      shape[d] = count;
    }
    if (axes.empty()) return;
    step("Slice", {value_, m_.integers(starts), m_.integers(ends), m_.integers(axes), m_.integers(steps)},
         std::move(shape));
  }

  /// `spread` - 1 fills after each element but the last, by a dimension of their own.
  void spread(std::size_t d, std::int64_t spread) {
    Shape apart = shape_, wide, flat = shape_;
    apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(d) + 1, 1);
    step("Reshape", {value_, m_.integers(apart)}, apart);
    Extents pads(2 * apart.size(), 0);
    pads[apart.size() + d + 1] = spread - 1;
    wide = apart;
    wide[d + 1] = spread;
    step("Pad", {value_, m_.integers(pads), fill()}, wide);
    flat[d] *= spread;
    step("Reshape", {value_, m_.integers(flat)}, flat);
  }

  void pad() {
    for (std::size_t d = 0; d < in_.shape.size(); ++d)
      if (op_.source[d].spread != 1 && in_.shape[d] > 1) spread(d, op_.source[d].spread);
    const std::size_t rank = shape_.size();
    Extents pads(2 * rank, 0), starts, ends, axes;
    Shape kept = shape_;
    bool pads_some = false;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t before = -op_.source[d].offset, after = op_.shape[d] - shape_[d] - before;
      pads[d] = std::max<std::int64_t>(before, 0);
      pads[rank + d] = std::max<std::int64_t>(after, 0);
      pads_some = pads_some || before > 0 || after > 0;
      if (before >= 0 && after >= 0) continue;
      starts.push_back(std::max<std::int64_t>(-before, 0));
      ends.push_back(shape_[d] + std::min<std::int64_t>(after, 0));
      axes.push_back(static_cast<std::int64_t>(d));
      kept[d] = ends.back() - starts.back();
    }
    if (!axes.empty())
      step("Slice", {value_, m_.integers(starts), m_.integers(ends), m_.integers(axes)}, kept);
    if (!pads_some) return;
    Names inputs = {value_, m_.integers(pads)};
    if (op_.outside == Outside::Fill) inputs.push_back(fill());
    step("Pad", inputs, op_.shape);
    set_attribute(m_.last(), "mode", std::string_view(mode_of(op_.outside)));
  }

  std::string fill() {
    if (const auto* number = op_.fill->as<expr::FloatImm>()) return m_.scalar(in_.type, number->value);
    const auto* number = op_.fill->as<expr::IntImm>();
    return m_.scalar(in_.type, number == nullptr ? std::int64_t{0} : number->value);
  }

  /// The place in the input in row-major order; the number of its elements: it lies outside.
  std::int64_t place_of(const Extents& at) const {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < in_.shape.size(); ++d) {
      const auto i = graph::element_read(op_.source[d], op_.outside, in_.shape[d], at);
      if (!i) return graph::element_count(in_.shape);
      place = place * in_.shape[d] + *i;
    }
    return place;
  }

  void gather() {
    const std::int64_t count = graph::element_count(op_.shape), all = graph::element_count(in_.shape);
    if (count > kMostPlaces)
      m_.refuse(node_, "moves " + std::to_string(count) + " elements as no operator of ONNX does, needs " +
                           std::to_string(kMostPlaces) + " at most");
    Extents places, at(op_.shape.size(), 0);
    for (std::int64_t n = 0; n < count; ++n) {
      places.push_back(place_of(at));
      for (std::size_t k = at.size(); k-- > 0 && ++at[k] == op_.shape[k];) at[k] = 0;
    }
    step("Reshape", {value_, m_.integers({all})}, {all});
    if (std::ranges::find(places, all) != places.end()) {
      const std::string outside = m_.step("Reshape", {fill(), m_.integers({1})});
      step("Concat", {value_, outside}, {all + 1});
      set_attribute(m_.last(), "axis", std::int64_t{0});
    }
    step("Gather", {value_, m_.constant(DataType::Int64, op_.shape, *graph::to_bytes(places))}, op_.shape);
    set_attribute(m_.last(), "axis", std::int64_t{0});
  }

  Model& m_;
  const graph::Node& node_;
  const View& op_;
  const graph::Tensor& in_;
  std::string value_;  ///< name of the newest step
  Shape shape_;        ///< its shape
};

}  // namespace

void write_view(Model& m, const graph::Node& node, const View& op) { Moves(m, node, op).write(); }

}  // namespace vdla::onnx_writer
