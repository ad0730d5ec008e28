// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "kit/files.h"
#include "support/error.h"
#include "support/json_dump.h"

namespace vdla::tune {
namespace {

using explore::Json;

constexpr const char* kLogFormat = "vdla tuning record 1";

}  // namespace

TuneLog::TuneLog(const std::string& path) : path_(path) {
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
    VDLA_CHECK_USER(flock(file_, LOCK_EX | LOCK_NB) == 0)
        << "another search writes into '" << path << "'; wait for it, or give another --log";
    const std::string text = kit::read_text(path);
    const std::string whole = text.substr(0, text.rfind('\n') + 1);
    std::istringstream lines(whole);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const Json record = Json::parse(line, nullptr, false);
      const bool good = record.is_object() && record.value("format", "") == kLogFormat &&
                        record.contains("key") && record["key"].is_string() && record.contains("outcome") &&
                        record["outcome"].is_object() && record["outcome"].contains("status") &&
                        (record["outcome"]["status"] != "ok" ||
                         (record["outcome"].contains("cycles") && record["outcome"]["cycles"].is_number()));
      VDLA_CHECK_USER(good) << path << ":" << number << ": is no record of this kit ('" << kLogFormat
                            << "'); give another --log, or remove the line";
      known_[record["key"]] = record["outcome"];
    }
    VDLA_CHECK_USER(whole.size() == text.size() || ftruncate(file_, static_cast<off_t>(whole.size())) == 0)
        << "cannot cut the torn last line of '" << path << "' off: " << std::strerror(errno);
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
