// SPDX-License-Identifier: Apache-2.0
// Standard output as the program writes it, by whatever means (stdio, fmt, std::cout).
#pragma once

namespace vdla::tools {

/// From here on the first write that fails is remembered with its reason. Neither stdio nor std::cout does
/// that: both keep a flag alone, and throw the bytes away, so that a later flush succeeds. Before anything is
/// printed.
void watch_standard_output();

/// What is printed from here on goes to standard error: standard output is a file that the command writes.
void print_to_standard_error();

/// Writes what is left; 0, or the errno of the first write that failed.
int finish_standard_output();

}  // namespace vdla::tools
