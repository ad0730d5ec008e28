// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/write_watch.h"

#include <algorithm>
#include <cstring>

#include "support/error.h"

namespace vdla::sim {
namespace {

using isa::Buffer;

constexpr unsigned kLoad = 0, kGemm = 1, kVector = 2, kStore = 3;

}  // namespace

std::uint32_t WriteWatch::Signal::get() const {
  switch (bytes) {
    case 1:
      return *static_cast<const std::uint8_t*>(data);
    case 2:
      return *static_cast<const std::uint16_t*>(data);
    default:
      return *static_cast<const std::uint32_t*>(data);
  }
}

WriteWatch::Signal WriteWatch::signal(const char* name) {
  const vdla_rtl_signal found = model_.find("u_core", name);
  VDLA_CHECK(found.element_bytes <= 4) << "signal " << name << " has " << found.element_bytes << " bytes";
  return {found.data, found.element_bytes};
}

WriteWatch::Bank WriteWatch::bank(const char* scope) {
  const vdla_rtl_signal found = model_.find(scope, "mem");
  return {static_cast<const std::byte*>(found.data), found.element_bytes};
}

WriteWatch::WriteWatch(const isa::Geometry& geometry, RtlModel& model, const Memory& memory)
    : geometry_(geometry),
      model_(model),
      memory_(memory),
      load_write_(signal("load_write")),
      load_buffer_(signal("load_buffer")),
      load_entry_(signal("load_entry")),
      load_chunk_(signal("load_chunk")),
      gemm_we_(signal("gemm_acc_we")),
      gemm_waddr_(signal("gemm_acc_waddr")),
      acc_we_(signal("acc_we")),
      acc_waddr_(signal("acc_waddr")),
      inp_we_(signal("vector_inp_we")),
      out_we_(signal("vector_out_we")),
      vector_waddr_(signal("vector_waddr")),
      done_(signal("done")),
      write_valid_(signal("write_valid")),
      write_ready_(signal("write_ready")),
      write_last_(signal("write_last")),
      acc_high_(bank("u_core.u_acc.gen_bank[1].u_ram")),
      digests_{trace::WriteDigest(geometry), trace::WriteDigest(geometry), trace::WriteDigest(geometry),
               trace::WriteDigest(geometry)} {
  const auto set = [&](Buffer buffer, const char* scope) {
    banks_[static_cast<std::size_t>(buffer)] = bank(scope);
  };
  set(Buffer::Inp, "u_core.u_inp.u_ram");
  set(Buffer::Wgt, "u_core.u_load_mem.u_wgt");
  set(Buffer::Acc, "u_core.u_acc.gen_bank[0].u_ram");
  set(Buffer::Out, "u_core.u_out.u_ram");
  set(Buffer::Par, "u_core.u_load_mem.u_par");
  set(Buffer::Uop, "u_core.u_load_mem.u_uop");
}

void WriteWatch::tell(trace::Sink& sink) {
  sink_ = &sink;
  for (trace::WriteDigest& digest : digests_) digest.keep_writes(true);
}

std::span<const std::byte> WriteWatch::row(Buffer buffer, unsigned entry, unsigned row) const {
  const unsigned half = geometry_.acc_depth / 2;
  const bool high = buffer == Buffer::Acc && entry >= half;
  const Bank& bank = high ? acc_high_ : banks_[static_cast<std::size_t>(buffer)];
  const std::size_t bytes = geometry_.piece_bytes(buffer);
  return {bank.data + (high ? entry - half : entry) * bank.entry_bytes + row * bytes, bytes};
}

void WriteWatch::note_load() {
  const auto buffer = static_cast<Buffer>(load_buffer_.get());
  const bool rows = geometry_.rows(buffer) > 1;
  const unsigned chunks = std::max(1u, geometry_.piece_bytes(buffer) / 8);
  digests_[kLoad].note_row(buffer, load_entry_.get(), rows ? load_chunk_.get() / chunks : 0);
}

void WriteWatch::before_edge() {
  const std::uint32_t done = done_.get();
  if (load_write_.get() != 0) note_load();
  if (gemm_we_.get() != 0) digests_[kGemm].note_entry(Buffer::Acc, gemm_waddr_.get());
  const bool inp = inp_we_.get() != 0, int8 = inp || out_we_.get() != 0;
  if (int8) digests_[kVector].note_entry(inp ? Buffer::Inp : Buffer::Out, vector_waddr_.get());
  finish_after_edge_ = done & (1u << kLoad | 1u << kGemm);
  // A vector instruction ends one stage behind its last write to acc: there the next one may write already.
  if ((done >> kVector & 1u) != 0) {
    if (int8)
      finish_after_edge_ |= 1u << kVector;
    else
      finish(kVector);
  }
  acc_after_edge_.reset();
  if (acc_we_.get() != 0) acc_after_edge_ = acc_waddr_.get();
  if (write_valid_.get() != 0 && write_ready_.get() != 0) last_bursts_.push_back(write_last_.get() != 0);
}

void WriteWatch::after_edge() {
  for (unsigned u : {kLoad, kGemm, kVector})
    if ((finish_after_edge_ >> u & 1u) != 0) finish(u);
  if (acc_after_edge_) digests_[kVector].note_entry(Buffer::Acc, *acc_after_edge_);
}

void WriteWatch::write_beat(std::uint64_t address, unsigned strobes, bool last) {
  // The memory refuses what lies outside: a bus error.
  if (strobes != 0 && memory_.contains(address, sizeof(std::uint64_t)))
    digests_[kStore].note_word(address, strobes);
  if (!last || last_bursts_.empty()) return;
  const bool ends = last_bursts_.front();
  last_bursts_.pop_front();
  if (ends) finish(kStore);
}

void WriteWatch::finish(unsigned unit) {
  trace::WriteDigest& digest = digests_[unit];
  digest.add_rows([&](Buffer b, unsigned entry, unsigned r) { return row(b, entry, r); });
  digest.add_words([&](std::uint64_t address) {
    std::uint64_t value = 0;
    if (const std::byte* word = memory_.find(address, sizeof value)) std::memcpy(&value, word, sizeof value);
    return value;
  });
  ended_[unit].push_back(digest.take());
  if (sink_ != nullptr) sink_->wrote(static_cast<isa::Unit>(unit), digest.take_writes());
}

std::uint64_t WriteWatch::take(unsigned unit) {
  if (ended_[unit].empty()) return 0;
  const std::uint64_t digest = ended_[unit].front();
  ended_[unit].pop_front();
  return digest;
}

void WriteWatch::clear() {
  for (trace::WriteDigest& digest : digests_) digest.clear();
  for (auto& queue : ended_) queue.clear();
  last_bursts_.clear();
  finish_after_edge_ = 0;
  acc_after_edge_.reset();
}

}  // namespace vdla::sim
