// SPDX-License-Identifier: Apache-2.0
#include "tools/data/csv.h"

#include <algorithm>

#include "support/error.h"

namespace vdla::tools {
namespace {

constexpr std::string_view kBlanks = " \t\r";

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  std::vector<CsvRow> rows() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (CsvRow row = this->row(); row.cells.size() > 1 || !row.cells[0].empty()) {
        rows.push_back(std::move(row));
      }
      end_line();
    }
    return rows;
  }

 private:
  CsvRow row() {
    CsvRow row{line_, {cell()}};
    while (at(',')) {
      ++at_;
      row.cells.push_back(cell());
    }
    return row;
  }

  std::string cell() {
    skip_blanks();
    if (at('"')) return quoted();
    const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    const std::string_view cell = text_.substr(at_, end - at_);
    at_ = end;
    const std::size_t last = cell.find_last_not_of(kBlanks);
    return std::string(cell.substr(0, last == std::string_view::npos ? 0 : last + 1));
  }

  std::string quoted() {
    const std::size_t line = line_;
    std::string value;
    for (++at_;; ++at_) {
      VDLA_CHECK_USER(at_ < text_.size()) << path_ << ":" << line << ": a quote is not closed";
      if (text_[at_] == '"') {
        ++at_;
        if (!at('"')) break;
      }
      line_ += text_[at_] == '\n';
      value += text_[at_];
    }
    skip_blanks();
    VDLA_CHECK_USER(at_ == text_.size() || at(',') || at('\n'))
        << path_ << ":" << line
        << ": text stands after a closing quote; a quote inside of quotes stands twice";
    return value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && kBlanks.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  void end_line() {
    if (!at('\n')) return;
    ++at_;
    ++line_;
  }
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text, const std::string& path) {
  return CsvReader(text, path).rows();
}

}  // namespace vdla::tools
