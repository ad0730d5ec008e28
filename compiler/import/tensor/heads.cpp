// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/heads.h"

#include <limits>

#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tensor {

using expr::BinaryOp;
using expr::Function;
using expr::Reducer;

namespace {

/// x [batch, heads, length, size] with the heads that share a key in one matrix:
/// [batch, shared, heads / shared * length, size].
Value sharing(const Composer& c, const Value& x, std::int64_t shared) {
  return c.reshape(x, {x.shape[0], shared, x.shape[1] / shared * x.shape[2], x.shape[3]});
}

}  // namespace

Value heads_apart(const Composer& c, const std::string& what, const Value& x, std::int64_t heads) {
  c.require(heads > 0 && x.shape[2] % heads == 0, "has a " + what + " of " + graph::to_string(x.shape) +
                                                      " and " + std::to_string(heads) +
                                                      " heads, needs a last dimension that they divide");
  return c.transpose(c.reshape(x, {x.shape[0], x.shape[1], heads, x.shape[2] / heads}), {0, 2, 1, 3});
}

Value heads_together(const Composer& c, const Value& x) {
  return c.reshape(c.transpose(x, {0, 2, 1, 3}), {x.shape[0], x.shape[2], x.shape[1] * x.shape[3]});
}

/// The query is scaled before the product, which so has no larger numbers in halves than it must.
Value scores(const Composer& c, const Value& q, const Value& k, double scale) {
  const Value scaled =
      scale == 1 ? q : c.map("Scale", {q}, [&](const auto& v) { return v[0] * real(scale, v[0]); });
  const Value product = c.matmul(sharing(c, scaled, k.shape[1]), k, false, true);
  return c.reshape(product, {q.shape[0], q.shape[1], q.shape[2], k.shape[2]});
}

TokenPlaces places_of(const Composer& c, std::int64_t length, std::int64_t total) {
  return {c.iota(DataType::Int64, 2, 0, length), c.iota(DataType::Int64, 1, 0, total)};
}

Value softmax_of_masked(const Composer& c, const Value& x) {
  const Integers last = {static_cast<std::int64_t>(x.rank()) - 1};
  const Value largest = c.fold(Reducer::Max, x, last, true);
  const Value powers = c.map("Power", {x, largest}, [](const auto& v) {
    const Scalar nothing = real(-std::numeric_limits<double>::infinity(), v[1]);
    return call(Function::Exp, v[0] - select(v[1] == nothing, real(0, v[1]), v[1]));
  });
  const Value total = c.fold(Reducer::Sum, powers, last, true);
  return c.map("Share", {powers, total},
               [](const auto& v) { return v[0] / select(v[1] == real(0, v[1]), real(1, v[1]), v[1]); });
}

Value weighted(const Composer& c, const Value& p, const Value& v) {
  const Value product = c.matmul(sharing(c, p, v.shape[1]), v);
  return c.reshape(product, {p.shape[0], p.shape[1], p.shape[2], v.shape[3]});
}

void require_heads(const Composer& c, const Value& q, const Value& k, const Value& v) {
  const auto text = [](const Value& x) { return graph::to_string(x.shape); };
  const bool fits = q.shape[0] == k.shape[0] && k.shape[0] == v.shape[0] && k.shape[1] == v.shape[1] &&
                    k.shape[1] > 0 && q.shape[1] % k.shape[1] == 0 && k.shape[2] == v.shape[2] &&
                    q.shape[3] == k.shape[3];
  c.require(fits, "has a query of " + text(q) + ", a key of " + text(k) + " and a value of " + text(v) +
                      " (batch, heads, length, size), needs one batch, heads that the key's divide, one "
                      "length of key and value, one size of query and key");
}

Value after_past(const Composer& c, const std::string& what, const Value& past, const Value& present) {
  Shape wanted = present.shape;
  if (past.rank() == 4) wanted[2] = past.shape[2];
  c.require(past.shape == wanted && past.type == present.type,
            "has a past " + what + " of " + graph::to_string(past.shape) + ", needs the type and shape of " +
                graph::to_string(present.shape) + " but for the length");
  return c.concat({past, present}, 2);
}

Value with_update(const Composer& c, const Value& buffer, const Value& update, const Value& begin,
                  std::size_t axis, bool circular) {
  const std::int64_t extent = buffer.shape[axis], length = update.shape[axis];
  const Value number =
      c.map("Number", {c.iota(DataType::Int64, buffer.rank(), axis, extent), begin}, [&](const auto& v) {
        const Scalar n = v[0] - v[1];
        return circular ? floor_mod(n, extent) : n;
      });
  const Value place = c.map("Place", {number}, [&](const auto& v) { return clamp(v[0], 0, length - 1); });
  const Value found =
      c.emit(graph::GatherElements{static_cast<int>(axis)}, {update, c.broadcast(place, buffer.shape)});
  return c.map("Update", {number, found, buffer},
               [&](const auto& v) { return select(v[0] >= 0 && v[0] < length, v[1], v[2]); });
}

Value rotated(const Composer& c, const Value& x, const Value& cosines, const Value& sines, bool interleaved) {
  const std::int64_t pairs = cosines.shape.back(), size = x.shape[3];
  const auto over_heads = [&](const Value& v) {
    return c.reshape(v, {v.shape[0], 1, v.shape[1], v.shape[2]});
  };
  const Value cosine = over_heads(cosines), sine = over_heads(sines);
  Shape half = x.shape;
  half[3] = pairs;
  const auto element = [&](std::int64_t which) {
    const Integers step = {1, 1, 1, interleaved ? 2 : 1};
    return c.slice(x, {0, 0, 0, interleaved ? which : which * pairs}, step, half);
  };
  const Value a = element(0), b = element(1);
  const Value first =
      c.map("Rotate", {a, b, cosine, sine}, [](const auto& v) { return v[2] * v[0] - v[3] * v[1]; });
  const Value second =
      c.map("Rotate", {a, b, cosine, sine}, [](const auto& v) { return v[3] * v[0] + v[2] * v[1]; });
  Shape both = half;
  both[3] = 2 * pairs;
  Shape apart = half;
  apart.push_back(1);
  const Value turned = interleaved
                           ? c.reshape(c.concat({c.reshape(first, apart), c.reshape(second, apart)}, 4), both)
                           : c.concat({first, second}, 3);
  return 2 * pairs == size ? turned : c.concat({turned, c.part(x, 3, 2 * pairs, size)}, 3);
}

}  // namespace vdla::import::tensor
