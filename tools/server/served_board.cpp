// SPDX-License-Identifier: Apache-2.0
#include "tools/server/served_board.h"

#include <utility>

#include "isa/variants/variants.h"
#include "support/error.h"
#include "tools/common/post_mortem.h"
#include "tools/remote/stoppable.h"

namespace vdla::server {
namespace {

/// Takes the place of a kernel whose values are not wanted.
runtime::HostKernel leave(const runtime::HostStep&) {
  return [](std::span<void* const>) {};
}

class LoadedOnBoard final : public remote::Loaded {
 public:
  LoadedOnBoard(runtime::Module module, const vdla_transport* device, const remote::RunOptions& wanted,
                std::function<std::string()> why)
      : stoppable_(device, std::move(why)),
        session_(std::move(module), stoppable_.transport(),
                 {.interpreter = wanted.cycles_only ? leave : runtime::HostKernelFactory(),
                  .threads = wanted.threads,
                  .interpret = wanted.cycles_only,
                  .adapt = false,  // the choices are not looked at there
                  .timeout = wanted.timeout,
                  .verify = wanted.verify,
                  .stall_limit = wanted.stall_limit}) {}

  remote::RunReply run(const std::vector<runtime::Bytes>& inputs) override {
    session_.reset_state();
    return tools::reply_of(session_, inputs);
  }
  std::string timeline() override { return ""; }

 private:
  remote::StoppableTransport stoppable_;
  runtime::Session session_;
};

}  // namespace

ServedBoard::ServedBoard(const runner::DeviceChoice& choice, const isa::Variant& variant)
    : device_(runner::open(choice, variant)), transport_(device_.with_memory()) {
  facts_.about = remote::begin_with(transport_, device_.name);
  facts_.device = choice.engine.empty() ? device_.name : choice.engine;
  if (!choice.engine.empty()) facts_.variant = isa::label(variant);
  facts_.has_time = !device_.engine;
}

remote::Facts ServedBoard::facts() { return facts_; }

std::unique_ptr<remote::Loaded> ServedBoard::load(runtime::Module module, const remote::RunOptions& wanted,
                                                  std::function<std::string()> why) {
  VDLA_CHECK_USER(wanted.timeline == 0)
      << "--timeline needs an engine with cycles, the board has " << facts_.device;
  VDLA_CHECK_USER(!wanted.interpret) << "--interpret needs a server with an interpreter, vdla board serve";
  return std::make_unique<LoadedOnBoard>(std::move(module), &transport_, wanted, std::move(why));
}

}  // namespace vdla::server
