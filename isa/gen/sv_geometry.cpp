// SPDX-License-Identifier: Apache-2.0
// Lists of the numbers of a geometry in SystemVerilog and Verilog, between // isagen NAME and // end isagen.
// Passages rather than files to include: AMD's IP packager reads parameters from the text of the top
// (UG1118), and every tool would need one more folder of headers.
#include <fmt/format.h>

#include <algorithm>

#include "isa/gen/emit.h"
#include "isa/gen/names.h"
#include "isa/gen/passages.h"
#include "isa/spec/registers.h"

namespace vdla::isa::gen {
namespace {

/// A line for each number. `format` has the places {name}, {padded}, {value} (the default) and {offset} (of
/// the number's register); names are padded to the longest, and at least to `width`.
std::string lines(std::string_view format, std::size_t width = 0) {
  for (const GeometryField& f : kGeometryFields) width = std::max(width, camel(f.name).size());
  std::string text;
  for (std::size_t i = 0; i < kGeometryFields.size(); ++i) {
    const std::string name = camel(kGeometryFields[i].name);
    text += fmt::format(fmt::runtime(format), fmt::arg("name", name),
                        fmt::arg("padded", fmt::format("{:{}}", name, width)),
                        fmt::arg("value", Geometry{}.*kGeometryFields[i].member),
                        fmt::arg("offset", static_cast<std::uint32_t>(geometry_register(i))));
  }
  return text;
}

std::string list_of_numbers(std::string_view name) {
  constexpr std::size_t kBesideHash = std::string_view("GeometryHash").size();
  if (name == "geometry parameters")
    return lines("  parameter  int unsigned {padded} = {value},\n", kBesideHash);
  if (name == "geometry parameters of Verilog")
    return lines("  parameter        {padded} = {value},\n", kBesideHash);
  if (name == "geometry connections") return lines("    .{padded}({name}),\n", kBesideHash);
  if (name == "geometry registers") return lines("    .Geometry{padded}({name}),\n");
  if (name == "geometry register values") return lines("    .Geometry{padded}(32'hb000{offset:04x}),\n");
  refuse_passage(name);
}

}  // namespace

std::string sv_geometry(std::string_view current) {
  return with_passages(current, {"// isagen ", "\n", "// end isagen\n"}, list_of_numbers);
}

}  // namespace vdla::isa::gen
