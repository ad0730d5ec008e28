// SPDX-License-Identifier: Apache-2.0
// A failed run as a user wants to see it: who waits for what since when, at which instruction, and where that
// came from.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "runtime/device/device.h"
#include "runtime/device/post_mortem.h"
#include "tools/remote/messages.h"

namespace vdla::tools {

/// Returns the message of a run that ended with `status`; a time-out gets its remedy.
std::string with_remedy(const std::string& message, vdla_driver_status status);

/// Several lines without a newline at the end.
std::string to_text(const runtime::PostMortem& post_mortem);

/// {"status", "cause", "error" (of status DEVICE), "units"}.
nlohmann::ordered_json to_json(const runtime::PostMortem& post_mortem);

/// Failed run for a desk.
remote::FailedRun failed_run_of(const runtime::DeviceError& error);

/// A run of a session as its desk gets it.
template <class Session>
remote::RunReply reply_of(Session& session, const std::vector<runtime::Bytes>& inputs) {
  remote::RunReply reply;
  try {
    reply.result = session.run_model(inputs);
  } catch (const runtime::DeviceError& e) {
    reply.failed = failed_run_of(e);
  }
  return reply;
}

}  // namespace vdla::tools
