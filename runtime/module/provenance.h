// SPDX-License-Identifier: Apache-2.0
// Origin of a module: for people and build systems, and for nothing that computes.
#pragma once

#include <string>

namespace vdla::runtime {

/// Nothing in it names a place on the machine that made the module.
struct Provenance {
  std::string producer;        ///< kit and version
  std::string command;         ///< the command line, paths reduced to file names, the output left out
  std::string model_file;      ///< the model's file name
  std::string model_sha256;    ///< hash of that file; hexadecimal
  unsigned tuned_threads = 0;  ///< threads for which the knobs of layers on the CPU were tuned; 0: not said
  std::string tuned_device;    ///< GPU on which the knobs of its functions were timed; empty: not said
  bool operator==(const Provenance&) const = default;
};

}  // namespace vdla::runtime
