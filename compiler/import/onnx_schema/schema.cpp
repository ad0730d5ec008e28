// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx_schema/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "compiler/import/onnx_schema/schema_row.h"
#include "support/error.h"
#include "support/nearest.h"
#include "support/overloaded.h"

namespace vdla::import::onnx_schema {
namespace {

std::vector<std::span<const Row>> tables(Domain domain) {
  switch (domain) {
    case Domain::Onnx:
      return {math_rows(), layer_rows(), tensor_rows(), experiment_rows(), runtime_rows()};
    case Domain::Microsoft:
      return {microsoft_rows()};
  }
  return {};
}

std::span<const Row> rows_of(std::string_view op, Domain domain) {
  for (const std::span<const Row> table : tables(domain)) {
    const auto found = std::ranges::equal_range(table, op, {}, &Row::op);
    if (!found.empty()) return {found.begin(), found.end()};
  }
  return {};
}

/// First set of the newest version of this row that is not newer than `opset`; 0 where there is none.
int version_of(const Row& row, std::int64_t opset) {
  int version = 0;
  for (const std::uint8_t since : row.since)
    if (since <= opset) version = std::max<int>(version, since);
  return version;
}

/// Operator sets for which `holds` is true, as text: "set 1", "sets 1 to 6 and from 20 on"; empty where none
/// is.
template <class Holds>
std::string sets_text(const Holds& holds) {
  std::vector<std::string> ranges;
  bool several = false;
  for (std::int64_t first = 1; first <= kNewestOperatorSet; ++first) {
    if (!holds(first)) continue;
    std::int64_t last = first;
    while (last < kNewestOperatorSet && holds(last + 1)) ++last;
    several = several || last > first || !ranges.empty();
    ranges.push_back(last == first                ? fmt::format("{}", first)
                     : last == kNewestOperatorSet ? fmt::format("from {} on", first)
                                                  : fmt::format("{} to {}", first, last));
    first = last;
  }
  if (ranges.empty()) return "";
  return fmt::format("{} {}", several ? "sets" : "set", fmt::join(ranges, " and "));
}

std::vector<std::string> operator_names(Domain domain) {
  std::vector<std::string> names;
  for (const std::span<const Row> table : tables(domain))
    for (const Row& row : table) names.emplace_back(row.op);
  return names;
}

std::vector<std::string> attribute_names(const Version& version) {
  std::vector<std::string> names;
  for (const Attribute& a : version.attributes) names.emplace_back(a.name);
  return names;
}

std::string_view text_of(AttributeType type) {
  switch (type) {
#define VDLA_CASE(name, code, text) \
  case AttributeType::name:         \
    return text;
    VDLA_ONNX_ATTRIBUTE_TYPES(VDLA_CASE)
#undef VDLA_CASE
  }
  return "a value of another type";  // a number that the file has in the type's place
}

/// Attributes that begin so belong to the program that wrote the file; ONNX's own checker, and so ONNX
/// Runtime, passes over them.
constexpr std::string_view kPrivatePrefix = "__";

constexpr std::string_view kMicrosoft = "com.microsoft";

/// The set that messages name.
std::string set_text(Domain domain, std::int64_t opset) {
  return domain == Domain::Microsoft ? std::string(kMicrosoft) : fmt::format("operator set {}", opset);
}

[[noreturn]] void refuse_operator(std::string_view op, std::int64_t opset, Domain domain,
                                  const std::string& where) {
  VDLA_CHECK_USER(domain != Domain::Microsoft)
      << where << "is not supported: this kit does not know '" << op << "' of the domain " << kMicrosoft
      << did_you_mean(op, operator_names(domain));
  VDLA_CHECK_USER(!rows_of(op, domain).empty())
      << where << "is not supported: '" << op << "' is no operator of ONNX up to operator set "
      << kNewestOperatorSet << did_you_mean(op, operator_names(domain));
  throw UserError(
      fmt::format("{}is not supported: {} belongs to operator {}, the model is written in set {} "
                  "(torch.onnx.export and onnx.version_converter take a version)",
                  where, op, sets_text([&](std::int64_t set) { return find(op, set); }), opset));
}

[[noreturn]] void refuse_attribute(const Version& version, std::string_view name, std::int64_t opset,
                                   Domain domain, const std::string& where) {
  const std::string others = sets_text([&](std::int64_t set) {
    const auto other = find(version.op, set, domain);
    return other && attribute(*other, name) != nullptr;
  });
  const std::vector<std::string> known = attribute_names(version);
  throw UserError(fmt::format(
      "{}has attribute '{}', which {} of {} does not have{}; it has {}{}", where, name, version.op,
      set_text(domain, opset), others.empty() ? "" : fmt::format(" (it belongs to {})", others),
      known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")), did_you_mean(name, known)));
}

/// Whether the value that its type promises is there; numbers and lists are never missing.
bool has_value(const onnx::AttributeProto& a) {
  switch (a.type()) {
    case onnx::AttributeProto::TENSOR:
      return a.has_t();
    case onnx::AttributeProto::GRAPH:
      return a.has_g();
    case onnx::AttributeProto::SPARSE_TENSOR:
      return a.has_sparse_tensor();
    case onnx::AttributeProto::TYPE_PROTO:
      return a.has_tp();
    default:
      return true;
  }
}

void check_attribute(const Version& version, const onnx::AttributeProto& given, std::int64_t opset,
                     Domain domain, const std::string& where) {
  const Attribute* known = attribute(version, given.name());
  if (known == nullptr) refuse_attribute(version, given.name(), opset, domain, where);
  const auto type = static_cast<AttributeType>(given.type());
  VDLA_CHECK_USER(type == known->type) << where << "has " << text_of(type) << " as attribute '"
                                       << given.name() << "', needs " << text_of(known->type);
  VDLA_CHECK_USER(!given.ref_attr_name().empty() || has_value(given))
      << where << "has an attribute '" << given.name() << "' without a value, needs " << text_of(known->type);
}

void check_attributes(const Version& version, const onnx::NodeProto& node, std::int64_t opset, Domain domain,
                      const std::string& where) {
  std::vector<std::string_view> seen;
  for (const onnx::AttributeProto& a : node.attribute()) {
    if (a.name().starts_with(kPrivatePrefix)) continue;
    check_attribute(version, a, opset, domain, where);
    VDLA_CHECK_USER(std::ranges::find(seen, a.name()) == seen.end())
        << where << "has attribute '" << a.name() << "' twice, needs it once";
    seen.emplace_back(a.name());
  }
  for (const Attribute& a : version.attributes)
    VDLA_CHECK_USER(!a.required || std::ranges::find(seen, a.name) != seen.end())
        << where << "lacks attribute '" << a.name << "', needs " << text_of(a.type);
}

void check_count(const Version& version, const Counts& counts, int given, std::string_view what,
                 const std::string& set, const std::string& where) {
  const std::string needed = counts.least == counts.most ? fmt::format("{}", counts.least)
                             : counts.most == kAny       ? fmt::format("{} or more", counts.least)
                                                         : fmt::format("{} to {}", counts.least, counts.most);
  VDLA_CHECK_USER(given >= counts.least && given <= counts.most)
      << where << "has " << given << " " << what << (given == 1 ? "" : "s") << ", " << version.op << " of "
      << set << " needs " << needed;
}

}  // namespace

std::optional<Domain> domain_of(const onnx::NodeProto& node) {
  if (node.domain().empty() || node.domain() == "ai.onnx") return Domain::Onnx;
  if (node.domain() == kMicrosoft) return Domain::Microsoft;
  return std::nullopt;
}

std::vector<int> sets_of(std::string_view op) {
  std::vector<int> sets;
  for (const Row& row : rows_of(op, Domain::Onnx))
    for (const std::uint8_t since : row.since)
      if (since > 0 && !row.removed) sets.push_back(since);
  return sets;
}

std::optional<Version> find(std::string_view op, std::int64_t opset, Domain domain) {
  std::optional<Version> result;
  for (const Row& row : rows_of(op, domain))  // they ascend
    if (const int since = version_of(row, opset); since > 0)
      result = row.removed ? std::nullopt
                           : std::optional(Version{row.op, since, row.attributes, row.inputs, row.outputs});
  return result;
}

const Attribute* attribute(const Version& version, std::string_view name) {
  const auto found = std::ranges::find(version.attributes, name, &Attribute::name);
  return found == version.attributes.end() ? nullptr : &*found;
}

std::optional<onnx::AttributeProto> by_default(const Attribute& attribute) {
  if (std::holds_alternative<std::monostate>(attribute.otherwise)) return std::nullopt;
  onnx::AttributeProto result;
  result.set_name(std::string(attribute.name));
  result.set_type(static_cast<onnx::AttributeProto::AttributeType>(attribute.type));
  std::visit(overloaded{
                 [](std::monostate) {},
                 [&](std::int64_t v) { result.set_i(v); },
                 [&](float v) { result.set_f(v); },
                 [&](std::string_view v) { result.set_s(std::string(v)); },
                 [&](std::span<const std::int64_t> v) { result.mutable_ints()->Add(v.begin(), v.end()); },
                 [&](std::span<const std::string_view> v) {
                   for (const std::string_view one : v) result.add_strings(std::string(one));
                 },
             },
             attribute.otherwise);
  return result;
}

void check(const onnx::NodeProto& node, std::int64_t opset, const std::string& where) {
  const auto domain = domain_of(node);
  VDLA_CHECK(domain.has_value()) << "no table of domain '" << node.domain() << "'";
  const auto version = find(node.op_type(), opset, *domain);
  if (!version) refuse_operator(node.op_type(), opset, *domain, where);
  check_attributes(*version, node, opset, *domain, where);
  const std::string set = set_text(*domain, opset);
  check_count(*version, version->inputs, node.input_size(), "input", set, where);
  check_count(*version, version->outputs, node.output_size(), "output", set, where);
  for (int i = 0; i < version->inputs.named; ++i)
    VDLA_CHECK_USER(!node.input(i).empty())
        << where << "lacks input " << i << ", which " << version->op << " needs";
}

}  // namespace vdla::import::onnx_schema
