// SPDX-License-Identifier: Apache-2.0
// An image as values in the layout of a model's input. Private to input.cpp and pixels.cpp.
#pragma once

#include <optional>
#include <string>

#include "support/preprocessing.h"
#include "tools/data/image_values.h"
#include "tools/data/input_spec.h"
#include "tools/data/npy.h"

namespace vdla::tools {

/// Extents that an input has for each of its images.
struct ImageExtents {
  int height = 0, width = 0, channels = 0;
};
/// Returns them; UserError, beginning with `subject`, for an input that is not of rank 4.
ImageExtents image_extents(const InputSpec& spec, const std::string& subject);

/// Extents of an image that was fitted to its input: as it was, and as it was before its middle was taken.
struct Fitted {
  int height = 0, width = 0, resized_height = 0, resized_width = 0;
};

/// One image, with a first extent of 1: real values, or bytes of the input's own type.
struct ImageValues {
  NpyArray values;
  bool is_raw = false;  ///< bytes whose meaning as real values neither the model nor a flag says
  std::optional<Fitted> fitted;
};

/// Lays an image out for the input. Where `pixels` says no size, an image of other extents is resized so that
/// it covers the input, at its own ratio, and its middle is taken; after a --resize without --crop, the
/// middle is. UserError names `path`, the extents seen and those needed.
///
/// A quantised input takes the bytes of the pixels where its range does not hold 0..255 and `pixels` does not
/// normalise. A uint8 input takes them also where the normalisation changes nothing (mean 0, std 1), as
/// TFLite's metadata of uint8 networks says.
ImageValues image_values(Image image, const InputSpec& spec, const Preprocessing& pixels,
                         const std::string& path);

}  // namespace vdla::tools
