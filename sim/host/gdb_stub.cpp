// SPDX-License-Identifier: Apache-2.0
#include "sim/host/gdb_stub.h"

#include <fmt/format.h>

#include "support/error.h"

namespace vdla::sim {
namespace {

/// Longest wait for an answer, which comes at once.
constexpr std::chrono::milliseconds kPatience{10'000};
/// The signal that a processor has stopped by itself.
constexpr unsigned kTrap = 5;

unsigned checksum(std::string_view text) {
  unsigned sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  return sum & 0xffu;
}

std::string framed(const std::string& packet) { return fmt::format("${}#{:02x}", packet, checksum(packet)); }

std::optional<unsigned> digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

/// Bytes in the order of memory, two digits each.
std::optional<std::uint64_t> little_endian(std::string_view hex) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const auto high = digit(hex[i]), low = digit(hex[i + 1]);
    if (!high || !low) return std::nullopt;
    value |= std::uint64_t{*high << 4 | *low} << (4 * i);
  }
  return value;
}

}  // namespace

GdbStub::GdbStub(Connection connection) : connection_(std::move(connection)) {
  ask("qSupported:multiprocess+");
  ask("qXfer:features:read:target.xml:0,ffb");  // before this one, single registers are refused
}

/// Without acknowledgement, ever: a byte that arrives while the processor runs stops it, and a packet
/// acknowledges the one before it.
void GdbStub::put(const std::string& packet) {
  connection_.send(queued_ + framed(packet));
  queued_.clear();
}

/// Takes the answers to what was queued; false when they have not all come yet.
bool GdbStub::settle(std::chrono::microseconds patience) {
  while (!unanswered_.empty()) {
    const auto answer = take(patience);
    if (!answer) return false;
    VDLA_CHECK_USER(*answer == "OK") << connection_.peer() << " answers '" << *answer << "' to '"
                                     << unanswered_.front() << "', needs OK";
    unanswered_.erase(unanswered_.begin());
  }
  return true;
}

std::optional<std::string> GdbStub::take(std::chrono::microseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const std::size_t begin = received_.find('$');
    const std::size_t hash = begin == std::string::npos ? begin : received_.find('#', begin);
    if (hash != std::string::npos && received_.size() >= hash + 3) {
      std::string packet = received_.substr(begin + 1, hash - begin - 1);
      const std::string sum = received_.substr(hash + 1, 2);
      received_.erase(0, hash + 3);
      VDLA_CHECK_USER(sum == fmt::format("{:02x}", checksum(packet)))
          << connection_.peer() << " sent '" << packet << "' with checksum " << sum << ", needs "
          << fmt::format("{:02x}", checksum(packet));
      return packet;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::microseconds>(end - std::chrono::steady_clock::now());
    if (!connection_.receive(received_, std::max(left, std::chrono::microseconds(0))) && left.count() <= 0)
      return std::nullopt;
  }
}

std::string GdbStub::ask(const std::string& packet) {
  put(packet);
  const auto answer = settle(kPatience) ? take(kPatience) : std::nullopt;
  VDLA_CHECK_USER(answer) << connection_.peer() << " does not answer '" << packet << "'";
  return *answer;
}

/// Hexadecimal digits for that many bytes, or "OK" for none.
std::string GdbStub::expect(const std::string& packet, std::size_t bytes) {
  std::string answer = ask(packet);
  const bool fits = bytes == 0 ? answer == "OK" : answer.size() >= 2 * bytes && answer[0] != 'E';
  VDLA_CHECK_USER(fits) << connection_.peer() << " answers '" << answer << "' to '" << packet << "', needs "
                        << (bytes == 0 ? std::string("OK") : std::to_string(bytes) + " bytes");
  return answer;
}

void GdbStub::watch(std::uint64_t address, std::uint64_t bytes) {
  expect(fmt::format("Z4,{:x},{:x}", address, bytes), 0);
}

std::vector<std::uint64_t> GdbStub::read_registers(unsigned count, unsigned register_bytes) {
  const std::string answer = expect("g", std::size_t{count} * register_bytes);
  std::vector<std::uint64_t> values;
  for (unsigned r = 0; r < count; ++r) {
    const auto value =
        little_endian(std::string_view(answer).substr(2ul * register_bytes * r, 2ul * register_bytes));
    VDLA_CHECK_USER(value) << connection_.peer() << " has no value of register " << r;
    values.push_back(*value);
  }
  return values;
}

void GdbStub::write_register(unsigned number, std::uint64_t value, unsigned register_bytes) {
  std::string hex;
  for (unsigned i = 0; i < register_bytes; ++i) hex += fmt::format("{:02x}", value >> (8 * i) & 0xffu);
  unanswered_.push_back(fmt::format("P{:x}={}", number, hex));
  queued_ += framed(unanswered_.back());
}

std::uint32_t GdbStub::read_word(std::uint64_t address) {
  const std::string packet = fmt::format("m{:x},4", address);
  const auto value = little_endian(std::string_view(expect(packet, 4)).substr(0, 8));
  VDLA_CHECK_USER(value) << connection_.peer() << " has no memory at " << fmt::format("0x{:x}", address);
  return static_cast<std::uint32_t>(*value);
}

void GdbStub::go() { put("c"); }
void GdbStub::step() { put("s"); }

/// The plus sign is the acknowledgement without which the stub would take the other byte for none.
void GdbStub::interrupt() { connection_.send("+\x03"); }

/// Registers are those of the core that has stopped.
void GdbStub::select(const std::string& halt) {
  constexpr std::string_view kThread = "thread:";
  const std::size_t at = halt.find(kThread);
  if (at == std::string::npos) return;
  const std::size_t begin = at + kThread.size();
  const std::string thread = halt.substr(begin, halt.find(';', begin) - begin);
  if (thread == thread_) return;
  expect("Hg" + thread, 0);
  thread_ = thread;
}

std::optional<GdbStub::Halt> GdbStub::stopped(std::chrono::microseconds patience) {
  const auto packet = settle(patience) ? take(patience) : std::nullopt;
  if (!packet) return std::nullopt;
  const std::string& text = *packet;
  const char kind = text.empty() ? 0 : text[0];
  const auto number = text.size() < 3 ? std::nullopt : little_endian(text.substr(1, 2));
  VDLA_CHECK_USER(number && (kind == 'T' || kind == 'W' || kind == 'X'))
      << connection_.peer() << " sent '" << text << "', needs a reason why the processor has stopped";
  if (kind != 'T') return Halt{Halt::Why::Exited, static_cast<unsigned>(*number)};
  select(text);
  if (text.find("watch:") != std::string::npos) return Halt{Halt::Why::Access};
  return Halt{*number == kTrap ? Halt::Why::Stepped : Halt::Why::Interrupted};
}

}  // namespace vdla::sim
