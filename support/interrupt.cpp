// SPDX-License-Identifier: Apache-2.0
#include "support/interrupt.h"

namespace vdla {
namespace {

struct Unfinished {
  std::mutex mutex;
  std::list<OnInterrupt::Action> actions;
  bool ending = false;  ///< interrupt() goes through the list
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

OnInterrupt::OnInterrupt(const Uninterrupted&, Action action)
    : at_(unfinished().actions.insert(unfinished().actions.end(), std::move(action))) {}

OnInterrupt::~OnInterrupt() {
  if (!noted_) return;
  cancel(Uninterrupted());
}

void OnInterrupt::cancel(const Uninterrupted&) {
  if (noted_ && unfinished().ending)
    *at_ = nullptr;
  else if (noted_)
    unfinished().actions.erase(at_);
  noted_ = false;
}

std::vector<std::string> interrupt() {
  static const auto* const held = new Uninterrupted;  // for ever
  unfinished().ending = true;
  std::vector<std::string> said;
  auto& actions = unfinished().actions;
  for (auto action = actions.rbegin(); action != actions.rend(); ++action) {
    if (!*action) continue;
    std::string text = (*action)(*held);
    if (!text.empty()) said.push_back(std::move(text));
  }
  return said;
}

}  // namespace vdla
