// SPDX-License-Identifier: Apache-2.0
// Flags of vdla tune, and parts that its targets share.
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "compiler/knobs/book.h"
#include "compiler/options/options.h"
#include "compiler/tune/search.h"
#include "compiler/tune/tuner.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

struct TuneFlags {
  std::string target = "vdla", cpu = "native", model, variant = "paper", book, log, html,
              search{tune::searches().front().name}, cost_model, gpu_machine, device;
  std::int64_t trials = 200, batch = tune::kBatch;
  double minutes = 0, limit = 60;
  std::uint64_t seed = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  unsigned threads = 1;
  std::vector<std::string> from;
  std::string as_schedule, fleet, boards, gres = "board:1";
  bool best = false, verify = false, show = false, rtl = false;
  const CLI::App* command = nullptr;

  /// UserError for options that mean nothing for the target.
  void refuse_idle() const;
  bool on_gpu() const;
  /// Options of a compile of all of the network for a GPU, without a book.
  pipeline::CompileOptions gpu_options() const;
};

/// The book there is, and nothing where there is none.
std::optional<pipeline::KnobBook> book_in(const std::string& path);

/// The book's file while a search runs: whole at any time, since a signal may end the search.
class BookFile {
 public:
  /// As it is now.
  explicit BookFile(std::string path);
  /// Writes the book. UserError where another process wrote it meanwhile.
  void write(const pipeline::KnobBook& book);

 private:
  const std::string path_;
  std::string text_;
};

/// Options of a search that began at `begin`, all but the observer of its progress. Notes where a cost model
/// cannot be had, and of what the logs of --from know.
tune::TuneOptions search_options(const TuneFlags& flags, std::chrono::steady_clock::time_point begin,
                                 const Context& context);

/// After an interrupt: what is kept of the search, and how one goes on.
std::string kept_of_search(const TuneFlags& flags, bool has_book);

/// vdla tune --best.
void tune_best(const TuneFlags& flags, const Context& context);

/// vdla tune --target cpu.
void tune_cpu(const TuneFlags& flags, const Context& context);
/// vdla tune --target cuda, opencl.
void tune_gpu(const TuneFlags& flags, const Context& context);

}  // namespace vdla::tools
