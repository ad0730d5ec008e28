// SPDX-License-Identifier: Apache-2.0
#include "isa/verify/footprint.h"

#include <algorithm>
#include <ranges>

#include "isa/semantics/nest.h"
#include "isa/spec/operations.h"
#include "isa/timing/work.h"
#include "support/bits.h"
#include "support/overloaded.h"

namespace vdla::isa {
namespace {

/// Bits of a buffer or of a short stretch of bytes.
class Marks {
 public:
  explicit Marks(std::uint64_t size) : words_((size + 63) / 64) {}
  bool test(std::uint64_t i) const { return (words_[i / 64] >> (i % 64) & 1u) != 0; }
  void set(std::uint64_t begin, std::uint64_t end) {
    for (; begin < end; begin = (begin / 64 + 1) * 64)
      words_[begin / 64] |=
          low_mask(static_cast<unsigned>(std::min<std::uint64_t>(end - begin, 64 - begin % 64)))
          << (begin % 64);
  }
  Intervals intervals() const {
    Intervals result;
    for (std::uint64_t w = 0; w < words_.size(); ++w) {
      if (words_[w] == 0) continue;
      for (std::uint64_t i = 64 * w; i < 64 * w + 64; ++i) {
        if (!test(i)) continue;
        if (!result.empty() && result.back().end == i)
          ++result.back().end;
        else
          result.push_back({i, i + 1});
      }
    }
    return result;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Calls f(begin, end) for intervals that make up dims[at..] at `base`.
template <class F>
void walk(std::span<const Box::Dim> dims, std::int64_t base, std::int64_t run, F&& f) {
  if (dims.empty()) return f(static_cast<std::uint64_t>(base), static_cast<std::uint64_t>(base + run));
  for (std::int64_t i = 0; i < dims.front().count; ++i)
    walk(dims.subspan(1), base + i * dims.front().stride, run, f);
}

/// Adds an interval that does not begin before the last one.
void append(Intervals& list, Interval i) {
  if (!list.empty() && i.begin <= list.back().end)
    list.back().end = std::max(list.back().end, i.end);
  else
    list.push_back(i);
}

/// Returns the union of `a` and of `a` moved up by `shift`.
Intervals with_copy(const Intervals& a, std::uint64_t shift) {
  Intervals result;
  auto low = a.begin(), high = a.begin();
  while (high != a.end()) {
    if (low != a.end() && low->begin <= high->begin + shift) {
      append(result, *low++);
    } else {
      append(result, {high->begin + shift, high->end + shift});
      ++high;
    }
  }
  return result;
}

/// `a` moved by 0, stride, ... (count - 1) * stride: doubled as often as it takes, so that no count is too
/// large.
Intervals repeated(Intervals a, std::uint64_t count, std::uint64_t stride) {
  std::uint64_t have = 1;
  for (; 2 * have <= count; have *= 2) a = with_copy(a, have * stride);
  return have == count ? a : with_copy(a, (count - have) * stride);
}

/// Strides made positive, dims that continue the run folded into it, the rest outermost (largest stride)
/// first.
struct Folded {
  std::int64_t shift = 0;
  std::int64_t run = 1;
  std::vector<Box::Dim> dims;
};

Folded fold(const Box& box) {
  Folded folded{0, box.run, {}};
  std::vector<Box::Dim> dims = box.dims;
  for (Box::Dim& d : dims) {
    if (d.stride >= 0) continue;
    folded.shift += d.stride * (d.count - 1);
    d.stride = -d.stride;
  }
  std::ranges::sort(dims, {}, &Box::Dim::stride);
  for (const Box::Dim& d : dims) {
    if (d.stride <= folded.run)
      folded.run += d.stride * (d.count - 1);
    else
      folded.dims.insert(folded.dims.begin(), d);
  }
  return folded;
}

void add_dim(Box& box, std::int64_t count, std::int64_t stride) {
  if (count > 1 && stride != 0) box.dims.push_back({count, stride});
}

/// An entry stride modulo 2^16 as the signed number that keeps the box inside `depth` if one does.
void add_entry_dim(Box& box, std::int64_t count, std::uint16_t stride, std::int64_t depth) {
  const bool fits = box.highest() + (count - 1) * stride < depth;
  add_dim(box, count, fits ? std::int64_t{stride} : sign_extend(stride, kIndexBits));
}

template <class Levels, class Stride>
Box level_box(std::vector<std::int64_t> bases, std::int64_t run, const Levels& levels, Stride stride,
              std::int64_t depth) {
  Box box{std::move(bases), run, {}};
  for (const auto& level : levels) add_entry_dim(box, level.count, level.*stride, depth);
  return box;
}

template <class Field>
std::vector<std::int64_t> uop_bases(std::uint16_t base, std::span<const Uop> uops, Field field) {
  std::vector<std::int64_t> bases;
  for (const Uop& uop : uops) bases.push_back(static_cast<std::uint16_t>(base + uop.*field));
  std::ranges::sort(bases);
  bases.erase(std::ranges::unique(bases).begin(), bases.end());
  return bases;
}

std::vector<SramAccess> accesses(const MemoryInsn& i, const Geometry& g) {
  const std::int64_t depth = g.depth(i.buffer);
  const unsigned rows = g.rows(i.buffer);
  std::vector<SramAccess> list;
  const auto add = [&](std::int64_t base, std::int64_t groups, unsigned touched) {
    Box box{{base}, i.run, {}};
    add_dim(box, groups, i.run);
    add_entry_dim(box, i.y_total(), i.y_sram_stride, depth);
    add_entry_dim(box, i.z_count, i.z_sram_stride, depth);
    list.push_back({i.buffer, i.opcode == Opcode::Load, std::move(box), all_rows(touched)});
  };
  const unsigned full = i.x_total() / rows, rest = i.x_total() % rows;
  if (full != 0) add(i.sram_base, full, rows);
  if (rest != 0) add(i.sram_base + std::int64_t{full} * i.run, 1, rest);
  return list;
}

std::vector<SramAccess> accesses(const GemmInsn& i, std::span<const Uop> uops, const Geometry& g) {
  return {
      {Buffer::Acc, true,
       level_box(uop_bases(i.acc_base, uops, &Uop::acc), 1, i.levels, &GemmLevel::acc_stride, g.acc_depth)},
      {Buffer::Inp, false,
       level_box(uop_bases(i.inp_base, uops, &Uop::inp), 1, i.levels, &GemmLevel::inp_stride, g.inp_depth)},
      {Buffer::Wgt, false,
       level_box(uop_bases(i.wgt_base, uops, &Uop::wgt), 1, i.levels, &GemmLevel::wgt_stride, g.wgt_depth)},
      {Buffer::Uop, false, Box{{i.uop_begin}, i.uop_count, {}}},
  };
}

std::vector<SramAccess> accesses(const VectorInsn& i, const Geometry& g) {
  std::vector<SramAccess> list = {
      {i.dst_buffer, true,
       level_box({i.dst_base}, 1, i.levels, &VectorLevel::dst_stride, g.depth(i.dst_buffer))},
      {i.a_buffer, false, level_box({i.a_base}, 1, i.levels, &VectorLevel::a_stride, g.depth(i.a_buffer))},
  };
  if (const std::int64_t parameters = par_entries(i.op, i.b_kind); parameters > 0)
    list.push_back({Buffer::Par, false,
                    level_box({i.b_base}, parameters, i.levels, &VectorLevel::b_stride, g.par_depth)});
  return list;
}

/// Whether a level that reduces also moves along the accumulators: then the simple rules do not hold.
template <class Levels, class Stride>
bool reduces_along(const Levels& levels, unsigned mask, Stride stride) {
  for (unsigned l = 0; l < kLevels; ++l)
    if ((mask >> l & 1u) != 0 && levels[l].count > 1 && levels[l].*stride != 0) return true;
  return false;
}

/// Visits each step's entries of one buffer, in order: `touch(entry, reads, writes)`.
class FirstTouch {
 public:
  explicit FirstTouch(std::uint64_t depth) : written_(depth), needed_(depth) {}
  void touch(std::uint16_t entry, bool reads, bool writes) {
    if (reads && !written_.test(entry)) needed_.set(entry, entry + 1u);
    if (writes) written_.set(entry, entry + 1u);
  }
  Intervals needed() const { return needed_.intervals(); }

 private:
  Marks written_, needed_;
};

/// A level that moves along none of these strides repeats what its first iteration touches, which has written
/// all of it by then: one iteration tells what is needed.
template <class Levels, class... Strides>
Levels without_repeats(Levels levels, Strides... strides) {
  for (auto& level : levels) {
    const auto is_still = [&](auto stride) { return level.*stride == 0; };
    if ((is_still(strides) && ...)) level.count = 1;
  }
  return levels;
}

Intervals accumulated(const GemmInsn& i, std::span<const Uop> uops, const Geometry& g) {
  const bool many = std::ranges::any_of(uops, [&](const Uop& u) { return u.acc != uops.front().acc; });
  const bool uop_reduces = (i.reduce_mask >> kReduceUopBit & 1u) != 0 && many;
  if (i.init && !uop_reduces && !reduces_along(i.levels, i.reduce_mask, &GemmLevel::acc_stride)) return {};
  if (!i.init || too_long(i)) return intervals_of(accesses(i, uops, g)[0].box, g.acc_depth);
  FirstTouch first(kMaxDepth);
  for_each_iteration(without_repeats(i.levels, &GemmLevel::acc_stride), [&](const Counters& c) {
    for (unsigned u = 0; u < uops.size(); ++u) {
      const GemmStep step = gemm_step_at(i, c, u, uops[u]);
      first.touch(step.acc, !step.first, true);
    }
    return true;
  });
  return first.needed();
}

Intervals accumulated(const VectorInsn& i, const Geometry& g) {
  if (!reads_accumulator(i.op, i.dst_buffer)) return {};
  if (i.init && !reduces_along(i.levels, i.reduce_mask, &VectorLevel::dst_stride)) return {};
  if (!i.init || too_long(i)) return intervals_of(accesses(i, g)[0].box, g.acc_depth);
  FirstTouch first(kMaxDepth);
  for_each_iteration(without_repeats(i.levels, &VectorLevel::dst_stride), [&](const Counters& c) {
    const VectorStep step = vector_step_at(i, c);
    first.touch(step.dst, !step.first, true);
    return true;
  });
  return first.needed();
}

}  // namespace

std::int64_t Box::lowest() const {
  std::int64_t low = bases.empty() ? 0 : *std::ranges::min_element(bases);
  for (const Dim& d : dims) low += std::min<std::int64_t>(0, d.stride * (d.count - 1));
  return low;
}

std::int64_t Box::highest() const {
  std::int64_t high = (bases.empty() ? 0 : *std::ranges::max_element(bases)) + run - 1;
  for (const Dim& d : dims) high += std::max<std::int64_t>(0, d.stride * (d.count - 1));
  return high;
}

Intervals intervals_of(const Box& box, std::uint64_t limit) {
  const Folded folded = fold(box);
  if (folded.dims.empty() && box.bases.size() == 1) {
    const auto begin = static_cast<std::uint64_t>(box.bases[0] + folded.shift);
    return {{begin, begin + static_cast<std::uint64_t>(folded.run)}};
  }
  std::int64_t points = std::ssize(box.bases);
  for (const Box::Dim& d : folded.dims) points = std::min<std::int64_t>(points * d.count, kMaxDepth + 1);
  if (limit <= kMaxDepth && points <= kMaxDepth) {
    Marks marks(limit);
    for (std::int64_t base : box.bases)
      walk(folded.dims, base + folded.shift, folded.run,
           [&](std::uint64_t b, std::uint64_t e) { marks.set(b, e); });
    return marks.intervals();
  }
  std::vector<std::int64_t> bases = box.bases;
  std::ranges::sort(bases);
  Intervals result;
  for (std::int64_t base : bases) {
    const auto begin = static_cast<std::uint64_t>(base + folded.shift);
    append(result, {begin, begin + static_cast<std::uint64_t>(folded.run)});
  }
  for (const Box::Dim& d : folded.dims | std::views::reverse)
    result = repeated(std::move(result), static_cast<std::uint64_t>(d.count),
                      static_cast<std::uint64_t>(d.stride));
  return result;
}

bool too_long(const Insn& insn) {
  const auto beyond = [](const auto& levels, std::uint64_t steps) {
    return !std::ranges::all_of(levels, [&](const auto& l) { return (steps *= l.count) <= kMostSteps; });
  };
  if (const auto* gemm = std::get_if<GemmInsn>(&insn)) return beyond(gemm->levels, gemm->uop_count);
  if (const auto* vector = std::get_if<VectorInsn>(&insn)) return beyond(vector->levels, 1);
  return false;
}

std::vector<SramAccess> sram_accesses(const Insn& insn, std::span<const Uop> uops, const Geometry& g) {
  return std::visit(overloaded{
                        [&](const MemoryInsn& i) { return accesses(i, g); },
                        [&](const GemmInsn& i) { return accesses(i, uops, g); },
                        [&](const VectorInsn& i) { return accesses(i, g); },
                        [&](const FinishInsn&) { return std::vector<SramAccess>(); },
                    },
                    insn);
}

std::optional<DramAccess> dram_access(const Insn& insn, const Geometry& g) {
  const auto* move = std::get_if<MemoryInsn>(&insn);
  if (move == nullptr || move->x_count == 0 || move->y_count == 0) return std::nullopt;
  const Stretches s = stretches_of(*move, g);
  Box box{{static_cast<std::int64_t>(move->dram_offset)}, static_cast<std::int64_t>(s.bytes), {}};
  for (unsigned d = 0; d < 3; ++d)
    add_dim(box, static_cast<std::int64_t>(s.counts[d]), static_cast<std::int64_t>(s.strides[d]));
  return DramAccess{move->window, move->opcode == Opcode::Store, std::move(box)};
}

Intervals accumulated_entries(const Insn& insn, std::span<const Uop> uops, const Geometry& g) {
  if (const auto* gemm = std::get_if<GemmInsn>(&insn)) return accumulated(*gemm, uops, g);
  if (const auto* vector = std::get_if<VectorInsn>(&insn)) return accumulated(*vector, g);
  return {};
}

Intervals operand_entries(const VectorInsn& insn, const Geometry& g) {
  if (too_long(insn)) return intervals_of(accesses(insn, g)[1].box, g.depth(insn.a_buffer));
  FirstTouch first(kMaxDepth);
  const auto levels = without_repeats(insn.levels, &VectorLevel::a_stride, &VectorLevel::dst_stride);
  for_each_iteration(levels, [&](const Counters& c) {
    const VectorStep step = vector_step_at(insn, c);
    first.touch(step.a, true, false);
    first.touch(step.dst, false, true);
    return true;
  });
  return first.needed();
}

}  // namespace vdla::isa
