// SPDX-License-Identifier: Apache-2.0
// Sinks that keep or pass on: a recorder and a fan-out.
#pragma once

#include <vector>

#include "sim/trace/event.h"

namespace vdla::trace {

class Recorder final : public Sink {
 public:
  void event(const Event& e) override { events_.push_back(e); }
  const std::vector<Event>& events() const { return events_; }
  void clear() { events_.clear(); }

 private:
  std::vector<Event> events_;
};

/// Passes each event on to several sinks, which must outlive it.
class Fanout final : public Sink {
 public:
  explicit Fanout(std::vector<Sink*> sinks) : sinks_(std::move(sinks)) {}
  void event(const Event& e) override {
    for (Sink* sink : sinks_) sink->event(e);
  }

 private:
  std::vector<Sink*> sinks_;
};

}  // namespace vdla::trace
