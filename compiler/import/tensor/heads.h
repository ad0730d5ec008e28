// SPDX-License-Identifier: Apache-2.0
// Parts of attention over several heads. Data lies as [batch, heads, length, size].
#pragma once

#include "compiler/import/tensor/network.h"

namespace vdla::import::tensor {

/// x [batch, length, heads * size] as [batch, heads, length, size]; refuses another number of heads. `what`
/// is what x says: "query".
Value heads_apart(const Composer& c, const std::string& what, const Value& x, std::int64_t heads);
/// The way back.
Value heads_together(const Composer& c, const Value& x);

/// scale * q times k transposed: [batch, heads, length, total]. k may have fewer heads, each for as many
/// heads of q in a row.
Value scores(const Composer& c, const Value& q, const Value& k, double scale);

/// Numbers of queries [length, 1] and of keys [total], for masks.
struct TokenPlaces {
  Value queries, keys;
};
TokenPlaces places_of(const Composer& c, std::int64_t length, std::int64_t total);

/// Softmax along the last dimension. A row of nothing but -inf gives zeros.
Value softmax_of_masked(const Composer& c, const Value& x);

/// p [batch, heads, length, total] times v [batch, heads or fewer, total, size].
Value weighted(const Composer& c, const Value& p, const Value& v);

/// Refuses q, k and v of shapes that do not belong together: batches, lengths, sizes and numbers of heads.
void require_heads(const Composer& c, const Value& q, const Value& k, const Value& v);

/// Past keys or values [batch, heads, past, size] before present ones.
Value after_past(const Composer& c, const std::string& what, const Value& past, const Value& present);

/// A buffer with an update from place `begin` of an axis on. `begin` broadcasts over the buffer; its extent
/// along the axis is 1. Elements beyond the end are left out, or go on at the first place where circular.
Value with_update(const Composer& c, const Value& buffer, const Value& update, const Value& begin,
                  std::size_t axis, bool circular);

/// Pairs of elements of x [batch, heads, length, size], each rotated by an angle; its cosine and sine are
/// elements of [batch or 1, length, pairs]. Pair i has elements 2i and 2i + 1 where interleaved, i and
/// i + pairs otherwise. Elements after the pairs stay.
Value rotated(const Composer& c, const Value& x, const Value& cosines, const Value& sines, bool interleaved);

}  // namespace vdla::import::tensor
