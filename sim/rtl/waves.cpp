// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/waves.h"

#include <cstring>

#include "support/error.h"

namespace vdla::sim {
namespace {

constexpr std::uint64_t kCheckedCycles = 256;  // between two looks whether the writing goes well

}  // namespace

WaveWindow::WaveWindow(const RtlWaves& waves, RtlModel& model)
    : waves_(waves),
      model_(model),
      file_(waves.file.string()),
      written_(file_.file()),
      on_interrupt_(Uninterrupted(), [this](const Uninterrupted& held) { return interrupted(held); }) {}

WaveWindow::~WaveWindow() {
  try {
    end();
  } catch (const UserError&) {
    // No caller is left to tell; end() reports errors.
  }
}

void WaveWindow::open() {
  model_.open_waves(written_);
  open_ = reached_ = true;
}

void WaveWindow::check() {
  const int error = open_ ? model_.wave_error() : 0;
  if (error == 0) return;
  model_.close_waves();
  open_ = false;
  over_ = true;
  throw UserError(waves_.file.string() + ": cannot be written: " + std::strerror(error));
}

void WaveWindow::close(const Uninterrupted& held) {
  if (!open_) return;
  model_.close_waves();
  check();  // looks at what the end has written too
  open_ = false;
  file_.keep(held);
}

bool WaveWindow::end() {
  over_ = true;
  close(Uninterrupted());
  return reached_;
}

std::string WaveWindow::interrupted(const Uninterrupted& held) {
  if (!reached_)
    return "wrote no waveforms to " + waves_.file.string() + ": the run had not reached their begin";
  if (!open_) return "";
  try {
    close(held);
  } catch (const UserError& e) {
    return e.what();
  }
  return "kept " + waves_.file.string() + ", which ends at cycle " + std::to_string(last_);
}

void WaveWindow::begin_cycle(std::uint64_t now, const Uninterrupted& held) {
  if (!waves_.insns && now == waves_.begin) open();
  if (!waves_.insns && now == waves_.end) over_ = true;
  if (now % kCheckedCycles == 0) check();
  if (over_) close(held);
  last_ = now;
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

}  // namespace vdla::sim
