// SPDX-License-Identifier: Apache-2.0
// The object loader over LLVM's ORC. All that the runtime needs of LLVM is here.
#include <fmt/format.h>
#include <llvm/ExecutionEngine/Orc/Debugging/DebuggerSupport.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <set>

#include "runtime/host_kernel.h"
#include "runtime/kernel_imports.h"
#include "support/error.h"

namespace vdla::runtime {
namespace {

/// The value, or UserError "cannot load the module's host kernels: ...".
template <class T>
T expect(llvm::Expected<T> value) {
  if (!value) throw UserError("cannot load the module's host kernels: " + llvm::toString(value.takeError()));
  return std::move(*value);
}

/// Why the object cannot run on this machine; empty when it can.
std::string why_not(const KernelObject& object) {
  const llvm::Triple here(llvm::sys::getProcessTriple()), needed(llvm::Triple::normalize(object.triple));
  if (here.getArch() != needed.getArch() || here.getOS() != needed.getOS())
    return fmt::format("it is for {}, this is {}", object.triple, here.str());
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(needed.str(), error);
  if (!target) return error;
  const std::unique_ptr<llvm::MCSubtargetInfo> cpu(
      target->createMCSubtargetInfo(needed.str(), object.cpu, object.features));
  for (const auto& [name, present] : llvm::sys::getHostCPUFeatures())
    if (!present && cpu->checkFeatures("+" + name.str())) return "this CPU lacks " + name.str();
  return {};
}

/// The functions that the object defines for others. UserError where it wants what kernels may not call.
std::set<std::string> kernels_of(llvm::MemoryBufferRef elf) {
  const auto object = expect(llvm::object::ObjectFile::createObjectFile(elf));
  const auto* file = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(object.get());
  VDLA_CHECK_USER(file && file->isRelocatableObject())
      << "cannot load the module's host kernels: they are not a relocatable ELF object";
  std::set<std::string> kernels;
  for (const llvm::object::SymbolRef& symbol : file->symbols()) {
    const std::uint32_t flags = expect(symbol.getFlags());
    const std::string name = expect(symbol.getName()).str();
    if ((flags & llvm::object::SymbolRef::SF_Undefined) != 0) {
      VDLA_CHECK_USER(name.empty() || is_kernel_import(name))
          << "the module's host kernels are refused: they call '" << name
          << "', and kernels call mathematics and memory alone";
    } else if ((flags & llvm::object::SymbolRef::SF_Global) != 0 &&
               expect(symbol.getType()) == llvm::object::SymbolRef::ST_Function) {
      kernels.insert(name);
    }
  }
  return kernels;
}

/// A linker for kernels: of the process it sees what is_kernel_import() allows.
std::unique_ptr<llvm::orc::LLJIT> make_linker() {
  const auto imports = [](llvm::orc::LLJIT& jit) -> llvm::Expected<llvm::orc::JITDylibSP> {
    auto found = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        jit.getDataLayout().getGlobalPrefix(),
        [](const llvm::orc::SymbolStringPtr& name) { return is_kernel_import((*name).str()); });
    if (!found) return found.takeError();
    llvm::orc::JITDylib& library = jit.getExecutionSession().createBareJITDylib("imports of kernels");
    library.addGenerator(std::move(*found));
    return &library;
  };
  return expect(llvm::orc::LLJITBuilder()
                    .setProcessSymbolsJITDylibSetup(imports)
                    .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                    .create());
}

// Clang's check of indirect calls reads a signature in front of the function, which machine code of other
// origin lacks.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
void call_kernel(void (*function)(void* const*), void* const* arguments) {
  function(arguments);
}

}  // namespace

struct ObjectLoader::State {
  std::string why_none = "it has no machine code";
  ParallelHook hook;
  std::set<std::string> kernels;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

ObjectLoader::ObjectLoader(const std::vector<KernelObject>& objects, ParallelHook hook)
    : state_(std::make_unique<State>()) {
  state_->hook = hook;
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  const KernelObject* chosen = nullptr;
  for (const KernelObject& object : objects) {
    state_->why_none = why_not(object);
    if (state_->why_none.empty()) {
      chosen = &object;
      break;
    }
  }
  if (!chosen) return;
  const llvm::StringRef elf(reinterpret_cast<const char*>(chosen->elf.data()), chosen->elf.size());
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(elf, "host kernels");  // aligned, as LLVM wants it
  state_->kernels = kernels_of(*buffer);
  state_->jit = make_linker();
  llvm::orc::JITDylib& main = state_->jit->getMainJITDylib();
  // Before the objects, whose own is weak.
  if (auto error = main.define(llvm::orc::absoluteSymbols(
          {{state_->jit->mangleAndIntern("vdla_parallel"),
            {llvm::orc::ExecutorAddr::fromPtr(&state_->hook), llvm::JITSymbolFlags::Exported}}})))
    throw UserError("cannot load the module's host kernels: " + llvm::toString(std::move(error)));
  // Debuggers learn of code with line tables to its loop IR.
  if (elf.contains(".debug_line"))
    if (auto error = llvm::orc::enableDebuggerSupport(*state_->jit))
      throw UserError("cannot tell debuggers of the module's host kernels: " +
                      llvm::toString(std::move(error)));
  if (auto error = state_->jit->addObjectFile(std::move(buffer)))
    throw UserError("cannot load the module's host kernels: " + llvm::toString(std::move(error)));
}

ObjectLoader::ObjectLoader(ObjectLoader&&) noexcept = default;
ObjectLoader::~ObjectLoader() = default;

bool ObjectLoader::none() const { return state_->jit == nullptr; }
const std::string& ObjectLoader::why_none() const { return state_->why_none; }

HostKernel ObjectLoader::kernel(const std::string& symbol) {
  VDLA_CHECK(!none()) << "no object is loaded";
  VDLA_CHECK_USER(state_->kernels.contains(symbol))
      << "the module's host kernels lack '" << symbol << "'; compile the model again";
  auto* function = expect(state_->jit->lookup(symbol)).toPtr<void (*)(void* const*)>();
  return [function](std::span<void* const> arguments) { call_kernel(function, arguments.data()); };
}

}  // namespace vdla::runtime
