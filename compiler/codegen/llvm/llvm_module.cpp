// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/llvm_module.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>

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

/// Errors end the process as LLVM's own handler does; an optimisation that was not possible is none.
void handle_diagnostic(const llvm::DiagnosticInfo* info, void* /*context*/) {
  if (info->getSeverity() != llvm::DS_Error) return;
  std::string message;
  llvm::raw_string_ostream stream(message);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
  llvm::report_fatal_error(llvm::StringRef(message));
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> make_machine(const std::string& triple, const std::string& cpu,
                                                  const std::string& features, llvm::Reloc::Model model) {
  initialise_targets();
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
  VDLA_CHECK_USER(found != nullptr) << "CPU target '" << triple << "' is not known to LLVM: " << error;
  auto* machine = found->createTargetMachine(triple, cpu, features, llvm::TargetOptions(), model,
                                             std::nullopt, llvm::CodeGenOptLevel::Aggressive);
  VDLA_CHECK_USER(machine != nullptr) << "LLVM cannot generate code for '" << triple << "'";
  return std::unique_ptr<llvm::TargetMachine>(machine);
}

std::unique_ptr<llvm::Module> start_module(llvm::LLVMContext& context, const llvm::TargetMachine& machine) {
  context.setDiagnosticHandlerCallBack(handle_diagnostic);
  auto module = std::make_unique<llvm::Module>("vdla", context);
  module->setTargetTriple(machine.getTargetTriple().str());
  module->setDataLayout(machine.createDataLayout());
  return module;
}

void name_cpu(llvm::Module& module, const llvm::TargetMachine& machine) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    // LLVM's own vectoriser shies away from 512-bit registers.
    function.addFnAttr("prefer-vector-width", "512");
  }
}

void verify_module(const llvm::Module& module, const std::string& name) {
  std::string message;
  llvm::raw_string_ostream stream(message);
  VDLA_CHECK(!llvm::verifyModule(module, &stream)) << "LLVM refuses " << name << ": " << message;
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

llvm::SmallVector<char, 0> generate(llvm::Module& module, llvm::TargetMachine& machine,
                                    llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  VDLA_CHECK(!machine.addPassesToEmitFile(passes, stream, nullptr, type))
      << "no code of this kind for " << machine.getTargetTriple().str();
  passes.run(module);
  return code;
}

}  // namespace vdla::codegen
