// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/small_function.h"

#include <algorithm>
#include <vector>

#include "compiler/expr/buffer.h"
#include "compiler/expr/expr.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/visit.h"

namespace vdla::fuzzing {
namespace {

constexpr std::int64_t kMaxIterations = 100'000;
constexpr std::int64_t kMaxBytes = 1 << 20;

bool is_small(const expr::Buffer& buffer) {
  std::int64_t bytes = expr::bytes(buffer.dtype);
  for (std::size_t d = 0; d < buffer.shape.size(); ++d) {
    if (buffer.strides[d] > kMaxBytes || __builtin_mul_overflow(bytes, buffer.shape[d], &bytes) ||
        bytes > kMaxBytes)
      return false;
  }
  return expr::storage_size(buffer) * expr::bytes(buffer.dtype) <= kMaxBytes;
}

/// Iterations of `s`, or more than kMaxIterations where it is not small.
std::int64_t iterations(const loop::StmtPtr& s) {
  if (const auto* loop = s->as<loop::For>()) {
    const auto* extent = std::get_if<expr::IntImm>(&loop->extent->node);
    std::int64_t count = 0;
    if (!extent ||
        __builtin_mul_overflow(std::max<std::int64_t>(extent->value, 1), iterations(loop->body), &count))
      return kMaxIterations + 1;
    return std::min(count, kMaxIterations + 1);
  }
  if (const auto* block = s->as<loop::Allocate>(); block && !is_small(*block->buffer))
    return kMaxIterations + 1;
  std::int64_t sum = 1;
  for (const loop::StmtPtr& inner : loop::children(s))
    sum = std::min(sum + iterations(inner), kMaxIterations + 1);
  return sum;
}

}  // namespace

std::int64_t work_of(const loop::Func& func) {
  for (const loop::Param& param : func.params)
    if (!is_small(*param.buffer)) return kMaxIterations + 1;
  return iterations(func.body);
}

bool is_small(const loop::Func& func) { return work_of(func) <= kMaxIterations; }

void interpret(const loop::Func& func) {
  std::vector<std::vector<std::byte>> memory;
  for (const loop::Param& param : func.params)
    memory.emplace_back(
        static_cast<std::size_t>(expr::storage_size(*param.buffer) * expr::bytes(param.buffer->dtype)));
  std::vector<std::span<std::byte>> arguments(memory.begin(), memory.end());
  loop::Interpreter(func).run(arguments);
}

}  // namespace vdla::fuzzing
