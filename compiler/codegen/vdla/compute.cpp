// SPDX-License-Identifier: Apache-2.0
// Nests of gemm and vector steps.
#include "compiler/codegen/vdla/compute.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/expr/simplify.h"
#include "isa/codec/members.h"
#include "isa/spec/operations.h"
#include "support/error.h"

namespace vdla::codegen {

std::int64_t to_entries(const expr::Buffer& buffer, std::int64_t elements, std::int64_t entry_elements) {
  VDLA_CHECK_USER(elements % entry_elements == 0)
      << "buffer '" << buffer.name << "' is addressed at element " << elements
      << ", which is not the start of an entry of " << entry_elements
      << "; make its last dimensions one entry of '" << buffer.scope << "'";
  return elements / entry_elements;
}

namespace {

/// The codes that a field of an enumeration can hold, with their texts.
template <class T>
std::vector<isa::NamedCode> codes_of() {
  std::vector<isa::NamedCode> codes;
  if constexpr (std::is_same_v<T, isa::VectorOp>) {
    codes.assign(isa::kVectorOps.begin(), isa::kVectorOps.end());
  } else if constexpr (std::is_same_v<T, isa::VectorB>) {
    codes.assign(isa::kVectorBs.begin(), isa::kVectorBs.end());
  } else if constexpr (std::is_same_v<T,
                                      isa::Buffer>) {  // operands of a step: what has one row for each lane
    for (const isa::NamedCode& row : isa::kBuffers)
      if (const auto b = static_cast<isa::Buffer>(row.code);
          b == isa::Buffer::Inp || b == isa::Buffer::Acc || b == isa::Buffer::Out)
        codes.push_back(row);
  }
  return codes;
}

/// Sets the field, or says what it can hold. A signed field takes the bits of an unsigned value.
template <class T>
std::optional<std::string> set_member(const isa::Field& field, T& member, std::int64_t value,
                                      bool is_unsigned) {
  if constexpr (std::is_enum_v<T>) {
    const std::vector<isa::NamedCode> codes = codes_of<T>();
    if (std::ranges::none_of(codes, [&](const isa::NamedCode& c) { return value == c.code; })) {
      std::vector<std::string> texts;
      for (const isa::NamedCode& c : codes) texts.push_back(fmt::format("{} ({})", c.code, c.text));
      return fmt::format("one of {}", fmt::join(texts, ", "));
    }
  } else {
    const bool as_signed = field.is_signed() && !is_unsigned;
    const std::int64_t low = as_signed ? -(std::int64_t{1} << (field.width - 1)) : 0;
    const std::int64_t high = (std::int64_t{1} << (field.width - (as_signed ? 1 : 0))) - 1;
    if (value < low || value > high) return fmt::format("{}..{}", low, high);
  }
  member = static_cast<T>(value);
  return std::nullopt;
}

std::uint16_t index16(std::int64_t value) {
  VDLA_CHECK_USER(value >= 0 && value <= kMaxCount)
      << "an index or stride of " << value << " does not fit its field, needs 0 to " << kMaxCount;
  return static_cast<std::uint16_t>(value);
}

/// Everything that emission of one task shares.
struct Emitter {
  const FoldedNest& task;
  const std::vector<SramPlace>& places;
  Stream& out;

  void run(const NestInstance& nest) {
    if (task.intrinsic->device_rule().opcode == isa::Opcode::Gemm) return gemm(nest);
    const bool fits = nest.dims.size() <= isa::kLevels &&
                      std::ranges::all_of(nest.dims, [](const Dim& dim) { return dim.count <= kMaxCount; });
    if (fits) return vector(nest);
    split(nest, 0);
  }

  /// Instructions for each iteration of dim `d`.
  void split(const NestInstance& nest, std::size_t d) {
    for (std::int64_t i = 0; i < nest.dims[d].count; ++i) run(fix(nest, d, i));
  }

  /// Fields from the lowering rule, by name. UserError for a field that no lowering sets, or a value that its
  /// field cannot hold.
  template <class Insn>
  void apply_rules(Insn& insn) {
    const intrinsics::DeviceRule& lowering = task.intrinsic->device_rule();
    const std::vector<std::string_view> known = intrinsics::lowering_fields(lowering.opcode);
    for (const intrinsics::FieldRule& rule : lowering.fields) {
      expr::ExprPtr value = rule.value;
      if (const auto* ref = value->as<expr::VarRef>())
        value = loop::find_attribute(*task.call, ref->var->name);
      const auto constant = value ? expr::as_constant(value) : std::nullopt;
      VDLA_CHECK_USER(constant) << "attribute '" << rule.field << "' of '" << task.call->name
                                << "' must be a constant";
      VDLA_CHECK_USER(std::ranges::find(known, rule.field) != known.end())
          << "intrinsic '" << task.intrinsic->variant << "': its lowering sets field '" << rule.field
          << "' of " << isa::to_string(lowering.opcode) << ", "
          << (known.empty() ? "which has none that a lowering sets"
                            : fmt::format("needs one of {}", fmt::join(known, ", ")));
      const bool is_unsigned = !expr::is_signed(value->dtype);
      isa::visit_fields(insn, [&](const isa::Field& field, auto& member) {
        if (field.name != rule.field) return;
        const auto needed = set_member(field, member, *constant, is_unsigned);
        VDLA_CHECK_USER(!needed) << "intrinsic '" << task.intrinsic->variant << "': field '" << field.name
                                 << "' is " << *constant << ", needs " << *needed;
      });
    }
  }

  void vector(const NestInstance& nest) {
    isa::VectorInsn insn;
    apply_rules(insn);
    insn.init = nest.init;
    insn.dst_base = index16(nest.bases[0]);
    insn.a_base = index16(nest.bases[1]);
    insn.b_base = nest.bases.size() > 2 ? index16(nest.bases[2]) : std::uint16_t{0};
    // A change of what the vector unit keeps of operand b empties its pipeline, so it comes as rarely as it
    // can: in the outermost levels.
    std::vector<Dim> dims;
    const bool keeps_b = isa::operation_of(insn.op).keeps_b();
    const auto changes = [&](const Dim& dim) { return keeps_b && dim.strides[2] != 0; };
    std::ranges::copy_if(nest.dims, std::back_inserter(dims), changes);
    std::ranges::copy_if(nest.dims, std::back_inserter(dims), std::not_fn(changes));
    const std::size_t first = isa::kLevels - dims.size();
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const Dim& dim = dims[d];
      isa::VectorLevel& level = insn.levels[first + d];
      level = {index16(dim.count), index16(dim.strides[0]), index16(dim.strides[1]),
               dim.strides.size() > 2 ? index16(dim.strides[2]) : std::uint16_t{0}};
      if (dim.reduce && nest.init)
        insn.reduce_mask = static_cast<std::uint8_t>(insn.reduce_mask | 1u << (first + d));
    }
    append(insn, kNoKernel);
  }

  void gemm(const NestInstance& nest) {
    const auto chosen = choose_uop_dims(nest);
    if (!chosen) return split(nest, 0);
    isa::GemmInsn insn;
    apply_rules(insn);
    insn.init = nest.init;
    insn.acc_base = index16(nest.bases[0]);
    insn.inp_base = index16(nest.bases[1]);
    insn.wgt_base = index16(nest.bases[2]);
    MicroKernel kernel;
    std::vector<const Dim*> levels;
    for (std::size_t d = 0; d < nest.dims.size(); ++d) {
      const Dim& dim = nest.dims[d];
      if (!(*chosen >> d & 1u)) {
        levels.push_back(&dim);
        continue;
      }
      kernel.push_back({dim.count, dim.strides[0], dim.strides[1], dim.strides[2]});
      if (dim.reduce && nest.init)
        insn.reduce_mask = static_cast<std::uint8_t>(insn.reduce_mask | 1u << isa::kReduceUopBit);
    }
    const std::size_t first = isa::kLevels - levels.size();
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const Dim& dim = *levels[l];
      insn.levels[first + l] = {index16(dim.count), index16(dim.strides[0]), index16(dim.strides[1]),
                                index16(dim.strides[2])};
      if (dim.reduce && nest.init)
        insn.reduce_mask = static_cast<std::uint8_t>(insn.reduce_mask | 1u << (first + l));
    }
    insn.uop_count = index16(size_of(kernel));
    append(insn, out.kernels.add(kernel));
  }

  void append(const isa::Insn& insn, std::size_t kernel) {
    StreamInsn& s = out.insns.emplace_back(insn, out.sources.size() - 1, kernel);
    for (std::size_t o = 0; o < places.size(); ++o) s.storage[o] = places[o].instance;
  }

  /// The set of dims (bits) that become micro-ops: none where the levels are enough, else the one with the
  /// fewest micro-ops. With init, the micro-op counter either reduces or does not. Nothing when an outer dim
  /// must be split.
  std::optional<unsigned> choose_uop_dims(const NestInstance& nest) const {
    const std::size_t n = nest.dims.size();
    if (n > 2 * isa::kLevels) return std::nullopt;
    const std::size_t least = n > isa::kLevels ? n - isa::kLevels : 0;
    std::optional<unsigned> best;
    std::int64_t best_size = out.geometry.uop_depth;
    for (unsigned set = 0; set < 1u << n; ++set) {
      if (static_cast<std::size_t>(std::popcount(set)) < least) continue;
      std::int64_t size = 1;
      unsigned reducing = 0;
      bool counts_fit = true;
      for (std::size_t d = 0; d < n; ++d) {
        const bool is_uop = (set >> d & 1u) != 0;
        if (is_uop) size *= nest.dims[d].count;
        if (is_uop && nest.dims[d].reduce) ++reducing;
        counts_fit = counts_fit && (is_uop || nest.dims[d].count <= kMaxCount);
      }
      const bool mixed = nest.init && reducing != 0 && reducing != static_cast<unsigned>(std::popcount(set));
      if (mixed || !counts_fit || size > best_size || (best && size == best_size)) continue;
      best = set;
      best_size = size;
    }
    return best;
  }
};

}  // namespace

void emit_compute(const FoldedNest& task, const NestInstance& nest, const std::vector<SramPlace>& places,
                  Stream& out) {
  if (const auto d = dim_to_split(nest)) {
    for (std::int64_t i = 0; i < nest.dims[*d].count; ++i) {
      NestInstance inner = fix(nest, *d, i);
      if (normalize(inner)) emit_compute(task, inner, places, out);
    }
    return;
  }
  NestInstance entries = nest;
  for (std::size_t o = 0; o < places.size(); ++o) {
    const expr::Buffer& buffer = *task.operands[o].buffer;
    entries.bases[o] = places[o].base + to_entries(buffer, nest.bases[o], places[o].entry_elements);
    for (Dim& dim : entries.dims)
      dim.strides[o] = to_entries(buffer, dim.strides[o], places[o].entry_elements);
  }
  Emitter{task, places, out}.run(entries);
}

}  // namespace vdla::codegen
