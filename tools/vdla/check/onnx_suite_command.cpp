// SPDX-License-Identifier: Apache-2.0
// vdla onnx-suite: ONNX's conformance suite as a table by operator.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <map>
#include <optional>
#include <set>

#include "kit/kernels/kernel_device.h"
#include "runtime/gpu/cuda.h"
#include "runtime/gpu/emulator.h"
#include "tools/common/table.h"
#include "tools/common/validators.h"
#include "tools/onnx_suite/onnx_suite.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/kernel_cache.h"
#include "tools/vdla/common/progress_line.h"

namespace vdla::tools {
namespace {

struct OnnxSuiteFlags {
  std::string folder, on = "cpu";
  SuiteOptions options;
  bool cases = false;
};

/// Cases of an operator.
struct Row {
  std::array<int, 4> count{};
  int ran = 0;  ///< passes with something left to compute
  std::set<std::string> bound, messages;
};

/// One line: what the message says behind the name of the model.
std::string brief(const std::string& message) {
  const auto begin = message.starts_with("ONNX model") ? message.find("': ") : std::string::npos;
  return begin == std::string::npos ? message : message.substr(begin + 3);
}

/// Titles of the verdicts, in order.
std::array<const char*, 4> columns(bool between_qdq) {
  if (between_qdq) return {"equal", "refused", "not run", "wrong"};
  return {"pass", "unsupported", "out of scope", "fail"};
}

/// Keys of the verdicts, in order.
constexpr std::array<const char*, 4> kVerdicts = {"pass", "unsupported", "out_of_scope", "fail"};

nlohmann::ordered_json row_of(const std::string& op, const Row& row) {
  nlohmann::ordered_json out{{"operator", op}};
  for (std::size_t v = 0; v < kVerdicts.size(); ++v) out[kVerdicts[v]] = row.count[v];
  out["constant"] = row.bound;
  out["messages"] = row.messages;
  return out;
}

void print_suite(nlohmann::ordered_json operators, const nlohmann::ordered_json& total, bool between_qdq) {
  operators.push_back(total);
  for (auto& row : operators)
    row["bound"] =
        row["constant"].empty()
            ? ""
            : fmt::format("constant: {}", fmt::join(row["constant"].get<std::vector<std::string>>(), ", "));
  const std::vector<std::string> lines =
      table_lines(operators, fmt::format("operator|{}|", fmt::join(columns(between_qdq), "|")),
                  "{operator:<32+} {pass:>11} {unsupported:>11} {out_of_scope:>12} {fail:>5}  {bound}");
  fmt::print("{}\n", lines[0]);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    fmt::print("{}\n", lines[i + 1]);
    for (const auto& message : operators[i]["messages"]) fmt::print("    {}\n", message.get<std::string>());
  }
}

void suite(OnnxSuiteFlags& f, Context& context) {
  f.options.interpret = f.on == "interpreter";
  VDLA_CHECK_USER(!f.options.between_qdq || f.on == "cpu" || f.options.interpret)
      << "--between-qdq with --on " << f.on << ": needs cpu or interpreter";
  const bool on_opencl = f.on == "opencl";
  const auto cache = on_opencl ? keep_no_kernels() : nullptr;
  std::optional<kit::KernelDevice> device;
  if (on_opencl) device = kit::open_kernel_device("", f.options.seed);
  if (f.on == gpu::kEmulator || f.on == gpu::kCuda) device = kit::open_kernel_device(f.on, f.options.seed);
  f.options.device = device ? &*device : nullptr;
  const StatusLine line;
  int done = 0;
  const auto results = run_onnx_suite(f.folder, f.options, [&](const SuiteCase& c) {
    ++done;
    if (line.on_terminal()) line.print(fmt::format("{:4} {:.70}", done, c.name));
  });
  line.clear();
  std::map<std::string, Row> rows;
  Row total;
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const SuiteCase& c : results) {
    Row& row = rows[c.op];
    ++row.count[static_cast<std::size_t>(c.verdict)];
    ++total.count[static_cast<std::size_t>(c.verdict)];
    total.ran += c.verdict == Verdict::Pass && c.steps > 0;
    row.bound.insert(c.bound.begin(), c.bound.end());
    if (c.verdict == Verdict::Fail)
      row.messages.insert(std::string(columns(f.options.between_qdq)[3]) + " " + c.name + ": " +
                          brief(c.message));
    if (c.verdict == Verdict::Unsupported) row.messages.insert(brief(c.message));
    if (c.verdict == Verdict::OutOfScope) row.messages.insert("out of scope: " + c.message);
    cases.push_back({{"name", c.name},
                     {"operator", c.op},
                     {"verdict", name_of(c.verdict)},
                     {"steps", c.steps},
                     {"message", c.message},
                     {"constant", c.bound}});
  }
  nlohmann::ordered_json operators = nlohmann::ordered_json::array();
  for (const auto& [op, row] : rows) operators.push_back(row_of(op, row));
  nlohmann::ordered_json out{{"cases", results.size()}, {"pass_with_steps", total.ran}};
  for (std::size_t v = 0; v < kVerdicts.size(); ++v) out[kVerdicts[v]] = total.count[v];
  out["operators"] = operators;
  out["results"] = cases;
  context.report(out, [&] {
    print_suite(operators, row_of("all", total), f.options.between_qdq);
    fmt::print("of {} passes {} computed something; the outputs of the others are constants or inputs\n",
               total.count[0], total.ran);
  });
  if (total.count[3] > 0) throw Difference{};
}

}  // namespace

void add_onnx_suite(CLI::App& app, Context& context) {
  auto f = std::make_shared<OnnxSuiteFlags>();
  CLI::App* c = add_command(
      app, context, "onnx-suite", "Run ONNX's conformance suite: a table by operator",
      "A case is a folder with model.onnx and test_data_set_*/{input,output}_*.pb. Inputs that say a shape, "
      "an axis "
      "or a place become constants where the compiler must know them: the table names them.\n"
      "Floats pass within 1e-7 + 1e-3 * |recorded|, integers when equal. Exit status 1 when a case fails.\n"
      "example: vdla onnx-suite onnx/backend/test/data/node --only conv",
      [f, &context] { suite(*f, context); });
  c->add_option("folder", f->folder, "Folder of cases, or one case")->required();
  c->add_option("--only", f->options.only, "Run only cases with this in their name");
  c->add_flag("--between-qdq", f->options.between_qdq,
              "Run each case twice, with float inputs and outputs quantised to int8 and to uint8; the "
              "reference is the float network on the quantised inputs, within one step of the output");
  c->add_option("--draw", f->options.draw, "Number of cases to draw at random (--seed); 0: all")
      ->check(not_negative())
      ->capture_default_str();
  c->add_option("--seed", f->options.seed, "Seed of --draw")->check(not_negative())->capture_default_str();
  c->add_option("--on", f->on,
                "cpu: machine code; interpreter: loop IR; opencl: kernels on the first device of OpenCL; "
                "cuda, emulator: kernels there, as vdla check-kernel has them")
      ->check(one_of({"cpu", "interpreter", "opencl", gpu::kCuda, gpu::kEmulator}))
      ->capture_default_str();
}

}  // namespace vdla::tools
