// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/explain/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "boards/spec/describe.h"
#include "isa/spec/insn.h"
#include "isa/variants/variants.h"
#include "kit/data.h"
#include "runtime/device/device.h"
#include "runtime/device/device_memory.h"
#include "runtime/session/arena.h"
#include "support/shell_word.h"
#include "tools/common/table.h"

namespace vdla::tools {
namespace {

using MemoryJson = nlohmann::ordered_json;

/// A node for reserved-memory: no-map, so that Linux neither uses nor caches it.
std::string device_tree_line(const boards::Board& board, std::uint64_t bytes) {
  const boards::Region region{board.memory.region.base, bytes};
  return fmt::format("vdla_memory: vdla@{:x} {{ reg = <{}>; no-map; }};", region.base,
                     boards::device_tree_reg(board, region));
}

/// `named`: as the user named the board.
MemoryJson board_json_of(const std::string& named, const runtime::Module& module,
                         const runtime::DeviceMemory& memory) {
  const std::uint64_t needed = memory.bytes;
  const boards::Board board = boards::load_board(named, kit::data_root());
  constexpr std::uint64_t kMegabyte = 1 << 20;
  const boards::Region& region = board.memory.region;
  const bool is_enough = needed <= region.bytes;
  const bool is_low_enough = std::ranges::all_of(memory.windows, [&](const runtime::WindowNeed& need) {
    return runtime::holds({1, need.place.address_bits}, region.base, region.bytes);
  });
  const std::uint64_t reserved = is_enough ? region.bytes : (needed + kMegabyte - 1) / kMegabyte * kMegabyte;
  MemoryJson json{{"name", board.name},
                  {"folder", board.folder.string()},
                  {"bytes", region.bytes},
                  {"fits", is_enough && is_low_enough},
                  {"low_enough", is_low_enough},
                  {"variant", board.variant.name},
                  {"variant_flag", "board:" + named},
                  {"same_geometry", isa::geometry_hash(board.variant.geometry) ==
                                        isa::geometry_hash(module.variant.geometry)}};
  if (board.has_arm()) {
    json["base"] = region.base;
    json["address_bits"] = board.memory.address_bits;
    json["device_tree"] = device_tree_line(board, reserved);
  }
  return json;
}

void print_board(const MemoryJson& board, std::uint64_t needed) {
  const auto bytes = board["bytes"].get<std::uint64_t>();
  fmt::print("\nboard {}: {} bytes{} are the accelerator's", board["name"].get<std::string>(), bytes,
             board.contains("base")
                 ? fmt::format(" at 0x{:08x}, through a port with addresses of {} bits,",
                               board["base"].get<std::uint64_t>(), board["address_bits"].get<unsigned>())
                 : "");
  if (board["fits"].get<bool>())
    fmt::print(", {} of them stay free\n", bytes - needed);
  else if (!board["low_enough"].get<bool>())
    fmt::print(": beyond the addresses of a window; reserve memory below\n");
  else
    fmt::print(": {} too few; change memory in its board.json and the reservation\n", needed - bytes);
  if (board.contains("device_tree"))
    fmt::print("reserved-memory of its device tree: {}\n", board["device_tree"].get<std::string>());
  if (!board["same_geometry"].get<bool>())
    fmt::print("the board has another array, variant {}: compile with --variant {}\n",
               board["variant"].get<std::string>(), shell_word(board["variant_flag"].get<std::string>()));
}

}  // namespace

void MemoryFlags::add_to(CLI::App& command) {
  CLI::Option* memory = command.add_flag(
      "--memory", wanted_, "Print what the module takes of the device's memory, window by window");
  command
      .add_option(
          "--board", board_,
          "With --memory: compare that with what a board reserves (vdla board list; exit status 1: too "
          "little), and print the line of its device tree")
      ->needs(memory);
}

MemoryJson MemoryFlags::json(const runtime::Module& module) const {
  const runtime::DeviceMemory memory = runtime::device_memory(module);
  MemoryJson json{{"block_bytes", runtime::kDmaAlignment},
                  {"device_bytes", memory.bytes},
                  {"host_arena_bytes", runtime::plan_arena(module).bytes},
                  {"windows", MemoryJson::array()}};
  for (const runtime::WindowNeed& need : memory.windows)
    json["windows"].push_back({{"step", need.step},
                               {"window", isa::to_string(need.window)},
                               {"bytes", need.bytes},
                               {"alignment", need.place.alignment},
                               {"address_bits", need.place.address_bits}});
  if (!board_.empty()) json["board"] = board_json_of(board_, module, memory);
  return json;
}

void print_memory(const MemoryJson& memory) {
  const auto needed = memory["device_bytes"].get<std::uint64_t>();
  fmt::print("{} bytes of the device's memory, in blocks of {}; {} bytes of the host's\n\n", needed,
             memory["block_bytes"].get<std::uint64_t>(), memory["host_arena_bytes"].get<std::uint64_t>());
  print_table(memory["windows"], "step|window|bytes|aligned to|address",
              "{step:>4}  {window:<7} {bytes:>10} {alignment:>10} {address_bits:>3} bits");
  if (memory.contains("board")) print_board(memory["board"], needed);
}

bool suffices(const MemoryJson& memory) {
  return !memory.contains("board") || memory["board"]["fits"].get<bool>();
}

}  // namespace vdla::tools
