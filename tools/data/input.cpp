// SPDX-License-Identifier: Apache-2.0
#include "tools/data/input.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <utility>

#include "support/error.h"
#include "support/file_kind.h"
#include "support/float16.h"
#include "support/path.h"
#include "tools/data/array_files.h"
#include "tools/data/files.h"
#include "tools/data/image.h"
#include "tools/data/image_input.h"
#include "tools/data/npy.h"
#include "tools/data/npz.h"
#include "tools/data/output_values.h"
#include "tools/data/tables.h"
#include "tools/data/whole_inputs.h"

namespace vdla::tools {
namespace fs = std::filesystem;
namespace {

/// State that the readers below share.
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

/// Stores a value in `type`, and returns the place behind it.
template <class T>
std::byte* put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

/// Quantises real values (rounded as the model's format does, saturating) or stores them as floats. `where`
/// names the sample.
std::vector<std::byte> encode(std::span<const double> real, const Reader& r, const std::string& where) {
  const InputSpec& spec = r.spec;
  std::vector<std::byte> bytes(spec.bytes());
  std::byte* at = bytes.data();
  for (std::size_t i = 0; i < real.size(); ++i) {
    VDLA_CHECK_USER(!std::isnan(real[i]))
        << where << ": value " << i << " for input '" << spec.name << "' is not a number";
    note(r, real[i]);
    if (spec.type == runtime::DataType::Float32) {
      at = put(at, static_cast<float>(real[i]));
    } else if (spec.type == runtime::DataType::Float64) {
      at = put(at, real[i]);
    } else if (spec.type == runtime::DataType::Float16) {
      at = put(at, half_bits(static_cast<float>(real[i])));
    } else {
      const auto [low, high] = spec.ends();
      const double q =
          std::clamp<double>(rounded(real[i] / spec.scale, spec.rounding) + spec.zero, low, high);
      at = spec.type == runtime::DataType::Int16 ? put(at, static_cast<std::int16_t>(q))
                                                 : put(at, static_cast<std::uint8_t>(static_cast<int>(q)));
    }
  }
  return bytes;
}

/// Integers of any type as those of the input's, which has no scale.
std::vector<std::byte> encode_integers(const std::string& type, std::span<const std::byte> bytes,
                                       const InputSpec& spec, const std::string& where) {
  std::vector<std::byte> made(spec.bytes());
  const std::vector<std::int64_t> values = to_integers(type, bytes, where);
  std::byte* at = made.data();
  const auto store = [&]<class T>(T, std::int64_t least, auto most) {
    for (const std::int64_t value : values) {
      VDLA_CHECK_USER(value >= least && std::cmp_less_equal(value, most))
          << where << ": value " << value << " does not fit input '" << spec.name << "' of "
          << name_of(spec.type) << ", needs " << least << " to " << most;
      at = put(at, static_cast<T>(value));
    }
  };
  const auto whole = [&]<class T>(T zero) {
    store(zero, static_cast<std::int64_t>(std::numeric_limits<T>::min()), std::numeric_limits<T>::max());
  };
  switch (spec.type) {
    case runtime::DataType::Bool:
      store(std::uint8_t{}, 0, 1);
      break;
    case runtime::DataType::Int16:
      whole(std::int16_t{});
      break;
    case runtime::DataType::UInt16:
      whole(std::uint16_t{});
      break;
    case runtime::DataType::Int32:
      whole(std::int32_t{});
      break;
    case runtime::DataType::UInt32:
      whole(std::uint32_t{});
      break;
    case runtime::DataType::Int64:
      whole(std::int64_t{});
      break;
    case runtime::DataType::UInt64:
      whole(std::uint64_t{});
      break;
    default:
      VDLA_CHECK(false) << name_of(spec.type) << " is no type of integers without a scale";
  }
  return made;
}

/// Makes one input of values of `type`. Bytes of the input's own type stay as they are, but for floats, whose
/// values are checked.
std::vector<std::byte> encode(const std::string& type, std::span<const std::byte> bytes, const Reader& r,
                              const std::string& where) {
  const std::string own = npy_type(r.spec.type);
  if (type == own && own[1] != 'f') return {bytes.begin(), bytes.end()};
  if (!r.spec.of_reals()) return encode_integers(type, bytes, r.spec, where);
  return encode(to_real(type, bytes), r, where);
}

bool takes_cifar(const InputSpec& spec) { return spec.of_reals() && spec.elements() == 3 * 32 * 32; }

/// Makes samples of the values of a file; no reader does that without it.
std::vector<Sample> samples_of(const FileValues& values, const Reader& r, const std::string& path) {
  const std::string other_form = takes_cifar(r.spec) ? "CIFAR-10 records of 3073 bytes" : "";
  const InputNeed need{r.spec.name, npy_type(r.spec.type), r.spec.shape, true, other_form, r.spec.has_scale};
  const auto inputs = whole_inputs(values, need, path);
  const std::string stem = fs::path(path).stem().string();
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string number = inputs.size() > 1 ? "#" + std::to_string(i) : "";
    samples.push_back({stem + number, encode(values.type, inputs[i], r, path + number), {}});
  }
  return samples;
}

/// Counts an image that did not have the extents of the input.
void note_fitted(const Fitted& f, const std::string& path, InputUse& use) {
  if (use.fitted++ != 0) return;
  const bool resized = f.height != f.resized_height || f.width != f.resized_width;
  use.first_fitted = fmt::format("{} of {}x{}", path, f.height, f.width);
  if (resized) use.first_fitted += fmt::format(" was resized to {}x{}", f.resized_height, f.resized_width);
}

Sample from_image(Image image, const Reader& r, const std::string& path) {
  r.use.pixels = true;
  const ImageValues read = image_values(std::move(image), r.spec, r.pixels, path);
  r.use.raw_bytes |= read.is_raw;
  if (read.fitted) note_fitted(*read.fitted, path, r.use);
  FileValues values = values_of(read.values);
  values.is_image = true;
  return samples_of(values, r, path).at(0);
}

/// CIFAR-10's records: a label byte, then 1024 red, 1024 green, 1024 blue.
std::vector<Sample> from_cifar(const std::vector<std::byte>& file, const std::string& path, const Reader& r) {
  std::vector<Sample> samples;
  for (std::size_t at = 0; at + kCifarRecord <= file.size(); at += kCifarRecord) {
    Image image{32, 32, 3, std::vector<float>(3 * 32 * 32)};
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < 1024; ++i)
        image.pixels[3 * i + c] = static_cast<float>(file[at + 1 + 1024 * c + i]);
    Sample sample = from_image(std::move(image), r, path);
    sample.name += "#" + std::to_string(samples.size());
    sample.label = static_cast<int>(file[at]);
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<Sample> from_bin(const std::string& path, const Reader& r) {
  const auto file = read_file(path);
  const bool records = takes_cifar(r.spec) && !file.empty() && file.size() % kCifarRecord == 0;
  if (records && file.size() != r.spec.bytes()) return from_cifar(file, path, r);
  return samples_of({npy_type(r.spec.type), {}, file}, r, path);
}

/// The array of an archive that is the input's: by its name, by its place among arrays that numpy.savez()
/// numbered, or the only one.
std::vector<Sample> from_archive(const std::string& path, const Reader& r) {
  const auto files = files_of_archive(path);
  const auto called = [&](const std::string& name) {
    return std::ranges::find(files, name + ".npy", [](const auto& file) { return file.first; });
  };
  auto found = called(r.spec.name);
  if (found == files.end()) found = called(file_of_tensor(r.spec.name));
  if (found == files.end()) found = called("arr_" + std::to_string(r.spec.place));
  if (found == files.end() && r.spec.sole && files.size() == 1) found = files.begin();
  std::vector<std::string> names;
  for (const auto& [name, content] : files) names.push_back("'" + name + "'");
  VDLA_CHECK_USER(found != files.end())
      << path << ": has no array '" << r.spec.name << ".npy' for input '" << r.spec.name << "', but "
      << fmt::format("{}", fmt::join(names, ", "));
  const auto* bytes = reinterpret_cast<const std::byte*>(found->second.data());
  const NpyArray array = parse_npy({bytes, bytes + found->second.size()}, path + ": " + found->first);
  return samples_of(values_of(array), r, path);
}

std::vector<Sample> load(const std::string& path, const Reader& r) {
  VDLA_CHECK_USER(is_there(path)) << path << ": cannot be read: No such file or directory";
  if (is_folder(path)) {
    std::vector<Sample> all;
    for (const std::string& file : files_of(path)) {
      if (fs::path(file).extension() == ".csv" || fs::path(file).extension() == ".txt") continue;
      auto some = load(file, r);
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    VDLA_CHECK_USER(!all.empty()) << path << ": has no file of inputs, needs .npy, .npz, .bin, .png or .jpg";
    return all;
  }
  std::string kind = fs::path(path).extension().string();
  std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::tolower(c); });
  if (kind == ".npy") return samples_of(values_of(read_npy(path)), r, path);
  if (kind == ".npz") return from_archive(path, r);
  if (kind == ".bin") return from_bin(path, r);
  if (kind == ".png" || kind == ".jpg" || kind == ".jpeg") return {from_image(read_image(path), r, path)};
  const std::string needed = ".npy, .npz, .bin, .png, .jpg or a folder of them";
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

std::vector<std::byte> encode_values(const std::string& type, std::span<const std::byte> values,
                                     const InputSpec& spec, const std::string& where) {
  InputUse use;
  return encode(type, values, {spec, {}, use}, where);
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
  std::byte* at = s.bytes.data();
  for (std::int64_t i = 0; i < spec.elements(); ++i) {
    const std::uint64_t bits = next();
    const auto byte = static_cast<std::uint8_t>(bits >> 56);
    // Floats are the values that the first quantisation can tell apart.
    const auto real = static_cast<float>(spec.scale * (static_cast<std::int8_t>(byte) - spec.zero));
    if (spec.type == runtime::DataType::Float32)
      at = put(at, real);
    else if (spec.type == runtime::DataType::Float64)
      at = put(at, static_cast<double>(real));
    else if (spec.type == runtime::DataType::Float16)
      at = put(at, half_bits(real));
    else if (spec.type == runtime::DataType::Int16 && spec.of_steps())
      at = put(at, static_cast<std::uint16_t>(bits >> 48));
    else if (spec.of_reals())
      at = put(at, byte);
    else
      at = std::fill_n(put(at, static_cast<std::uint8_t>(byte & 1)), bytes_of(spec.type) - 1, std::byte{0});
  }
  return s;
}

}  // namespace vdla::tools
