// SPDX-License-Identifier: Apache-2.0
// Products of two int8 tensors, and what packs the second one for an array of multipliers.
#include "compiler/graph/ops_matmul.h"

#include "compiler/graph/ops.h"
#include "compiler/graph/ops_parts.h"

namespace vdla::graph {
namespace parts {
namespace {

/// Dimensions of a batch from its last one: index `flat` taken apart.
std::vector<Value> unflattened(Value flat, const Shape& shape) {
  std::vector<Value> index(shape.size(), Value(0));
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = d == 0 ? flat : floor_mod(flat, shape[d]);
    flat = floor_div(flat, shape[d]);
  }
  return index;
}

/// The second operand of a product, int32 less its zero point.
class SecondOperand {
 public:
  SecondOperand(const Tensor& b, const BatchMatMul& op)
      : matrices(b.shape(), op.transpose_b), b_(b), op_(op), batch_(b.shape().begin(), b.shape().end() - 2) {}

  Value operator()(const Value& matrix, const Value& k, const Value& column) const {
    std::vector<Value> index = unflattened(matrix, batch_);
    index.push_back(op_.transpose_b ? column : k);
    index.push_back(op_.transpose_b ? k : column);
    return widen(at(b_, index)) - op_.b_zero_point;
  }

  const Matrices matrices;

 private:
  const Tensor& b_;
  const BatchMatMul& op_;
  Shape batch_;
};

/// Type in which products of matrices of such elements are added up.
DType sums_of(DType type) {
  if (type == DType::F16 || type == DType::BF16) return DType::F32;
  return type == DType::I8 ? DType::I32 : type;
}

/// The element at the last two indices given of a tensor whose other dimensions broadcast to those of `i`.
Value matrix_element(const Tensor& t, const std::vector<Value>& i, Value row, Value column, bool transposed) {
  std::vector<Value> index;
  const std::size_t lead = i.size() - t.rank();
  for (std::size_t d = 0; d + 2 < t.rank(); ++d) index.push_back(t.shape()[d] == 1 ? Value(0) : i[lead + d]);
  if (transposed) std::swap(row, column);
  index.push_back(row);
  index.push_back(column);
  return at(t, index);
}

/// The last index but two changes places with the one behind it, where asked for.
template <class T>
std::vector<T> rows_swapped(std::vector<T> index, bool swapped) {
  if (swapped) std::swap(index[index.size() - 3], index[index.size() - 2]);
  return index;
}

/// `rounds`: factors that are f32, to tf32.
NodeExpr product(NodeBuilder& b, const MatMul& op, bool rounds) {
  const Shape& a = b.shape(0);
  const IterVar k = expr::reduce_axis(op.transpose_a ? a[a.size() - 2] : a.back(), "k");
  const DType type = b.input(0).dtype(), wide = sums_of(type);
  const auto widened = [&](const Value& v) {
    if (wide != type) return cast(wide, v);
    return rounds && type == DType::F32 ? round_tf32(v) : v;
  };
  const bool is_rounded = wide != b.output_type();
  const Tensor sums =
      expr::compute(is_rounded ? "sums" : "out", b.output_shape(), [&](const std::vector<Value>& i) {
        return sum(widened(matrix_element(b.input(0), i, i[i.size() - 2], Value(k), op.transpose_a)) *
                       widened(matrix_element(b.input(1), i, Value(k), i.back(), op.transpose_b)),
                   {k});
      });
  if (!is_rounded) return b.take(sums);
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    return cast(b.output_type(), at(sums, i));
  }));
}

}  // namespace

NodeExpr express(NodeBuilder& b, const MatMul& op) { return product(b, op, false); }

NodeExpr express(NodeBuilder& b, const BatchMatMul& op) {
  const Shape& a = b.shape(0);
  const IterVar k = expr::reduce_axis(op.transpose_a ? a[a.size() - 2] : a.back(), "k");
  const Tensor acc = expr::compute("acc", b.output_shape(), [&](const std::vector<Value>& i) {
    const Value x = matrix_element(b.input(0), i, i[i.size() - 2], Value(k), op.transpose_a);
    const Value y = matrix_element(b.input(1), i, Value(k), i.back(), op.transpose_b);
    return sum((widen(x) - op.a_zero_point) * (widen(y) - op.b_zero_point), {k});
  });
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    return b.finish(op.out, at(acc, i), i.back());
  }));
}

NodeExpr express(NodeBuilder& b, const PackMatrices& op) {
  const SecondOperand operand(b.input(0), op.product);
  const EntryShape& e = op.entry;
  const std::int64_t blocks = e.padded(operand.matrices.columns) / e.lanes;
  return b.take(
      expr::compute("out", b.output_shape(), [&](Value matrix, Value row, Value depth, Value element) {
        const Value column = floor_mod(row, blocks) * e.lanes + floor_div(element, e.depth);
        const Value k = depth * e.depth + floor_mod(element, e.depth);
        Value value = operand(matrix, k, column);
        std::vector<Value> summands;
        for (std::int64_t part = 1; part < op.parts(); ++part) {
          summands.push_back(clamp(value, int32(-128), int32(127)));
          value = value - summands.back();
        }
        for (std::size_t part = summands.size(); part-- > 0;)
          value = select(row < static_cast<std::int64_t>(part + 1) * blocks, summands[part], value);
        const Value inside_both =
            inside(column, operand.matrices.columns) && inside(k, operand.matrices.depth);
        return select(inside_both, narrow(value), 0);
      }));
}

NodeExpr express(NodeBuilder& b, const PackScales& op) {
  const SecondOperand operand(b.input(0), op.product);
  const std::int64_t columns = operand.matrices.columns, lanes = op.entry.lanes;
  const IterVar k = expr::reduce_axis(operand.matrices.depth, "k");
  const Tensor bias =
      expr::compute("sums", {operand.matrices.count, columns}, [&](Value matrix, Value column) {
        return sum(operand(matrix, k, column) * -op.product.a_zero_point, {k});
      });
  const Multiplier& m = op.product.out.multiplier[0];
  return b.take(expr::compute("out", b.output_shape(), [&](Value matrix, Value element) {
    const Value column = floor_div(element, kScaleRows * lanes) * lanes + floor_mod(element, lanes);
    const Value row = floor_mod(floor_div(element, lanes), kScaleRows);
    const Value sums = select(inside(column, columns), bias(matrix, column), int32(0));
    return select(row == 0, sums, select(row == 1, int32(m.value), int32(m.left() | m.right() << 8)));
  }));
}

NodeExpr express(NodeBuilder& b, const PackedMatMul& op) {
  const EntryShape& e = op.entry;
  const std::int64_t blocks = e.padded(op.columns) / e.lanes;
  const IterVar part = expr::reduce_axis(b.shape(1)[1] / blocks, "part"),
                k = expr::reduce_axis(b.shape(0).back(), "k");
  // Indices with the rows behind the batch.
  const auto matrix_of = [&](const std::vector<Value>& i) {
    Value flat = Value(0);
    const std::size_t lead = i.size() - 2 - op.batch.size();
    for (std::size_t d = 0; d < op.batch.size(); ++d)
      flat = flat * op.batch[d] + (op.batch[d] == 1 ? Value(0) : i[lead + d]);
    return flat;
  };
  const auto first = [&](const std::vector<Value>& i) {
    if (!op.a_by_row) return matrix_element(b.input(0), i, i[i.size() - 2], Value(k), false);
    std::vector<Value> index(i.end() - static_cast<std::ptrdiff_t>(b.shape(0).size()), i.end());
    index.back() = Value(k);
    const Shape a = rows_swapped(b.shape(0), true);
    for (std::size_t d = 0; d + 2 < a.size(); ++d)
      if (a[d] == 1) index[d] = Value(0);
    return at(b.input(0), rows_swapped(std::move(index), true));
  };
  const Tensor acc = expr::compute("acc", b.output_shape(), [&](const std::vector<Value>& out) {
    const std::vector<Value> i = rows_swapped(out, op.out_by_row);
    const Value column = i.back();
    const Value x = first(i);
    const Value y = b.input(1)(matrix_of(i), Value(part) * blocks + floor_div(column, e.lanes),
                               floor_div(Value(k), e.depth),
                               floor_mod(column, e.lanes) * e.depth + floor_mod(Value(k), e.depth));
    return sum(widen(x) * widen(y), {part, k});
  });
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    const Value block = floor_div(i.back(), e.lanes) * (kScaleRows * e.lanes);
    const Value bias =
        b.input(2)(matrix_of(rows_swapped(i, op.out_by_row)), block + floor_mod(i.back(), e.lanes));
    return b.finish(op.product.out, at(acc, i) + bias, i.back());
  }));
}

}  // namespace parts

NodeExpr express_product(const Graph& graph, const Node& node, const MatMul& op, const expr::Tensor& a,
                         const expr::Tensor& b, bool rounds) {
  parts::NodeBuilder builder(graph, node, {a, b});
  return parts::product(builder, op, rounds);
}

}  // namespace vdla::graph
