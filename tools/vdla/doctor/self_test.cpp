// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/doctor/self_test.h"

#include <fmt/format.h>

#include <random>

#include "compiler/import/import.h"
#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/reference.h"
#include "isa/variants/variants.h"
#include "kit/module.h"
#include "kit/rtl.h"
#include "kit/session.h"
#include "kit/systemc.h"
#include "support/error.h"
#include "support/shell_word.h"
#include "tools/vdla/common/embedded_digits.h"

namespace vdla::tools {
namespace {

graph::Bytes drawn_bytes(std::size_t count) {
  std::mt19937 random{1};
  graph::Bytes bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

/// A variant whose RTL is built, if there is one: `paper` else.
isa::Variant variant_to_run() {
  for (const char* name : {"paper", "tiny", "vta"}) {
    const isa::Variant variant = isa::load_variant(name);
    if (kit::rtl_engine_built(variant)) return variant;
  }
  return isa::load_variant("paper");
}

/// Why an engine is not there; empty: it is.
std::string absent(const std::string& engine, const isa::Variant& variant) {
  if (engine == "systemc" && !kit::have_systemc()) return "install libsystemc-dev and build the kit again";
  if (engine == "rtl" && !kit::rtl_engine_built(variant)) return "vdla build-rtl --variant " + variant.name;
  return {};
}

}  // namespace

std::vector<SelfTest> self_test() {
  std::vector<SelfTest> results;
  const isa::Variant variant = variant_to_run();
  std::vector<graph::Bytes> inputs, expected;
  runtime::Module module;
  try {
    const graph::Graph graph =
        import::import_onnx(std::as_bytes(std::span(kEmbeddedDigits)), "the embedded digit network");
    for (const graph::Port& port : graph.inputs)
      inputs.push_back(drawn_bytes(graph.tensor(port.tensor).bytes()));
    expected = pipeline::Reference(graph).run(inputs);
    pipeline::CompileOptions options;
    options.variant = variant;
    module = kit::compile_module(graph, options);
  } catch (const std::exception& e) {
    return {{"compiler", true, false, e.what(), "run scripts/test.sh and send its log"}};
  }
  results.push_back({"compiler", true, true, "digits compiled for variant " + variant.name, ""});
  for (const std::string engine : {"functional", "systemc", "rtl"}) {
    SelfTest result{.engine = engine, .remedy = absent(engine, variant)};
    result.there = result.remedy.empty();
    if (!result.there) {
      result.text = "not there";
    } else {
      result.remedy = "run scripts/test.sh and send its log";
      if (engine == "rtl")
        result.remedy =
            fmt::format("vdla build-rtl --variant {} --out {}", variant.name,
                        shell_word(kit::rtl_libraries(variant).at(0).path.parent_path().string()));
      try {
        kit::Session session(module, engine);
        const runtime::Result ran = session.run(inputs);
        result.passed = ran.outputs == expected;
        result.text = !result.passed       ? "its bytes are not those of the graph's interpreter"
                      : session.has_time() ? fmt::format("the interpreter's bytes, {} cycles", ran.cycles)
                                           : "the interpreter's bytes";
      } catch (const std::exception& e) {
        result.text = e.what();
      }
    }
    results.push_back(result);
  }
  return results;
}

}  // namespace vdla::tools
