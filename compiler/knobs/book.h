// SPDX-License-Identifier: Apache-2.0
// The knob book: knobs that a search, or a person, found better than the default ones, for one target. A
// compile takes those of the layers that it finds there by task and context (CompileOptions::book).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vdla::pipeline {

struct KnobRecord {
  std::string task;         ///< task of the layer (device::task_of)
  std::string context;      ///< context of its knobs (device::context_of)
  std::string knobs;        ///< KnobSpace::text
  std::int64_t record = 0;  ///< number of the measurement, for people
  bool operator==(const KnobRecord&) const = default;
};

/// The engines of books for a CPU and for a GPU, which are timed; all others count cycles.
inline constexpr const char* kCpuEngine = "cpu";
inline constexpr const char* kGpuEngine = "gpu";

/// Measurement of a search with the whole book, so that it can be made again.
struct BookMeasurement {
  std::string network;  ///< hash of the model
  std::string engine;
  double default_cost = 0,
         cost = 0;      ///< costs of the network without the book, and with it: cycles, or nanoseconds
  std::string program;  ///< hash of what runs with the book
  /// Interval (95 %) of times, cost over default_cost; 0: of cycles, which carry no noise.
  double low = 0, high = 0;
  bool is_timed() const { return engine == kCpuEngine || engine == kGpuEngine; }
  const char* unit() const { return is_timed() ? "ns" : "cycles"; }
  bool operator==(const BookMeasurement&) const = default;
};

struct KnobBook {
  std::string target;  ///< target_of(variant)
  std::vector<KnobRecord> records;
  std::optional<BookMeasurement> measured;
  /// Threads of a layer on the CPU while its knobs were tuned; 0: of the device, or not said.
  unsigned threads = 0;
  std::string device =
      {};  ///< name of the GPU, by its driver, on which knobs were timed; empty: of none, or not said

  /// Or null.
  const KnobRecord* find(std::string_view task, std::string_view context) const;
  /// Puts it in the place of the record of its task and context, where there is one.
  void put(KnobRecord record);
  bool operator==(const KnobBook&) const = default;
};

/// From JSON. UserError with `origin`, line and column for what is no book, for a book of another format, and
/// for two records of one task and context.
KnobBook read_knob_book(const std::string& text, const std::string& origin);
std::string to_json(const KnobBook& book);

}  // namespace vdla::pipeline
