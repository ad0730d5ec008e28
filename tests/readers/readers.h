// SPDX-License-Identifier: Apache-2.0
// Reads files that the kit wrote with programs other than the kit.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace vdla::readers {

/// Results of tests/readers/read.py, which says what a `kind` is, one for each file; fails the test where one
/// is none.
std::vector<nlohmann::json> read_by_others(const std::string& kind, const std::vector<std::string>& files);
nlohmann::json read_by_others(const std::string& kind, const std::string& file);

/// Runs a line of the shell and returns what it prints; fails the test where its exit status is not 0.
std::string run_line(const std::string& line);

/// Whether a program is not on this machine.
bool missing(const std::string& program);

}  // namespace vdla::readers
