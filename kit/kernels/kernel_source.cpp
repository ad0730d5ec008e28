// SPDX-License-Identifier: Apache-2.0
#include "kit/kernels/kernel_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "compiler/grid/kernels.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/loop/visit.h"

namespace vdla::kit {
namespace {

/// Lines without indentation and comments.
std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    lines.push_back(line.substr(std::min(line.find_first_not_of(" \t"), line.size())));
  }
  return lines;
}

/// Buffers by name: the one that is stored to, then those that are loaded from, in order.
std::vector<std::string> buffers_of(const loop::Store& store) {
  std::vector<std::string> names{store.buffer->name};
  expr::visit(store.value, [&](const loop::ExprPtr& e) {
    if (const auto* load = e->as<expr::Load>()) names.push_back(load->buffer->name);
  });
  return names;
}

}  // namespace

KernelSource::KernelSource(const std::string& text)
    : text_(lines_in(text)), func_(loop::parse(text, lines_)) {}

std::vector<unsigned> KernelSource::lines_of(const loop::Stmt& stmt) const {
  if (const auto own = lines_.find(&stmt); own != lines_.end()) return {own->second};
  const auto* store = stmt.as<loop::Store>();
  if (!store) return {};
  const std::vector<std::string> buffers = buffers_of(*store);
  std::vector<unsigned> lines;
  loop::visit(func_.body, [&](const loop::StmtPtr& s) {
    const auto* other = s->as<loop::Store>();
    if (other && buffers_of(*other) == buffers) lines.push_back(lines_.at(s.get()));
  });
  return lines;
}

std::string KernelSource::name_of(const loop::Stmt& stmt, unsigned line, const std::string& text) const {
  const std::vector<unsigned> lines = lines_of(stmt);
  if (lines.empty()) return fmt::format("line {} of what vdla opt --lower=opencl shows ('{}')", line, text);
  if (lines.size() == 1) return fmt::format("line {} ('{}')", lines[0], text_.at(lines[0] - 1));
  return fmt::format("line {} ('{}')", fmt::join(lines, " or "), text);
}

void KernelSource::name_in(gpu::Program& program, const loop::Func& lowered) const {
  program.buffer_names.clear();
  for (const loop::BufferPtr& buffer : grid::split_launches(lowered).buffers)
    program.buffer_names.push_back(buffer->name);
  const loop::Listing listing = loop::list(lowered);
  const std::vector<std::string> text = lines_in(listing.text);
  std::vector<std::string> names(text.size());
  for (const auto& [stmt, line] : listing.lines)
    if (!stmt->as<loop::Seq>()) names[line - 1] = name_of(*stmt, line, text[line - 1]);
  // A statement that stands in several lines is listed with the last of them.
  for (std::size_t i = names.size(); i-- > 0;)
    if (const auto later = std::find(text.begin() + static_cast<std::ptrdiff_t>(i) + 1, text.end(), text[i]);
        names[i].empty() && later != text.end())
      names[i] = names[static_cast<std::size_t>(later - text.begin())];
  for (gpu::Part& part : program.parts) part.line_names = names;
}

}  // namespace vdla::kit
