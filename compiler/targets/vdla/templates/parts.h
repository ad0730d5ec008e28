// SPDX-License-Identifier: Apache-2.0
// Places of a concatenation's parts in its result, and of a selection in its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/targets/vdla/templates/ops.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline::device {

/// An input, or channels of one value.
struct Part {
  Image image;
  std::optional<std::size_t> input;
  std::int64_t row = 0, column = 0, channel = 0;  ///< numbers of these in front of it
};

/// The parts in the order in which they must be stored: the last block of one may reach into the next, which
/// is stored over it. Bytes of the last block that no other part has are a part behind the last channel.
std::vector<Part> parts_of(const Concat& op, const isa::Geometry& geometry);
/// First byte of a pixel behind the blocks of a part.
std::int64_t end_of(const Part& part, const isa::Geometry& geometry);

/// Numbers of pixels and channels of the input in front of a selection whose pixels follow each other there.
struct Within {
  std::int64_t pixels = 0, channels = 0;
};
/// Nothing where no view of the input is the selection.
std::optional<Within> within(const Select& op, const isa::Geometry& geometry);

}  // namespace vdla::pipeline::device
