// SPDX-License-Identifier: Apache-2.0
#include "compiler/knobs/book.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/error.h"
#include "support/json_dump.h"
#include "support/json_text.h"

namespace vdla::pipeline {
namespace {

using Json = nlohmann::ordered_json;

// A change of what a knob means, or of tasks and contexts, makes it another one.
constexpr const char* kBookFormat = "vdla knob book 1";

const Json& member(const JsonText& text, const Json& object, const std::string& path, const char* key) {
  VDLA_CHECK_USER(object.is_object() && object.contains(key))
      << text.at(path) << " has no '" << key << "', which a knob book needs here";
  return object.at(key);
}

std::string string_of(const JsonText& text, const Json& object, const std::string& path, const char* key) {
  const Json& value = member(text, object, path, key);
  VDLA_CHECK_USER(value.is_string()) << text.at(path + "/" + key) << " is " << json_dump(value)
                                     << ", needs a text";
  return value.get<std::string>();
}

KnobRecord record_of(const JsonText& text, const Json& object, const std::string& path) {
  const Json& number = member(text, object, path, "record");
  constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 53;
  VDLA_CHECK_USER(number.is_number_unsigned() && number.get<std::uint64_t>() <= kMostRecords)
      << text.at(path + "/record") << " is " << json_dump(number) << ", needs a whole number from 0 to "
      << kMostRecords;
  return {string_of(text, object, path, "task"), string_of(text, object, path, "context"),
          string_of(text, object, path, "knobs"), number.get<std::int64_t>()};
}

double cost_of(const JsonText& text, const Json& object, const std::string& path, const std::string& key,
               double least) {
  const Json& value = member(text, object, path, key.c_str());
  constexpr double kMost = 1e15;
  VDLA_CHECK_USER(value.is_number() && value.get<double>() >= least && value.get<double>() <= kMost)
      << text.at(path + "/" + key) << " is " << json_dump(value) << ", needs a number from " << least
      << " to " << kMost;
  return value.get<double>();
}

unsigned threads_of(const JsonText& text, const Json& number) {
  constexpr unsigned kMost = 4096;
  VDLA_CHECK_USER(number.is_number_unsigned() && number.get<std::uint64_t>() >= 1 &&
                  number.get<std::uint64_t>() <= kMost)
      << text.at("/threads") << " is " << json_dump(number) << ", needs a whole number from 1 to " << kMost;
  return number.get<unsigned>();
}

BookMeasurement measurement_of(const JsonText& text, const Json& object, const std::string& path) {
  BookMeasurement m{string_of(text, object, path, "network"), string_of(text, object, path, "engine"), 0, 0,
                    string_of(text, object, path, "program")};
  const std::string unit = m.unit();
  m.default_cost = cost_of(text, object, path, "default_" + unit, 1);
  m.cost = cost_of(text, object, path, unit, 1);
  if (m.is_timed()) {
    m.low = cost_of(text, object, path, "ratio_low", 0);
    m.high = cost_of(text, object, path, "ratio_high", 0);
  }
  return m;
}

}  // namespace

const KnobRecord* KnobBook::find(std::string_view task, std::string_view context) const {
  const auto found = std::ranges::find_if(
      records, [&](const KnobRecord& r) { return r.task == task && r.context == context; });
  return found == records.end() ? nullptr : &*found;
}

void KnobBook::put(KnobRecord record) {
  const KnobRecord* same = find(record.task, record.context);
  if (same == nullptr)
    records.push_back(std::move(record));
  else
    records[static_cast<std::size_t>(same - records.data())] = std::move(record);
}

KnobBook read_knob_book(const std::string& json, const std::string& origin) {
  const JsonText text(json, origin);
  const Json& root = text.root();
  const std::string format = string_of(text, root, "", "format");
  VDLA_CHECK_USER(format == kBookFormat)
      << text.at("/format") << " is '" << format << "', this kit reads '" << kBookFormat << "'; tune again";
  KnobBook book{string_of(text, root, "", "target"), {}, {}};
  if (root.contains("threads")) book.threads = threads_of(text, root.at("threads"));
  if (root.contains("device")) book.device = string_of(text, root, "", "device");
  if (root.contains("measured")) book.measured = measurement_of(text, root.at("measured"), "/measured");
  const Json& records = member(text, root, "", "records");
  VDLA_CHECK_USER(records.is_array()) << text.at("/records") << " needs a list of records";
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string path = "/records/" + std::to_string(i);
    KnobRecord record = record_of(text, records[i], path);
    VDLA_CHECK_USER(!book.find(record.task, record.context))
        << text.at(path) << " is the second record of task '" << record.task << "' in context '"
        << record.context << "'; leave one of them out";
    book.records.push_back(std::move(record));
  }
  return book;
}

std::string to_json(const KnobBook& book) {
  Json records = Json::array();
  for (const KnobRecord& r : book.records)
    records.push_back({{"task", r.task}, {"context", r.context}, {"knobs", r.knobs}, {"record", r.record}});
  Json root = {{"format", kBookFormat}, {"target", book.target}};
  if (book.threads != 0) root["threads"] = book.threads;
  if (!book.device.empty()) root["device"] = book.device;
  if (const auto& m = book.measured) {
    const std::string unit = m->unit();
    Json& measured = root["measured"];
    measured = {{"network", m->network}, {"engine", m->engine}};
    measured["default_" + unit] = m->default_cost;
    measured[unit] = m->cost;
    if (m->is_timed()) {
      measured["ratio_low"] = m->low;
      measured["ratio_high"] = m->high;
    }
    measured["program"] = m->program;
  }
  root["records"] = std::move(records);
  constexpr int kIndent = 2;
  return json_dump(root, kIndent) + "\n";
}

}  // namespace vdla::pipeline
