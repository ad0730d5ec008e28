// SPDX-License-Identifier: Apache-2.0
// Activations that stay in inp between layers. Such an image lies there as in DRAM ([h][w][channels], padded
// channels, one entry for each block), inside a border of entries that hold what its readers take for
// padding. With a batch B > 1 an entry holds a block of B neighbouring pixels ([h][group][block][b][lane], a
// last group may have rows without a pixel); there is no border, since readers take whole groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"
#include "compiler/observe/observe.h"
#include "compiler/targets/vdla/templates/ops.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline::device {

/// Rows and columns around an image.
struct Border {
  std::int64_t top = 0, left = 0, bottom = 0, right = 0;
  bool any() const { return top + left + bottom + right > 0; }
  bool operator==(const Border&) const = default;
};
/// The larger one on each side.
Border around_both(const Border& a, const Border& b);
/// The image with its border.
Image bordered(const Image& image, const Border& border);

/// Border that windows reach beyond the image.
Border reach_beyond(const Image& in, const Image& out, const SlidingWindow& window);

/// Padding around a layer's first input that it reads.
struct Padding {
  Border border;
  std::int32_t value = 0;  ///< value in the border
};
Padding padding_of(const Op& op);

/// Residence of a layer's activations: in inp with such a border, or in DRAM.
struct Residence {
  std::optional<Border> input, second_input, output;
  /// Whether each input of a layer that moves lies where the output wants it. Empty: none of them does.
  std::vector<bool> in_place = {};

  bool is_in_place(std::size_t i) const { return i < in_place.size() && in_place[i]; }
};

/// Why no result at all can stay in inp on a machine of this shape, or nothing.
std::optional<std::string> bound_by_shape(const isa::Geometry& geometry);
/// Why a layer's result (or input) cannot be in inp, or nothing.
std::optional<std::string> bound_to_dram(const Op& op, const isa::Geometry& geometry);
/// Why a layer cannot read its input `input` in inp, or nothing.
std::optional<std::string> unreadable_in_inp(const Op& op, std::size_t input, const isa::Geometry& geometry);
/// Entries of inp that an image takes, with its border.
std::int64_t inp_entries(const Image& image, const Border& border, const isa::Geometry& geometry);
/// The entry of inp that begins `bytes` behind the first one of an image there.
std::int64_t inp_entry(std::int64_t bytes, const isa::Geometry& geometry);

/// A function that fills a border: each parameter is a rectangle of it, in inp.
struct BorderFill {
  loop::Func func;
  std::vector<std::int64_t> offsets;  ///< elements from the start of the image with its border, by parameter
};
/// Fill of an image's border; nothing where it has none.
std::optional<BorderFill> fill_border(const Image& image, const Border& border, std::int32_t value,
                                      const isa::Geometry& geometry, const Watch& watch = {});

}  // namespace vdla::pipeline::device
