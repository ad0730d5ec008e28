// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/emulator.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <numeric>
#include <optional>
#include <random>

#include "runtime/code/linked_object.h"
#include "runtime/gpu/clock.h"
#include "runtime/gpu/emulated_thread.h"
#include "runtime/gpu/fibers.h"
#include "runtime/gpu/watch.h"
#include "support/error.h"
#include "support/machine_memory.h"

namespace vdla::gpu {
namespace {

constexpr auto kPoison = std::byte{0xa5};
/// Bytes of accesses of a launch that are watched before the rest runs alone.
constexpr std::size_t kMostWatched = std::size_t{1} << 28;

/// Bytes of buffers: programs that have more run unwatched.
constexpr std::size_t kMostBuffers = std::size_t{1} << 25;

using Numbers = std::array<std::size_t, 3>;

std::size_t product(const Numbers& n) { return n[0] * n[1] * n[2]; }

Numbers numbers_of(std::size_t index, const Numbers& sizes) {
  return {index % sizes[0], index / sizes[0] % sizes[1], index / (sizes[0] * sizes[1])};
}

std::string text_of(const Numbers& n) { return fmt::format("({}, {}, {})", n[0], n[1], n[2]); }

/// Memory at a multiple of kSharedAlignment, poisoned.
class Memory {
 public:
  explicit Memory(std::size_t bytes)
      : bytes_(bytes),
        memory_(static_cast<std::byte*>(std::aligned_alloc(kSharedAlignment, rounded(bytes)))) {
    VDLA_CHECK_USER(memory_) << "no memory for a buffer of " << bytes << " bytes";
    std::ranges::fill(span(), kPoison);
  }
  std::span<std::byte> span() const { return {memory_.get(), bytes_}; }

 private:
  static std::size_t rounded(std::size_t bytes) {
    return (std::max<std::size_t>(bytes, 1) + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
  }
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> memory_;
};

/// Names that messages give to lines and buffers.
struct Names {
  std::vector<std::string> lines;    ///< lines of loop IR
  std::vector<std::string> buffers;  ///< empty: by their numbers

  std::string line(std::uint32_t line) const {
    return line == 0 || line > lines.size() ? fmt::format("line {}", line) : lines[line - 1];
  }
  std::string buffer(std::size_t buffer) const {
    return buffer < buffers.size() ? "buffer '" + buffers[buffer] + "'" : fmt::format("buffer {}", buffer);
  }
};

/// One launch, block by block.
class Grid {
 public:
  Grid(const Launch& launch, EmulatedKernel kernel, std::vector<void*> arguments, std::span<std::byte> shared,
       Fibers& fibers, const Names& names, std::mt19937_64& random)
      : launch_(launch),
        kernel_(kernel),
        arguments_(std::move(arguments)),
        shared_(shared),
        fibers_(fibers),
        names_(names),
        random_(random),
        threads_(product(launch.threads)),
        order_(threads_.size()) {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      Thread& thread = threads_[i];
      thread.grid = this;
      thread.index = i;
      thread.shared = shared.data();
      thread.barrier = [](const EmulatedThread* t, std::int32_t line) {
        Thread::of(t).grid->wait(Thread::of(t), line);
      };
      thread.access = [](const EmulatedThread* t, const void* address, std::int64_t bytes,
                         std::int32_t writes, std::int32_t line) {
        const Thread& own = Thread::of(t);
        own.grid->note({own.index, static_cast<const std::byte*>(address), static_cast<std::size_t>(bytes),
                        writes != 0, static_cast<std::uint32_t>(line)});
      };
      const Numbers numbers = numbers_of(i, launch.threads);
      std::ranges::copy(numbers, thread.EmulatedThread::thread);
    }
    std::iota(order_.begin(), order_.end(), 0);
  }

  /// `watch` null: accesses are not looked at.
  void run_block(std::size_t block, EmulatedKernel kernel, Watch* watch) {
    kernel_ = kernel;
    watch_ = watch;
    block_ = numbers_of(block, launch_.blocks);
    std::ranges::fill(shared_, kPoison);
    if (watch_) watch_->begin_block();
    for (Thread& thread : threads_) {
      std::ranges::copy(block_, thread.block);
      thread.is_done = false;
      fibers_.start(thread.index, [this, &thread] { kernel_(arguments_.data(), &thread); });
    }
    while (!take_turns())
      if (watch_) watch_->begin_phase();
  }

 private:
  struct Thread : EmulatedThread {
    Grid* grid;
    std::size_t index;
    std::int32_t line = 0;  ///< line of the barrier that it waits at
    bool is_done = false;
    static Thread& of(const EmulatedThread* thread) {
      return *static_cast<Thread*>(const_cast<EmulatedThread*>(thread));
    }
  };

  /// All threads up to the next barrier, or to their ends; whether it is the ends.
  bool take_turns() {
    std::ranges::shuffle(order_, random_);
    for (const std::size_t i : order_) {
      threads_[i].is_done = fibers_.resume(i);
      if (!fault_.empty()) throw UserError(fault_);
    }
    const Thread& first = threads_[0];
    for (const Thread& other : threads_) {
      if (other.is_done == first.is_done && (first.is_done || other.line == first.line)) continue;
      const Thread& waits = first.is_done ? other : first;
      const Thread& parts = first.is_done ? first : other;
      throw UserError(fmt::format(
          "{}: thread {} waits at the barrier in {}, and thread {} {}; all threads of a block have to reach "
          "it",
          place(), name_of(waits.index), names_.line(static_cast<std::uint32_t>(waits.line)),
          name_of(parts.index),
          parts.is_done ? "has ended"
                        : "waits at the one in " + names_.line(static_cast<std::uint32_t>(parts.line))));
    }
    return first.is_done;
  }

  void wait(Thread& thread, std::int32_t line) {
    thread.line = line;
    fibers_.pause();
  }

  /// Called from a fiber, whose stack is not unwound: the fault is thrown where its turn ends.
  void note(const Watch::Access& a) {
    if (!watch_ || !fault_.empty()) return;
    const auto fault = watch_->access(a);
    if (!fault) return;
    fault_ = fmt::format("{}: thread {} {} {}", place(), name_of(a.thread), a.writes ? "writes" : "reads",
                         sentence(*fault, names_.line(a.line)));
    fibers_.pause();
  }

  /// Access in the line `here`, and what is wrong with it.
  std::string sentence(const Watch::Fault& fault, const std::string& here) const {
    const std::string there = fault.other_line == Watch::kLineBeyond
                                  ? fmt::format("a line behind {}", Watch::kLineBeyond - 1)
                                  : names_.line(fault.other_line);
    const std::string byte =
        fmt::format("byte {} of {}", fault.byte,
                    fault.buffer ? names_.buffer(*fault.buffer) : "the block's shared memory");
    const std::string other =
        fault.other_thread ? "thread " + name_of(*fault.other_thread) : "several other threads";
    switch (fault.wrong) {
      case Watch::Wrong::Outside:
        return fmt::format("an address outside of all buffers in {}", here);
      case Watch::Wrong::Unwritten:
        return fmt::format("{} in {}, which no thread of the block has written", byte, here);
      case Watch::Wrong::AfterWrite:
        return fmt::format("{} in {}, which {} wrote in {} with no barrier between them", byte, here, other,
                           there);
      case Watch::Wrong::AfterRead:
        return fmt::format("{} in {}, which {} read in {} with no barrier between them", byte, here, other,
                           there);
      case Watch::Wrong::BlockWrites:
        return fmt::format("{} in {}, which another block wrote in {}", byte, here, there);
      case Watch::Wrong::BlockReads:
        return fmt::format("{} in {}, which another block read in {}", byte, here, there);
    }
    return byte;
  }

  std::string place() const { return fmt::format("kernel '{}', block {}", launch_.kernel, text_of(block_)); }
  std::string name_of(std::size_t thread) const { return text_of(numbers_of(thread, launch_.threads)); }

  const Launch& launch_;
  EmulatedKernel kernel_;
  std::vector<void*> arguments_;
  std::span<std::byte> shared_;
  Fibers& fibers_;
  const Names& names_;
  std::mt19937_64& random_;
  std::vector<Thread> threads_;
  std::vector<std::size_t> order_;
  Numbers block_{};
  Watch* watch_ = nullptr;
  std::string fault_;
};

/// Names each line: "line 3 ('B[t] = A[t]')".
std::vector<std::string> names_of_lines(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t first = std::min(text.find_first_not_of(' ', begin), end);
    names.push_back(fmt::format("line {} ('{}')", names.size() + 1, text.substr(first, end - first)));
    begin = end + 1;
  }
  return names;
}

class EmulatedProgram final : public Loaded {
 public:
  EmulatedProgram(const Program& program, std::uint64_t seed)
      : launches_(program.launches),
        shared_(most(program, [](const Launch& launch) { return launch.shared_bytes; })),
        fibers_(most(program, [](const Launch& launch) { return product(launch.threads); })),
        random_(seed) {
    for (const Part& part : program.parts)
      parts_.push_back(
          {{part.line_names.empty() ? names_of_lines(part.loop_ir) : part.line_names, program.buffer_names},
           std::make_unique<runtime::LinkedObject>(std::as_bytes(std::span(part.text)), ParallelHook{})});
    require_room(program.buffer_bytes);
    for (const std::size_t bytes : program.buffer_bytes) buffers_.emplace_back(bytes);
    for (const Launch& launch : launches_) {
      kernels_.push_back(kernel(launch, ""));
      watched_.push_back(kernel(launch, kWatched));
    }
  }

  void write(std::size_t buffer, std::span<const std::byte> bytes) override {
    VDLA_CHECK(bytes.size() == buffers_.at(buffer).span().size())
        << "buffer " << buffer << " has another size";
    std::ranges::copy(bytes, buffers_[buffer].span().begin());
  }
  void read(std::size_t buffer, std::span<std::byte> bytes) override {
    VDLA_CHECK(bytes.size() == buffers_.at(buffer).span().size())
        << "buffer " << buffer << " has another size";
    std::ranges::copy(buffers_[buffer].span(), bytes.begin());
  }

  /// Starts a thread; wait() runs the program where none can be had.
  void start() override {
    running_ = std::async(std::launch::async | std::launch::deferred, [this] { run_here(); });
  }
  void wait() override { running_.get(); }

  std::vector<double> run_timed(std::span<const std::size_t> ends) override {
    return timed_by_clock(
        ends, [this](std::size_t first, std::size_t last) { run_launches(first, last, nullptr); });
  }

  std::string unwatched() const override { return unwatched_; }

 private:
  /// UserError where the machine has less memory.
  static void require_room(const std::vector<std::size_t>& buffer_bytes) {
    const std::uint64_t bytes = std::accumulate(buffer_bytes.begin(), buffer_bytes.end(), std::uint64_t{0});
    const std::uint64_t there = machine_memory();
    VDLA_CHECK_USER(bytes < there) << "the program has " << bytes << " bytes of buffers, this machine has "
                                   << there << " of memory";
  }

  void run_here() {
    unwatched_.clear();
    std::size_t bytes = 0;
    for (const Memory& buffer : buffers_) bytes += buffer.span().size();
    if (bytes <= kMostBuffers) {
      run_watched();
    } else {
      unwatched_ =
          fmt::format("the emulator has watched no accesses of {} bytes of buffers, it does so up to {}",
                      bytes, kMostBuffers);
    }
    run_all(nullptr);
  }

  /// Memory is after it as before.
  void run_watched() {
    std::vector<std::vector<std::byte>> before;
    for (const Memory& buffer : buffers_) before.emplace_back(buffer.span().begin(), buffer.span().end());
    std::vector<std::span<std::byte>> spans;
    for (const Memory& buffer : buffers_) spans.push_back(buffer.span());
    Watch watch(spans, shared_.span());
    run_all(&watch);
    for (std::size_t i = 0; i < buffers_.size(); ++i) std::ranges::copy(before[i], spans[i].begin());
  }

  template <class F>
  static std::size_t most(const Program& program, const F& of) {
    std::size_t result = 0;
    for (const Launch& launch : program.launches) result = std::max(result, of(launch));
    return result;
  }

  EmulatedKernel kernel(const Launch& launch, const std::string& ending) const {
    const std::string name = launch.kernel + ending;
    const std::uintptr_t address = parts_.at(launch.part).object->kernel(name);
    VDLA_CHECK_USER(address != 0) << "the program has no kernel '" << name << "' for the emulator";
    return reinterpret_cast<EmulatedKernel>(address);
  }

  void run_all(Watch* watch) { run_launches(0, launches_.size(), watch); }

  void run_launches(std::size_t first, std::size_t last, Watch* watch) {
    for (std::size_t i = first; i < last; ++i) {
      const Launch& launch = launches_[i];
      if (product(launch.threads) == 0) continue;
      std::vector<void*> arguments;
      for (const std::size_t buffer : launch.arguments)
        arguments.push_back(buffers_.at(buffer).span().data());
      Grid grid(launch, kernels_[i], arguments, shared_.span(), fibers_, parts_[launch.part].names, random_);
      std::vector<std::size_t> order(product(launch.blocks));
      std::iota(order.begin(), order.end(), 0);
      std::ranges::shuffle(order, random_);
      if (watch) watch->begin_launch();
      bool watches = watch != nullptr;
      for (const std::size_t block : order) {
        if (watches && watch->noted() >= kMostWatched) {
          watches = false;
          unwatched_ +=
              fmt::format("{}the emulator has watched the first {} bytes of accesses of kernel '{}' alone",
                          unwatched_.empty() ? "" : "; ", watch->noted(), launch.kernel);
        }
        grid.run_block(block, watches ? watched_[i] : kernels_[i], watches ? watch : nullptr);
      }
    }
  }

  struct LinkedPart {
    Names names;
    std::unique_ptr<runtime::LinkedObject> object;
  };

  std::vector<Launch> launches_;
  std::vector<LinkedPart> parts_;
  std::vector<EmulatedKernel> kernels_, watched_;
  std::vector<Memory> buffers_;
  Memory shared_;
  Fibers fibers_;
  std::mt19937_64 random_;
  std::string unwatched_;
  std::future<void> running_;  ///< last: its thread, which uses the others, ends with it
};

class Emulator final : public Device {
 public:
  explicit Emulator(std::uint64_t seed) : seed_(seed) {}
  std::string name() const override { return kEmulator; }
  std::string_view clock() const override { return kClockOfHost; }
  std::unique_ptr<Loaded> load(const Program& program) override {
    return std::make_unique<EmulatedProgram>(program, seed_);
  }

 private:
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Device> open_emulator(std::uint64_t seed) { return std::make_unique<Emulator>(seed); }

}  // namespace vdla::gpu
