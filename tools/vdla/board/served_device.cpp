// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/board/served_device.h"

#include <fmt/format.h>

#include <sstream>

#include "isa/variants/variants.h"
#include "kit/session.h"
#include "support/error.h"
#include "tools/common/post_mortem.h"
#include "tools/remote/stoppable.h"

namespace vdla::tools {
namespace {

/// UserError for a code that another kit may know.
timeline::Form form_of(const remote::RunOptions& wanted) {
  if (wanted.timeline == 0) return {};
  const auto form = timeline::form_of_code(wanted.timeline);
  VDLA_CHECK_USER(form.has_value())
      << "--timeline of form " << wanted.timeline
      << ": the board's kit writes forms 1 to 4, needs FILE.json or FILE.pftrace.gz";
  return *form;
}

/// A session, with what it needs to be stopped and to write its timeline.
class LoadedModule final : public remote::Loaded {
 public:
  explicit LoadedModule(std::function<std::string()> why) : why_(std::move(why)) {}

  kit::SessionOptions session_options(const remote::RunOptions& wanted) {
    kit::SessionOptions options{.costs = true,
                                .verify = wanted.verify,
                                .timeline = wanted.timeline != 0 ? &timeline_ : nullptr,
                                .timeline_form = form_of(wanted),
                                .threads = wanted.threads,
                                .host_steps = !wanted.cycles_only,
                                .interpret = wanted.interpret,
                                .adapt = false,  // the choices are not looked at there
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

  remote::RunReply run(const std::vector<runtime::Bytes>& inputs) override {
    session_->reset_state();
    return reply_of(*session_, inputs);
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
    variant_ = flags.wanted_variant();
    name_ = flags.open_engine(*variant_).name;  // refuses now what cannot be had
    about_ = runtime::simulated_facts(variant_->geometry);
    return;
  }
  VDLA_CHECK_USER(flags.variant.empty()) << "--variant chooses an engine's machine, a device of this machine "
                                            "says itself what it is; leave it out";
  own_ = flags.open_own();
  name_ = own_.name;
  about_ = remote::begin_with(*own_.transport, name_);
}

remote::Facts ServedDevice::facts() {
  remote::Facts facts;
  facts.device = variant_ ? flags_.engine.engine : name_;  // as kit::Session names them
  if (variant_) facts.variant = isa::label(*variant_);
  facts.about = about_;
  facts.has_time = flags_.own() || flags_.engine.engine != "functional";
  return facts;
}

std::unique_ptr<remote::Loaded> ServedDevice::load(runtime::Module module, const remote::RunOptions& wanted,
                                                   std::function<std::string()> why) {
  VDLA_CHECK_USER(module.gpu.empty())
      << "'" << module.model_name << "' for target '" << module.target
      << "' has programs of a GPU, and a board runs none; compile it with --target vdla or cpu";
  auto loaded = std::make_unique<LoadedModule>(std::move(why));
  kit::SessionOptions options = loaded->session_options(wanted);
  if (variant_) {
    VDLA_CHECK_USER(wanted.timeline == 0 || facts().has_time)
        << "--timeline needs an engine with cycles, the board has " << name_;
    options.engine = flags_.engine.options();
    options.engine.timing_only = wanted.cycles_only && flags_.engine.engine == "systemc";
    module.variant.timing = variant_->timing;
    loaded->begin(std::move(module), flags_.engine.engine, options);
  } else {
    loaded->begin(std::move(module), own_.transport, name_, options);
  }
  return loaded;
}

const vdla_transport* ServedDevice::attach() {
  if (!variant_) return own_.transport;
  direct_ = flags_.open_engine(*variant_);
  direct_transport_ = direct_.with_memory();
  return &direct_transport_;
}

}  // namespace vdla::tools
