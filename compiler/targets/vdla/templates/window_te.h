// SPDX-License-Identifier: Apache-2.0
// Tensor expressions that the templates share: activations as entries of a buffer, the padded input of a
// window, the way out of the accumulator.
//
// An activation in SRAM is [y][x][block][n], or with rows of the array (batch B > 1) [y][group][block][b][n],
// where pixel x = group * B + b. Where B does not divide the width, the last group has rows without a pixel;
// they are computed and never stored. The outer axes of a layer are dimensions in front of these; kEntryAxis
// and kInputRowAxis count from behind them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/schedule/stage.h"
#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/outer_axes.h"
#include "compiler/targets/vdla/templates/tiles.h"

namespace vdla::pipeline::device {

/// One element of an activation in SRAM.
struct Element {
  expr::Value y;
  expr::Value x;  ///< pixel, or group of B pixels
  expr::Value block;
  expr::Value b;  ///< row of the array, 0 where B is 1
  expr::Value n;
  std::vector<expr::Value> outer = {};

  std::vector<expr::Value> indices(std::int64_t batch) const;
};

/// Dimension of the tensorized axis: b where B > 1, else n.
inline constexpr std::size_t kEntryAxis = 3;
/// Dimension b of a WindowInput's tensor where B > 1.
inline constexpr std::size_t kInputRowAxis = 5;

/// Entries for the pixels of `image`, in blocks of N channels.
expr::Tensor entries(const std::string& name, const Image& image, const isa::Geometry& geometry,
                     const std::function<expr::Value(const Element&)>& body, const OuterAxes& outer = {});

/// Input of windows: a parameter [y][x][blocks][lanes], and how it comes into SRAM; padding becomes `pad`.
///
/// In DRAM the parameter is the image. Its copy in SRAM has, with batch 1, the pixels that the windows touch,
/// where the kernel's extent is 1 along a dimension only those that are used; with batch B as Grouping says,
/// [row][copy][group][pixel of the bundle][block][b][lane].
///
/// On chip the parameter is what the windows reach of the image with its padding, and read as it is; with
/// batch B it is [row][group][block][b][lane], and windows are single pixels.
class WindowInput {
 public:
  WindowInput(const std::string& name, const Image& in, const Image& out, const SlidingWindow& window,
              std::int32_t pad, std::int64_t lanes, bool on_chip, const isa::Geometry& geometry,
              const OuterAxes& outer = {});
  /// Input from a tensor that the same schedule computes, in entries of one pixel, without outer axes: what
  /// the windows reach of it with its padding is read as it is.
  WindowInput(const expr::Tensor& made, const Image& in, const Image& out, const SlidingWindow& window,
              std::int32_t pad, const isa::Geometry& geometry);
  /// The element of the window at `e` that kernel position (ky, kx) meets.
  expr::Value operator()(const Element& e, const expr::Value& ky, const expr::Value& kx,
                         const expr::Value& block, const expr::Value& lane) const;
  /// At a window of one pixel.
  expr::Value operator()(const Element& e) const { return (*this)(e, 0, 0, e.block, e.n); }
  const expr::Tensor& parameter() const { return parameter_; }
  /// Nothing is loaded.
  bool on_chip() const { return tensor_.node() == parameter_.node(); }
  /// Whether its index is no multiple of kx, so that an instruction takes one kx.
  bool by_column() const { return batch_ > 1 && !grouped_ && !grouping_.by_tap; }
  /// The copy in SRAM; on chip the parameter.
  const expr::Tensor& tensor() const { return tensor_; }

 private:
  SlidingWindow window_;
  std::int64_t batch_;
  Grouping grouping_;
  std::int64_t ahead_ = 0;  ///< pixels of the first copy in front of the first tap
  bool grouped_;            ///< the parameter is in entries of several pixels
  expr::Tensor parameter_;
  expr::Tensor tensor_;
};

/// An entry of SRAM is computed in full also where the image is narrower than the array's batch.
void compute_whole_entries(schedule::Stage& stage, std::int64_t batch, std::size_t axis);

/// How the pixels that windows read lie in entries. Whole rows are loaded where the taps read more than one
/// pixel of a step, and where a step lies wholly within the image or beyond it.
Grouping grouping_of(const SlidingWindow& window, std::int64_t in_w, std::int64_t out_w, std::int64_t batch);

/// The window as its reader in SRAM sees it: along a kernel extent of 1 the stride is 1, and dilation, where
/// it means nothing, too.
SlidingWindow dense_window(const SlidingWindow& window);
/// Whether that skips pixels along x.
bool skips_pixels(const SlidingWindow& window);

/// The result as it goes to DRAM, [h][w][blocks][N]; itself where it stays on chip.
expr::Tensor way_out(const expr::Tensor& result, const Image& image, bool on_chip,
                     const isa::Geometry& geometry, const OuterAxes& outer = {},
                     const std::string& name = "out");
/// A tensor in DRAM, [h][w][blocks][N], of the elements of `image`.
expr::Tensor stored_elements(const std::string& name, const Image& image, const isa::Geometry& geometry,
                             const std::function<expr::Value(const Element&)>& body, const OuterAxes& outer);

/// int8 of requantised `x`, with parameters 0..2 of `scale`.
expr::Value scaled_int8(const expr::Value& x, const std::function<expr::Value(std::int64_t)>& params,
                        const OutputStage& stage);
/// With parameters params[block][0..2][n].
expr::Value scaled_int8(const expr::Value& x, const expr::Tensor& params, const expr::Value& block,
                        const expr::Value& n, const OutputStage& stage);
/// Entries of requantised `acc` as int8, with those parameters.
expr::Tensor scaled_result(const expr::Tensor& acc, const Image& image, const expr::Tensor& params,
                           const OutputStage& stage, const isa::Geometry& geometry, const OuterAxes& outer,
                           const std::string& suffix = "");
/// Clamped to int8.
expr::Value clamped_int8(const expr::Value& x, std::int32_t zero, std::int32_t min, std::int32_t max);

/// TFLite's ADD of int8 `a` and `b`, through the accumulators, with parameters params[a, b, sum][0..2][n].
struct Sum {
  expr::Tensor first;   ///< a scaled
  expr::Tensor both;    ///< and b scaled added, to be computed in place of `first`
  expr::Tensor result;  ///< int8
};
using ElementValue = std::function<expr::Value(const Element&)>;
/// Blocks of accumulators that differ from those of the results: the image of the accumulators' blocks, the
/// element of a result that an element of an accumulator becomes, and the reverse.
struct AccumulatorBlocks {
  Image image;
  std::function<Element(const Element&)> element, place;
};
Sum sum_of(const Add& op, const ElementValue& a, const ElementValue& b, const expr::Tensor& params,
           const isa::Geometry& geometry, const std::optional<AccumulatorBlocks>& blocks = std::nullopt);

/// [h][w][blocks][N]: an activation in DRAM in blocks of the vector unit.
std::vector<std::int64_t> blocked(const Image& image, const isa::Geometry& geometry);

expr::Value i32(std::int64_t value);
expr::Value widened(const expr::Value& int8_value);

}  // namespace vdla::pipeline::device
