// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/debug_info.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include <algorithm>
#include <filesystem>

#include "compiler/loop/print.h"
#include "compiler/loop/visit.h"

namespace vdla::codegen {
namespace {

loop::StmtPtr distinct(const loop::StmtPtr& s) {
  std::vector<loop::StmtPtr> inner;
  for (const loop::StmtPtr& child : loop::children(s)) inner.push_back(distinct(child));
  return inner.empty() ? std::make_shared<const loop::Stmt>(*s) : loop::with_children(s, inner);
}

}  // namespace

loop::Func with_distinct_statements(const loop::Func& func) {
  return {func.name, func.params, distinct(func.body)};
}

DebugInfo::DebugInfo(llvm::Module& module, const std::string& source_file) : builder_(module) {
  const std::filesystem::path path(source_file);
  file_ = builder_.createFile(path.filename().string(), path.parent_path().string());
  // A language that debuggers know; loop IR has no number.
  builder_.createCompileUnit(llvm::dwarf::DW_LANG_C99, file_, "vdla", /*isOptimized=*/true, "", 0);
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 5);
}

loop::Func DebugInfo::add(const loop::Func& func) {
  loop::Func own = with_distinct_statements(func);
  const loop::Listing listing = loop::list(own);
  head_ = next_;
  for (const auto& [stmt, line] : listing.lines) lines_[stmt] = head_ + line - 1;
  next_ += static_cast<unsigned>(std::ranges::count(listing.text, '\n'));
  return own;
}

unsigned DebugInfo::line_of(const loop::Stmt* stmt) const {
  const auto found = lines_.find(stmt);
  return found == lines_.end() ? head_ : found->second;
}

void DebugInfo::enter(llvm::Function& function, llvm::IRBuilder<>& builder, const loop::Stmt* at) {
  const unsigned line = line_of(at);
  auto* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  auto flags = llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized;
  if (function.hasLocalLinkage()) flags |= llvm::DISubprogram::SPFlagLocalToUnit;
  function.setSubprogram(builder_.createFunction(file_, function.getName(), function.getName(), file_, line,
                                                 type, line, llvm::DINode::FlagArtificial, flags));
  builder.SetCurrentDebugLocation(
      llvm::DILocation::get(function.getContext(), line, 1, function.getSubprogram()));
}

void DebugInfo::go_to(llvm::IRBuilder<>& builder, const loop::Stmt& stmt) {
  if (stmt.as<loop::Seq>()) return;
  llvm::Function& function = *builder.GetInsertBlock()->getParent();
  builder.SetCurrentDebugLocation(
      llvm::DILocation::get(function.getContext(), line_of(&stmt), 1, function.getSubprogram()));
}

}  // namespace vdla::codegen
