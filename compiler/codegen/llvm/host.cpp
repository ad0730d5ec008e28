// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/host.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <optional>

#include "compiler/codegen/llvm/cpu.h"
#include "compiler/codegen/llvm/emit.h"
#include "compiler/codegen/llvm/llvm_module.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

Features features_of(const llvm::TargetMachine& machine) {
  const llvm::MCSubtargetInfo& subtarget = *machine.getMCSubtargetInfo();
  const auto has = [&](const char* features) { return subtarget.checkFeatures(features); };
  const llvm::Triple& triple = machine.getTargetTriple();
  if (triple.isAArch64()) return {has("+dotprod") ? DotInstruction::NeonDot : DotInstruction::None, 16};
  if (triple.getArch() != llvm::Triple::x86_64) return {};
  if (has("+avx512vnni,+avx512vl,+avx512bw")) return {DotInstruction::Vnni, 64, true};
  if (has("+avxvnni")) return {DotInstruction::Vnni, 32, true};
  return {DotInstruction::PairSums, has("+avx512bw") ? 64u : has("+avx2") ? 32u : 16u, has("+sse4.1")};
}

std::unique_ptr<llvm::TargetMachine> machine_of(const HostTarget& target) {
  return make_machine(target.triple, target.cpu, target.features,
                      target.position_independent ? llvm::Reloc::PIC_ : llvm::Reloc::Static);
}

/// `source_file` empty: without debug info.
std::unique_ptr<llvm::Module> make_module(llvm::LLVMContext& context, std::span<const loop::Func> funcs,
                                          llvm::TargetMachine& machine, const std::string& source_file = {}) {
  auto module = start_module(context, machine);
  std::optional<DebugInfo> debug;
  if (!source_file.empty()) debug.emplace(*module, source_file);
  const Cpu cpu(features_of(machine));
  for (const loop::Func& func : funcs) emit_function(*module, func, cpu, debug ? &*debug : nullptr);
  if (debug) debug->finish();
  verify_module(*module, funcs[0].name);
  name_cpu(*module, machine);
  return module;
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
  llvm::StringMap<bool> known = llvm::sys::getHostCPUFeatures();
  // The one feature of x86-64 of which LLVM 19 says nothing where the CPU lacks it, so that a runtime could
  // not tell whether the code uses it.
  if (llvm::Triple(llvm::sys::getDefaultTargetTriple()).isX86()) known.try_emplace("evex512", false);
  std::string features;
  for (const auto& [name, on] : known)
    features += (features.empty() ? "" : ",") + std::string(on ? "+" : "-") + name.str();
  return {llvm::sys::getDefaultTargetTriple(), llvm::sys::getHostCPUName().str(), features};
}

HostTarget portable_target() {
  const llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  return {triple.str(), triple.getArch() == llvm::Triple::x86_64 ? "x86-64-v2" : "generic", ""};
}

std::vector<HostTarget> portable_targets() {
  const HostTarget last = portable_target();
  std::vector<HostTarget> targets;
  if (llvm::Triple(last.triple).getArch() == llvm::Triple::x86_64) {
    targets.push_back({last.triple, "x86-64-v4", "+avx512vnni"});
    for (const char* level : {"x86-64-v4", "x86-64-v3"}) targets.push_back({last.triple, level, ""});
  } else if (llvm::Triple(last.triple).isAArch64()) {
    targets.push_back({last.triple, last.cpu, "+dotprod"});
  }
  targets.push_back(last);
  return targets;
}

std::string to_llvm_ir(const loop::Func& func, const HostTarget& target, bool optimise) {
  auto machine = machine_of(target);
  llvm::LLVMContext context;
  auto module = make_module(context, {&func, 1}, *machine);
  if (optimise) optimise_module(*module, *machine);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

std::vector<std::byte> to_object(std::span<const loop::Func> funcs, const HostTarget& target,
                                 const std::string& source_file) {
  auto machine = machine_of(target);
  llvm::LLVMContext context;
  auto module = make_module(context, funcs, *machine, source_file);
  optimise_module(*module, *machine);
  const llvm::SmallVector<char, 0> object = generate(*module, *machine, llvm::CodeGenFileType::ObjectFile);
  const auto* begin = reinterpret_cast<const std::byte*>(object.data());
  return {begin, begin + object.size()};
}

struct Jit::State {
  ParallelHook hook;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

Jit::Jit(ParallelHook hook) : state_(std::make_unique<State>()) {
  state_->hook = hook;
  const HostTarget target = native_target();
  state_->machine = machine_of(target);
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(target.triple)};
  builder.setCPU(target.cpu);
  builder.addFeatures({target.features});
  builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  state_->jit = take(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create(),
                     "starting the JIT");
  auto process = take(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
                          state_->jit->getDataLayout().getGlobalPrefix()),
                      "finding the process's symbols");
  auto& main = state_->jit->getMainJITDylib();
  main.addGenerator(std::move(process));
  // Before the weak ones of the modules come.
  take(main.define(llvm::orc::absoluteSymbols(
           {{state_->jit->mangleAndIntern("vdla_parallel"),
             {llvm::orc::ExecutorAddr::fromPtr(&state_->hook), llvm::JITSymbolFlags::Exported}}})),
       "defining the hook of parallel loops");
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
