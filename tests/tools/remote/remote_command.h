// SPDX-License-Identifier: Apache-2.0
// A vdla board serve in the background, for commands that use it.
#pragma once

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/tools/cli.h"

namespace vdla::tools {

using Json = nlohmann::json;

class RemoteCommand : public Cli {
 protected:
  void TearDown() override {
    if (server_ > 0) stop();
    Cli::TearDown();
  }

  /// In the background; `arguments` are words of the shell.
  static pid_t start(const std::string& arguments) {
    const std::string command = "exec '" VDLA_BINARY_DIR "/bin/vdla' " + arguments;
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }

  /// On a free port of the loopback address, in a cache of its own.
  void serve(const std::string& flags) {
    std::filesystem::remove(path("serve.json"));  // what a server before this one said
    server_ = start("board serve --json --listen 127.0.0.1:0 --cache '" + path("cache") + "' " + flags +
                    " >" + path("serve.json") + " 2>" + path("serve.log"));
    for (int i = 0; i < 1000 && board_.empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const Json said = Json::parse(std::ifstream(path("serve.json")), nullptr, false);
      if (!said.is_discarded()) board_ = said.value("address", said.value("error", ""));
    }
    ASSERT_THAT(board_, ::testing::HasSubstr("127.0.0.1:")) << read_text(path("serve.log"));
  }
  int stop(int signal = SIGTERM) {
    kill(server_, signal);
    int status = 0;
    waitpid(std::exchange(server_, -1), &status, 0);
    return status;
  }
  std::string at_board() const { return " --board " + board_ + " "; }
  std::string log() const { return read_text(path("serve.log")); }
  /// That the server has given so far.
  std::size_t leases() const {
    const std::string text = log();
    std::size_t count = 0;
    for (std::size_t at = text.find("leased to"); at != std::string::npos;
         at = text.find("leased to", at + 1))
      ++count;
    return count;
  }
  /// Of what a run prints, all that does not depend on the clock and the place.
  static Json facts(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    Json json = Json::parse(outcome.out);
    json.erase("board");
    for (Json& step : json["host_steps"]) step.erase("seconds");
    return json;
  }
  std::size_t cached() const {
    const std::filesystem::directory_iterator begin(path("cache"));
    return static_cast<std::size_t>(std::distance(begin, {}));
  }

  std::string board_;
  pid_t server_ = -1;
};

}  // namespace vdla::tools
