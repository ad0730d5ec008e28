// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/refusals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string_view>

namespace vdla::import {
namespace {

/// The message without names and numbers, which are those of one node.
std::string kind_of(std::string_view message) {
  std::string kind;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (c == '\'') {
      const std::size_t end = message.find('\'', i + 1);
      if (end != std::string_view::npos) i = end;
      kind += "''";
    } else if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      kind += c;
    } else if (kind.empty() || kind.back() != '#') {
      kind += '#';
    }
  }
  return kind;
}

/// Remedy of a refusal that names none.
constexpr const char* kLeaveItOff =
    "leave it off where it is at an end of the network (--from, --until), or replace it in the model; vdla "
    "ops "
    "lists the operators that this kit takes";

/// A message ends with the value needed or with what to do: its remedy.
std::pair<std::string, std::string> reason_and_remedy(const std::string& message) {
  constexpr std::array<std::string_view, 6> kNeeds{", needs ",   "; needs ", "; leave ",
                                                   ": convert ", ": bind ",  ": give "};
  std::size_t at = message.size();
  for (const std::string_view beginning : kNeeds) at = std::min(at, message.find(beginning));
  return {message.substr(0, at), at == message.size() ? kLeaveItOff : message.substr(at + 2)};
}

/// Each word once, in order, with commas.
std::string each_once(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const std::string& word : words)
    if (std::ranges::find(result, word) == result.end()) result.push_back(word);
  return fmt::format("{}", fmt::join(result, ", "));
}

}  // namespace

void Refusals::take(const Attempted& part) {
  if (!part.is_operator) return;
  ++report_.operators;
  ++report_.taken;
  report_.macs += part.macs;
  report_.macs_taken += part.macs;
}

void Refusals::not_looked_at(const Attempted& part) {
  if (!part.is_operator) return;
  ++report_.operators;
  ++report_.not_looked_at;
  report_.macs += part.macs;
}

void Refusals::refuse(const Attempted& part, const std::string& message) {
  // A value may be made when several nodes read it: what refuses it is refused once.
  const auto [known, is_new] = parts_.emplace(message, part.node);
  if (!is_new && known->second != part.node) return not_looked_at(part);
  if (first_ == nullptr) first_ = std::current_exception();
  report_.operators += part.is_operator ? 1 : 0;
  report_.macs += part.macs;
  std::string words = message;
  const auto drop = [&](const std::string& beginning) {
    if (words.starts_with(beginning)) words.erase(0, beginning.size());
  };
  drop(where_);
  drop(fmt::format("{} at node '{}' ", part.op, part.node));
  const std::string kind = fmt::format("{} {} {}", part.is_operator, part.op, kind_of(words));
  const auto [place, is_new_kind] = kinds_.emplace(kind, report_.refusals.size());
  if (is_new_kind) {
    auto [reason, remedy] = reason_and_remedy(words);
    report_.refusals.push_back({.op = part.op,
                                .reason = std::move(reason),
                                .remedy = std::move(remedy),
                                .reads = part.reads,
                                .gives = part.gives,
                                .is_operator = part.is_operator});
  }
  Refusal& refusal = report_.refusals[place->second];
  refusal.nodes.push_back(part.node);
  refusal.macs += part.macs;
  const std::string types = each_once(part.types);
  if (std::ranges::find(refusal.types, types) == refusal.types.end()) refusal.types.push_back(types);
}

void Refusals::require_none() const {
  if (none()) return;
  std::size_t count = 0;
  for (const Refusal& r : report_.refusals) count += r.nodes.size();
  const auto text = [&](const UserError& error) {
    if (count == 1) return std::string(error.what());
    return fmt::format("{}; and {} more {} refused (vdla explain lists them)", error.what(), count - 1,
                       count == 2 ? "is" : "are");
  };
  const auto report = std::make_shared<const ModelReport>(report_);
  try {
    std::rethrow_exception(first_);
  } catch (const NeedsConstant& error) {
    throw NeedsConstant(text(error), error.inputs, report);
  } catch (const OutOfScope& error) {
    throw OutOfScope(text(error), error.reason, report);
  } catch (const UserError& error) {
    throw Refused(text(error), report);
  }
}

}  // namespace vdla::import
