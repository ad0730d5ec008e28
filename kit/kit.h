// SPDX-License-Identifier: Apache-2.0
// The front door: from a network to its outputs, with what `vdla` itself uses. CMake: find_package(vdla),
// then target_link_libraries(program PRIVATE vdla::kit).
//
//   graph::Graph network = kit::read_network("net.tflite");      // .tflite, .onnx, or graph text
//   pipeline::CompileOptions options;                             // where layers run, and how
//   options.variant = isa::load_variant("paper");                 // or the path of a file
//   runtime::Module module = kit::compile_module(network, options);
//   runtime::save(module, "net.vdla");                            // runtime::load() reads it back
//   kit::Session session(module, "functional");                   // or systemc, rtl
//   runtime::Result result = session.run_model({input_bytes});    // outputs, cycles, bytes
//
// A function that no network has (kit/device_function.h) becomes a module as well.
//
// A program that makes its network itself builds a graph::Graph (compiler/graph/graph.h). One that runs
// modules and compiles none links vdla::kit_session and includes kit/session.h alone. A caller's mistake
// throws UserError (support/error.h), whose message names the culprit and the remedy; a device that fails,
// runtime::DeviceError.
#pragma once

#include "compiler/graph/graph.h"
#include "isa/variants/variants.h"
#include "kit/insn_search.h"
#include "kit/model_tensors.h"
#include "kit/module.h"
#include "kit/network.h"
#include "kit/session.h"
