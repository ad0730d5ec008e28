// SPDX-License-Identifier: Apache-2.0
// Facts of a machine with a grid for schedule templates. Estimates take the figures below for granted; they
// order points of a space and say nothing of a machine's speed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vdla::pipeline::gpu {

struct GpuProfile {
  std::string_view name, about;
  std::int64_t most_threads;  ///< most threads that a template gives a block
  /// Bytes that it gives a block; 0: threads of a block share no memory worth using.
  std::int64_t shared_bytes;
  std::int64_t most_shared_bytes;  ///< bytes of a block whose launch asks for it
  std::int64_t sums;               ///< numbers that a thread keeps in registers
  std::int64_t registers;          ///< registers that a processor has for all of its threads
  std::int64_t vector;             ///< elements that a thread reads or writes at once
  std::int64_t processors;         ///< each runs blocks of its own
  std::int64_t lanes;              ///< multiply-accumulates of a processor in a cycle
  std::int64_t memory_bytes;       ///< bytes that all of them read or write in a cycle
  bool has_dp4a = false;           ///< four products of bytes, added to an integer, are one instruction
  bool has_tensor_cores = false;
  bool has_tf32 = false;  ///< these take products of f32, too, with factors rounded to 10 bits of fraction
  bool winograd = false;  ///< 3x3 convolutions of floats by compiler/targets/gpu/templates/winograd.h
};

/// All that there are, the default first.
std::span<const GpuProfile> profiles();
std::vector<std::string> profile_names();
/// "NAME: what it is; ..." for people.
std::string about_profiles();
/// UserError that lists the names for one that is none of them.
const GpuProfile& profile_named(std::string_view name);

}  // namespace vdla::pipeline::gpu
