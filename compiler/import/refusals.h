// SPDX-License-Identifier: Apache-2.0
// Operators of a model that this kit refuses: both importers attempt every operator, go on behind those that
// are refused, and throw one error for all of them.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/import/import.h"

namespace vdla::import {

/// A value is read that a refused operator would give: why the operator that reads it is not looked at.
class NotLookedAt : public UserError {
 public:
  NotLookedAt() : UserError("reads a value that a refused operator gives") {}
};

/// Part of a model that is attempted.
struct Attempted {
  std::string op, node;
  std::vector<std::string> types;             ///< element types of its inputs
  std::vector<std::string> reads{}, gives{};  ///< names of tensors, constants left out
  std::uint64_t macs = 0;                     ///< 0 where shapes are not known
  bool is_operator = true;                    ///< false: an input or an output of the model
};

/// The operators of one model while it is imported.
class Refusals {
 public:
  /// `where` is the beginning of messages that a report leaves out: "ONNX model 'x': ".
  explicit Refusals(std::string where) : where_(std::move(where)) {}

  /// Whether `action` takes the part: false where it throws UserError, which is noted.
  template <std::invocable Action>
  bool attempt(const Attempted& part, const Action& action) {
    try {
      action();
    } catch (const NotLookedAt&) {
      not_looked_at(part);
      return false;
    } catch (const UserError& error) {
      refuse(part, error.what());
      return false;
    }
    take(part);
    return true;
  }

  bool none() const { return report_.refusals.empty(); }
  /// Throws the first refusal as it was thrown, with the report of all and how many more there are.
  void require_none() const;

 private:
  void take(const Attempted& part);
  void not_looked_at(const Attempted& part);
  /// Notes the exception that is being handled.
  void refuse(const Attempted& part, const std::string& message);

  std::string where_;
  ModelReport report_;
  std::exception_ptr first_;
  std::map<std::string, std::string> parts_;  ///< the part that gave each message first
  std::map<std::string, std::size_t> kinds_;  ///< place of each kind of refusal in the report
};

}  // namespace vdla::import
