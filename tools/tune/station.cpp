// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/station.h"

#include "kit/session.h"
#include "support/error.h"

namespace vdla::tune {
namespace {

/// Nothing can be wrong with it.
class EngineHere final : public Station {
 public:
  bool acquire() override { return true; }
  bool health() override { return true; }
  bool reset() override { return true; }
  void release() override {}
  std::string reason() const override { return ""; }
  std::string engine() const override { return "systemc"; }

  /// Values are not computed: none of the cycles depends on them.
  double cycles(const runtime::Module& module) override {
    kit::SessionOptions how{.host_steps = false};
    how.engine.timing_only = true;
    kit::Session session(module, engine(), how);
    std::vector<runtime::Bytes> inputs;
    for (const auto& port : session.module().inputs)
      inputs.emplace_back(session.module().tensors[port.tensor].bytes());
    return static_cast<double>(session.run(inputs).cycles);
  }
};

}  // namespace

std::unique_ptr<Station> engine_here() { return std::make_unique<EngineHere>(); }

Outcome timed_at(Station& place, const runtime::Module& module) {
  std::string failure;
  const auto lost = [&]() -> Outcome {
    std::string reason = place.reason();
    if (!failure.empty()) reason += "; a program had failed there: " + failure;
    return {{"status", "lost"}, {"reason", reason}, {"broken", place.broken()}};
  };
  const auto usable = [&] { return place.acquire() && place.health() && place.reset(); };
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!place.acquire()) return lost();
    try {
      const double cycles = place.cycles(module);
      return {{"status", "ok"}, {"cycles", cycles}, {"engine", place.engine()}};
    } catch (const UserError& e) {
      failure = e.what();
    }
    if (place.health() && place.reset()) continue;
    // The program may be at work there still: the next one that takes the place gets it when that has ended.
    place.release();
    if (!usable()) return lost();
  }
  return {{"status", "failed"}, {"reason", failure}};
}

}  // namespace vdla::tune
