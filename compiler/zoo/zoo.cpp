// SPDX-License-Identifier: Apache-2.0
#include "compiler/zoo/zoo.h"

#include "compiler/zoo/calibrate.h"
#include "compiler/zoo/network.h"
#include "compiler/zoo/onnx_writer.h"

namespace vdla::zoo {
namespace {

Entry describe(const Network& n) {
  return {n.name, n.summary, macs(n), parameters(n), static_cast<std::int64_t>(n.layers.size())};
}

}  // namespace

std::vector<Entry> entries() {
  std::vector<Entry> result;
  for (const Network& n : networks()) result.push_back(describe(n));
  return result;
}

Entry entry(std::string_view name) { return describe(network(name)); }

std::string make_onnx(std::string_view name, std::uint64_t seed, Form form) {
  return write_onnx(calibrate(network(name), seed), form);
}

}  // namespace vdla::zoo
