// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/ptx.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <cctype>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/codegen/llvm/llvm_module.h"
#include "compiler/form/form.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

using llvm::Value;

/// Address spaces of LLVM's target for PTX.
constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;
/// Where memory of a block begins.
constexpr std::uint64_t kSharedAlign = 128;

class PtxGrid final : public Grid {
 public:
  Value* index(EmitState& s, expr::ForKind kind) const override {
    static constexpr llvm::Intrinsic::ID kThreads[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                                       llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                                       llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z};
    static constexpr llvm::Intrinsic::ID kBlocks[] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                                      llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                                      llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
    const auto id =
        expr::is_thread(kind) ? kThreads[grid::thread_index(kind)] : kBlocks[grid::block_index(kind)];
    return s.builder.CreateIntrinsic(id, {}, {});
  }
  void barrier(EmitState& s, const loop::Stmt& /*stmt*/) const override {
    s.builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
  }
};

class Ptx final : public Machine {
 public:
  Features features() const override { return grid_features(); }
  const Grid* grid() const override { return &grid_; }

  Value* allocate(EmitState& s, const expr::Buffer& buffer) const override {
    const auto bytes = static_cast<std::uint64_t>(expr::storage_size(buffer) * expr::bytes(buffer.dtype));
    auto* type = llvm::ArrayType::get(s.builder.getInt8Ty(), bytes);
    if (buffer.scope == expr::kSharedScope) {
      auto* memory = new llvm::GlobalVariable(s.module, type, false, llvm::GlobalValue::InternalLinkage,
                                              llvm::PoisonValue::get(type), buffer.name, nullptr,
                                              llvm::GlobalValue::NotThreadLocal, kSharedSpace);
      memory->setAlignment(llvm::Align(kSharedAlign));
      return memory;
    }
    llvm::BasicBlock& start = s.builder.GetInsertBlock()->getParent()->getEntryBlock();
    auto* memory = llvm::IRBuilder<>(&start, start.begin()).CreateAlloca(type, nullptr, buffer.name);
    memory->setAlignment(llvm::Align(s.features.alignment));
    return memory;
  }

  Value* function(EmitState& s, expr::Function function,
                  const std::vector<Value*>& arguments) const override {
    if (Value* value = emit_polynomial(s, function, arguments[0])) return value;
    throw UserError("function '" + std::string(expr::name(function)) + "' of " +
                    (arguments[0]->getType()->getScalarType()->isDoubleTy() ? "f64" : "f32") + " in '" +
                    s.kernel->func.name +
                    "' has no code for CUDA, which has exp, log, tanh and erf of f32; make kernels of OpenCL "
                    "(--lower=opencl), or compute it on the CPU");
  }

 private:
  PtxGrid grid_;
};

void emit_ptx_kernel(llvm::Module& module, const grid::Kernel& kernel, const Machine& machine) {
  EmitState s(module, machine, nullptr, &kernel);
  auto& context = module.getContext();
  const loop::Func& func = kernel.func;
  std::vector<llvm::Type*> types(func.params.size(), llvm::PointerType::get(context, kGlobalSpace));
  auto* function = llvm::Function::Create(llvm::FunctionType::get(s.builder.getVoidTy(), types, false),
                                          llvm::Function::ExternalLinkage, ptx_name(kernel), module);
  function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  for (std::size_t i = 0; i < func.params.size(); ++i)
    bind_kernel_parameter(s, func.params[i], *function->getArg(static_cast<unsigned>(i)));
  s.builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  emit_stmt(s, func.body);
  s.builder.CreateRetVoid();
  llvm::NamedMDNode* notes = module.getOrInsertNamedMetadata("nvvm.annotations");
  const auto note = [&](const char* what, std::int64_t value) {
    auto* number = llvm::ConstantAsMetadata::get(s.builder.getInt32(static_cast<std::uint32_t>(value)));
    notes->addOperand(llvm::MDNode::get(
        context, {llvm::ConstantAsMetadata::get(function), llvm::MDString::get(context, what), number}));
  };
  note("kernel", 1);
  note("reqntidx", kernel.threads[0]);
  note("reqntidy", kernel.threads[1]);
  note("reqntidz", kernel.threads[2]);
}

/// The culprit is the loop over `what` of the axis, which is as long as the grid.
void require_at_most(const grid::Kernel& kernel, const char* what, const grid::Dimensions& seen,
                     const grid::Dimensions& most) {
  for (std::size_t axis = 0; axis < seen.size(); ++axis)
    VDLA_CHECK_USER(seen[axis] <= most[axis]) << "kernel '" << kernel.func.name << "' has a loop of "
                                              << seen[axis] << " iterations over " << what << "."
                                              << "xyz"[axis] << ", and CUDA takes " << most[axis]
                                              << "; split its axis, or bind a longer one to " << what << ".x";
}

}  // namespace

std::string ptx_name(const grid::Kernel& kernel) {
  std::string name = kernel.func.name;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

std::string to_ptx(const loop::Func& func, const grid::Launches& launches) {
  form::require(form::grid_rules(), func);
  for (const grid::Kernel& kernel : launches.kernels) {
    require_at_most(kernel, "block", kernel.blocks, grid::kMostCudaBlocks);
    require_at_most(kernel, "thread", kernel.threads, grid::kMostCudaThreads);
  }
  const auto machine = make_machine("nvptx64-nvidia-cuda", "sm_80", "+ptx70", llvm::Reloc::PIC_);
  llvm::LLVMContext context;
  const auto module = start_module(context, *machine);
  const Ptx ptx;
  for (const grid::Kernel& kernel : launches.kernels) emit_ptx_kernel(*module, kernel, ptx);
  verify_module(*module, func.name);
  optimise_module(*module, *machine);
  const auto text = generate(*module, *machine, llvm::CodeGenFileType::AssemblyFile);
  return grid::heading(func.name, launches, ptx_name) + std::string(text.data(), text.size());
}

}  // namespace vdla::codegen
