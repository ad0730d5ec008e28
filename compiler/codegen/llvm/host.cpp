// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/host.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

#include "compiler/codegen/llvm/emit.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

void initialise_targets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
  });
}

std::unique_ptr<llvm::TargetMachine> make_machine(const HostTarget& target) {
  initialise_targets();
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, error);
  VDLA_CHECK_USER(found != nullptr) << "CPU target '" << target.triple << "' is not known to LLVM: " << error;
  llvm::TargetOptions options;
  auto* machine =
      found->createTargetMachine(target.triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
                                 std::nullopt, llvm::CodeGenOptLevel::Aggressive);
  VDLA_CHECK_USER(machine != nullptr) << "LLVM cannot generate code for '" << target.triple << "'";
  return std::unique_ptr<llvm::TargetMachine>(machine);
}

std::unique_ptr<llvm::Module> make_module(llvm::LLVMContext& context, std::span<const loop::Func> funcs,
                                          llvm::TargetMachine& machine) {
  auto module = std::make_unique<llvm::Module>("vdla", context);
  module->setTargetTriple(machine.getTargetTriple().str());
  module->setDataLayout(machine.createDataLayout());
  for (const loop::Func& func : funcs) emit_function(*module, func);
  for (llvm::Function& function : *module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
  return module;
}

void optimise_module(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(graph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, graph, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

template <class T>
T take(llvm::Expected<T> value, const char* action) {
  if (!value) throw InternalError(std::string(action) + ": " + llvm::toString(value.takeError()));
  return std::move(*value);
}

void take(llvm::Error error, const char* action) {
  if (error) throw InternalError(std::string(action) + ": " + llvm::toString(std::move(error)));
}

}  // namespace

HostTarget native_target() {
  std::string features;
  for (const auto& [name, on] : llvm::sys::getHostCPUFeatures())
    features += (features.empty() ? "" : ",") + std::string(on ? "+" : "-") + name.str();
  return {llvm::sys::getDefaultTargetTriple(), llvm::sys::getHostCPUName().str(), features};
}

HostTarget portable_target() {
  const llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  return {triple.str(), triple.getArch() == llvm::Triple::x86_64 ? "x86-64-v2" : "generic", ""};
}

std::string to_llvm_ir(const loop::Func& func, const HostTarget& target, bool optimise) {
  auto machine = make_machine(target);
  llvm::LLVMContext context;
  auto module = make_module(context, {&func, 1}, *machine);
  if (optimise) optimise_module(*module, *machine);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

std::vector<std::byte> to_object(std::span<const loop::Func> funcs, const HostTarget& target) {
  auto machine = make_machine(target);
  llvm::LLVMContext context;
  auto module = make_module(context, funcs, *machine);
  optimise_module(*module, *machine);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  VDLA_CHECK(!machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
      << "no object files for " << target.triple;
  passes.run(*module);
  const auto* begin = reinterpret_cast<const std::byte*>(object.data());
  return {begin, begin + object.size()};
}

struct Jit::State {
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

Jit::Jit() : state_(std::make_unique<State>()) {
  const HostTarget target = native_target();
  state_->machine = make_machine(target);
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(target.triple)};
  builder.setCPU(target.cpu);
  builder.addFeatures({target.features});
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  state_->jit = take(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create(),
                     "starting the JIT");
  auto process = take(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
                          state_->jit->getDataLayout().getGlobalPrefix()),
                      "finding the process's symbols");
  state_->jit->getMainJITDylib().addGenerator(std::move(process));
}

Jit::Jit(Jit&&) noexcept = default;
Jit::~Jit() = default;

HostFunction Jit::add(const loop::Func& func) {
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = make_module(*context, {&func, 1}, *state_->machine);
  optimise_module(*module, *state_->machine);
  take(state_->jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))),
       "adding code");
  return take(state_->jit->lookup(func.name), "finding compiled code").toPtr<HostFunction>();
}

}  // namespace vdla::codegen
