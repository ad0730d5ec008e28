// SPDX-License-Identifier: Apache-2.0
// Random programs as jobs, and the runs of them that tests of engines with time share.
#pragma once

#include <ostream>
#include <vector>

#include "isa/random/random.h"
#include "isa/variants/variants.h"
#include "sim/lockstep/job.h"

namespace vdla::sim {

inline Job random_job(const isa::Geometry& geometry, const isa::RandomOptions& options, unsigned skew = 0) {
  isa::RandomProgram random = isa::random_program(geometry, options);
  Job job;
  job.program = std::move(random.program);
  job.contents = std::move(random.contents);
  job.skew = skew;
  return job;
}

inline Job random_job(const isa::Geometry& geometry, std::uint64_t seed) {
  return random_job(geometry, {.seed = seed}, static_cast<unsigned>(seed % 5));
}

/// Programs of one kind on one machine.
struct RandomRuns {
  const char* name;
  isa::Variant variant;
  unsigned first;  ///< seed
  unsigned seeds;
  isa::RandomOptions options{};

  Job job(unsigned seed) const {
    isa::RandomOptions seeded = options;
    seeded.seed = seed;
    return random_job(variant.geometry, seeded, seed % 5);
  }
};

inline void PrintTo(const RandomRuns& runs, std::ostream* out) { *out << runs.name; }

/// Small programs on two machines, other timings of the memory, long programs with and without tokens that
/// they do not need.
inline std::vector<RandomRuns> random_runs() {
  const isa::Variant tiny = isa::load_variant("tiny"), paper = isa::load_variant("paper");
  isa::Variant impatient = tiny, slow = tiny;
  impatient.timing.dram_latency = 7;
  impatient.timing.dram_outstanding = slow.timing.dram_outstanding = 2;
  slow.timing.dram_latency = 150;
  slow.timing.dram_bytes_per_cycle = 2;
  return {{"Tiny", tiny, 1, 100},
          {"Paper", paper, 1, 40},
          {"QuickMemory", impatient, 100, 15},
          {"SlowMemory", slow, 200, 15},
          {"LongOnTiny", tiny, 300, 8, {.insns = 200, .max_steps = 600}},
          {"LongOnPaper", paper, 400, 8, {.insns = 200, .max_steps = 600, .redundant_tokens = 0}}};
}

}  // namespace vdla::sim
