// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_program.h"

#include <set>

#include <fmt/format.h>

namespace vdla::runtime {
namespace {

constexpr std::size_t kQueueUnits = VDLA_UNITS_WITH_QUEUE;

/// The parts of the stream that are started one after the other.
std::vector<isa::EntryPoint> entries_of(const isa::Program& program) {
  if (!program.entries.empty()) return program.entries;
  return {{.name = "all", .first_insn = 0, .insn_count = static_cast<std::uint32_t>(program.insns.size())}};
}

void add(vdla_counters& sum, const vdla_counters& part) {
  sum.cycles += part.cycles;
  sum.read_bytes += part.read_bytes;
  sum.write_bytes += part.write_bytes;
  for (std::size_t unit = 0; unit < kQueueUnits; ++unit) {
    sum.busy[unit] += part.busy[unit];
    sum.token_stall[unit] += part.token_stall[unit];
  }
}

/// Instructions that the outcome speaks of, as indices of the whole stream.
std::set<std::uint32_t> insns_at_fault(const Device::Outcome& outcome, std::uint32_t first_insn) {
  std::set<std::uint32_t> insns;
  if (outcome.status == VDLA_DRIVER_DEVICE) insns.insert(first_insn + outcome.error.insn);
  if (outcome.status == VDLA_DRIVER_DEADLOCK || outcome.status == VDLA_DRIVER_TIMEOUT)
    for (std::size_t unit = 0; unit < kQueueUnits; ++unit)
      if (outcome.units.unit[unit].has_insn) insns.insert(first_insn + outcome.units.unit[unit].insn);
  return insns;
}

}  // namespace

std::string layers_at_fault(const isa::Program& program, const Device::Outcome& outcome,
                            std::uint32_t first_insn) {
  std::string text;
  for (std::uint32_t insn : insns_at_fault(outcome, first_insn)) {
    const std::string source = program.source_map.describe(insn);
    if (!source.empty()) text += fmt::format("; instruction {} is of {}", insn - first_insn, source);
  }
  return text;
}

isa::VerifyOptions verify_options(const DeviceStep& step) {
  const auto bytes_of = [](const std::vector<DeviceTensor>& tensors) {
    std::vector<isa::WindowBytes> list;
    for (const DeviceTensor& t : tensors)
      list.push_back({t.window, t.offset, t.offset + static_cast<std::uint64_t>(t.layout.bytes)});
    return list;
  };
  isa::VerifyOptions options;
  options.defined = bytes_of(step.inputs);
  options.results = bytes_of(step.outputs);
  return options;
}

DeviceProgram::DeviceProgram(Device& device, const DeviceStep& step) : device_(device), step_(step) {
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    const std::uint64_t bytes = step.program.window_size(static_cast<isa::Window>(w));
    if (bytes > 0) windows_[w] = device.allocate(bytes);
  }
}

void DeviceProgram::write(const DeviceTensor& place, const Tensor& tensor, const std::byte* from) {
  Bytes image(static_cast<std::size_t>(place.layout.bytes));
  to_device(place.layout, tensor.shape, tensor.type, from, image.data());
  window(place.window).write(place.offset, image);
}

void DeviceProgram::read(const DeviceTensor& place, const Tensor& tensor, std::byte* to) const {
  Bytes image(static_cast<std::size_t>(place.layout.bytes));
  windows_[static_cast<std::size_t>(place.window)].read(place.offset, image);
  from_device(place.layout, tensor.shape, tensor.type, image.data(), to);
}

void DeviceProgram::load() {
  const auto fill = [&](isa::Window w, const Bytes& image) {
    if (!image.empty()) window(w).write(0, image);
  };
  fill(isa::Window::Insn, isa::insn_image(step_.program));
  fill(isa::Window::Uop, isa::uop_image(step_.program));
  fill(isa::Window::Const, step_.program.constants);
  loaded_ = true;
}

vdla_counters DeviceProgram::run(std::uint64_t timeout, std::uint32_t stall_limit) {
  if (!loaded_) load();
  for (std::size_t w = 0; w < windows_.size(); ++w) device_.set_window(static_cast<unsigned>(w), windows_[w]);
  vdla_counters sum{};
  for (const isa::EntryPoint& entry : entries_of(step_.program)) {
    const isa::Insn& last = step_.program.insns.at(entry.first_insn + entry.insn_count - 1);
    const vdla_launch launch{.insn_offset = entry.first_insn * isa::kInsnBytes,
                             .insn_count = entry.insn_count,
                             .sequence = std::get<isa::FinishInsn>(last).sequence,
                             .stall_limit = stall_limit};
    const Device::Outcome outcome = device_.run(launch, timeout);
    if (outcome.status != VDLA_DRIVER_OK)
      throw DeviceError(outcome.status,
                        outcome.message + layers_at_fault(step_.program, outcome, entry.first_insn));
    add(sum, outcome.counters);
  }
  return sum;
}

}  // namespace vdla::runtime
