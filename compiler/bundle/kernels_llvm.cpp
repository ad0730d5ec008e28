// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <set>

#include "compiler/bundle/kernels.h"
#include "compiler/codegen/llvm/host.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/visit.h"
#include "compiler/targets/cpu/code/code.h"
#include "support/error.h"

namespace vdla::bundle {
namespace {

template <class T>
T expect(llvm::Expected<T> value) {
  VDLA_CHECK(bool(value)) << "reading an object that was just made: " << llvm::toString(value.takeError());
  return std::move(*value);
}

/// Firmware has one thread.
loop::StmtPtr in_order(const loop::StmtPtr& body) {
  return loop::rewrite(body, [](const loop::StmtPtr& s) {
    const auto* n = s->as<loop::For>();
    if (!n || n->kind != loop::ForKind::Parallel) return s;
    return loop::make_for(n->var, n->min, n->extent, loop::ForKind::Serial, n->body);
  });
}

std::uint64_t bytes_of(const expr::Buffer& buffer) {
  return static_cast<std::uint64_t>(expr::storage_size(buffer) * expr::bytes(buffer.dtype));
}

/// Larger buffers are arguments.
constexpr std::uint64_t kStackBytes = 1024;

/// Makes large buffers of a lowered function parameters behind its own, and gives the bytes of each: firmware
/// has a small stack and no heap. A buffer is one memory, however many copies of its allocation there are.
std::vector<std::uint64_t> take_buffers_out(loop::Func& func) {
  std::vector<std::uint64_t> bytes;
  std::set<const expr::Buffer*> taken;
  func.body = loop::rewrite(func.body, [&](const loop::StmtPtr& s) {
    const auto* n = s->as<loop::Allocate>();
    if (!n || bytes_of(*n->buffer) <= kStackBytes) return s;
    if (taken.insert(n->buffer.get()).second) {
      func.params.push_back({n->buffer, loop::Direction::Out});
      bytes.push_back(bytes_of(*n->buffer));
    }
    return n->body;
  });
  return bytes;
}

std::uint64_t stack_bytes_of(const loop::Func& func) {
  std::uint64_t bytes = 0;
  loop::visit(func.body, [&](const loop::StmtPtr& s) {
    if (const auto* n = s->as<loop::Allocate>()) bytes += bytes_of(*n->buffer);
  });
  return bytes;
}

/// Whether it computes in floating point: code that only moves it does not count.
bool computes_in_float(const loop::Func& func) {
  bool found = false;
  loop::visit_expressions(func.body, [&](const expr::ExprPtr& e) {
    const bool is_there = e->as<expr::Load>() || e->as<expr::VarRef>() || e->as<expr::FloatImm>();
    found |= !is_there && expr::is_float(e->dtype);
    for (const expr::ExprPtr& operand : expr::children(e)) found |= expr::is_float(operand->dtype);
  });
  return found;
}

/// Whether a kernel may call it wherever it runs: compilers expect these of every platform, or bring them.
bool every_platform_has(const std::string& symbol) {
  constexpr std::string_view kMemory[] = {"memcpy", "memmove", "memset"};
  constexpr std::string_view kMadeByLinkers[] = {"", "_GLOBAL_OFFSET_TABLE_"};
  return symbol.starts_with("__") || std::ranges::find(kMemory, symbol) != std::end(kMemory) ||
         std::ranges::find(kMadeByLinkers, symbol) != std::end(kMadeByLinkers);
}

void check_symbols(llvm::MemoryBufferRef elf, const KernelToMake& kernel) {
  const auto object = expect(llvm::object::ObjectFile::createObjectFile(elf));
  for (const llvm::object::SymbolRef& symbol : object->symbols()) {
    if ((expect(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined) == 0) continue;
    const std::string name = expect(symbol.getName()).str();
    VDLA_CHECK_USER(every_platform_has(name))
        << "node '" << kernel.node << "' runs on the CPU, and its kernel calls '" << name
        << "' of the C library, which firmware does not have; quantize the network, or leave the node to "
           "what "
           "reads the outputs";
  }
}

}  // namespace

KernelArchive make_kernels(const std::vector<KernelToMake>& kernels, const CpuTarget& cpu) {
  const codegen::HostTarget target{std::string(cpu.triple), std::string(cpu.cpu), std::string(cpu.features),
                                   cpu.position_independent};
  KernelArchive made;
  std::vector<llvm::NewArchiveMember> members;
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const KernelToMake& kernel : kernels) {
    loop::Func func = loop::parse(kernel.step->loop_ir);
    func.name = kernel.symbol;
    func.body = in_order(func.body);
    func = host::lowered(func);
    if (computes_in_float(func)) made.float_nodes.push_back(kernel.node);
    made.buffers.push_back(take_buffers_out(func));
    made.stack_bytes = std::max(made.stack_bytes, stack_bytes_of(func));
    const std::vector<std::byte> elf = codegen::to_object({&func, 1}, target);
    const llvm::StringRef text(reinterpret_cast<const char*>(elf.data()), elf.size());
    names.push_back(kernel.symbol + ".o");
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text, names.back());
    check_symbols(buffer->getMemBufferRef(), kernel);
    llvm::NewArchiveMember member(buffer->getMemBufferRef());
    member.Buf = std::move(buffer);
    member.MemberName = names.back();
    members.push_back(std::move(member));
  }
  const auto archive = expect(llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab,
                                                         llvm::object::Archive::K_GNU, true, false));
  made.bytes = archive->getBuffer().str();
  return made;
}

}  // namespace vdla::bundle
