// SPDX-License-Identifier: Apache-2.0
// Observers of what each pass of a compile makes (`vdla compile --print-after`, `vdla explain --loops`). Code
// that runs a pass shows its result to a Watch.
//
//   options.observer = [](const PassResult& r) { std::cerr << name_of(r.pass) << '\n' << r.text(); };
//
// Without an observer no text is made.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vdla::pipeline {

class WrittenSchedule;

/// The passes: compiler/observe/pass_list.h, which only files include that name one, so that a new
/// pass does not compile the whole pipeline again.
enum class Pass : std::uint8_t;

std::string_view name_of(Pass pass);
/// One line: what its text shows.
std::string_view text_of(Pass pass);
/// Passes in order.
std::vector<Pass> all_passes();
/// Pass over the device's stream (compiler/codegen/vdla/pass.h) or row of the CPU's table of lowering
/// (compiler/passes/target.h), which have names and order.
Pass pass_named(std::string_view name);

/// Result of a pass, for as long as the observer's call lasts.
struct PassResult {
  Pass pass;
  std::string_view layer;     ///< the node whose function it is; empty: of the whole network
  std::string_view function;  ///< its name; empty: of the whole network
  std::string_view gpu;       ///< the kind of GPU that the function is for; empty: the device or the CPU
  const std::function<std::string()>& text;
};

/// Called after each pass that a compile runs.
using Observer = std::function<void(const PassResult&)>;

/// Shows results of passes, of one layer or of the whole network, to the observer, where there is one, and
/// has the schedule that a person wrote for the layer. Both must outlive it.
class Watch {
 public:
  Watch() = default;
  /// `layer` and `gpu` as in PassResult.
  explicit Watch(const Observer& observer, std::string_view layer = {}, std::string_view gpu = {})
      : observer_(observer ? &observer : nullptr), layer_(layer), gpu_(gpu) {}
  /// `written`: in the place of the template's schedules; null: none.
  Watch(const Observer& observer, std::string_view layer, const WrittenSchedule* written)
      : observer_(observer ? &observer : nullptr), layer_(layer), written_(written) {}

  bool watches() const { return observer_ != nullptr; }

  /// The schedule that a person wrote for the layer, or null.
  const WrittenSchedule* written() const { return written_; }
  /// Tells whether the layer's own function is watched, and not one that it has beside it.
  bool is_own() const { return own_; }
  /// Returns the watch for a function that the layer has beside its own one.
  Watch beside() const {
    Watch other = *this;
    other.own_ = false;
    return other;
  }

  /// `text` gives the result as a std::string, and is called only when it is asked for.
  template <class Text>
  void operator()(Pass pass, std::string_view function, const Text& text) const {
    if (observer_) (*observer_)({pass, layer_, function, gpu_, std::function<std::string()>(text)});
  }
  /// Shows a result of the whole network.
  template <class Text>
  void operator()(Pass pass, const Text& text) const {
    (*this)(pass, {}, text);
  }

 private:
  const Observer* observer_ = nullptr;
  std::string_view layer_, gpu_;
  const WrittenSchedule* written_ = nullptr;
  bool own_ = true;
};

}  // namespace vdla::pipeline
