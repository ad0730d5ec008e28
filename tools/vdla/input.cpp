// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/input.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <span>

#include "support/error.h"
#include "support/file_kind.h"
#include "support/path.h"
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

/// What the readers below share.
struct Reader {
  const InputSpec& spec;
  const Preprocessing& pixels;
  InputUse& use;
};

void note(const Reader& r, double value) {
  InputUse& use = r.use;
  use.low = use.values == 0 ? value : std::min(use.low, value);
  use.high = use.values == 0 ? value : std::max(use.high, value);
  ++use.values;
  if (const auto range = r.spec.range()) {
    const double far = kFar * (range->high - range->low);
    use.cut += value < range->low - far || value > range->high + far;
  }
}

/// Quantises real values (rounded as the model's format does, saturating) or stores them as float. `where`
/// names the sample.
std::vector<std::byte> encode(std::span<const double> real, const Reader& r, const std::string& where) {
  const InputSpec& spec = r.spec;
  std::vector<std::byte> bytes(spec.bytes());
  for (std::size_t i = 0; i < real.size(); ++i) {
    VDLA_CHECK_USER(!std::isnan(real[i]))
        << where << ": value " << i << " for input '" << spec.name << "' is not a number";
    note(r, real[i]);
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

/// The bytes of a sample as they are; float32 ones are looked at.
std::vector<std::byte> as_they_are(std::span<const std::byte> bytes, const Reader& r,
                                   const std::string& where) {
  if (r.spec.type != InputType::Float32) return {bytes.begin(), bytes.end()};
  std::vector<double> real;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    float value;
    std::memcpy(&value, bytes.data() + at, 4);
    real.push_back(value);
  }
  return encode(real, r, where);
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

/// As the model wants it, values still 0..255, blue in front with --bgr.
Image prepare(Image image, const ImageShape& need, const Reader& r, const std::string& path) {
  const Preprocessing& p = r.pixels;
  if (p.resize)
    image = p.resize->width == 0 ? resize_shorter(image, p.resize->height)
                                 : resize(image, p.resize->height, p.resize->width);
  if (p.crop) image = centre_crop(image, p.crop->height, p.crop->width, path);
  if (image.channels != need.channels) image = convert_channels(image, need.channels, path);
  VDLA_CHECK_USER(image.height == need.height && image.width == need.width)
      << path << ": the image is " << image.height << "x" << image.width << ", input '" << r.spec.name
      << "' needs " << need.height << "x" << need.width << "; use --resize or --crop";
  VDLA_CHECK_USER(!p.bgr || need.channels == 3)
      << "--bgr: input '" << r.spec.name << "' has " << need.channels << " channels, needs 3; leave it out";
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

/// An HWC image of 0..255 to the model's input.
std::vector<std::byte> encode_image(Image decoded, const Reader& r, const std::string& path) {
  const InputSpec& spec = r.spec;
  const ImageShape need = image_shape(spec, path);
  const Image image = prepare(std::move(decoded), need, r, path);
  r.use.pixels = true;
  const auto range = spec.range();
  const bool raw = !r.pixels.normalise && spec.type != InputType::Float32 && range && !holds_pixels(*range);
  r.use.raw_bytes |= raw;
  const Normalisation n = r.pixels.normalise.value_or(Normalisation{});
  std::vector<double> real(static_cast<std::size_t>(spec.elements()));
  for (int c = 0; c < need.channels; ++c) {
    const double mean = of_channel(n.mean, c, need.channels, 0), std = of_channel(n.std, c, need.channels, 1);
    for (int y = 0; y < need.height; ++y)
      for (int x = 0; x < need.width; ++x) {
        const int i = spec.channels_first ? (c * need.height + y) * need.width + x
                                          : (y * need.width + x) * need.channels + c;
        real[static_cast<std::size_t>(i)] = (image.at(y, x, c) * n.scale - mean) / std;
      }
  }
  if (!raw) return encode(real, r, path);
  std::vector<std::byte> bytes;
  const int zero = spec.type == InputType::Int8 ? -128 : 0;
  for (const double pixel : real)
    bytes.push_back(static_cast<std::byte>(static_cast<int>(std::nearbyint(pixel)) + zero));
  return bytes;
}

std::vector<Sample> from_npy(const std::string& path, const Reader& r) {
  const InputSpec& spec = r.spec;
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
      s.bytes = as_they_are({begin, begin + static_cast<std::ptrdiff_t>(spec.bytes())}, r,
                            count > 1 ? path + "#" + std::to_string(i) : path);
    } else {
      s.bytes = encode(std::span(values).subspan(i * per, per), r,
                       count > 1 ? path + "#" + std::to_string(i) : path);
    }
    samples.push_back(std::move(s));
  }
  return samples;
}

/// CIFAR-10's records: a label byte, then 1024 red, 1024 green, 1024 blue.
std::vector<Sample> from_cifar(const std::vector<std::byte>& file, const std::string& path, const Reader& r) {
  std::vector<Sample> samples;
  for (std::size_t at = 0; at + kCifarRecord <= file.size(); at += kCifarRecord) {
    Image image{32, 32, 3, std::vector<float>(3 * 32 * 32)};
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < 1024; ++i)
        image.pixels[3 * i + c] = static_cast<float>(file[at + 1 + 1024 * c + i]);
    samples.push_back({fs::path(path).stem().string() + "#" + std::to_string(samples.size()),
                       encode_image(std::move(image), r, path), static_cast<int>(file[at])});
  }
  return samples;
}

std::vector<Sample> from_bin(const std::string& path, const Reader& r) {
  const InputSpec& spec = r.spec;
  const auto file = read_file(path);
  if (file.size() == spec.bytes()) return {{fs::path(path).stem().string(), as_they_are(file, r, path), {}}};
  const bool cifar_input = spec.elements() == 3 * 32 * 32;
  if (cifar_input && !file.empty() && file.size() % kCifarRecord == 0) return from_cifar(file, path, r);
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

std::optional<InputSpec::Range> InputSpec::range() const {
  if (type == InputType::Float32 && !quantised_inside) return std::nullopt;
  const double low = type == InputType::UInt8 ? 0 : -128;
  return Range{scale * (low - zero), scale * (low + 255 - zero)};
}

bool holds_pixels(const InputSpec::Range& range) {
  return range.low <= kFar * 255 && range.high >= (1 - kFar) * 255;
}

namespace {

std::vector<Sample> load(const std::string& path, const Reader& r) {
  VDLA_CHECK_USER(is_there(path)) << path << ": cannot be read: No such file or directory";
  if (is_folder(path)) {
    std::vector<Sample> all;
    for (const std::string& file : files_of(path)) {
      if (fs::path(file).extension() == ".csv" || fs::path(file).extension() == ".txt") continue;
      auto some = load(file, r);
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }
  std::string kind = fs::path(path).extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
  if (kind == ".npy") return from_npy(path, r);
  if (kind == ".bin") return from_bin(path, r);
  if (kind == ".png" || kind == ".jpg" || kind == ".jpeg")
    return {{fs::path(path).stem().string(), encode_image(read_image(path), r, path), {}}};
  const std::string needed = ".npy, .bin, .png, .jpg or a folder of them";
  const FileKind content = file_kind(read_file(path));
  VDLA_CHECK_USER(content == FileKind::Unknown || is_text(content))
      << path << ": the kind '" << kind << "' of input is not known; it " << wrong_kind(content, needed);
  throw UserError(path + ": the kind '" + kind + "' of input is not known, needs " + needed);
}

}  // namespace

std::vector<Sample> load_samples(const std::string& path, const InputSpec& spec, const Preprocessing& pixels,
                                 InputUse* use) {
  InputUse unused;
  return load(path, {spec, pixels, use ? *use : unused});
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

}  // namespace vdla::tools
