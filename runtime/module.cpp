// SPDX-License-Identifier: Apache-2.0
#include "runtime/module.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::runtime {
namespace {

/// More than any machine has memory for; keeps sizes in bytes far from overflow.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

/// Walks the steps in order and knows which tensors have a value by then.
class Checker {
 public:
  explicit Checker(const Module& module) : module_(module), written_(module.tensors.size()) {
    for (std::size_t i = 0; i < module.tensors.size(); ++i) written_[i] = module.tensors[i].constant();
  }

  void run() {
    isa::validate(module_.variant.geometry);
    for (const Tensor& t : module_.tensors) check_tensor(t);
    for (const Port& p : module_.inputs) {
      check_port(p, "input");
      written_[p.tensor] = true;
    }
    for (std::size_t i = 0; i < module_.steps.size(); ++i) {
      where_ = fmt::format("step {}", i);
      std::visit(
          overloaded{[&](const DeviceStep& s) { check_step(s); }, [&](const HostStep& s) { check_step(s); }},
          module_.steps[i]);
    }
    for (const Port& p : module_.outputs) {
      check_port(p, "output");
      where_ = "output '" + p.name + "'";
      need(p.tensor);
    }
    const auto steps = static_cast<std::int64_t>(module_.steps.size());
    for (const NodeInfo& n : module_.nodes)
      VDLA_CHECK_USER(n.step >= -1 && n.step < steps)
          << "node '" << n.name << "' names step " << n.step << ", the module has " << steps;
  }

 private:
  static void check_tensor(const Tensor& t) {
    std::int64_t elements = 1;
    bool valid = true;
    for (std::int64_t extent : t.shape)
      valid = valid && extent >= 0 && !__builtin_mul_overflow(elements, extent, &elements) &&
              elements < kMaxElements;
    VDLA_CHECK_USER(valid) << "tensor '" << t.name << "' has a bad shape: " << to_string(t.shape);
    VDLA_CHECK_USER(t.data.empty() || t.data.size() == t.bytes())
        << "constant '" << t.name << "' has " << t.data.size() << " bytes, its shape " << to_string(t.shape)
        << " needs " << t.bytes();
  }

  const Tensor& tensor(TensorIndex index) const {
    VDLA_CHECK_USER(index < module_.tensors.size())
        << where_ << " names tensor " << index << ", the module has " << module_.tensors.size();
    return module_.tensors[index];
  }

  void need(TensorIndex index) const {
    const Tensor& t = tensor(index);
    VDLA_CHECK_USER(written_[index]) << where_ << " reads tensor '" << t.name
                                     << "' before anything writes it";
  }

  void write(TensorIndex index) {
    const Tensor& t = tensor(index);
    VDLA_CHECK_USER(!t.constant()) << where_ << " writes tensor '" << t.name << "', which is a constant";
    written_[index] = true;
  }

  void check_port(const Port& p, const char* kind) {
    where_ = fmt::format("{} '{}'", kind, p.name);
    const Tensor& t = tensor(p.tensor);
    Shape permuted = p.model_shape;
    if (!p.perm.empty()) {
      std::vector<std::int32_t> sorted = p.perm;
      std::ranges::sort(sorted);
      bool valid = sorted.size() == p.model_shape.size();
      for (std::size_t i = 0; valid && i < sorted.size(); ++i)
        valid = sorted[i] == static_cast<std::int32_t>(i);
      VDLA_CHECK_USER(valid) << where_ << " has a permutation that does not fit its shape "
                             << to_string(p.model_shape);
      for (std::size_t i = 0; i < permuted.size(); ++i)
        permuted[i] = p.model_shape[static_cast<std::size_t>(p.perm[i])];
    }
    VDLA_CHECK_USER(element_count(permuted) == element_count(t.shape))
        << where_ << " has shape " << to_string(p.model_shape) << ", its tensor '" << t.name << "' has "
        << to_string(t.shape);
  }

  void check_place(const DeviceTensor& d, const isa::Program& program) const {
    const Tensor& t = tensor(d.tensor);
    const std::string fault = find_fault(d.layout, t.shape, t.type);
    VDLA_CHECK_USER(fault.empty()) << where_ << ": the layout of tensor '" << t.name << "' " << fault;
    const std::uint64_t size = program.window_size(d.window);
    const auto bytes = static_cast<std::uint64_t>(d.layout.bytes);
    VDLA_CHECK_USER(bytes <= size && d.offset <= size - bytes)
        << where_ << ": tensor '" << t.name << "' ends at byte " << d.offset + bytes << " of window "
        << isa::to_string(d.window) << ", which has " << size;
  }

  void check_step(const DeviceStep& step) {
    VDLA_CHECK_USER(step.program.geometry == module_.variant.geometry)
        << where_ << " has a program for another geometry than the module's variant '" << module_.variant.name
        << "'";
    check_program(step.program);
    for (const DeviceTensor& d : step.inputs) {
      need(d.tensor);
      check_place(d, step.program);
    }
    for (const DeviceTensor& d : step.outputs) {
      write(d.tensor);
      check_place(d, step.program);
    }
  }

  void check_program(const isa::Program& program) const {
    try {
      isa::check(program);
    } catch (const UserError& e) {
      throw UserError(where_ + ": " + e.what());
    }
  }

  void check_step(const HostStep& step) {
    for (TensorIndex result : step.results)
      VDLA_CHECK_USER(std::ranges::find(step.arguments, result) != step.arguments.end())
          << where_ << ", kernel '" << step.kernel << "', writes tensor " << result
          << ", which is not among its arguments";
    for (TensorIndex argument : step.arguments)
      if (std::ranges::find(step.results, argument) == step.results.end()) need(argument);
    for (TensorIndex result : step.results) write(result);
  }

  const Module& module_;
  std::vector<bool> written_;
  std::string where_;
};

}  // namespace

void check(const Module& module) { Checker(module).run(); }

bool needs_device(const Module& module) {
  return std::ranges::any_of(module.steps,
                             [](const Step& s) { return std::holds_alternative<DeviceStep>(s); });
}

double ideal_gemm_cycles(const NodeInfo& node, const isa::Geometry& geometry) {
  return static_cast<double>(node.macs) / geometry.macs();
}

}  // namespace vdla::runtime
