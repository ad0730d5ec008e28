// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/common/one_input.h"

#include "support/error.h"
#include "tools/common/model_input.h"
#include "tools/common/pixels.h"

namespace vdla::tools {

CLI::Option* add_input(CLI::App& command, std::vector<std::string>& files) {
  return command
      .add_option(
          "--input", files,
          ".npy, raw .bin in the input's type, PNG or JPEG; of a network with several inputs NAME=FILE "
          "for each, or one .npz with arrays of their names")
      ->expected(1)
      ->take_all();
}

NetworkSample load_one_input(const std::vector<std::string>& files, const PixelFlags& pixels,
                             const runtime::Module& module, const std::string& command,
                             const Context& context) {
  NetworkInputs input = load_inputs(files, module, pixels.options(), module.preprocessing, "--input");
  VDLA_CHECK_USER(input.samples.size() == 1)
      << files.front() << ": has " << input.samples.size() << " inputs, " << command
      << " takes one; use vdla eval for many";
  context.say(input.notes);
  return std::move(input.samples[0]);
}

void OneInputFlags::add_to(CLI::App& command) {
  CLI::Option* input = add_input(command, files);
  command
      .add_option("--random-input", seed,
                  "Uniform random input from this seed, without --input; integers without a scale are 0 or 1")
      ->check(not_negative())
      ->excludes(input)
      ->capture_default_str();
  pixels.add_to(command);
}

NetworkSample OneInputFlags::sample(const runtime::Module& module, const std::string& command,
                                    const Context& context) const {
  if (files.empty()) return random_inputs(module, seed);
  return load_one_input(files, pixels, module, command, context);
}

}  // namespace vdla::tools
