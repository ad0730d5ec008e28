// SPDX-License-Identifier: Apache-2.0
// Labels and recorded outputs of a data set.
#pragma once

#include <string>
#include <vector>

namespace vdla::tools {

/// Labels of `count` samples in input order: a CSV of "name,[classes,]label", or CIFAR-10's binary layout
/// (first byte of each record of 3073). Throws UserError naming line, value and need.
std::vector<int> read_labels(const std::string& path, std::size_t count);

/// Recorded outputs in input order: a CSV of "name,v0,v1,...", all rows of the same length; more rows than
/// samples are allowed.
std::vector<std::vector<double>> read_goldens(const std::string& path, std::size_t count);

}  // namespace vdla::tools
