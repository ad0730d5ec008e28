// SPDX-License-Identifier: Apache-2.0
// Random loads and stores.
#include <algorithm>

#include "isa/random/shapes.h"
#include "isa/semantics/nest.h"

namespace vdla::isa {
namespace {

std::uint64_t window_bytes(const ShapeContext& c, Window window) {
  if (window == Window::Const) return c.constant_bytes;
  if (window == Window::Uop) return c.image.size() * kUopBytes;
  return c.options.window_bytes;
}

/// Entries that `count` blocks of `block` entries at `stride` span.
std::int64_t span_of(std::int64_t count, std::int64_t stride, std::int64_t block) {
  return (count - 1) * stride + block;
}

/// SRAM base and strides: y and z strides that keep everything in the region, sometimes backwards. Counts
/// shrink until they fit.
void place_in_sram(ShapeContext& c, MemoryInsn& i) {
  const Region& region = c.region(i.buffer);
  const unsigned rows = c.geometry.rows(i.buffer);
  const auto row_entries = [&] { return std::int64_t{(i.x_total() + rows - 1) / rows} * i.run; };
  while (row_entries() > region.size)
    i.run > 1            ? --i.run
    : i.x_count > 1      ? --i.x_count
    : i.x_pad_before > 0 ? --i.x_pad_before
                         : --i.x_pad_after;
  const std::int64_t slack = c.draw.one_in(3) ? c.draw.between(0, 3) : 0;
  std::int64_t y_stride = row_entries() + slack;
  if (c.draw.one_in(12)) y_stride = c.draw.between(0, row_entries());  // rows overlap: the last one wins
  while (span_of(i.y_total(), y_stride, row_entries()) > region.size) {
    if (i.y_pad_after > 0)
      --i.y_pad_after;
    else if (i.y_count > 1)
      --i.y_count;
    else if (i.y_pad_before > 0)
      --i.y_pad_before;
    else
      y_stride = 0;
  }
  const std::int64_t plane = span_of(i.y_total(), y_stride, row_entries());
  const std::int64_t z_stride = plane + (c.draw.one_in(3) ? c.draw.between(0, 2) : 0);
  while (span_of(i.z_count, z_stride, plane) > region.size) --i.z_count;
  const std::int64_t all = span_of(i.z_count, z_stride, plane);
  std::int64_t base = region.begin + c.draw.between(0, region.size - all);
  const bool y_back = c.draw.one_in(6), z_back = c.draw.one_in(8);
  if (y_back) base += (i.y_total() - 1) * y_stride;
  if (z_back) base += (i.z_count - 1) * z_stride;
  i.sram_base = u16(base);
  i.y_sram_stride = u16(y_back ? -y_stride : y_stride);
  i.z_sram_stride = u16(z_back ? -z_stride : z_stride);
}

/// DRAM offset and strides inside the window: contiguous, spread, or (loads) overlapping; counts shrink until
/// they fit.
void place_in_dram(ShapeContext& c, MemoryInsn& i) {
  const auto room = static_cast<std::int64_t>(window_bytes(c, i.window));
  const std::int64_t run = std::int64_t{i.run} * piece_bytes(i, c.geometry);
  const bool overlap = i.opcode == Opcode::Load && c.draw.one_in(6);
  const auto stride = [&](std::int64_t block) {
    if (overlap) return c.draw.between(0, block);
    if (c.draw.one_in(2)) return block;
    if (c.draw.one_in(6))
      return block + 256 * c.draw.between(1, 3);  // as if it touched, in the bits of a burst
    return block + c.draw.skewed(0, 40);
  };
  if (i.x_count == 0 || i.y_count == 0) {
    i.dram_offset = static_cast<std::uint64_t>(c.draw.between(0, room));
    return;
  }
  const std::int64_t x = stride(run);
  while (span_of(i.x_count, x, run) > room) --i.x_count;
  const std::int64_t row = span_of(i.x_count, x, run), y = stride(row);
  while (span_of(i.y_count, y, row) > room) --i.y_count;
  const std::int64_t plane = span_of(i.y_count, y, row), z = stride(plane);
  while (span_of(i.z_count, z, plane) > room) --i.z_count;
  i.x_dram_stride = static_cast<std::uint32_t>(x);
  i.y_dram_stride = static_cast<std::uint32_t>(y);
  i.z_dram_stride = static_cast<std::uint32_t>(z);
  const std::int64_t slack = room - span_of(i.z_count, z, plane);
  i.dram_offset = static_cast<std::uint64_t>(c.draw.one_in(4)   ? slack
                                             : c.draw.one_in(2) ? c.draw.between(0, slack) / 8 * 8
                                                                : c.draw.between(0, slack));
}

/// Counts and run with at most max_pieces pieces.
void draw_move_counts(ShapeContext& c, MemoryInsn& i) {
  const auto limit = static_cast<std::int64_t>(c.options.max_pieces);
  i.run = u16(c.draw.skewed(1, 6));
  i.x_count = u16(c.draw.skewed(1, std::max<std::int64_t>(1, limit / i.run)));
  i.y_count = u16(c.draw.skewed(1, std::max<std::int64_t>(1, limit / (i.run * i.x_count))));
  i.z_count = u16(c.draw.skewed(1, std::max<std::int64_t>(1, limit / (i.run * i.x_count * i.y_count))));
}

/// A run that the window holds.
void fit_run(const ShapeContext& c, MemoryInsn& i) {
  while (std::uint64_t{i.run} * piece_bytes(i, c.geometry) > window_bytes(c, i.window)) --i.run;
}

void draw_padding(ShapeContext& c, MemoryInsn& i) {
  i.pad_value = static_cast<std::int8_t>(c.draw.bits());
  i.x_pad_before = u16(c.draw.one_in(2) ? c.draw.between(0, 3) : 0);
  i.x_pad_after = u16(c.draw.one_in(2) ? c.draw.between(0, 3) : 0);
  i.y_pad_before = u16(c.draw.one_in(2) ? c.draw.between(0, 2) : 0);
  i.y_pad_after = u16(c.draw.one_in(2) ? c.draw.between(0, 2) : 0);
  if (c.draw.one_in(10) && i.x_pad_before + i.x_pad_after > 0) i.x_count = 0;
  if (c.draw.one_in(10) && i.y_pad_before + i.y_pad_after > 0) i.y_count = 0;
}

/// Micro-ops come whole and in order, so that the program's micro-ops stay known.
MemoryInsn uop_load(ShapeContext& c) {
  const Region& region = c.region(Buffer::Uop);
  MemoryInsn i;
  i.buffer = Buffer::Uop;
  i.window = Window::Uop;
  const auto limit = std::min<std::int64_t>(region.size, static_cast<std::int64_t>(c.image.size()));
  i.run = u16(c.draw.skewed(1, limit));
  i.sram_base = u16(region.begin + c.draw.between(0, region.size - i.run));
  const std::int64_t first = c.draw.between(0, static_cast<std::int64_t>(c.image.size()) - i.run);
  i.dram_offset = static_cast<std::uint64_t>(first) * kUopBytes;
  for (unsigned r = 0; r < i.run; ++r)
    c.uop_sram[i.sram_base + r] = c.image[static_cast<std::size_t>(first) + r];
  return i;
}

}  // namespace

MemoryInsn whole_load(ShapeContext& c, Buffer buffer) {
  const Region& region = c.region(buffer);
  MemoryInsn i;
  i.buffer = buffer;
  i.window = buffer == Buffer::Wgt || buffer == Buffer::Par ? Window::Const
             : buffer == Buffer::Uop                        ? Window::Uop
                                                            : Window::Input;
  i.sram_base = u16(region.begin);
  const std::int64_t bytes = piece_bytes(i, c.geometry);
  // The largest part of the region that the window holds; further parts read the same bytes again, as do the
  // rows of the array.
  const auto most = static_cast<std::int64_t>(window_bytes(c, i.window)) / bytes;
  std::int64_t run = std::min<std::int64_t>(region.size, most);
  while (region.size % run != 0) --run;
  i.run = u16(run);
  i.x_count = u16(c.geometry.rows(buffer));
  i.y_count = u16(region.size / run);
  i.y_sram_stride = i.run;
  if (buffer == Buffer::Uop)
    for (unsigned e = 0; e < region.size; ++e) c.uop_sram[region.begin + e] = c.image[e % i.run];
  return i;
}

MemoryInsn random_load(ShapeContext& c) {
  if (c.draw.one_in(8)) return uop_load(c);
  constexpr Buffer kTargets[] = {Buffer::Inp, Buffer::Inp, Buffer::Wgt, Buffer::Out, Buffer::Par};
  constexpr Window kSources[] = {Window::Input,  Window::Act,    Window::Const,
                                 Window::Spare0, Window::Output, Window::Spare1};
  MemoryInsn i;
  i.buffer = c.draw.pick(kTargets);
  i.window = c.draw.pick(kSources);
  i.widen = i.buffer == Buffer::Par && c.draw.one_in(2);
  draw_move_counts(c, i);
  fit_run(c, i);
  if (c.draw.one_in(2)) draw_padding(c, i);
  place_in_sram(c, i);
  place_in_dram(c, i);
  return i;
}

MemoryInsn random_store(ShapeContext& c) {
  constexpr Window kTargets[] = {Window::Act, Window::Output, Window::Spare0, Window::Spare1};
  MemoryInsn i;
  i.opcode = Opcode::Store;
  i.buffer = Buffer::Out;
  i.window = c.draw.pick(kTargets);
  draw_move_counts(c, i);
  fit_run(c, i);
  place_in_sram(c, i);
  place_in_dram(c, i);
  return i;
}

}  // namespace vdla::isa
