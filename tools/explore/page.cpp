// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/page.h"

#include <utility>

#include "support/inert.h"
#include "tools/explore/energy.h"
#include "tools/explore/kept.h"

namespace vdla::explore {
namespace {

/// Names as a terminal shows them, too: a browser has boxes for control characters, and turns the writing.
Json with_visible_texts(Json data) {
  if (data.is_string()) return visible(data.get_ref<const std::string&>(), "\n");
  if (data.is_structured())
    for (Json& inner : data) inner = with_visible_texts(std::move(inner));
  return data;
}

/// JSON that ends no script element: '<' occurs in strings only.
std::string embedded(const Json& data) {
  std::string text;
  for (const char c : with_visible_texts(data).dump(-1, ' ', true)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string page(std::string_view title, const Json& data, std::string_view script) {
  std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>";
  html += title;
  html += "</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n";
  html += kKitCss;
  html += "</style>\n</head>\n<body>\n<main></main>\n<script type=\"application/json\" id=\"data\">";
  html += embedded(data);
  html += "</script>\n<script>\n";
  html += kKitJs;
  html += script;
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace

std::string explore_page(const Json& results) { return page("VDLA: variants compared", results, kExploreJs); }

std::string compare_page(const Json& comparison) {
  return page("VDLA: two runs side by side", comparison, kCompareJs);
}

std::string report_page(const Json& record) {
  Json data = record;
  data["energy"] = energy_json(energy_of(record));
  data["energy_model"] = energy_model_json();
  return page("VDLA: one run", data, kReportJs);
}

std::string tune_page(const Json& search) { return page("VDLA: a search for knobs", search, kTuneJs); }

}  // namespace vdla::explore
