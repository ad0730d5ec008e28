// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>
#include <utility>

#include "kit/files.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/json_text.h"

namespace vdla::tune {
namespace {

using explore::Json;

constexpr const char* kLogFormat = "vdla tuning record 1";
// Keeps sums and differences of cycles exact, and every message short.
constexpr double kMostCycles = 1e15;

/// How each line begins.
std::string head() {
  const std::string text = json_dump(Json{{"format", kLogFormat}});
  return text.substr(0, text.size() - 1);
}

bool is_text(const Json& object, const char* key) {
  return object.contains(key) && object.at(key).is_string();
}

bool has_number(const Json& o, const char* key, double least) {
  return o.contains(key) && o.at(key).is_number() && o.at(key).get<double>() >= least &&
         o.at(key).get<double>() <= kMostCycles;
}

bool is_outcome(const Json& o) {
  if (!o.is_object() || !is_text(o, "status")) return false;
  if (o.at("status") != "ok")
    return is_text(o, "reason") && (o.at("status") == "failed" || o.at("status") == "unbuildable");
  return is_text(o, "program") && (has_number(o, "cycles", 1) || is_timed(o));
}

/// Nothing for a line of something else.
std::optional<Json> record_in(const std::string& line, const std::string& origin) {
  try {
    const JsonText text(line, origin);
    const Json& record = text.root();
    if (!record.is_object() || !is_text(record, "format") || record.at("format") != kLogFormat ||
        !is_text(record, "key") || !record.contains("outcome") || !is_outcome(record.at("outcome")))
      return std::nullopt;
    return record;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

Json record_at(const std::string& line, const std::string& path, std::size_t number,
               const std::string& flag) {
  auto record = record_in(line, path);
  VDLA_CHECK_USER(record) << path << ":" << number << ": is no record of this kit ('" << kLogFormat
                          << "'); give another " << flag << ", or remove the line";
  if (const Json& outcome = record->at("outcome"); is_timed(outcome)) {
    const double ratio = outcome.at("ratio"), low = outcome.at("low"), high = outcome.at("high");
    VDLA_CHECK_USER(low <= ratio && ratio <= high)
        << path << ":" << number << ": has a ratio of " << ratio << " outside of its interval " << low
        << " to " << high << ", which no race gives: the line was changed; remove it";
  }
  return std::move(*record);
}

/// Requires that the rest after the last line begins as a record does, whose writer was killed, or is the
/// zeros that a power cut leaves. All else belongs to another program's file.
void require_torn(const std::string& rest, const std::string& path, std::size_t number,
                  const std::string& flag) {
  const bool zeros = rest.find_first_not_of('\0') == std::string::npos;
  VDLA_CHECK_USER(zeros || rest.starts_with(head()) || head().starts_with(rest))
      << path << ":" << number << ": is no record of this kit ('" << kLogFormat << "'); give another "
      << flag;
}

}  // namespace

bool is_timed(const Outcome& outcome) {
  return outcome.at("status") == "ok" &&
         std::ranges::all_of(std::array{"ns", "incumbent_ns", "ratio", "low", "high"},
                             [&](const char* key) { return has_number(outcome, key, 0); });
}

std::vector<Json> records_of(const std::string& path, const std::string& flag) {
  const std::string text = kit::read_text(path);
  const std::string whole = text.substr(0, text.rfind('\n') + 1);
  std::istringstream lines(whole);
  std::vector<Json> records;
  for (std::string line; std::getline(lines, line);)
    records.push_back(record_at(line, path, records.size() + 1, flag));
  require_torn(text.substr(whole.size()), path, records.size() + 1, flag);
  return records;
}

std::string text_in(const Json& record, const char* key) {
  return is_text(record, key) ? record.at(key).get<std::string>() : "";
}

TuneLog::TuneLog(const std::string& path, const std::string& flag) : path_(path) {
  if (path.empty()) return;
  constexpr mode_t kMode = 0666;
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  VDLA_CHECK_USER(file_ >= 0) << "cannot open the log '" << path << "': " << std::strerror(errno);
  struct stat kind{};
  if (fstat(file_, &kind) != 0 || !S_ISREG(kind.st_mode)) {
    close(file_);
    throw UserError("the log '" + path + "' is no regular file");
  }
  try {
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK)
        throw LogBusy("another search writes into '" + path + "'; wait for it, or give another " + flag);
      throw UserError("cannot lock the log '" + path + "': " + std::strerror(errno));
    }
    const std::string text = kit::read_text(path);
    const std::string whole = text.substr(0, text.rfind('\n') + 1), torn = text.substr(whole.size());
    std::istringstream lines(whole);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      const Json record = record_at(line, path, ++number, flag);
      known_[record.at("key").get<std::string>()] = record.at("outcome");
    }
    if (!torn.empty()) {
      require_torn(torn, path, number + 1, flag);
      VDLA_CHECK_USER(ftruncate(file_, static_cast<off_t>(whole.size())) == 0)
          << "cannot cut the torn last line of '" << path << "' off: " << std::strerror(errno);
    }
  } catch (...) {
    close(file_);
    throw;
  }
}

TuneLog::~TuneLog() {
  if (file_ >= 0) close(file_);
}

const Outcome* TuneLog::find(const std::string& key) const {
  const auto found = known_.find(key);
  return found == known_.end() || found->second.at("status") == "failed" ? nullptr : &found->second;
}

void TuneLog::add(const std::string& key, const Json& record, const Outcome& outcome) {
  known_[key] = outcome;
  if (file_ < 0) return;
  Json line{{"format", kLogFormat}, {"key", key}};
  line.update(record);
  line["outcome"] = outcome;
  const std::string text = json_dump(line) + "\n";
  // One write: a reader sees the whole line or, after a crash of the machine, a torn one.
  const auto written = write(file_, text.data(), text.size());
  VDLA_CHECK_USER(written == static_cast<ssize_t>(text.size()))
      << "cannot append to '" << path_
      << "': " << (written < 0 ? std::strerror(errno) : "the disk took only a part of the record");
}

}  // namespace vdla::tune
