// SPDX-License-Identifier: Apache-2.0
#include "driver/xrt/card_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "driver/linux/owner.h"

namespace vdla::driver {

CardPlace place_of_card(const std::string& bus_address) {
  return {"card " + bus_address, "/sys/bus/pci/devices/" + bus_address, false};
}

CardPlace place_of_emulated_card() {
  const char* folder = std::getenv("SDACCEL_EM_RUN_DIR");
  if (folder == nullptr) return {};
  return {std::string("the emulated card in ") + folder, std::string(folder) + "/vdla_card.lock", true};
}

vdla_driver_status CardLock::take(const CardPlace& card, std::string& why) {
  if (card.path.empty()) return VDLA_DRIVER_OK;
  file_ = open(card.path.c_str(), O_RDONLY | O_CLOEXEC | (card.made ? O_CREAT : 0), 0600);
  if (file_ < 0 && errno == ENOENT) return VDLA_DRIVER_OK;  // an address that is none of this bus
  if (file_ < 0) {
    why = "cannot open " + card.path + ": " + std::strerror(errno);
    return VDLA_DRIVER_TRANSPORT;
  }
  std::array<char, VDLA_MESSAGE_BYTES> message{};
  const vdla_driver_status status = vdla_take(file_, card.name.c_str(), message.data(), message.size());
  why = message.data();
  if (status != VDLA_DRIVER_OK) give_back();
  return status;
}

void CardLock::give_back() {
  if (file_ >= 0) close(std::exchange(file_, -1));
}

}  // namespace vdla::driver
