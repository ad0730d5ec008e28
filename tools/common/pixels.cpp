// SPDX-License-Identifier: Apache-2.0
#include "tools/common/pixels.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "support/error.h"
#include "tools/data/image_input.h"

namespace vdla::tools {
namespace {

/// Part of the values that is too much to be cut off.
constexpr double kMuchCut = 0.01;
/// Ranges that share this much of their union are the same convention.
constexpr double kAlike = 0.8;
/// Values that fill less of the range than this are those of another convention.
constexpr double kSeen = 0.2;

std::string range_text(double low, double high) { return fmt::format("{:.4g}..{:.4g}", low, high); }

InputSpec::Range range_of_pixels(const Normalisation& n) {
  InputSpec::Range range{1e30, -1e30};
  const std::size_t channels = std::max<std::size_t>({1, n.mean.size(), n.std.size()});
  const auto of = [](const std::vector<double>& values, std::size_t c, double otherwise) {
    return values.empty() ? otherwise : values[values.size() == 1 ? 0 : c];
  };
  for (std::size_t c = 0; c < channels; ++c)
    for (const double pixel : {0.0, 255.0}) {
      const double value = (pixel * n.scale - of(n.mean, c, 0)) / of(n.std, c, 1);
      range = {std::min(range.low, value), std::max(range.high, value)};
    }
  return range;
}

/// Share of their union that two ranges have in common.
double likeness(const InputSpec::Range& a, const InputSpec::Range& b) {
  const double common = std::min(a.high, b.high) - std::max(a.low, b.low);
  const double whole = std::max(a.high, b.high) - std::min(a.low, b.low);
  return common <= 0 ? 0 : common / whole;
}

void note_overrides(const Preprocessing& flags, const Preprocessing& kept, std::vector<std::string>& notes) {
  const auto add = [&](const std::string& flag, const std::string& old) {
    notes.push_back(fmt::format("{} in the place of the model's own {}", flag, old));
  };
  if (flags.resize && kept.resize && *flags.resize != *kept.resize)
    add("--resize " + to_string(*flags.resize), to_string(*kept.resize));
  if (flags.crop && kept.crop && *flags.crop != *kept.crop)
    add("--crop " + to_string(*flags.crop), to_string(*kept.crop));
  if (flags.normalise && kept.normalise && *flags.normalise != *kept.normalise)
    add("--normalise " + to_string(*flags.normalise), to_string(*kept.normalise));
}

/// Notes pixels whose meaning is a guess.
void note_guess(const InputSpec& spec, const Preprocessing& used, const InputUse& use,
                std::vector<std::string>& notes) {
  if (!use.pixels || used.normalise) return;
  const auto range = spec.range();
  if (use.raw_bytes) {
    const int moved = spec.type == runtime::DataType::Int8 ? 128 : 0;
    Normalisation same{spec.scale, {spec.scale * (spec.zero + moved)}, {}};
    notes.push_back(
        fmt::format("neither the model nor a flag says how pixels become the {} of input '{}': their bytes{} "
                    "are taken as "
                    "they are, which is --normalise {}",
                    range_text(range->low, range->high), spec.name, moved ? " - 128" : "", to_string(same)));
  } else if (!range) {
    notes.push_back(fmt::format(
        "neither the model nor a flag says which real numbers input '{}' wants for pixels: 0..255 "
        "go in; --normalise scale=1 says that this is right",
        spec.name));
  }
}

/// Notes images that were given the extents of the input.
void note_fitted(const InputSpec& spec, const InputUse& use, std::vector<std::string>& notes) {
  if (use.fitted == 0) return;
  const auto [height, width, channels] = image_extents(spec, use.first_fitted);
  const std::string others =
      use.fitted == 1 ? "" : fmt::format(", and {} more images likewise", use.fitted - 1);
  notes.push_back(fmt::format("{}, and its middle {}x{} is input '{}'{}; --resize and --crop say otherwise",
                              use.first_fitted, height, width, spec.name, others));
}

void note_cut(const InputSpec& spec, const Preprocessing& used, const InputUse& use,
              std::vector<std::string>& notes) {
  const auto range = spec.range();
  if (!range || use.values == 0) return;
  const double share = static_cast<double>(use.cut) / static_cast<double>(use.values);
  if (share < kMuchCut) return;
  std::string remedy = "bring the values into that range, as the network's training had them";
  if (use.pixels) {
    auto flags = usual_normalisations(*range);
    if (used.normalise) std::erase(flags, "--normalise " + to_string(*used.normalise));
    remedy = flags.empty() ? "give the --normalise that the network was trained or calibrated with"
                           : fmt::format("{} would fit; right is what the network was trained with",
                                         fmt::join(flags, " or "));
  }
  notes.push_back(fmt::format(
      "{:.1f} % of the values for input '{}' are cut off: {} come in, its range is {}; {}", 100 * share,
      spec.name, range_text(use.low, use.high), range_text(range->low, range->high), remedy));
}

/// Refuses what no image can pass, since a crop makes nothing larger and without one the sides stay as they
/// are.
void check_resize(const Preprocessing& pixels, const std::string& input, std::int64_t height,
                  std::int64_t width) {
  if (!pixels.resize) return;
  const ImageSize& to = *pixels.resize;
  const bool shorter_side = to.width == 0;
  const std::string flag = "--resize " + to_string(to);
  if (pixels.crop) {
    const ImageSize& crop = *pixels.crop;
    const bool enough = shorter_side ? to.height >= std::min(crop.height, crop.width)
                                     : to.height >= crop.height && to.width >= crop.width;
    VDLA_CHECK_USER(enough) << flag << ": leaves less than --crop " << to_string(crop)
                            << " takes; make it at least as large";
    return;
  }
  const bool fits =
      shorter_side ? to.height == std::min(height, width) : to.height == height && to.width == width;
  VDLA_CHECK_USER(fits) << flag << ": input '" << input << "' needs " << height << "x" << width
                        << "; resize to that, or to more and --crop";
}

}  // namespace

std::vector<Preprocessing> usual_preprocessing() {
  const auto p = [](const char* normalise, bool bgr = false) {
    Preprocessing result;
    result.normalise = parse_normalise(normalise);
    result.bgr = bgr;
    return result;
  };
  return {p("scale=1"),
          p("scale=0.00392157"),
          p("scale=1,mean=127.5,std=127.5"),
          p("scale=1,mean=128"),
          p("scale=0.00392157,mean=0.485:0.456:0.406,std=0.229:0.224:0.225"),
          p("scale=1,mean=104:117:123", true)};
}

std::vector<std::string> usual_normalisations(const InputSpec::Range& range) {
  const double far = kFar * (range.high - range.low);
  std::vector<std::pair<double, std::string>> fitting;
  for (const Preprocessing& p : usual_preprocessing()) {
    const InputSpec::Range values = range_of_pixels(*p.normalise);
    const double like = likeness(values, range);
    const bool inside = values.low >= range.low - far && values.high <= range.high + far;
    if (like >= kAlike || (inside && like >= kSeen)) fitting.emplace_back(-like, to_string(p));
  }
  std::ranges::sort(fitting);
  std::vector<std::string> flags;
  for (auto& [like, text] : fitting) flags.push_back(std::move(text));
  return flags;
}

void refuse_flags(const Preprocessing& flags, const std::string& input) {
  VDLA_CHECK_USER(flags.empty()) << to_string(flags) << " does nothing for " << input
                                 << ", which has the network's own values and no pixels; leave it out";
}

void check_pixels_fit(const Preprocessing& pixels, const InputSpec& spec) {
  if (pixels.empty()) return;
  const std::string flags = to_string(pixels);
  VDLA_CHECK_USER(spec.shape.size() == 4) << flags << ": is about images, and input '" << spec.name
                                          << "' has " << spec.shape.size() << " dimensions; leave it out";
  const auto [height, width, channels] = image_extents(spec, flags);
  VDLA_CHECK_USER(!pixels.crop || (pixels.crop->height == height && pixels.crop->width == width))
      << "--crop " << to_string(*pixels.crop) << ": input '" << spec.name << "' needs " << height << "x"
      << width;
  check_resize(pixels, spec.name, height, width);
  VDLA_CHECK_USER(!pixels.bgr || channels == 3)
      << "--bgr: input '" << spec.name << "' has " << channels << " channels, needs 3; leave it out";
  if (!pixels.normalise) return;
  for (const auto* values : {&pixels.normalise->mean, &pixels.normalise->std})
    VDLA_CHECK_USER(values->size() <= 1 || std::cmp_equal(values->size(), channels))
        << "--normalise " << to_string(*pixels.normalise) << ": has values for " << values->size()
        << " channels, input '" << spec.name << "' has " << channels;
}

LoadedInput load_input(const std::string& path, const InputSpec& spec, const Preprocessing& flags,
                       const Preprocessing& kept) {
  LoadedInput result;
  result.used = merge(flags, kept);
  InputUse use;
  result.samples = load_samples(path, spec, result.used, &use);
  result.pixels = use.pixels;
  if (!use.pixels) refuse_flags(flags, path);
  if (use.pixels) note_overrides(flags, kept, result.notes);
  note_fitted(spec, use, result.notes);
  note_guess(spec, result.used, use, result.notes);
  note_cut(spec, result.used, use, result.notes);
  return result;
}

}  // namespace vdla::tools
