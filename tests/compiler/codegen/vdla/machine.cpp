// SPDX-License-Identifier: Apache-2.0
// A machine out of isa/semantics.
#include "tests/compiler/codegen/vdla/machine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <stdexcept>

#include "isa/codec/codec.h"
#include "isa/codec/members.h"
#include "isa/semantics/execute.h"

namespace vdla::codegen::testing {
namespace {

/// Windows lie one after the other.
class FlatMemory : public isa::Memory {
 public:
  FlatMemory(const isa::Program& program, WindowData& data) : data_(data) {
    contents_.resize(isa::kWindowCount);
    contents_[static_cast<std::size_t>(isa::Window::Uop)] = isa::uop_image(program);
    contents_[static_cast<std::size_t>(isa::Window::Const)] = program.constants;
    for (std::size_t w = 0; w < isa::kWindowCount; ++w) {
      if (w >= 3) contents_[w] = data[w];
      windows[w] = {bytes_.size(), contents_[w].size()};
      bytes_.insert(bytes_.end(), contents_[w].begin(), contents_[w].end());
    }
  }
  ~FlatMemory() override {
    for (std::size_t w = 3; w < isa::kWindowCount; ++w) {
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(windows[w].base), data_[w].size(),
                  data_[w].begin());
    }
  }
  bool read(std::uint64_t address, std::span<std::byte> bytes) override {
    if (address + bytes.size() > bytes_.size()) return false;
    std::memcpy(bytes.data(), bytes_.data() + address, bytes.size());
    return true;
  }
  bool write(std::uint64_t address, std::span<const std::byte> bytes) override {
    if (address + bytes.size() > bytes_.size()) return false;
    std::memcpy(bytes_.data() + address, bytes.data(), bytes.size());
    return true;
  }

  isa::Windows windows{};

 private:
  WindowData& data_;
  std::vector<Bytes> contents_;
  Bytes bytes_;
};

void execute(const isa::Program& program, std::size_t i, isa::Sram& sram, FlatMemory& memory) {
  if (const isa::Rule* rule = isa::find_broken_rule(program.insns[i], program.geometry)) {
    throw std::runtime_error("instruction " + std::to_string(i) + " breaks rule " + std::string(rule->name));
  }
  if (const auto fault = isa::execute(program.insns[i], sram, memory.windows, memory)) {
    throw std::runtime_error("instruction " + std::to_string(i) + " faults with code " +
                             std::to_string(static_cast<int>(fault->code)) + " at " +
                             std::to_string(fault->address));
  }
}

struct Running {
  std::size_t insn;
  bool done = false;  ///< has taken effect
};

/// Fetch, four queues, twelve channels.
class Units {
 public:
  Units(const isa::Program& program, WindowData& data, std::mt19937& random)
      : program_(program), memory_(program, data), sram_(program.geometry), random_(random) {}

  void run() {
    while (next_ + 1 < program_.insns.size() || busy()) {
      std::vector<int> moves = possible();
      if (moves.empty()) throw std::runtime_error("deadlock: " + state());
      make(moves[std::uniform_int_distribution<std::size_t>(0, moves.size() - 1)(random_)]);
    }
  }

 private:
  bool busy() const {
    for (std::size_t u = 0; u < isa::kQueueUnits; ++u) {
      if (!queues_[u].empty() || running_[u]) return true;
    }
    return false;
  }

  std::size_t unit_of(std::size_t i) const {
    return static_cast<std::size_t>(isa::unit_of(program_.insns[i]));
  }

  bool can_start(std::size_t u) const {
    if (running_[u] || queues_[u].empty()) return false;
    const unsigned pops = isa::pops_of(program_.insns[queues_[u].front()]);
    for (std::size_t from = 0; from < isa::kQueueUnits; ++from) {
      if ((pops >> from & 1u) && channels_[from][u] == 0) return false;
    }
    return true;
  }

  bool can_end(std::size_t u) const {
    if (!running_[u] || !running_[u]->done) return false;
    const unsigned pushes = isa::pushes_of(program_.insns[running_[u]->insn]);
    for (std::size_t to = 0; to < isa::kQueueUnits; ++to) {
      if ((pushes >> to & 1u) && channels_[u][to] >= program_.geometry.token_depth) return false;
    }
    return true;
  }

  /// 0: fetch; 1 + 3 u + k: unit u starts, takes effect, ends.
  std::vector<int> possible() const {
    std::vector<int> moves;
    if (next_ + 1 < program_.insns.size() && queues_[unit_of(next_)].size() < program_.geometry.queue_depth)
      moves.push_back(0);
    for (std::size_t u = 0; u < isa::kQueueUnits; ++u) {
      const int base = 1 + 3 * static_cast<int>(u);
      if (can_start(u)) moves.push_back(base);
      if (running_[u] && !running_[u]->done) moves.push_back(base + 1);
      if (can_end(u)) moves.push_back(base + 2);
    }
    return moves;
  }

  void make(int move) {
    if (move == 0) {
      queues_[unit_of(next_)].push_back(next_);
      ++next_;
      return;
    }
    const auto u = static_cast<std::size_t>((move - 1) / 3);
    switch ((move - 1) % 3) {
      case 0: {
        running_[u] = Running{queues_[u].front()};
        queues_[u].pop_front();
        const unsigned pops = isa::pops_of(program_.insns[running_[u]->insn]);
        for (std::size_t from = 0; from < isa::kQueueUnits; ++from) channels_[from][u] -= pops >> from & 1u;
        break;
      }
      case 1:
        execute(program_, running_[u]->insn, sram_, memory_);
        running_[u]->done = true;
        break;
      default: {
        const unsigned pushes = isa::pushes_of(program_.insns[running_[u]->insn]);
        for (std::size_t to = 0; to < isa::kQueueUnits; ++to) channels_[u][to] += pushes >> to & 1u;
        running_[u].reset();
      }
    }
  }

  std::string state() const {
    std::string text = "next " + std::to_string(next_);
    for (std::size_t u = 0; u < isa::kQueueUnits; ++u) {
      if (!queues_[u].empty())
        text += ", unit " + std::to_string(u) + " waits with " + std::to_string(queues_[u].front());
    }
    return text;
  }

  const isa::Program& program_;
  FlatMemory memory_;
  isa::Sram sram_;
  std::mt19937& random_;
  std::size_t next_ = 0;
  std::array<std::deque<std::size_t>, isa::kQueueUnits> queues_;
  std::array<std::optional<Running>, isa::kQueueUnits> running_;
  std::array<std::array<unsigned, isa::kQueueUnits>, isa::kQueueUnits> channels_{};
};

}  // namespace

WindowData make_windows(const isa::Program& program) {
  WindowData data(isa::kWindowCount);
  for (std::size_t w = 0; w < isa::kWindowCount; ++w) data[w].resize(program.data_window_sizes[w]);
  return data;
}

void run_in_order(const isa::Program& program, WindowData& data) {
  FlatMemory memory(program, data);
  isa::Sram sram(program.geometry);
  for (std::size_t i = 0; i < program.insns.size(); ++i) execute(program, i, sram, memory);
}

void run_units(const isa::Program& program, WindowData& data, std::mt19937& random) {
  Units(program, data, random).run();
}

isa::Program finish_verified(SegmentBuilder& segment) {
  return segment.finish([](const StreamPass&, const Stream&) {});
}

std::string to_text(const isa::Program& program) {
  std::string text;
  for (const isa::Insn& insn : program.insns) {
    text += isa::to_string(isa::opcode_of(insn));
    std::visit(
        [&](const auto& i) {
          isa::visit_members(i, [&](std::string_view name, const auto& member) {
            const auto value = static_cast<std::int64_t>(member);
            const bool plain = name.find("count") != std::string_view::npos || name == "run";
            if (value != (plain ? 1 : 0)) text += " " + std::string(name) + "=" + std::to_string(value);
          });
        },
        insn);
    text += "\n";
  }
  return text;
}

}  // namespace vdla::codegen::testing
