// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/cpu_code.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "compiler/passes/target.h"
#include "compiler/targets/cpu/kernels/functions.h"
#include "compiler/targets/cpu/kernels/host_kernel.h"
#include "compiler/targets/cpu/kernels/host_object.h"
#include "support/error.h"
#include "tools/explore/hash.h"
#include "tools/tune/trial_values.h"

namespace vdla::tune {

Line::Line(std::size_t bytes) : size_(bytes) {
  constexpr std::size_t kLine = 64;
  bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(kLine, (bytes + kLine) / kLine * kLine)));
  if (!bytes_) throw std::bad_alloc();
  std::memset(bytes_.get(), 0, bytes);
}

Line::Line(std::span<const std::byte> from) : Line(from.size()) {
  std::memcpy(bytes_.get(), from.data(), from.size());
}

void Line::Free::operator()(std::byte* p) const { std::free(p); }

CpuCode::CpuCode(const graph::Graph& graph, std::span<const pipeline::HostStep* const> steps,
                 const pipeline::CompileOptions& options, const pipeline::KnobBook& book, ParallelHook hook)
    : graph_(graph) {
  pipeline::Functions functions;
  std::vector<pipeline::HostKernel> kernels;
  std::vector<loop::Func> code;
  for (const pipeline::HostStep* step : steps) {
    pipeline::HostKernel kernel = pipeline::host_kernel(graph, step->nodes, options.cpu, {}, &book);
    auto [func, is_new] = functions.add(std::move(kernel.func));
    kernel.func = std::move(func);
    if (is_new) code.push_back(passes::lower(passes::cpu_target(), kernel.func));
    results_.push_back(graph.node(step->nodes.back()).output);
    kernels.push_back(std::move(kernel));
  }
  load(code, options, hook);
  for (const pipeline::HostKernel& kernel : kernels) {
    Kernel& loaded = kernels_.emplace_back(Kernel{loader_->kernel(kernel.func.name), {}});
    for (const pipeline::KernelArgument& a : kernel.arguments) loaded.arguments.push_back(memory_for(a));
  }
}

void CpuCode::load(const std::vector<loop::Func>& code, const pipeline::CompileOptions& options,
                   ParallelHook hook) {
  std::vector<runtime::KernelObject> objects;
  for (const pipeline::HostObject& object : pipeline::host_objects(code, options))
    objects.push_back({object.triple, object.cpu, object.features, object.elf});
  VDLA_CHECK_USER(!objects.empty()) << "the kit was built without LLVM and makes no machine code to "
                                       "measure: install llvm-dev and build again";
  loader_.emplace(objects, hook);
  VDLA_CHECK_USER(!loader_->none()) << "this machine cannot run the code: " << loader_->why_none();
  for (const runtime::KernelObject& object : objects)
    program_ += std::string(reinterpret_cast<const char*>(object.elf.data()), object.elf.size());
}

void* CpuCode::memory_for(const pipeline::KernelArgument& argument) {
  if (argument.tensor == graph::kNone) return constants_.emplace_back(*argument.data).data();
  const graph::Tensor& t = graph_.tensor(argument.tensor);
  if (const auto known = tensors_.find(argument.tensor); known != tensors_.end()) return known->second.data();
  if (t.constant()) return tensors_.emplace(argument.tensor, Line(*t.data)).first->second.data();
  const Line& line = tensors_.emplace(argument.tensor, Line(t.bytes())).first->second;
  if (std::ranges::find(results_, argument.tensor) == results_.end())
    fill(line.bytes(), t.type, static_cast<unsigned>(argument.tensor) + 1);
  return line.data();
}

void CpuCode::run() const {
  for (const Kernel& kernel : kernels_) kernel.run(kernel.arguments);
}

std::string CpuCode::program_hash() const { return explore::content_hash(program_); }

bool CpuCode::computes_as(const CpuCode& other) const {
  return std::ranges::all_of(results_, [&](graph::TensorId id) {
    const bool of_both = std::ranges::find(other.results_, id) != other.results_.end();
    return !of_both ||
           are_alike(tensors_.at(id).bytes(), other.tensors_.at(id).bytes(), graph_.tensor(id).type);
  });
}

}  // namespace vdla::tune
