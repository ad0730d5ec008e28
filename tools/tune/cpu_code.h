// SPDX-License-Identifier: Apache-2.0
// Functions of a network as machine code in this process, with the memory that they work on.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/compile.h"
#include "runtime/module/host_kernel.h"

namespace vdla::tune {

/// Bytes where vectors begin a cache line, as the runtime has all tensors.
class Line {
 public:
  /// Zeros.
  explicit Line(std::size_t bytes);
  explicit Line(std::span<const std::byte> from);

  std::byte* data() const { return bytes_.get(); }
  std::span<std::byte> bytes() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::size_t size_;
  std::unique_ptr<std::byte, Free> bytes_;
};

/// Steps one after the other. What they read and none of them makes has values drawn by tensor.
class CpuCode {
 public:
  /// `graph`: of the steps. UserError where the kit or the machine has no code for them.
  CpuCode(const graph::Graph& graph, std::span<const pipeline::HostStep* const> steps,
          const pipeline::CompileOptions& options, const pipeline::KnobBook& book, ParallelHook hook);

  void run() const;
  /// Hash of the machine code.
  std::string program_hash() const;
  /// Whether tensors that both make are the same, are_alike().
  bool computes_as(const CpuCode& other) const;

 private:
  struct Kernel {
    runtime::HostKernel run;
    std::vector<void*> arguments;
  };

  void load(const std::vector<loop::Func>& code, const pipeline::CompileOptions& options, ParallelHook hook);
  void* memory_for(const pipeline::KernelArgument& argument);

  const graph::Graph& graph_;
  std::optional<runtime::ObjectLoader> loader_;
  std::string program_;
  std::vector<graph::TensorId> results_;
  std::map<graph::TensorId, Line> tensors_;
  std::vector<Line> constants_;
  std::vector<Kernel> kernels_;
};

}  // namespace vdla::tune
