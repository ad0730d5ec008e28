// SPDX-License-Identifier: Apache-2.0
// Uploads that a server has open. Each holds one of its threads from its first byte on, before a desk has
// shown a lease: an upload that says nothing for too long ends, and there are few at once, so that runs
// always find a thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace vdla::remote {

class UploadSlots {
  using Clock = std::chrono::steady_clock;

  struct Entry {
    std::function<void()> end_call;  ///< ends the call: its next read gives nothing
    bool has_head = false;
    bool waits = false;  ///< it waits for a message
    bool ended = false;  ///< end() was called; the call is about to leave
    Clock::time_point until{};

    void end();
  };

 public:
  /// Allows `most` uploads at once, and `patience` for each message.
  UploadSlots(std::size_t most, std::chrono::milliseconds patience);
  ~UploadSlots();
  UploadSlots(const UploadSlots&) = delete;
  UploadSlots& operator=(const UploadSlots&) = delete;

  /// An upload for as long as it lives. Where there are as many as there may be, not counting those that are
  /// ended already, it ends the oldest one that has not sent its head; the oldest of all where each has.
  class Upload {
   public:
    Upload(UploadSlots& slots, std::function<void()> end);
    ~Upload();
    Upload(const Upload&) = delete;
    Upload& operator=(const Upload&) = delete;

    /// Reads a message by `read`, which is ended where that takes too long; false: no more comes.
    bool next(const std::function<bool()>& read);

   private:
    UploadSlots& slots_;
    std::list<Entry>::iterator entry_;
  };

 private:
  void watch();
  void end_oldest();
  void end_late(Clock::time_point now);
  Clock::time_point next_end() const;

  const std::size_t most_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry> open_;  ///< from the oldest on
  bool stop_ = false;
  std::thread watch_;
};

}  // namespace vdla::remote
