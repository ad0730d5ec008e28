// SPDX-License-Identifier: Apache-2.0
#include "runtime/module/gpu_check.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/module/value_check.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

/// Most threads of a block, and blocks in an axis, that drivers can be asked for.
constexpr std::size_t kMostThreadsOfABlock = 1024, kMostBlocks = (std::size_t{1} << 31) - 1;
constexpr std::size_t kMostCudaBlocksBehind = 65535;  ///< most blocks in the second axis and the third
/// Together: the emulator runs one after the other, in an order that it draws.
constexpr std::size_t kMostEmulatedBlocks = std::size_t{1} << 24;
constexpr std::size_t kMostSharedBytes = std::size_t{1} << 24;

class SegmentChecker {
 public:
  SegmentChecker(const Module& module, const GpuSegment& segment, std::size_t number)
      : module_(module), segment_(segment), where_(fmt::format("segment {} of the GPU", number)) {}

  /// `free`: the first step that no segment in front of it has.
  void check(std::size_t free) {
    VDLA_CHECK_USER(std::ranges::find(kGpuKinds, segment_.kind) != std::end(kGpuKinds))
        << where_ << " is for '" << segment_.kind << "', needs one of "
        << fmt::format("{}", fmt::join(kGpuKinds, ", "));
    const std::size_t first = segment_.first_step, steps = module_.steps.size();
    VDLA_CHECK_USER(!segment_.layers.empty() && first >= free && first <= steps &&
                    segment_.layers.size() <= steps - first)
        << where_ << " has " << segment_.layers.size() << " steps from step " << first
        << " on, needs some of the module's " << steps << " behind those of the segment in front of it";
    for (std::size_t i = first; i < segment_.end_step(); ++i)
      VDLA_CHECK_USER(std::holds_alternative<HostStep>(module_.steps[i]))
          << where_ << " has step " << i << ", which is the device's";
    check_buffers();
    check_launches();
    check_tensors();
    check_arena();
  }

 private:
  void check_buffers() const {
    constexpr auto kMost = static_cast<std::size_t>(kMaxTensorBytes);
    std::size_t all = 0;
    for (const std::size_t bytes : segment_.program.buffer_bytes) {
      VDLA_CHECK_USER(bytes <= kMost - all)
          << where_ << " has buffers of more than " << kMost << " bytes together";
      all += bytes;
    }
  }

  void check_launches() const {
    std::size_t of_layers = 0;
    for (const GpuLayer& layer : segment_.layers) of_layers += layer.launches;
    const auto& launches = segment_.program.launches;
    VDLA_CHECK_USER(of_layers == launches.size())
        << where_ << " has " << launches.size() << " launches, its steps " << of_layers;
    for (const gpu::Launch& launch : launches) {
      const std::string kernel = where_ + ": kernel '" + launch.kernel + "'";
      VDLA_CHECK_USER(launch.part < segment_.program.parts.size())
          << kernel << " is in part " << launch.part << " of " << segment_.program.parts.size();
      std::size_t threads = 1, blocks = 1;
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t most = d > 0 && segment_.kind == kKindCuda ? kMostCudaBlocksBehind : kMostBlocks;
        VDLA_CHECK_USER(launch.blocks[d] >= 1 && launch.blocks[d] <= most)
            << kernel << " has " << launch.blocks[d] << " blocks in an axis, needs 1 to " << most;
        VDLA_CHECK_USER(segment_.kind != kKindEmulator || launch.blocks[d] <= kMostEmulatedBlocks / blocks)
            << kernel << " has more than " << kMostEmulatedBlocks << " blocks, which the emulator takes";
        blocks *= std::min(launch.blocks[d], kMostBlocks / blocks);
        VDLA_CHECK_USER(launch.threads[d] >= 1 && launch.threads[d] <= kMostThreadsOfABlock)
            << kernel << " has " << launch.threads[d] << " threads in an axis, needs 1 to "
            << kMostThreadsOfABlock;
        threads *= launch.threads[d];
      }
      VDLA_CHECK_USER(threads <= kMostThreadsOfABlock)
          << kernel << " has " << threads << " threads in a block, needs at most " << kMostThreadsOfABlock;
      VDLA_CHECK_USER(launch.shared_bytes <= kMostSharedBytes)
          << kernel << " has " << launch.shared_bytes << " bytes of shared memory, needs at most "
          << kMostSharedBytes;
      for (const std::size_t buffer : launch.arguments) require_buffer(buffer, kernel);
    }
  }

  void require_buffer(std::size_t buffer, const std::string& who) const {
    VDLA_CHECK_USER(buffer < segment_.program.buffer_bytes.size())
        << who << " names buffer " << buffer << ", the program has " << segment_.program.buffer_bytes.size();
  }

  void check_tensors() const {
    std::vector<bool> taken(segment_.program.buffer_bytes.size());
    for (const auto* list : {&segment_.inputs, &segment_.outputs, &segment_.constants})
      for (const GpuTensor& t : *list) {
        VDLA_CHECK_USER(t.tensor < module_.tensors.size())
            << where_ << " names tensor " << t.tensor << ", the module has " << module_.tensors.size();
        const Tensor& tensor = module_.tensors[t.tensor];
        const std::string who = where_ + ": tensor '" + tensor.name + "'";
        require_buffer(t.buffer, who);
        VDLA_CHECK_USER(segment_.program.buffer_bytes[t.buffer] == tensor.bytes())
            << who << " has " << tensor.bytes() << " bytes, its buffer "
            << segment_.program.buffer_bytes[t.buffer];
        VDLA_CHECK_USER(!taken[t.buffer]) << who << " shares buffer " << t.buffer << " with another tensor";
        taken[t.buffer] = true;
        VDLA_CHECK_USER((list == &segment_.constants) == tensor.constant())
            << who << (tensor.constant() ? " is a constant and no input or output" : " is no constant");
      }
    for (const GpuTensor& t : segment_.outputs)
      VDLA_CHECK_USER(is_result(t.tensor)) << where_ << " writes tensor '" << module_.tensors[t.tensor].name
                                           << "', which is no result of its steps";
  }

  /// Buffers in use: those of tensors always, others from the first launch that names them to the last one.
  struct Use {
    std::size_t buffer, first, last;
  };
  std::vector<Use> uses() const {
    const std::size_t launches = segment_.program.launches.size();
    std::vector<Use> uses;
    for (std::size_t i = 0; i < segment_.program.buffer_bytes.size(); ++i) uses.push_back({i, launches, 0});
    for (std::size_t l = 0; l < launches; ++l)
      for (const std::size_t buffer : segment_.program.launches[l].arguments) {
        uses[buffer].first = std::min(uses[buffer].first, l);
        uses[buffer].last = l;
      }
    for (const auto* list : {&segment_.inputs, &segment_.outputs, &segment_.constants})
      for (const GpuTensor& t : *list) uses[t.buffer] = {t.buffer, 0, launches};
    std::erase_if(uses, [&](const Use& use) {
      return use.first > use.last || segment_.program.buffer_bytes[use.buffer] == 0;
    });
    return uses;
  }

  void check_arena() const {
    const gpu::Program& program = segment_.program;
    if (program.offsets.empty()) return;
    constexpr auto kMost = static_cast<std::size_t>(kMaxTensorBytes);
    VDLA_CHECK_USER(program.offsets.size() == program.buffer_bytes.size())
        << where_ << " has places for " << program.offsets.size() << " buffers of "
        << program.buffer_bytes.size();
    for (std::size_t i = 0; i < program.offsets.size(); ++i)
      VDLA_CHECK_USER(program.offsets[i] % gpu::kArenaAlignment == 0 &&
                      program.offsets[i] <= kMost - program.buffer_bytes[i])
          << where_ << " has buffer " << i << " at byte " << program.offsets[i] << ", needs a multiple of "
          << gpu::kArenaAlignment << " that ends before " << kMost;
    check_shared(uses());
  }

  /// Holds buffers that are in use at once apart: each is compared with its neighbours among them.
  void check_shared(std::vector<Use> uses) const {
    const gpu::Program& program = segment_.program;
    std::ranges::sort(uses, {}, &Use::first);
    std::map<std::size_t, std::size_t> lies;       // offset to buffer
    std::multimap<std::size_t, std::size_t> ends;  // last launch to offset
    const auto end_of = [&](std::size_t buffer) {
      return program.offsets[buffer] + program.buffer_bytes[buffer];
    };
    for (const Use& use : uses) {
      while (!ends.empty() && ends.begin()->first < use.first) {
        lies.erase(ends.begin()->second);
        ends.erase(ends.begin());
      }
      const auto above = lies.lower_bound(program.offsets[use.buffer]);
      const bool meets_above = above != lies.end() && above->first < end_of(use.buffer);
      const bool meets_below =
          above != lies.begin() && end_of(std::prev(above)->second) > program.offsets[use.buffer];
      VDLA_CHECK_USER(!meets_above && !meets_below)
          << where_ << " has buffers " << use.buffer << " and "
          << (meets_above ? above->second : std::prev(above)->second)
          << " in use at once and in the same bytes";
      lies.emplace(program.offsets[use.buffer], use.buffer);
      ends.emplace(use.last, program.offsets[use.buffer]);
    }
  }

  bool is_result(TensorIndex tensor) const {
    for (std::size_t i = segment_.first_step; i < segment_.end_step(); ++i)
      if (std::ranges::count(std::get<HostStep>(module_.steps[i]).results, tensor) != 0) return true;
    return false;
  }

  const Module& module_;
  const GpuSegment& segment_;
  const std::string where_;
};

}  // namespace

void check_gpu(const Module& module) {
  std::size_t free = 0;
  for (std::size_t i = 0; i < module.gpu.size(); ++i) {
    SegmentChecker(module, module.gpu[i], i).check(free);
    free = module.gpu[i].end_step();
  }
}

}  // namespace vdla::runtime
