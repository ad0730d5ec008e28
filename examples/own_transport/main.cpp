// SPDX-License-Identifier: Apache-2.0
// A transport of one's own: the device is in another process, reached over a socket, as a board behind a
// cable would be. This process compiles a network and runs it; its partner has nothing but an engine's
// registers, memory and interrupt.
//
//   own_transport examples/digits/digits.onnx
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "kit/kit.h"
#include "runtime/session/port.h"
#include "support/error.h"

using namespace vdla;

namespace {

/// One call and its answer; the bytes of copies follow them.
enum class Call : std::uint32_t { Memory, Read, Write, CopyIn, CopyOut, Wait };
struct Request {
  Call call;
  std::uint32_t value;
  std::uint64_t address, bytes;
};
struct Reply {
  std::uint32_t value;
  std::uint64_t address, bytes;
};

bool send_all(int socket, const void* from, std::uint64_t bytes) {
  const auto* at = static_cast<const char*>(from);
  for (ssize_t n = 0; bytes > 0; at += n, bytes -= static_cast<std::uint64_t>(n))
    if ((n = write(socket, at, bytes)) <= 0) return false;
  return true;
}

bool receive_all(int socket, void* to, std::uint64_t bytes) {
  auto* at = static_cast<char*>(to);
  for (ssize_t n = 0; bytes > 0; at += n, bytes -= static_cast<std::uint64_t>(n))
    if ((n = read(socket, at, bytes)) <= 0) return false;
  return true;
}

/// The other end: answers until the socket closes.
void serve(int socket, sim::Engine& engine) {
  Request q;
  while (receive_all(socket, &q, sizeof q)) {
    Reply a{0, engine.memory_base(), engine.memory_size()};
    runtime::Bytes bytes;
    if (q.call == Call::CopyIn || q.call == Call::CopyOut) bytes.resize(q.bytes);
    if (q.call == Call::Read) a.value = engine.read_register(static_cast<std::uint32_t>(q.address));
    if (q.call == Call::Write) engine.write_register(static_cast<std::uint32_t>(q.address), q.value);
    if (q.call == Call::CopyIn && receive_all(socket, bytes.data(), q.bytes))
      engine.write_memory(q.address, bytes);
    if (q.call == Call::CopyOut) engine.read_memory(q.address, bytes);
    if (q.call == Call::Wait) a.value = static_cast<std::uint32_t>(engine.run(q.bytes));
    if (!send_all(socket, &a, sizeof a)) return;
    if (q.call == Call::CopyOut && !send_all(socket, bytes.data(), bytes.size())) return;
  }
}

/// This end: the functions that the driver core calls.
class SocketTransport {
 public:
  explicit SocketTransport(int socket) : socket_(socket) {
    Reply memory;
    VDLA_CHECK_USER(ask({Call::Memory, 0, 0, 0}, memory)) << error_;
    next_ = memory.address;
    end_ = memory.address + memory.bytes;
  }

  const vdla_transport* functions() const { return &functions_; }

 private:
  static SocketTransport& self(void* context) { return *static_cast<SocketTransport*>(context); }

  /// False, and last_error() says why, when the other end does not answer.
  bool ask(const Request& q, Reply& a, const void* in = nullptr, void* out = nullptr) {
    const bool answered =
        send_all(socket_, &q, sizeof q) && (in == nullptr || send_all(socket_, in, q.bytes)) &&
        receive_all(socket_, &a, sizeof a) && (out == nullptr || receive_all(socket_, out, q.bytes));
    if (!answered) error_ = "the device's process does not answer";
    return answered;
  }

  static int read32(void* context, std::uint32_t offset, std::uint32_t* value) {
    Reply a;
    if (!self(context).ask({Call::Read, 0, offset, 0}, a)) return 1;
    *value = a.value;
    return 0;
  }
  static int write32(void* context, std::uint32_t offset, std::uint32_t value) {
    Reply a;
    return self(context).ask({Call::Write, value, offset, 0}, a) ? 0 : 1;
  }

  /// One block behind the other: a session takes its memory once, and gives it back when it ends.
  static int alloc(void* context, std::uint64_t bytes, std::uint64_t alignment, std::uint64_t* address) {
    SocketTransport& t = self(context);
    const std::uint64_t at = (t.next_ + alignment - 1) & ~(alignment - 1);
    if (at > t.end_ || bytes > t.end_ - at) {
      t.error_ = "the device's memory is full";
      return 1;
    }
    *address = at;
    t.next_ = at + std::max<std::uint64_t>(bytes, 1);
    return 0;
  }
  static void free(void*, std::uint64_t) {}

  static int copy_in(void* context, std::uint64_t address, const void* from, std::uint64_t bytes) {
    Reply a;
    return self(context).ask({Call::CopyIn, 0, address, bytes}, a, from) ? 0 : 1;
  }
  static int copy_out(void* context, void* to, std::uint64_t address, std::uint64_t bytes) {
    Reply a;
    return self(context).ask({Call::CopyOut, 0, address, bytes}, a, nullptr, to) ? 0 : 1;
  }

  /// Copies go through the socket, so no cache has another view of the memory.
  static int sync(void*, std::uint64_t, std::uint64_t) { return 0; }

  static vdla_wait_result wait_interrupt(void* context, std::uint64_t timeout, std::uint64_t* spent) {
    Reply a;
    *spent = 0;
    if (!self(context).ask({Call::Wait, 0, 0, timeout}, a)) return VDLA_WAIT_FAILED;
    if (a.value == static_cast<std::uint32_t>(sim::Stop::Interrupt)) return VDLA_WAIT_INTERRUPT;
    if (a.value == static_cast<std::uint32_t>(sim::Stop::Deadlock)) return VDLA_WAIT_STUCK;
    *spent = timeout;
    return VDLA_WAIT_TIMEOUT;
  }

  static const char* last_error(void* context) { return self(context).error_.c_str(); }

  int socket_;
  std::uint64_t next_ = 0, end_ = 0;
  std::string error_;
  const vdla_transport functions_{.context = this,
                                  .time_unit = "cycles",
                                  .read32 = read32,
                                  .write32 = write32,
                                  .alloc = alloc,
                                  .free = free,
                                  .copy_in = copy_in,
                                  .copy_out = copy_out,
                                  .sync_for_device = sync,
                                  .sync_for_cpu = sync,
                                  .wait_interrupt = wait_interrupt,
                                  .last_error = last_error};
};

int run(const std::string& model, int socket) {
  pipeline::CompileOptions options;
  options.variant = isa::load_variant("paper");
  const runtime::Module module = kit::compile_module(kit::read_network(model), options);
  runtime::Bytes input(runtime::model_bytes(module.inputs.at(0)));
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::byte>(i % 64);

  SocketTransport transport(socket);
  runtime::Session session(module, transport.functions(), {});
  const bool equal =
      session.run_model({input}).outputs == kit::Session(module, "functional").run_model({input}).outputs;
  std::printf("%s\n", equal ? "the device behind the socket gives the same bytes" : "its bytes are others");
  return equal ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  int ends[2];
  if (argc != 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    std::printf("usage: own_transport MODEL\n");
    return EXIT_FAILURE;
  }
  const pid_t device = fork();
  if (device == 0) {
    close(ends[0]);
    serve(ends[1], *kit::make_engine("functional", isa::load_variant("paper")));
    _exit(EXIT_SUCCESS);
  }
  close(ends[1]);
  int status = EXIT_FAILURE;
  try {
    status = run(argv[1], ends[0]);
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  close(ends[0]);
  waitpid(device, nullptr, 0);
  return status;
}
