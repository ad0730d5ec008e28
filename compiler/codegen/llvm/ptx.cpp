// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/ptx.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "compiler/codegen/llvm/copies.h"
#include "compiler/codegen/llvm/emit.h"
#include "compiler/codegen/llvm/libclc.h"
#include "compiler/codegen/llvm/llvm_module.h"
#include "compiler/form/form.h"
#include "compiler/grid/thread.h"
#include "compiler/intrinsics/grid.h"
#include "compiler/loop/visit.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

using llvm::Value;

/// Address spaces of LLVM's target for PTX.
constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;
/// Alignment of the memory of a block.
constexpr std::uint64_t kSharedAlign = grid::kSharedAlign;
/// Most bytes of a block without asking for more when it is launched.
constexpr std::int64_t kMostStaticBytes = 48 << 10;
constexpr const char* kDynamicMemory = "vdla_block_memory";

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
  void barrier(EmitState& s, const loop::Stmt& stmt) const override {
    const auto left = s.groups_left.find(&stmt);
    if (left != s.groups_left.end()) {
      s.builder.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group, {}, {});
      s.builder.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {},
                                {s.builder.getInt32(static_cast<std::uint32_t>(left->second))});
    } else if (!s.copies.empty()) {
      s.builder.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_all, {}, {});
    }
    s.builder.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
  }
  void operation(EmitState& s, const loop::IntrinsicCall& call) const override {
    intrinsics::require_operation(call);
    grid::is_of_thread(call.name) ? emit_of_thread(s, call) : emit_of_warp(s, call);
  }
  bool parts_fragments() const override { return true; }
};

/// cp.async, of 4, 8 or 16 bytes. Those of 16 leave the first cache to what threads read themselves.
class PtxCopier final : public Copier {
 public:
  bool takes(std::uint64_t bytes) const override { return bytes == 4 || bytes == 8 || bytes == 16; }
  void copy(EmitState& s, Value* to, Value* from, std::uint64_t bytes, Value* condition) const override {
    auto& b = s.builder;
    using namespace llvm::Intrinsic;
    if (!condition) {
      const auto id = bytes == 4   ? nvvm_cp_async_ca_shared_global_4
                      : bytes == 8 ? nvvm_cp_async_ca_shared_global_8
                                   : nvvm_cp_async_cg_shared_global_16;
      b.CreateIntrinsic(id, {}, {to, from});
      return;
    }
    const auto id = bytes == 4   ? nvvm_cp_async_ca_shared_global_4_s
                    : bytes == 8 ? nvvm_cp_async_ca_shared_global_8_s
                                 : nvvm_cp_async_cg_shared_global_16_s;
    Value* read = b.CreateSelect(condition, b.getInt32(static_cast<std::uint32_t>(bytes)), b.getInt32(0));
    b.CreateIntrinsic(id, {}, {to, from, read});
  }
};

class Ptx final : public Backend {
 public:
  Features features() const override { return grid_features(); }
  const Grid* grid() const override { return &grid_; }
  const Copier* copier() const override { return &copier_; }

  Value* allocate(EmitState& s, const expr::Buffer& buffer) const override {
    const auto bytes = static_cast<std::uint64_t>(grid::bytes_of_thread(buffer));
    auto* type = llvm::ArrayType::get(s.builder.getInt8Ty(), bytes);
    if (buffer.scope == expr::kSharedScope && ptx_dynamic_bytes(*s.kernel) > 0)
      return in_dynamic_memory(s, buffer);
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
    llvm::Type* type = arguments[0]->getType()->getScalarType();
    VDLA_CHECK_USER(has_libclc())
        << "function '" << expr::name(function) << "' of " << (type->isDoubleTy() ? "f64" : "f32") << " in '"
        << s.kernel->func.name
        << "' has no code for CUDA, which has exp, log, tanh and erf of f32, and others "
        << "of libclc, which is not at '" << libclc_path() << "'; install libclc-" << LLVM_VERSION_MAJOR
        << ", make kernels of OpenCL (--lower=opencl), or compute it on the CPU";
    return emit_in_lanes(s, arguments, [&](const std::vector<Value*>& own) -> Value* {
      return s.builder.CreateCall(
          libclc_function(s.module, function, std::vector<llvm::Type*>(own.size(), type)), own);
    });
  }

 private:
  /// Memory whose size the launch says: one array without an end, of which buffers have parts.
  static Value* in_dynamic_memory(EmitState& s, const expr::Buffer& buffer) {
    llvm::GlobalVariable* memory = s.module.getNamedGlobal(kDynamicMemory);
    if (memory == nullptr) {
      memory = new llvm::GlobalVariable(s.module, llvm::ArrayType::get(s.builder.getInt8Ty(), 0), false,
                                        llvm::GlobalValue::ExternalLinkage, nullptr, kDynamicMemory, nullptr,
                                        llvm::GlobalValue::NotThreadLocal, kSharedSpace);
      memory->setAlignment(llvm::Align(kSharedAlign));
    }
    const std::int64_t place = grid::memory_of_block(*s.kernel).places.at(&buffer);
    return s.builder.CreateConstInBoundsGEP1_64(s.builder.getInt8Ty(), memory,
                                                static_cast<std::uint64_t>(place), buffer.name);
  }

  PtxGrid grid_;
  PtxCopier copier_;
};

/// Blocks that are to be on a processor at once, which bounds the registers of a thread. Where threads keep
/// many numbers, what is left over for addresses and operands is no matter of taste: one block alone waits at
/// each barrier.
std::int64_t blocks_at_once(const grid::Kernel& kernel) {
  constexpr std::int64_t kRegisters = 64 << 10, kMany = 48, kForTheRest = 64, kRegisterBytes = 4;
  std::set<const loop::Buffer*> counted;
  std::int64_t numbers = 0;
  loop::visit(kernel.func.body, [&](const loop::StmtPtr& s) {
    const auto* n = s->as<loop::Allocate>();
    if (n && n->buffer->scope != expr::kSharedScope && counted.insert(n->buffer.get()).second)
      numbers += ceil_div(grid::bytes_of_thread(*n->buffer), kRegisterBytes);
  });
  const std::int64_t threads = kernel.threads[0] * kernel.threads[1] * kernel.threads[2];
  return numbers >= kMany && 2 * threads * (numbers + kForTheRest) <= kRegisters ? 2 : 1;
}

void emit_ptx_kernel(llvm::Module& module, const grid::Kernel& kernel, const Backend& backend) {
  EmitState s(module, backend, nullptr, &kernel);
  s.copies = copies_of(kernel);
  s.groups_left = groups_left(kernel, s.copies);
  s.fragment_rows = fragment_rows_of(kernel);
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
  if (const std::int64_t blocks = blocks_at_once(kernel); blocks > 1) note("minctasm", blocks);
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

std::int64_t ptx_dynamic_bytes(const grid::Kernel& kernel) {
  const std::int64_t bytes = grid::memory_of_block(kernel).bytes;
  return bytes > kMostStaticBytes ? bytes : 0;
}

std::string ptx_name(const grid::Kernel& kernel) {
  std::string name = kernel.func.name;
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
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
  link_libclc(*module);
  optimise_module(*module, *machine);
  const auto text = generate(*module, *machine, llvm::CodeGenFileType::AssemblyFile);
  return grid::heading(func.name, launches, ptx_name) + std::string(text.data(), text.size());
}

}  // namespace vdla::codegen
