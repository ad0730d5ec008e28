// SPDX-License-Identifier: Apache-2.0
// Copies.
#include "compiler/codegen/vdla/dma.h"

#include <algorithm>
#include <limits>

#include "compiler/expr/arith.h"
#include "compiler/expr/simplify.h"
#include "compiler/intrinsics/copy_call.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

constexpr std::int64_t kMaxDramStride = std::numeric_limits<std::uint32_t>::max();

/// A dim of the copy, in entries and bytes. Iterations outside [low, high) are padding.
struct CopyDim {
  std::int64_t count;
  std::int64_t sram;
  std::int64_t dram;
  std::vector<std::int64_t> bounds;
  std::size_t origin;  ///< the dim of the nest that it comes from
  std::int64_t low = 0, high = 0;

  bool padded() const { return low > 0 || high < count; }
};

/// The dims by their part in the instruction. Absent: a count of 1.
struct Roles {
  std::optional<CopyDim> run, x, y, z;
  std::optional<std::size_t> left;  ///< dim of the nest that finds no place
};

std::optional<CopyDim> take_if(std::vector<CopyDim>& dims, const auto& wanted) {
  const auto it = std::ranges::find_if(dims, wanted);
  if (it == dims.end()) return std::nullopt;
  CopyDim dim = std::move(*it);
  dims.erase(it);
  return dim;
}

bool is_bounded(const CopyDim& dim) {
  return std::ranges::any_of(dim.bounds, [](std::int64_t c) { return c != 0; });
}

/// Turns the bounds into [low, high) of single dims. Where a bound speaks of several: a dim of the nest that
/// must be split first.
std::optional<std::size_t> apply_padding(const NestInstance& nest, std::vector<CopyDim>& dims, bool& fill) {
  for (CopyDim& dim : dims) dim.high = dim.count;
  for (std::size_t b = 0; b < nest.bounds.size(); ++b) {
    CopyDim* only = nullptr;
    for (CopyDim& dim : dims) {
      if (dim.bounds[b] == 0) continue;
      if (only) return std::min(only->origin, dim.origin);
      only = &dim;
    }
    const std::int64_t base = nest.bounds[b].base;
    if (!only) {
      fill = fill || base < 0;
    } else if (only->bounds[b] > 0) {
      only->low = std::max(only->low, -expr::floor_div(base, only->bounds[b]));
    } else {
      only->high = std::min(only->high, expr::floor_div(base, -only->bounds[b]) + 1);
    }
  }
  for (CopyDim& dim : dims) fill = fill || dim.low >= dim.high;
  return std::nullopt;
}

std::uint16_t field16(std::int64_t value) {
  VDLA_CHECK_USER(value >= 0 && value <= kMaxCount)
      << "a value of " << value << " does not fit its field, needs 0 to " << kMaxCount;
  return static_cast<std::uint16_t>(value);
}

void set_range(const CopyDim& dim, std::uint16_t& before, std::uint16_t& count, std::uint16_t& after,
               std::int64_t& offset) {
  const std::int64_t low = std::clamp<std::int64_t>(dim.low, 0, dim.count);
  const std::int64_t high = std::clamp(dim.high, low, dim.count);
  before = field16(low);
  count = field16(high - low);
  after = field16(dim.count - high);
  offset += low * dim.dram;
}

/// Rows of an entry, with the dim that goes on from them: positions along x go to the rows of one entry,
/// then to the next.
CopyDim positions_of(CopyDim rows, std::int64_t rows_of_entry, const Roles& roles,
                     std::vector<CopyDim>& dims) {
  rows.sram = 0;
  const std::int64_t run = roles.run ? roles.run->count : 1;
  VDLA_CHECK(rows.count <= rows_of_entry || run == 1);
  const auto goes_on = [&](const CopyDim& d) {
    if (rows.count != rows_of_entry || d.sram != run || d.dram != rows.dram * rows_of_entry) return false;
    for (std::size_t b = 0; b < d.bounds.size(); ++b) {
      if (d.bounds[b] != rows.bounds[b] * rows_of_entry) return false;
    }
    return true;
  };
  if (const auto next = take_if(dims, goes_on)) rows.count *= next->count;
  return rows;
}

class CopyEmitter {
 public:
  CopyEmitter(const FoldedNest& task, const SramPlace& sram, const DramPlace& dram, Stream& out)
      : task_(task),
        sram_(sram),
        dram_(dram),
        out_(out),
        load_(task.call->name == intrinsics::kLoad),
        constant_(task.call->inputs.empty()) {
    const auto buffer = intrinsics::buffer_of(sram_buffer().scope);
    VDLA_CHECK(buffer) << "'" << sram_buffer().name << "' is in no buffer of the device";
    buffer_ = *buffer;
    element_bytes_ = expr::bytes((constant_ ? sram_buffer() : dram_buffer()).dtype);
    rows_ = out.used().rows(buffer_);
    walks_rows_ = out.geometry.rows(buffer_) > 1;
    lanes_ = sram.entry_elements / rows_;
  }

  void run(const NestInstance& nest) {
    if (const auto d = dim_to_split(nest)) return split(nest, *d);
    std::vector<CopyDim> dims;
    // A constant is as if it were read from a tensor of the same shape, all of it padding.
    const std::size_t dram = load_ && !constant_ ? 1 : 0;
    for (std::size_t d = 0; d < nest.dims.size(); ++d) {
      const Dim& dim = nest.dims[d];
      dims.push_back(
          {dim.count, dim.strides[load_ ? 0 : 1], dim.strides[dram] * element_bytes_, dim.bounds, d, 0, 0});
    }
    take_lanes(dims);
    std::optional<CopyDim> rows;
    if (rows_ > 1) rows = take_rows(dims);
    for (CopyDim& dim : dims) dim.sram = to_entries(sram_buffer(), dim.sram, sram_.entry_elements);
    Roles roles;
    roles.run = take_run(dims);
    if (rows) dims.push_back(positions_of(*rows, rows_, roles, dims));
    bool fill = constant_;
    if (const auto d = apply_padding(nest, dims, fill)) return split(nest, *d);
    if (walks_rows_ && rows_ == 1 && !fill && std::ranges::count_if(dims, &CopyDim::padded) > 1)
      return split_at_padding(nest, *std::ranges::find_if(dims, &CopyDim::padded));
    if (rows) {
      roles.x = dims.back();
      dims.pop_back();
    }
    assign(std::move(dims), roles);
    if (roles.left) return split(nest, *roles.left);
    emit(nest, roles, fill);
  }

 private:
  const expr::Buffer& sram_buffer() const { return *task_.operands[load_ ? 0 : 1].buffer; }
  const expr::Buffer& dram_buffer() const { return *task_.operands[load_ ? 1 : 0].buffer; }
  std::int64_t piece_bytes() const { return lanes_ * element_bytes_; }

  /// A nest for each iteration of dim `d`.
  void split(const NestInstance& nest, std::size_t d) {
    for (std::int64_t i = 0; i < nest.dims[d].count; ++i) {
      NestInstance inner = fix(nest, d, i);
      if (normalize(inner)) run(inner);
    }
  }

  /// A nest for what is in front of the image along `dim`, one for what is in it, one for what is behind it.
  void split_at_padding(const NestInstance& nest, const CopyDim& dim) {
    for (const auto& [first, end] :
         {std::pair{std::int64_t{0}, dim.low}, {dim.low, dim.high}, {dim.high, dim.count}}) {
      if (first >= end) continue;
      NestInstance inner = part(nest, dim.origin, first, end - first);
      if (normalize(inner)) run(inner);
    }
  }

  /// Removes the lanes of a piece; what a dim has beyond them stays.
  void take_lanes(std::vector<CopyDim>& dims) {
    if (lanes_ == 1) return;
    auto dim = take_if(dims, [&](const CopyDim& d) { return d.sram == 1; });
    const bool whole = dim && dim->dram == element_bytes_ && dim->count % lanes_ == 0 &&
                       std::ranges::all_of(dim->bounds, [](std::int64_t c) { return c == 0; });
    VDLA_CHECK_USER(whole) << "copy between '" << (constant_ ? "a constant" : dram_buffer().name) << "' and '"
                           << sram_buffer().name << "' must move whole pieces of " << lanes_
                           << " elements that are contiguous on both sides"
                           << (dim ? "; sees a run of " + std::to_string(dim->count) + " elements, " +
                                         std::to_string(dim->dram) + " bytes apart"
                                   : std::string());
    if (dim->count == lanes_) return;
    dim->count /= lanes_;
    dim->sram = lanes_;
    dim->dram = piece_bytes();
    dims.push_back(*dim);
  }

  /// The rows of an entry; what a merged dim has beyond them stays.
  std::optional<CopyDim> take_rows(std::vector<CopyDim>& dims) const {
    auto rows = take_if(dims, [&](const CopyDim& d) { return d.sram == lanes_; });
    if (!rows || rows->count <= rows_) return rows;
    if (rows->count % rows_ != 0) return rows;  // entries that follow each other, the last one in part
    CopyDim beyond = *rows;
    beyond.count /= rows_;
    beyond.sram *= rows_;
    beyond.dram *= rows_;
    for (std::int64_t& c : beyond.bounds) c *= rows_;
    rows->count = rows_;
    dims.push_back(std::move(beyond));
    return rows;
  }

  /// Pieces that are contiguous on both sides.
  std::optional<CopyDim> take_run(std::vector<CopyDim>& dims) const {
    return take_if(dims, [&](const CopyDim& d) {
      return d.sram == 1 && d.dram == piece_bytes() && d.count <= kMaxCount && !is_bounded(d);
    });
  }

  void assign(std::vector<CopyDim> dims, Roles& roles) const {
    const auto dram_fits = [](const CopyDim& d) {
      return d.dram >= 0 && d.dram <= kMaxDramStride && d.count <= kMaxCount;
    };
    const auto fits = [&](const CopyDim& d) { return dram_fits(d) && d.sram >= 0 && d.sram <= kMaxCount; };
    std::ranges::sort(dims, [](const CopyDim& a, const CopyDim& b) {
      return a.count != b.count ? a.count > b.count : a.origin < b.origin;
    });
    const std::int64_t run = roles.run ? roles.run->count : 1;
    if (!walks_rows_) {
      const auto along_x = [&](bool padded) {
        return [&, padded](const CopyDim& d) {
          return d.sram == run && dram_fits(d) && (d.padded() || !padded);
        };
      };
      roles.x = take_if(dims, along_x(true));
      if (!roles.x) roles.x = take_if(dims, along_x(false));
    }
    roles.y = take_if(dims, [&](const CopyDim& d) { return fits(d) && d.padded(); });
    if (!roles.y) roles.y = take_if(dims, fits);
    roles.z = take_if(dims, [&](const CopyDim& d) { return fits(d) && !d.padded(); });
    if (!dims.empty()) roles.left = dims.back().origin;
  }

  void emit(const NestInstance& nest, const Roles& roles, bool fill) const {
    isa::MemoryInsn insn;
    insn.opcode = load_ ? isa::Opcode::Load : isa::Opcode::Store;
    insn.buffer = buffer_;
    insn.window = dram_.window;
    insn.widen = buffer_ == isa::Buffer::Par && element_bytes_ == 1;
    const std::int64_t row = nest.bases[load_ ? 0 : 1] % sram_.entry_elements;
    VDLA_CHECK_USER(row == 0) << "copy to '" << sram_buffer().name << "' does not start at a whole entry";
    insn.sram_base = field16(sram_.base + nest.bases[load_ ? 0 : 1] / sram_.entry_elements);
    auto offset = static_cast<std::int64_t>(dram_.offset);
    if (!constant_) offset += nest.bases[load_ ? 1 : 0] * element_bytes_;
    insn.run = field16(roles.run ? roles.run->count : 1);
    if (roles.x) {
      insn.x_dram_stride = static_cast<std::uint32_t>(roles.x->dram);
      set_range(*roles.x, insn.x_pad_before, insn.x_count, insn.x_pad_after, offset);
    }
    if (roles.y) {
      insn.y_dram_stride = static_cast<std::uint32_t>(roles.y->dram);
      insn.y_sram_stride = field16(roles.y->sram);
      set_range(*roles.y, insn.y_pad_before, insn.y_count, insn.y_pad_after, offset);
    }
    if (roles.z) {
      insn.z_dram_stride = static_cast<std::uint32_t>(roles.z->dram);
      insn.z_sram_stride = field16(roles.z->sram);
      insn.z_count = field16(roles.z->count);
    }
    if (fill) {  // nothing is read
      insn.x_pad_before = field16(insn.x_total());
      insn.x_count = insn.x_pad_after = 0;
      insn.x_dram_stride = insn.y_dram_stride = insn.z_dram_stride = 0;
      offset = static_cast<std::int64_t>(dram_.offset);
    }
    VDLA_CHECK_USER(offset >= 0) << "copy of '" << dram_buffer().name << "' starts " << -offset
                                 << " bytes before its window";
    insn.dram_offset = static_cast<std::uint64_t>(offset);
    const bool pads =
        insn.x_pad_before != 0 || insn.x_pad_after != 0 || insn.y_pad_before != 0 || insn.y_pad_after != 0;
    if (pads) insn.pad_value = pad_value();
    out_.insns.emplace_back(insn, out_.sources.size() - 1).storage[0] = sram_.instance;
  }

  std::int8_t pad_value() const {
    const expr::ExprPtr pad = loop::find_attribute(*task_.call, "pad");
    const auto value = pad ? expr::as_constant(pad) : std::nullopt;
    VDLA_CHECK_USER(value) << "load of '" << sram_buffer().name << "' reaches outside '" << dram_buffer().name
                           << "' and has no pad value";
    VDLA_CHECK_USER(expr::bytes(sram_buffer().dtype) == 1 || *value == 0 || *value == -1)
        << "pad value " << *value << " of '" << sram_buffer().name << "' must have equal bytes";
    return static_cast<std::int8_t>(*value);
  }

  const FoldedNest& task_;
  const SramPlace& sram_;
  const DramPlace& dram_;
  Stream& out_;
  bool load_;
  bool constant_;  ///< the source is none: all of it is padding
  isa::Buffer buffer_ = isa::Buffer::Inp;
  std::int64_t element_bytes_ = 1, lanes_ = 1;
  std::int64_t rows_ = 1;    ///< rows of an entry that are used
  bool walks_rows_ = false;  ///< positions along x go to rows of an entry first
};

}  // namespace

void emit_copy(const FoldedNest& task, const NestInstance& nest, const SramPlace& sram, const DramPlace& dram,
               Stream& out) {
  CopyEmitter(task, sram, dram, out).run(nest);
}

}  // namespace vdla::codegen
