// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/tune/layers.h"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "support/error.h"
#include "support/interrupt.h"
#include "support/path.h"
#include "tools/data/files.h"
#include "tools/explore/hash.h"
#include "tools/vdla/common/progress_line.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;
using pipeline::KnobBook;

constexpr double kMicroseconds = 1e-3;  // microseconds in a nanosecond

/// "8.3 % less time (7.9 to 8.8 %, 41 turns)"
std::string text_of_ratio(const tune::Outcome& duel) {
  const double median = duel.at("ratio"), low = duel.at("low"), high = duel.at("high");
  return fmt::format("{:.1f} % {} time (interval of the ratio {:.3f} to {:.3f}, {} turns)",
                     100 * std::abs(1 - median), median <= 1 ? "less" : "more", low, high,
                     duel.at("turns").get<int>());
}

class LayerTuneCommand {
 public:
  LayerTuneCommand(const TuneFlags& flags, const Context& context, TunedMachine machine)
      : f_(flags),
        context_(context),
        begin_(machine.begin),
        network_(explore::content_hash(read_text(f_.model))),
        machine_(std::move(machine)),
        tuning_(machine_.trials, {.network = network_,
                                  .kit = explore::content_hash(read_text(context.executable.string())),
                                  .limit_seconds = f_.limit,
                                  .log = f_.verify ? std::string() : f_.log}),
        none_(stamped({machine_.trials.target, {}, {}})) {}

  /// Builds what the book says, compares machine code, and times it against default knobs.
  void verify() {
    const auto book = book_in(f_.book);
    VDLA_CHECK_USER(book) << "--verify: there is no book '" << f_.book << "'";
    VDLA_CHECK_USER(book->measured) << f_.book
                                    << ": no search has measured this book; nothing to compare with";
    refuse_another(*book);
    const tune::Outcome duel = duel_of(*book, none_);
    const bool same = duel.at("program") == book->measured->program, slower = duel.at("low") > 1;
    context_.report(
        {{"book", f_.book},
         {"same", same},
         {"slower", slower},
         {"duel", duel},
         {"said", book->measured->program}},
        [&] {
          fmt::print("{}: {}; program {}\n", f_.book, text_of_ratio(duel),
                     duel.at("program").get<std::string>());
          if (!same)
            fmt::print(
                "that is not the program that was tuned, {}: the book or the compiler has changed since, "
                "tune again\n",
                book->measured->program);
          if (slower)
            fmt::print("the network is slower with the book here than with default knobs; tune again\n");
        });
    if (!same || slower) throw Difference{};
  }

  void run() {
    const std::optional<KnobBook> before = book_in(f_.book);
    VDLA_CHECK_USER(!tuning_.tasks().empty())
        << f_.model << ": no layer is computed by a template of the " << machine_.processor
        << " that has knobs; there is nothing to tune";
    if (before) refuse_another(*before);
    const OnInterrupt kept(Uninterrupted(), [&](const Uninterrupted&) {
      std::error_code none;
      return kept_of_search(f_, std::filesystem::exists(f_.book, none));
    });
    tune::TuneOptions how = search_options(f_, begin_, context_);
    how.progress = [&](const tune::Progress& p, const KnobBook& book) {
      // A book that is there stays until the network says that the new one is better.
      if (p.better && !before) file_.write(stamped(book));
      show(p);
    };
    const tune::Tuned tuned = tuning_.run(how);
    line_.end();
    settle(tuned, before);
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  /// With what the machine is, beside its target.
  KnobBook stamped(KnobBook book) const {
    book.threads = machine_.threads;
    book.device = machine_.device;
    return book;
  }

  /// A book of other threads is said, and taken.
  void refuse_another(const KnobBook& book) const {
    VDLA_CHECK_USER(book.target == none_.target)
        << f_.book << " is a book for " << book.target << ", and this search is for " << none_.target
        << "; give another --book";
    VDLA_CHECK_USER(book.device.empty() || book.device == machine_.device)
        << f_.book << " was tuned on " << book.device << ", and this search is on " << machine_.device
        << "; give another --book";
    VDLA_CHECK_USER(!book.measured || book.measured->network == network_)
        << f_.book << " was tuned for model " << book.measured->network << ", and " << f_.model << " is "
        << network_ << ": a book holds the knobs of one network; give another --book";
    if (book.threads != 0 && book.threads != machine_.threads)
      context_.say({fmt::format("{} was tuned with --threads {}, and is timed with {} here", f_.book,
                                book.threads, machine_.threads)});
  }

  tune::Outcome duel_of(const KnobBook& book, const KnobBook& other) {
    tune::Outcome duel = tuning_.duel(book, other);
    VDLA_CHECK_USER(duel.at("status") == "ok")
        << "the network with " << f_.book << " cannot be measured: " << duel.at("reason").get<std::string>();
    return duel;
  }

  pipeline::BookMeasurement measured_by(const tune::Outcome& duel) const {
    return {network_,           machine_.trials.engine, duel.at("incumbent_ns"), duel.at("ns"),
            duel.at("program"), duel.at("low"),         duel.at("high")};
  }

  void show(const tune::Progress& p) {
    const std::string text = fmt::format("trial {}/{}: layers {:.1f} us, {:.1f} by default", p.trials,
                                         f_.trials, p.best * kMicroseconds, p.first * kMicroseconds);
    if (line_.on_terminal())
      line_.print(text);
    else if (p.better)
      line_.print(text + ": " + p.task->task);
  }

  /// The whole network has the last word on what the layers gained.
  void settle(const tune::Tuned& tuned, const std::optional<KnobBook>& before) {
    std::optional<tune::Outcome> duel;
    std::string kept = "nothing is faster with other knobs, or with another plan";
    KnobBook book = none_;
    if (!tuned.book.records.empty()) {
      duel = duel_of(tuned.book, none_);
      kept =
          "the network is not faster for certain with what its layers gained" +
          (duel->at("ratio") < 1 && !f_.log.empty()
               ? "; on a quieter machine the same command repeats this comparison, the rest is in " + f_.log
               : std::string());
      bool faster = duel->at("high") < 1;
      if (faster && before && !before->records.empty()) {
        kept = f_.book + " stays as it was: the network is not faster than with it";
        faster = duel_of(tuned.book, *before).at("high") < 1;
      }
      if (faster) {
        kept.clear();
        book = stamped(tuned.book);
        book.measured = measured_by(*duel);
      }
    }
    if (!kept.empty() && before && !before->measured && !before->records.empty()) {
      // The book may be of a search that was ended before the network had the last word.
      const tune::Outcome own = duel_of(*before, none_);
      if (own.at("high") < 1) {
        book = stamped(*before);
        book.measured = measured_by(own);
        kept = f_.book + " keeps its knobs, which make the network faster than default ones";
        file_.write(book);
      } else {
        kept += "; with those of " + f_.book +
                ", which no search has measured, it is not faster for certain, too";
      }
    } else if (kept.empty() || !before) {
      file_.write(book);
    }
    report(tuned, duel, kept);
  }

  void report(const tune::Tuned& tuned, const std::optional<tune::Outcome>& duel,
              const std::string& kept) const {
    ordered_json object{{"book", f_.book},
                        {"search", f_.search},
                        {"tasks", tuning_.tasks().size()},
                        {"tuned", tuned.book.records.size()},
                        {"layers_default_ns", tuned.first},
                        {"layers_ns", tuned.best},
                        {"network", duel ? *duel : ordered_json()},
                        {"written", kept.empty()},
                        {"trials", tuned.trials},
                        {"measured", tuning_.measured()},
                        {"without_cost", tuning_.failed()},
                        {"seconds", seconds()}};
    context_.report(object, [&] {
      if (duel)
        fmt::print("the network takes {:.1f} us with the book: {}; {} of {} tasks tuned\n",
                   duel->at("ns").get<double>() * kMicroseconds, text_of_ratio(*duel),
                   tuned.book.records.size(), tuning_.tasks().size());
      if (!kept.empty()) fmt::print("{}\n", kept);
      fmt::print("{} trials, {} measured now{}, in {:.1f} s\n", tuned.trials, tuning_.measured(),
                 tuning_.failed() != 0
                     ? fmt::format(" ({} of them have no cost: see the log)", tuning_.failed())
                     : "",
                 seconds());
    });
  }

  const TuneFlags& f_;
  const Context& context_;
  const std::chrono::steady_clock::time_point begin_;
  const StatusLine line_;
  const std::string network_;
  const TunedMachine machine_;
  tune::LayerTuning tuning_;
  const KnobBook none_;
  BookFile file_{f_.book};
};

}  // namespace

void tune_layers(const TuneFlags& f, const Context& context, TunedMachine machine) {
  LayerTuneCommand command(f, context, std::move(machine));
  f.verify ? command.verify() : command.run();
}

}  // namespace vdla::tools
