// SPDX-License-Identifier: Apache-2.0
// The inputs of run, eval and quantize: flags before what the model keeps, and sentences about what would
// otherwise go wrong without a word.
#pragma once

#include <string>
#include <vector>

#include "tools/data/input.h"

namespace vdla::tools {

struct LoadedInput {
  std::vector<Sample> samples;
  bool pixels = false;             ///< some were images
  Preprocessing used;              ///< steps used for the images
  std::vector<std::string> notes;  ///< for the reader: overridden, guessed, cut off
};

/// load_samples() with `flags` before `kept`. UserError for flags that do nothing for these files.
LoadedInput load_input(const std::string& path, const InputSpec& spec, const Preprocessing& flags,
                       const Preprocessing& kept);

/// UserError when a flag is set: `input` is no image.
void refuse_flags(const Preprocessing& flags, const std::string& input);

/// UserError when images of which `pixels` speaks are no input of the network: another rank, another number
/// of channels, a crop of another size.
void check_pixels_fit(const Preprocessing& pixels, const InputSpec& spec);

/// The six ways from pixels to values that most networks were trained with: normalisations, one of them with
/// blue first.
std::vector<Preprocessing> usual_preprocessing();

/// The usual normalisations whose values fit a range, as flags; what fills it best first.
std::vector<std::string> usual_normalisations(const InputSpec::Range& range);

}  // namespace vdla::tools
