// SPDX-License-Identifier: Apache-2.0
// Depths of the units' queues beside what the geometry says. One definition for verifier, engines and RTL.
#pragma once

#include <cstddef>

namespace vdla::isa {

/// Instructions of a unit that have started and not retired: the next ones start while older ones still work
/// or wait for room for their tokens.
inline constexpr std::size_t kInflightDepth = 16;

}  // namespace vdla::isa
