// SPDX-License-Identifier: Apache-2.0
// Rules of a stream. Some forms may stand in it only until a pass of the table (compiler/codegen/vdla/pass.h)
// has removed them; the rules hold at all times:
//
// Marks and tables: every index names a member. An instance begins once, in front of what uses it, and ends
// at most once, behind that. An operand stays inside of the instance that it lies in, which is one of its
// buffer; or inside of the buffer.
// Micro-kernels: a gemm has one, of as many micro-ops as it says; where it is loaded, the loads in front of
// it have brought these micro-ops to uop_begin. Waits: for earlier instructions of other units, in a stream
// without marks. Tokens: each is pushed before it is popped, and no more are in flight, in the order of the
// stream, than a channel holds. FINISH comes with encode().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/codegen/vdla/stream.h"
#include "support/error.h"

namespace vdla::codegen {

/// X(name, what stands in the stream)
#define VDLA_STREAM_FORMS(X)                                      \
  X(Function, "a function that is not expanded")                  \
  X(Instance, "an instance without a place")                      \
  X(MicroKernel, "a gemm whose micro-kernel is not loaded")       \
  X(Wait, "an instruction that waits for others without a token") \
  X(Token, "an instruction with tokens")

enum class Form : std::uint8_t {
#define VDLA_ENUM(name, text) name,
  VDLA_STREAM_FORMS(VDLA_ENUM)
#undef VDLA_ENUM
};

std::string_view text_of(Form form);

/// A set of forms.
class Forms {
 public:
  constexpr Forms() = default;
  constexpr Forms(std::initializer_list<Form> forms) {
    for (const Form form : forms) bits_ |= bit(form);
  }
  static constexpr Forms all() {
    Forms forms;
    forms.bits_ = ~0u;
    return forms;
  }
  constexpr bool has(Form form) const { return (bits_ & bit(form)) != 0; }

 private:
  static constexpr unsigned bit(Form form) { return 1u << static_cast<unsigned>(form); }
  unsigned bits_ = 0;
};

/// Throws UserError for a form of the stream that is not in `may`: where it stands, and what removes it.
void check_forms(const Stream& stream, Forms may);

/// Error of an operand that lies outside of the instance or the buffer that it is in.
class OperandOutside : public UserError {
 public:
  using UserError::UserError;
};

/// check_forms(), and UserError for a rule that does not hold, naming instance or instruction.
void verify(const Stream& stream, Forms may = Forms::all());

}  // namespace vdla::codegen
