// SPDX-License-Identifier: Apache-2.0
// A network as text whose model, tensors and layers have given names, of any bytes.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace vdla::tools {

/// Text in quotes of a graph (compiler/graph/text/text.h).
inline std::string graph_quoted(const std::string& name) {
  std::string text;
  for (const char c : name)
    text += c < ' ' || c > '~' || c == '"' || c == '\\'
                ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c))
                : std::string(1, c);
  return '"' + text + '"';
}

/// A chain of small convolutions, one for each name; the model has the first one.
inline std::string hostile_network(const std::vector<std::string>& names) {
  constexpr const char* kType = "int8[1, 4, 4, 16] scale 1 zero 0";
  std::string text =
      fmt::format("graph {0}\ninput %0 {1}: {2}\nconst %1 {3}: int8[16, 1, 1, 16] scale 1 zero 0 = splat 1\n",
                  graph_quoted(names.front()), graph_quoted("input " + names.front()), kType,
                  graph_quoted("weights " + names.front()));
  std::size_t last = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("%{}: {} = conv2d {}(%{}, %1)\n", i + 2, kType, graph_quoted(names[i]), last);
    last = i + 2;
  }
  return text + fmt::format("output %{}\n", last);
}

}  // namespace vdla::tools
