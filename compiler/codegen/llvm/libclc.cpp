// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/libclc.h"

#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "support/error.h"
#include "support/path.h"

namespace vdla::codegen {
namespace {

/// How names of OpenCL's functions of numbers begin, by the rules of C++'s ABI: _Z3powff.
constexpr llvm::StringRef kMangled = "_Z";

bool is_wanted(const llvm::Function& function) {
  return function.isDeclaration() && function.getName().starts_with(kMangled);
}

}  // namespace

std::string libclc_path() {
  const char* given = std::getenv("VDLA_LIBCLC");
  return given ? given : VDLA_LIBCLC;
}

bool has_libclc() { return is_file(libclc_path()); }

llvm::FunctionCallee libclc_function(llvm::Module& module, expr::Function function,
                                     const std::vector<llvm::Type*>& arguments) {
  const std::string_view name = expr::name(function);
  std::string mangled = kMangled.str() + std::to_string(name.size()) + std::string(name);
  for (const llvm::Type* type : arguments) mangled += type->isDoubleTy() ? 'd' : 'f';
  return module.getOrInsertFunction(mangled, llvm::FunctionType::get(arguments[0], arguments, false));
}

void link_libclc(llvm::Module& module) {
  if (std::ranges::none_of(module, is_wanted)) return;
  llvm::SMDiagnostic problem;
  auto library = llvm::getLazyIRFileModule(libclc_path(), problem, module.getContext());
  VDLA_CHECK_USER(library) << libclc_path() << ": is not libclc as LLVM " << LLVM_VERSION_MAJOR
                           << " reads it: " << problem.getMessage().str() << "; install libclc-"
                           << LLVM_VERSION_MAJOR << ", or name its "
                           << "nvptx64--nvidiacl.bc in VDLA_LIBCLC";
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  std::vector<std::string> own;
  for (const llvm::Function& function : module)
    if (!function.isDeclaration()) own.push_back(function.getName().str());
  const bool failed =
      llvm::Linker::linkModules(module, std::move(library), llvm::Linker::Flags::LinkOnlyNeeded);
  VDLA_CHECK(!failed) << "libclc does not fit the module";
  for (llvm::Function& function : module) {
    VDLA_CHECK_USER(!is_wanted(function))
        << libclc_path() << ": has no function " << function.getName().str() << "; name libclc's "
        << "nvptx64--nvidiacl.bc in VDLA_LIBCLC";
    if (function.isDeclaration() || std::ranges::count(own, function.getName().str()) > 0) continue;
    // Its code is for the module's machine, and no other.
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
}

}  // namespace vdla::codegen
