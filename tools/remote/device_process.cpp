// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/device_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <new>
#include <utility>

#include "runtime/container/module_file.h"
#include "support/error.h"
#include "tools/remote/packed.h"

namespace vdla::remote {

/// Request to the process.
enum class DeviceProcess::Do : std::uint8_t { Facts, Load, Run, Timeline, Unload, Attach, Access, Detach };

namespace {

using ProcessClock = std::chrono::steady_clock;

/// How often a call that waits for the process asks whether it is to go on.
constexpr int kAskMilliseconds = 50;
/// Time that the process may take to end a run: a device stops at once, a kernel on the CPU does not ask.
constexpr std::chrono::milliseconds kEndingTime(2000);
/// Outputs and a timeline, and what is around them.
constexpr std::uint64_t kMostReplyBytes = kMaxReplyBytes + (1 << 20);

/// How a request ended, the first byte of a reply; a text follows unless it went well.
enum class Ending : std::uint8_t { Good, Refused, Fault };

bool send_bytes(int to, const void* from, std::size_t size) {
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t sent = send(to, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_bytes(int from, void* to, std::size_t size) {
  char* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = recv(from, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send_frame(int to, const std::string& frame) {
  const std::uint64_t size = frame.size();
  return send_bytes(to, &size, sizeof size) && send_bytes(to, frame.data(), frame.size());
}

bool receive_frame(int from, std::string& frame, std::uint64_t most) {
  std::uint64_t size = 0;
  if (!receive_bytes(from, &size, sizeof size) || size > most) return false;
  frame.resize(static_cast<std::size_t>(size));
  return receive_bytes(from, frame.data(), frame.size());
}

template <class... Values>
std::string packed(const Values&... values) {
  Packer pack;
  pack(values...);
  return pack.take();
}

/// Reply of `body`.
template <class Body>
std::string replied(Body body) {
  try {
    return packed(Ending::Good) + body();
  } catch (const UserError& e) {
    return packed(Ending::Refused, std::string(e.what()));
  } catch (const std::bad_alloc&) {
    return packed(Ending::Refused, std::string(kNoMemory));
  } catch (const std::exception& e) {
    return packed(Ending::Fault, std::string(e.what()));
  }
}

std::string why_end() { return Spawner::end_is_asked() ? "the server has ended the run" : ""; }

}  // namespace

/// Work of the process that has the device.
class DeviceProcess::Worker {
 public:
  explicit Worker(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  std::string answer(std::string_view request) {
    return replied([&] {
      Do what{};
      Unpacker(request.substr(0, sizeof what))(what);
      return perform(what, Unpacker(request.substr(sizeof what)));
    });
  }

 private:
  std::string perform(Do what, Unpacker unpack) {
    switch (what) {
      case Do::Facts:
        return packed(device_->facts());
      case Do::Load:
        return load(unpack);
      case Do::Run: {
        std::vector<runtime::Bytes> inputs;
        unpack(inputs);
        const RunReply reply = loaded().run(inputs);
        VDLA_CHECK_USER(!reply.failed || why_end().empty()) << why_end();
        return packed(reply);
      }
      case Do::Timeline:
        return packed(loaded().timeline());
      case Do::Unload:
        loaded_.reset();
        return "";
      case Do::Attach: {
        const vdla_transport* transport = device_->attach();
        accesses_ = std::make_unique<driver::Accesses>(transport);
        return packed(driver::facts_of(*transport));
      }
      case Do::Access: {
        driver::AccessRequest access;
        unpack(access);
        VDLA_CHECK(accesses_ != nullptr);
        return packed(accesses_->perform(access));
      }
      case Do::Detach:
        accesses_.reset();
        device_->detach();
        return "";
    }
    VDLA_CHECK(false) << "a request of no known kind";
    return "";
  }

  std::string load(Unpacker& unpack) {
    runtime::Bytes file;
    RunOptions options;
    unpack(file, options);
    loaded_.reset();  // its memory first
    loaded_ = device_->load(runtime::parse(file, "the module"), options, why_end);
    return "";
  }

  Loaded& loaded() {
    VDLA_CHECK(loaded_ != nullptr);
    return *loaded_;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<Loaded> loaded_;
  std::unique_ptr<driver::Accesses> accesses_;
};

/// A module there.
class DeviceProcess::Module final : public Loaded {
 public:
  Module(DeviceProcess& process, std::function<std::string()> why)
      : process_(process), why_(std::move(why)), ends_(process.ends_) {}
  ~Module() override {
    if (process_.link_ < 0 || process_.ends_ != ends_) return;  // it has gone with its process
    try {
      process_.call(Do::Unload, {});
    } catch (const std::exception&) {  // the process has broken, which broken() says
    }
  }
  RunReply run(const std::vector<runtime::Bytes>& inputs) override {
    RunReply reply;
    Unpacker(process_.call(Do::Run, why_, inputs))(reply);
    return reply;
  }
  std::string timeline() override {
    std::string text;
    Unpacker(process_.call(Do::Timeline, {}))(text);
    return text;
  }

 private:
  DeviceProcess& process_;
  const std::function<std::string()> why_;
  const std::uint64_t ends_;
};

DeviceProcess::DeviceProcess(std::function<std::unique_ptr<Device>()> make)
    : spawner_([make = std::move(make)](int link) {
        std::unique_ptr<Worker> worker;
        const std::string first = replied([&] {
          worker = std::make_unique<Worker>(make());
          return std::string();
        });
        std::string request;
        bool goes_on = send_frame(link, first) && worker;
        while (goes_on && Spawner::wait_for(link) && receive_frame(link, request, UINT64_MAX))
          goes_on = send_frame(link, worker->answer(request));
      }) {
  start();
}

DeviceProcess::~DeviceProcess() { end(kEndingTime); }

void DeviceProcess::end(std::chrono::milliseconds time) {
  if (link_ < 0) return;
  try {
    spawner_.end(time);
  } catch (const UserError&) {  // the maker has gone, and its child with it
  }
  close(std::exchange(link_, -1));
  ++ends_;
}

void DeviceProcess::fail(const std::string& how) {
  broken_ = fmt::format(
      "the process of this lease {}: a kernel of the module or an engine broke it, or somebody ended it; the "
      "lease is over, and the device is reset for the next one",
      how);
  end(kEndingTime);
  throw UserError(broken_);
}

namespace {

/// Throws what the reply says, or leaves its values.
std::string good_part(std::string reply) {
  Ending ending{};
  Unpacker unpack(reply);
  unpack(ending);
  if (ending == Ending::Good) return std::move(reply.erase(0, sizeof ending));
  std::string text;
  unpack(text);
  if (ending == Ending::Refused) throw UserError(text);
  throw InternalError(text);
}

}  // namespace

void DeviceProcess::start() {
  link_ = spawner_.start();
  std::string reply;
  if (!receive_frame(link_, reply, kMostReplyBytes)) fail(spawner_.last_words());
  try {
    good_part(std::move(reply));
  } catch (...) {
    end(kEndingTime);
    throw;
  }
}

std::string DeviceProcess::exchange(const std::string& request, const std::function<std::string()>& why) {
  VDLA_CHECK_USER(broken_.empty()) << broken_;
  if (link_ < 0) start();
  const char* const stopped = "the run was ended";
  bool asked = false;
  ProcessClock::time_point until;
  pollfd readable{link_, POLLIN, 0};
  bool there = send_frame(link_, request);
  while (there && poll(&readable, 1, kAskMilliseconds) <= 0) {
    if (asked && ProcessClock::now() >= until) {
      end({});
      throw UserError(stopped);
    }
    if (asked || !why || why().empty()) continue;
    spawner_.ask_to_end();
    asked = true;
    until = ProcessClock::now() + kEndingTime;
  }
  std::string reply;
  there = there && receive_frame(link_, reply, kMostReplyBytes);
  if (!there && !asked) fail(spawner_.last_words());
  if (asked) end(kEndingTime);
  VDLA_CHECK_USER(!asked) << stopped;
  return good_part(std::move(reply));
}

template <class... Values>
std::string DeviceProcess::call(Do what, const std::function<std::string()>& why, const Values&... values) {
  return exchange(packed(what, values...), why);
}

Facts DeviceProcess::facts() {
  Facts facts;
  Unpacker(call(Do::Facts, {}))(facts);
  return facts;
}

std::unique_ptr<Loaded> DeviceProcess::load(const runtime::Bytes& file, const RunOptions& options,
                                            std::function<std::string()> why) {
  call(Do::Load, why, file, options);
  return std::make_unique<Module>(*this, std::move(why));
}

const vdla_transport* DeviceProcess::attach() {
  driver::TransportFacts facts;
  Unpacker(call(Do::Attach, {}))(facts);
  direct_ = std::make_unique<driver::RemoteTransport>(
      facts, [this, ends = ends_](const driver::AccessRequest& request) {
        driver::AccessReply reply;
        try {
          VDLA_CHECK_USER(broken_.empty()) << broken_;
          VDLA_CHECK_USER(ends == ends_ && link_ >= 0) << "the device was let go";
          Unpacker(call(Do::Access, {}, request))(reply);
        } catch (const UserError& e) {
          reply.error = e.what();  // the driver is C
        }
        return reply;
      });
  return direct_->transport();
}

void DeviceProcess::detach() {
  direct_.reset();
  try {
    if (link_ >= 0) call(Do::Detach, {});
  } catch (const UserError&) {  // the process has broken, which broken() says
  }
}

void DeviceProcess::renew() {
  end(kEndingTime);
  broken_.clear();
  start();
}

void DeviceProcess::reopen(const std::function<void()>& work) {
  end(kEndingTime);
  work();
  start();
}

}  // namespace vdla::remote
