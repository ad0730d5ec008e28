// SPDX-License-Identifier: Apache-2.0
// vdla report: one run as a page.
#include <fmt/core.h>

#include "tools/explore/page.h"
#include "tools/explore/record.h"
#include "tools/vdla/command.h"
#include "tools/vdla/files.h"

namespace vdla::tools {
namespace {

struct Flags {
  std::string record, html;
};

void report(const Flags& f, const Context& context) {
  const auto record = explore::parse_record(read_text(f.record), f.record);
  const std::string html =
      f.html.empty() ? std::filesystem::path(f.record).replace_extension(".html").string() : f.html;
  write_file(html, explore::report_page(record));
  context.report({{"model", record.at("model")}, {"cycles", record.at("cycles")}, {"output", html}},
                 [&] { fmt::print("{}\n", html); });
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  auto f = std::make_shared<Flags>();
  CLI::App* c = add_command(app, context, "report",
                            "One run as a page: roofline, layers, timeline, stalls, memory, the next 10 %",
                            "The page is one file that opens without a network.\n"
                            "example: vdla run net.vdla --engine systemc --random-input 1 --record run.json "
                            "&& vdla report run.json",
                            [f, &context] { report(*f, context); });
  c->add_option("record", f->record, "Written by vdla run --record")->required();
  c->add_option("-o,--html", f->html, "Page to write, the record's name with .html unless given");
}

}  // namespace vdla::tools
