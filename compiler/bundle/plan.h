// SPDX-License-Identifier: Apache-2.0
// Plan that the files of a bundle share: names, the place of each tensor, the memory that firmware needs.
// Private to this folder.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/bundle/options.h"
#include "runtime/module/module.h"

namespace vdla::bundle {

/// Homes of driver/model/model.h.
enum class Home : unsigned char { Constant, Arena, Input, Output };

struct TensorHome {
  Home home = Home::Constant;
  std::uint64_t at = 0;  ///< byte of the arena, or number of the port
};

/// A step that is run: those on the CPU without any result are left out.
struct PlannedStep {
  std::size_t index = 0;  ///< index in the module
  const runtime::DeviceStep* device = nullptr;
  const runtime::HostStep* host = nullptr;
  std::string symbol;                         ///< symbol of the kernel
  std::vector<std::uint32_t> arguments = {};  ///< arguments of the kernel: tensors, then its buffers
};

/// Memory of a kernel's own, in the arena behind the tensors. A tensor to the C code, behind the module's.
struct KernelBuffer {
  std::uint64_t at = 0, bytes = 0;
};

struct Plan {
  const runtime::Module& module;
  std::string name;   ///< begins all symbols
  std::string upper;  ///< and all macros
  std::string cpu_target;
  std::vector<std::string> inputs = {}, outputs = {};  ///< C names, none twice
  std::vector<TensorHome> homes = {};                  ///< homes by tensor
  std::vector<PlannedStep> steps = {};
  /// Data of the C code: what kernels and outputs read. Constants of device steps are images of windows.
  std::set<runtime::TensorIndex> constants = {};
  std::vector<KernelBuffer> buffers = {};
  std::size_t device_steps = 0;
  std::size_t most_arguments = 0;  ///< most arguments of a kernel
  Memory memory = {};
};

/// `module` must outlive the plan.
Plan make_plan(const runtime::Module& module, const Options& options);

/// Gives the kernels their buffers: bytes of each, by step on the CPU. One kernel runs at a time, so they
/// share memory.
void place_buffers(Plan& plan, const std::vector<std::vector<std::uint64_t>>& buffers);

/// Upper case of names, for macros.
std::string upper_case(std::string text);

/// The C type of an element: "int8_t".
std::string_view c_type(runtime::DataType type);

}  // namespace vdla::bundle
