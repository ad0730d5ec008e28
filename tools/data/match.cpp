// SPDX-License-Identifier: Apache-2.0
#include "tools/data/match.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "support/error.h"

namespace vdla::tools {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Name to index; two inputs of one name have none.
using Index = std::map<std::string, std::size_t>;

Index index_of(const std::vector<std::string>& names) {
  Index index;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [at, fresh] = index.emplace(names[i], i);
    if (!fresh) at->second = kNone;
  }
  return index;
}

/// The input that a row names; two of that name are an error. `path` and `line` stand in the message.
std::optional<std::size_t> find(const Index& index, const RowName& row, const std::string& path) {
  std::string name = row.name.substr(row.name.find_last_of("/\\") + 1);
  auto found = index.find(name);
  if (found == index.end()) found = index.find(name.substr(0, name.rfind('.')));
  if (found == index.end()) return std::nullopt;
  VDLA_CHECK_USER(found->second != kNone)
      << path << ":" << row.line << ": '" << row.name << "' names two inputs, give them names of their own";
  return found->second;
}

std::optional<std::size_t> whole_number(const std::string& text) {
  if (text.empty() || text.size() > 9 ||
      !std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); }))
    return std::nullopt;
  return std::stoul(text);
}

bool of_a_batch(const std::string& input) { return input.find('#') != std::string::npos; }

class Matcher {
 public:
  Matcher(const std::string& path, const std::vector<RowName>& rows, const InputNames& inputs, bool subset)
      : path_(path), rows_(rows), inputs_(inputs), subset_(subset) {
    match_.rows.assign(inputs.used, kNone);
  }

  Match match() {
    const Index index = index_of(inputs_.names);
    const bool named =
        std::ranges::any_of(rows_, [&](const RowName& row) { return find(index, row, path_).has_value(); });
    if (named) return by("name", [&](const RowName& row) { return find(index, row, path_); });
    // Only a batch has an order of its own: that of files in a folder is nothing that rows could mean.
    const bool batch = inputs_.names_file.empty() &&
                       (inputs_.names.size() == 1 || std::ranges::all_of(inputs_.names, of_a_batch));
    if (batch &&
        std::ranges::all_of(rows_, [](const RowName& r) { return whole_number(r.name).has_value(); }))
      return by("number", [&](const RowName& row) {
        const std::size_t i = *whole_number(row.name);
        return i < inputs_.names.size() ? std::optional(i) : std::nullopt;
      });
    const bool nameless = std::ranges::all_of(rows_, [](const RowName& r) { return r.name.empty(); });
    VDLA_CHECK_USER(batch || nameless)
        << path_ << ": none of its " << rows_.size() << " rows names an input: line " << rows_[0].line
        << " has '" << rows_[0].name << "', the first input is '" << inputs_.names[0]
        << "'; rows need the names of the inputs' files";
    return by_order(nameless);
  }

 private:
  template <class Find>
  Match by(const char* how, Find&& find) {
    match_.by = how;
    std::vector<std::size_t> row_of(inputs_.names.size(), kNone);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const std::optional<std::size_t> input = find(rows_[r]);
      VDLA_CHECK_USER(input || subset_)
          << path_ << ":" << rows_[r].line << ": '" << rows_[r].name << "' is none of the "
          << inputs_.names.size() << " inputs; --subset allows rows of inputs that are not here";
      if (!input) {
        ++match_.unused;
        continue;
      }
      VDLA_CHECK_USER(row_of[*input] == kNone)
          << path_ << ":" << rows_[r].line << ": '" << rows_[r].name << "' has a row already in line "
          << rows_[row_of[*input]].line;
      row_of[*input] = r;
    }
    for (std::size_t i = 0; i < inputs_.used; ++i)
      VDLA_CHECK_USER(row_of[i] != kNone) << path_ << ": input '" << inputs_.names[i] << "' has no row";
    match_.rows.assign(row_of.begin(), row_of.begin() + static_cast<std::ptrdiff_t>(inputs_.used));
    return match_;
  }

  Match by_order(bool nameless) {
    const std::size_t most = inputs_.names.size();
    VDLA_CHECK_USER(rows_.size() >= inputs_.used && (subset_ || rows_.size() <= most))
        << path_ << ": has " << rows_.size()
        << " rows, none of which names an input; needs one for each of the " << inputs_.used << " inputs"
        << (rows_.size() > most ? ", or --subset to take the first ones" : "");
    match_.by = "order";
    match_.why = nameless ? "the rows have no names"
                          : "no row names an input: the first is '" + rows_[0].name + "', the first input '" +
                                inputs_.names[0] + "'";
    for (std::size_t i = 0; i < inputs_.used; ++i) match_.rows[i] = i;
    match_.unused = rows_.size() - std::min(rows_.size(), most);
    return match_;
  }

  const std::string& path_;
  const std::vector<RowName>& rows_;
  const InputNames& inputs_;
  bool subset_;
  Match match_;
};

}  // namespace

std::string Match::sentence(const std::string& what) const {
  const std::string count = std::to_string(rows.size());
  std::string text = what + ": " + count + " of " + count + " matched by " + by;
  if (!why.empty()) text += ", since " + why;
  if (unused != 0) text += "; " + std::to_string(unused) + " rows are of inputs that are not here";
  return text;
}

Match match_rows(const std::string& path, const std::vector<RowName>& rows, const InputNames& inputs,
                 bool subset) {
  VDLA_CHECK_USER(!rows.empty()) << path << ": has no rows";
  return Matcher(path, rows, inputs, subset).match();
}

}  // namespace vdla::tools
