// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/common/trust.h"

#include "support/error.h"

namespace vdla::tools {
namespace {

constexpr const char* kModulesAreCode =
    "A module carries machine code for the CPU, and running it runs that code with your rights: take "
    "modules\n"
    "from those whom you trust, or let --trust check who signed them. --interpret runs without any of it.\n";

}  // namespace

CLI::Option* add_interpret(CLI::App& command, bool& interpret) {
  command.footer(std::string(kModulesAreCode) + command.get_footer());
  return command.add_flag(
      "--interpret", interpret,
      "Interpret the loop IR of layers on the CPU: slow, and none of the module's machine code is loaded");
}

void TrustFlag::add_to(CLI::App& command) {
  command.add_option(
      "--trust", key_,
      "Public key (NAME.pub of vdla keygen): refuse a module that is not signed with its secret key");
}

void TrustFlag::refuse_for(const std::string& what) const {
  VDLA_CHECK_USER(key_.empty()) << "--trust is for compiled modules (.vdla), not for " << what;
}

runtime::LoadOptions TrustFlag::options() const {
  runtime::LoadOptions options;
  if (!key_.empty()) options.trusted = runtime::read_public_key(key_);
  return options;
}

}  // namespace vdla::tools
