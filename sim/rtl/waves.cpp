// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/waves.h"

#include <array>
#include <fstream>

#include "support/error.h"

namespace vdla::sim {

void WaveWindow::open() {
  model_.open_waves(waves_.file);
  open_ = true;
}

void WaveWindow::begin_cycle(std::uint64_t now) {
  if (!waves_.insns && now == waves_.begin) open();
  if (!waves_.insns && now == waves_.end) over_ = true;
  if (over_ && open_) {
    model_.close_waves();
    open_ = false;
  }
}

void WaveWindow::settled() {
  if (!waves_.insns || over_) return;
  vdla_rtl_events e;
  model_.get_events(e);
  if (e.run) ++runs_;
  if (runs_ != waves_.insns->run + 1) return;
  const auto asked = [&](std::uint32_t insn) {
    return insn >= waves_.insns->first && insn < waves_.insns->end;
  };
  if (!open_ && e.dispatch != 0 && asked(e.fetch_index)) open();
  for (unsigned u = 0; u < VDLA_RTL_UNITS; ++u)
    if (e.retire >> u & 1u) retired_ += asked(e.retire_index[u]) ? 1 : 0;
  over_ = retired_ == waves_.insns->end - waves_.insns->first;
}

std::pair<std::uint64_t, std::uint64_t> wave_cycles(const std::filesystem::path& file) {
  // The first block is the header: its type 0, its length, first and last time, 64 bits each, big end first.
  constexpr std::size_t kFirst = 9, kLast = 17, kHeader = 25;
  std::array<unsigned char, kHeader> header{};
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(header.data()), header.size());
  VDLA_CHECK_USER(in.gcount() == std::streamsize{kHeader} && header[0] == 0)
      << file.string() << ": holds no waveform";
  const auto time = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value = value << 8 | header[at + i];
    return value / 2;  // two steps a cycle
  };
  return {time(kFirst), time(kLast)};
}

}  // namespace vdla::sim
