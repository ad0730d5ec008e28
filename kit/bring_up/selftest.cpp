// SPDX-License-Identifier: Apache-2.0
#include "kit/bring_up/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "isa/asm/asm.h"
#include "isa/spec/errors.h"
#include "isa/spec/version.h"
#include "isa/variants/variants.h"
#include "kit/device.h"
#include "kit/engine.h"
#include "runtime/device/device.h"
#include "runtime/device/device_facts.h"
#include "runtime/device/device_program.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

using Bytes = std::vector<std::byte>;

// So much is copied through a window: many bursts, across a border of 4 KiB.
constexpr std::uint64_t kCopiedBytes = 8192;
// Cycles of the program that stage interrupt waits for: a millisecond at 100 MHz.
constexpr std::uint64_t kLongCycles = 100'000;
constexpr std::uint32_t kStallLimit = 10'000;
constexpr std::uint32_t kMemoryBytes = 256 << 10;

Bytes random_bytes(std::uint64_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

std::size_t index_of(isa::Window window) { return static_cast<std::size_t>(window); }

}  // namespace

/// Programs for one geometry.
class Selftest::Writer {
 public:
  explicit Writer(const isa::Variant& variant)
      : variant_(variant),
        pieces_(variant.geometry.out_depth * variant.geometry.batch),
        rounds_((kCopiedBytes + round_bytes() - 1) / round_bytes()) {}

  /// From one window to window output, as much as fits in out at a time.
  Program copy(isa::Window from) const {
    const std::string window(isa::to_string(from));
    std::string text;
    for (std::uint64_t i = 0; i < rounds_; ++i) {
      text += load(window, i, 1, i == 0 ? "push store" : "pop store push store");
      text += store(i, i + 1 == rounds_ ? "pop load" : "pop load push load");
    }
    Program p = assembled("window " + window, VDLA_SELFTEST_DMA, text + "finish 17\n");
    fill(p, from, rounds_ * round_bytes());
    return p;
  }

  /// Loads the same bytes again and again before it stores them.
  Program long_copy() const {
    const std::uint64_t times = kLongCycles / (round_bytes() / 8);
    Program p = assembled("a long program", VDLA_SELFTEST_INTERRUPT,
                          load("act", 0, times, "push store") + store(0, "pop load") + "finish 18\n");
    fill(p, isa::Window::Act, round_bytes());
    return p;
  }

  Program window_too_small() const {
    Program p = copy(isa::Window::Act);
    p.name = "a window that is too small";
    p.content[index_of(isa::Window::Act)].pop_back();
    p.bytes[index_of(isa::Window::Act)] -= 1;
    const std::uint32_t last_load = p.launch.insn_count - 3;
    return failing(std::move(p), isa::ErrorCode::Window, last_load);
  }

  Program illegal_instruction() const {
    return failing(assembled("an illegal instruction", VDLA_SELFTEST_ERRORS,
                             ".insn " + std::string(2 * isa::kInsnBytes, '0') + "\nfinish 19\n"),
                   isa::ErrorCode::IllegalInsn, 0);
  }

  Program no_finish() const {
    Program p = assembled("a program without finish", VDLA_SELFTEST_ERRORS, load("act", 0, 1, ""));
    fill(p, isa::Window::Act, round_bytes());
    const std::uint32_t behind = p.launch.insn_count;
    return failing(std::move(p), isa::ErrorCode::NoFinish, behind);
  }

  Program waits_for_ever() const {
    Program p =
        assembled("a token that never comes", VDLA_SELFTEST_WATCHDOG, store(0, "pop load") + "finish 20\n");
    p.bytes[index_of(isa::Window::Output)] = round_bytes();
    p.launch.stall_limit = kStallLimit;
    p.error = isa::ErrorCode::Stall;
    return p;
  }

  Program network(const runtime::Module& module) const {
    const runtime::DeviceStep* step = nullptr;
    for (const runtime::Step& s : module.steps) {
      const auto* device = std::get_if<runtime::DeviceStep>(&s);
      if (device && (!step || device->program.insns.size() > step->program.insns.size())) step = device;
    }
    VDLA_CHECK_USER(step) << "self test: no step of network '" << module.model_name
                          << "' runs on the device; give another network";
    const isa::Program& program = step->program;
    const std::vector<vdla_launch> launches = runtime::launches_of(program, kStallLimit);
    VDLA_CHECK_USER(launches.size() == 1)
        << "self test: network '" << module.model_name << "' has " << launches.size()
        << " entry points, needs one; give another network";
    Program p;
    p.name = module.model_name;
    p.stage = VDLA_SELFTEST_NETWORK;
    for (std::size_t w = 0; w < p.bytes.size(); ++w) {
      const auto window = static_cast<isa::Window>(w);
      p.content[w] = runtime::image_of(program, window);
      p.bytes[w] = program.window_size(window);
    }
    p.content[index_of(isa::Window::Input)] = random_bytes(p.bytes[index_of(isa::Window::Input)], 99);
    p.launch = launches[0];
    p.predicted_cycles = runtime::predicted_cycles(program.insns, variant_.geometry, variant_.timing);
    p.expected = computed(p);
    return p;
  }

 private:
  /// Bytes that are in flight at a time.
  std::uint64_t round_bytes() const { return pieces_ * variant_.geometry.block_out; }

  std::string load(const std::string& window, std::uint64_t round, std::uint64_t times,
                   const std::string& tokens) const {
    return fmt::format("load out[0] = {}[{} + {}*x] for x<{} y<{} {}\n", window, round * round_bytes(),
                       variant_.geometry.block_out, pieces_, times, tokens);
  }
  std::string store(std::uint64_t round, const std::string& tokens) const {
    return fmt::format("store output[{} + {}*x] = out[0] for x<{} {}\n", round * round_bytes(),
                       variant_.geometry.block_out, pieces_, tokens);
  }

  Program assembled(std::string name, vdla_selftest_stage stage, const std::string& text) const {
    const isa::Assembly assembly = isa::assemble(text, name);
    Program p;
    p.name = std::move(name);
    p.stage = stage;
    p.content[index_of(isa::Window::Insn)] = runtime::image_of(assembly.insns);
    p.bytes[index_of(isa::Window::Insn)] = assembly.insns.size() * isa::kInsnBytes;
    p.launch = runtime::launch_of(assembly.insns, 0);
    p.predicted_cycles = runtime::predicted_cycles(assembly.insns, variant_.geometry, variant_.timing);
    return p;
  }

  void fill(Program& p, isa::Window from, std::uint64_t bytes) const {
    p.expected = random_bytes(bytes, static_cast<unsigned>(from));
    p.content[index_of(from)] = p.expected;
    p.bytes[index_of(from)] = bytes;
    p.bytes[index_of(isa::Window::Output)] = bytes;
  }

  static Program failing(Program p, isa::ErrorCode error, std::uint32_t insn) {
    p.stage = VDLA_SELFTEST_ERRORS;
    p.error = error;
    p.error_insn = insn;
    p.expected.clear();
    return p;
  }

  /// Window output after a run on the functional engine.
  Bytes computed(const Program& p) const {
    const OpenDevice engine = open_engine(make_engine("functional", variant_));
    std::array<runtime::DmaBlock, VDLA_SELFTEST_WINDOWS> blocks;  // given back after the device's reset
    runtime::Device device(engine.transport);
    for (unsigned w = 0; w < VDLA_SELFTEST_WINDOWS; ++w) {
      if (p.bytes[w] == 0) continue;
      blocks[w] = device.allocate(p.bytes[w]);
      if (!p.content[w].empty()) blocks[w].write(0, p.content[w]);
      device.set_window(w, blocks[w]);
    }
    const auto outcome = device.run(p.launch, device.timeout_of(p.predicted_cycles));
    VDLA_CHECK(outcome.status == VDLA_DRIVER_OK) << outcome.message;
    Bytes output(p.bytes[index_of(isa::Window::Output)]);
    blocks[index_of(isa::Window::Output)].read(0, output);
    return output;
  }

  const isa::Variant& variant_;
  std::uint64_t pieces_;  ///< pieces of block_out bytes, that out holds
  std::uint64_t rounds_;  ///< rounds of a copy
};

Selftest::Selftest(const isa::Variant& variant, const runtime::Module& network) : name_(isa::label(variant)) {
  const Writer writer(variant);
  for (const isa::Window from :
       {isa::Window::Const, isa::Window::Act, isa::Window::Input, isa::Window::Spare0, isa::Window::Spare1})
    add(writer.copy(from));
  add(writer.long_copy());
  add(writer.window_too_small());
  add(writer.illegal_instruction());
  add(writer.no_finish());
  add(writer.waits_for_ever());
  add(writer.network(network));
  for (const Program& p : data_) {
    vdla_selftest_program view{};
    view.name = p.name.c_str();
    view.stage = p.stage;
    for (std::size_t w = 0; w < p.bytes.size(); ++w)
      view.window[w] = {p.content[w].data(), static_cast<std::uint32_t>(p.content[w].size()),
                        static_cast<std::uint32_t>(p.bytes[w])};
    view.launch = p.launch;
    view.predicted_cycles =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(p.predicted_cycles, UINT32_MAX));
    view.error = static_cast<std::uint32_t>(p.error);
    view.error_insn = p.error_insn;
    view.expected = p.expected.data();
    view.expected_bytes = static_cast<std::uint32_t>(p.expected.size());
    programs_.push_back(view);
  }
  geometry_ = runtime::numbers_of(variant.geometry);
  plan_ = {.variant = name_.c_str(),
           .identity = {isa::kIsaVersion, isa::geometry_hash(variant.geometry), geometry_.data()},
           .memory_bytes = kMemoryBytes,
           .programs = programs_.data(),
           .program_count = static_cast<std::uint32_t>(programs_.size())};
}

void Selftest::add(Program program) {
  for (const std::uint64_t bytes : program.bytes)
    VDLA_CHECK_USER(bytes <= UINT32_MAX) << "self test: '" << program.name << "' needs a window of " << bytes
                                         << " bytes, and no more than " << UINT32_MAX << " are possible";
  data_.push_back(std::move(program));
}

}  // namespace vdla::kit
