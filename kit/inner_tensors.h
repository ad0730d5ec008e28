// SPDX-License-Identifier: Apache-2.0
// Values of the tensors that layers of a device step make for each other, in memory or on chip, as the
// instructions of a run wrote them. Every engine tells what they write (trace::Detail::Contents); a board
// does not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kit/run_probe.h"
#include "runtime/session/device_observer.h"
#include "sim/contract.h"
#include "sim/trace/event.h"

namespace vdla::kit {

/// Gives each inner tensor of a step to a probe when the last instruction that writes it has done so, and
/// each instruction's writes and digest.
class InnerTensors final : public runtime::DeviceObserver, public trace::Sink {
 public:
  /// Both outlive it. While a step runs, the engine's trace goes here.
  InnerTensors(sim::Engine& engine, RunProbe& probe) : engine_(engine), probe_(probe) {}
  ~InnerTensors() override { engine_.set_trace(nullptr); }

  void before(std::size_t index, const runtime::DeviceStep& step,
              const runtime::WindowAddresses& windows) override;
  std::vector<runtime::LayerCost> after(const runtime::DeviceStep& step) override;

  trace::Detail detail() const override { return trace::Detail::Contents; }
  void event(const trace::Event& e) override;
  void wrote(isa::Unit unit, const trace::Writes& writes) override;

 private:
  /// A tensor, and the instructions that it waits for.
  struct Waiting {
    const runtime::InnerTensor* tensor;
    std::size_t missing;
  };

  void add(const runtime::DeviceStep& step, const runtime::InnerTensor& tensor);
  void give(const runtime::InnerTensor& tensor) const;

  sim::Engine& engine_;
  RunProbe& probe_;
  std::size_t step_ = 0;  ///< index of the step that runs
  runtime::WindowAddresses windows_{};
  std::array<std::vector<std::uint32_t>, isa::kQueueUnits> insns_;  ///< instructions of each unit, in order
  std::array<std::size_t, isa::kQueueUnits> retired_{};  ///< number of instructions that have retired
  std::array<std::size_t, isa::kQueueUnits> next_{};     ///< number of instructions that have written
  std::vector<std::byte> inp_;                           ///< the buffer's bytes
  std::vector<Waiting> waiting_;
  std::vector<std::vector<std::size_t>> ends_;  ///< tensors that wait, by instruction
};

}  // namespace vdla::kit
