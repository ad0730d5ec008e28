// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/testbench.h"

#include <cstring>

#include "support/error.h"

namespace vdla::sim {
namespace {

constexpr std::uint8_t kOkay = 0, kSlaveError = 2;
constexpr int kResetCycles = 4;
constexpr int kRegisterAccessLimit = 1000;

void check_state(const RtlOptions& options, std::uint64_t seed) {
  VDLA_CHECK_USER(seed == 0 || options.build != RtlBuild::Fast)
      << "a random state needs another build of the RTL engine than fast, check for example";
}

/// Refuses what this build of the machine cannot write.
const RtlOptions& checked_options(const RtlOptions& options) {
  VDLA_CHECK_USER(!options.waves || options.build == RtlBuild::Trace)
      << "waveforms need build trace of the RTL engine, this one is " << to_string(options.build);
  check_state(options, options.state);
  VDLA_CHECK_USER(!options.directory.empty())
      << "the RTL engine needs the folder of its libraries, none is given; kit/rtl.h finds it";
  VDLA_CHECK_USER(options.coverage_file.empty() || options.build == RtlBuild::Coverage)
      << "a coverage file needs build coverage of the RTL engine, this one is " << to_string(options.build);
  return options;
}

}  // namespace

Testbench::Testbench(const isa::Variant& variant, const RtlOptions& options, Memory& memory)
    : options_(checked_options(options)),
      dram_config_(dram::make_machine_config(variant.timing)),
      memory_(memory),
      model_(variant, options.directory, options.build, options.state),
      dram_(dram_config_) {
  if (!options_.coverage_file.empty()) coverage_.emplace(options_.coverage_file.string());
  if (options_.waves) waves_.emplace(*options_.waves, model_);
  reset();
}

void Testbench::reset() {
  in_.rst = 1;
  for (int i = 0; i < kResetCycles; ++i) tick();
  in_.rst = 0;
  tick();
}

void Testbench::power_up(std::uint64_t seed) {
  VDLA_CHECK(!waves_) << "a machine whose waveforms are written cannot be another one";
  check_state(options_, seed);
  model_.power_up(seed);
  disturbance_ = {};
  chance_ = 0;
  out_ = {};
  clear_bus();
  reset();
}

void Testbench::hard_reset() {
  clear_bus();
  reset();
}

void Testbench::clear_bus() {
  dram_ = dram::CyclePort(dram_config_);
  in_ = {};
  read_tag_ = ~0u;
  read_beat_.reset();
  write_beat_.reset();
}

Testbench::~Testbench() {
  if (!coverage_) return;
  try {
    model_.write_coverage(coverage_->file());
    coverage_->keep();
  } catch (const UserError&) {
    // No caller is left to tell; the constructor has seen that the file can be written.
  }
}

std::uint32_t Testbench::remember(const BusBurst& burst) {
  const std::uint32_t tag = next_tag_++;
  bursts_[tag % bursts_.size()] = burst;
  write_failed_[tag % bursts_.size()] = false;
  return tag;
}

void Testbench::finish(std::uint32_t tag) {
  if (on_burst) on_burst(bursts_[tag % bursts_.size()]);
}

void Testbench::disturb(const Disturbance& disturbance) {
  if (disturbance.inside != 0 || disturbance_.inside != 0) {
    VDLA_CHECK_USER(model_.set_stalls(disturbance.seed, disturbance.inside) != 0)
        << "handshakes inside the machine cannot be held back: the library of the RTL engine was built "
           "without checks";
  }
  disturbance_ = disturbance;
  chance_state_ = disturbance.seed;
  chance_ = ~std::uint64_t{0};
}

/// splitmix64.
void Testbench::draw() {
  std::uint64_t z = chance_state_ += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  chance_ = z ^ (z >> 31);
}

/// Whether the beat that is due waits. Once offered it stays.
bool Testbench::read_data_held() {
  const bool offered = in_.axi_rvalid != 0 && out_.axi_rready == 0;
  if (offered) return false;
  if (read_beat_->tag != read_tag_) {
    read_tag_ = read_beat_->tag;
    read_not_before_ = now_ + (disturbance_.latency == 0 ? 0 : (chance_ >> 48) % (disturbance_.latency + 1));
  }
  return now_ < read_not_before_ || held(Channel::ReadData);
}

void Testbench::drive_bus() {
  if (disturbance_.any()) draw();
  in_.axi_arready = dram_.read_ready(now_) && !held(Channel::ReadAddress);
  read_beat_ = dram_.read_data(now_);
  if (read_beat_ && read_data_held()) read_beat_.reset();
  in_.axi_rvalid = read_beat_.has_value();
  if (read_beat_) {
    const std::uint64_t address = beat_address(read_beat_->tag, read_beat_->index);
    const std::byte* bytes = memory_.find(address, dram::kBusBytes);
    in_.axi_rresp = bytes != nullptr ? kOkay : kSlaveError;
    in_.axi_rlast = read_beat_->last;
    in_.axi_rdata = 0;
    if (bytes != nullptr) std::memcpy(&in_.axi_rdata, bytes, dram::kBusBytes);
  }
  in_.axi_awready = !held(Channel::WriteAddress);
  write_beat_ = dram_.write_data(now_);
  if (held(Channel::WriteData)) write_beat_.reset();
  in_.axi_wready = write_beat_.has_value();
  const auto response = held(Channel::Response) ? std::nullopt : dram_.write_response(now_);
  in_.axi_bvalid = response.has_value();
  if (response) in_.axi_bresp = write_failed_[*response % bursts_.size()] ? kSlaveError : kOkay;
}

void Testbench::take_bus() {
  if (in_.rst != 0) return;  // signals on the bus before the first edge of a reset are none
  if (out_.axi_arvalid && in_.axi_arready) {
    const unsigned beats = out_.axi_arlen + 1u;
    dram_.read_address(now_, remember({out_.axi_araddr, beats, false, out_.read_load != 0, now_}), beats);
  }
  if (read_beat_ && out_.axi_rready) {
    dram_.take_read_data(now_);
    if (read_beat_->last) finish(read_beat_->tag);
  }
  if (write_beat_ && out_.axi_wvalid) {
    VDLA_CHECK(write_beat_->last == (out_.axi_wlast != 0))
        << "the last beat of a write burst is not where its length says";
    const std::uint64_t address = beat_address(write_beat_->tag, write_beat_->index);
    const auto strobes = out_.axi_wstrb;
    std::byte* bytes = memory_.find(address, dram::kBusBytes);
    if (bytes == nullptr) {
      write_failed_[write_beat_->tag % bursts_.size()] = true;
    } else {
      for (unsigned i = 0; i < dram::kBusBytes; ++i)
        if (strobes >> i & 1u) bytes[i] = static_cast<std::byte>(out_.axi_wdata >> (8 * i));
    }
    if (on_write) on_write(address, strobes, write_beat_->last);
    dram_.take_write_data(now_);
    if (write_beat_->last) finish(write_beat_->tag);
  }
  if (in_.axi_bvalid && out_.axi_bready) dram_.take_write_response();
  if (out_.axi_awvalid && in_.axi_awready) {
    const unsigned beats = out_.axi_awlen + 1u;
    dram_.write_address(now_, remember({out_.axi_awaddr, beats, true, false, now_}), beats);
  }
}

void Testbench::tick() {
  std::optional<Uninterrupted> held;
  if (waves_) waves_->begin_cycle(now_, held.emplace());
  drive_bus();
  model_.settle(in_, out_);
  if (waves_) waves_->settled();
  if (on_cycle) on_cycle();
  take_bus();
  model_.clock();
  if (on_edge) on_edge();
  ++now_;
}

std::uint32_t Testbench::read_register(std::uint32_t offset) {
  in_.axil_arvalid = 1;
  in_.axil_araddr = static_cast<std::uint16_t>(offset);
  for (int i = 0; i < kRegisterAccessLimit; ++i) {
    in_.axil_rready = !held(Channel::Registers);
    tick();
    if (in_.axil_arvalid && out_.axil_arready) in_.axil_arvalid = 0;
    if (out_.axil_rvalid && in_.axil_rready) return in_.axil_rready = 0, out_.axil_rdata;
  }
  VDLA_CHECK(false) << "register read at " << offset << " is not answered";
  return 0;
}

void Testbench::write_register(std::uint32_t offset, std::uint32_t value) {
  in_.axil_awvalid = 1;
  in_.axil_awaddr = static_cast<std::uint16_t>(offset);
  in_.axil_wdata = value;
  in_.axil_wstrb = 0xf;
  bool accepted = false;
  for (int i = 0; i < kRegisterAccessLimit; ++i) {
    // The two halves of a write may come apart.
    if (!accepted && in_.axil_wvalid == 0) in_.axil_wvalid = !held(Channel::Registers);
    in_.axil_bready = !held(Channel::Registers);
    tick();
    if (in_.axil_awvalid && out_.axil_awready) {
      in_.axil_awvalid = in_.axil_wvalid = 0;
      accepted = true;
    }
    if (out_.axil_bvalid && in_.axil_bready) {
      in_.axil_bready = 0;
      return;
    }
  }
  VDLA_CHECK(false) << "register write at " << offset << " is not answered";
}

}  // namespace vdla::sim
