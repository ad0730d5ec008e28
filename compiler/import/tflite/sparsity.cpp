// SPDX-License-Identifier: Apache-2.0
// The elements are the leaves of a tree, in order. A level of the tree is a dimension of the tensor or of its
// blocks: each node has one child for each index of a dense level, and those that are listed for it in a
// compressed one.
#include "compiler/import/tflite/sparsity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "compiler/import/tensor/network.h"
#include "support/error.h"

namespace vdla::import::tflite {
namespace {

using tensor::Integers;

/// Copied, since a damaged file may have them off their alignment.
template <class T, class Vector>
Integers whole_numbers(const Vector* table) {
  Integers result;
  if (table == nullptr || table->values() == nullptr) return result;
  const std::uint8_t* data = table->values()->Data();
  for (flatbuffers::uoffset_t i = 0; i < table->values()->size(); ++i) {
    T element{};
    std::memcpy(&element, data + i * sizeof(T), sizeof(T));
    result.push_back(flatbuffers::EndianScalar(element));
  }
  return result;
}

Integers numbers_of(SparseIndexVector kind, const void* table) {
  switch (kind) {
    case SparseIndexVector::Int32Vector:
      return whole_numbers<std::int32_t>(static_cast<const Int32Vector*>(table));
    case SparseIndexVector::Uint16Vector:
      return whole_numbers<std::uint16_t>(static_cast<const Uint16Vector*>(table));
    case SparseIndexVector::Uint8Vector:
      return whole_numbers<std::uint8_t>(static_cast<const Uint8Vector*>(table));
    case SparseIndexVector::NONE:
      break;
  }
  return {};
}

struct Level {
  bool compressed = false;
  std::int64_t extent = 1;  ///< indices of the dimension
  std::int64_t stride = 1;  ///< elements of the tensor between two of them
  Integers segments = {}, indices = {};
};

class Tree {
 public:
  Tree(const SparsityParameters& sparsity, const graph::Shape& shape, const std::string& where)
      : where_(where), shape_(shape) {
    if (sparsity.block_map() != nullptr)
      blocked_.assign(sparsity.block_map()->begin(), sparsity.block_map()->end());
    const Integers order = order_of(sparsity);
    read_levels(sparsity, order);
    place_levels(order);
    for (std::size_t i = 0; i < levels_.size(); ++i) count(i);
  }

  std::int64_t leaves() const { return nodes_; }

  /// The element of the tensor that each leaf is.
  Integers elements() const {
    Integers nodes{0};
    for (const Level& level : levels_) {
      Integers next;
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (!level.compressed)
          for (std::int64_t i = 0; i < level.extent; ++i) next.push_back(nodes[n] + i * level.stride);
        else
          for (std::int64_t i = level.segments[n]; i < level.segments[n + 1]; ++i)
            next.push_back(nodes[n] + level.indices[static_cast<std::size_t>(i)] * level.stride);
      }
      nodes = std::move(next);
    }
    return nodes;
  }

 private:
  void require(bool ok, const std::string& message) const {
    VDLA_CHECK_USER(ok) << where_ << "is sparse and " << message << " (corrupt)";
  }

  /// The dimension of each level: of the tensor, or behind these of the blocks.
  Integers order_of(const SparsityParameters& sparsity) const {
    const std::size_t count = shape_.size() + blocked_.size();
    Integers order;
    if (sparsity.traversal_order() != nullptr)
      order.assign(sparsity.traversal_order()->begin(), sparsity.traversal_order()->end());
    const std::size_t levels = sparsity.dim_metadata() ? sparsity.dim_metadata()->size() : 0;
    require(order.size() == count && levels == count,
            fmt::format("has an order of {} dimensions and {} descriptions, needs {} of its shape and {} of "
                        "blocks",
                        order.size(), levels, shape_.size(), blocked_.size()));
    Integers sorted = order;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < count; ++i)
      require(sorted[i] == static_cast<std::int64_t>(i),
              fmt::format("names dimension {} in its order, needs each of {} once", sorted[i], count));
    for (const std::int64_t d : blocked_)
      require(d >= 0 && d < static_cast<std::int64_t>(shape_.size()),
              fmt::format("has blocks of dimension {} of {}", d, shape_.size()));
    return order;
  }

  void read_levels(const SparsityParameters& sparsity, const Integers& order) {
    for (const auto* d : *sparsity.dim_metadata()) {
      Level level{.compressed = d->format() == DimensionType::SPARSE_CSR, .extent = d->dense_size()};
      require(level.compressed || d->format() == DimensionType::DENSE,
              fmt::format("has a dimension of format {}", static_cast<int>(d->format())));
      if (level.compressed) {
        level.segments = numbers_of(d->array_segments_type(), d->array_segments());
        level.indices = numbers_of(d->array_indices_type(), d->array_indices());
      }
      const bool of_blocks = order[levels_.size()] >= static_cast<std::int64_t>(shape_.size());
      require(!of_blocks || !level.compressed, "has blocks that are sparse themselves, needs dense ones");
      levels_.push_back(std::move(level));
    }
  }

  /// Finds the extents of the tensor's own dimensions, in blocks, and all strides.
  void place_levels(const Integers& order) {
    const std::size_t rank = shape_.size();
    std::vector<std::size_t> level_of(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) level_of[static_cast<std::size_t>(order[i])] = i;
    std::int64_t stride = 1;
    for (std::size_t d = rank; d-- > 0;) {
      // Blocks of blocks: the last one is the innermost.
      std::int64_t within = 1;
      for (std::size_t b = blocked_.size(); b-- > 0;) {
        if (blocked_[b] != static_cast<std::int64_t>(d)) continue;
        Level& block = levels_[level_of[rank + b]];
        require(block.extent > 0 && block.extent <= shape_[d] && shape_[d] % (within * block.extent) == 0,
                fmt::format("has blocks of {} along {} elements, needs a divisor", block.extent, shape_[d]));
        block.stride = stride * within;
        within *= block.extent;
      }
      Level& own = levels_[level_of[d]];
      require(own.compressed || own.extent == shape_[d] / within,
              fmt::format("has {} indices of dimension {}, needs {}", own.extent, d, shape_[d] / within));
      own.extent = shape_[d] / within;
      own.stride = stride * within;
      stride *= shape_[d];
    }
  }

  /// Counts the nodes of the next level, which are no more than the tensor has elements, as indices ascend.
  void count(std::size_t i) {
    const Level& level = levels_[i];
    if (!level.compressed) {
      nodes_ *= level.extent;
      return;
    }
    const Integers &segments = level.segments, &indices = level.indices;
    const auto there = static_cast<std::int64_t>(indices.size());
    require(static_cast<std::int64_t>(segments.size()) == nodes_ + 1 && segments.front() == 0 &&
                segments.back() == there && std::ranges::is_sorted(segments),
            fmt::format("has {} segments of {} indices in dimension {} of its order, needs {} that ascend "
                        "from 0 to {}",
                        segments.size(), there, i, nodes_ + 1, there));
    for (std::size_t n = 0; n + 1 < segments.size(); ++n)
      for (std::int64_t at = segments[n], last = -1; at < segments[n + 1]; ++at) {
        const std::int64_t index = indices[static_cast<std::size_t>(at)];
        require(index > last && index < level.extent,
                fmt::format("has index {} after {} in dimension {} of its order, needs a larger one below {}",
                            index, last, i, level.extent));
        last = index;
      }
    nodes_ = there;
  }

  const std::string& where_;
  const graph::Shape& shape_;
  Integers blocked_;  ///< the dimension that each dimension of blocks divides
  std::vector<Level> levels_;
  std::int64_t nodes_ = 1;
};

}  // namespace

graph::Bytes dense_bytes(const Tensor& t, const graph::Shape& shape, std::span<const std::byte> stored,
                         const std::string& where) {
  const std::size_t bits = element_bits(t.type());
  VDLA_CHECK_USER(bits >= 8) << where << "is sparse and of " << type_name(t.type())
                             << ", needs elements of whole bytes: convert the network without sparsity";
  const std::int64_t count = graph::element_count(shape);
  VDLA_CHECK_USER(count <= tensor::kLargestConstant)
      << where << "is sparse and has " << count << " elements, needs at most " << tensor::kLargestConstant
      << ": convert the network without sparsity";
  const Tree tree(*t.sparsity(), shape, where);
  const std::size_t each = bits / 8;
  VDLA_CHECK_USER(stored.size() == static_cast<std::size_t>(tree.leaves()) * each)
      << where << "is sparse and has " << stored.size() << " bytes of data, needs " << tree.leaves()
      << " elements of " << each << " (corrupt)";
  graph::Bytes result(static_cast<std::size_t>(count) * each);
  const std::byte* from = stored.data();
  for (const std::int64_t element : tree.elements()) {
    std::copy_n(from, each, result.begin() + element * static_cast<std::int64_t>(each));
    from += each;
  }
  return result;
}

}  // namespace vdla::import::tflite
