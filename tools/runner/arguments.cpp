// SPDX-License-Identifier: Apache-2.0
#include "tools/runner/arguments.h"

#include <getopt.h>

#include <charconv>
#include <cstring>

namespace vdla::runner {
namespace {

constexpr const char* kHelp = R"(Runs one input through a compiled network on the accelerator of this board.

usage: vdla-run NET.vdla --input FILE [options]
       vdla-run --describe [--uio NAME]

  --input FILE    .npy, or the bytes of the input as they are; once for each input of the network
  --output FILE   writes the output as .npy; once for each output, in their order
  --uio NAME      the accelerator's UIO device, by name or by number (uio0); default: vdla
  --udmabuf NAME  its memory is this u-dma-buf (udmabuf0), which the CPU caches, instead of what is reserved
  --engine functional
                  no accelerator: this processor computes what it would (without cycles)
  --describe      prints the device's variant, as a file for vdla compile --variant; changes nothing, and another
                  process may have the device
  --threads N     for layers on the CPU; 0: one for each core; default: 1
  --trust FILE    public key (NAME.pub of vdla keygen): refuse a module that is not signed with its secret key
  --json          print the result as JSON
  --version, --help

A module carries machine code for the CPU, and running it runs that code with your rights: take modules from
those whom you trust, or let --trust check who signed them. vdla compile --cpu-target makes code for this CPU.

example: vdla compile net.tflite --variant tiny --cpu-target armv7 -o net.vdla    # on the desk
         vdla-run net.vdla --input image.npy --output scores.npy                  # on the board

Exit status 0: done; 1: the input or the device is at fault; 2: wrong flags; 3: a fault of the kit itself.
)";

enum Option : int {
  kInput = 256,
  kOutput,
  kUio,
  kUdmabuf,
  kEngine,
  kDescribe,
  kThreads,
  kTrust,
  kJson,
  kVersion,
  kHelpPage
};

constexpr option kOptions[] = {
    {"input", required_argument, nullptr, kInput},
    {"output", required_argument, nullptr, kOutput},
    {"uio", required_argument, nullptr, kUio},
    {"udmabuf", required_argument, nullptr, kUdmabuf},
    {"engine", required_argument, nullptr, kEngine},
    {"describe", no_argument, nullptr, kDescribe},
    {"threads", required_argument, nullptr, kThreads},
    {"trust", required_argument, nullptr, kTrust},
    {"json", no_argument, nullptr, kJson},
    {"version", no_argument, nullptr, kVersion},
    {"help", no_argument, nullptr, kHelpPage},
    {nullptr, 0, nullptr, 0},
};

unsigned threads_of(const char* text) {
  unsigned threads = 0;
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, threads);
  if (error != std::errc() || at != end || threads > 1024)
    throw WrongFlags{std::string("--threads '") + text + "' is not a number from 0 to 1024"};
  return threads;
}

}  // namespace

Arguments parse_arguments(int argc, char** argv) {
  Arguments a;
  bool uio = false;
  opterr = 0;
  for (int option = 0; (option = getopt_long(argc, argv, ":h", kOptions, nullptr)) != -1;) {
    switch (option) {
      case kInput:
        a.inputs.emplace_back(optarg);
        break;
      case kOutput:
        a.outputs.emplace_back(optarg);
        break;
      case kUio:
        a.device.uio.device = optarg;
        uio = true;
        break;
      case kUdmabuf:
        a.device.uio.udmabuf = optarg;
        uio = true;
        break;
      case kEngine:
        a.device.engine = optarg;
        break;
      case kDescribe:
        a.describe = true;
        break;
      case kThreads:
        a.threads = threads_of(optarg);
        break;
      case kTrust:
        a.trust = optarg;
        break;
      case kJson:
        a.json = true;
        break;
      case kVersion:
        a.answer = "vdla-run " VDLA_VERSION "\n";
        return a;
      case kHelpPage:
      case 'h':
        a.answer = kHelp;
        return a;
      case ':':
        throw WrongFlags{std::string(argv[optind - 1]) + " needs a value"};
      default:
        // One letter of several is not at an end yet.
        throw WrongFlags{"there is no option " +
                         (optopt > 0 && optopt < kInput ? std::string{'-', static_cast<char>(optopt)}
                                                        : std::string(argv[optind - 1])) +
                         ", or it takes no value"};
    }
  }
  if (a.describe) {
    if (optind != argc || !a.inputs.empty() || !a.outputs.empty() || !a.device.engine.empty())
      throw WrongFlags{
          "--describe is for a device and runs nothing; leave out module, inputs, outputs and engine"};
    a.device.uio.use = kit::UioUse::Look;
    return a;
  }
  if (optind + 1 != argc)
    throw WrongFlags{optind == argc ? "the module (NET.vdla) is missing"
                                    : std::string("one module is run, got '") + argv[optind + 1] + "' too"};
  a.module = argv[optind];
  if (!a.device.engine.empty() && a.device.engine != "functional")
    throw WrongFlags{"--engine '" + a.device.engine +
                     "' is not here, needs functional; vdla run has the others"};
  if (!a.device.engine.empty() && uio)
    throw WrongFlags{"--engine takes the place of --uio and --udmabuf; leave one out"};
  return a;
}

}  // namespace vdla::runner
