// SPDX-License-Identifier: Apache-2.0
// isa/generated/geometry.fbs: the numbers of a geometry as a table of FlatBuffers.
#include <fmt/format.h>

#include "isa/gen/emit.h"
#include "isa/gen/names.h"
#include "isa/spec/geometry.h"

namespace vdla::isa::gen {

std::string flatbuffers_schema() {
  std::string text =
      banner("//", "The geometry in modules. A number keeps its id, so new ones go to the end of the list.") +
      "namespace vdla.runtime.fbs;\n\ntable Geometry {\n";
  unsigned id = 0;
  for (const GeometryField& number : kGeometryFields)
    text += fmt::format("  {}:uint (id: {});\n", number.name, id++);
  return text + "}\n";
}

}  // namespace vdla::isa::gen
