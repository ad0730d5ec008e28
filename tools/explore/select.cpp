// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/select.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>

#include "support/error.h"
#include "support/nearest.h"
#include "tools/explore/results.h"

namespace vdla::explore {
namespace {

/// Columns that are measured or modelled; the variant's keys come on top.
constexpr const char* kPointColumns[] = {
    "cycles",     "ms",          "fps",         "mhz_per_fps", "default_cycles",  // time
    "macs",       "macs_on_cpu", "multipliers", "utilisation",                    // work
    "dram_bytes", "energy",      "lost",        "front",                          // other results of a run
    "lut",        "ff",          "dsp",         "bram",        "share",          "fits",  // area
};

std::set<std::string> known_columns() {
  std::set<std::string> known(std::begin(kPointColumns), std::end(kPointColumns));
  known.insert(variant_keys().geometry.begin(), variant_keys().geometry.end());
  known.insert(variant_keys().timing.begin(), variant_keys().timing.end());
  return known;
}

/// A value of a variant, or nothing where it lacks a column; a condition is 1 or 0.
using Value = std::function<std::optional<double>(const Columns&)>;

class Parser {
 public:
  Parser(const std::string& text, const char* flag, bool has_part)
      : text_(text), flag_(flag), has_part_(has_part) {
    next();
  }

  Value condition() { return whole(either(), true); }
  Value value() { return whole(sum(), false); }

 private:
  struct Part {
    Value value;
    bool is_condition;
  };

  [[noreturn]] void refuse(const std::string& what) const {
    throw UserError(fmt::format("{} '{}': {}", flag_, text_, what));
  }

  Value whole(Part part, bool condition) {
    if (!token_.empty())
      refuse(fmt::format("'{}' at character {} is too much", token_, at_ - token_.size() + 1));
    need(part, condition);
    return std::move(part.value);
  }

  void need(const Part& part, bool condition) const {
    if (part.is_condition == condition) return;
    refuse(condition ? "a value stands where a condition has to, such as fps >= 60"
                     : "a condition stands where a value has to");
  }

  void next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::size_t begin = at_;
    if (at_ == text_.size()) {
      token_.clear();
      return;
    }
    const auto is_word = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    };
    if (is_word(text_[at_])) {
      const bool number = std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.';
      while (at_ < text_.size() &&
             (is_word(text_[at_]) || (number && (text_[at_] == '+' || text_[at_] == '-') &&
                                      (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E'))))
        ++at_;
    } else {
      constexpr std::string_view kTwo[] = {"<=", ">=", "==", "!=", "&&", "||"};
      const std::string_view rest = std::string_view(text_).substr(at_);
      at_ += std::ranges::any_of(kTwo, [&](std::string_view two) { return rest.starts_with(two); }) ? 2 : 1;
    }
    token_ = text_.substr(begin, at_ - begin);
  }

  bool take(std::initializer_list<const char*> words) {
    for (const char* word : words)
      if (token_ == word) {
        next();
        return true;
      }
    return false;
  }

  Part either() {
    Part left = both();
    while (take({"or", "||"}))
      left = join(std::move(left), both(), [](double a, double b) { return a != 0 || b != 0; });
    return left;
  }
  Part both() {
    Part left = negated();
    while (take({"and", "&&"}))
      left = join(std::move(left), negated(), [](double a, double b) { return a != 0 && b != 0; });
    return left;
  }
  template <class F>
  Part join(Part a, Part b, F&& f) {
    need(a, true);
    need(b, true);
    return {binary(std::move(a.value), std::move(b.value), f), true};
  }
  Part negated() {
    if (!take({"not", "!"})) return comparison();
    if (++depth_ > kDepth) refuse("has too many brackets or negations inside of each other");
    Part part = negated();
    --depth_;
    need(part, true);
    return {[v = std::move(part.value)](const Columns& c) {
              const auto x = v(c);
              return x ? std::optional<double>(*x == 0) : std::nullopt;
            },
            true};
  }

  Part comparison() {
    Part left = sum();
    const std::string op = token_;
    if (!take({"<", "<=", ">", ">=", "==", "!=", "="})) return left;
    if (op == "=") refuse("'=' compares nothing, needs ==");
    Part right = sum();
    need(left, false);
    need(right, false);
    const auto compare = [op](double a, double b) {
      if (op == "<") return a < b;
      if (op == "<=") return a <= b;
      if (op == ">") return a > b;
      if (op == ">=") return a >= b;
      return op == "==" ? a == b : a != b;
    };
    return {binary(std::move(left.value), std::move(right.value), compare), true};
  }

  Part sum() {
    return chain([this] { return product(); }, '+', '-');
  }
  Part product() {
    return chain([this] { return atom(); }, '*', '/');
  }
  template <class F>
  Part chain(F&& part, char first, char second) {
    Part left = part();
    while (token_.size() == 1 && (token_[0] == first || token_[0] == second)) {
      const char op = token_[0];
      next();
      Part right = part();
      need(left, false);
      need(right, false);
      left = {binary(std::move(left.value), std::move(right.value),
                     [op](double a, double b) {
                       return op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : a / b;
                     }),
              false};
    }
    return left;
  }

  Part atom() {
    const std::string token = token_;
    if (take({"("})) {
      if (++depth_ > kDepth) refuse("has too many brackets or negations inside of each other");
      Part inside = either();
      if (!take({")"})) refuse("a bracket is not closed");
      --depth_;
      return inside;
    }
    if (take({"-"})) {
      if (++depth_ > kDepth) refuse("has too many brackets or negations inside of each other");
      Part part = atom();
      --depth_;
      need(part, false);
      return {binary([](const Columns&) { return std::optional<double>(0); }, std::move(part.value),
                     [](double a, double b) { return a - b; }),
              false};
    }
    if (token.empty()) refuse("ends where a column or a number has to follow");
    next();
    double number = 0;
    const char* end = token.data() + token.size();
    if (const auto [rest, error] = std::from_chars(token.data(), end, number);
        error == std::errc{} && rest == end)
      return {[number](const Columns&) { return std::optional<double>(number); }, false};
    if (!std::isalpha(static_cast<unsigned char>(token[0])))
      refuse(fmt::format("'{}' is neither a column nor a number", token));
    const std::set<std::string> known = known_columns();
    if (!known.contains(token))
      refuse(fmt::format("there is no column '{}'{}, needs one of {}", token,
                         did_you_mean(token, {known.begin(), known.end()}), fmt::join(known, ", ")));
    if ((token == "fits" || token == "share") && !has_part_)
      refuse(fmt::format("column '{}' is about a part, needs --part", token));
    return {[token](const Columns& c) {
              const auto found = c.find(token);
              return found == c.end() ? std::nullopt : std::optional<double>(found->second);
            },
            token == "fits" || token == "front"};
  }

  template <class F>
  static Value binary(Value a, Value b, F f) {
    return [a = std::move(a), b = std::move(b), f](const Columns& c) -> std::optional<double> {
      const auto x = a(c), y = b(c);
      if (!x || !y) return std::nullopt;
      return f(*x, *y);
    };
  }

  static constexpr int kDepth = 100;

  const std::string& text_;
  const char* flag_;
  bool has_part_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string token_;  ///< the next; empty at the end
};

const char* flag_of(const Selection& s) { return s.maximise ? "--maximise" : "--minimise"; }

/// Adds the numbers of one network's point to those of its variant.
void add_network(Columns& columns, const Json& point) {
  const auto add = [&](const char* column, double value) { columns[column] += value; };
  for (const char* key : {"cycles", "ms", "macs"}) add(key, point.at(key).get<double>());
  const char* untuned = point.contains("default_cycles") ? "default_cycles" : "cycles";
  add("default_cycles", point.at(untuned).get<double>());
  add("energy", point.at("energy").at("total").get<double>());
  add("dram_bytes", point.at("dram").at("read").get<double>() + point.at("dram").at("write").get<double>());
  add("macs_on_cpu", point.at("macs").get<double>() - point.at("macs_on_device").get<double>());
  add("lost", point.contains("lost") ? static_cast<double>(point.at("lost").size()) : 0);
  add("busy_cycles", point.at("utilisation").get<double>() * point.at("cycles").get<double>());
  const double fps = point.at("fps");
  columns["fps"] = columns.contains("fps") ? std::min(columns["fps"], fps) : fps;
  // MHz that one inference a second of the slowest network takes.
  columns["mhz_per_fps"] = std::max(columns["mhz_per_fps"], point.at("cycles").get<double>() / 1e6);
  columns["front"] = columns.contains("front") && columns["front"] == 0 ? 0 : point.at("front").get<bool>();
}

/// Indices of the points of each variant that has a result for each network, in the order of the points.
std::vector<std::vector<std::size_t>> rows_of(const Json& results) {
  std::map<std::size_t, std::size_t> row_of;
  std::vector<std::vector<std::size_t>> rows;
  const Json& points = results.at("points");
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto [row, first] = row_of.emplace(points[p].at("variant").get<std::size_t>(), rows.size());
    if (first) rows.emplace_back();
    rows[row->second].push_back(p);
  }
  std::erase_if(rows, [&](const auto& row) {
    return std::ranges::any_of(row, [&](std::size_t p) { return points[p].at("status") != "ok"; });
  });
  return rows;
}

}  // namespace

Columns columns_of(const Json& results, const std::vector<std::size_t>& points) {
  Columns columns;
  for (const std::size_t p : points) {
    const Json& point = results.at("points").at(p);
    if (point.at("status") != "ok") return {};
    add_network(columns, point);
  }
  columns["utilisation"] = columns["busy_cycles"] / columns["cycles"];
  columns.erase("busy_cycles");
  const Json& first = results.at("points").at(points.front());
  const Json& variant = results.at("variants").at(first.at("variant").get<std::size_t>());
  for (const char* part : {"geometry", "timing"})
    for (const auto& [key, value] : variant.at(part).items()) columns[key] = value.get<double>();
  if (first.contains("share")) columns["share"] = first.at("share").get<double>();
  if (first.contains("fits")) columns["fits"] = first.at("fits").get<bool>();
  for (const auto& [key, value] : first.at("area").items()) columns[key] = value.get<double>();
  columns["multipliers"] = columns["batch"] * columns["block_in"] * columns["block_out"];
  return columns;
}

Selected select_variants(const Json& results, const Selection& selection) {
  const bool has_part = !results.at("part").is_null();
  const Value where = selection.where.empty() ? Value([](const Columns&) { return std::optional<double>(1); })
                                              : Parser(selection.where, "--where", has_part).condition();
  const Value by = selection.by ? Parser(*selection.by, flag_of(selection), has_part).value() : Value();
  Selected selected;
  const auto rows = rows_of(results);
  selected.of = rows.size();
  for (const std::vector<std::size_t>& row : rows) {
    const Columns columns = columns_of(results, row);
    if (where(columns).value_or(0) == 0) continue;
    const double value = by ? by(columns).value_or(std::nan("")) : 0;
    if (!std::isnan(value))
      selected.rows.push_back({row, value});  // NaN: a column that is not there, or 0 / 0
  }
  const auto order = [&](const Selected::Row& row) { return selection.maximise ? -row.value : row.value; };
  if (by) std::ranges::stable_sort(selected.rows, {}, order);
  return selected;
}

void check_selection(const Selection& selection, bool has_part) {
  Json none{{"part", nullptr}, {"points", Json::array()}};
  if (has_part) none["part"] = Json::object();
  select_variants(none, selection);
}

}  // namespace vdla::explore
