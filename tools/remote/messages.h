// SPDX-License-Identifier: Apache-2.0
// Messages between a desk and the server of a board, as plain structs: grpc/board.proto has the same for the
// wire. Nothing here knows gRPC.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/remote/access.h"
#include "runtime/device/device_facts.h"
#include "runtime/device/recording.h"
#include "runtime/session/session.h"

namespace vdla::remote {

/// Bytes of a module that travel in one message.
inline constexpr std::size_t kPartBytes = 256 << 10;
/// Longest message to a server: the inputs of a run.
inline constexpr std::size_t kMaxRequestBytes = 64 << 20;
/// Longest message from a server: outputs, and a timeline where one is asked for.
inline constexpr std::size_t kMaxReplyBytes = 512 << 20;
inline constexpr unsigned kDefaultPort = 50551;

/// How a call ended.
enum class Code : std::uint8_t {
  Ok,
  Refused,      ///< refused by the server; the text is the whole sentence
  Missing,      ///< the server's cache does not have the module
  Unreachable,  ///< no connection, or it was cut
  Late,         ///< the desk's deadline was over
  Cancelled,    ///< cancelled by the desk
};
struct Status {
  Code code = Code::Ok;
  std::string text;
  bool ok() const { return code == Code::Ok; }
};

/// Facts of a server, for every desk.
struct Facts {
  std::string device{};   ///< as kit::Session names it: "rtl", "UIO device vdla"
  std::string variant{};  ///< its label; empty: of a device, which says its geometry
  runtime::DeviceFacts about{};
  bool has_time = false;
  std::string holder{};            ///< name of the lease's holder; empty: free
  std::uint32_t seconds_left = 0;  ///< rest of its time
  bool can_flash = false;
  std::uint64_t max_upload = 0;  ///< bytes of the largest module that is taken
};

struct LeaseRequest {
  std::string who;  ///< name that the desk gives itself, for people: "ann@desk"
  std::uint32_t seconds = 0;
};
struct LeaseGrant {
  std::string token;  ///< word that the other calls of this lease need
  std::uint32_t seconds = 0;
};

struct UploadHead {
  std::string token;
  std::string sha256;  ///< hash of the file, 64 lower-case hexadecimal digits
  std::uint64_t bytes = 0;
};

/// Options of a run that its desk decides.
struct RunOptions {
  std::uint32_t threads = 1;
  std::uint32_t stall_limit = 0;
  std::uint64_t timeout = 0;
  bool interpret = false, verify = false;
  std::uint32_t timeline = 0;  ///< code of its form (sim/timeline/form.h); 0: none
  bool cycles_only = false;    ///< steps on the CPU, and an engine's values, are left out
  bool operator==(const RunOptions&) const = default;
};
struct RunRequest {
  std::string token;
  std::string sha256;  ///< hash of a module in the cache
  RunOptions options;
  std::vector<runtime::Bytes> inputs;  ///< inputs in the model's own types
};

/// A run that the device did not finish.
struct FailedRun {
  std::string message;           ///< the driver's sentence
  std::string text;              ///< message with what each unit was doing, for people
  std::string post_mortem_json;  ///< for machines; empty: nothing could be read of the device
  std::shared_ptr<const runtime::Recording> recording;  ///< null: the same
};
struct RunReply {
  std::optional<FailedRun> failed;
  runtime::Result result;  ///< outputs in the model's own types
  std::string timeline;    ///< bytes of its file
};

/// Actions that the owner of a server has set up for leases.
enum class Hook : std::uint8_t { Reset, Flash };
struct HookRequest {
  std::string token;
  Hook hook = Hook::Reset;
};
struct HookReply {
  std::string text;  ///< report of what was done
};

/// A call of the device's transport, for bring-up.
struct AccessCall {
  std::string token;
  driver::AccessRequest request{};
};

}  // namespace vdla::remote
