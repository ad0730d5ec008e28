// SPDX-License-Identifier: Apache-2.0
// The shortest way from a network to its outputs: a model file is read, compiled and saved, the module is
// loaded and run on engines of the device. All engines give the same bytes.
//
//   network_to_session examples/digits/digits.onnx [VARIANT]
#include <cstdio>
#include <cstdlib>

#include "kit/kit.h"
#include "kit/rtl.h"
#include "kit/systemc.h"
#include "runtime/session/port.h"

using namespace vdla;

namespace {

/// The engines that this kit has for the variant.
std::vector<std::string> engines_for(const isa::Variant& variant) {
  std::vector<std::string> engines{"functional"};
  if (kit::have_systemc()) engines.push_back("systemc");
  if (kit::rtl_engine_built(variant)) engines.push_back("rtl");
  return engines;
}

int run(const std::string& model, const std::string& variant) {
  pipeline::CompileOptions options;
  options.variant = isa::load_variant(variant);
  runtime::save(kit::compile_module(kit::read_network(model), options), "network.vdla");

  const runtime::Module module = runtime::load("network.vdla");
  for (const runtime::NodeInfo& node : module.nodes)
    std::printf("%-24s %-16s %s\n", node.name.c_str(), node.op.c_str(), node.place.c_str());

  // One input, in the type and layout that the model file gives it.
  const runtime::Port& port = module.inputs.at(0);
  runtime::Bytes input(runtime::model_bytes(port));
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::byte>(i % 64);

  std::vector<runtime::Bytes> first;
  for (const std::string& engine : engines_for(options.variant)) {
    kit::Session session(module, engine);
    const runtime::Result result = session.run_model({input});
    std::printf("%s: %zu outputs", engine.c_str(), result.outputs.size());
    if (session.has_time()) std::printf(", %llu cycles", static_cast<unsigned long long>(result.cycles));
    std::printf("\n");
    if (first.empty()) first = result.outputs;
    if (result.outputs != first) {
      std::printf("%s: its bytes are others\n", engine.c_str());
      return EXIT_FAILURE;
    }
  }
  std::printf("all engines give the same bytes\n");
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::printf("usage: network_to_session MODEL [VARIANT]\n");
    return EXIT_FAILURE;
  }
  try {
    return run(argv[1], argc > 2 ? argv[2] : "tiny");
  } catch (const UserError& e) {
    std::printf("%s\n", e.what());
    return EXIT_FAILURE;
  }
}
