// SPDX-License-Identifier: Apache-2.0
// Repairs XRT's emulation (hw_emu of XRT 2.13) so that a program outlives it. Nothing of this happens with a
// card.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace vdla::driver {

/// Whether XRT emulates the card: XCL_EMULATION_MODE is set.
bool xrt_is_emulated();

/// While the emulation opens a card, it prints, and it reopens stdout in a process that it forks, which a
/// stream that is no file does not outlive: meanwhile stdout is standard error.
class PrintsToStandardError {
 public:
  PrintsToStandardError();
  ~PrintsToStandardError();
  PrintsToStandardError(const PrintsToStandardError&) = delete;
  PrintsToStandardError& operator=(const PrintsToStandardError&) = delete;

 private:
  std::FILE* kept_;
  std::FILE* stream_;
};

/// Most bytes that the emulation moves at once.
inline constexpr std::uint64_t kLongestTransfer = 512 << 10;

/// After the opening of an emulated card, before its configuration is loaded: some of what the emulation's
/// library calls is replaced, for that library alone.
///
/// * It has one buffer for messages, enlarges it by realloc() and goes on with the old address: malloc() and
///   realloc() make the buffer large enough from the start, if transfers are no longer than kLongestTransfer.
/// * It sleeps for ten seconds where it should look again: ten milliseconds, on this thread.
/// * It writes a log into the folder of the program: readlink() says $SDACCEL_EM_RUN_DIR, where that is set.
///
/// Says what could not be replaced: without it the emulation writes over the heap, so the program must end.
/// Empty: all is well.
std::string mend_emulation();

/// The emulation sleeps for ten seconds and crashes when the process takes it down: the process ends before
/// that, with the status that it would have. For what XRT has noted for the end of the process by now.
void end_before_emulation();

}  // namespace vdla::driver
