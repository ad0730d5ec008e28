// SPDX-License-Identifier: Apache-2.0
// The good programs whose mutants measure the verifier: compiled networks, parts of networks, single layers,
// and random legal programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/random/random.h"
#include "isa/verify/verify.h"
#include "sim/check/explore.h"

namespace vdla::bench {

struct Subject {
  std::string name;  ///< "digits on tiny"
  sim::Experiment experiment;
  isa::VerifyOptions options;  ///< facts of the windows that the verifier knows
};

Subject random_subject(const std::string& variant, const isa::RandomProgram& random);

/// `count` random legal programs.
std::vector<Subject> random_subjects(const std::string& variant, std::uint64_t seed, unsigned count,
                                     unsigned insns);

/// The device steps of a module file.
std::vector<Subject> module_subjects(const std::string& path);

/// The device steps of a model file compiled for a variant.
std::vector<Subject> model_subjects(const std::string& path, const std::string& variant);

/// A network of the zoo with all of its device nodes but `nodes` of them, from `first` on, on the CPU.
std::vector<Subject> zoo_subjects(const std::string& network, const std::string& variant, std::size_t first,
                                  std::size_t nodes);

}  // namespace vdla::bench
