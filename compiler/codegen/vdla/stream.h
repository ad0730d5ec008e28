// SPDX-License-Identifier: Apache-2.0
// The stream: what code generation turns, pass by pass (compiler/codegen/vdla/pass.h), from the functions of
// one step of the device into its instructions. It has a text form (compiler/codegen/vdla/text), and rules of
// what may stand in it after which pass (compiler/codegen/vdla/verify.h).
//
// Operands in SRAM lie in instances, virtual storage with a beginning and an end in the stream, until
// place-sram gives them entries of their buffer. A gemm names its micro-kernel; place-uops decides where the
// micro-ops lie. What an instruction waits for is a list of earlier ones, until insert-tokens makes tokens.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/codegen/vdla/location.h"
#include "compiler/codegen/vdla/micro_kernels.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/loop/stmt.h"
#include "isa/codec/insn.h"
#include "isa/program/program.h"
#include "isa/spec/geometry.h"

namespace vdla::codegen {

/// The largest count that an instruction's field holds.
inline constexpr std::int64_t kMaxCount = std::numeric_limits<std::uint16_t>::max();

inline constexpr std::size_t kNoKernel = static_cast<std::size_t>(-1);

/// Index into Stream::instances.
using InstanceId = std::uint32_t;
inline constexpr InstanceId kNoInstance = UINT32_MAX;

/// Entries of one buffer that hold something between two marks of the stream.
struct Instance {
  isa::Buffer buffer;
  std::int64_t entries;
  std::string name;                   ///< for people
  std::optional<std::int64_t> first;  ///< the entry where it must lie; empty: place-sram chooses
};

/// For each unit the last of its instructions that is meant, as index into Stream::insns; or kNever.
using Clock = std::array<std::int32_t, isa::kQueueUnits>;
inline constexpr std::int32_t kNever = -1;
inline constexpr Clock kNoClock{kNever, kNever, kNever, kNever};

struct StreamInsn {
  isa::Insn insn;
  std::size_t source = 0;          ///< index into Stream::sources
  std::size_t kernel = kNoKernel;  ///< kernel of a gemm
  /// Whether the micro-ops of a gemm lie in the buffer uop from uop_begin on.
  bool loaded = false;
  /// Instances of the operands, in the order of visit_operands(): their fields count entries from the first
  /// of the instance; kNoInstance: from the first of the buffer.
  std::array<InstanceId, 3> storage{kNoInstance, kNoInstance, kNoInstance};
  Clock after = kNoClock;  ///< clock of what it waits for
};

/// Calls f(buffer, base) for the operands in SRAM, `base` the field with the first entry: of a copy one, of a
/// gemm acc, inp and wgt, of a vector instruction dst, a and b.
template <class Insn, class F>
void visit_operands(Insn& insn, F&& f) {
  const auto visit = [&](auto& i) {
    if constexpr (requires { i.sram_base; }) {
      f(i.buffer, i.sram_base);
    } else if constexpr (requires { i.acc_base; }) {
      f(isa::Buffer::Acc, i.acc_base);
      f(isa::Buffer::Inp, i.inp_base);
      f(isa::Buffer::Wgt, i.wgt_base);
    } else if constexpr (requires { i.dst_base; }) {
      f(i.dst_buffer, i.dst_base);
      f(i.a_buffer, i.a_base);
      f(isa::Buffer::Par, i.b_base);
    } else {
      static_assert(requires { i.sequence; });  // finish has none
    }
  };
  std::visit(visit, insn);
}

/// Entries of an instance.
struct StoragePlace {
  InstanceId instance;
  std::int64_t first;
};

/// A function that has still to be expanded. Its parameters lie in DRAM or in instances.
struct FunctionCall {
  std::size_t layer;  ///< index into Stream::layers
  loop::Func func;
  std::vector<std::variant<DramPlace, StoragePlace>> places;  ///< places in the order of func.params
};

/// Something between instructions: an instance begins or ends, a function is called.
struct Mark {
  enum class Kind : std::uint8_t { Begin, End, Call };
  Kind kind;
  std::uint32_t id;  ///< index into Stream::instances or Stream::calls
  std::size_t at;    ///< place in front of this instruction, behind the marks before it
};

struct StreamSource {
  std::size_t layer;  ///< index into Stream::layers
  std::string loops;  ///< "y.o=1: gemm acc over y:4 x:8"
};

struct Stream {
  isa::Geometry geometry;
  /// Rows of the array that functions use: all B of them, or one. Then an entry of inp, acc and out is to
  /// them what it is where B is 1, and lies in the first row; the others are not read.
  unsigned rows = 1;
  std::vector<intrinsics::Intrinsic> intrinsics;  ///< meanings of calls in its functions

  /// The machine as functions see it.
  isa::Geometry used() const {
    isa::Geometry g = geometry;
    g.batch = rows;
    return g;
  }
  std::vector<isa::SourceLayer> layers;
  std::vector<StreamSource> sources;
  MicroKernelTable kernels;
  std::vector<Instance> instances;
  std::vector<FunctionCall> calls;
  std::vector<Mark> marks;  ///< marks in order
  std::vector<StreamInsn> insns;
};

/// Calls on_mark with each mark and on_insn with the index of each instruction, in the order of the stream.
template <class OnMark, class OnInsn>
void for_each_item(const std::vector<Mark>& marks, const std::vector<StreamInsn>& insns, OnMark&& on_mark,
                   OnInsn&& on_insn) {
  std::size_t m = 0;
  for (std::size_t i = 0; i <= insns.size(); ++i) {
    for (; m < marks.size() && marks[m].at <= i; ++m) on_mark(marks[m]);
    if (i < insns.size()) on_insn(i);
  }
}

/// "layer 'conv1': y=0: load a: ", for messages; empty where there is no such instruction.
std::string describe_source(const Stream& stream, std::size_t insn);

}  // namespace vdla::codegen
