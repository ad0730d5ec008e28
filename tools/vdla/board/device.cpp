// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/board/device.h"

#include <fmt/format.h>

#include "isa/variants/variants.h"
#include "kit/device_variant.h"
#include "kit/engine.h"
#include "support/error.h"
#include "tools/vdla/common/variant_name.h"

namespace vdla::tools {

void BoardDeviceFlags::add_to(CLI::App& command) {
  command.add_option("--variant", variant, std::string(kVariantHelp) + "; default: the board's, or tiny");
  engine.add_to(command);
  engine_option = command.get_option("--engine");
  uio.add_to(command);
  xrt.add_to(command);
}

void BoardDeviceFlags::add_to_reader(CLI::App& command) {
  add_to(command);
  command.add_option("--recorded", recorded, "Folder of vdla board postmortem in place of a device")
      ->excludes("--engine")
      ->excludes("--uio")
      ->excludes("--xrt")
      ->excludes(add_remote_to(command));
}

CLI::Option* BoardDeviceFlags::add_remote_to(CLI::App& command) { return remote.add_to(command); }

void BoardDeviceFlags::require_device(const char* instead) const {
  VDLA_CHECK_USER(own() || remote.given() || !recorded.empty() || engine_option->count() > 0)
      << "no device is named, and an engine that was just made has run nothing; needs --uio vdla on the "
         "board ("
      << instead << ")";
}

void BoardDeviceFlags::refuse_variant_of_device() const {
  VDLA_CHECK_USER(variant.empty() || !(own() || remote.given() || !recorded.empty()))
      << "--variant " << variant << " says which engine is made, and here a device is named; leave it out";
}

isa::Variant BoardDeviceFlags::wanted_variant() const {
  return named_variant(variant.empty() ? "tiny" : variant);
}

BoardDevice::BoardDevice(const BoardDeviceFlags& flags, kit::UioUse use) : wanted_variant_(flags.variant) {
  if (!flags.recorded.empty()) {
    post_mortem_ = read_post_mortem(flags.recorded);
    recorded_ = std::make_unique<runtime::RecordedDevice>(*post_mortem_.recording);
    transport_ = recorded_->transport();
    name_ = fmt::format("{}, {}", flags.recorded, post_mortem_.device);
    return;
  }
  if (flags.xrt.given()) {
    xrt_ = std::make_unique<kit::XrtDevice>(
        flags.xrt.options(use == kit::UioUse::Keep || use == kit::UioUse::Look));
    transport_ = xrt_->transport();
    name_ = xrt_->name();
    return;
  }
  if (flags.remote.given()) {
    board_ = std::make_unique<RemoteBoard>(flags.remote);
    driver::TransportFacts facts;
    const std::string token = board_->take();
    board_->require(board_->client().attach(token, facts, board_->time_limit()));
    remote_ =
        std::make_unique<driver::RemoteTransport>(facts, [this, token](const driver::AccessRequest& request) {
          driver::AccessReply reply;
          try {
            board_->require(board_->client().access({token, request}, reply, board_->time_limit()));
          } catch (const UserError& e) {
            reply.error = e.what();  // the driver is C
          }
          return reply;
        });
    transport_ = remote_->transport();
    name_ = fmt::format("{} of board {}", board_->facts().device, board_->host().text());
    return;
  }
  if (!flags.uio.given()) {
    const isa::Variant variant = flags.wanted_variant();
    engine_ = kit::make_engine(flags.engine.engine, variant, flags.engine.options());
    sim_ = std::make_unique<driver::SimTransport>(*engine_);
    transport_ = sim_->transport();
    name_ = fmt::format("engine {}, {}", engine_->name(), isa::label(variant));
    return;
  }
  uio_ = std::make_unique<kit::UioDevice>(flags.uio.options(use));
  transport_ = uio_->transport();
  name_ = uio_->name();
}

isa::Variant BoardDevice::variant() const {
  if (!wanted_variant_.empty()) return named_variant(wanted_variant_);
  return kit::variant_of(runtime::read_facts(*transport_));
}

MemoryOfDevice BoardDevice::memory() const {
  VDLA_CHECK_USER(!xrt_) << name_
                         << " has memory that XRT gives out block by block, where it wants; vdla board "
                         << "selftest --xrt tests it";
  if (engine_) return {.first = engine_->memory_base(), .bytes = engine_->memory_size()};
  return {transport_->dma_first, transport_->dma_bytes, transport_->dma_bits, transport_->cache_line};
}

}  // namespace vdla::tools
