// SPDX-License-Identifier: Apache-2.0
#include "tools/data/npy_header.h"

#include <charconv>
#include <optional>

#include "support/dimensions.h"
#include "support/error.h"

namespace vdla::tools {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

/// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } from front to back. Python 2 writes
/// extents as 2L, and may write strings as u'...'.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  NpyHeader read() {
    expect('{');
    while (!take('}')) {
      entry(string("a key"));
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (at_ != text_.size()) fail("has text after its dictionary");
    if (!type_) fail("has no 'descr'");
    if (!fortran_order_) fail("has no 'fortran_order'");
    if (!shape_) fail("has no 'shape'");
    return {*type_, *fortran_order_, *shape_};
  }

 private:
  void entry(const std::string& key) {
    expect(':');
    skip();
    if (at_ == text_.size()) fail("has no value of '" + key + "'");
    if (key == "descr")
      type_ = type();
    else if (key == "fortran_order")
      fortran_order_ = truth();
    else if (key == "shape")
      shape_ = shape();
    else
      fail("has '" + key + "', needs 'descr', 'fortran_order' and 'shape' alone");
  }

  std::string type() {
    VDLA_CHECK_USER(!at('[')) << path_ << ": structured .npy types are not supported";
    return string("the type");
  }

  bool truth() {
    for (const auto& [word, value] : {std::pair("True", true), std::pair("False", false)}) {
      skip();
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += std::string_view(word).size();
      return value;
    }
    fail("has neither True nor False as 'fortran_order'");
  }

  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> extents;
    std::int64_t count = 1;
    expect('(');
    while (!take(')')) {
      extents.push_back(extent());
      VDLA_CHECK_USER(count == 0 || extents.back() <= kMostElements / count)
          << path_ << ": the .npy shape has more than 2^48 elements";
      count *= extents.back();
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    VDLA_CHECK_USER(extents.size() <= kMostDimensions)
        << path_ << ": the .npy array " << too_many_dimensions(extents.size());
    return extents;
  }

  std::int64_t extent() {
    skip();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("has a shape that is no list of extents");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  std::string string(const std::string& what) {
    skip();
    if (at_ < text_.size() && (text_[at_] == 'u' || text_[at_] == 'b')) ++at_;
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const auto end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail("has no string as " + what);
    const std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool at(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!at(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("is broken, needs '") + c + "' at character " + std::to_string(at_ + 1));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(path_ + ": the .npy header " + what);
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  std::optional<std::string> type_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::int64_t>> shape_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& path) {
  return HeaderReader(text, path).read();
}

}  // namespace vdla::tools
