// SPDX-License-Identifier: Apache-2.0
// The check between files and inputs, against a rule that is written another way, on random models and files.
#include "tools/data/whole_inputs.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <random>

#include "tests/tools/expect_error.h"

namespace vdla::tools {
namespace {

using Bytes = std::vector<std::byte>;
using Shape = std::vector<std::int64_t>;

constexpr std::array kTypes{"|b1", "|i1", "|u1", "<i2", "<u2", "<i4",
                            "<u4", "<i8", "<u8", "<f2", "<f4", "<f8"};
constexpr std::array kInputTypes{"|i1", "|u1", "<f4", "|b1", "<i4", "<i8"};

Bytes bytes_of(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// A random model and file.
struct Drawn {
  InputNeed need;
  std::string type;  ///< of the file, as NpyArray has it
  Shape shape;
  bool big_endian = false, fortran = false;
  std::int64_t missing = 0;  ///< bytes at the end; below 0: too many
  Bytes file, data;          ///< data: the elements, little-endian
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  Drawn one() {
    Drawn d;
    d.need = {"x", kInputTypes[below(kInputTypes.size())], shape(below(5)), below(4) != 0};
    d.type = below(2) == 0 ? d.need.type : kTypes[below(kTypes.size())];
    d.shape = near(d.need.shape);
    d.big_endian = below(4) == 0;
    d.fortran = below(16) == 0;
    if (below(6) == 0) d.missing = static_cast<std::int64_t>(below(9)) - 4;
    write(d);
    return d;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  Shape shape(std::size_t rank) {
    Shape s;
    for (std::size_t i = 0; i < rank; ++i) s.push_back(static_cast<std::int64_t>(1 + below(3)));
    return s;
  }
  /// The input's shape with one thing changed, mostly.
  Shape near(Shape s) {
    switch (below(8)) {
      case 0:
        return shape(below(5));
      case 1:
        if (!s.empty()) s.erase(s.begin());
        return s;
      case 2:
        s.insert(s.begin(), static_cast<std::int64_t>(1 + below(2)));
        return s;
      case 3:
        if (!s.empty()) s[below(s.size())] = static_cast<std::int64_t>(below(5));
        return s;
      case 4:
      case 5:
        if (!s.empty()) s[0] *= static_cast<std::int64_t>(1 + below(4));
        return s;
      case 6:
        if (s.size() > 1) std::swap(s[0], s[1]);
        return s;
    }
    return s;
  }
  std::string header(const Drawn& d) {
    std::string type = d.type;
    if (type[0] == '<' && d.big_endian) type[0] = '>';
    std::string extents;
    for (const auto extent : d.shape) extents += std::to_string(extent) + (below(4) == 0 ? "L" : "") + ",";
    std::array entries{"'descr': '" + type + "'",
                       std::string("'fortran_order': ") + (d.fortran ? "True" : "False"),
                       "'shape': (" + extents + ")"};
    std::ranges::shuffle(entries, random_);
    return "{" + entries[0] + ", " + entries[1] + ", " + entries[2] + (below(2) ? ", }" : "}") +
           std::string(below(20), ' ') + "\n";
  }
  void write(Drawn& d) {
    std::size_t size = static_cast<std::size_t>(d.type[2] - '0'), items = 1;
    for (const auto extent : d.shape) items *= static_cast<std::size_t>(extent);
    for (std::size_t i = 0; i < size * items; ++i) d.data.push_back(static_cast<std::byte>(random_()));
    const unsigned char major = static_cast<unsigned char>(1 + below(3));
    const std::string head = header(d);
    std::string text = "\x93NUMPY";
    text += {static_cast<char>(major), '\0', static_cast<char>(head.size()), '\0'};
    if (major > 1) text += std::string(2, '\0');
    d.file = bytes_of(text + head);
    Bytes data = d.data;
    if (d.big_endian)
      for (std::size_t at = 0; at < data.size(); at += size)
        std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at),
                     data.begin() + static_cast<std::ptrdiff_t>(at + size));
    data.resize(static_cast<std::size_t>(
        std::max<std::int64_t>(0, static_cast<std::int64_t>(data.size()) - d.missing)));
    d.file.insert(d.file.end(), data.begin(), data.end());
  }

  std::mt19937_64 random_;
};

/// The rule in other words: an array is cut into rows, and rows are put together to inputs. Nothing: refused.
std::optional<std::size_t> inputs_in(const Drawn& d) {
  if (d.fortran) return std::nullopt;
  const bool cut = d.missing > 0 && !d.data.empty();
  if (cut || d.missing < 0) return std::nullopt;
  const auto kind = [](const std::string& type) {
    return type[1] == 'f' ? 'f' : type[2] == '1' && type[1] != 'b' ? 'q' : 'i';
  };
  const std::string pairs[] = {"ff", "fq", "fi", "qf", "iq", "ii"};  // what is needed, what the file has
  const std::string pair{kind(d.need.type), kind(d.type)};
  const bool converted = d.need.converts && std::ranges::count(pairs, pair) != 0;
  if (d.type != d.need.type && !converted) return std::nullopt;
  Shape seen = d.shape, need = d.need.shape;
  if (seen == need) return 1;
  if (need.empty()) return std::nullopt;
  if (seen.size() + 1 == need.size() && need[0] == 1) seen.insert(seen.begin(), 1);
  if (seen.size() != need.size()) return std::nullopt;
  std::int64_t rows = seen[0];
  seen[0] = need[0];
  if (seen != need) return std::nullopt;
  std::size_t inputs = 0;
  for (; rows >= need[0]; rows -= need[0]) ++inputs;
  return rows == 0 && inputs > 0 ? std::optional(inputs) : std::nullopt;
}

/// Reads the inputs of the file one after the other; nothing where a sentence refuses it.
std::optional<std::vector<Bytes>> read(const Drawn& d, std::string& message) {
  try {
    const NpyArray array = parse_npy(d.file, "x.npy");
    std::vector<Bytes> inputs;
    for (const auto bytes : whole_inputs(values_of(array), d.need, "x.npy"))
      inputs.emplace_back(bytes.begin(), bytes.end());
    return inputs;
  } catch (const UserError& e) {
    message = e.what();
    return std::nullopt;
  }
}

TEST(WholeInputs, OfRandomFilesAreThoseOfTheRule) {
  constexpr int kCases = 6'000;
  std::size_t refused = 0, several = 0;
  Draw draw(1);
  for (int i = 0; i < kCases; ++i) {
    const Drawn d = draw.one();
    const auto want = inputs_in(d);
    std::string message;
    const auto seen = read(d, message);
    ASSERT_EQ(seen.has_value(), want.has_value())
        << "case " << i << ": " << d.type << " " << shape_text(d.shape) << " for " << d.need.type << " "
        << shape_text(d.need.shape) << ": " << message;
    if (!want) {
      ++refused;
      EXPECT_TRUE(message.starts_with("x.npy: ")) << message;
      continue;
    }
    several += *want > 1;
    ASSERT_EQ(seen->size(), *want) << "case " << i;
    Bytes all;
    for (const Bytes& input : *seen) {
      EXPECT_EQ(input.size(), seen->front().size());
      all.insert(all.end(), input.begin(), input.end());
    }
    EXPECT_EQ(all, d.data) << "case " << i;
  }
  EXPECT_GT(refused, kCases / 4);
  EXPECT_GT(several, kCases / 40);
}

TEST(WholeInputs, OfBytesAreOneOfTheInputsOwnType) {
  const InputNeed need{"x", "<f4", {2, 3}, true, "a recipe"};
  const Bytes bytes(24);
  EXPECT_EQ(whole_inputs({"<f4", {}, bytes}, need, "x.bin").size(), 1u);
  for (const std::size_t size : {0u, 12u, 23u, 48u})
    expect_user_error(
        [&] { whole_inputs({"<f4", {}, Bytes(size)}, need, "x.bin"); },
        {"x.bin: has " + std::to_string(size) + " bytes", "'x' needs 24 (float32 2x3), or a recipe"});
}

TEST(WholeInputs, AnImageIsNoBatch) {
  const Bytes bytes(12);
  expect_user_error(
      [&] {
        whole_inputs({"|u1", Shape{1, 3, 2, 2}, bytes, true}, {"x", "|u1", {2, 3, 2, 2}, true}, "a.png");
      },
      {"a.png: is one image of 1x3x2x2, input 'x' needs 2x3x2x2; put 2 images into one .npy array"});
}

}  // namespace
}  // namespace vdla::tools
