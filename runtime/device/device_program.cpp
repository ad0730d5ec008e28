// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device_program.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "isa/codec/codec.h"
#include "isa/timing/estimate.h"
#include "isa/timing/work.h"
#include "runtime/device/post_mortem.h"

namespace vdla::runtime {
namespace {

constexpr std::size_t kQueueUnits = VDLA_UNITS_WITH_QUEUE;

void add(vdla_counters& sum, const vdla_counters& part) {
  sum.cycles += part.cycles;
  sum.read_bytes += part.read_bytes;
  sum.write_bytes += part.write_bytes;
  for (std::size_t unit = 0; unit < kQueueUnits; ++unit) {
    sum.busy[unit] += part.busy[unit];
    sum.token_stall[unit] += part.token_stall[unit];
  }
}

/// The driver's sentence, and the layers of the instructions that it speaks of.
std::string with_layers(const PostMortem& post_mortem) {
  std::string text = post_mortem.message;
  std::set<std::uint32_t> said;
  const auto say = [&](const InsnReport& at) {
    if (at.source.empty() || !said.insert(at.index).second) return;
    text += fmt::format("; instruction {} is of {}", at.index, at.source);
  };
  if (post_mortem.error) {
    say(post_mortem.error->at);
  } else {
    for (const UnitReport& unit : post_mortem.units)
      if (unit.state.has_insn && unit.unit != kQueueUnits) say(unit.at);
  }
  return text;
}

}  // namespace

std::vector<vdla_launch> launches_of(const isa::Program& program, std::uint32_t stall_limit) {
  std::vector<isa::EntryPoint> entries = program.entries;
  if (entries.empty())
    entries = {
        {.name = "all", .first_insn = 0, .insn_count = static_cast<std::uint32_t>(program.insns.size())}};
  std::vector<vdla_launch> launches;
  for (const isa::EntryPoint& entry : entries) {
    const isa::Insn& last = program.insns.at(entry.first_insn + entry.insn_count - 1);
    launches.push_back({.insn_offset = entry.first_insn * isa::kInsnBytes,
                        .insn_count = entry.insn_count,
                        .sequence = std::get<isa::FinishInsn>(last).sequence,
                        .stall_limit = stall_limit});
  }
  return launches;
}

Bytes image_of(const isa::Program& program, isa::Window window) {
  if (window == isa::Window::Insn) return isa::insn_image(program);
  if (window == isa::Window::Uop) return isa::uop_image(program);
  if (window == isa::Window::Const) return program.constants;
  return {};
}

Bytes image_of(std::span<const isa::InsnWords> words) {
  Bytes bytes(words.size() * isa::kInsnBytes);
  for (std::size_t i = 0; i < words.size(); ++i)
    isa::words_to_bytes(words[i], std::span(bytes).subspan(i * isa::kInsnBytes).first<isa::kInsnBytes>());
  return bytes;
}

vdla_launch launch_of(std::span<const isa::InsnWords> words, std::uint32_t stall_limit) {
  const auto last = words.empty() ? std::nullopt : isa::try_decode(words.back());
  const auto* finish = last ? std::get_if<isa::FinishInsn>(&*last) : nullptr;
  return {.insn_offset = 0,
          .insn_count = static_cast<std::uint32_t>(words.size()),
          .sequence = finish != nullptr ? finish->sequence : 0,
          .stall_limit = stall_limit};
}

std::uint64_t predicted_cycles(std::span<const isa::InsnWords> words, const isa::Geometry& geometry,
                               const isa::Timing& timing) {
  std::vector<isa::Insn> legal;
  for (const isa::InsnWords& w : words)
    if (!isa::find_broken_rule(w, geometry)) legal.push_back(isa::decode(w, geometry));
  return predicted_cycles(legal, geometry, timing);
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

std::uint64_t predicted_cycles(std::span<const isa::Insn> insns, const isa::Geometry& geometry,
                               const isa::Timing& timing) {
  const isa::MemoryCosts costs(timing);
  double sum = static_cast<double>(insns.size()) * isa::start_latency(timing);
  for (const isa::Insn& insn : insns) {
    const auto steps = static_cast<double>(isa::steps_of(insn));
    if (std::holds_alternative<isa::GemmInsn>(insn)) sum += isa::gemm_cycles(steps, 1);
    if (std::holds_alternative<isa::VectorInsn>(insn)) sum += isa::vector_cycles(steps, 1);
    const auto* move = std::get_if<isa::MemoryInsn>(&insn);
    if (!move) continue;
    const isa::Stretches runs = isa::stretches_of(*move, geometry);
    const double entries = 1.0 * move->x_total() * move->y_total() * move->z_count * move->run;
    sum += costs.move(static_cast<std::int64_t>(runs.number()), static_cast<std::int64_t>(runs.bytes));
    sum +=
        entries * static_cast<double>(isa::piece_bytes_of(*move, geometry));  // at a byte a cycle into SRAM
  }
  return sum < 1e18 ? static_cast<std::uint64_t>(sum) : std::uint64_t{1} << 60;
}

DeviceProgram::DeviceProgram(Device& device, const DeviceStep& step, const isa::Timing& timing)
    : device_(device),
      step_(step),
      predicted_cycles_(predicted_cycles(step.program.insns, step.program.geometry, timing)) {
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    const std::uint64_t bytes = step.program.window_size(static_cast<isa::Window>(w));
    if (bytes > 0) windows_[w] = device.allocate(bytes, step.places[w]);
  }
}

void DeviceProgram::write(const DeviceTensor& place, const Tensor& tensor, const std::byte* from) {
  window(place.window)
      .write_by(place.offset, static_cast<std::uint64_t>(place.layout.bytes),
                [&](std::byte* image) { to_device(place.layout, tensor.shape, tensor.type, from, image); });
}

void DeviceProgram::read(const DeviceTensor& place, const Tensor& tensor, std::byte* to) const {
  windows_[static_cast<std::size_t>(place.window)].read_by(
      place.offset, static_cast<std::uint64_t>(place.layout.bytes),
      [&](const std::byte* image) { from_device(place.layout, tensor.shape, tensor.type, image, to); });
}

void DeviceProgram::load() {
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    const Bytes image = image_of(step_.program, static_cast<isa::Window>(w));
    if (!image.empty()) windows_[w].write(0, image);
  }
  loaded_ = true;
}

std::array<std::uint64_t, isa::kWindowCount> DeviceProgram::addresses() const {
  std::array<std::uint64_t, isa::kWindowCount> all{};
  std::ranges::transform(windows_, all.begin(), &DmaBlock::address);
  return all;
}

vdla_counters DeviceProgram::run(std::uint64_t timeout, std::uint32_t stall_limit) {
  if (!loaded_) load();
  if (timeout == 0) timeout = device_.timeout_of(predicted_cycles_);
  for (std::size_t w = 0; w < windows_.size(); ++w) device_.set_window(static_cast<unsigned>(w), windows_[w]);
  vdla_counters sum{};
  for (const vdla_launch& launch : launches_of(step_.program, stall_limit)) {
    const Device::Outcome outcome = device_.run(launch, timeout);
    if (outcome.status != VDLA_DRIVER_OK) {
      auto post_mortem = std::make_shared<PostMortem>(
          make_post_mortem(outcome, [&](std::uint32_t insn) { return insn_report(step_.program, insn); }));
      throw DeviceError(outcome.status, with_layers(*post_mortem), post_mortem);
    }
    add(sum, outcome.counters);
  }
  return sum;
}

}  // namespace vdla::runtime
