// SPDX-License-Identifier: Apache-2.0
// random_graphs: drawn graphs on this kit against another implementation of ONNX. Exit status 1 where one
// differs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "support/error.h"
#include "tests/compiler/import/random_graphs/recorded.h"

namespace vdla::random_graphs {
namespace {

struct Flags {
  std::string oracle, keep, only, refused, record;
  std::uint64_t first = 1, count = 1000, every = 10, chunk = 500;
  std::vector<std::uint64_t> seeds;
  bool float_only = false, quiet = false, whole = false, show = false, operators = false;
};

constexpr std::string_view kNames[] = {"equal", "within steps", "differs", "refused", "broken", "no answer"};

/// The sentence without what belongs to one graph: names, numbers, shapes.
std::string kind_of(const std::string& sentence) {
  std::string kind;
  bool quoted = false;
  const std::string line = sentence.substr(0, sentence.find('\n'));
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\'' && !(i > 0 && std::isalpha(static_cast<unsigned char>(line[i - 1])) && !quoted)) {
      quoted = !quoted;
      continue;
    }
    if (quoted) continue;
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !kind.empty() && kind.back() == '#') continue;
    kind += digit ? '#' : c;
  }
  return kind.substr(0, 160);
}

std::string operators_of(const Drawn& drawn) {
  std::vector<std::string> all;
  for (const auto& n : drawn.model.graph().node())
    if (n.op_type() != "Constant") all.push_back(n.op_type());
  return fmt::format("{}", fmt::join(all, " "));
}

bool chosen(const Flags& flags, const Drawn& drawn) {
  const std::string operators = " " + operators_of(drawn) + " ";
  const auto holds = [&](const std::string& op) {
    return operators.find(" " + op + " ") != std::string::npos;
  };
  if (flags.float_only && holds("QuantizeLinear") && holds("DequantizeLinear")) return false;
  return flags.only.empty() || holds(flags.only);
}

void keep(const Flags& flags, std::uint64_t seed, const Drawn& drawn, const std::string& text) {
  const auto base = std::filesystem::path(flags.keep) / std::to_string(seed);
  std::ofstream(base.string() + ".onnx", std::ios::binary) << drawn.model.SerializeAsString();
  std::ofstream(base.string() + ".txt") << text;
  for (const auto& [name, array] : drawn.inputs)
    std::ofstream(base.string() + "." + name + ".bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(array.data->data()),
               static_cast<std::streamsize>(array.data->size()));
}

/// Line for the parent: seed, place, verdict, operators and text, apart by tabs.
std::string line_of(std::uint64_t seed, Place place, const Verdict& verdict, const Drawn& drawn) {
  std::string text = verdict.text;
  std::ranges::replace(text, '\n', ' ');
  return fmt::format("{}\t{}\t{}\t{}\t{}\n", seed, static_cast<int>(place), static_cast<int>(verdict.kind),
                     operators_of(drawn), text);
}

void say(int fd, const std::string& line) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t n = write(fd, rest.data(), rest.size());
    if (n <= 0) _exit(1);
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
}

void run_seed(const Flags& flags, Oracle& oracle, std::uint64_t seed, int fd) {
  say(fd, fmt::format("{}\n", seed));  // which one it was, where the process ends
  const Drawn drawn = draw(seed);
  if (!chosen(flags, drawn)) return;
  const Answer answer = oracle.ask(drawn);
  std::vector<Place> places = {Place::Interpreter};
  if (flags.every > 0 && seed % flags.every == 0)
    places.insert(places.end(), {Place::MachineCode, Place::Functional});
  for (const Place place : places) {
    const Verdict verdict = judge(oracle, drawn, answer, place);
    say(fd, line_of(seed, place, verdict, drawn));
    const bool asked = verdict.kind == Verdict::Kind::Refused && !flags.refused.empty() &&
                       verdict.text.find(flags.refused) != std::string::npos;
    const bool fault =
        verdict.kind == Verdict::Kind::Differs || verdict.kind == Verdict::Kind::Broken || asked;
    if (flags.show) fmt::print("seed {}: {}\n{}\n", seed, verdict.text, describe(drawn));
    if (!fault) {
      if (verdict.kind == Verdict::Kind::Equal || verdict.kind == Verdict::Kind::WithinSteps) continue;
      break;
    }
    const Drawn small = flags.whole ? drawn : shrink(oracle, drawn, place, asked ? flags.refused : "");
    const std::string text =
        fmt::format("seed {}: {}\n{}\n", seed, judge(oracle, small, place).text, describe(small));
    if (!flags.quiet) fmt::print("{}", text);
    std::fflush(stdout);
    if (!flags.keep.empty()) keep(flags, seed, small, text);
    break;
  }
}

/// Counts of verdicts, refusals and missing answers.
struct Table {
  std::map<int, std::map<std::string, std::uint64_t>> verdicts;                    ///< by place
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> refusals, lacks;  ///< count and a seed
  std::map<std::string, std::uint64_t> operators;  ///< nodes in graphs that are right
  std::vector<std::uint64_t> faults, dead;

  void take(const std::string& line) {
    constexpr std::size_t kParts = 5;
    std::vector<std::string> parts;
    for (std::size_t at = 0; parts.size() < kParts;) {
      const std::size_t end = parts.size() + 1 == kParts ? std::string::npos : line.find('\t', at);
      parts.push_back(line.substr(at, end == std::string::npos ? end : end - at));
      if (end == std::string::npos) break;
      at = end + 1;
    }
    if (parts.size() < kParts) return;
    const std::uint64_t seed = std::stoull(parts[0]);
    const auto kind = static_cast<Verdict::Kind>(std::stoi(parts[2]));
    ++verdicts[std::stoi(parts[1])][std::string(kNames[static_cast<std::size_t>(kind)])];
    const auto count = [&](auto& table) {
      auto& row = table[kind_of(parts[4])];
      ++row.first;
      row.second = seed;
    };
    if (kind == Verdict::Kind::Refused) count(refusals);
    if (kind == Verdict::Kind::NoAnswer) count(lacks);
    if (kind == Verdict::Kind::Differs || kind == Verdict::Kind::Broken) faults.push_back(seed);
    if (kind != Verdict::Kind::Equal && kind != Verdict::Kind::WithinSteps) return;
    std::istringstream words(parts[3]);
    for (std::string op; words >> op;) ++operators[op];
  }

  void print() const {
    constexpr std::string_view kPlaces[] = {"interpreter", "machine code", "functional engine"};
    for (const auto& [place, row] : verdicts) {
      fmt::print("{}:", kPlaces[static_cast<std::size_t>(place)]);
      for (const auto& [verdict, count] : row) fmt::print(" {} {},", count, verdict);
      fmt::print("\n");
    }
    const auto list = [](const char* what, const auto& table) {
      if (!table.empty()) fmt::print("{}, with a seed each:\n", what);
      std::vector<std::pair<std::uint64_t, std::string>> rows;
      for (const auto& [kind, row] : table)
        rows.push_back({row.first, fmt::format("{} (seed {})", kind, row.second)});
      std::ranges::sort(rows, std::greater());
      for (const auto& [count, text] : rows) fmt::print("{:6} {}\n", count, text);
    };
    list("refused", refusals);
    list("not answered by the oracle", lacks);
    if (!dead.empty()) fmt::print("the process ended at seeds {}\n", fmt::join(dead, ", "));
    fmt::print("{} differ: seeds {}\n", faults.size(), fmt::join(faults, ", "));
  }
};

/// Runs seeds in a process of their own; returns where to go on.
std::uint64_t run_chunk(const Flags& flags, std::uint64_t first, std::uint64_t end, Table& table) {
  int ends[2];
  VDLA_CHECK(pipe(ends) == 0) << "cannot make a pipe";
  std::fflush(stdout);
  const pid_t process = fork();
  VDLA_CHECK(process >= 0) << "cannot start a process";
  if (process == 0) {
    close(ends[0]);
    Oracle oracle(flags.oracle);
    for (std::uint64_t seed = first; seed < end; ++seed)
      run_seed(flags, oracle, flags.seeds.empty() ? seed : flags.seeds[seed], ends[1]);
    std::fflush(stdout);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::uint64_t done = first;
  char buffer[1 << 14];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
    for (std::size_t at = 0; (at = text.find('\n')) != std::string::npos; text.erase(0, at + 1)) {
      const std::string line = text.substr(0, at);
      if (line.find('\t') == std::string::npos) ++done;
      table.take(line);
    }
  }
  close(ends[0]);
  int status = 0;
  waitpid(process, &status, 0);
  if (status == 0) return end;
  const std::uint64_t last = flags.seeds.empty() ? done - 1 : flags.seeds[done - 1];
  table.dead.push_back(last);
  fmt::print("seed {}: the process ended with status {:#x}\n{}\n", last, status, describe(draw(last)));
  return done;
}

/// Writes the answers to the first graphs that are right here: half of them of networks that quantise.
int record_answers(const Flags& flags) {
  constexpr std::size_t kHalf = 100;
  Oracle oracle(flags.oracle);
  std::string text =
      "# Answers of ONNX Runtime to drawn graphs (bench/onnxruntime/README.md). A graph: seed and hash; a "
      "line for each\n"
      "# output: type, shape, distance by which an element may miss, elements that are spread evenly.\n";
  std::size_t halves[2] = {0, 0};
  for (std::uint64_t seed = flags.first; halves[0] + halves[1] < 2 * kHalf; ++seed) {
    const Drawn drawn = draw(seed);
    const std::string operators = operators_of(drawn);
    std::size_t& half = halves[operators.find("QuantizeLinear") != std::string::npos ? 1 : 0];
    if (half == kHalf) continue;
    const Answer answer = oracle.ask(drawn);
    const Ran ran = run_here(drawn, Place::Interpreter);
    if (!answer.refused.empty() || !ran.refused.empty() || !ran.broken.empty()) continue;
    std::vector<Allowed> allowed;
    if (compare(ran.outputs, answer.outputs)) allowed = allowance(oracle, drawn, answer);
    const Recorded recorded = record_of(seed, hash_of(drawn), answer, allowed);
    if (!compare(ran.outputs, recorded).empty()) continue;
    text += to_text(recorded);
    ++half;
  }
  std::ofstream(flags.record) << text;
  return 0;
}

int run(Flags& flags) {
  if (!flags.record.empty()) return record_answers(flags);
  if (!flags.keep.empty()) std::filesystem::create_directories(flags.keep);
  std::uint64_t begin = flags.first, end = flags.first + flags.count;
  if (!flags.seeds.empty()) begin = 0, end = flags.seeds.size();
  Table table;
  while (begin < end) begin = run_chunk(flags, begin, std::min(end, begin + flags.chunk), table);
  table.print();
  if (flags.operators)
    for (const auto& [op, count] : table.operators) fmt::print("{} {}\n", op, count);
  return table.faults.empty() && table.dead.empty() ? 0 : 1;
}

}  // namespace
}  // namespace vdla::random_graphs

int main(int argc, char** argv) {
  using namespace vdla::random_graphs;
  CLI::App app{"Runs drawn ONNX graphs on this kit against another implementation"};
  Flags flags;
  app.add_option("--oracle", flags.oracle,
                 "Command that answers, as bench/onnxruntime/random_graphs.mjs does")
      ->required();
  app.add_option("--first", flags.first, "First seed")->capture_default_str();
  app.add_option("--count", flags.count, "Graphs, of seeds that follow each other")->capture_default_str();
  app.add_option("--seed", flags.seeds, "These seeds alone");
  app.add_option("--every", flags.every,
                 "One in so many runs as machine code and on the functional engine, too; 0: none")
      ->capture_default_str();
  app.add_option("--only", flags.only, "Graphs with this operator alone");
  app.add_option("--keep", flags.keep, "Folder for shrunk models that differ");
  app.add_flag("--float-only", flags.float_only, "No graphs with QuantizeLinear and DequantizeLinear");
  app.add_option("--record", flags.record, "Writes answers to this file instead, for the test");
  app.add_flag("--whole", flags.whole, "Do not shrink");
  app.add_option("--refused", flags.refused,
                 "Shrinks graphs that are refused with this in the sentence, too");
  app.add_flag("--show", flags.show, "Prints each graph whole");
  app.add_flag("--operators", flags.operators,
               "Prints how many nodes of each operator are in graphs that are right");
  app.add_flag("--quiet", flags.quiet, "Only the table");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(flags);
  } catch (const std::exception& e) {
    fmt::print(stderr, "random_graphs: {}\n", e.what());
    return 3;
  }
}
