// SPDX-License-Identifier: Apache-2.0
// The formulas of isa/generated/legality.smt2, computed by z3 word for word, against the definition in C++.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "isa/gen/names.h"
#include "isa/spec/legality.h"
#include "tests/hw/command.h"
#include "tests/isa/check_words.h"

namespace vdla::isa {
namespace {

/// The broken rules (0: none) that z3 computes from the formulas.
std::vector<unsigned> rules_by_formula(const std::vector<InsnWords>& words, const Geometry& g) {
  std::ifstream formulas(VDLA_SOURCE_DIR "/isa/generated/legality.smt2");
  std::string text{std::istreambuf_iterator<char>(formulas), {}};
  for (const InsnWords& insn : words) {
    text += "(simplify (broken-rule";
    for (std::uint64_t value : insn) text += fmt::format(" #x{:016x}", value);
    for (std::string_view name : gen::geometry_numbers())
      text += fmt::format(" #x{:016x}", geometry_value(g, name));
    text += "))\n";
  }
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("vdla_legality_{}.smt2", getpid());
  std::ofstream(file) << text;
  const CommandResult z3 = run_command(VDLA_Z3 " " + file.string());
  std::filesystem::remove(file);
  EXPECT_EQ(z3.status, 0) << z3.output.substr(0, 500);
  std::vector<unsigned> result;
  std::istringstream lines(z3.output);
  for (std::string line; std::getline(lines, line);)
    result.push_back(static_cast<unsigned>(std::stoul(line.substr(2), nullptr, 16)));
  return result;
}

TEST(SmtLegality, FormulasNameTheRuleThatTheDefinitionNames) {
  std::mt19937_64 random(7);
  std::vector<InsnWords> words = legal_words();
  for (const InsnWords& legal : legal_words()) {
    for (unsigned bit = 0; bit < 8 * kInsnBytes; ++bit) {
      words.push_back(legal);
      words.back()[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    }
  }
  for (int n = 0; n < 4000; ++n) words.push_back(random_words(random));
  const std::vector<unsigned> formula = rules_by_formula(words, check_geometry());
  ASSERT_EQ(formula.size(), words.size());
  std::vector<int> hits(rules().size() + 1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Rule* rule = find_broken_rule(words[i], check_geometry());
    const unsigned number = rule == nullptr ? 0 : number_of(*rule);
    ++hits[number];
    ASSERT_EQ(formula[i], number) << "word " << i << ": " << describe_rule(number) << " | "
                                  << describe_rule(formula[i]);
  }
  EXPECT_GT(hits[0], 100);
  EXPECT_GT(std::ranges::count_if(hits, [](int n) { return n > 0; }), 60) << "too few rules are reached";
}

}  // namespace
}  // namespace vdla::isa
