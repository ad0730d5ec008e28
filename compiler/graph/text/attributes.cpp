// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/text/attributes.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "compiler/expr/print.h"
#include "compiler/expr/visit.h"
#include "compiler/graph/text/fields.h"
#include "compiler/graph/text/text.h"
#include "compiler/loop/parse.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/nearest.h"

namespace vdla::graph {
namespace {

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};
template <class T, std::size_t N>
struct IsList<std::array<T, N>> : std::true_type {};

constexpr Outside last_of(Outside) { return Outside::Reflect; }
constexpr ScatterMode last_of(ScatterMode) { return ScatterMode::Multiply; }

template <class Enum>
std::vector<std::string> names_in_order() {
  if constexpr (std::is_same_v<Enum, expr::Reducer>) {
#define VDLA_NAME(name, text) text,
    return {VDLA_REDUCERS(VDLA_NAME)};
#undef VDLA_NAME
  } else {
    std::vector<std::string> names;
    for (int i = 0; i <= static_cast<int>(last_of(Enum())); ++i)
      names.emplace_back(name_of(static_cast<Enum>(i)));
    return names;
  }
}
// ---- to values

template <class T>
Json to_value(const T& value);

struct ValueWriter {
  Json all = Json::object();
  template <class T>
  void operator()(const char* name, const T& value) {
    all[name] = to_value(value);
  }
};

/// Fields of a structure that `Writer` takes and that are not as those of a fresh one.
template <class Writer = ValueWriter, class T>
Json changed_fields(T value) {
  Writer own, fresh;
  fields(own, value);
  T unchanged{};
  fields(fresh, unchanged);
  Json result = Json::object();
  for (const auto& [name, one] : own.all.items())
    if (one != fresh.all[name]) result[name] = one;
  return result;
}

template <class T>
Json to_value(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_enum_v<T>) {
    return names_in_order<T>().at(static_cast<std::size_t>(value));
  } else if constexpr (std::is_same_v<T, Hw>) {
    return Json::array({value.h, value.w});
  } else if constexpr (std::is_same_v<T, Pads>) {
    return Json::array({value.top, value.bottom, value.left, value.right});
  } else if constexpr (std::is_same_v<T, Multiplier>) {
    Json list = Json::array({value.value, value.shift});
    if (value.guard != 0) list.push_back(value.guard);
    return list;
  } else if constexpr (std::is_same_v<T, expr::ExprPtr>) {
    return value ? Json(expr::to_string(value)) : Json();
  } else if constexpr (IsList<T>::value) {
    Json list = Json::array();
    for (const auto& one : value) list.push_back(to_value(one));
    return list;
  } else {
    return changed_fields(value);
  }
}

/// Sizes are of other types than what is computed with.
template <class T>
constexpr bool kIsSize = std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> ||
                         std::is_same_v<T, Hw> || std::is_same_v<T, Pads> ||
                         std::is_same_v<T, std::vector<int>> || std::is_same_v<T, std::vector<std::int64_t>>;

struct SizeWriter {
  Json all = Json::object();
  template <class T>
  void operator()(const char* name, const T& value) {
    if constexpr (kIsSize<T>) all[name] = to_value(value);
  }
};

// ---- from values

/// An expression over `variables`, read by the parser of loop IR: as what an intrinsic call carries, which
/// may be of any type.
expr::ExprPtr parse_expression(const std::string& text, const std::vector<expr::VarPtr>& variables) {
  try {
    const loop::Func func = loop::parse("func f() { intrinsic e() attrs(e = " + text + ") }", variables);
    return func.body->as<loop::IntrinsicCall>()->attributes.at(0).value;
  } catch (const UserError& error) {
    const std::string message = error.what();
    const auto place = message.find(": ");
    throw UserError("'" + text + "': " + (place == std::string::npos ? message : message.substr(place + 2)));
  }
}

class ValueReader {
 public:
  /// `path` is the attribute that the values are part of.
  ValueReader(const Json& values, std::string path, const std::vector<expr::VarPtr>& variables)
      : values_(values), path_(std::move(path)), variables_(variables) {}

  template <class T>
  void operator()(const char* name, T& value) {
    names_.emplace_back(name);
    if (const auto found = values_.find(name); found != values_.end()) read(*found, path_ + name, value);
  }

  void refuse_others() const {
    for (const auto& [name, value] : values_.items())
      VDLA_CHECK_USER(std::find(names_.begin(), names_.end(), name) != names_.end())
          << "there is no attribute '" << path_ << name << "'" << did_you_mean(name, names_);
  }

 private:
  [[noreturn]] static void refuse(const Json& value, const std::string& path, const std::string& needed) {
    throw UserError(fmt::format("attribute '{}' is {}, needs {}", path, json_dump(value), needed));
  }

  template <class T>
  static void read_number(const Json& value, const std::string& path, T& number) {
    if constexpr (std::is_floating_point_v<T>) {
      // Rounds to the type before it is compared: the shortest text of the largest float is a larger double.
      const T rounded = static_cast<T>(value.is_number() ? value.get<double>() : NAN);
      if (!std::isfinite(rounded))
        refuse(value, path,
               fmt::format("a number from {} to {}", std::numeric_limits<T>::lowest(),
                           std::numeric_limits<T>::max()));
      number = rounded;
    } else {
      using Limits = std::numeric_limits<T>;
      if (!value.is_number_integer() ||
          value.get<std::int64_t>() < static_cast<std::int64_t>(Limits::min()) ||
          value.get<std::int64_t>() > static_cast<std::int64_t>(Limits::max()))
        refuse(value, path, fmt::format("a whole number from {} to {}", Limits::min(), Limits::max()));
      number = value.get<T>();
    }
  }

  /// Into these, in order; the last `optional` may be missing.
  template <class... T>
  static void read_tuple(const Json& value, const std::string& path, std::size_t optional, T&... members) {
    const std::size_t count = sizeof...(T);
    if (!value.is_array() || value.size() > count || value.size() + optional < count)
      refuse(value, path, fmt::format("a list of {} numbers", count - optional));
    std::size_t at = 0;
    ((at < value.size() ? read_number(value[at], path, members) : void(), ++at), ...);
  }

  template <class T>
  void read(const Json& value, const std::string& path, T& result) const {
    if constexpr (std::is_same_v<T, bool>) {
      if (!value.is_boolean()) refuse(value, path, "true or false");
      result = value.get<bool>();
    } else if constexpr (std::is_arithmetic_v<T>) {
      read_number(value, path, result);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!value.is_string()) refuse(value, path, "text in quotes");
      result = value.get<std::string>();
    } else if constexpr (std::is_enum_v<T>) {
      const std::vector<std::string> names = names_in_order<T>();
      const auto found =
          std::find(names.begin(), names.end(), value.is_string() ? value.get<std::string>() : "");
      if (found == names.end()) refuse(value, path, fmt::format("one of \"{}\"", fmt::join(names, "\", \"")));
      result = static_cast<T>(found - names.begin());
    } else if constexpr (std::is_same_v<T, Hw>) {
      read_tuple(value, path, 0, result.h, result.w);
    } else if constexpr (std::is_same_v<T, Pads>) {
      read_tuple(value, path, 0, result.top, result.bottom, result.left, result.right);
    } else if constexpr (std::is_same_v<T, Multiplier>) {
      read_tuple(value, path, 1, result.value, result.shift, result.guard);
    } else if constexpr (std::is_same_v<T, expr::ExprPtr>) {
      if (!value.is_string()) refuse(value, path, "an expression in quotes");
      result = parse_expression(value.get<std::string>(), variables_);
    } else if constexpr (IsList<T>::value) {
      if (!value.is_array()) refuse(value, path, "a list");
      if constexpr (requires { result.resize(0); }) {
        result.assign(value.size(), {});
      } else if (value.size() != result.size()) {
        refuse(value.size(), path, fmt::format("{} elements", result.size()));
      }
      for (std::size_t i = 0; i < result.size(); ++i) read(value[i], path, result[i]);
    } else {
      if (!value.is_object()) refuse(value, path, "attributes in braces");
      ValueReader reader(value, path + ".", variables_);
      fields(reader, result);
      reader.refuse_others();
    }
  }

  const Json& values_;
  const std::string path_;
  const std::vector<expr::VarPtr>& variables_;
  std::vector<std::string> names_;
};

/// Variables of a Map's body: x0, x1, ..., of the inputs' types.
std::vector<expr::VarPtr> map_arguments(std::span<const DataType> inputs) {
  std::vector<expr::VarPtr> result;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    result.push_back(expr::make_var("x" + std::to_string(i), dtype_of(inputs[i])));
  return result;
}

template <class T>
Op read_op(const Json& attributes, std::span<const DataType> inputs) {
  T op;
  std::vector<expr::VarPtr> variables;
  if constexpr (std::is_same_v<T, Map>) op.arguments = variables = map_arguments(inputs);
  ValueReader reader(attributes, "", variables);
  fields(reader, op);
  reader.refuse_others();
  if constexpr (std::is_same_v<T, Map>) {
    VDLA_CHECK_USER(op.body) << "attribute 'body' is missing";
  }
  return op;
}

/// With the arguments that text gives it.
Map named(const Map& map) {
  Map result = map;
  expr::Substitution values;
  for (std::size_t i = 0; i < map.arguments.size(); ++i) {
    const expr::VarPtr& old = map.arguments[i];
    values[old] = expr::var_ref(result.arguments[i] = expr::make_var("x" + std::to_string(i), old->dtype));
  }
  result.body = expr::substitute(map.body, values);
  return result;
}

}  // namespace

Json attribute_values(const Op& op) {
  return std::visit(
      [](const auto& o) {
        if constexpr (std::is_same_v<std::decay_t<decltype(o)>, Map>) {
          return changed_fields(named(o));
        } else {
          return changed_fields(o);
        }
      },
      op);
}

std::string print_sizes(const Op& op) {
  const Json sizes = std::visit([](const auto& o) { return changed_fields<SizeWriter>(o); }, op);
  return sizes.empty() ? "" : json_dump(sizes);
}

Op make_op(std::string_view name, const Json& attributes, std::span<const DataType> inputs) {
#define VDLA_READ(type, text, fusion) \
  if (name == text) return read_op<type>(attributes, inputs);
  VDLA_GRAPH_OPS(VDLA_READ)
#undef VDLA_READ
#define VDLA_NAME(type, text, fusion) text,
  const std::vector<std::string> names{VDLA_GRAPH_OPS(VDLA_NAME)};
#undef VDLA_NAME
  throw UserError(fmt::format("there is no operator '{}'{}", name, did_you_mean(name, names)));
}

}  // namespace vdla::graph
