// SPDX-License-Identifier: Apache-2.0
// The commands that take images, as a user calls them.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/compiler/import/data.h"
#include "tests/tools/cli.h"
#include "tests/tools/image_files.h"

namespace vdla::tools {

class ImageCommands : public Cli {
 protected:
  std::string data(const std::string& file) const { return (testing::data_folder() / file).string(); }

  std::string compile(const std::string& model, const std::string& flags = "--target cpu") const {
    const std::string module = path("m.vdla");
    const Outcome outcome = run("compile " + model + " -o " + module + " " + flags);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return module;
  }
  Outcome ok(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.err;
    return outcome;
  }
  nlohmann::json json(const std::string& arguments) const {
    return nlohmann::json::parse(ok(arguments + " --json").out, nullptr, false);
  }
  std::string image() const {
    const File png = png_file(8, 8, std::vector<unsigned char>(64, 200), {8, PNG_COLOR_TYPE_GRAY});
    write_file(path("x.png"), {reinterpret_cast<const char*>(png.data()), png.size()});
    return path("x.png");
  }
};

}  // namespace vdla::tools
