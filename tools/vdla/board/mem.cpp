// SPDX-License-Identifier: Apache-2.0
// vdla board mem: a device's DMA memory: what there is, what is in it, and whether it keeps what is written.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "driver/core/registers.h"
#include "isa/spec/registers.h"
#include "kit/bring_up/memory_patterns.h"
#include "runtime/device/device.h"
#include "support/error.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/vdla/board/board.h"
#include "tools/vdla/board/device.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

struct MemFlags {
  BoardDeviceFlags device;
  std::optional<std::uint64_t> at, bytes;
  std::vector<std::string> patterns;
  unsigned rounds = 1;
  std::optional<unsigned> fill;
  std::string dump, write, compare;
  bool test = false, hex = false;

  bool changes() const { return test || fill || !write.empty(); }
  bool shows() const { return !changes() && !hex && dump.empty() && compare.empty(); }
};

constexpr std::uint64_t kHexBytes = 256;  ///< bytes that are shown where no number is given
constexpr std::uint64_t kCopyBytes = 1 << 20;

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  for (const vdla_memory_pattern p : kit::memory_patterns()) names.emplace_back(vdla_memory_pattern_name(p));
  return names;
}

std::string pattern_help() {
  std::string text = "Patterns of --test:";
  for (const vdla_memory_pattern p : kit::memory_patterns())
    text += fmt::format("\n  {:<14} {}", vdla_memory_pattern_name(p), vdla_memory_pattern_what(p));
  return text;
}

/// A part of the device's memory, through its transport.
class MemoryPart {
 public:
  MemoryPart(const kit::OpenDevice& board, const MemFlags& f, std::uint64_t default_bytes)
      : transport_(*board.transport) {
    const kit::MemoryOfDevice all = board.memory();
    address = f.at.value_or(all.first);
    VDLA_CHECK_USER(address >= all.first && address - all.first < all.bytes)
        << fmt::format("--at {:#x} is outside of the device's memory, {:#x} to {:#x}", address, all.first,
                       all.first + (all.bytes - 1));
    const std::uint64_t left = all.bytes - (address - all.first);
    bytes = f.bytes.value_or(std::min(left, default_bytes));
    VDLA_CHECK_USER(bytes != 0 && bytes <= left) << fmt::format(
        "{} bytes from {:#x} on: needs 1 to {}, where the device's memory ends", bytes, address, left);
  }

  std::vector<std::byte> read(std::uint64_t from, std::uint64_t count) const {
    std::vector<std::byte> content(count);
    check(transport_.sync_for_cpu(transport_.context, from, count), "read memory");
    check(transport_.copy_out(transport_.context, content.data(), from, count), "read memory");
    return content;
  }
  void write(std::uint64_t to, std::span<const std::byte> content) const {
    check(transport_.copy_in(transport_.context, to, content.data(), content.size()), "write memory");
    check(transport_.sync_for_device(transport_.context, to, content.size()), "write memory");
  }

  std::uint64_t address = 0, bytes = 0;

 private:
  void check(int failed, const char* what) const { runtime::check_transport(transport_, failed, what); }

  const vdla_transport& transport_;
};

/// Writing under a program that runs would be taken for its fault. What is no device does not run.
void refuse_busy(const kit::OpenDevice& board) {
  vdla_device device{};
  std::uint32_t status = 0;
  if (vdla_probe(&device, board.transport) != VDLA_DRIVER_OK) return;
  if (vdla_get(&device, static_cast<std::uint32_t>(isa::Register::STATUS), &status) != VDLA_DRIVER_OK) return;
  VDLA_CHECK_USER((status & isa::kStatusBusy) == 0)
      << board.name
      << " is at work on a program, and its memory would change under it; wait for its end, or stop it by "
         "vdla board regs --write CONTROL=2";
}

ordered_json json_of(const kit::MemoryOfDevice& memory) {
  ordered_json out{{"first", memory.first}, {"bytes", memory.bytes}};
  if (memory.address_bits != 0) out["address_bits"] = memory.address_bits;
  out["cached"] = memory.cache_line != 0;
  return out;
}

void show_memory(const kit::OpenDevice& board, const Context& context) {
  const kit::MemoryOfDevice m = board.memory();
  const std::uint64_t last = m.first + (m.bytes - 1);
  const bool reached = m.address_bits == 0 || m.address_bits >= 64 || last >> m.address_bits == 0;
  ordered_json out{{"device", board.name}, {"memory", json_of(m)}, {"reached", reached}};
  context.report(out, [&] {
    fmt::print("{}: {:#x} to {:#x}, {} bytes ({:.1f} MiB) in one piece\n", board.name, m.first, last, m.bytes,
               static_cast<double>(m.bytes) / (1 << 20));
    fmt::print("addresses of its port: {}\n",
               m.address_bits == 0 ? "64 bits" : fmt::format("{} bits", m.address_bits));
    fmt::print("caches of the CPU: {}\n", m.cache_line == 0 ? "none before it, or coherent"
                                                            : fmt::format("lines of {} bytes", m.cache_line));
    if (!reached)
      fmt::print("the device does not reach all of it: reserve memory below 2^{}\n", m.address_bits);
  });
  if (!reached) throw Difference{};
}

ordered_json json_of(const kit::MemoryResult& r) {
  ordered_json out{{"pattern", vdla_memory_pattern_name(r.pattern)},
                   {"round", r.round},
                   {"wrong_bytes", r.difference.bytes}};
  if (r.difference.bytes == 0) return out;
  out["first"] = r.difference.first;
  out["last"] = r.difference.last;
  out["read"] = r.difference.read;
  out["needed"] = r.difference.needed;
  out["read_1_for_0"] = r.difference.high;
  out["read_0_for_1"] = r.difference.low;
  if (!r.cause.empty()) out["cause"] = r.cause;
  return out;
}

std::string hex_of(const std::uint8_t (&bytes)[VDLA_BEAT]) {
  std::string text;
  for (const std::uint8_t b : bytes) text += fmt::format("{}{:02x}", text.empty() ? "" : " ", b);
  return text;
}

void print(const vdla_memory_difference& d, const std::string& cause) {
  fmt::print("  {} bytes are wrong, the first at {:#x}, the last at {:#x}\n", d.bytes, d.first, d.last);
  fmt::print("  at {:#x} read    {}\n{:>{}} needed  {}\n", d.first & ~std::uint64_t{VDLA_BEAT - 1},
             hex_of(d.read), "", fmt::formatted_size("  at {:#x}", d.first & ~std::uint64_t{VDLA_BEAT - 1}),
             hex_of(d.needed));
  fmt::print("  bits of each 8 bytes that read 1 and should be 0: {}\n", hex_of(d.high));
  fmt::print("  bits of each 8 bytes that read 0 and should be 1: {}\n", hex_of(d.low));
  if (!cause.empty()) fmt::print("  {}\n", cause);
}

void test_memory(const kit::OpenDevice& board, const MemFlags& f, const Context& context) {
  const MemoryPart part(board, f, UINT64_MAX);
  std::vector<vdla_memory_pattern> patterns;
  for (const vdla_memory_pattern p : kit::memory_patterns())
    if (f.patterns.empty() || std::ranges::count(f.patterns, vdla_memory_pattern_name(p)) != 0)
      patterns.push_back(p);
  const auto results = kit::test_memory(*board.transport, part.address, part.bytes, patterns, f.rounds);
  const bool good = results.back().difference.bytes == 0;
  ordered_json out{{"device", board.name},
                   {"first", part.address},
                   {"bytes", part.bytes},
                   {"verdict", good ? "passed" : "FAILED"}};
  for (const kit::MemoryResult& r : results) out["patterns"].push_back(json_of(r));
  context.report(out, [&] {
    for (const kit::MemoryResult& r : results) {
      fmt::print("{:<14} {}{}\n", vdla_memory_pattern_name(r.pattern),
                 r.difference.bytes == 0 ? "passed" : "FAILED",
                 f.rounds > 1 ? fmt::format("   round {}", r.round + 1) : "");
      if (r.difference.bytes != 0) print(r.difference, r.cause);
    }
    fmt::print("{} bytes from {:#x} on of {}: {}\n", part.bytes, part.address, board.name,
               good ? "passed" : "FAILED");
  });
  if (!good) throw Difference{};
}

void print_hex(std::uint64_t address, std::span<const std::byte> content) {
  for (std::size_t at = 0; at < content.size(); at += 16) {
    std::string hex, text;
    for (std::size_t i = at; i < std::min(at + 16, content.size()); ++i) {
      const auto b = static_cast<unsigned char>(content[i]);
      hex += fmt::format("{}{:02x}", i % 8 == 0 && i != at ? "  " : " ", b);
      text += std::isprint(b) != 0 ? static_cast<char>(b) : '.';
    }
    fmt::print("{:#x} {:<50} {}\n", address + at, hex, text);
  }
}

void show_hex(const kit::OpenDevice& board, const MemFlags& f, const Context& context) {
  const MemoryPart part(board, f, kHexBytes);
  const auto content = part.read(part.address, part.bytes);
  std::vector<unsigned> numbers;
  for (const std::byte b : content) numbers.push_back(static_cast<unsigned>(b));
  context.report({{"device", board.name}, {"first", part.address}, {"content", numbers}},
                 [&] { print_hex(part.address, content); });
}

void done(const kit::OpenDevice& board, const MemoryPart& part, const char* what, const Context& context) {
  context.report(
      {{"device", board.name}, {"first", part.address}, {"bytes", part.bytes}, {"done", what}},
      [&] { fmt::print("{} {} bytes from {:#x} on of {}\n", what, part.bytes, part.address, board.name); });
}

void dump_memory(const kit::OpenDevice& board, const MemFlags& f, const Context& context) {
  const MemoryPart part(board, f, UINT64_MAX);
  const auto content = part.read(part.address, part.bytes);
  write_file(f.dump, {reinterpret_cast<const char*>(content.data()), content.size()});
  done(board, part, "wrote to a file", context);
}

void fill_memory(const kit::OpenDevice& board, const MemFlags& f, const Context& context) {
  const MemoryPart part(board, f, UINT64_MAX);
  const std::vector<std::byte> content(std::min(part.bytes, kCopyBytes), static_cast<std::byte>(*f.fill));
  for (std::uint64_t at = 0; at < part.bytes; at += content.size())
    part.write(part.address + at,
               std::span(content).first(std::min<std::uint64_t>(content.size(), part.bytes - at)));
  done(board, part, "filled", context);
}

/// The part of memory that a file is for, which says how long it is.
MemoryPart part_of_file(const kit::OpenDevice& board, MemFlags f, const std::string& file,
                        std::vector<std::byte>& content) {
  content = read_file(file);
  VDLA_CHECK_USER(!content.empty()) << file << ": is empty, needs at least a byte";
  if (f.bytes) content.resize(std::min<std::uint64_t>(content.size(), *f.bytes));
  f.bytes = content.size();
  return {board, f, 0};
}

void write_memory(const kit::OpenDevice& board, const MemFlags& f, const Context& context) {
  std::vector<std::byte> content;
  const MemoryPart part = part_of_file(board, f, f.write, content);
  part.write(part.address, content);
  done(board, part, "wrote", context);
}

void compare_memory(const kit::OpenDevice& board, const MemFlags& f, const Context& context) {
  std::vector<std::byte> content;
  const MemoryPart part = part_of_file(board, f, f.compare, content);
  const auto read = part.read(part.address, part.bytes);
  kit::MemoryResult r;
  const auto bytes_of = [](std::span<const std::byte> b) {
    return reinterpret_cast<const std::uint8_t*>(b.data());
  };
  for (std::uint64_t at = 0; at < part.bytes; at += kCopyBytes)
    vdla_memory_compare(&r.difference, part.address + at, bytes_of(read) + at, bytes_of(content) + at,
                        static_cast<std::uint32_t>(std::min(kCopyBytes, part.bytes - at)));
  const bool equal = r.difference.bytes == 0;
  ordered_json out{{"device", board.name}, {"first", part.address}, {"bytes", part.bytes}, {"equal", equal}};
  if (!equal) {
    out["difference"] = json_of(r);
    out["difference"].erase("pattern");
    out["difference"].erase("round");
  }
  context.report(out, [&] {
    fmt::print("{} bytes from {:#x} on of {} are {} {}\n", part.bytes, part.address, board.name,
               equal ? "those of" : "not those of", f.compare);
    if (!equal) print(r.difference, "");
  });
  if (!equal) throw Difference{};
}

void run_mem(const MemFlags& f, const Context& context) {
  VDLA_CHECK_USER(!f.shows() || (!f.at && !f.bytes))
      << "--at and --bytes choose a part for --test, --hex, --dump, --fill, --write or --compare; name one";
  f.device.refuse_variant_of_device();
  const kit::OpenDevice board = f.device.open(f.changes() ? kit::UioUse::Keep : kit::UioUse::Look);
  VDLA_CHECK_USER(board.memory().bytes != 0)
      << board.name << " has memory that XRT gives out block by block, where it wants; vdla board "
      << "selftest --xrt tests it";
  if (f.changes()) refuse_busy(board);
  if (f.test) return test_memory(board, f, context);
  if (f.hex) return show_hex(board, f, context);
  if (f.fill) return fill_memory(board, f, context);
  if (!f.dump.empty()) return dump_memory(board, f, context);
  if (!f.write.empty()) return write_memory(board, f, context);
  if (!f.compare.empty()) return compare_memory(board, f, context);
  show_memory(board, context);
}

}  // namespace

void add_board_mem(CLI::App& group, Context& context) {
  auto f = std::make_shared<MemFlags>();
  CLI::App* c = add_command(
      group, context, "mem", "Inspect, fill, compare or test a device's DMA memory",
      pattern_help() +
          "\nAddresses are those of the device; without --at and --bytes it is all of the memory. What the "
          "CPU "
          "writes is read back by the CPU here; whether the device sees the same, vdla board selftest tells. "
          "The device is not reset, and --test, --fill and --write are refused while it works.\n"
          "examples: vdla board mem --uio vdla\n"
          "          vdla board mem --uio vdla --test                 # overwrites all of it\n"
          "          vdla board mem --uio vdla --test --pattern walking-ones --rounds 64 --at 0x18000000 "
          "--bytes "
          "0x10000\n"
          "          vdla board mem --uio vdla --hex --at 0x18001000\n"
          "          vdla board mem --uio vdla --dump memory.bin",
      [f, &context] { run_mem(*f, context); });
  std::vector<CLI::Option*> actions;
  CLI::Option* test = c->add_flag("--test", f->test, "Write and read back patterns: overwrites the memory");
  actions.push_back(test);
  actions.push_back(c->add_flag("--hex", f->hex, "Print the content: 256 bytes, or --bytes"));
  actions.push_back(c->add_option("--dump", f->dump, "Write the content to this file"));
  actions.push_back(
      c->add_option("--fill", f->fill, "Write this byte everywhere")->check(CLI::Range(0, 255)));
  actions.push_back(c->add_option("--write", f->write, "Write this file into the memory"));
  actions.push_back(c->add_option("--compare", f->compare, "Compare the memory with this file"));
  for (CLI::Option* a : actions)
    for (CLI::Option* b : actions)
      if (a != b) a->excludes(b);
  c->add_option("--pattern", f->patterns, "Pattern to test, see below; may be repeated; default: all")
      ->check(one_of(pattern_names()))
      ->needs(test)
      ->allow_extra_args(false);
  c->add_option("--rounds", f->rounds,
                "Number of rounds of each pattern; walking ones start one bit further in each")
      ->check(CLI::Range(1, 1'000'000))
      ->needs(test)
      ->capture_default_str();
  c->add_option("--at", f->at, "Address to begin at")->check(not_negative());
  c->add_option("--bytes", f->bytes, "How many")->check(not_negative());
  f->device.add_to(*c);
  f->device.add_remote_to(*c);
}

}  // namespace vdla::tools
