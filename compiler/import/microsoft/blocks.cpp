// SPDX-License-Identifier: Apache-2.0
// Weights of few bits with a scale for each block of elements.
#include <fmt/format.h>

#include "compiler/import/microsoft/operators.h"

namespace vdla::import::microsoft {
namespace {

using graph::DataType;
using tensor::Integers;
using tensor::Node;
using tensor::Value;

/// Elements of `bits` bits from bytes, the first one in the lowest bits.
std::int64_t packed_element(const Integers& bytes, std::int64_t i, std::int64_t bits) {
  const std::int64_t per_byte = 8 / bits;
  const std::int64_t byte = bytes[static_cast<std::size_t>(i / per_byte)];
  return (byte >> (i % per_byte * bits)) & ((1 << bits) - 1);
}

/// Weights N K of MatMulNBits: rows are whole blocks, of which the last one may be longer than what is left.
class BlockWeights {
 public:
  explicit BlockWeights(const Node& c)
      : c_(c),
        rows_(c.positive("N")),
        depth_(c.positive("K")),
        block_(c.positive("block_size")),
        bits_(c.positive("bits")) {
    c.require(bits_ == 2 || bits_ == 4 || bits_ == 8,
              fmt::format("has weights of {} bits, needs 2, 4 or 8", bits_));
    c.require(block_ >= 16 && (block_ & (block_ - 1)) == 0,
              fmt::format("has blocks of {}, needs a power of two of 16 at least", block_));
    c.require(c.integer("weight_prepacked", 0) == 0,
              "has weights in an order of one machine, needs the plain one");
    c.require(!c.has(4), "has places of its blocks (input 4), needs blocks in order");
    blocks_ = (depth_ + block_ - 1) / block_;
    c.require_constant({rows_, blocks_ * block_});
  }

  Value made() const {
    const Integers weights = bytes(1, rows_ * blocks_ * block_ * bits_ / 8, "weights");
    const std::vector<double> scales = reals(2, "scales"), zeros = zero_points();
    std::vector<double> elements;
    elements.reserve(static_cast<std::size_t>(rows_ * depth_));
    for (std::int64_t n = 0; n < rows_; ++n)
      for (std::int64_t k = 0; k < depth_; ++k) {
        const auto of = static_cast<std::size_t>(n * blocks_ + k / block_);
        const std::int64_t q = packed_element(weights, n * blocks_ * block_ + k, bits_);
        elements.push_back(static_cast<float>((static_cast<double>(q) - zeros[of]) * scales[of]));
      }
    return tensor::make_constant(c_.in(0).type, {rows_, depth_}, elements);
  }

 private:
  Integers bytes(int i, std::int64_t count, const char* what) const {
    const Integers values = c_.integers(i, what);
    c_.require(c_.in(i).type == DataType::UInt8 && static_cast<std::int64_t>(values.size()) == count,
               fmt::format("has {} (input {}) of {} {}, needs uint8 {}", what, i,
                           graph::name_of(c_.in(i).type), values.size(), count));
    return values;
  }
  std::vector<double> reals(int i, const char* what) const {
    const Value& v = c_.constant(i, what);
    c_.require(v.type == c_.in(0).type && v.count() == rows_ * blocks_,
               fmt::format("has {} (input {}) of {} {}, needs {} {}", what, i, graph::name_of(v.type),
                           v.count(), graph::name_of(c_.in(0).type), rows_ * blocks_));
    return tensor::reals_of(v);
  }
  /// A number for each block: as the weights are, rows of whole bytes, or in the type of the data.
  std::vector<double> zero_points() const {
    const auto count = static_cast<std::size_t>(rows_ * blocks_);
    if (!c_.has(3)) return std::vector<double>(count, static_cast<double>(1 << (bits_ - 1)));
    if (c_.in(3).type != DataType::UInt8) return reals(3, "zero points");
    const std::int64_t row = (blocks_ * bits_ + 7) / 8;
    const Integers packed = bytes(3, rows_ * row, "zero points");
    std::vector<double> result;
    for (std::int64_t n = 0; n < rows_; ++n)
      for (std::int64_t b = 0; b < blocks_; ++b)
        result.push_back(static_cast<double>(packed_element(packed, n * row * 8 / bits_ + b, bits_)));
    return result;
  }

  const Node& c_;
  std::int64_t rows_, depth_, block_, bits_, blocks_ = 0;
};

void matmul_n_bits(const Node& c) {
  const Value& a = c.float_in(0);
  const Value weights = BlockWeights(c).made();
  c.require(a.rank() > 0 && a.shape.back() == weights.shape[1],
            fmt::format("has data of {} for weights of {}, whose depths differ", graph::to_string(a.shape),
                        graph::to_string(weights.shape)));
  Value y = c.matmul(a.rank() > 1 ? a : c.reshape(a, {1, a.count()}), weights, false, true);
  if (a.rank() == 1) y = c.reshape(y, {weights.shape[0]});
  if (c.has(5)) {
    c.require(c.in(5).shape == tensor::Shape{weights.shape[0]},
              fmt::format("has a bias of {}, needs {} elements", graph::to_string(c.in(5).shape),
                          weights.shape[0]));
    y = c.binary(expr::BinaryOp::Add, y, c.in(5));
  }
  c.set(y);
}

constexpr tensor::Operator kBlockOperators[] = {{"MatMulNBits", matmul_n_bits}};

}  // namespace

std::span<const tensor::Operator> block_operators() { return kBlockOperators; }

}  // namespace vdla::import::microsoft
