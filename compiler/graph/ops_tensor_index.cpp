// SPDX-License-Identifier: Apache-2.0
// The operators of tensor_op.h that look for places: gather, scatter, locate, cumulate, sort. Those that
// search do so by reductions along the axis: a schedule may split them, and no order of execution is assumed.
#include "compiler/graph/ops_parts.h"
#include "support/error.h"

namespace vdla::graph::parts {
namespace {

using Indices = std::vector<Value>;

std::size_t axis_of(int axis, const Shape& shape) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.size()) : axis);
}

Indices replaced(Indices i, std::size_t d, const Value& v) {
  i[d] = v;
  return i;
}

/// An index from a tensor: from the end where negative, limited to the dimension.
Value wrapped(const Value& index, std::int64_t extent) {
  const Value i = cast(expr::kIndex, index);
  return clamp(select(i < 0, i + extent, i), 0, extent - 1);
}

Value int64(std::int64_t v) { return expr::int_imm(v, DType::I64); }

}  // namespace

NodeExpr express(NodeBuilder& b, const Gather& op) {
  const std::size_t axis = axis_of(op.axis, b.shape(0)), count = b.shape(1).size();
  return b.take(expr::compute("out", b.output_shape(), [&](const Indices& i) {
    const auto at_axis = i.begin() + static_cast<std::ptrdiff_t>(axis);
    const auto behind = at_axis + static_cast<std::ptrdiff_t>(count);
    Indices source(i.begin(), at_axis);
    source.push_back(wrapped(at(b.input(1), Indices(at_axis, behind)), b.shape(0)[axis]));
    source.insert(source.end(), behind, i.end());
    return at(b.input(0), source);
  }));
}

NodeExpr express(NodeBuilder& b, const GatherElements& op) {
  const std::size_t axis = axis_of(op.axis, b.shape(0));
  return b.take(expr::compute("out", b.output_shape(), [&](const Indices& i) {
    return at(b.input(0), replaced(i, axis, wrapped(at(b.input(1), i), b.shape(0)[axis])));
  }));
}

NodeExpr express(NodeBuilder& b, const GatherNd& op) {
  const Shape &x = b.shape(0), &indices = b.shape(1);
  const auto batch = static_cast<std::size_t>(op.batch);
  return b.take(expr::compute("out", b.output_shape(), [&](const Indices& i) {
    const auto own = i.begin() + static_cast<std::ptrdiff_t>(indices.size() - 1);
    Indices row(i.begin(), own), source(i.begin(), i.begin() + op.batch);
    row.emplace_back(0);
    for (std::int64_t k = 0; k < indices.back(); ++k) {
      row.back() = Value(k);
      source.push_back(wrapped(at(b.input(1), row), x[batch + static_cast<std::size_t>(k)]));
    }
    source.insert(source.end(), own, i.end());
    return at(b.input(0), source);
  }));
}

namespace {

/// Data with updates. `hits(i, k)`: the update numbered by the reduce axes `k` writes element i;
/// `update(i, number)`: its value; `number(k)`: its number, ascending in the order in which updates count.
template <class Hits, class Number, class Update>
NodeExpr scatter(NodeBuilder& b, ScatterMode mode, const std::vector<IterVar>& axes, const Hits& hits,
                 const Number& number, const Update& update) {
  const Tensor& data = b.input(0);
  if (mode == ScatterMode::Replace) {
    const Tensor last = expr::compute("last", data.shape(), [&](const Indices& i) {
      return max(select(hits(i), number(), int64(-1)), axes);
    });
    return b.take(expr::compute("out", data.shape(), [&](const Indices& i) {
      return select(at(last, i) >= 0, update(i, maximum(at(last, i), int64(0))), at(data, i));
    }));
  }
  const bool adds = mode == ScatterMode::Add;
  const Tensor all = expr::compute("all", data.shape(), [&](const Indices& i) {
    const Value one = select(hits(i), update(i, number()), Value(expr::number(adds ? 0 : 1, data.dtype())));
    return Value(expr::reduce(adds ? expr::Reducer::Sum : expr::Reducer::Prod, one.expr(), axes));
  });
  return b.take(expr::compute("out", data.shape(), [&](const Indices& i) {
    return adds ? at(data, i) + at(all, i) : at(data, i) * at(all, i);
  }));
}

}  // namespace

NodeExpr express(NodeBuilder& b, const ScatterElements& op) {
  const Shape &x = b.shape(0), &shape = b.shape(1);
  const std::size_t axis = axis_of(op.axis, x);
  const IterVar k = expr::reduce_axis(shape[axis], "k");
  // Along the other dimensions the indices may be shorter than the data.
  const auto limited = [&](Indices i) {
    for (std::size_t d = 0; d < i.size(); ++d)
      if (d != axis && shape[d] < x[d]) i[d] = minimum(i[d], shape[d] - 1);
    return i;
  };
  const auto hits = [&](const Indices& i) {
    const Value index = at(b.input(1), replaced(limited(i), axis, Value(k)));
    Value hit = wrapped(index, x[axis]) == i[axis];
    for (std::size_t d = 0; d < i.size(); ++d)
      if (d != axis && shape[d] < x[d]) hit = hit && i[d] < shape[d];
    return hit;
  };
  return scatter(
      b, op.mode, {k}, hits, [&] { return Value(k); },
      [&](const Indices& i, const Value& number) {
        return at(b.input(2), replaced(limited(i), axis, number));
      });
}

NodeExpr express(NodeBuilder& b, const ScatterNd& op) {
  const Shape &x = b.shape(0), &shape = b.shape(1);
  const auto depth = static_cast<std::size_t>(shape.back());
  std::vector<IterVar> axes;
  for (std::size_t d = 0; d + 1 < shape.size(); ++d)
    axes.push_back(expr::reduce_axis(shape[d], "k" + std::to_string(d)));
  if (axes.empty()) axes.push_back(expr::reduce_axis(1, "k0"));
  const bool single = shape.size() == 1;
  const auto hits = [&](const Indices& i) {
    Indices row;
    if (!single) row.assign(axes.begin(), axes.end());
    row.emplace_back(0);
    Value hit = expr::bool_imm(true);
    for (std::size_t d = 0; d < depth; ++d) {
      row.back() = Value(static_cast<std::int64_t>(d));
      hit = hit && wrapped(at(b.input(1), row), x[d]) == i[d];
    }
    return hit;
  };
  const auto number = [&] {
    Value flat = Value(axes[0]);
    for (std::size_t d = 1; d < axes.size(); ++d) flat = flat * axes[d].extent() + Value(axes[d]);
    return flat;
  };
  const auto update = [&](const Indices& i, Value number_of_update) {
    Indices place(single ? 0 : axes.size(), Value(0));
    for (std::size_t d = place.size(); d-- > 0;) {
      place[d] = d == 0 ? number_of_update : floor_mod(number_of_update, axes[d].extent());
      number_of_update = floor_div(number_of_update, axes[d].extent());
    }
    place.insert(place.end(), i.begin() + static_cast<std::ptrdiff_t>(depth), i.end());
    return at(b.input(2), place);
  };
  return scatter(b, op.mode, axes, hits, number, update);
}

NodeExpr express(NodeBuilder& b, const Locate& op) {
  const Shape& in = b.shape(0);
  const std::size_t axis = axis_of(op.axis, in);
  const auto source = [&](Indices i, const IterVar& k) {
    if (op.keep_dims)
      i[axis] = Value(k);
    else
      i.insert(i.begin() + static_cast<std::ptrdiff_t>(axis), Value(k));
    return at(b.input(0), i);
  };
  const IterVar k = expr::reduce_axis(in[axis], "k"), j = expr::reduce_axis(in[axis], "j");
  const Tensor best = expr::compute("best", b.output_shape(), [&](const Indices& i) {
    return op.smallest ? min(source(i, k), {k}) : max(source(i, k), {k});
  });
  return b.take(expr::compute("out", b.output_shape(), [&](const Indices& i) {
    const Value found = source(i, j) == at(best, i);
    if (op.last) return max(select(found, Value(j), int64(0)), {j});
    return min(select(found, Value(j), int64(in[axis] - 1)), {j});
  }));
}

NodeExpr express(NodeBuilder& b, const Cumulate& op) {
  const Tensor& in = b.input(0);
  const std::size_t axis = axis_of(op.axis, in.shape());
  const IterVar k = expr::reduce_axis(in.shape()[axis], "k");
  return b.take(expr::compute("out", in.shape(), [&](const Indices& i) {
    const Value far = op.reverse ? Value(k) : i[axis], near = op.reverse ? i[axis] : Value(k);
    const Value counts = op.exclusive ? near < far : near <= far;
    return sum(select(counts, at(in, replaced(i, axis, Value(k))), Value(expr::number(0, in.dtype()))), {k});
  }));
}

NodeExpr express(NodeBuilder& b, const Sort& op) {
  const Tensor& in = b.input(0);
  const std::size_t axis = axis_of(op.axis, in.shape());
  const IterVar k = expr::reduce_axis(in.shape()[axis], "k"), j = expr::reduce_axis(in.shape()[axis], "j");
  // The place of an element: how many come before it.
  const Tensor place = expr::compute("place", in.shape(), [&](const Indices& i) {
    const Value mine = at(in, i), other = at(in, replaced(i, axis, Value(k)));
    Value before = op.descending ? other > mine : other < mine, equal = other == mine;
    if (expr::is_float(mine.dtype())) {  // NaN behind all numbers
      before = before || (other == other && mine != mine);
      equal = equal || (other != other && mine != mine);
    }
    before = before || (equal && Value(k) < i[axis]);
    return sum(select(before, int64(1), int64(0)), {k});
  });
  return b.take(expr::compute("out", in.shape(), [&](const Indices& i) {
    return sum(select(at(place, replaced(i, axis, Value(j))) == i[axis], Value(j), int64(0)), {j});
  }));
}

}  // namespace vdla::graph::parts
