// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/grpc/upload_slots.h"

#include <algorithm>

namespace vdla::remote {

UploadSlots::UploadSlots(std::size_t most, std::chrono::milliseconds patience)
    : most_(most), patience_(patience), watch_([this] { watch(); }) {}

UploadSlots::~UploadSlots() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  watch_.join();
}

void UploadSlots::end_late(Clock::time_point now) {
  for (Entry& entry : open_) {
    if (!entry.waits || entry.until > now) continue;
    entry.waits = false;
    entry.end();
  }
}

UploadSlots::Clock::time_point UploadSlots::next_end() const {
  Clock::time_point next = Clock::time_point::max();
  for (const Entry& entry : open_)
    if (entry.waits) next = std::min(next, entry.until);
  return next;
}

void UploadSlots::watch() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const Clock::time_point next = next_end();
    if (next == Clock::time_point::max())
      changed_.wait(lock);
    else
      changed_.wait_until(lock, next);
    end_late(Clock::now());
  }
}

UploadSlots::Upload::Upload(UploadSlots& slots, std::function<void()> end) : slots_(slots) {
  const std::lock_guard lock(slots_.mutex_);
  if (slots_.open_.size() >= slots_.most_) {
    auto oldest = std::ranges::find_if(slots_.open_, [](const Entry& e) { return e.waits && !e.has_head; });
    if (oldest == slots_.open_.end()) oldest = slots_.open_.begin();
    oldest->waits = false;
    oldest->end();
  }
  entry_ = slots_.open_.insert(slots_.open_.end(), Entry{std::move(end)});
}

UploadSlots::Upload::~Upload() {
  const std::lock_guard lock(slots_.mutex_);
  slots_.open_.erase(entry_);
}

bool UploadSlots::Upload::next(const std::function<bool()>& read) {
  {
    const std::lock_guard lock(slots_.mutex_);
    entry_->until = Clock::now() + slots_.patience_;
    entry_->waits = true;
  }
  slots_.changed_.notify_all();
  const bool more = read();
  const std::lock_guard lock(slots_.mutex_);
  entry_->waits = false;
  entry_->has_head = entry_->has_head || more;
  return more;
}

}  // namespace vdla::remote
