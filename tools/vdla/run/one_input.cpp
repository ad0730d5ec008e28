// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/one_input.h"

#include "support/error.h"
#include "tools/common/model_input.h"
#include "tools/common/pixels.h"

namespace vdla::tools {

void OneInputFlags::add_to(CLI::App& command) {
  auto* input = command.add_option("--input", file, ".npy, raw .bin in the input's type, PNG or JPEG");
  command.add_option("--random-input", seed, "Uniform random input from this seed, without --input")
      ->check(not_negative())
      ->excludes(input)
      ->capture_default_str();
  pixels.add_to(command);
}

Sample OneInputFlags::sample(const runtime::Module& module, const std::string& command,
                             const Context& context) const {
  const InputSpec spec = input_spec(module);
  if (file.empty()) return random_sample(spec, seed);
  LoadedInput input = load_input(file, spec, pixels.options(), module.preprocessing);
  VDLA_CHECK_USER(input.samples.size() == 1)
      << file << ": has " << input.samples.size() << " inputs, " << command << " takes one";
  context.say(input.notes);
  return input.samples[0];
}

}  // namespace vdla::tools
