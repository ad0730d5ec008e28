// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/vdla/encode.h"

#include "compiler/codegen/vdla/pass.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

isa::MicroKernel to_micro_kernel(const MicroKernel& kernel) {
  isa::MicroKernel result;
  const auto narrow = [](std::int64_t value) { return static_cast<std::uint16_t>(value); };
  for (const MicroKernelLoop& loop : kernel) {
    result.loops.push_back({narrow(loop.count), narrow(loop.acc), narrow(loop.inp), narrow(loop.wgt)});
  }
  return result;
}

}  // namespace

void encode(Stream stream, isa::Program& program) {
  try {
    check_forms(stream, stream_passes().back().leaves);
  } catch (const UserError& error) {
    throw UserError(std::string("cannot be encoded: ") + error.what());
  }
  program.geometry = stream.geometry;
  for (std::size_t k = 0; k < stream.kernels.size(); ++k)
    program.kernels.push_back(to_micro_kernel(stream.kernels[k]));
  isa::SourceMap& map = program.source_map;
  for (const StreamInsn& s : stream.insns) {
    program.insns.push_back(s.insn);
    map.insns.push_back(
        {static_cast<std::uint32_t>(stream.sources[s.source].layer), static_cast<std::uint32_t>(s.source)});
  }
  program.insns.push_back(isa::FinishInsn{.sequence = 1});
  map.insns.push_back({});
  map.layers = std::move(stream.layers);
  for (StreamSource& source : stream.sources) map.loops.push_back(std::move(source.loops));
}

}  // namespace vdla::codegen
