// SPDX-License-Identifier: Apache-2.0
// The subcommands of `vdla`: one function each, which adds the command with its flags and what it does.
// main.cpp lists them.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace vdla::tools {

/// Surroundings that every command gets.
struct Context {
  bool json = false;                 ///< machine-readable output on stdout, one object
  std::filesystem::path executable;  ///< path of this program
  std::string command_line;          ///< as it was typed, for reports
  std::function<void()> action;      ///< set by the command that was chosen
  int status = 0;                    ///< exit status of an action that ran to its end
  int bad_input_status = 1;          ///< exit status of a command that did not come to its end

  /// Names of a model may be no UTF-8: what is none becomes U+FFFD.
  void print_json(const nlohmann::ordered_json& object) const;
  /// Prints `object` in JSON mode, with the notes so far, else calls `print`.
  void report(const nlohmann::ordered_json& object, const std::function<void()>& print) const;
  /// A line each on stderr, at once; in JSON mode the report has them as "notes".
  void say(const std::vector<std::string>& notes) const;

 private:
  mutable std::vector<std::string> said_;  ///< lines in JSON mode
};

/// Ends the command with exit status 1 when its report has said already what is wrong.
struct Difference {};

void add_asm(CLI::App& app, Context& context);
void add_batch(CLI::App& app, Context& context);
void add_board(CLI::App& app, Context& context);
void add_build_rtl(CLI::App& app, Context& context);
void add_check_intrinsic(CLI::App& app, Context& context);
void add_check_kernel(CLI::App& app, Context& context);
void add_compare(CLI::App& app, Context& context);
void add_compile(CLI::App& app, Context& context);
void add_coverage(CLI::App& app, Context& context);
void add_diff(CLI::App& app, Context& context);
void add_disasm(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_eval(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_explore(CLI::App& app, Context& context);
void add_fuzz(CLI::App& app, Context& context);
void add_info(CLI::App& app, Context& context);
void add_keygen(CLI::App& app, Context& context);
void add_onnx_suite(CLI::App& app, Context& context);
void add_ops(CLI::App& app, Context& context);
void add_opt(CLI::App& app, Context& context);
void add_quantize(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
void add_sign(CLI::App& app, Context& context);
void add_tune(CLI::App& app, Context& context);
void add_verify(CLI::App& app, Context& context);
void add_waves(CLI::App& app, Context& context);
void add_zoo(CLI::App& app, Context& context);

/// The command with its --json flag, doing `action` when chosen.
CLI::App* add_command(CLI::App& app, Context& context, const std::string& name,
                      const std::string& description, const std::string& footer,
                      std::function<void()> action);

/// Refuses what the reader of unsigned numbers would wrap around or cut: a minus sign, and 2^64 and above.
/// CLI::NonNegativeNumber compares as double: it lets 2^64 through, and its message writes its limit in 309
/// digits.
inline CLI::Validator not_negative() {
  return {[](const std::string& text) -> std::string {
            if (text.starts_with("-")) return "'" + text + "' is negative, needs a whole number from 0";
            std::uint64_t number = 0;
            const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
            const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
            if (read.ec != std::errc::result_out_of_range) return "";
            return "'" + text + "' is too large, needs a whole number from 0 to " + std::to_string(most);
          },
          ""};
}

/// Takes a finite number above 0, or from 0 on; CLI::PositiveNumber takes nan, too.
inline CLI::Validator positive_number(bool or_zero = false) {
  return {[or_zero](const std::string& text) {
            double value = 0;
            const bool good = CLI::detail::lexical_cast(text, value) && std::isfinite(value) &&
                              (value > 0 || (or_zero && value == 0));
            return good ? std::string()
                        : std::string("needs a ") + (or_zero ? "number from 0" : "positive number") +
                              ", got '" + text + "'";
          },
          ""};
}

}  // namespace vdla::tools
