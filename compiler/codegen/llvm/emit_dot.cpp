// SPDX-License-Identifier: Apache-2.0
// Operations that loop IR calls by name: by the instruction where the machine has one, else by
// multiplications and additions with the same, exact, result. compiler/tensorize/host_table.h declares what
// each means.
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/loop/print.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

using llvm::Value;

/// acc[n] + sum_k a[k] * w[n, k] over vectors of `lanes` sums; a has its four elements in each lane.
class Dot {
 public:
  Dot(EmitState& s, unsigned lanes, bool unsigned_data)
      : b_(s.builder), f_(s.features), lanes_(lanes), unsigned_(unsigned_data) {}

  Value* emit(Value* acc, Value* a, Value* w) {
    const bool fits =
        f_.dot == (unsigned_ ? DotInstruction::Vnni : DotInstruction::NeonDot) && f_.vector_bytes >= 16;
    if (fits)
      return in_parts({acc, a, w}, std::min(lanes_, f_.vector_bytes / 4),
                      [&](auto part) { return instruction(part[0], part[1], part[2]); });
    const bool pairs = f_.dot == DotInstruction::PairSums || f_.dot == DotInstruction::Vnni;
    return b_.CreateAdd(acc, sums(pairs ? pair_sums(a, w) : products(a, w)));
  }

 private:
  using Parts = std::span<Value* const>;

  static unsigned size_of(Value* v) {
    return llvm::cast<llvm::FixedVectorType>(v->getType())->getNumElements();
  }
  llvm::Type* vector(llvm::Type* element, unsigned count) {
    return llvm::FixedVectorType::get(element, count);
  }

  /// One operation on each `part` of the first operand's elements, its results side by side; all operands are
  /// cut into as many parts.
  template <class F>
  Value* in_parts(const std::vector<Value*>& operands, unsigned part, const F& f) {
    const unsigned count = size_of(operands[0]) / part;
    if (count == 1) return f(Parts(operands));
    std::vector<Value*> results;
    for (unsigned i = 0; i < count; ++i) {
      std::vector<Value*> own;
      for (Value* v : operands) {
        llvm::SmallVector<int, 64> places(size_of(v) / count);
        std::iota(places.begin(), places.end(), static_cast<int>(i * places.size()));
        own.push_back(b_.CreateShuffleVector(v, places));
      }
      results.push_back(f(Parts(own)));
    }
    return side_by_side(results);
  }

  /// A power of two of them.
  Value* side_by_side(std::vector<Value*> parts) {
    while (parts.size() > 1) {
      llvm::SmallVector<int, 64> all(2 * size_of(parts[0]));
      std::iota(all.begin(), all.end(), 0);
      for (std::size_t i = 0; 2 * i < parts.size(); ++i)
        parts[i] = b_.CreateShuffleVector(parts[2 * i], parts[2 * i + 1], all);
      parts.resize(parts.size() / 2);
    }
    return parts[0];
  }

  Value* instruction(Value* acc, Value* a, Value* w) {
    if (f_.dot == DotInstruction::NeonDot)
      return b_.CreateIntrinsic(llvm::Intrinsic::aarch64_neon_sdot, {acc->getType(), a->getType()},
                                {acc, a, w});
    const auto id = size_of(acc) == 16  ? llvm::Intrinsic::x86_avx512_vpdpbusd_512
                    : size_of(acc) == 8 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256
                                        : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
    return b_.CreateIntrinsic(
        id, {}, {acc, b_.CreateBitCast(a, acc->getType()), b_.CreateBitCast(w, acc->getType())});
  }

  Value* widened(Value* v, llvm::Type* element, bool is_unsigned) {
    llvm::Type* type = vector(element, size_of(v));
    return is_unsigned ? b_.CreateZExt(v, type) : b_.CreateSExt(v, type);
  }

  /// Neighbours added: half as many sums of 32 bits. Not pmaddubsw, which saturates.
  Value* pair_sums(Value* a, Value* w) {
    Value* x = widened(a, b_.getInt16Ty(), unsigned_);
    Value* y = widened(w, b_.getInt16Ty(), false);
    return in_parts({x, y}, std::min(size_of(x), f_.vector_bytes / 2), [&](Parts part) {
      const unsigned size = size_of(part[0]);
      const auto id = size == 32   ? llvm::Intrinsic::x86_avx512_pmaddw_d_512
                      : size == 16 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                                   : llvm::Intrinsic::x86_sse2_pmadd_wd;
      return b_.CreateIntrinsic(id, {}, {part[0], part[1]});
    });
  }

  /// A product of two bytes fits 16 bits, the sum of two products does not.
  Value* products(Value* a, Value* w) {
    Value* x = widened(a, b_.getInt16Ty(), unsigned_);
    return widened(b_.CreateMul(x, widened(w, b_.getInt16Ty(), false)), b_.getInt32Ty(), false);
  }

  /// Neighbours added until one is left for each lane.
  Value* sums(Value* v) {
    while (size_of(v) > lanes_) {
      llvm::SmallVector<int, 64> even, odd;
      for (unsigned i = 0; i < size_of(v); i += 2) {
        even.push_back(static_cast<int>(i));
        odd.push_back(static_cast<int>(i + 1));
      }
      v = b_.CreateAdd(b_.CreateShuffleVector(v, even), b_.CreateShuffleVector(v, odd));
    }
    return v;
  }

  llvm::IRBuilder<>& b_;
  const Features& f_;
  const unsigned lanes_;
  const bool unsigned_;
};

bool has(const loop::Region& r, std::vector<expr::DType> types, std::vector<std::int64_t> extents,
         std::vector<std::int64_t> strides) {
  return std::ranges::count(types, r.buffer->dtype) != 0 && r.extents == extents && r.strides == strides;
}

/// i32[L], u8[4] or i8[4], i8[L, 4], elements beside each other; L is 4, 8 or 16.
bool is_dot(const loop::IntrinsicCall& call) {
  using enum expr::DType;
  if (call.outputs.size() != 1 || call.inputs.size() != 2 || call.outputs[0].extents.size() != 1)
    return false;
  const std::int64_t lanes = call.outputs[0].extents[0];
  return (lanes == 4 || lanes == 8 || lanes == 16) && has(call.outputs[0], {I32}, {lanes}, {1}) &&
         has(call.inputs[0], {U8, I8}, {4}, {1}) && has(call.inputs[1], {I8}, {lanes, 4}, {4, 1});
}

constexpr std::string_view kShifted = "dot4_shifted";

bool is_shifted_dot(const loop::IntrinsicCall& call) {
  return is_dot(call) && call.inputs[0].buffer->dtype == expr::DType::I8;
}

void emit_dot(EmitState& s, const loop::IntrinsicCall& call) {
  const bool shifted = call.name == kShifted;
  auto& b = s.builder;
  const loop::Region &out = call.outputs[0], &data = call.inputs[0], &weights = call.inputs[1];
  const auto lanes = static_cast<unsigned>(out.extents[0]);
  const auto address = [&](const loop::Region& r) { return element_pointer(s, *r.buffer, r.origin); };
  auto* sums = llvm::FixedVectorType::get(b.getInt32Ty(), lanes);
  auto* bytes = llvm::FixedVectorType::get(b.getInt8Ty(), 4 * lanes);
  Value* acc_pointer = address(out);
  Value* acc = b.CreateAlignedLoad(sums, acc_pointer, llvm::Align(4));
  if (call.reset) acc = b.CreateSelect(emit_expr(s, call.reset), llvm::Constant::getNullValue(sums), acc);
  Value* four = b.CreateAlignedLoad(b.getInt32Ty(), address(data), llvm::Align(1));
  if (shifted) four = b.CreateXor(four, 0x80808080U);
  Value* a = b.CreateBitCast(b.CreateVectorSplat(lanes, four), bytes);
  Value* w = b.CreateAlignedLoad(bytes, address(weights), llvm::Align(1));
  const bool is_unsigned = shifted || data.buffer->dtype == expr::DType::U8;
  b.CreateAlignedStore(Dot(s, lanes, is_unsigned).emit(acc, a, w), acc_pointer, llvm::Align(4));
  ++s.vector_loops;
}

struct Operation {
  std::string_view name;
  bool (*takes)(const loop::IntrinsicCall&);
  void (*emit)(EmitState&, const loop::IntrinsicCall&);
};
constexpr Operation kOperations[] = {{"dot4", is_dot, emit_dot}, {kShifted, is_shifted_dot, emit_dot}};

}  // namespace

Value* emit_bytes_dot(EmitState& s, Value* sum, Value* x, Value* y) {
  auto& b = s.builder;
  if (sum == nullptr) sum = llvm::Constant::getNullValue(x->getType());
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (vector && std::has_single_bit(vector->getNumElements()) && vector->getNumElements() >= 4) {
    const unsigned lanes = vector->getNumElements();
    auto* bytes = llvm::FixedVectorType::get(b.getInt8Ty(), 4 * lanes);
    return Dot(s, lanes, true).emit(sum, b.CreateBitCast(x, bytes), b.CreateBitCast(y, bytes));
  }
  for (unsigned bit = 0; bit < 32; bit += 8) {
    Value* first = b.CreateAnd(b.CreateLShr(x, bit), 255);
    sum = b.CreateAdd(sum, b.CreateMul(first, b.CreateAShr(b.CreateShl(y, 24 - bit), 24)));
  }
  return sum;
}

void emit_intrinsic(EmitState& s, const loop::IntrinsicCall& call) {
  for (const Operation& operation : kOperations)
    if (operation.name == call.name && operation.takes(call)) return operation.emit(s, call);
  std::string text = loop::to_string(loop::intrinsic_call(call));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  VDLA_CHECK_USER(false) << "intrinsic '" << call.name << "' has no lowering for the CPU, seen '" << text
                         << "'; compile its function for the device";
}

}  // namespace vdla::codegen
