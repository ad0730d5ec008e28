// SPDX-License-Identifier: Apache-2.0
// Fixture of tests that run sweeps, or read records of runs, with the digit network.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "kit/systemc.h"
#include "tests/tools/cli.h"

namespace vdla::tools {

using nlohmann::json;

class Explore : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (!kit::have_systemc()) GTEST_SKIP() << "needs engine systemc: install libsystemc-dev and build again";
  }

  std::string network() const { return " --network " + example("digits.onnx") + " "; }
  json results(const std::string& folder) const {
    return json::parse(read_text(path(folder + "/results.json")));
  }

  /// Cycles, or the reason why there are none, of each point; what a sweep is about, without times.
  static json outcome(const json& results) {
    json all;
    for (const auto& p : results.at("points"))
      all[results.at("variants").at(p.at("variant").get<std::size_t>()).at("name").get<std::string>()] =
          p.at("status") == "ok" ? json{p.at("cycles"), p.at("dram"), p.at("units"), p.at("layers")}
                                 : p.at("reason");
    return all;
  }

  std::size_t kept(const std::string& folder) const {
    std::error_code error;
    std::size_t count = 0;
    for (const auto& e : std::filesystem::directory_iterator(path(folder + "/points"), error))
      count += e.path().extension() == ".json";
    return count;
  }
};

}  // namespace vdla::tools
