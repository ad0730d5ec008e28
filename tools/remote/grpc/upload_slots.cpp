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

void UploadSlots::Entry::end() {
  waits = false;
  ended = true;
  end_call();
}

void UploadSlots::end_oldest() {
  auto oldest = std::ranges::find_if(open_, [](const Entry& e) { return !e.ended && !e.has_head; });
  if (oldest == open_.end()) oldest = std::ranges::find(open_, false, &Entry::ended);
  oldest->end();
}

void UploadSlots::end_late(Clock::time_point now) {
  for (Entry& entry : open_)
    if (entry.waits && entry.until <= now) entry.end();
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
  const auto going_on = static_cast<std::size_t>(std::ranges::count(slots_.open_, false, &Entry::ended));
  if (going_on >= slots_.most_) slots_.end_oldest();
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
    entry_->waits = !entry_->ended;
  }
  slots_.changed_.notify_all();
  const bool more = read();
  const std::lock_guard lock(slots_.mutex_);
  entry_->waits = false;
  entry_->has_head = entry_->has_head || more;
  return more;
}

}  // namespace vdla::remote
