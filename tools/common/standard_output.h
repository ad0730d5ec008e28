// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error as the program writes them, by whatever means (stdio, fmt, std::cout).
// Names in models, boards and messages of other programs are a stranger's: control characters other than the
// ends of lines and tabs leave as "\u001b" (support/inert.h), which JSON reads as the same text.
#pragma once

#include <string>

namespace vdla::tools {

/// Remembers the first write to standard output that fails, with its reason. stdio and std::cout keep a flag
/// alone and throw the bytes away, so that a later flush succeeds. To be called before anything is printed;
/// the program ends with finish_standard_output().
void watch_standard_streams();

/// Sends what is printed from here on to standard error: standard output is a file that the command writes.
void print_to_standard_error();

/// Puts a line in the place of the last one on the terminal that standard error is; the only text that moves
/// the cursor.
void print_over(const std::string& line);

/// Writes what is left; 0, or the errno of the first write to standard output that failed.
int finish_standard_output();

}  // namespace vdla::tools
