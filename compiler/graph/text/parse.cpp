// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "compiler/graph/shape.h"
#include "compiler/graph/text/attributes.h"
#include "compiler/graph/text/elements.h"
#include "compiler/graph/text/text.h"
#include "support/dimensions.h"
#include "support/error.h"
#include "support/file_kind.h"
#include "support/nearest.h"

namespace vdla::graph {
namespace {

constexpr int kDeepest = 32;  ///< lists and braces within each other

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// The text from front to back. Every error has its line and column.
class GraphCursor {
 public:
  explicit GraphCursor(std::string_view text) : text_(without_byte_order_mark(text)) {}

  bool at_end() { return skip(), at_ == text_.size(); }
  bool at(std::string_view what) { return skip(), text_.substr(at_).starts_with(what); }
  bool take(std::string_view what) {
    if (!at(what)) return false;
    const std::size_t end = at_ + what.size();
    if (is_word_char(what.back()) && end < text_.size() && is_word_char(text_[end])) return false;
    at_ = end;
    return true;
  }
  void expect(std::string_view what) {
    if (!take(what)) fail(fmt::format("expected '{}', got {}", what, next()));
  }
  /// Letters, digits, _ and .
  std::string word(const char* what) {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
    if (begin == at_) fail(fmt::format("expected {}, got {}", what, next()));
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string quoted(const char* what) {
    if (!at("\"")) fail(fmt::format("expected {} in quotes, got {}", what, next()));
    std::string result;
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\')
        escape(result);
      else
        result += text_[at_];
    }
    if (at_ == text_.size() || text_[at_] != '"') fail("this line has no closing quote");
    ++at_;
    return result;
  }
  template <class T>
  T number(const char* what) {
    skip();
    T value{};
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail(fmt::format("{} does not fit its type", what));
    if (error != std::errc()) fail(fmt::format("expected {}, got {}", what, next()));
    const auto length = static_cast<std::size_t>(end - text_.data()) - at_;
    if (end != text_.data() + text_.size() && is_word_char(*end))
      fail(fmt::format("expected {}, got {}", what, next()));
    at_ += length;
    return value;
  }
  /// Whether a number with a point or an exponent comes next.
  bool at_real() {
    skip();
    const std::string_view number = text_.substr(at_, text_.find_first_not_of("+-.0123456789eE", at_) - at_);
    return number.find_first_of(".eE") != std::string_view::npos;
  }
  /// The bytes behind the 0x that comes next.
  Bytes hex() {
    Bytes bytes;
    at_ += 2;
    const auto digit = [&](std::size_t at) {
      const char c = at < text_.size() ? text_[at] : ' ';
      return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    for (; digit(at_) >= 0 && digit(at_ + 1) >= 0; at_ += 2)
      bytes.push_back(static_cast<std::byte>(digit(at_) * 16 + digit(at_ + 1)));
    if (at_ < text_.size() && is_word_char(text_[at_]))
      fail("expected pairs of the digits 0 to 9 and a to f");
    return bytes;
  }
  std::size_t place() { return skip(), at_; }
  [[noreturn]] void fail(const std::string& message) { fail(place(), message); }
  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    const std::string_view before = text_.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = newline == std::string_view::npos ? at + 1 : at - newline;
    throw UserError(fmt::format("line {}, column {}: {}", line, column, message));
  }

 private:
  void skip() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
        ++at_;
      else
        return;
    }
  }
  void escape(std::string& result) {
    const std::string_view rest = text_.substr(at_ + 1);
    unsigned char byte = 0;
    if (rest.starts_with('"') || rest.starts_with('\\')) {
      result += rest[0];
      ++at_;
    } else if (rest.starts_with('x') && rest.size() > 2 &&
               std::from_chars(rest.data() + 1, rest.data() + 3, byte, 16).ptr == rest.data() + 3) {
      result += static_cast<char>(byte);
      at_ += 3;
    } else {
      fail("behind a backslash stands \", \\ or x with two digits");
    }
  }
  std::string next() {
    skip();
    if (at_ == text_.size()) return "the end";
    std::size_t end = at_;
    while (end < text_.size() && end < at_ + 32 && is_word_char(text_[end])) ++end;
    return fmt::format("'{}'", text_.substr(at_, std::max<std::size_t>(end - at_, 1)));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Long: a method for each rule of the grammar over one cursor.
class GraphParser {
 public:
  explicit GraphParser(std::string_view text) : c_(text) {}

  Graph run() {
    c_.expect("graph");
    g_.name = c_.quoted("the graph's name");
    while (!c_.at_end()) statement();
    for (const State& state : g_.states)
      if (state.end == kNone)
        c_.fail(fmt::format("state '{}' has no next value", g_.tensor(state.begin).name));
    verify(g_);
    return std::move(g_);
  }

 private:
  struct Head {
    std::string id;
    std::size_t place = 0;
    std::optional<std::string> name;
    std::optional<std::pair<DataType, Shape>> type;
    Quantization quantization;
    std::optional<Sources> sources;
  };

  void statement() {
    const std::size_t place = c_.place();
    try {
      if (c_.take("input")) return input();
      if (c_.take("output")) return output();
      if (c_.take("const")) return constant();
      if (c_.take("state")) return state();
      if (c_.take("next")) return next();
      if (c_.at("%")) return node();
    } catch (const UserError& error) {
      if (std::string_view(error.what()).starts_with("line ")) throw;
      c_.fail(place, error.what());
    }
    c_.fail("expected input, state, const, output, next or a tensor (%NAME)");
  }

  void input() {
    const Head h = head();
    if (!h.type)
      c_.fail(h.place, "input '%" + h.id + "' needs a type, for example %" + h.id + ": int8[1, 8, 8, 1]");
    const TensorId tensor = g_.add_tensor(
        {h.name.value_or(h.id), h.type->first, h.type->second, h.quantization, nullptr, h.sources});
    define(h, tensor);
    g_.add_input(tensor);
    port(g_.inputs.back());
  }

  void output() {
    g_.add_output(used());
    port(g_.outputs.back());
  }

  void constant() {
    const Head h = head();
    SharedBytes bytes = elements(h, "constant");
    define(h, g_.add_constant(h.name.value_or(h.id), h.type->first, h.type->second, std::move(bytes),
                              h.quantization, h.sources));
  }

  void state() {
    const Head h = head();
    SharedBytes bytes = elements(h, "state");
    const TensorId tensor = g_.add_tensor(
        {h.name.value_or(h.id), h.type->first, h.type->second, h.quantization, nullptr, h.sources});
    define(h, tensor);
    g_.states.push_back({tensor, kNone, std::move(bytes)});
  }

  void next() {
    const std::size_t place = c_.place();
    const TensorId begin = used();
    const auto state = std::ranges::find(g_.states, begin, &State::begin);
    if (state == g_.states.end()) c_.fail(place, "this is no state");
    if (state->end != kNone) c_.fail(place, "this state has a next value already");
    c_.expect("=");
    const std::size_t at = c_.place();
    state->end = used();
    const Tensor &from = g_.tensor(begin), &to = g_.tensor(state->end);
    if (from.type != to.type || from.shape != to.shape)
      c_.fail(at, fmt::format("a state of {}[{}] becomes {}[{}], needs an equal type", name_of(from.type),
                              to_string(from.shape), name_of(to.type), to_string(to.shape)));
    if (std::ranges::find(g_.states, state->end, &State::begin) != g_.states.end())
      c_.fail(at, "a state becomes what another one was: needs a node between, a reshape");
  }

  /// The elements behind '=', as many as the type says.
  SharedBytes elements(const Head& h, const char* what) {
    if (!h.type)
      c_.fail(h.place, fmt::format("{} '%{}' needs a type, for example %{}: int32[4]", what, h.id, h.id));
    c_.expect("=");
    const std::size_t place = c_.place();
    Bytes bytes = data(h.type->first, element_count(h.type->second));
    const std::size_t need =
        bytes_of(h.type->first) * static_cast<std::size_t>(element_count(h.type->second));
    if (bytes.size() != need)
      c_.fail(place, fmt::format("{} '%{}' has {} elements, got {}", what, h.id,
                                 element_count(h.type->second), bytes.size() / bytes_of(h.type->first)));
    return std::make_shared<const Bytes>(std::move(bytes));
  }

  void node() {
    const Head h = head();
    c_.expect("=");
    const std::size_t place = c_.place();
    const std::string op = c_.word("an operator");
    const std::string name = c_.at("\"") ? c_.quoted("a node's name") : h.id;
    if (!node_names_.insert(name).second) c_.fail(place, "there is a node '" + name + "' already");
    std::vector<TensorId> inputs;
    std::vector<DataType> types;
    c_.expect("(");
    while (!c_.at(")")) {
      if (!inputs.empty()) c_.expect(",");
      inputs.push_back(c_.take("-") ? kNone : used());
      types.push_back(inputs.back() == kNone ? DataType::Int8 : g_.tensor(inputs.back()).type);
    }
    c_.expect(")");
    const Json attributes = c_.at("{") ? value(0) : Json::object();
    TensorId output = kNone;
    try {
      output = g_.add_node(name, make_op(op, attributes, types), inputs, h.quantization);
    } catch (const UserError& error) {
      c_.fail(place, error.what());
    }
    Tensor& t = g_.tensor(output);
    if (h.type && *h.type != std::pair(t.type, t.shape))
      c_.fail(h.place,
              fmt::format("'%{}' is said to be {}[{}], and {} gives {}[{}]", h.id, name_of(h.type->first),
                          to_string(h.type->second), op, name_of(t.type), to_string(t.shape)));
    if (h.name) t.name = *h.name;
    t.sources = h.sources;
    define(h, output);
  }

  /// %id ["name"] [: type[shape]] [scale S zero Z [axis A]] [of "A", .. reordered .. within .. from .. | own]
  Head head() {
    Head h;
    h.place = c_.place();
    c_.expect("%");
    h.id = c_.word("a tensor's name");
    if (c_.at("\"")) h.name = c_.quoted("a tensor's name");
    if (c_.take(":")) h.type = type();
    if (c_.take("scale")) quantization(h);
    sources(h);
    return h;
  }

  void quantization(Head& h) {
    const std::size_t place = c_.place();
    h.quantization.scale = one_or_more<double>("a scale");
    for (const double scale : h.quantization.scale)
      if (!std::isfinite(scale) || scale <= 0)
        c_.fail(place, fmt::format("a scale is {}, needs a positive number", scale));
    c_.expect("zero");
    h.quantization.zero_point = one_or_more<std::int32_t>("a zero point");
    if (h.quantization.zero_point.size() == 1)
      h.quantization.zero_point.resize(h.quantization.scale.size(), h.quantization.zero_point[0]);
    if (h.quantization.scale.size() != h.quantization.zero_point.size())
      c_.fail("there are as many zero points as scales");
    if (c_.take("axis")) h.quantization.axis = c_.number<int>("an axis");
  }

  void sources(Head& h) {
    if (c_.take("own")) h.sources.emplace();
#define VDLA_WORD(id, code, word, doc) \
  if (c_.take(word)) add_names(h, Likeness::id);
    VDLA_LIKENESSES(VDLA_WORD)
#undef VDLA_WORD
  }

  void add_names(Head& h, Likeness likeness) {
    const std::size_t place = c_.place();
    if (!h.sources) h.sources.emplace();
    do {
      std::string name = c_.quoted("the name of one of the model's tensors");
      if (std::ranges::find(*h.sources, name, &SourceTensor::name) != h.sources->end())
        c_.fail(place, "the model's tensor '" + name + "' stands twice");
      h.sources->push_back({std::move(name), likeness});
    } while (c_.take(","));
  }

  std::pair<DataType, Shape> type() {
    const std::size_t place = c_.place();
    const std::string name = c_.word("an element type");
    std::vector<std::string> names;
    std::optional<DataType> found;
#define VDLA_TYPE(id, text, dtype) \
  names.emplace_back(text);        \
  if (name == text) found = DataType::id;
    VDLA_GRAPH_DATA_TYPES(VDLA_TYPE)
#undef VDLA_TYPE
    if (!found)
      c_.fail(place, fmt::format("there is no element type '{}'{}", name, did_you_mean(name, names)));
    const Shape shape = list<std::int64_t>("an extent");
    if (shape.size() > kMostDimensions) c_.fail(place, "a type " + too_many_dimensions(shape.size()));
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape)
      if (extent < 1 || __builtin_mul_overflow(elements, extent, &elements) || elements > kLargestTensor)
        c_.fail(place, fmt::format("extents are from 1 on, and their product is at most {}", kLargestTensor));
    return {*found, shape};
  }

  /// [model type[shape]] [perm [..]] [halves_away]
  void port(Port& p) {
    const std::size_t place = c_.place();
    if (c_.take("model")) std::tie(p.model_type, p.model_shape) = type();
    if (c_.take("perm")) p.perm = list<int>("a dimension");
    if (c_.take("halves_away")) p.rounding = Rounding::HalfAwayFromZero;
    const Shape& shape = g_.tensor(p.tensor).shape;
    if (element_count(p.model_shape) != element_count(shape))
      c_.fail(place, fmt::format("the model's port has {} elements, its tensor {}",
                                 element_count(p.model_shape), element_count(shape)));
    std::vector<int> sorted = p.perm;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] != static_cast<int>(i) || sorted.size() != shape.size() ||
          sorted.size() != p.model_shape.size())
        c_.fail(place, "perm names each dimension of the tensor and of the model once");
  }

  template <class T>
  std::vector<T> list(const char* what) {
    std::vector<T> result;
    c_.expect("[");
    while (!c_.at("]")) {
      if (!result.empty()) c_.expect(",");
      refuse_left_out();
      result.push_back(c_.number<T>(what));
    }
    c_.expect("]");
    return result;
  }
  template <class T>
  std::vector<T> one_or_more(const char* what) {
    if (c_.at("[")) return list<T>(what);
    return {c_.number<T>(what)};
  }

  void refuse_left_out() {
    if (c_.at("...")) c_.fail("this text was printed for people, without what is long; print all of it");
  }

  Bytes data(DataType type, std::int64_t count) {
    refuse_left_out();
    if (c_.at("0x")) return c_.hex();
    Bytes bytes;
    const bool numbers = with_element(type, [&]<class T>(T) {
      std::vector<T> values;
      if (c_.take("splat")) {
        const T value = c_.number<T>("an element");
        if (count > kMostSplat - splat_)
          c_.fail(fmt::format("splat fills at most {} elements of a network", kMostSplat));
        splat_ += count;
        values.assign(static_cast<std::size_t>(count), value);
      } else {
        values = list<T>("an element");
      }
      bytes = *to_bytes(values);
    });
    if (!numbers) c_.fail(fmt::format("elements of {} are bytes in hex: 0x..", name_of(type)));
    return bytes;
  }

  /// An attribute's value.
  Json value(int depth) {
    if (depth > kDeepest) c_.fail("lists stand in each other too often");
    if (c_.take("{")) {
      Json object = Json::object();
      while (!c_.at("}")) {
        if (!object.empty()) c_.expect(",");
        const std::size_t place = c_.place();
        const std::string name = c_.word("an attribute's name");
        if (object.contains(name)) c_.fail(place, "attribute '" + name + "' stands twice");
        c_.expect("=");
        object[name] = value(depth + 1);
      }
      c_.expect("}");
      return object;
    }
    if (c_.take("[")) {
      Json list = Json::array();
      while (!c_.at("]")) {
        if (!list.empty()) c_.expect(",");
        refuse_left_out();
        list.push_back(value(depth + 1));
      }
      c_.expect("]");
      return list;
    }
    if (c_.at("\"")) return c_.quoted("text");
    if (c_.take("true")) return true;
    if (c_.take("false")) return false;
    return number_value();
  }

  Json number_value() {
    if (c_.at_real()) return c_.number<double>("a value");
    return c_.number<std::int64_t>("a value");
  }

  void define(const Head& h, TensorId tensor) {
    if (!ids_.emplace(h.id, tensor).second) c_.fail(h.place, "there is a tensor '%" + h.id + "' already");
  }

  /// A tensor that an earlier statement defines.
  TensorId used() {
    const std::size_t place = c_.place();
    c_.expect("%");
    const std::string id = c_.word("a tensor's name");
    if (const auto found = ids_.find(id); found != ids_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [name, tensor] : ids_) names.push_back(name);
    c_.fail(place, fmt::format("no statement before defines '%{}'{}", id, did_you_mean(id, names)));
  }

  GraphCursor c_;
  Graph g_;
  std::map<std::string, TensorId, std::less<>> ids_;
  std::set<std::string> node_names_;
  std::int64_t splat_ = 0;  ///< elements so far
};

}  // namespace

Graph parse(std::string_view text) { return GraphParser(text).run(); }

bool is_graph_text(std::string_view text) { return GraphCursor(text).take("graph"); }

}  // namespace vdla::graph
