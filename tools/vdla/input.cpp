// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/input.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "support/error.h"
#include "support/file_kind.h"
#include "tools/vdla/files.h"
#include "tools/vdla/image.h"
#include "tools/vdla/npy.h"
#include "tools/vdla/tables.h"

namespace vdla::tools {
namespace fs = std::filesystem;
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (auto extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

const char* type_text(InputType t) {
  switch (t) {
    case InputType::Int8:
      return "int8";
    case InputType::UInt8:
      return "uint8";
    case InputType::Float32:
      return "float32";
  }
  return "?";
}

/// Quantises real values (rounded as the model's format does, saturating) or stores them as float.
std::vector<std::byte> encode(const std::vector<double>& real, const InputSpec& spec) {
  std::vector<std::byte> bytes(spec.bytes());
  for (std::size_t i = 0; i < real.size(); ++i) {
    VDLA_CHECK_USER(!std::isnan(real[i]))
        << "value " << i << " for input '" << spec.name << "' is not a number";
    if (spec.type == InputType::Float32) {
      const auto value = static_cast<float>(real[i]);
      std::memcpy(bytes.data() + 4 * i, &value, 4);
      continue;
    }
    const double low = spec.type == InputType::Int8 ? -128 : 0;
    const double q = std::clamp(rounded(real[i] / spec.scale, spec.rounding) + spec.zero, low, low + 255);
    bytes[i] = static_cast<std::byte>(static_cast<int>(q));
  }
  return bytes;
}

struct ImageShape {
  int height, width, channels;
};

ImageShape image_shape(const InputSpec& spec, const std::string& path) {
  VDLA_CHECK_USER(spec.shape.size() == 4) << path << ": an image needs a model input of rank 4, input '"
                                          << spec.name << "' is " << shape_text(spec.shape);
  const auto& s = spec.shape;
  auto at = [&](int i) { return static_cast<int>(s[static_cast<std::size_t>(i)]); };
  if (spec.channels_first) return {at(2), at(3), at(1)};
  return {at(1), at(2), at(3)};
}

/// An HWC image of 0..255 to the model's input.
std::vector<std::byte> encode_image(Image image, const InputSpec& spec, const PixelOptions& o,
                                    const std::string& path) {
  const ImageShape need = image_shape(spec, path);
  if (o.resize)
    image = o.resize_shorter ? resize_shorter(image, (*o.resize)[0])
                             : resize(image, (*o.resize)[0], (*o.resize)[1]);
  if (o.crop) image = centre_crop(image, (*o.crop)[0], (*o.crop)[1], path);
  if (image.channels != need.channels) image = convert_channels(image, need.channels, path);
  VDLA_CHECK_USER(image.height == need.height && image.width == need.width)
      << path << ": the image is " << image.height << "x" << image.width << ", input '" << spec.name
      << "' needs " << need.height << "x" << need.width << "; use --resize or --crop";
  std::vector<double> real(static_cast<std::size_t>(spec.elements()));
  auto of = [](const std::vector<double>& v, int c, double fallback) {
    return v.empty() ? fallback : v[v.size() == 1 ? 0 : static_cast<std::size_t>(c)];
  };
  for (int y = 0; y < need.height; ++y)
    for (int x = 0; x < need.width; ++x)
      for (int c = 0; c < need.channels; ++c) {
        const double pixel = image.at(y, x, o.bgr ? need.channels - 1 - c : c);
        const double value = (pixel * o.scale - of(o.mean, c, 0)) / of(o.std, c, 1);
        const int i = spec.channels_first ? (c * need.height + y) * need.width + x
                                          : (y * need.width + x) * need.channels + c;
        real[static_cast<std::size_t>(i)] = value;
      }
  return encode(real, spec);
}

std::vector<Sample> from_npy(const std::string& path, const InputSpec& spec) {
  const NpyArray array = read_npy(path);
  std::vector<std::int64_t> one(spec.shape);
  const std::vector<std::int64_t> inner(spec.shape.begin() + (spec.shape.empty() ? 0 : 1), spec.shape.end());
  std::int64_t count = 0;
  if (array.shape == one || array.shape == inner) {
    count = 1;
  } else if (array.shape.size() == one.size() &&
             std::equal(inner.begin(), inner.end(), array.shape.begin() + 1)) {
    count = array.shape[0];
  }
  VDLA_CHECK_USER(count > 0) << path << ": has shape " << shape_text(array.shape) << ", input '" << spec.name
                             << "' needs " << shape_text(one) << " (or more of them in the first dimension)";
  const bool as_is = (array.type == "|i1" && spec.type == InputType::Int8) ||
                     (array.type == "|u1" && spec.type == InputType::UInt8) ||
                     (array.type == "<f4" && spec.type == InputType::Float32);
  const bool real = array.type[1] == 'f' || spec.type == InputType::Float32;
  VDLA_CHECK_USER(as_is || real) << path << ": has type " << array.type << ", input '" << spec.name
                                 << "' needs " << type_text(spec.type) << " or real values as float32";
  const std::vector<double> values = as_is ? std::vector<double>{} : to_real(array);
  std::vector<Sample> samples;
  const auto per = static_cast<std::size_t>(spec.elements());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    Sample s{fs::path(path).stem().string(), {}, {}};
    if (count > 1) s.name += "#" + std::to_string(i);
    if (as_is) {
      const auto begin = array.bytes.begin() + static_cast<std::ptrdiff_t>(i * spec.bytes());
      s.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(spec.bytes()));
    } else {
      s.bytes = encode({values.begin() + static_cast<std::ptrdiff_t>(i * per),
                        values.begin() + static_cast<std::ptrdiff_t>((i + 1) * per)},
                       spec);
    }
    samples.push_back(std::move(s));
  }
  return samples;
}

/// CIFAR-10's records: a label byte, then 1024 red, 1024 green, 1024 blue.
std::vector<Sample> from_cifar(const std::vector<std::byte>& file, const std::string& path,
                               const InputSpec& spec, const PixelOptions& options) {
  std::vector<Sample> samples;
  for (std::size_t at = 0; at + kCifarRecord <= file.size(); at += kCifarRecord) {
    Image image{32, 32, 3, std::vector<float>(3 * 32 * 32)};
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < 1024; ++i)
        image.pixels[3 * i + c] = static_cast<float>(file[at + 1 + 1024 * c + i]);
    samples.push_back({fs::path(path).stem().string() + "#" + std::to_string(samples.size()),
                       encode_image(std::move(image), spec, options, path), static_cast<int>(file[at])});
  }
  return samples;
}

std::vector<Sample> from_bin(const std::string& path, const InputSpec& spec, const PixelOptions& options) {
  const auto file = read_file(path);
  if (file.size() == spec.bytes()) return {{fs::path(path).stem().string(), file, {}}};
  const bool cifar_input = spec.elements() == 3 * 32 * 32;
  if (cifar_input && !file.empty() && file.size() % kCifarRecord == 0)
    return from_cifar(file, path, spec, options);
  throw UserError(path + ": has " + std::to_string(file.size()) + " bytes, input '" + spec.name + "' needs " +
                  std::to_string(spec.bytes()) + " (" + type_text(spec.type) + " " + shape_text(spec.shape) +
                  ")" + (cifar_input ? ", or CIFAR-10 records of 3073 bytes" : ""));
}

}  // namespace

std::int64_t InputSpec::elements() const {
  std::int64_t n = 1;
  for (auto extent : shape) n *= extent;
  return n;
}

std::size_t InputSpec::bytes() const {
  return static_cast<std::size_t>(elements()) * (type == InputType::Float32 ? 4 : 1);
}

std::vector<Sample> load_samples(const std::string& path, const InputSpec& spec,
                                 const PixelOptions& options) {
  VDLA_CHECK_USER(fs::exists(path)) << path << ": cannot be read: No such file or directory";
  if (fs::is_directory(path)) {
    std::vector<Sample> all;
    for (const std::string& file : files_of(path)) {
      if (fs::path(file).extension() == ".csv" || fs::path(file).extension() == ".txt") continue;
      auto some = load_samples(file, spec, options);
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }
  std::string kind = fs::path(path).extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
  if (kind == ".npy") return from_npy(path, spec);
  if (kind == ".bin") return from_bin(path, spec, options);
  if (kind == ".png" || kind == ".jpg" || kind == ".jpeg")
    return {{fs::path(path).stem().string(), encode_image(read_image(path), spec, options, path), {}}};
  const std::string needed = ".npy, .bin, .png, .jpg or a folder of them";
  const FileKind content = file_kind(read_file(path));
  VDLA_CHECK_USER(content == FileKind::Unknown || is_text(content))
      << path << ": the kind '" << kind << "' of input is not known; it " << wrong_kind(content, needed);
  throw UserError(path + ": the kind '" + kind + "' of input is not known, needs " + needed);
}

Sample random_sample(const InputSpec& spec, std::uint64_t seed) {
  std::uint64_t state = seed;
  auto next = [&] {  // splitmix64
    std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  };
  Sample s{"random" + std::to_string(seed), std::vector<std::byte>(spec.bytes()), {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(spec.elements()); ++i) {
    const auto byte = static_cast<std::uint8_t>(next() >> 56);
    if (spec.type == InputType::Float32) {
      // The values that the first quantisation can tell apart.
      const auto value = static_cast<float>(spec.scale * (static_cast<std::int8_t>(byte) - spec.zero));
      std::memcpy(s.bytes.data() + 4 * i, &value, 4);
    } else {
      s.bytes[i] = static_cast<std::byte>(byte);
    }
  }
  return s;
}

namespace {

double parse_number(const std::string& text, const std::string& flag) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  VDLA_CHECK_USER(used == text.size() && used != 0) << flag << ": '" << text << "' is not a number";
  return value;
}

}  // namespace

void parse_normalise(const std::string& text, PixelOptions& options) {
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto equals = part.find('=');
    const std::string key = part.substr(0, equals);
    VDLA_CHECK_USER(equals != std::string::npos && (key == "scale" || key == "mean" || key == "std"))
        << "--normalise: '" << part << "' is not scale=, mean= or std=";
    std::vector<double> values;
    std::stringstream list(part.substr(equals + 1));
    for (std::string item; std::getline(list, item, ':');)
      values.push_back(parse_number(item, "--normalise " + key));
    VDLA_CHECK_USER(values.size() == 1 || (values.size() == 3 && key != "scale"))
        << "--normalise: " << key << " has " << values.size() << " values, needs 1"
        << (key == "scale" ? "" : " or 3 (a:b:c)");
    if (key == "scale") options.scale = values[0];
    if (key == "mean") options.mean = values;
    if (key == "std") {
      VDLA_CHECK_USER(std::find(values.begin(), values.end(), 0.0) == values.end())
          << "--normalise: std is 0, needs a divisor";
      options.std = values;
    }
  }
}

std::array<int, 2> parse_size(const std::string& text, const std::string& flag) {
  const auto cross = text.find('x');
  const double h = parse_number(text.substr(0, cross), flag);
  const double w = cross == std::string::npos ? h : parse_number(text.substr(cross + 1), flag);
  VDLA_CHECK_USER(h >= 1 && w >= 1 && h <= 16384 && w <= 16384 && h == std::floor(h) && w == std::floor(w))
      << flag << ": '" << text << "' is not a size, needs e.g. 224 or 224x192";
  return {static_cast<int>(h), static_cast<int>(w)};
}

}  // namespace vdla::tools
