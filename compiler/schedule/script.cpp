// SPDX-License-Identifier: Apache-2.0
// The script reader: a table from the name of a primitive to what it does with its words.
#include "compiler/schedule/script.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "compiler/expr/tensor.h"
#include "support/error.h"
#include "support/nearest.h"

namespace vdla::schedule {
namespace {

/// One line, taken word by word.
class Line {
 public:
  Line(Schedule& schedule, std::vector<std::string> words) : schedule_(schedule), words_(std::move(words)) {}

  std::string word(const char* what) {
    VDLA_CHECK_USER(at_ < words_.size()) << "'" << words_[0] << "' needs " << what;
    return words_[at_++];
  }
  bool done() const { return at_ == words_.size(); }

  std::int64_t number() {
    std::string text = word("a number");
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    VDLA_CHECK_USER(error == std::errc{} && end == text.data() + text.size())
        << "'" << text << "' is no number";
    return value;
  }

  Schedule& schedule() { return schedule_; }

  Stage& stage() {
    std::string wanted = word("a stage");
    for (const Stage* stage : schedule_.stages())
      if (stage->label() == wanted) return schedule_[stage->tensor()];
    throw UserError("no stage '" + wanted + "'" + did_you_mean(wanted, names()));
  }

  /// A stage's tensor (any of its parts), or a placeholder that one reads.
  Tensor tensor() {
    std::string wanted = word("a tensor");
    for (const Stage* stage : schedule_.stages()) {
      if (stage->label() == wanted) return stage->tensor();
      for (std::size_t i = 0; i < stage->tensor().part_count(); ++i) {
        if (stage->tensor().part(i).name() == wanted) return stage->tensor().part(i);
      }
      for (const Tensor& input : expr::inputs_of(stage->compute())) {
        if (input.is_placeholder() && input.name() == wanted) return input;
      }
    }
    throw UserError("no tensor '" + wanted + "'");
  }

  IterVar loop(const Stage& stage) {
    std::string wanted = word("a loop");
    const std::vector<IterVar>& leaves = stage.leaves();
    if (wanted[0] == '@') {
      std::size_t place = 0;
      auto [end, error] = std::from_chars(wanted.data() + 1, wanted.data() + wanted.size(), place);
      VDLA_CHECK_USER(error == std::errc{} && end == wanted.data() + wanted.size() && place < leaves.size())
          << "stage '" << stage.name() << "' has " << leaves.size() << " loops, got '" << wanted << "'";
      return leaves[place];
    }
    auto found =
        std::find_if(leaves.begin(), leaves.end(), [&](const IterVar& l) { return l.name() == wanted; });
    VDLA_CHECK_USER(found != leaves.end()) << "stage '" << stage.name() << "' has no loop '" << wanted << "'";
    return *found;
  }

 private:
  /// Returns the names of all stages.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Stage* stage : schedule_.stages()) names.push_back(stage->label());
    return names;
  }

  Schedule& schedule_;
  std::vector<std::string> words_;
  std::size_t at_ = 1;
};

struct Primitive {
  std::string_view name;
  void (*apply)(Line&);
};

/// For primitives of one stage and one loop.
template <Stage& (Stage::*Apply)(const IterVar&)>
void on_loop(Line& line) {
  Stage& stage = line.stage();
  (stage.*Apply)(line.loop(stage));
}
template <Stage& (Stage::*Apply)()>
void on_stage(Line& line) {
  (line.stage().*Apply)();
}

constexpr Primitive kPrimitives[] = {
    {"split",
     [](Line& line) {
       Stage& stage = line.stage();
       IterVar axis = line.loop(stage);
       stage.split(axis, line.number());
     }},
    {"fuse",
     [](Line& line) {
       Stage& stage = line.stage();
       IterVar outer = line.loop(stage);
       stage.fuse(outer, line.loop(stage));
     }},
    {"reorder",
     [](Line& line) {
       Stage& stage = line.stage();
       std::vector<IterVar> order;
       while (!line.done()) order.push_back(line.loop(stage));
       stage.reorder(order);
     }},
    {"unroll", on_loop<&Stage::unroll>},
    {"vectorize", on_loop<&Stage::vectorize>},
    {"parallel", on_loop<&Stage::parallel>},
    {"bind",
     [](Line& line) {
       Stage& stage = line.stage();
       IterVar axis = line.loop(stage);
       std::string kind = line.word("an axis of a grid");
       auto annotation = expr::parse_for_kind(kind);
       VDLA_CHECK_USER(annotation) << "'" << kind << "' is no axis of a grid";
       stage.bind(axis, *annotation);
     }},
    {"compute_at",
     [](Line& line) {
       Stage& stage = line.stage();
       Stage& consumer = line.stage();
       stage.compute_at(consumer, line.loop(consumer));
     }},
    {"compute_inline", on_stage<&Stage::compute_inline>},
    {"compute_root", on_stage<&Stage::compute_root>},
    {"compute_whole",
     [](Line& line) {
       Stage& stage = line.stage();
       stage.compute_whole(stage.axis(static_cast<std::size_t>(line.number())));
     }},
    {"pad_stride",
     [](Line& line) {
       Stage& stage = line.stage();
       const IterVar& axis = stage.axis(static_cast<std::size_t>(line.number()));
       stage.pad_stride(axis, line.number());
     }},
    {"double_buffer",
     [](Line& line) {
       Stage& stage = line.stage();
       stage.double_buffer(line.done() ? 2 : line.number());
     }},
    {"hold", [](Line& line) { line.stage().hold(); }},
    {"set_scope",
     [](Line& line) {
       Stage& stage = line.stage();
       stage.set_scope(line.word("a memory"));
     }},
    {"share_storage",
     [](Line& line) {
       Stage& stage = line.stage();
       stage.share_storage(line.stage());
     }},
    {"rolling_buffer",
     [](Line& line) {
       Stage& stage = line.stage();
       stage.rolling_buffer(line.number());
     }},
    {"pad_in_place",
     [](Line& line) {
       Stage& stage = line.stage();
       stage.pad_in_place(line.stage());
     }},
    {"tensorize",
     [](Line& line) {
       Stage& stage = line.stage();
       IterVar axis = line.loop(stage);
       const std::string intrinsic = line.word("an intrinsic");
       const std::string reset = line.done() ? "" : line.word("a reset");
       VDLA_CHECK_USER(reset.empty() || reset == "reset_before")
           << "tensorize: '" << reset << "' behind the intrinsic, needs reset_before or nothing";
       stage.tensorize(axis, intrinsic, reset.empty() ? Reset::InStep : Reset::Before);
     }},
    {"cache_read",
     [](Line& line) {
       Tensor tensor = line.tensor();
       std::string scope = line.word("a memory");
       std::vector<Tensor> readers;
       while (!line.done()) readers.push_back(line.stage().tensor());
       line.schedule().cache_read(tensor, scope, readers);
     }},
    {"cache_write",
     [](Line& line) {
       Tensor tensor = line.stage().tensor();
       line.schedule().cache_write(tensor, line.word("a memory"));
     }},
    {"rfactor",
     [](Line& line) {
       Stage& stage = line.stage();
       line.schedule().rfactor(stage.tensor(), line.loop(stage));
     }},
};

void apply_line(Schedule& schedule, const std::vector<std::string>& words) {
  auto found = std::find_if(std::begin(kPrimitives), std::end(kPrimitives),
                            [&](const Primitive& p) { return p.name == words[0]; });
  if (found == std::end(kPrimitives)) {
    std::vector<std::string> names;
    for (const Primitive& p : kPrimitives) names.emplace_back(p.name);
    throw UserError("no primitive '" + words[0] + "'" + did_you_mean(words[0], names));
  }
  Line line(schedule, words);
  found->apply(line);
  VDLA_CHECK_USER(line.done()) << "'" << words[0] << "' does not take so many words";
}

}  // namespace

std::string to_script(const Schedule& schedule) {
  std::string script;
  for (const std::string& line : schedule.log()) script += line + "\n";
  return script;
}

void replay(Schedule& schedule, std::string_view script) {
  std::istringstream lines{std::string(script)};
  std::string text;
  for (int number = 1; std::getline(lines, text); ++number) {
    std::istringstream split(text.substr(0, text.find('#')));
    std::vector<std::string> words;
    for (std::string word; split >> word;) words.push_back(word);
    if (words.empty()) continue;
    try {
      apply_line(schedule, words);
    } catch (const UserError& error) {
      throw UserError("line " + std::to_string(number) + ": " + error.what());
    }
  }
}

}  // namespace vdla::schedule
