// SPDX-License-Identifier: Apache-2.0
// For comparison (`vdla compile --no-rotation`): each instance must lie in the first entries that are free,
// so that a tile lies where the one before it lay and waits for it. Virtual threads, whose tiles live at the
// same time, have places of their own, those of acc in different banks as far as there are banks.
#include "compiler/codegen/vdla/passes.h"

#include "compiler/codegen/vdla/sram.h"

namespace vdla::codegen {

/// Instances for which there is no room stay without an entry: place-sram says what is missing.
void pin_tiles(Stream& stream) {
  std::vector<SramAllocator> buffers = allocators(stream.geometry);
  for (const Mark& mark : stream.marks) {
    if (mark.kind == Mark::Kind::Call) continue;
    Instance& instance = stream.instances[mark.id];
    SramAllocator& buffer = buffers[static_cast<std::size_t>(instance.buffer)];
    if (mark.kind == Mark::Kind::End) {
      if (instance.first) buffer.give_back(*instance.first);
    } else if (!instance.first) {
      instance.first = buffer.take_first(instance.entries);
    } else if (!buffer.take_at(*instance.first, instance.entries)) {
      return;  // place-sram says what lies there
    }
  }
}

}  // namespace vdla::codegen
