// SPDX-License-Identifier: Apache-2.0
// One process at a time for a card.
#pragma once

#include <string>

#include "driver/core/types.h"

namespace vdla::driver {

/// Card as processes see it.
struct CardPlace {
  std::string name;   ///< name in sentences: "card 0000:03:00.1"
  std::string path;   ///< path of a file or folder that a lock is taken of; empty: there is none
  bool made = false;  ///< a file that is made where it is not there
};

/// A card's is the kernel's folder of its address on the bus: users of the card may read it, and it need not
/// be made. An emulated card's is a file in the folder that the emulation runs in, by SDACCEL_EM_RUN_DIR;
/// without that each process has an emulated card of its own.
CardPlace place_of_card(const std::string& bus_address);
CardPlace place_of_emulated_card();

/// A lock of a card's place (flock), which ends with the process however that ends.
class CardLock {
 public:
  CardLock() = default;
  ~CardLock() { give_back(); }
  CardLock(const CardLock&) = delete;
  CardLock& operator=(const CardLock&) = delete;

  /// OWNED and who has the card, or TRANSPORT; `why` is the sentence. A card that has no place is had by
  /// all: where XRT gives it to one only, XRT says so.
  vdla_driver_status take(const CardPlace& card, std::string& why);
  void give_back();

 private:
  int file_ = -1;
};

}  // namespace vdla::driver
