// SPDX-License-Identifier: Apache-2.0
// Steps from an image to the input of a network: what flags say, models and modules keep, and readers of
// images do.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace vdla {

/// real = (pixel * scale - mean) / std, pixel 0..255.
struct Normalisation {
  double scale = 1;
  std::vector<double> mean, std;  ///< empty (0 and 1), one for all channels, or one each
  bool operator==(const Normalisation&) const = default;
};

struct ImageSize {
  int height = 0, width = 0;  ///< width 0: `height` is that of the shorter side
  bool operator==(const ImageSize&) const = default;
};

/// Steps in this order; what is absent is not done, and nothing is known of absent values.
struct Preprocessing {
  std::optional<ImageSize> resize;
  std::optional<ImageSize> crop;  ///< centre
  bool bgr = false;               ///< blue, green, red
  std::optional<Normalisation> normalise;
  bool operator==(const Preprocessing&) const = default;

  bool empty() const { return *this == Preprocessing{}; }
};

/// "scale=0.0078,mean=0.485:0.456:0.406,std=1"; UserError, starting with `flag`, names the part that is
/// wrong.
Normalisation parse_normalise(const std::string& text, const std::string& flag = "--normalise");
/// "224x192", or "224": a square, for `shorter_side` that of the shorter side.
ImageSize parse_size(const std::string& text, const std::string& flag, bool shorter_side = false);

/// Text that the parsers read back.
std::string to_string(const Normalisation& normalise);
std::string to_string(const ImageSize& size);
/// As flags: "--resize 256 --crop 224x224 --bgr --normalise scale=1,mean=127.5,std=127.5".
std::string to_string(const Preprocessing& preprocessing);

/// As names and values, for files: "normalise", "resize", "crop", "bgr".
struct Field {
  std::string name, value;
};
std::vector<Field> to_fields(const Preprocessing& preprocessing);
/// UserError starting with `where` for a field that is unknown or wrong.
Preprocessing from_fields(const std::vector<Field>& fields, const std::string& where);

/// `over` where it says something, `under` elsewhere.
Preprocessing merge(const Preprocessing& over, const Preprocessing& under);

/// UserError, starting with `where`, for what no image can be made with: numbers that are not finite, a
/// division by 0, sizes below 1 or above 16384, means that are neither one nor one for each of three
/// channels.
void check_preprocessing(const Preprocessing& preprocessing, const std::string& where);

}  // namespace vdla
