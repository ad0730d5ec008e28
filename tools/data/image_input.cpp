// SPDX-License-Identifier: Apache-2.0
#include "tools/data/image_input.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "support/error.h"
#include "tools/data/image.h"
#include "tools/data/whole_inputs.h"

namespace vdla::tools {
namespace {

/// Gives the image the extents of the input where the steps that were asked for leave others.
std::optional<Fitted> fit(Image& image, const ImageExtents& need, const Preprocessing& p,
                          const std::string& path) {
  if (p.crop || (image.height == need.height && image.width == need.width)) return std::nullopt;
  Fitted fitted{image.height, image.width, image.height, image.width};
  if (!p.resize) {
    const double scale = std::max(static_cast<double>(need.height) / image.height,
                                  static_cast<double>(need.width) / image.width);
    const auto scaled = [&](int extent, int least) {
      return std::max(least, static_cast<int>(std::lround(extent * scale)));
    };
    fitted.resized_height = scaled(image.height, need.height);
    fitted.resized_width = scaled(image.width, need.width);
    image = resize(image, fitted.resized_height, fitted.resized_width);
  }
  if (image.height >= need.height && image.width >= need.width)
    image = centre_crop(image, need.height, need.width, path);
  return fitted;
}

/// Gives the image the extents that the input needs; values stay 0..255, blue comes first with --bgr.
Image prepare(Image image, const InputSpec& spec, const Preprocessing& p, const std::string& path,
              std::optional<Fitted>& fitted) {
  const ImageExtents need = image_extents(spec, path);
  if (p.resize)
    image = p.resize->width == 0 ? resize_shorter(image, p.resize->height)
                                 : resize(image, p.resize->height, p.resize->width);
  if (p.crop) image = centre_crop(image, p.crop->height, p.crop->width, path);
  if (image.channels != need.channels) image = convert_channels(image, need.channels, path);
  fitted = fit(image, need, p, path);
  VDLA_CHECK_USER(image.height == need.height && image.width == need.width)
      << path << ": the image is " << image.height << "x" << image.width << " after "
      << to_string(Preprocessing{.resize = p.resize, .crop = p.crop, .normalise = {}}) << ", input '"
      << spec.name << "' needs " << need.height << "x" << need.width;
  VDLA_CHECK_USER(!p.bgr || need.channels == 3)
      << "--bgr: input '" << spec.name << "' has " << need.channels << " channels, needs 3; leave it out";
  if (p.bgr)
    for (std::size_t i = 0; i < image.pixels.size(); i += 3) std::swap(image.pixels[i], image.pixels[i + 2]);
  return image;
}

/// One value for all channels, or one for each.
double of_channel(const std::vector<double>& values, int c, int channels, double otherwise) {
  if (values.empty()) return otherwise;
  if (values.size() == 1) return values[0];
  VDLA_CHECK_USER(values.size() == static_cast<std::size_t>(channels))
      << "--normalise: has values for " << values.size() << " channels, the input has " << channels;
  return values[static_cast<std::size_t>(c)];
}

/// Returns the pixels, normalised, in the order of the input's elements.
std::vector<double> normalised(const Image& image, const InputSpec& spec, const Normalisation& n) {
  std::vector<double> real(image.pixels.size());
  for (int c = 0; c < image.channels; ++c) {
    const double mean = of_channel(n.mean, c, image.channels, 0),
                 std = of_channel(n.std, c, image.channels, 1);
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) {
        const int i = spec.channels_first ? (c * image.height + y) * image.width + x
                                          : (y * image.width + x) * image.channels + c;
        real[static_cast<std::size_t>(i)] = (image.at(y, x, c) * n.scale - mean) / std;
      }
  }
  return real;
}

bool changes_nothing(const Normalisation& n) {
  return n.scale == 1 && std::ranges::all_of(n.mean, [](double mean) { return mean == 0; }) &&
         std::ranges::all_of(n.std, [](double std) { return std == 1; });
}

bool takes_bytes(const InputSpec& spec, const Preprocessing& pixels) {
  const auto range = spec.range();
  if (spec.quantised_inside || runtime::bytes_of(spec.type) != 1 || !range || holds_pixels(*range))
    return false;
  return !pixels.normalise || (spec.type == runtime::DataType::UInt8 && changes_nothing(*pixels.normalise));
}

std::vector<std::byte> bytes_of(const std::vector<double>& pixels, runtime::DataType type) {
  const int zero = type == runtime::DataType::Int8 ? -128 : 0;
  std::vector<std::byte> bytes;
  bytes.reserve(pixels.size());
  for (const double pixel : pixels)
    bytes.push_back(static_cast<std::byte>(static_cast<int>(std::nearbyint(pixel)) + zero));
  return bytes;
}

std::vector<std::byte> bytes_of(const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(double));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

ImageExtents image_extents(const InputSpec& spec, const std::string& subject) {
  VDLA_CHECK_USER(spec.of_reals())
      << subject << ": an image needs a model input of int8, uint8, int16 with a scale or floats, input '"
      << spec.name << "' is " << name_of(spec.type);
  VDLA_CHECK_USER(spec.shape.size() == 4) << subject << ": an image needs a model input of rank 4, input '"
                                          << spec.name << "' is " << shape_text(spec.shape);
  const auto at = [&](std::size_t i) { return static_cast<int>(spec.shape[i]); };
  if (spec.channels_first) return {at(2), at(3), at(1)};
  return {at(1), at(2), at(3)};
}

ImageValues image_values(Image decoded, const InputSpec& spec, const Preprocessing& pixels,
                         const std::string& path) {
  std::optional<Fitted> fitted;
  const Image image = prepare(std::move(decoded), spec, pixels, path, fitted);
  const std::vector<double> real = normalised(image, spec, pixels.normalise.value_or(Normalisation{}));
  std::vector<std::int64_t> shape = spec.shape;
  shape[0] = 1;
  if (!takes_bytes(spec, pixels)) return {{"<f8", shape, bytes_of(real)}, false, fitted};
  const std::string type = spec.type == runtime::DataType::Int8 ? "|i1" : "|u1";
  return {{type, shape, bytes_of(real, spec.type)}, !pixels.normalise, fitted};
}

}  // namespace vdla::tools
