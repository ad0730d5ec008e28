// SPDX-License-Identifier: Apache-2.0
// Log of measurements, a line of JSON for each trial, found again by what it depends on. Append only, with
// one writer: a last line that was not written whole is dropped when the log is opened.
#pragma once

#include <cstddef>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/error.h"
#include "tools/explore/json.h"

namespace vdla::tune {

/// A trial as it was measured: {"status": "ok", "cycles", "program"}, of the CPU what race_layer() says; or
/// "unbuildable" or "failed" with the "reason".
using Outcome = explore::Json;

/// Default knobs, in a record.
inline constexpr const char* kByDefault = "by default";

/// The stage of records that runs of a module have made (tools/tune/kernel_use.h).
inline constexpr const char* kUse = "use";

/// Whether an outcome is that of a race on the CPU: "ns", "ratio", "low" and "high" are there.
bool is_timed(const Outcome& outcome);

/// All records of a log, a torn last line left out. UserError for a file of something else; `flag` is how the
/// command line names it.
std::vector<explore::Json> records_of(const std::string& path, const std::string& flag = "--log");

/// The text of a record under `key`; empty where it has none, or something else.
std::string text_in(const explore::Json& record, const char* key);

/// Another process writes into the file.
struct LogBusy : UserError {
  using UserError::UserError;
};

class TuneLog {
 public:
  /// Without a path nothing is kept. `flag`: how the command line names it. UserError for a file of something
  /// else, LogBusy while another process writes into it.
  explicit TuneLog(const std::string& path, const std::string& flag = "--log");
  ~TuneLog();
  TuneLog(const TuneLog&) = delete;
  TuneLog& operator=(const TuneLog&) = delete;

  std::size_t size() const { return known_.size(); }
  /// Null where nothing is known. A trial that failed is tried again: what failed may have been the machine.
  const Outcome* find(const std::string& key) const;
  /// `record` says, for people and for later searches, what was measured.
  void add(const std::string& key, const explore::Json& record, const Outcome& outcome);

 private:
  std::string path_;
  int file_ = -1;
  std::map<std::string, Outcome> known_;
};

}  // namespace vdla::tune
