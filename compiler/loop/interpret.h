// SPDX-License-Identifier: Apache-2.0
// The interpreter: what a loop IR function means, as the oracle of every lowering. A function is compiled
// once to a flat bytecode with slots, then run any number of times. Every access is checked against each
// dimension of its buffer (statically where the loop ranges prove it), allocations start with garbage, and
// an index out of bounds, which alone has no meaning, throws a UserError that names it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "compiler/loop/stmt.h"

namespace vdla::loop {

/// One region of an intrinsic call while it executes. The origin may lie outside of the buffer where the
/// declaration says that such elements are not touched.
struct Operand {
  const Region* region;
  std::byte* data;      ///< element 0 of the buffer
  std::int64_t size;    ///< elements of the buffer's storage
  std::int64_t origin;  ///< element offset of the region's origin

  /// Address of the element at `offset` (sum of index * stride) from the origin; throws where it is outside
  /// of the buffer.
  std::byte* at(std::int64_t offset) const;
  /// The integer there, in normal form, and back.
  std::int64_t load(std::int64_t offset) const;
  void store(std::int64_t offset, std::int64_t value) const;
};

struct IntrinsicExecution {
  const IntrinsicCall& call;
  std::span<const Operand> outputs, inputs;
  std::span<const std::int64_t> attributes;  ///< values, in the order of the call; integers and bools only
  bool reset;
};

/// Performs an intrinsic call. Throws UserError for a name that it does not know.
using IntrinsicHandler = std::function<void(const IntrinsicExecution&)>;

struct Bytecode;

class Interpreter {
 public:
  /// Without a handler, intrinsic calls are refused when they are executed.
  explicit Interpreter(const Func& func, IntrinsicHandler handler = {});
  ~Interpreter();
  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;

  /// One memory per parameter, at least as long as its buffer's storage. May be called from several threads
  /// where the handler may.
  void run(std::span<const std::span<std::byte>> arguments) const;

 private:
  std::unique_ptr<const Bytecode> code_;
  IntrinsicHandler handler_;
};

}  // namespace vdla::loop
