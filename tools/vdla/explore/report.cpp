// SPDX-License-Identifier: Apache-2.0
// vdla report: one run as a page.
#include <fmt/core.h>

#include "support/whole_json.h"
#include "tools/common/validators.h"
#include "tools/data/files.h"
#include "tools/explore/page.h"
#include "tools/explore/record.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/common/gpu_report.h"
#include "tools/vdla/explore/advice.h"

namespace vdla::tools {
namespace {

struct ReportFlags {
  std::string record, html, model, part;
};

void report_of(const ReportFlags& f, const Context& context) {
  auto record = explore::parse_record(read_text(f.record), f.record);
  if (!f.model.empty()) record["advice"] = advice_for(record, f.model, f.part);
  const std::string html =
      f.html.empty() ? std::filesystem::path(f.record).replace_extension(".html").string() : f.html;
  const std::string page = explore::report_page(record);
  nlohmann::ordered_json object{
      {"model", record.at("model")}, {"cycles", record.at("cycles")}, {"output", html}};
  for (const auto& layer : record.at("layers"))
    if (layer.contains("bound"))
      object["layers"].push_back(
          {{"name", layer.at("name")}, {"cycles", layer.at("cycles")}, {"bound", layer.at("bound")}});
  if (record.contains("gpu")) object["gpu"] = record.at("gpu");
  if (record.contains("advice")) object["advice"] = record.at("advice");
  write_file(html, page);
  context.report(object, [&] {
    print_bounds(record);
    if (record.contains("gpu")) print_gpu_run(record.at("gpu"));
    if (record.contains("advice")) print_advice(record.at("advice"));
    fmt::print("{}\n", html);
  });
}

void report(const ReportFlags& f, const Context& context) {
  whole_json("record " + f.record, explore::kRecordAgain, [&] { report_of(f, context); });
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  auto f = std::make_shared<ReportFlags>();
  CLI::App* c = add_command(
      app, context, "report", "One run as a page: roofline, layers, timeline, stalls, memory, the next 10 %",
      "The page is one file that opens without a network. What bounds each layer comes from the "
      "accounts of the run.\n"
      "With --model, changes of the variant are compiled and run on the SystemC engine, and those "
      "that save cycles are\n"
      "proposed with what they saved; with --part, those that fit it.\n"
      "example: vdla run net.vdla --engine systemc --random-input 1 --record run.json "
      "&& vdla report run.json",
      [f, &context] { report(*f, context); });
  c->add_option("record", f->record, "Written by vdla run --record")->required();
  auto* model = c->add_option(
      "--model", f->model,
      "The network of the record (.tflite, .onnx, or graph text): try changes of the variant on it");
  c->add_option("--part", f->part,
                "With --model: part with a budget (xc7z020), or a file; only changes that fit are tried")
      ->needs(model);
  c->add_option("-o,--html", f->html, "Page to write, the record's name with .html unless given")
      ->check(ending({".html", ".htm"}, "an HTML page"));
}

}  // namespace vdla::tools
