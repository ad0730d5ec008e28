// SPDX-License-Identifier: Apache-2.0
// Uploads that say nothing: thirty of them held all threads of a server, and a lease holder's run found none.
#include "tools/remote/grpc/upload_slots.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>

namespace vdla::remote {
namespace {

using namespace std::chrono_literals;

/// A call whose reads wait until it is ended, or until something comes.
class QuietDesk {
 public:
  explicit QuietDesk(UploadSlots& slots)
      : upload_(slots, [this] { ended_.set_value(); }), end_(ended_.get_future()) {}

  bool read_silence() {
    return upload_.next([this] {
      end_.wait();
      return false;
    });
  }
  bool read_message() {
    return upload_.next([] { return true; });
  }
  bool is_ended() const { return end_.wait_for(0s) == std::future_status::ready; }

 private:
  std::promise<void> ended_;
  UploadSlots::Upload upload_;
  std::future<void> end_;
};

TEST(UploadSlots, ASilentUploadEnds) {
  UploadSlots slots(4, 20ms);
  QuietDesk desk(slots);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(desk.read_silence());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
}

TEST(UploadSlots, TimeCountsForEachMessage) {
  UploadSlots slots(4, 200ms);
  QuietDesk desk(slots);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(desk.read_message());
  std::this_thread::sleep_for(250ms);  // the server's own work is nobody's silence
  EXPECT_FALSE(desk.is_ended());
  EXPECT_TRUE(desk.read_message());
  EXPECT_FALSE(desk.read_silence());
}

TEST(UploadSlots, ANewUploadTakesThePlaceOfTheOldestThatHasNotBegun) {
  UploadSlots slots(3, 60s);
  std::deque<QuietDesk> desks;
  desks.emplace_back(slots).read_message();  // has shown its head
  std::vector<std::thread> silent;
  for (int i = 1; i < 3; ++i) {
    QuietDesk& desk = desks.emplace_back(slots);
    silent.emplace_back([&desk] { desk.read_silence(); });
  }
  std::this_thread::sleep_for(20ms);
  desks.emplace_back(slots);
  silent[0].join();
  EXPECT_FALSE(desks[0].is_ended());
  EXPECT_TRUE(desks[1].is_ended());
  EXPECT_FALSE(desks[2].is_ended());
  desks.emplace_back(slots);
  silent[1].join();
  EXPECT_FALSE(desks[0].is_ended());
}

/// One that had sent its head, and more, was ended for others that had not read yet.
TEST(UploadSlots, AnUploadWithItsHeadStaysWhileOthersHaveNone) {
  UploadSlots slots(3, 60s);
  std::deque<QuietDesk> desks;
  desks.emplace_back(slots).read_message();
  for (int i = 1; i < 6; ++i) desks.emplace_back(slots);  // whose threads do not read yet
  for (std::size_t i = 0; i < desks.size(); ++i) EXPECT_EQ(desks[i].is_ended(), 1 <= i && i <= 3) << i;
}

TEST(UploadSlots, OneThatIsEndedTakesNoPlaceAndIsNotEndedAgain) {
  UploadSlots slots(2, 5ms);
  std::deque<QuietDesk> desks;
  desks.emplace_back(slots).read_message();
  EXPECT_FALSE(desks.emplace_back(slots).read_silence());  // its call has not left yet
  desks.emplace_back(slots).read_message();
  EXPECT_FALSE(desks[0].is_ended());
  desks.emplace_back(slots).read_message();
  EXPECT_TRUE(desks[0].is_ended()) << "the oldest, as each has its head";
  desks.emplace_back(slots);
  EXPECT_TRUE(desks[2].is_ended());
  EXPECT_FALSE(desks[3].is_ended());
}

}  // namespace
}  // namespace vdla::remote
