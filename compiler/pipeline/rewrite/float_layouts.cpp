// SPDX-License-Identifier: Apache-2.0
// Layouts of float layers on the CPU: channels in blocks, columns of products in panels.
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/block_layouts.h"
#include "compiler/graph/graph.h"
#include "compiler/knobs/choice.h"
#include "compiler/knobs/graph_choices.h"
#include "compiler/options/options.h"

namespace vdla::pipeline {

namespace {

constexpr const char* kPlain = "plain";
// Least channels of a block: fewer are no vector.
constexpr std::int64_t kLeast = 4;

/// The ways to lay channels out; the first one is not to, in blocks of 0.
struct Blocks {
  std::vector<std::string> names{kPlain};
  std::vector<std::int64_t> sizes{0};
  std::size_t standard = 0;

  explicit Blocks(std::int64_t lanes) {
    for (const std::int64_t size : {lanes / 2, lanes, 2 * lanes}) {
      if (size < kLeast && size != lanes) continue;
      if (size == lanes) standard = sizes.size();
      names.push_back(std::to_string(size));
      sizes.push_back(size);
    }
  }

  std::string note(std::size_t taken) const {
    return taken == 0 ? "channels of float layers are not in blocks"
                      : "channels of float layers are in blocks of " + names[taken];
  }
};

}  // namespace

/// The graph with graph::block_layouts(): channels in blocks of a vector of the options' CPU, or of what the
/// options' knob book wants: half a vector, two, or none. All is left as it is where the options want no
/// layouts. With a book for the CPU that is a choice, of the network: layers share the blocks.
graph::Graph layouts_for_vectors(graph::Graph graph, const CompileOptions& options, const KeptOff&,
                                 GraphChoices& choices) {
  if (options.gpu && !options.use_device) return graph;  // the GPU computes what has layouts
  const std::int64_t lanes = options.cpu.lanes(4);
  const KnobBook* book = cpu_book_of(options);
  const graph::Node* first = book ? graph::first_for_blocks(graph, lanes) : nullptr;
  if (!first) return graph::block_layouts(std::move(graph), lanes, lanes);
  const Blocks blocks(lanes);
  const Choice choice(book, "channels of float layers", "block", blocks.names);
  const std::size_t taken = choice.wanted().value_or(blocks.standard);
  choices.push_back(
      {first->name, choice.wanted() ? blocks.note(taken) + choice.by() : "", choice.task(taken)});
  return graph::block_layouts(std::move(graph), lanes, blocks.sizes[taken]);
}

}  // namespace vdla::pipeline
