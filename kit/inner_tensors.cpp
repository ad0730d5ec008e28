// SPDX-License-Identifier: Apache-2.0
#include "kit/inner_tensors.h"

#include <algorithm>
#include <map>

#include "isa/codec/insn.h"
#include "support/error.h"

namespace vdla::kit {

void InnerTensors::before(std::size_t index, const runtime::DeviceStep& step,
                          const runtime::WindowAddresses& windows) {
  const isa::Program& program = step.program;
  step_ = index;
  windows_ = windows;
  next_ = retired_ = {};
  for (std::vector<std::uint32_t>& insns : insns_) insns.clear();
  for (std::uint32_t i = 0; i < program.insns.size(); ++i)
    if (const isa::Unit unit = isa::unit_of(program.insns[i]); unit != isa::Unit::Fetch)
      insns_[static_cast<std::size_t>(unit)].push_back(i);
  inp_.assign(
      std::size_t{program.geometry.depth(isa::Buffer::Inp)} * program.geometry.entry_bytes(isa::Buffer::Inp),
      std::byte{});
  waiting_.clear();
  ends_.assign(program.insns.size(), {});
  for (const runtime::InnerTensor& tensor : step.inner) add(step, tensor);
  engine_.set_trace(this);
}

/// It waits for the last instruction of each unit that is of one of its layers.
void InnerTensors::add(const runtime::DeviceStep& step, const runtime::InnerTensor& tensor) {
  const isa::Program& program = step.program;
  std::map<isa::Unit, std::uint32_t> last;
  for (std::uint32_t i = 0; i < program.source_map.insns.size(); ++i)
    if (std::ranges::find(tensor.layers, program.source_map.insns[i].layer) != tensor.layers.end())
      last[isa::unit_of(program.insns[i])] = i;
  last.erase(isa::Unit::Fetch);
  if (last.empty()) return;
  for (const auto& [unit, insn] : last) ends_[insn].push_back(waiting_.size());
  waiting_.push_back({&tensor, last.size()});
}

std::vector<runtime::LayerCost> InnerTensors::after(const runtime::DeviceStep& step) {
  engine_.set_trace(nullptr);
  return std::vector<runtime::LayerCost>(step.program.source_map.layers.size());
}

void InnerTensors::event(const trace::Event& e) {
  if (e.type != trace::EventType::Retire) return;
  const auto u = static_cast<std::size_t>(e.unit);
  probe_.retired(step_, insns_[u].at(retired_[u]++), e.digest);
}

void InnerTensors::wrote(isa::Unit unit, const trace::Writes& writes) {
  for (const trace::Writes::Row& row : writes.rows)
    if (row.buffer == isa::Buffer::Inp)
      std::copy_n(writes.bytes.begin() + static_cast<std::ptrdiff_t>(row.begin), row.count,
                  inp_.begin() + static_cast<std::ptrdiff_t>(row.row * row.count));
  const auto u = static_cast<std::size_t>(unit);
  VDLA_CHECK(next_[u] < insns_[u].size())
      << isa::to_string(unit) << " wrote more often than its program says";
  const std::uint32_t insn = insns_[u][next_[u]++];
  probe_.insn(step_, insn, writes);
  for (const std::size_t i : ends_[insn])
    if (--waiting_[i].missing == 0) give(*waiting_[i].tensor);
}

void InnerTensors::give(const runtime::InnerTensor& tensor) const {
  const auto size = static_cast<std::size_t>(tensor.layout.bytes);
  std::vector<std::byte> device(size);
  if (tensor.window)
    engine_.read_memory(windows_[static_cast<std::size_t>(*tensor.window)] + tensor.offset, device);
  else
    std::copy_n(inp_.begin() + static_cast<std::ptrdiff_t>(tensor.offset), size, device.begin());
  std::vector<std::byte> dense(tensor.tensor.bytes());
  runtime::from_device(tensor.layout, tensor.tensor.shape, tensor.tensor.type, device.data(), dense.data());
  probe_.tensor(tensor.tensor, dense);
}

}  // namespace vdla::kit
