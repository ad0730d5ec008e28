// SPDX-License-Identifier: Apache-2.0
// The attributes of each operator, by name: the one list from which text is made and read. Private to this
// folder. `fields(v, op)` calls v(name, member) for each.
#pragma once

#include "compiler/graph/op.h"

namespace vdla::graph {

template <class V>
void fields(V& v, OutputStage& o) {
  v("multiplier", o.multiplier);
  v("zero_point", o.zero_point);
  v("min", o.min);
  v("max", o.max);
}
template <class V>
void fields(V& v, EntryShape& o) {
  v("depth", o.depth);
  v("lanes", o.lanes);
  v("block", o.block);
}
template <class V>
void fields(V& v, Source& o) {
  v("offset", o.offset);
  v("step", o.step);
  v("spread", o.spread);
}

template <class V, class Convolution>
void convolution_fields(V& v, Convolution& o) {
  v("stride", o.stride);
  v("dilation", o.dilation);
  v("pads", o.pads);
  v("input_zero_point", o.input_zero_point);
  v("weight_zero_point", o.weight_zero_point);
  v("out", o.out);
}
template <class V>
void fields(V& v, Conv2d& o) {
  convolution_fields(v, o);
  v("groups", o.groups);
  v("filler", o.filler);
}
template <class V>
void fields(V& v, DepthwiseConv2d& o) {
  convolution_fields(v, o);
}
template <class V>
void fields(V& v, FullyConnected& o) {
  v("input_zero_point", o.input_zero_point);
  v("weight_zero_point", o.weight_zero_point);
  v("out", o.out);
}
template <class V>
void fields(V& v, BatchMatMul& o) {
  v("transpose_a", o.transpose_a);
  v("transpose_b", o.transpose_b);
  v("a_zero_point", o.a_zero_point);
  v("b_zero_point", o.b_zero_point);
  v("out", o.out);
}
template <class V>
void fields(V& v, PackMatrices& o) {
  v("product", o.product);
  v("entry", o.entry);
}
template <class V>
void fields(V& v, PackScales& o) {
  v("product", o.product);
  v("entry", o.entry);
}
template <class V>
void fields(V& v, PackedMatMul& o) {
  v("product", o.product);
  v("entry", o.entry);
  v("batch", o.batch);
  v("columns", o.columns);
  v("a_by_row", o.a_by_row);
  v("out_by_row", o.out_by_row);
}
template <class V>
void fields(V& v, Add& o) {
  v("left_shift", o.left_shift);
  v("a_zero_point", o.a_zero_point);
  v("b_zero_point", o.b_zero_point);
  v("a", o.a);
  v("b", o.b);
  v("out", o.out);
}
template <class V>
void fields(V& v, Mul& o) {
  v("a_zero_point", o.a_zero_point);
  v("b_zero_point", o.b_zero_point);
  v("out", o.out);
}
template <class V>
void fields(V&, Maximum&) {}
template <class V>
void fields(V&, Minimum&) {}
template <class V, class Pool>
void pool_fields(V& v, Pool& o) {
  v("kernel", o.kernel);
  v("stride", o.stride);
  v("pads", o.pads);
}
template <class V>
void fields(V& v, MaxPool2d& o) {
  pool_fields(v, o);
  v("min", o.min);
  v("max", o.max);
}
template <class V>
void fields(V& v, AvgPool2d& o) {
  pool_fields(v, o);
  v("offset", o.offset);
  v("min", o.min);
  v("max", o.max);
}
template <class V>
void fields(V& v, SumPool2d& o) {
  pool_fields(v, o);
  v("input_zero_point", o.input_zero_point);
  v("out", o.out);
}
template <class V>
void fields(V& v, Mean& o) {
  v("axes", o.axes);
  v("keep_dims", o.keep_dims);
  v("input_zero_point", o.input_zero_point);
  v("out", o.out);
}
template <class V>
void fields(V& v, Bilinear& o) {
  v("parts", o.parts);
  v("zero_point", o.zero_point);
}
template <class V>
void fields(V& v, Softmax& o) {
  v("input", o.input);
  v("diff_min", o.diff_min);
}
template <class V>
void fields(V&, SoftmaxFloat&) {}
template <class V>
void fields(V& v, ArgMax& o) {
  v("axis", o.axis);
}
template <class V>
void fields(V& v, Requantize& o) {
  v("input_zero_point", o.input_zero_point);
  v("out", o.out);
}
template <class V>
void fields(V& v, Quantize& o) {
  v("scale", o.scale);
  v("zero_point", o.zero_point);
}
template <class V>
void fields(V& v, Dequantize& o) {
  v("scale", o.scale);
  v("zero_point", o.zero_point);
}
template <class V>
void fields(V& v, Lut& o) {
  v("function", o.function);
  v("table", o.table);
}
template <class V>
void fields(V& v, Reshape& o) {
  v("shape", o.shape);
}
template <class V>
void fields(V& v, Transpose& o) {
  v("perm", o.perm);
}
template <class V>
void fields(V& v, Pad& o) {
  v("before", o.before);
  v("after", o.after);
  v("value", o.value);
}
template <class V>
void fields(V& v, Concat& o) {
  v("axis", o.axis);
}
template <class V>
void fields(V& v, Im2col& o) {
  pool_fields(v, o);
  v("dilation", o.dilation);
  v("pad_value", o.pad_value);
}
/// The arguments are called x0, x1, ..., and have the inputs' types.
template <class V>
void fields(V& v, Map& o) {
  v("function", o.function);
  v("body", o.body);
}
template <class V>
void fields(V& v, Fold& o) {
  v("reducer", o.reducer);
  v("axes", o.axes);
  v("keep_dims", o.keep_dims);
}
template <class V>
void fields(V& v, View& o) {
  v("shape", o.shape);
  v("source", o.source);
  v("outside", o.outside);
  v("fill", o.fill);
}
template <class V, class Op>
void spatial_fields(V& v, Op& o) {
  v("stride", o.stride);
  v("dilation", o.dilation);
  v("before", o.before);
  v("after", o.after);
}
template <class V>
void fields(V& v, Convolve& o) {
  spatial_fields(v, o);
  v("groups", o.groups);
}
template <class V>
void fields(V& v, ReduceWindow& o) {
  v("reducer", o.reducer);
  v("kernel", o.kernel);
  spatial_fields(v, o);
}
template <class V>
void fields(V& v, MatMul& o) {
  v("transpose_a", o.transpose_a);
  v("transpose_b", o.transpose_b);
}
template <class V>
void fields(V& v, Gather& o) {
  v("axis", o.axis);
}
template <class V>
void fields(V& v, GatherElements& o) {
  v("axis", o.axis);
}
template <class V>
void fields(V& v, GatherNd& o) {
  v("batch", o.batch);
}
template <class V>
void fields(V& v, ScatterElements& o) {
  v("axis", o.axis);
  v("mode", o.mode);
}
template <class V>
void fields(V& v, ScatterNd& o) {
  v("mode", o.mode);
}
template <class V>
void fields(V& v, Locate& o) {
  v("smallest", o.smallest);
  v("last", o.last);
  v("axis", o.axis);
  v("keep_dims", o.keep_dims);
}
template <class V>
void fields(V& v, Cumulate& o) {
  v("axis", o.axis);
  v("exclusive", o.exclusive);
  v("reverse", o.reverse);
}
template <class V>
void fields(V& v, Sort& o) {
  v("axis", o.axis);
  v("descending", o.descending);
}
template <class V>
void fields(V& v, BlockChannels& o) {
  v("block", o.block);
}
template <class V>
void fields(V& v, UnblockChannels& o) {
  v("channels", o.channels);
}
template <class V>
void fields(V& v, ConvolveBlocks& o) {
  spatial_fields(v, o);
  v("in_channels", o.in_channels);
  v("out_channels", o.out_channels);
  v("depthwise", o.depthwise);
}
template <class V>
void fields(V& v, MatMulPanels& o) {
  v("columns", o.columns);
}

}  // namespace vdla::graph
