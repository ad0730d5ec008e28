// SPDX-License-Identifier: Apache-2.0
#include "support/interrupt.h"

namespace vdla {
namespace {

struct Unfinished {
  std::mutex mutex;
  std::list<std::function<std::string()>> actions;
};

/// Never destroyed: a signal may come while the process ends.
Unfinished& unfinished() {
  static auto* const instance = new Unfinished;
  return *instance;
}

}  // namespace

Uninterrupted::Uninterrupted() : lock_(unfinished().mutex) {}

void Uninterrupted::become_child() {
  unfinished().actions.clear();
  lock_.unlock();
}

OnInterrupt::OnInterrupt(const Uninterrupted&, std::function<std::string()> action)
    : at_(unfinished().actions.insert(unfinished().actions.end(), std::move(action))) {}

OnInterrupt::~OnInterrupt() {
  if (!noted_) return;
  cancel(Uninterrupted());
}

void OnInterrupt::cancel(const Uninterrupted&) {
  if (noted_) unfinished().actions.erase(at_);
  noted_ = false;
}

std::vector<std::string> interrupt() {
  unfinished().mutex.lock();  // for ever
  std::vector<std::string> said;
  auto& actions = unfinished().actions;
  for (auto action = actions.rbegin(); action != actions.rend(); ++action) {
    std::string text = (*action)();
    if (!text.empty()) said.push_back(std::move(text));
  }
  return said;
}

}  // namespace vdla
