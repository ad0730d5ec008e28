// SPDX-License-Identifier: Apache-2.0
// State of printing one program of OpenCL C. Private to this folder.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/expr/affine.h"
#include "compiler/loop/stmt.h"

namespace vdla::codegen::opencl {

/// Names of C for those of loop IR, which may have points and be words of the language.
class Names {
 public:
  /// Always the same for the same key (a variable or a buffer), which lives as long as this.
  const std::string& of(const void* key, const std::string& wanted);
  /// A variable's loop is at its end: the next one may have its name.
  void leave(const void* key);
  std::string fresh(const std::string& wanted);
  /// Buffers that come from outside of the kernel.
  void add_parameter(const expr::Buffer* buffer) { parameters_.insert(buffer); }
  bool is_parameter(const expr::Buffer* buffer) const { return parameters_.contains(buffer); }

 private:
  std::unordered_map<const void*, std::string> known_;
  std::set<std::string> taken_;
  std::set<const expr::Buffer*> parameters_;
};

/// Functions that the language has not, or with another meaning; each is printed once in front of the kernels
/// that use it.
class Helpers {
 public:
  /// The name of the function, to call it: of `kind` for values of C's type `type`.
  std::string use(const std::string& kind, const std::string& type);
  std::string text() const;

 private:
  std::set<std::pair<std::string, std::string>> used_;
};

struct Context {
  Helpers& helpers;
  Names names;
  expr::Ranges ranges;  ///< ranges of the loops around
};

/// C's type of an element, in memory and in a register: "float", "uchar". UserError for types of 16-bit
/// floats, which not every machine computes with.
std::string type_of(expr::DType dtype);

/// Text of a value in a register, in C. `outer` is the strength of what stands around it
/// (compiler/expr/print.h).
std::string scalar(Context& c, const expr::ExprPtr& e, int outer = 0);
/// An element of a buffer.
std::string element(Context& c, const expr::Buffer& buffer, const std::vector<expr::ExprPtr>& indices);
/// Whether integers of the type cannot wrap in this sum, difference or product.
bool cannot_wrap(const expr::ExprPtr& e, const expr::Ranges& ranges);

/// The loop whose iterations are the elements of vectors.
struct Vector {
  expr::VarPtr var;
  expr::ExprPtr first;  ///< its value in the first element
  std::int64_t lanes;   ///< 2, 4, 8 or 16
};
/// A store for all of them at once; nothing where that has no form, and each has to do it for itself.
std::optional<std::string> vector_store(Context& c, const loop::Store& store, const Vector& v);

}  // namespace vdla::codegen::opencl
