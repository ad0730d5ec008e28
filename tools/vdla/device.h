// SPDX-License-Identifier: Apache-2.0
// A session under the name that the fuzz target of modules has for it.
#pragma once

#include <filesystem>
#include <string>

#include "kit/session.h"

namespace vdla::tools {

class SimulatedDevice {
 public:
  SimulatedDevice(runtime::Module module, const std::string& engine, const kit::SessionOptions& options,
                  const std::filesystem::path&)
      : session_(std::move(module), engine, options) {}

  kit::Session& session() { return session_; }

 private:
  kit::Session session_;
};

}  // namespace vdla::tools
