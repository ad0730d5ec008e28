// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/kernel_proof.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "runtime/session/aligned_memory.h"
#include "support/machine_memory.h"

namespace vdla::runtime {
namespace {

/// Results of one run are compared, and of more runs where they are few.
constexpr std::size_t kFewestResults = 4096, kMostRuns = 16;
/// Kernels on more memory than this share of the machine's are not compared: an inference has to fit beside.
constexpr std::uint64_t kShareOfMemory = 8;
/// One in kFewestDifferent of the results that are looked at has to differ from all others where a step adds
/// floats.
constexpr std::size_t kFewestDifferent = 8;

bool is_float(DataType type) {
  return type == DataType::Float16 || type == DataType::BFloat16 || type == DataType::Float32 ||
         type == DataType::Float64;
}

/// A step of floats whose results are none cannot be proven: what differs in its last bit rounds to the same
/// number on nearly all data, and to another one on some.
bool rounds_floats(const Module& module, const HostStep& step) {
  const auto floats = [&](TensorIndex t) { return is_float(module.tensors[t].type); };
  return std::ranges::any_of(step.arguments, floats) && !std::ranges::all_of(step.results, floats);
}

bool have_room(const Module& module, const HostStep& step) {
  std::uint64_t bytes = 0;
  for (const TensorIndex t : step.arguments)
    if (!module.tensors[t].constant()) bytes += 2 * module.tensors[t].bytes();
  return bytes < machine_memory() / kShareOfMemory;
}

/// Results, some thousands of them at most, to see how many are different.
class Sample {
 public:
  void add(const Tensor& tensor, const std::byte* bytes) {
    const auto count = static_cast<std::size_t>(element_count(tensor.shape));
    if (count == 0) return;
    const std::size_t width = tensor.bytes() / count, step = std::max<std::size_t>(count / kFewestResults, 1);
    for (std::size_t i = 0; i < count; i += step) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes + i * width, std::min(width, sizeof value));
      values_.push_back(value);
    }
  }
  /// Two of them where nothing was rounded: a result that is always the same says nothing.
  bool tells(bool floats) {
    const std::size_t all = values_.size();
    std::ranges::sort(values_);
    const auto repeated = std::ranges::unique(values_);
    const std::size_t different = all - repeated.size();
    return different >= 2 && (!floats || different * kFewestDifferent >= all);
  }

 private:
  std::vector<std::uint64_t> values_;
};

/// Any value of 8 bits; floats from -1 to 1 of all bits; zeros of other types, which may say a place.
void draw(const Tensor& tensor, std::byte* bytes, std::mt19937_64& random) {
  const std::size_t size = tensor.bytes();
  std::uniform_real_distribution<double> real(-1, 1);
  switch (tensor.type) {
    case DataType::Int8:
    case DataType::UInt8:
      for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(random());
      return;
    case DataType::Float32:
      for (std::size_t i = 0; i + sizeof(float) <= size; i += sizeof(float)) {
        const auto value = static_cast<float>(real(random));
        std::memcpy(bytes + i, &value, sizeof value);
      }
      return;
    case DataType::Float64:
      for (std::size_t i = 0; i + sizeof(double) <= size; i += sizeof(double)) {
        const double value = real(random);
        std::memcpy(bytes + i, &value, sizeof value);
      }
      return;
    default:
      std::memset(bytes, 0, size);
  }
}

/// The tensors of a step that are no constants, in memory of their own.
class Scratch {
 public:
  Scratch(const Module& module, const HostStep& step) : module_(module) {
    for (const TensorIndex t : step.arguments)
      if (!module.tensors[t].constant()) memory_.try_emplace(t, aligned_memory(module.tensors[t].bytes()));
  }

  /// `inputs`: drawn from it.
  void run(const ProvableKernel& kernel, const std::function<std::byte*(TensorIndex)>& constant,
           std::mt19937_64 inputs) {
    for (auto& [t, bytes] : memory_) {
      const bool is_result = std::ranges::find(kernel.step->results, t) != kernel.step->results.end();
      if (is_result)
        std::memset(bytes.get(), 0, module_.tensors[t].bytes());
      else
        draw(module_.tensors[t], bytes.get(), inputs);
    }
    std::vector<void*> arguments;
    for (const TensorIndex t : kernel.step->arguments) {
      const auto own = memory_.find(t);
      arguments.push_back(own == memory_.end() ? constant(t) : own->second.get());
    }
    kernel.run(arguments);
  }
  const std::byte* result(TensorIndex t) const { return memory_.at(t).get(); }

 private:
  const Module& module_;
  std::map<TensorIndex, AlignedMemory> memory_;  ///< memory in order: both kernels draw alike
};

}  // namespace

bool give_equal_results(const Module& module, const ProvableKernel& own, const ProvableKernel& other,
                        const std::function<std::byte*(TensorIndex)>& constant) {
  if (rounds_floats(module, *own.step) || !have_room(module, *own.step)) return false;
  Scratch a(module, *own.step), b(module, *own.step);
  std::size_t results = 0;
  for (const TensorIndex t : own.step->results)
    results += static_cast<std::size_t>(element_count(module.tensors[t].shape));
  results = std::max<std::size_t>(results, 1);
  const std::size_t runs = std::clamp<std::size_t>((kFewestResults + results - 1) / results, 1, kMostRuns);
  Sample sample;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::mt19937_64 inputs(run + 1);
    a.run(own, constant, inputs);
    b.run(other, constant, inputs);
    for (const TensorIndex t : own.step->results) {
      if (std::memcmp(a.result(t), b.result(t), module.tensors[t].bytes()) != 0) return false;
      sample.add(module.tensors[t], a.result(t));
    }
  }
  return sample.tells(std::ranges::any_of(own.step->arguments,
                                          [&](TensorIndex t) { return is_float(module.tensors[t].type); }));
}

}  // namespace vdla::runtime
