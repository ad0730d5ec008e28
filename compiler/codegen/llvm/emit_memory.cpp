// SPDX-License-Identifier: Apache-2.0
// Addresses, loads and stores. An address is a sum that the optimiser can take apart: what does not change in
// the inner loops first, the constant last.
#include <numeric>
#include <utility>

#include "compiler/codegen/llvm/copies.h"
#include "compiler/codegen/llvm/emit.h"
#include "compiler/grid/warp.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

using llvm::Value;

/// The elements of all lanes: `pointer` plus lane * step elements, or, where `offsets` is set, plus these.
struct Address {
  Value* pointer;
  std::int64_t step = 0;
  Value* offsets = nullptr;
  std::int64_t divisor = 1;  ///< elements: `pointer` lies a multiple of them behind the buffer's begin
};

Value* base_of(EmitState& s, const expr::Buffer& buffer) {
  const auto found = s.buffers.find(&buffer);
  VDLA_CHECK(found != s.buffers.end()) << "buffer " << buffer.name << " is not bound";
  return found->second;
}

Value* scaled(EmitState& s, Value* value, std::int64_t factor) {
  auto& b = s.builder;
  if (factor == 1) return value;
  return b.CreateNSWMul(value,
                        llvm::ConstantInt::get(value->getType(), static_cast<std::uint64_t>(factor), true));
}

/// Divisor of the offset of lane 0; 0 has all numbers.
std::int64_t divisor_of(const EmitState& s, const expr::Affine& flat) {
  std::int64_t divisor = flat.constant;
  for (const expr::Affine::Term& t : flat.terms) {
    const auto* ref = t.atom->as<expr::VarRef>();
    const bool is_lanes = s.lanes.variable && ref && ref->var.get() == s.lanes.variable;
    const auto* first = is_lanes ? llvm::dyn_cast<llvm::ConstantInt>(s.lanes.first) : nullptr;
    divisor = std::gcd(divisor, t.coefficient * (first ? first->getSExtValue() : 1));
  }
  return divisor;
}

/// `may_be_outside`: of the buffer, where no lane goes.
Address place_of(EmitState& s, const expr::Buffer& buffer, const std::vector<expr::ExprPtr>& indices,
                 bool may_be_outside = false) {
  auto& b = s.builder;
  const expr::Affine flat = expr::to_affine(indices[0]);
  const IndexWidth width(s, is_narrow(s, flat));
  Address place{base_of(s, buffer)};
  place.divisor = divisor_of(s, flat);
  Value* sum = nullptr;
  std::int64_t constant = flat.constant;
  const auto add = [&](Value* value, std::int64_t factor) {
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      constant += known->getSExtValue() * factor;
      return;
    }
    Value* term = scaled(s, value, factor);
    sum = sum ? b.CreateNSWAdd(sum, term) : term;
  };
  for (const expr::Affine::Term& t : flat.terms) {
    const auto* ref = t.atom->as<expr::VarRef>();
    if (s.lanes.variable && ref && ref->var.get() == s.lanes.variable) {
      place.step = t.coefficient;
      add(in_index_width(s, s.lanes.first), t.coefficient);
      continue;
    }
    Value* value = emit_expr(s, t.atom);
    if (value->getType()->isVectorTy()) {
      Value* term = scaled(s, value, t.coefficient);
      place.offsets = place.offsets ? b.CreateNSWAdd(place.offsets, term) : term;
    } else {
      add(value, t.coefficient);
    }
  }
  llvm::Type* type = memory_type(s.context(), buffer.dtype);
  // a[i - 4] passes a + i, and lanes under a mask need no element: only a whole address is within the buffer.
  const bool partial = (sum && constant != 0) || place.offsets || s.lanes.mask || may_be_outside;
  const auto flags = partial ? llvm::GEPNoWrapFlags::none() : llvm::GEPNoWrapFlags::inBounds();
  if (sum) place.pointer = b.CreateGEP(type, place.pointer, sum, "", flags);
  if (constant != 0)
    place.pointer =
        b.CreateGEP(type, place.pointer, b.getInt64(static_cast<std::uint64_t>(constant)), "", flags);
  // Lanes that go by elements which are not beside each other have an offset each.
  const bool scattered = place.step != 0 && (place.step != 1 || place.offsets);
  if (scattered) {
    llvm::SmallVector<llvm::Constant*, 64> steps;
    for (unsigned i = 0; i < s.lanes.count; ++i)
      steps.push_back(llvm::ConstantInt::get(s.index_type, static_cast<std::uint64_t>(place.step * i), true));
    Value* own = llvm::ConstantVector::get(steps);
    place.offsets = place.offsets ? b.CreateNSWAdd(place.offsets, own) : own;
  }
  return place;
}

llvm::Align alignment(const expr::Buffer& buffer) {
  return llvm::Align(static_cast<std::uint64_t>(expr::bytes(buffer.dtype)));
}

/// Alignment of elements that follow each other: the largest power of two that their offset has, up to what
/// the machine wants to know.
llvm::Align alignment(const EmitState& s, const expr::Buffer& buffer, const Address& place) {
  const auto element = static_cast<std::uint64_t>(expr::bytes(buffer.dtype));
  const auto offset = static_cast<std::uint64_t>(std::abs(place.divisor)) * element;
  const std::uint64_t common = std::gcd(offset, s.features.alignment);
  return llvm::Align(std::max(common, element));
}

Value* lane_pointers(EmitState& s, const Address& place, llvm::Type* type) {
  auto& b = s.builder;
  Value* offsets = place.offsets ? place.offsets
                                 : llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(s.lanes.count),
                                                                  b.getInt64(0));
  return b.CreateGEP(type, place.pointer, offsets);
}

Value* all_lanes(EmitState& s) {
  return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(s.lanes.count), s.builder.getTrue());
}

/// Tells the watcher of accesses of this one.
void note_access(EmitState& s, const expr::Buffer& buffer, const Address& place, bool writes) {
  const Watcher* watcher = s.backend.watcher();
  if (!watcher) return;
  auto& b = s.builder;
  const auto element = static_cast<std::uint64_t>(expr::bytes(buffer.dtype));
  Value* mask = s.lanes.mask;
  const bool is_contiguous = place.step == 1 && !place.offsets;
  if (!mask && !place.offsets) {
    const std::uint64_t elements = is_contiguous ? s.lanes.count : 1;
    return watcher->access(s, buffer, place.pointer, b.getInt64(element * elements), writes);
  }
  llvm::Type* type = memory_type(s.context(), buffer.dtype);
  for (std::uint64_t lane = 0; lane < s.lanes.count; ++lane) {
    Value* offset =
        place.offsets ? b.CreateExtractElement(place.offsets, lane) : b.getInt64(is_contiguous ? lane : 0);
    Value* bytes = b.getInt64(element);
    if (mask) bytes = b.CreateSelect(b.CreateExtractElement(mask, lane), bytes, b.getInt64(0));
    watcher->access(s, buffer, b.CreateGEP(type, place.pointer, offset), bytes, writes);
  }
}

Value* load_elements(EmitState& s, const expr::Buffer& buffer, const Address& place) {
  auto& b = s.builder;
  note_access(s, buffer, place, false);
  llvm::Type* type = memory_type(s.context(), buffer.dtype);
  const llvm::Align align = alignment(buffer);
  auto* vector = llvm::FixedVectorType::get(type, s.lanes.count);
  const bool contiguous = place.step == 1 && !place.offsets;
  Value* mask = s.lanes.mask;
  if (contiguous && !mask) return b.CreateAlignedLoad(vector, place.pointer, alignment(s, buffer, place));
  if (contiguous)
    return b.CreateMaskedLoad(vector, place.pointer, align, mask, llvm::Constant::getNullValue(vector));
  if (!place.offsets && !mask) return b.CreateAlignedLoad(type, place.pointer, align);
  return b.CreateMaskedGather(vector, lane_pointers(s, place, type), align, mask ? mask : all_lanes(s),
                              llvm::Constant::getNullValue(vector));
}

}  // namespace

Value* element_pointer(EmitState& s, const expr::Buffer& buffer, const std::vector<expr::ExprPtr>& indices) {
  VDLA_CHECK(!s.lanes.variable) << "an address of " << buffer.name << " in vector code";
  return place_of(s, buffer, indices).pointer;
}

Value* emit_wide_load(EmitState& s, llvm::Type* type, const expr::Buffer& buffer,
                      const std::vector<expr::ExprPtr>& indices) {
  VDLA_CHECK(!s.lanes.variable) << "an operation on " << buffer.name << " in vector code";
  const Address place = place_of(s, buffer, indices);
  return s.builder.CreateAlignedLoad(type, place.pointer, alignment(s, buffer, place));
}

Value* emit_load(EmitState& s, const expr::Load& load) {
  const expr::Buffer& buffer = *load.buffer;
  const Grid* grid = s.backend.grid();
  if (grid && grid->parts_fragments() && grid::is_fragment(buffer)) return emit_fragment_load(s, load);
  return from_memory(s, buffer.dtype, load_elements(s, buffer, place_of(s, buffer, load.indices)));
}

namespace {

/// Whether the machine's copier does it.
bool emit_copy(EmitState& s, const loop::Store& store) {
  const Copier* copier = s.backend.copier();
  if (!copier || s.lanes.mask || !s.copies.contains(s.stmt)) return false;
  const Copy copy = *copy_of(*s.kernel, store);
  const auto element = static_cast<std::uint64_t>(expr::bytes(store.buffer->dtype));
  const std::uint64_t bytes = element * s.lanes.count;
  if (!copier->takes(bytes)) return false;
  Value* condition = copy.condition ? emit_expr(s, copy.condition) : nullptr;
  if (condition && condition->getType()->isVectorTy()) return false;
  const Address to = place_of(s, *store.buffer, store.indices);
  const Address from = place_of(s, *copy.from->buffer, copy.from->indices, condition != nullptr);
  for (const auto& [place, buffer] : {std::pair(&to, store.buffer), std::pair(&from, copy.from->buffer)}) {
    const bool is_together = !s.lanes.variable || (place->step == 1 && !place->offsets);
    if (!is_together || (s.lanes.variable && alignment(s, *buffer, *place).value() < bytes)) return false;
  }
  copier->copy(s, to.pointer, from.pointer, bytes, condition);
  return true;
}

}  // namespace

void emit_store(EmitState& s, const loop::Store& store) {
  if (emit_copy(s, store)) return;
  auto& b = s.builder;
  const expr::Buffer& buffer = *store.buffer;
  const Grid* grid = s.backend.grid();
  VDLA_CHECK_USER(!grid || !grid->parts_fragments() || !grid::is_fragment(buffer))
      << "an element of '" << buffer.name << "' in memory '" << buffer.scope
      << "' is stored, which only operations of warps do on a GPU: tensorize its loops with mma.load_a, "
         "mma.load_b or mma.sync";
  const Address place = place_of(s, buffer, store.indices);
  Value* value = to_memory(s, buffer.dtype, emit_expr(s, store.value));
  note_access(s, buffer, place, true);
  const llvm::Align align = alignment(buffer);
  if (!s.lanes.variable) {
    b.CreateAlignedStore(value, place.pointer, align);
    return;
  }
  value = in_every_lane(s, value);
  Value* mask = s.lanes.mask;
  if (place.offsets) {
    b.CreateMaskedScatter(value, lane_pointers(s, place, memory_type(s.context(), buffer.dtype)), align,
                          mask ? mask : all_lanes(s));
  } else if (mask) {
    b.CreateMaskedStore(value, place.pointer, align, mask);
  } else {
    b.CreateAlignedStore(value, place.pointer, alignment(s, buffer, place));
  }
}

}  // namespace vdla::codegen
