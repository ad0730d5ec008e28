// SPDX-License-Identifier: Apache-2.0
// Adaptation on line: a host step that has several kernels runs another one in each inference, until each has
// been timed often enough; then the fastest is kept. The owner of the kernels proves of each, before its
// first run, that it gives the bytes of the step's own (runtime/session/kernel_proof.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vdla::runtime {

/// Why a kernel of a step is tried no more.
enum class Dropped : std::uint8_t {
  No,
  Unproven,  ///< it gives other bytes than the step's own kernel, or may do so
  Slower,    ///< beyond hope
};

/// A kernel of a step, as it has done so far.
struct KernelUse {
  std::string kernel;           ///< its symbol
  std::vector<double> seconds;  ///< wall clock of each run
  Dropped dropped = Dropped::No;
};

/// The kernels of a step, its own first.
struct StepUse {
  std::size_t step = 0;
  std::vector<KernelUse> kernels;
  std::optional<std::size_t> chosen;  ///< one of them; nothing: still open
};

/// Adaptation of one step; one thread at a time. Exceptions of a kernel go through.
class Adaptation {
 public:
  using Clock = std::function<double()>;  ///< seconds
  struct Kernel {
    std::string name;
    std::function<void()> run;
    /// Whether it gives the bytes of the first one; asked once, of others.
    std::function<bool()> proven = {};
  };
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  /// The larger of two in the middle; of at least one number.
  static double median(std::vector<double> numbers);

  /// Runs of a kernel before one is chosen.
  static constexpr std::size_t kRuns = 7;
  /// Part by which a kernel must be faster than the step's own, to be kept.
  static constexpr double kGain = 0.02;
  /// A kernel this much slower than another one is tried no more, once both ran twice.
  static constexpr double kHopeless = 1.3;

  /// The step's own kernel first. `chosen`: known from before; one that there is not counts as nothing.
  explicit Adaptation(std::vector<Kernel> kernels, std::optional<std::size_t> chosen = {}, Clock clock = now);

  /// Finds the kernel of the next run, which may have to be proven first: run() does it where it was not
  /// done, and a time of that run would include the proof.
  void prepare();
  /// One inference's run of the step.
  void run();
  const StepUse& use() const { return use_; }

 private:
  std::size_t next() const;
  bool is_proven(std::size_t kernel);
  void drop_hopeless();
  void choose_when_all_have_run();

  std::vector<Kernel> kernels_;
  Clock clock_;
  std::vector<bool> proven_;  ///< whether each kernel is proven
  std::optional<std::size_t> prepared_;
  StepUse use_;
};

}  // namespace vdla::runtime
