// SPDX-License-Identifier: Apache-2.0
#include "kit/data.h"

#include <fstream>
#include <string>

#include "kit/prefix.h"
#include "support/path.h"

namespace vdla::kit {

std::filesystem::path data_root() {
  const std::filesystem::path installed = prefix() / "share/vdla";
  if (is_there(installed / "sim/rtl/build_rtl.sh")) return installed;
  std::string root;
  std::ifstream note(prefix() / "lib/vdla/source_root");
  std::getline(note, root);
  return root;
}

}  // namespace vdla::kit
