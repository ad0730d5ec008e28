// SPDX-License-Identifier: Apache-2.0
// Operators over tensors of any element type and rank, from which float networks are built: a model's
// operator becomes one or several of them. Convolutions here are NC..., with weights OI...
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/expr.h"

namespace vdla::graph {

using Extents = std::vector<std::int64_t>;

/// Each output element is `body` over the elements of the inputs at its place; inputs broadcast.
struct Map {
  std::string function;                 ///< for people
  std::vector<expr::VarPtr> arguments;  ///< one for each input, of its element type
  expr::ExprPtr body;                   ///< its type is the output's
};

/// Combines all elements along `axes` (ascending, from 0).
struct Fold {
  expr::Reducer reducer = expr::Reducer::Sum;
  std::vector<int> axes;
  bool keep_dims = false;
};

/// Origin of an output element in one dimension of the input: index (offset + sum of step[k] * output index
/// k) / spread, and from nowhere where spread does not divide.
struct Source {
  std::int64_t offset = 0;
  Extents step;  ///< one for each output dimension
  std::int64_t spread = 1;
};

/// Content of a View where its source lies outside of the input.
enum class Outside : std::uint8_t {
  Never,    ///< it does not happen
  Fill,     ///< a constant
  Edge,     ///< the nearest element
  Reflect,  ///< mirrored at the first and the last element, which are not repeated
};

/// The elements of the input at other places: slices, transposition, broadcast, padding, windows.
struct View {
  Extents shape;
  std::vector<Source> source;  ///< one for each input dimension
  Outside outside = Outside::Never;
  expr::ExprPtr fill = nullptr;  ///< a constant of the element type, for Outside::Fill
};

/// Inputs: data N C spatial..., weights O C/groups spatial... of one type, in which it computes. Padding
/// holds zeros.
struct Convolve {
  Extents stride, dilation, before, after;  ///< one entry for each spatial dimension
  std::int64_t groups = 1;
};

/// Combines windows over the last kernel.size() dimensions. Padding holds what leaves the result unchanged.
struct ReduceWindow {
  expr::Reducer reducer = expr::Reducer::Max;
  Extents kernel, stride, dilation, before, after;
};

/// Matrix products of the last two dimensions, each transposed first where asked for; the others broadcast.
/// Halves are added up in float32 and rounded once. Sums of int8 are int32, which the result is then.
struct MatMul {
  bool transpose_a = false, transpose_b = false;
};

// Indices count from the end where negative; what is outside is limited to the nearest element.

/// Inputs: data, indices. Dimension `axis` of the data is replaced by the dimensions of the indices.
struct Gather {
  int axis = 0;
};
/// Inputs: data, indices of equal rank. Index along `axis` from the indices, along the others the own.
struct GatherElements {
  int axis = 0;
};
/// Inputs: data, indices whose last dimension holds the indices of as many data dimensions behind the first
/// `batch` ones, which both share.
struct GatherNd {
  int batch = 0;
};

enum class ScatterMode : std::uint8_t { Replace, Add, Multiply };

/// Inputs: data, indices, updates of the indices' shape. The data with updates at the indices along `axis`.
/// Of several Replace updates of an element the last one counts.
struct ScatterElements {
  int axis = 0;
  ScatterMode mode = ScatterMode::Replace;
};
/// Inputs: data, indices (last dimension as in GatherNd), updates.
struct ScatterNd {
  ScatterMode mode = ScatterMode::Replace;
};

/// Index along `axis` of the largest (smallest) element, as int64: the first of equal ones, or the last.
struct Locate {
  bool smallest = false, last = false;
  int axis = 0;
  bool keep_dims = false;
};

/// Sums of all elements up to each one along `axis`, the own one excluded where asked for; or of all from it.
struct Cumulate {
  int axis = 0;
  bool exclusive = false, reverse = false;
};

/// The indices (int64) that sort `axis`; equal elements keep their order.
struct Sort {
  int axis = 0;
  bool descending = false;
};

// Layouts in which a CPU's vector loops read and write whole vectors. An image N C H W in blocks of channels
// is N ceil(C/block) H W block, or has more blocks; what lanes beyond the last channel hold is not said, and
// nothing reads it.

/// An image in blocks of channels.
struct BlockChannels {
  std::int64_t block = 1;
};
/// The inverse: the first `channels` channels.
struct UnblockChannels {
  std::int64_t channels = 1;
};

/// Convolution of two spatial dimensions over blocks of channels. Inputs: data, constant weights: K/kb C/cb R
/// S cb kb, where cb divides the data's block; depthwise (output channel k reads input channel k): C/cb R S
/// cb with the data's block, and as many blocks as the result has: the data may have more.
struct ConvolveBlocks {
  Extents stride, dilation, before, after;
  std::int64_t in_channels = 1, out_channels = 1;  ///< without the lanes that fill a block
  bool depthwise = false;
};

/// Product of a matrix M K with one that lies in panels, N/nb K nb; its columns beyond the last are zero.
struct MatMulPanels {
  std::int64_t columns = 1;  ///< N
};

std::string_view name_of(Outside outside);
std::string_view name_of(ScatterMode mode);

#define VDLA_GRAPH_TENSOR_OPS(X)                          \
  X(Map, "map", Elementwise)                              \
  X(Fold, "fold", Reduction)                              \
  X(View, "view", Moving)                                 \
  X(Convolve, "convolve", ComplexOutFusable)              \
  X(ReduceWindow, "window", Reduction)                    \
  X(MatMul, "matmul", ComplexOutFusable)                  \
  X(Gather, "gather", Injective)                          \
  X(GatherElements, "gather_elements", Injective)         \
  X(GatherNd, "gather_nd", Injective)                     \
  X(ScatterElements, "scatter_elements", Opaque)          \
  X(ScatterNd, "scatter_nd", Opaque)                      \
  X(Locate, "locate", Opaque)                             \
  X(Cumulate, "cumulate", Opaque)                         \
  X(Sort, "sort", Opaque)                                 \
  X(BlockChannels, "block_channels", Moving)              \
  X(UnblockChannels, "unblock_channels", Moving)          \
  X(ConvolveBlocks, "convolve_blocks", ComplexOutFusable) \
  X(MatMulPanels, "matmul_panels", ComplexOutFusable)

}  // namespace vdla::graph
