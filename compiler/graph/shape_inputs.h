// SPDX-License-Identifier: Apache-2.0
// Parts that the operator families' inference of shapes shares. Private to compiler/graph.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "compiler/graph/op.h"
#include "compiler/graph/tensor.h"
#include "compiler/graph/windows.h"
#include "support/error.h"

namespace vdla::graph::shapes {

/// The inputs of one node, with checks that name it.
class Inputs {
 public:
  Inputs(std::span<const Tensor> tensors, const std::string& name, const Op& op,
         const std::vector<TensorId>& ids)
      : tensors_(tensors), where_("node '" + name + "' (" + std::string(name_of(op)) + "): "), ids_(ids) {}

  void count(std::size_t least, std::size_t most) const {
    VDLA_CHECK_USER(ids_.size() >= least && ids_.size() <= most)
        << where_ << "has " << ids_.size() << " inputs, needs " << least << (most > least ? " or more" : "");
    for (std::size_t i = 0; i < least; ++i)
      VDLA_CHECK_USER(ids_[i] != kNone) << where_ << "input " << i << " is missing";
  }
  bool has(std::size_t i) const { return i < ids_.size() && ids_[i] != kNone; }
  std::size_t size() const { return ids_.size(); }
  const Tensor& at(std::size_t i) const {
    VDLA_CHECK_USER(has(i)) << where_ << "input " << i << " is missing";
    const auto id = static_cast<std::size_t>(ids_[i]);
    VDLA_CHECK(id < tensors_.size()) << where_ << "input " << i << " is tensor " << id << " of "
                                     << tensors_.size();
    return tensors_[id];
  }

  const Tensor& typed(std::size_t i, DataType type) const {
    const Tensor& t = at(i);
    VDLA_CHECK_USER(t.type == type) << where_ << "input " << i << " is " << name_of(t.type) << ", needs "
                                    << name_of(type);
    return t;
  }
  const Tensor& ranked(std::size_t i, DataType type, std::size_t rank) const {
    const Tensor& t = typed(i, type);
    VDLA_CHECK_USER(t.shape.size() == rank) << where_ << "input " << i << " has shape " << to_string(t.shape)
                                            << ", needs " << rank << " dimensions";
    return t;
  }
  /// How an error begins.
  const std::string& where() const { return where_; }
  void require(bool ok, const std::string& what) const { VDLA_CHECK_USER(ok) << where_ << what; }

  void bias(std::size_t i, std::int64_t channels) const {
    if (!has(i)) return;
    const Tensor& b = typed(i, DataType::Int32);
    require(b.shape == Shape{channels},
            "bias has shape " + to_string(b.shape) + ", needs " + std::to_string(channels));
  }
  void stage(const OutputStage& out, std::int64_t channels) const {
    require(out.multiplier.size() == 1 || static_cast<std::int64_t>(out.multiplier.size()) == channels,
            "has " + std::to_string(out.multiplier.size()) + " multipliers, needs 1 or " +
                std::to_string(channels));
    require(out.min <= out.max && out.min >= -128 && out.max <= 127, "clamps to " + std::to_string(out.min) +
                                                                         ".." + std::to_string(out.max) +
                                                                         ", needs a range within int8");
  }
  int axis(int a, std::size_t rank) const {
    const int wrapped = a < 0 ? a + static_cast<int>(rank) : a;
    require(wrapped >= 0 && wrapped < static_cast<int>(rank),
            "axis " + std::to_string(a) + " is outside of " + std::to_string(rank) + " dimensions");
    return wrapped;
  }
  void within(const std::string& attribute, std::int64_t value, std::int64_t least, std::int64_t most) const {
    if (value >= least && value <= most) return;
    require(false, "has " + attribute + " of " + std::to_string(value) + ", needs " + std::to_string(least) +
                       " to " + std::to_string(most));
  }
  /// Checks sizes of a window, which then is counted within 64 bits.
  void kernels(std::initializer_list<std::int64_t> values) const { sizes("a kernel", values, 1); }
  void strides(std::initializer_list<std::int64_t> values) const { sizes("a stride", values, 1); }
  void dilations(std::initializer_list<std::int64_t> values) const { sizes("a dilation", values, 1); }
  void paddings(std::initializer_list<std::int64_t> values) const { sizes("a padding", values, 0); }
  Shape windows(const Shape& in, Hw kernel, Hw stride, Hw dilation, Pads pads, std::int64_t channels) const {
    kernels({kernel.h, kernel.w});
    strides({stride.h, stride.w});
    dilations({dilation.h, dilation.w});
    paddings({pads.top, pads.bottom, pads.left, pads.right});
    const std::int64_t h = window_count(in[1], pads.top + pads.bottom, kernel.h, stride.h, dilation.h);
    const std::int64_t w = window_count(in[2], pads.left + pads.right, kernel.w, stride.w, dilation.w);
    require(h > 0 && w > 0, "kernel " + to_string(Shape{kernel.h, kernel.w}) +
                                " is larger than its padded input " + to_string(in));
    return {in[0], h, w, channels};
  }

 private:
  void sizes(const char* attribute, std::initializer_list<std::int64_t> values, std::int64_t least) const {
    for (const std::int64_t value : values) within(attribute, value, least, kMostOfWindow);
  }

  std::span<const Tensor> tensors_;
  std::string where_;
  const std::vector<TensorId>& ids_;
};

/// Shape of a product of the last two dimensions of inputs 0 and 1.
Shape product_shape(const Inputs& in, bool transpose_a, bool transpose_b);

/// Type and shape of each operator's result, in the file of its family.
#define VDLA_DECLARE(type, text, fusion) TensorType of(const type& op, const Inputs& in);
VDLA_GRAPH_OPS(VDLA_DECLARE)
#undef VDLA_DECLARE

}  // namespace vdla::graph::shapes
