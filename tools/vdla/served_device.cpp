// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/served_device.h"

#include <fmt/format.h>

#include <sstream>

#include "isa/spec/version.h"
#include "isa/variants/variants.h"
#include "kit/session.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "tools/remote/stoppable.h"
#include "tools/vdla/post_mortem.h"

namespace vdla::tools {
namespace {

/// A session, with what it needs to be stopped and to write its timeline.
class LoadedModule final : public remote::Loaded {
 public:
  explicit LoadedModule(std::function<std::string()> why) : why_(std::move(why)) {}

  kit::SessionOptions session_options(const remote::RunOptions& wanted) {
    kit::SessionOptions options{.costs = true,
                                .verify = wanted.verify,
                                .timeline = wanted.timeline ? &timeline_ : nullptr,
                                .threads = wanted.threads,
                                .interpret = wanted.interpret,
                                .limits = {wanted.stall_limit, wanted.timeout}};
    options.through = [this](const vdla_transport* device) {
      stoppable_.emplace(device, why_);
      return stoppable_->transport();
    };
    return options;
  }
  template <class... Arguments>
  void begin(Arguments&&... arguments) {
    session_.emplace(std::forward<Arguments>(arguments)...);
  }

  runtime::Result run(const std::vector<runtime::Bytes>& inputs) override {
    return session_->run_model(inputs);
  }
  std::string timeline() override {
    session_->end_timeline();
    return timeline_.str();
  }

 private:
  std::function<std::string()> why_;
  std::ostringstream timeline_;
  std::optional<remote::StoppableTransport> stoppable_;
  std::optional<kit::Session> session_;  // goes first
};

}  // namespace

ServedDevice::ServedDevice(const BoardDeviceFlags& flags) : flags_(flags) {
  if (!flags.own()) {
    variant_ = isa::load_variant(flags.variant.empty() ? "tiny" : flags.variant);
    kit::make_engine(flags.engine.engine, *variant_,
                     flags.engine.options());  // refuses now what cannot be had
    name_ = "engine " + flags.engine.engine;
    identity_ = {isa::kIsaVersion, isa::geometry_hash(variant_->geometry)};
    return;
  }
  VDLA_CHECK_USER(flags.variant.empty()) << "--variant chooses an engine's machine, a device of this machine "
                                            "says itself what it is; leave it out";
  open();
}

/// An engine is made for each module that is loaded.
void ServedDevice::open() {
  if (!flags_.own()) return;
  own_ = std::make_unique<BoardDevice>(flags_);
  name_ = own_->name();
  vdla_device device{};
  const auto call = [&](vdla_driver_status status) {
    VDLA_CHECK_USER(status == VDLA_DRIVER_OK) << name_ << ": " << device.message;
  };
  call(vdla_probe(&device, own_->transport()));
  call(vdla_reset(&device));
  identity_ = device.identity;
}

remote::Facts ServedDevice::facts() {
  remote::Facts facts;
  facts.device = variant_ ? flags_.engine.engine : name_;  // as kit::Session names them
  if (variant_) facts.variant = isa::label(*variant_);
  facts.isa_version = identity_.isa_version;
  facts.geometry_hash = identity_.geometry_hash;
  facts.has_time = flags_.own() || flags_.engine.engine != "functional";
  return facts;
}

/// An engine would be made for any module; the one that is served has its geometry.
void ServedDevice::require_fit(const runtime::Module& module) const {
  const std::uint64_t hash = isa::geometry_hash(module.variant.geometry);
  VDLA_CHECK_USER(!runtime::needs_device(module) || hash == identity_.geometry_hash)
      << "'" << module.model_name << "' is for variant " << isa::label(module.variant) << " (geometry "
      << fmt::format("{:016x}", hash) << "), the board has geometry "
      << fmt::format("{:016x}", identity_.geometry_hash);
}

std::unique_ptr<remote::Loaded> ServedDevice::load(runtime::Module module, const remote::RunOptions& wanted,
                                                   std::function<std::string()> why) {
  auto loaded = std::make_unique<LoadedModule>(std::move(why));
  kit::SessionOptions options = loaded->session_options(wanted);
  require_fit(module);
  if (variant_) {
    VDLA_CHECK_USER(!wanted.timeline || facts().has_time)
        << "--timeline needs an engine with cycles, the board has " << name_;
    options.engine = flags_.engine.options();
    module.variant.timing = variant_->timing;
    loaded->begin(std::move(module), flags_.engine.engine, options);
  } else {
    VDLA_CHECK_USER(own_ != nullptr) << name_
                                     << " did not come back after the last reset or flash; try that again";
    loaded->begin(std::move(module), own_->transport(), name_, options);
  }
  return loaded;
}

remote::FailedRun ServedDevice::describe(const runtime::DeviceError& error) {
  if (error.post_mortem() == nullptr) return {error.what(), error.what(), "", nullptr};
  return {error.what(), to_text(*error.post_mortem()), json_dump(to_json(*error.post_mortem()), 0),
          error.post_mortem()->recording};
}

const vdla_transport* ServedDevice::attach() {
  if (variant_) {
    direct_ = std::make_unique<BoardDevice>(flags_);
    const MemoryOfDevice memory = direct_->memory();
    direct_transport_ = *direct_->transport();
    direct_transport_.dma_first = memory.first;
    direct_transport_.dma_bytes = memory.bytes;
    return &direct_transport_;
  }
  VDLA_CHECK_USER(own_ != nullptr) << name_
                                   << " did not come back after the last reset or flash; try that again";
  return own_->transport();
}

void ServedDevice::reopen(const std::function<void()>& work) {
  own_.reset();
  work();
  open();
}

}  // namespace vdla::tools
