// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/emulated.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/codegen/llvm/host.h"
#include "compiler/codegen/llvm/llvm_module.h"
#include "compiler/form/form.h"
#include "compiler/grid/held.h"
#include "compiler/grid/kernels.h"
#include "compiler/grid/warp.h"
#include "compiler/intrinsics/grid.h"
#include "compiler/loop/print.h"
#include "compiler/loop/visit.h"
#include "runtime/gpu/emulated_thread.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

using gpu::EmulatedThread;
using llvm::Value;

/// Private memory begins with bytes that make wrong numbers of what was never written.
constexpr std::uint8_t kPoison = 0xa5;
static_assert(grid::kSharedAlign == gpu::kSharedAlignment);

/// Kernels get a pointer to their EmulatedThread behind their parameters.
class Emulated final : public Backend, private Grid, private Watcher {
 public:
  using Lines = std::unordered_map<const loop::Stmt*, unsigned>;

  Emulated(const grid::Kernel& kernel, const Lines& lines, bool is_watched)
      : lines_(lines), is_watched_(is_watched), memory_(grid::memory_of_block(kernel)) {
    for (const loop::Param& param : kernel.func.params) parameters_.push_back(param.buffer.get());
  }

  Features features() const override { return grid_features(); }
  const Grid* grid() const override { return this; }
  const Watcher* watcher() const override { return is_watched_ ? this : nullptr; }

  Value* allocate(EmitState& s, const expr::Buffer& buffer) const override {
    llvm::BasicBlock& start = s.builder.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> entry(&start, start.begin());
    const auto place = memory_.places.find(&buffer);
    if (place != memory_.places.end()) {
      auto* shared = member(entry, s, offsetof(EmulatedThread, shared), entry.getPtrTy());
      return entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), shared,
                                              static_cast<std::uint64_t>(place->second), buffer.name);
    }
    const auto bytes = static_cast<std::uint64_t>(expr::storage_size(buffer) * expr::bytes(buffer.dtype));
    auto* memory = entry.CreateAlloca(llvm::ArrayType::get(entry.getInt8Ty(), bytes), nullptr, buffer.name);
    memory->setAlignment(llvm::Align(s.features.alignment));
    entry.CreateMemSet(memory, entry.getInt8(kPoison), bytes, llvm::Align(s.features.alignment));
    return memory;
  }

  /// As the C library has it where there is no polynomial: kernels of OpenCL have all functions.
  Value* function(EmitState& s, expr::Function function,
                  const std::vector<Value*>& arguments) const override {
    if (Value* value = emit_polynomial(s, function, arguments[0])) return value;
    return emit_libm(s, std::string(expr::name(function)), arguments);
  }

 private:
  Value* index(EmitState& s, expr::ForKind kind) const override {
    const std::size_t array =
        expr::is_thread(kind) ? offsetof(EmulatedThread, thread) : offsetof(EmulatedThread, block);
    const std::size_t dimension = expr::is_thread(kind) ? grid::thread_index(kind) : grid::block_index(kind);
    return member(s.builder, s, array + dimension * sizeof(std::int32_t), s.builder.getInt32Ty());
  }

  void barrier(EmitState& s, const loop::Stmt& stmt) const override {
    auto& b = s.builder;
    call(s, offsetof(EmulatedThread, barrier), {thread_of(s), b.getInt32(line_of(&stmt))});
  }

  void operation(EmitState& s, const loop::IntrinsicCall& call) const override {
    call_ = s.stmt;
    emit_stmt(s, intrinsics::loops_of_operation(call));
    call_ = nullptr;
  }
  bool parts_fragments() const override { return false; }

  void access(EmitState& s, const expr::Buffer& buffer, Value* pointer, Value* bytes,
              bool writes) const override {
    if (!memory_.places.contains(&buffer) && std::ranges::count(parameters_, &buffer) == 0) return;
    auto& b = s.builder;
    call(s, offsetof(EmulatedThread, access),
         {thread_of(s), pointer, bytes, b.getInt32(writes ? 1 : 0),
          b.getInt32(line_of(call_ ? call_ : s.stmt))});
  }

  unsigned line_of(const loop::Stmt* stmt) const {
    const auto found = lines_.find(stmt);
    return found == lines_.end() ? 0 : found->second;
  }

  static Value* thread_of(EmitState& s) {
    llvm::Function* function = s.builder.GetInsertBlock()->getParent();
    return function->getArg(static_cast<unsigned>(function->arg_size() - 1));
  }
  static Value* member(llvm::IRBuilder<>& b, EmitState& s, std::size_t offset, llvm::Type* type) {
    Value* place = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), thread_of(s), offset);
    auto* load = b.CreateLoad(type, place);
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(s.context(), {}));
    return load;
  }
  static void call(EmitState& s, std::size_t offset, const std::vector<Value*>& arguments) {
    auto& b = s.builder;
    std::vector<llvm::Type*> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    b.CreateCall(llvm::FunctionType::get(b.getVoidTy(), types, false), member(b, s, offset, b.getPtrTy()),
                 arguments);
  }

  const Lines& lines_;
  const bool is_watched_;
  const grid::BlockMemory memory_;
  std::vector<const expr::Buffer*> parameters_;
  mutable const loop::Stmt* call_ = nullptr;  ///< call whose loops are being emitted
};

/// name.body(parameters, thread) and name(arguments, thread), which takes them out of the array.
void emit_emulated(llvm::Module& module, const grid::Kernel& kernel, const Backend& backend,
                   const std::string& name) {
  EmitState s(module, backend, nullptr, &kernel);
  auto& b = s.builder;
  const loop::Func& func = kernel.func;
  const auto make = [&](const std::string& its_name, std::size_t pointers, auto linkage) {
    const std::vector<llvm::Type*> types(pointers, b.getPtrTy());
    auto* made = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false), linkage,
                                        its_name, module);
    made->addFnAttr(llvm::Attribute::NoUnwind);
    b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", made));
    return made;
  };
  auto* body = make(name + ".body", func.params.size() + 1, llvm::Function::InternalLinkage);
  for (std::size_t i = 0; i < func.params.size(); ++i)
    bind_kernel_parameter(s, func.params[i], *body->getArg(static_cast<unsigned>(i)));
  emit_stmt(s, func.body);
  b.CreateRetVoid();
  auto* function = make(name, 2, llvm::Function::ExternalLinkage);
  std::vector<Value*> arguments;
  for (std::size_t i = 0; i < func.params.size(); ++i)
    arguments.push_back(
        b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getPtrTy(), function->getArg(0), i)));
  arguments.push_back(function->getArg(1));
  b.CreateCall(body, arguments);
  b.CreateRetVoid();
}

}  // namespace

std::string emulated_name(const grid::Kernel& kernel) { return kernel.func.name; }

std::int64_t emulated_shared_bytes(const grid::Kernel& kernel) { return grid::memory_of_block(kernel).bytes; }

std::vector<std::byte> to_emulated(const loop::Func& func) {
  form::require(form::grid_rules(), func);
  // Lines are those of the text, in which rows of threads stand where memory @held does.
  const loop::Func own =
      with_distinct_statements({func.name, func.params, grid::map_kernels(func.body, grid::with_own_rows)});
  const grid::Launches launches = grid::split_launches(own);
  const loop::Listing listing = loop::list(own);
  const HostTarget target = portable_target();  // a module may run elsewhere
  const auto machine = make_machine(target.triple, target.cpu, target.features, llvm::Reloc::PIC_);
  llvm::LLVMContext context;
  const auto module = start_module(context, *machine);
  for (const grid::Kernel& kernel : launches.kernels)
    for (const bool is_watched : {false, true})
      emit_emulated(*module, kernel, Emulated(kernel, listing.lines, is_watched),
                    emulated_name(kernel) + (is_watched ? gpu::kWatched : ""));
  verify_module(*module, func.name);
  name_cpu(*module, *machine);
  optimise_module(*module, *machine);
  const auto object = generate(*module, *machine, llvm::CodeGenFileType::ObjectFile);
  const auto* begin = reinterpret_cast<const std::byte*>(object.data());
  return {begin, begin + object.size()};
}

}  // namespace vdla::codegen
