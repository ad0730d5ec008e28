// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/import/random_tflite/networks.h"

#include "compiler/import/file.h"

namespace vdla::random_tflite {

Drawn network(const std::filesystem::path& data, std::size_t number) {
  Drawn drawn{kNetworks.at(number), import::read_file(data / kNetworks.at(number)), {}, 0};
  drawn.runs = 3;  // those that keep values give others in each
  Random random(number);
  const graph::Graph graph = import::import_tflite(drawn.model, drawn.op);
  for (const graph::Port& port : graph.inputs) {
    const Shape shape = graph.tensor(port.tensor).shape;
    std::vector<double> elements(static_cast<std::size_t>(graph::element_count(shape)));
    const bool wide = port.model_type == DataType::Int16;
    const std::int64_t low = wide ? -8192 : port.model_type == DataType::UInt8 ? 0 : -128;
    for (double& e : elements)
      e = port.model_type == DataType::Float32
              ? random.between(-1.0, 1.0)
              : static_cast<double>(random.between(low, wide ? -low : low + 255));
    drawn.inputs.push_back(random_graphs::array_of(port.model_type, shape, elements));
  }
  return drawn;
}

}  // namespace vdla::random_tflite
