// SPDX-License-Identifier: Apache-2.0
// Signals of the command line: what ends it leaves nothing partial behind and says so in one line.
#pragma once

#include <string>

namespace vdla::tools {

/// From here on SIGINT, SIGTERM and SIGHUP (those that were not ignored) end what is unfinished
/// (support/interrupt.h), print one line that begins with `command`, and then end the process as they would
/// have; a second one does so at once. Writing to a closed pipe or beyond a limit on files is an error of the
/// write. Call it before any thread is made.
void handle_signals(const std::string& command);

/// Ends the process as an unhandled write to a closed pipe does: without a word. Returns where that was
/// ignored before handle_signals().
void die_of_closed_pipe();

}  // namespace vdla::tools
